/* SPDX-License-Identifier: MIT */
/* Parses command lines, and prints the help of a tool. */
#include "config.h"

#include "common/options.h"
#include "common/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path_map.h"
#include "common/names.h"
#include "common/out.h"
#include "common/run.h"

/* The column at which the help texts start, and the one that they do not
 * reach. */
enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* ---- what all tools have ------------------------------------------------- */

enum { ID_HELP = 1, ID_VERSION, ID_SANDBOX, ID_QUIET };

static const struct option_spec shared_options[] = {
	{ .help = "Other" },
	{ ID_SANDBOX, 0, "sandbox", "[=MODE]",
	  "keep only the rights to read files and to write the\n"
	  "output: on (the default), or try, which goes on\n"
	  "where the kernel offers no sandbox", OPTION_BY_ID },
	{ ID_QUIET, 'q', "quiet", NULL,
	  "no notes, warnings, progress and summaries on\n"
	  "standard error; errors are reported", OPTION_BY_ID },
	{ ID_HELP, 'h', "help", "[=all]",
	  "show this help, or all options, and end", OPTION_BY_ID },
	{ ID_VERSION, 'V', "version", NULL,
	  "show version and licence, and end", OPTION_BY_ID },
	{ 0 }
};

static void keep_shared(const struct options *options, int id);

static const struct option_group shared_group = { .options = shared_options,
						  .keep = keep_shared };

/* A walk over the rows of a tool's table: headings and options, those of all
 * tools last. */
struct walk {
	const struct tool *tool;
	const struct option_spec *at;
	/* The group that AT is in, and the row after it; NULL: none. */
	const struct option_group *group;
	const struct option_spec *after;
};

/* Start a walk over the rows of TOOL, and, if ONLY_OPTIONS, no commands. */
static struct walk walk_start(const struct tool *tool, bool only_options)
{
	if (tool->commands && only_options)
		return (struct walk){ tool, shared_options, &shared_group,
				      NULL };
	return (struct walk){ tool, tool->options, NULL, NULL };
}

/* The next row; NULL at the end. */
static const struct option_spec *walk_next(struct walk *w)
{
	for (;;) {
		const struct option_spec *row = w->at++;

		if (w->group == &shared_group && row->id == ID_SANDBOX &&
		    w->tool->without_sandbox)
			continue;
		if (row->commands && !(row->commands & w->tool->command_bits))
			continue;
		if (row->name || row->help)
			return row;
		if (row->id) {
			w->group = w->tool->groups[row->id - 1];
			w->after = w->at;
			w->at = w->group->options;
		} else if (w->after) {
			w->group = NULL;
			w->at = w->after;
			w->after = NULL;
		} else if (!w->group) {
			w->group = &shared_group;
			w->at = shared_options;
		} else {
			return NULL;
		}
	}
}

void options_init(struct options *options, const struct tool *tool, void *kept,
		  int argc, char **argv)
{
	*options = (struct options){
		.tool = tool,
		.kept = kept,
		.argc = argc,
		.argv = argv,
		.at = 1,
		.posix = getenv("POSIXLY_CORRECT") != NULL,
		.operands = must_have(calloc((size_t)argc + 1, sizeof(char *))),
	};
}

void options_fini(struct options *options)
{
	free(options->operands);
	options->operands = NULL;
}

/* ---- --help and --version ------------------------------------------------ */

/* Whether the value of SPEC may be left out: "[=PLACEHOLDER]". */
static bool may_be_left_out(const struct option_spec *spec)
{
	return strncmp(spec->value, "[=", 2) == 0;
}

/* Whether ROW, of W, is --help or --version. */
static bool is_basic(const struct walk *w, const struct option_spec *row)
{
	return w->group == &shared_group &&
	       (row->id == ID_HELP || row->id == ID_VERSION);
}

/* Whether --help shows ROW, of W. */
static bool is_usual(const struct walk *w, const struct option_spec *row)
{
	const char *const *name = w->tool->usual;

	while (name && *name && strcmp(*name, row->name) != 0)
		name++;
	return !name || *name || is_basic(w, row);
}

/* Write the help of ROW, with DASHES before its name. */
static void show_option(struct out *out, const struct option_spec *row,
			const char *dashes)
{
	char head[80];
	int n = snprintf(head, sizeof(head), "  %c%c%c %s%s%s%s",
			 row->letter ? '-' : ' ',
			 row->letter ? row->letter : ' ',
			 row->letter ? ',' : ' ', dashes, row->name,
			 row->value && !may_be_left_out(row) ? "=" : "",
			 row->value ? row->value : "");

	out_text(out, head);
	if (n >= HELP_COLUMN - 1) {
		out_text(out, "\n");
		n = 0;
	}
	for (const char *text = row->help; *text;) {
		size_t length = strcspn(text, "\n");

		out_printf(out, "%*s%.*s\n", HELP_COLUMN - n, "", (int)length,
			   text);
		text += length + (text[length] == '\n');
		n = 0;
	}
}

/* Write WORDS as a list below the help of an option. */
static void show_words(struct out *out, const char *const *words)
{
	int n = 0;

	for (; *words; words++) {
		int size = (int)strlen(*words);

		if (n + size + 2 > HELP_WIDTH) {
			out_text(out, "\n");
			n = 0;
		}
		out_printf(out, "%*s%s%s", n ? 1 : HELP_COLUMN, "", *words,
			   words[1] ? "," : "\n");
		n += (n ? 1 : HELP_COLUMN) + size + 1;
	}
}

/* Write the help of the options of TOOL: ALL, or the usual ones. */
static void show_options(struct out *out, const struct tool *tool, bool all)
{
	/* A table that does not begin with a heading gets one. */
	const char *heading = "Options";
	struct walk w = walk_start(tool, false);
	const struct option_spec *row;
	const char *const *words;

	while ((row = walk_next(&w))) {
		if (!row->name) {
			heading = row->help;
			continue;
		}
		if (!all && !is_usual(&w, row))
			continue;
		if (heading)
			out_printf(out, "\n%s:\n", heading);
		heading = NULL;
		show_option(out, row,
			    tool->commands && w.group != &shared_group ? ""
								       : "--");
		words = all && tool->words ? tool->words(row->name) : NULL;
		if (words)
			show_words(out, words);
	}
}

/* ALL: with the options that are not usual, too. */
static _Noreturn void show_help(const struct tool *tool, bool all)
{
	struct out out;
	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	out_printf(&out, "usage: %s%s%s%s %s\n\n%s\n", tool->name,
		   tool->command ? " " : "",
		   tool->command ? tool->command : "",
		   tool->commands ? "" : " [OPTION...]", tool->operands,
		   tool->summary);
	show_options(&out, tool, all);
	if (tool->examples && tool->examples[0])
		out_text(&out, "\nExamples:\n");
	for (const char *const *e = tool->examples; e && *e; e += 2)
		out_printf(&out, "  %s\n      %s\n", e[0], e[1]);
	out_printf(&out, "\nExit status: %s\nManual: man %s\n",
		   tool->exit_status, tool->name);
	out_fini(&out);
	exit(STATUS_DONE);
}

static _Noreturn void show_version(const struct tool *tool)
{
	struct out out;
	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	out_printf(&out,
		   "%s (gsym) %s\n"
		   "Licence MIT: free to use, change and share, without any "
		   "warranty.\n",
		   tool->name, PACKAGE_VERSION);
	out_fini(&out);
	exit(STATUS_DONE);
}

static void keep_shared(const struct options *options, int id)
{
	static const char *const modes[] = { "on", "try", NULL };
	const char *value = options->value;

	switch (id) {
	case ID_SANDBOX:
		sandbox_ask(!*value || options_choice(options, modes) == 0
				    ? SANDBOX_ON
				    : SANDBOX_TRY);
		break;
	case ID_QUIET:
		report_set_quiet();
		break;
	case ID_HELP:
		if (*value && strcmp(value, "all") != 0)
			die_usage("'%s' is not all: --help=all", value);
		show_help(options->tool, *value);
	case ID_VERSION:
		show_version(options->tool);
	}
}

/* ---- unknown options ----------------------------------------------------- */

/* The long option of TOOL that was probably meant by the LENGTH bytes at TEXT,
 * an unknown option: one that begins with TEXT, or differs from it in few
 * characters.  NULL if there is none. */
static const struct option_spec *nearest(const struct tool *tool,
					 const char *text, size_t length)
{
	struct walk w = walk_start(tool, true);
	const struct option_spec *best = NULL, *spec;
	size_t changes = length / 3 + 1;

	if (length < 2)
		return NULL;
	while ((spec = walk_next(&w))) {
		if (!spec->name)
			continue;
		if (strncmp(spec->name, text, length) == 0)
			return spec;
		if (names_nearer(text, length, spec->name, &changes))
			best = spec;
	}
	return best;
}

/* Report an unknown option: DASHES, and the LENGTH bytes at TEXT. */
static _Noreturn void refuse(const struct tool *tool, const char *dashes,
			     const char *text, size_t length)
{
	const struct option_peer *peer = tool->peers;
	const struct option_spec *near;

	for (; peer && peer->name; peer++)
		if (strlen(peer->name) == length &&
		    (length == 1) == (strlen(dashes) == 1) &&
		    strncmp(peer->name, text, length) == 0)
			die_usage("unknown option '%s%.*s': %s", dashes,
				  (int)length, text, peer->instead);
	near = strlen(dashes) == 2 ? nearest(tool, text, length) : NULL;
	if (near)
		die_usage("unknown option '--%.*s': did you mean '--%s'?",
			  (int)length, text, near->name);
	die_usage("unknown option '%s%.*s'", dashes, (int)length, text);
}

/* ---- parsing ------------------------------------------------------------- */

/* The long option of TOOL whose name is the LENGTH bytes at TEXT; NULL if there
 * is none.  *GROUP becomes its group, or NULL.  Only --help and --version may
 * be abbreviated.  Other abbreviations may be options of other tools: --base
 * must not mean --basenames. */
static const struct option_spec *find_long(const struct tool *tool,
					   const char *text, size_t length,
					   const struct option_group **group)
{
	struct walk w = walk_start(tool, true);
	const struct option_spec *spec, *basic = NULL;
	unsigned fitting = 0;

	while ((spec = walk_next(&w))) {
		if (!spec->name || strncmp(spec->name, text, length) != 0)
			continue;
		*group = w.group;
		if (!spec->name[length])
			return spec;
		fitting++;
		if (is_basic(&w, spec))
			basic = spec;
	}
	return fitting == 1 ? basic : NULL;
}

static const struct option_spec *find_short(const struct tool *tool,
					    char letter,
					    const struct option_group **group)
{
	struct walk w = walk_start(tool, true);
	const struct option_spec *spec;

	while ((spec = walk_next(&w)) &&
	       !(spec->name && spec->letter == letter))
		;
	*group = w.group;
	return spec;
}

bool options_takes_next(const struct tool *tool, const char *argument)
{
	const struct option_group *group;
	const struct option_spec *spec;
	size_t length = strlen(argument);

	if (length < 2 || argument[0] != '-')
		return false;
	spec = argument[1] == '-'
		       ? find_long(tool, argument + 2, length - 2, &group)
		       : find_short(tool, argument[length - 1], &group);
	return spec && spec->value && !may_be_left_out(spec);
}

/* Whether the value of SPEC is a path, by its placeholder.  An empty path, as
 * in --install=$UNSET, would lead to files in the root folder. */
static bool is_path(const struct option_spec *spec)
{
	static const char *const paths[] = { "FILE", "DIR", "OUT", "BINARY" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (spec->value && strcmp(spec->value, paths[i]) == 0)
			return true;
	return false;
}

void options_put(const struct option_spec *spec, void *kept, const char *value,
		 uint64_t number)
{
	void *at = (char *)kept + spec->at;

	if (spec->keep == OPTION_WRITTEN)
		*(const char **)at = value;
	else if (spec->keep == OPTION_LISTED)
		*must_push((struct option_list *)at) = value;
	else if (spec->size == sizeof(bool))
		*(bool *)at = number != 0;
	else if (spec->size == sizeof(unsigned))
		*(unsigned *)at = (unsigned)number;
	else
		*(uint64_t *)at = number;
}

/* The number that the current value of SPEC stands for.  Dies if the value is
 * wrong. */
static uint64_t number_of(const struct options *options,
			  const struct option_spec *spec)
{
	switch (spec->keep) {
	case OPTION_SETS:
		return spec->least;
	case OPTION_WORDED:
		if (!*options->value && may_be_left_out(spec))
			return spec->most;
		return spec->least +
		       (unsigned)options_choice(options, spec->words);
	case OPTION_COUNTED:
		return options_number(options, spec->least, spec->most)
		       << spec->shift;
	case OPTION_ADDRESSED:
		return options_address(options);
	default:
		return 0;
	}
}

/* Take the option SPEC of GROUP, or NULL, which the command line has as FORM.
 * VALUE is the value in the same argument, or NULL.  If the option needs a
 * value and VALUE is NULL, the next argument is the value.  Returns the id of
 * an option of the tool that is not kept; else 0. */
static int take_option(struct options *options, const struct option_spec *spec,
		       const struct option_group *group, const char *value,
		       const char *form)
{
	if (spec->value && !value) {
		if (may_be_left_out(spec))
			value = "";
		else if (options->at < options->argc)
			value = options->argv[options->at++];
		else
			die_usage("option '%s' needs a value", form);
	}
	if (value && !*value && is_path(spec))
		die_usage("the value of option '%s' is empty", form);
	options->value = value;
	options->name = spec->name;
	if (spec->keep)
		options_put(spec, group ? group->kept : options->kept, value,
			    number_of(options, spec));
	if (!group)
		return spec->id;
	if (spec->id)
		group->keep(options, spec->id);
	return 0;
}

/* Take the argument TEXT, a long option without its dashes; see take. */
static int take_long(struct options *options, const char *text)
{
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : NULL;
	const struct option_group *group;
	const struct option_spec *spec =
		find_long(options->tool, text, length, &group);
	char form[80];

	if (!spec)
		refuse(options->tool, "--", text, length);
	if (value && !spec->value)
		die_usage("option '--%s' takes no value", spec->name);
	snprintf(form, sizeof(form), "--%s", spec->name);
	return take_option(options, spec, group, value, form);
}

/* Take the next of the short options in one argument; see take. */
static int take_short(struct options *options)
{
	const char *letter = options->letters++, *value = NULL;
	const struct option_group *group;
	const struct option_spec *spec =
		find_short(options->tool, *letter, &group);
	char form[] = { '-', *letter, 0 };

	if (!spec)
		refuse(options->tool, "-", letter, 1);
	if (spec->value && *options->letters) {
		value = options->letters;
		options->letters = NULL;
	}
	return take_option(options, spec, group, value, form);
}

static int take_argument(struct options *options)
{
	const char *text = options->argv[options->at++];

	if (options->operands_only || text[0] != '-' || !text[1]) {
		options->operands[options->operand_count++] = text;
		options->operands_only |= options->posix;
	} else if (text[1] != '-') {
		options->letters = text + 1;
	} else if (text[2]) {
		return take_long(options, text + 2);
	} else {
		options->operands_only = true;
	}
	return 0;
}

int options_next(struct options *options)
{
	int id = 0;

	while (!id) {
		if (options->letters && *options->letters)
			id = take_short(options);
		else if (options->at < options->argc)
			id = take_argument(options);
		else
			break;
	}
	if (id)
		return id;
	if (options->operand == options->operand_count)
		return OPTION_END;
	options->value = options->operands[options->operand++];
	options->name = NULL;
	return OPTION_OPERAND;
}

uint64_t options_number(const struct options *options, uint64_t lowest,
			uint64_t highest)
{
	uint64_t value;
	enum number_result result = number_parse(
		options->value, strlen(options->value), &value);
	if (result == NUMBER_BARE)
		die_usage("'%s' is not a value for --%s: hexadecimal needs 0x "
			  "in front", options->value, options->name);
	if (result == NUMBER_RANGE ||
	    (result == NUMBER_OK && (value < lowest || value > highest)))
		die_usage("'%s' is not a value for --%s: it has to be from "
			  "%" PRIu64 " to %" PRIu64, options->value,
			  options->name, lowest, highest);
	if (result != NUMBER_OK)
		die_usage("'%s' is not a value for --%s: it has to be a number",
			  options->value, options->name);
	return value;
}

uint64_t options_address(const struct options *options)
{
	uint64_t value;
	enum number_result result = number_parse_address(
		options->value, strlen(options->value), false, &value);

	if (result != NUMBER_OK)
		die_usage("'%s' is not a value for --%s: %s", options->value,
			  options->name, number_problem(result));
	return value;
}

int options_choice(const struct options *options, const char *const *choices)
{
	char list[512] = "";
	for (int i = 0; choices[i]; i++) {
		if (strcmp(options->value, choices[i]) == 0)
			return i;
		size_t used = strlen(list);
		snprintf(list + used, sizeof(list) - used, "%s%s",
			 i == 0 ? "" : choices[i + 1] ? ", " : " or ",
			 choices[i]);
	}
	die_usage("'%s' is not a value for --%s: it has to be %s",
		  options->value, options->name, list);
}

void options_check_path_maps(const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!gsym_path_map_valid(list->items[i]))
			die_usage("--path-prefix-map: '%s' is not OLD=NEW or "
				  "auto", list->items[i]);
}
