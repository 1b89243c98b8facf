/* SPDX-License-Identifier: MIT */
/*
 * options.h - command-line options: one table for parsing and for --help.
 *
 * A tool describes itself in a struct tool.  options_next returns the options
 * one by one and then the operands, in the order of the command line.  It
 * answers --help and --version itself.  Every mistake on the command line
 * ends the tool with a message, a hint at --help, and STATUS_ERROR.
 *
 * The command line is read as by getopt_long, but options cannot be
 * abbreviated, except --help and --version.
 *
 * In all tools, options that only set a flag or keep a string are listed in
 * an array of struct option_place (see options_keep); a switch handles the
 * others.
 *
 * An option of all tools is a row of shared_options in options.c, and a case
 * of keep_shared: parsing, --help and completions know it then.  Options of
 * several tools are a struct option_group, for which each of these tools has a
 * row in its table.
 */
#ifndef TOOLS_COMMON_OPTIONS_H
#define TOOLS_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options;

/** One option.  An entry with a help text but no name is a heading; an entry
 *  with neither ends the table, unless it is OPTION_GROUP. */
struct option_spec {
	/** The value that options_next returns for the option: 1 to 0xf00. */
	int id;
	/** The short form, or 0. */
	char letter;
	const char *name;
	/** The placeholder for the value in the help.  NULL: the option takes
	 *  no value.  "[=PLACEHOLDER]": the value may be left out, and is ""
	 *  then.  FILE, DIR, OUT, BINARY: the value is a path, and must not be
	 *  empty; "[DIR]" may be. */
	const char *value;
	/** Line feeds divide it into lines. */
	const char *help;
};

/** An entry that stands for the options of group INDEX of the tool. */
#define OPTION_GROUP(index)       \
	{                         \
		.id = (index) + 1 \
	}

/** Options that several tools have. */
struct option_group {
	const struct option_spec *options;
	/** Keep the option ID of the group.  options_next calls it, and does
	 *  not return the option. */
	void (*keep)(const struct options *options, int id);
};

/** An option of another tool, and the way to do the same with this tool. */
struct option_peer {
	/** Without dashes; of one letter: a short option. */
	const char *name;
	/** A sentence that follows "unknown option '--name': ". */
	const char *instead;
};

/** A tool as --help shows it. */
struct tool {
	const char *name;
	/** The command, for tools that have several; else NULL. */
	const char *command;
	/** The operands, such as "FILE [ADDRESS...]". */
	const char *operands;
	/** One sentence. */
	const char *summary;
	const struct option_spec *options;
	/** The groups that OPTIONS has entries for. */
	const struct option_group *const *groups;
	/** The names of the options that --help shows, besides --help and
	 *  --version; ends with NULL.  --help=all shows all.  NULL: --help
	 *  does. */
	const char *const *usual;
	/** The words, up to a NULL, that --help=all lists after the text of
	 *  OPTION, the name of an option; NULL if it lists none.  WORDS may be
	 *  NULL. */
	const char *const *(*words)(const char *option);
	/** OPTIONS lists commands, not options: show them in the help only. */
	bool commands;
	/** Options of other tools that users may try here; an entry without a
	 *  name ends the table.  NULL: none. */
	const struct option_peer *peers;
	/** Pairs of a command line and what it does; ends with NULL. */
	const char *const *examples;
	/** The meaning of the exit statuses. */
	const char *exit_status;
	/** The tool looks at the whole machine: it has no --sandbox. */
	bool without_sandbox;
};

/** The result of options_next at the end of the command line. */
#define OPTION_END 0
/** The result of options_next for an operand. */
#define OPTION_OPERAND (-1)

/** The state of a walk over the arguments. */
struct options {
	const struct tool *tool;
	int argc;
	char **argv;
	/** The value of the last option returned, or the operand. */
	const char *value;
	/** The name of that option, for messages. */
	const char *name;
	/* Private. */
	int at;              /* the next argument */
	const char *letters; /* the rest of an argument of short options */
	bool posix;          /* options end before the first operand */
	bool operands_only;  /* options have ended */
	const char **operands;
	int operand, operand_count; /* the next one to return */
};

/** Start a walk over ARGV.  Dies if memory runs out. */
void options_init(struct options *options, const struct tool *tool, int argc,
		  char **argv);
/** The id of the next option, OPTION_OPERAND, or OPTION_END.  All options
 *  come before the first operand.  Dies if the next argument is wrong. */
int options_next(struct options *options);
/** Whether ARGUMENT is an option of TOOL whose value is the next argument. */
bool options_takes_next(const struct tool *tool, const char *argument);
/** Free what options_init allocated. */
void options_fini(struct options *options);

/** Where options_keep stores an option: ON becomes true, VALUE becomes the
 *  option's value.  Either may be NULL. */
struct option_place {
	int id;
	bool *on;
	const char **value;
};

/** Store the option ID, which options_next returned last, in the entry of
 *  PLACES with that id; an id of 0 ends PLACES.  Returns false if PLACES has
 *  no such entry. */
bool options_keep(const struct options *options, int id,
		  const struct option_place *places);

/** The current value as a number.  Dies if it is no number from LOWEST to
 *  HIGHEST. */
uint64_t options_number(const struct options *options, uint64_t lowest,
			uint64_t highest);
/** The current value as an address, see number_parse_address.  Dies if it is no
 *  address. */
uint64_t options_address(const struct options *options);
/** The index of the current value in CHOICES, which ends with NULL.  Dies if
 *  the value is not in CHOICES. */
int options_choice(const struct options *options,
		   const char *const *choices);

/** How many characters to insert, delete, replace, or swap with their neighbour
 *  to make the COUNT bytes at NAME of the LENGTH bytes at TEXT; SIZE_MAX if one
 *  of them has 32 bytes or more. */
size_t options_distance(const char *text, size_t length, const char *name,
			size_t count);
/** Whether fewer than *CHANGES characters tell the LENGTH bytes at TEXT from
 *  NAME.  If so, *CHANGES becomes their number. */
bool options_nearer(const char *text, size_t length, const char *name,
		    size_t *changes);

#endif /* TOOLS_COMMON_OPTIONS_H */
