/* SPDX-License-Identifier: MIT */
/* Parses command lines, and prints the help of a tool. */
#include "config.h"

#include "common/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/number.h"
#include "common/out.h"
#include "common/report.h"

enum { ID_HELP = 0xf01, ID_VERSION = 0xf02 };

/* The column at which the help texts start. */
enum { HELP_COLUMN = 28 };

static const char version_help[] = "show version and licence, and end";

static const struct option_spec common_options[] = {
	{ ID_HELP, 'h', "help", NULL, "show this help, and end" },
	{ ID_VERSION, 'V', "version", NULL, version_help },
	{ 0 }
};

/* Of tools whose --help leaves out options. */
static const struct option_spec common_of_many[] = {
	{ ID_HELP, 'h', "help", "[=all]", "show this help, or all options" },
	{ ID_VERSION, 'V', "version", NULL, version_help },
	{ 0 }
};

static const struct option_spec *common_of(const struct tool *tool)
{
	return tool->usual ? common_of_many : common_options;
}

void options_init(struct options *options, const struct tool *tool, int argc,
		  char **argv)
{
	*options = (struct options){
		.tool = tool,
		.argc = argc,
		.argv = argv,
		.at = 1,
		.posix = getenv("POSIXLY_CORRECT") != NULL,
		.operands = calloc((size_t)argc + 1, sizeof(char *)),
	};
	if (!options->operands)
		die("out of memory");
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

/* Whether --help shows the option ID.  USUAL: the ids that it shows, or NULL
 * for all. */
static bool is_usual(const int *usual, int id)
{
	for (const int *u = usual; u; u++)
		if (!*u || *u == id)
			return *u != 0;
	return true;
}

/* Write the help of SPECS, with DASHES before each name.  USUAL: the ids of the
 * options to write, or NULL for all. */
static void show_options(struct out *out, const struct option_spec *specs,
			 const char *dashes, const int *usual)
{
	const char *heading = NULL;
	for (const struct option_spec *s = specs; s->name || s->help; s++) {
		if (!s->name) {
			heading = s->help;
			continue;
		}
		if (!is_usual(usual, s->id))
			continue;
		if (heading)
			out_printf(out, "\n%s:\n", heading);
		heading = NULL;
		char head[80];
		int n = snprintf(head, sizeof(head), "  %c%c%c %s%s%s%s",
				 s->letter ? '-' : ' ',
				 s->letter ? s->letter : ' ',
				 s->letter ? ',' : ' ', dashes, s->name,
				 s->value && !may_be_left_out(s) ? "=" : "",
				 s->value ? s->value : "");
		out_text(out, head);
		if (n >= HELP_COLUMN - 1) {
			out_text(out, "\n");
			n = 0;
		}
		for (const char *text = s->help; *text;) {
			size_t length = strcspn(text, "\n");
			out_printf(out, "%*s%.*s\n", HELP_COLUMN - n, "",
				   (int)length, text);
			text += length + (text[length] == '\n');
			n = 0;
		}
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
	/* A table that does not begin with a heading gets one. */
	if (tool->options->name)
		out_text(&out, "\nOptions:\n");
	show_options(&out, tool->options, tool->commands ? "" : "--",
		     all ? NULL : tool->usual);
	out_text(&out, "\nOther:\n");
	show_options(&out, common_of(tool), "--", NULL);
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

/* ---- unknown options ----------------------------------------------------- */

/* The option of TOOL after SPEC, or its first one if SPEC is NULL; NULL at the
 * end.  The common options come last. */
static const struct option_spec *next_spec(const struct tool *tool,
					   const struct option_spec *spec)
{
	bool common = spec && spec->id >= ID_HELP;

	if (spec)
		spec++;
	else if (tool->commands)
		return common_of(tool);
	else
		spec = tool->options;
	while (!spec->name) {
		/* A heading, or the end of a table. */
		if (spec->help) {
			spec++;
		} else if (!common) {
			spec = common_of(tool);
			common = true;
		} else {
			return NULL;
		}
	}
	return spec;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

enum { DISTANCE_MAX = 32 };

/* How many characters to insert, delete, replace, or swap with their neighbour
 * to make NAME of the LENGTH bytes at TEXT; both are shorter than
 * DISTANCE_MAX. */
static size_t distance(const char *text, size_t length, const char *name)
{
	size_t rows[3][DISTANCE_MAX], count = strlen(name);

	for (size_t k = 0; k <= count; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= length; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3];

		now[0] = i;
		for (size_t k = 1; k <= count; k++) {
			bool same = text[i - 1] == name[k - 1];

			now[k] = least(before[k - 1] + !same,
				       least(before[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && text[i - 1] == name[k - 2] &&
			    text[i - 2] == name[k - 1])
				now[k] = least(now[k],
					       rows[(i + 1) % 3][k - 2] + 1);
		}
	}
	return rows[length % 3][count];
}

/* The long option of TOOL that was probably meant by the LENGTH bytes at TEXT,
 * an unknown option: one that begins with TEXT, or differs from it in few
 * characters.  NULL if there is none. */
static const struct option_spec *nearest(const struct tool *tool,
					 const char *text, size_t length)
{
	const struct option_spec *best = NULL, *spec = NULL;
	size_t least_changes = length / 3 + 1;

	if (length < 2 || length >= DISTANCE_MAX)
		return NULL;
	while ((spec = next_spec(tool, spec))) {
		size_t changes = 0;

		if (strlen(spec->name) >= DISTANCE_MAX)
			continue;
		if (strncmp(spec->name, text, length) != 0)
			changes = distance(text, length, spec->name);
		if (changes < least_changes) {
			least_changes = changes;
			best = spec;
		}
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
 * is none.  Only --help and --version may be abbreviated.  Other abbreviations
 * may be options of other tools: --base must not mean --basenames. */
static const struct option_spec *find_long(const struct tool *tool,
					   const char *text, size_t length)
{
	const struct option_spec *spec = NULL, *common = NULL;
	unsigned fitting = 0;

	while ((spec = next_spec(tool, spec))) {
		if (strncmp(spec->name, text, length) != 0)
			continue;
		if (!spec->name[length])
			return spec;
		fitting++;
		if (spec->id >= ID_HELP)
			common = spec;
	}
	return fitting == 1 ? common : NULL;
}

static const struct option_spec *find_short(const struct tool *tool,
					    char letter)
{
	const struct option_spec *spec = NULL;

	while ((spec = next_spec(tool, spec)) && spec->letter != letter)
		;
	return spec;
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

/* Return the id of the option SPEC, which the command line has as FORM.  VALUE
 * is the value in the same argument, or NULL.  If the option needs a value and
 * VALUE is NULL, the next argument is the value. */
static int take(struct options *options, const struct option_spec *spec,
		const char *value, const char *form)
{
	if (spec->id == ID_HELP && value && strcmp(value, "all") != 0)
		die_usage("'%s' is not all: --help=all", value);
	if (spec->id == ID_HELP)
		show_help(options->tool, value);
	if (spec->id == ID_VERSION)
		show_version(options->tool);
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
	return spec->id;
}

/* Take the argument TEXT, a long option without its dashes. */
static int take_long(struct options *options, const char *text)
{
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : NULL;
	const struct option_spec *spec =
		find_long(options->tool, text, length);
	char form[80];

	if (!spec)
		refuse(options->tool, "--", text, length);
	if (value && !spec->value)
		die_usage("option '--%s' takes no value", spec->name);
	snprintf(form, sizeof(form), "--%s", spec->name);
	return take(options, spec, value, form);
}

/* Take the next of the short options in one argument. */
static int take_short(struct options *options)
{
	const char *letter = options->letters++, *value = NULL;
	const struct option_spec *spec = find_short(options->tool, *letter);
	char form[] = { '-', *letter, 0 };

	if (!spec)
		refuse(options->tool, "-", letter, 1);
	if (spec->value && *options->letters) {
		value = options->letters;
		options->letters = NULL;
	}
	return take(options, spec, value, form);
}

int options_next(struct options *options)
{
	if (options->letters && *options->letters)
		return take_short(options);
	while (options->at < options->argc) {
		const char *text = options->argv[options->at++];

		if (options->operands_only || text[0] != '-' || !text[1]) {
			options->operands[options->operand_count++] = text;
			options->operands_only |= options->posix;
		} else if (text[1] != '-') {
			options->letters = text + 1;
			return take_short(options);
		} else if (text[2]) {
			return take_long(options, text + 2);
		} else {
			options->operands_only = true;
		}
	}
	if (options->operand == options->operand_count)
		return OPTION_END;
	options->value = options->operands[options->operand++];
	options->name = NULL;
	return OPTION_OPERAND;
}

bool options_keep(const struct options *options, int id,
		  const struct option_place *places)
{
	while (places->id && places->id != id)
		places++;
	if (places->on)
		*places->on = true;
	if (places->value)
		*places->value = options->value;
	return places->id != 0;
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
	char list[256] = "";
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
