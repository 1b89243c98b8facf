/* SPDX-License-Identifier: MIT */
/*
 * options.h - one table of options for parsing and for --help.
 *
 * A tool describes itself in a struct tool; options_next hands out its
 * options one by one, and the operands as OPTION_OPERAND, in the order in
 * which they stand.  --help and --version are answered here.  Whatever is
 * wrong is a message, a hint at --help, and STATUS_ERROR.
 */
#ifndef TOOLS_COMMON_OPTIONS_H
#define TOOLS_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One option.  Tables end with an entry whose name is NULL and help is
 *  NULL; an entry with a help but no name is a heading. */
struct option_spec {
	/** What options_next returns; from 1 on, below 0x1000. */
	int id;
	/** The short form, or 0. */
	char letter;
	const char *name;
	/** What the value is called in the help; NULL: takes none; in
	 *  brackets: may be left out, and is "" then. */
	const char *value;
	/** May hold line feeds. */
	const char *help;
};

/** A tool as its --help shows it. */
struct tool {
	const char *name;
	/** What stands behind the name, if the tool has several commands. */
	const char *command;
	/** "FILE [ADDRESS...]" */
	const char *operands;
	/** One sentence. */
	const char *summary;
	const struct option_spec *options;
	/** OPTIONS are not options but commands, for the help alone. */
	bool commands;
	/** Pairs of a command and what it does; ends with NULL. */
	const char *const *examples;
	/** What the exit statuses mean, where a tool has more to say. */
	const char *exit_status;
};

#define OPTION_END 0
#define OPTION_OPERAND (-1)

/** State of a walk over the arguments. */
struct options {
	const struct tool *tool;
	int argc;
	char **argv;
	/** The value of the option, or the operand, that was handed out. */
	const char *value;
	/** The name of that option, for messages. */
	const char *name;
	/* Private. */
	void *table;
	char *letters;
	bool parsed;
};

void options_init(struct options *options, const struct tool *tool, int argc,
		  char **argv);
/** The id of the next option, OPTION_OPERAND, or OPTION_END.  Operands come
 *  behind all options. */
int options_next(struct options *options);
void options_fini(struct options *options);

/** Where an option is kept: that it is on, or its value. */
struct option_place {
	int id;
	bool *on;
	const char **value;
};

/** Keep the option ID, which was handed out last, if it is among PLACES, which
 *  end with an id of 0; false if it is not. */
bool options_keep(const struct options *options, int id,
		  const struct option_place *places);

/** The number that the current value writes, from LOWEST to HIGHEST. */
uint64_t options_number(const struct options *options, uint64_t lowest,
			uint64_t highest);
/** Which of CHOICES (ends with NULL) the current value is. */
int options_choice(const struct options *options,
		   const char *const *choices);

#endif /* TOOLS_COMMON_OPTIONS_H */
