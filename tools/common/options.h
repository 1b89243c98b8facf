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
 * The row of an option says how its value is checked, and which member of the
 * tool's struct it goes to (enum option_keep); a switch of the tool handles the
 * few others.
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

#include "base/vec.h"

struct options;

/** The values of an option that may be repeated; the strings are those of the
 *  command line. */
struct option_list {
	GSYM_VEC(const char *);
};

/** What is done with an option that was given. */
enum option_keep {
	/** options_next returns its id. */
	OPTION_RETURNED,
	/** The member becomes the number LEAST. */
	OPTION_SETS,
	/** The value is one of WORDS: its index, added to LEAST; a value that
	 *  is left out: MOST. */
	OPTION_WORDED,
	/** The value is a number from LEAST to MOST, which is shifted left by
	 *  SHIFT. */
	OPTION_COUNTED,
	/** The value is an address. */
	OPTION_ADDRESSED,
	/** The member becomes the value itself, or, a struct option_list, gets
	 *  it. */
	OPTION_WRITTEN,
	OPTION_LISTED,
};

/** One option.  An entry with a help text but no name is a heading; an entry
 *  with neither ends the table, unless it has OPTION_GROUP. */
struct option_spec {
	/** What options_next returns for the option: 1 to 0xf00; 0 if KEEP
	 *  tells where its value goes. */
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
	/** The rest is what one of the macros below makes of it: a member of
	 *  SIZE bytes, AT bytes behind the start of its struct. */
	enum option_keep keep;
	size_t at, size;
	const char *const *words;
	uint64_t least, most;
	unsigned shift;
	/** In tools with commands: a bit for each command that has the option
	 *  or heading. */
	unsigned commands;
};

/** The tool keeps the option by its id. */
#define OPTION_BY_ID .keep = OPTION_RETURNED
/** MEMBER of TYPE becomes a number: a bool, or an integer or enum of 4 or 8
 *  bytes. */
#define OPTION_MEMBER(type, member)                                           \
	.at = offsetof(type, member),                                         \
	.size = sizeof(struct {                                               \
		char bytes[sizeof(((type *)0)->member)];                      \
		_Static_assert(sizeof(((type *)0)->member) == sizeof(bool) || \
			       sizeof(((type *)0)->member) == 4 ||            \
			       sizeof(((type *)0)->member) == 8,              \
			       "options_put stores no such member");          \
	})
/** The option sets MEMBER of TYPE to NUMBER. */
#define OPTION_SET(type, member, number)                         \
	.keep = OPTION_SETS, OPTION_MEMBER(type, member), .least = (number)
#define OPTION_FLAG(type, member) OPTION_SET(type, member, true)
/** MEMBER becomes FIRST plus the index of the value in LIST, which ends with
 *  NULL.  If the value is left out MEMBER becomes .most, which may follow. */
#define OPTION_WORD(type, member, list, first)                      \
	.keep = OPTION_WORDED, OPTION_MEMBER(type, member), \
	.words = (list), .least = (first)
/** MEMBER becomes the value, a number from LOWEST to HIGHEST. */
#define OPTION_NUMBER(type, member, lowest, highest)                 \
	.keep = OPTION_COUNTED, OPTION_MEMBER(type, member), \
	.least = (lowest), .most = (highest)
#define OPTION_ADDRESS(type, member) \
	.keep = OPTION_ADDRESSED, OPTION_MEMBER(type, member)
/** MEMBER is a const char *, or a struct option_list. */
#define OPTION_TEXT(type, member) \
	.keep = OPTION_WRITTEN, .at = offsetof(type, member)
#define OPTION_LIST(type, member) \
	.keep = OPTION_LISTED, .at = offsetof(type, member)

/** The row of --path-prefix-map, whose values go to MEMBER, a struct
 *  option_list. */
#define OPTION_PATH_MAPS(type, member)                               \
	{ 0, 0, "path-prefix-map", "OLD=NEW",                        \
	  "of paths of source files that begin with OLD, show\n"     \
	  "NEW instead; the last that fits counts; auto stands\n"    \
	  "for what builds leave; repeatable",                       \
	  OPTION_LIST(type, member) }

/** Of an entry without a name and a help text: it stands for the options of
 *  group INDEX of the tool. */
#define OPTION_GROUP(index) .id = (index) + 1

/** Options that several tools have. */
struct option_group {
	const struct option_spec *options;
	/** Called for the option ID of the group, which options_next does not
	 *  return; NULL if the rows say how all options are kept. */
	void (*keep)(const struct options *options, int id);
	/** The struct with the members of its rows. */
	void *kept;
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
	/** Not 0: of OPTIONS only the rows whose commands have one of these
	 *  bits. */
	unsigned command_bits;
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
	/** The struct with the members of the rows of TOOL. */
	void *kept;
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

/** Start a walk over ARGV, whose options go to the struct KEPT, as the rows of
 *  TOOL say.  Dies if memory runs out. */
void options_init(struct options *options, const struct tool *tool, void *kept,
		  int argc, char **argv);
/** The id of the next option, OPTION_OPERAND, or OPTION_END.  All options
 *  come before the first operand.  Dies if the next argument is wrong. */
int options_next(struct options *options);
/** Whether ARGUMENT is an option of TOOL whose value is the next argument. */
bool options_takes_next(const struct tool *tool, const char *argument);
/** Free what options_init allocated. */
void options_fini(struct options *options);

/** Keep an option of the row SPEC in the struct KEPT: its VALUE, or the NUMBER
 *  that VALUE stands for. */
void options_put(const struct option_spec *spec, void *kept, const char *value,
		 uint64_t number);

/** The current value as a number.  Dies if it is no number from LOWEST to
 *  HIGHEST. */
uint64_t options_number(const struct options *options, uint64_t lowest,
			uint64_t highest);
/** The current value as an address, see number_parse_address.  Dies if it is no
 *  address. */
uint64_t options_address(const struct options *options);
/** Die if a value of LIST, those of --path-prefix-map, is not OLD=NEW or
 *  auto. */
void options_check_path_maps(const struct option_list *list);
/** The index of the current value in CHOICES, which ends with NULL.  Dies if
 *  the value is not in CHOICES. */
int options_choice(const struct options *options,
		   const char *const *choices);

#endif /* TOOLS_COMMON_OPTIONS_H */
