/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/number.h"
#include "common/out.h"
#include "common/report.h"

/* getopt knows the long form of an option by LONG_BASE plus its id, and the
 * short form by its letter, so that messages can name the form that was
 * used. */
enum { LONG_BASE = 0x1000, ID_HELP = 0xf01, ID_VERSION = 0xf02 };

/* The column at which the help texts start. */
enum { HELP_COLUMN = 28 };

static const struct option_spec common_options[] = {
	{ ID_HELP, 'h', "help", NULL, "show this help, and end" },
	{ ID_VERSION, 'V', "version", NULL,
	  "show version and licence, and end" },
	{ 0 }
};

/* The option with ID. */
static const struct option_spec *spec_of(const struct options *options,
					 int id)
{
	for (const struct option_spec *s = options->tool->options;
	     s->name || s->help; s++)
		if (s->name && s->id == id)
			return s;
	for (const struct option_spec *s = common_options; s->name; s++)
		if (s->id == id)
			return s;
	return NULL;
}

/* Append the options SPECS to getopt's TABLE of *COUNT long options, and to
 * its *LETTER_COUNT LETTERS. */
static void add_options(const struct option_spec *specs,
			struct option *table, size_t *count, char *letters,
			size_t *letter_count)
{
	for (const struct option_spec *s = specs; s->name || s->help; s++) {
		if (!s->name)
			continue;
		table[(*count)++] = (struct option){
			.name = s->name,
			.has_arg = !s->value            ? no_argument
				   : s->value[0] == '[' ? optional_argument
							: required_argument,
			.val = LONG_BASE + s->id,
		};
		if (!s->letter)
			continue;
		letters[(*letter_count)++] = s->letter;
		if (s->value && s->value[0] != '[')
			letters[(*letter_count)++] = ':';
	}
}

void options_init(struct options *options, const struct tool *tool, int argc,
		  char **argv)
{
	size_t count = 3, letter_count = 1, used = 0;
	for (const struct option_spec *s = tool->options;
	     !tool->commands && (s->name || s->help); s++)
		count++;
	struct option *table = calloc(count, sizeof(*table));
	char *letters = calloc(2 * count + 2, 1);
	if (!table || !letters)
		die("out of memory");
	letters[0] = ':';
	if (!tool->commands)
		add_options(tool->options, table, &used, letters,
			    &letter_count);
	add_options(common_options, table, &used, letters, &letter_count);
	*options = (struct options){
		.tool = tool,
		.argc = argc,
		.argv = argv,
		.table = table,
		.letters = letters,
	};
	opterr = 0;
	/* 0, not 1, makes glibc forget an earlier walk. */
	optind = 0;
}

void options_fini(struct options *options)
{
	free(options->table);
	free(options->letters);
	options->table = NULL;
	options->letters = NULL;
}

/* Write the help of SPECS.  DASHES stand before each name. */
static void show_options(struct out *out, const struct option_spec *specs,
			 const char *dashes)
{
	for (const struct option_spec *s = specs; s->name || s->help; s++) {
		if (!s->name) {
			out_printf(out, "\n%s:\n", s->help);
			continue;
		}
		char head[80];
		int n = snprintf(head, sizeof(head), "  %c%c%c %s%s%s%s",
				 s->letter ? '-' : ' ',
				 s->letter ? s->letter : ' ',
				 s->letter ? ',' : ' ', dashes, s->name,
				 s->value && s->value[0] != '[' ? "=" : "",
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

static _Noreturn void show_help(const struct tool *tool)
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
	show_options(&out, tool->options, tool->commands ? "" : "--");
	out_text(&out, "\nOther:\n");
	show_options(&out, common_options, "--");
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

/* Report the argument that getopt refused with VERDICT, '?' or ':'. */
static _Noreturn void refuse(const struct options *options, int verdict)
{
	const char *text = options->argv[optind - 1];
	if (optopt >= LONG_BASE) {
		const struct option_spec *spec =
			spec_of(options, optopt - LONG_BASE);
		die_usage("option '--%s' %s", spec->name,
			  verdict == ':' ? "needs a value" : "takes no value");
	}
	if (optopt)
		die_usage(verdict == ':' ? "option '-%c' needs a value"
					 : "unknown option '-%c'",
			  optopt);

	/* The long option is unknown, or an abbreviation of several: getopt
	 * does not tell them apart. */
	size_t length = strcspn(text + 2, "="), fitting = 0;
	for (const struct option *o = options->table; o->name; o++)
		fitting += strncmp(o->name, text + 2, length) == 0;
	die_usage("%s option '--%.*s'", fitting > 1 ? "ambiguous" : "unknown",
		  (int)length, text + 2);
}

int options_next(struct options *options)
{
	if (!options->parsed) {
		int got = getopt_long(options->argc, options->argv,
				      options->letters, options->table, NULL);
		if (got == '?' || got == ':')
			refuse(options, got);
		if (got >= 0) {
			const struct option_spec *spec = NULL;
			if (got >= LONG_BASE)
				spec = spec_of(options, got - LONG_BASE);
			for (const struct option_spec *s =
				     options->tool->options;
			     !spec && (s->name || s->help); s++)
				if (s->name && s->letter == got)
					spec = s;
			for (const struct option_spec *s = common_options;
			     !spec && s->name; s++)
				if (s->letter == got)
					spec = s;
			if (spec->id == ID_HELP)
				show_help(options->tool);
			if (spec->id == ID_VERSION)
				show_version(options->tool);
			options->value =
				spec->value && !optarg ? "" : optarg;
			options->name = spec->name;
			return spec->id;
		}
		options->parsed = true;
	}
	if (optind >= options->argc)
		return OPTION_END;
	options->value = options->argv[optind++];
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
