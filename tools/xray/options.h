/* SPDX-License-Identifier: MIT */
/*
 * xray/options.h - the tables of commands and options of gsym-xray.
 */
#ifndef TOOLS_XRAY_OPTIONS_H
#define TOOLS_XRAY_OPTIONS_H

#include "common/options.h"
#include "xray/xray.h"

/** Sets of commands: a bit for each. */
enum {
	INFO = 1 << 0,
	ACCOUNT = 1 << 1,
	STACK = 1 << 2,
	GRAPH = 1 << 3,
	FLAME = 1 << 4,
	CONVERT = 1 << 5,
	DUMP = 1 << 6,
	EXTRACT = 1 << 7,
	SUGGEST = 1 << 8,
	DIFF = 1 << 9,
	TRACES = INFO | ACCOUNT | STACK | GRAPH | FLAME | CONVERT | DUMP |
		 SUGGEST | DIFF,
	NAMES = TRACES & ~INFO,
	ALL = TRACES | EXTRACT,
};

/** How an option is kept. */
enum xray_keep {
	/** AT, a bool, becomes true; with WORDS the value has to be one. */
	XRAY_FLAG,
	/** AT becomes the value. */
	XRAY_VALUE,
	/** AT, an int, becomes the index of the value in WORDS. */
	XRAY_WORD,
	/** AT, an uint64_t, becomes the value, which is from LEAST to MOST,
	 *  shifted by SHIFT. */
	XRAY_NUMBER,
	/** "N=FILE" names an object, "N=NAME" the typed events of a number,
	 *  and FILE is a trace. */
	XRAY_OBJECT,
	XRAY_EVENT_TYPE,
	XRAY_TRACE,
};

/** An option, the commands that have it, and how it is kept in a struct xray:
 *  that of AFTER for the options of diff that say so. */
struct xray_choice {
	unsigned commands;
	/** Its id is 0: the place in the table counts. */
	struct option_spec spec;
	enum xray_keep keep;
	bool after;
	unsigned shift;
	size_t at;
	uint64_t least, most;
	const char *const *words;
};

/** The number of commands, and that of the options of all commands with their
 *  headings. */
enum { XRAY_COMMANDS = 10, XRAY_CHOICES = 38 };

/** The commands. */
extern const struct xray_command xray_commands[XRAY_COMMANDS];
/** The options of all commands, in the order of --help. */
extern const struct xray_choice xray_choices[XRAY_CHOICES];

#endif /* TOOLS_XRAY_OPTIONS_H */
