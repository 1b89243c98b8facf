/* SPDX-License-Identifier: MIT */
/*
 * xray/options.h - the tables of commands and options of gsym-xray.
 */
#ifndef TOOLS_XRAY_OPTIONS_H
#define TOOLS_XRAY_OPTIONS_H

#include "common/options.h"
#include "xray/xray.h"

/** The options. */
enum {
	OPT_MAP = 1,
	OPT_GSYM,
	OPT_OBJECT,
	OPT_NO_DEMANGLE,
	OPT_STRICT,
	OPT_FREQUENCY,
	OPT_OUTPUT,
	OPT_FORMAT,
	OPT_COMPAT,
	OPT_CHECK,
	OPT_HEX,
	OPT_WALL_CLOCK,
	OPT_SORT,
	OPT_TOP,
	OPT_ALL_LEVELS,
	OPT_BUDGET,
	OPT_TO,
	OPT_THREADS,
	OPT_CALLS,
	OPT_BEGIN_END,
	OPT_EVENT_TYPE,
	OPT_DETAIL,
	OPT_SHORT_NAMES,
	OPT_BEFORE,
	OPT_AFTER,
	OPT_AFTER_MAP,
	OPT_AFTER_GSYM,
	OPT_AFTER_OBJECT,
	OPT_STACKS,
	OPT_NOISE,
};

/** Sets of commands: a bit for each, by its index in xray_commands. */
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

/** An option, and the commands that have it. */
struct xray_choice {
	unsigned commands;
	struct option_spec spec;
};

/** The number of commands, and that of the options of all commands with their
 *  headings. */
enum { XRAY_COMMANDS = 10, XRAY_CHOICES = 38 };

/** The commands. */
extern const struct xray_command xray_commands[XRAY_COMMANDS];
/** The options of all commands, in the order of --help. */
extern const struct xray_choice xray_choices[XRAY_CHOICES];

#endif /* TOOLS_XRAY_OPTIONS_H */
