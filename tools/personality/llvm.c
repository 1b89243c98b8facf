/* SPDX-License-Identifier: MIT */
/*
 * personality/llvm.c - the command line of llvm-symbolizer and llvm-addr2line,
 * which have the same options and different defaults.
 *
 * As there, every long option may have one dash or two, a value follows after
 * '=' or is the next argument, and letters without values may be joined.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "personality/personality.h"

/* How an option takes its value. */
enum value {
	NO_VALUE,
	EQUALS,   /* NAME=VALUE alone */
	EITHER,   /* NAME=VALUE or NAME VALUE */
};

enum id {
	ID_ADDRESSES,
	ID_ADJUST,
	ID_BASENAMES,
	ID_BUILD_ID,
	ID_COLOUR,
	ID_CONTEXT,
	ID_DEMANGLE,
	ID_NO_DEMANGLE,
	ID_EXTRA,
	ID_FUNCTIONS,
	ID_HELP,
	ID_IGNORED,
	ID_INLINES,
	ID_NO_INLINES,
	ID_MARKUP,
	ID_OBJECT,
	ID_PRETTY,
	ID_RELATIVE,
	ID_SKIP_ZERO,
	ID_STYLE,
	ID_VERBOSE,
	ID_VERSION,
};

static const struct llvm_option {
	const char *name;
	enum value value;
	enum id id;
	/* For --help; NULL: the option is not listed. */
	const char *help;
} options[] = {
	{ "addresses", NO_VALUE, ID_ADDRESSES, "show the address" },
	{ "adjust-vma", EITHER, ID_ADJUST, "add this to each address" },
	{ "basenames", NO_VALUE, ID_BASENAMES, "files without folders" },
	{ "build-id", EITHER, ID_BUILD_ID, "the build ID of the program" },
	{ "cache-size", EITHER, ID_IGNORED, "accepted, without effect" },
	{ "color", NO_VALUE, ID_COLOUR, NULL },
	{ "color", EQUALS, ID_COLOUR, "with --filter-markup: always, auto, "
				      "never" },
	{ "convert", NO_VALUE, ID_EXTRA,
	  "convert, whatever GSYM_CONVERT says" },
	{ "convert-limit", EITHER, ID_EXTRA,
	  "convert up to this many MiB of debug info" },
	{ "convert-memory", EITHER, ID_EXTRA,
	  "the most MiB of memory for a conversion" },
	{ "convert-time", EITHER, ID_EXTRA,
	  "the most seconds for a conversion" },
	{ "debug-file-directory", EITHER, ID_EXTRA,
	  "look for debug files there" },
	{ "debuginfod", NO_VALUE, ID_EXTRA, "ask debuginfod servers" },
	{ "default-arch", EITHER, ID_IGNORED, "accepted, without effect" },
	{ "demangle", NO_VALUE, ID_DEMANGLE, "readable names" },
	{ "demangle=false", NO_VALUE, ID_NO_DEMANGLE, NULL },
	{ "demangle=true", NO_VALUE, ID_DEMANGLE, NULL },
	{ "dia", NO_VALUE, ID_IGNORED, NULL },
	{ "disable-gsym", NO_VALUE, ID_EXTRA,
	  "as if there were no GSYM data: see --fallback" },
	{ "dsym-hint", EITHER, ID_IGNORED, NULL },
	{ "dwp", EITHER, ID_IGNORED, "accepted, without effect" },
	{ "exe", EITHER, ID_OBJECT, "the program" },
	{ "fallback", EITHER, ID_EXTRA,
	  "without GSYM data: convert, symbols, exec, none" },
	{ "fallback-debug-path", EITHER, ID_IGNORED, NULL },
	{ "fetch", EITHER, ID_EXTRA,
	  "have this command make GSYM files" },
	{ "fetch-size", EITHER, ID_EXTRA,
	  "the most MiB that the command may write" },
	{ "fetch-timeout", EITHER, ID_EXTRA,
	  "the most seconds for the command" },
	{ "filter-markup", NO_VALUE, ID_MARKUP, "run gsym-markup" },
	{ "functions", NO_VALUE, ID_FUNCTIONS, "names of functions" },
	{ "functions", EQUALS, ID_FUNCTIONS, "none, short, linkage" },
	{ "gsym-file-directory", EITHER, ID_EXTRA,
	  "look for GSYM files there" },
	{ "help", NO_VALUE, ID_HELP, "this text" },
	{ "inlines", NO_VALUE, ID_INLINES, "all inlined frames" },
	{ "inlining", NO_VALUE, ID_INLINES, NULL },
	{ "inlining=false", NO_VALUE, ID_NO_INLINES, NULL },
	{ "inlining=true", NO_VALUE, ID_INLINES, NULL },
	{ "no-convert", NO_VALUE, ID_EXTRA, "convert nothing" },
	{ "no-debuginfod", NO_VALUE, ID_EXTRA, "ask no servers" },
	{ "no-demangle", NO_VALUE, ID_NO_DEMANGLE, "names as in the file" },
	{ "no-inlines", NO_VALUE, ID_NO_INLINES, "the outermost frame alone" },
	{ "no-untag-addresses", NO_VALUE, ID_IGNORED, NULL },
	{ "no-verify", NO_VALUE, ID_EXTRA,
	  "use GSYM files with another build ID" },
	{ "obj", EITHER, ID_OBJECT, "the program; else each line names it" },
	{ "output-style", EITHER, ID_STYLE, "LLVM, GNU or JSON" },
	{ "pretty-print", NO_VALUE, ID_PRETTY, "one line a frame" },
	{ "print-address", NO_VALUE, ID_ADDRESSES, NULL },
	{ "print-source-context-lines", EITHER, ID_CONTEXT,
	  "show this many lines of source code" },
	{ "relative-address", NO_VALUE, ID_RELATIVE,
	  "addresses count from the lowest segment" },
	{ "relativenames", NO_VALUE, ID_IGNORED, "accepted, without effect" },
	{ "skip-line-zero", NO_VALUE, ID_SKIP_ZERO,
	  "for line 0, the line of the code before it" },
	{ "use-native-pdb-reader", NO_VALUE, ID_IGNORED, NULL },
	{ "verbose", NO_VALUE, ID_VERBOSE, "all that is known of a line" },
	{ "version", NO_VALUE, ID_VERSION, "the version" },
	{ 0 }
};

/* Letters, which may be joined; 'e' and 'f' take values, too. */
static const struct {
	char letter;
	enum id id;
} letters[] = {
	{ 'a', ID_ADDRESSES }, { 'C', ID_DEMANGLE }, { 'f', ID_FUNCTIONS },
	{ 'h', ID_HELP },      { 'i', ID_INLINES },  { 'p', ID_PRETTY },
	{ 's', ID_BASENAMES }, { 'v', ID_VERSION },
};

static _Noreturn void show_help(const struct settings *s)
{
	printf("OVERVIEW: %s, by GSYM data\n\n"
	       "USAGE: %s [options] addresses...\n\nOPTIONS:\n",
	       s->program, s->program);
	for (const struct llvm_option *o = options; o->name; o++)
		if (o->help)
			printf("  --%s%-*s %s\n", o->name,
			       28 - (int)strlen(o->name),
			       o->value == NO_VALUE ? "" : "=<value>", o->help);
	puts("  -a, -C, -f, -i, -p, -s, -e <file>  as in addr2line\n"
	     "\nPass @FILE as argument to read options from FILE.\n"
	     "This is gsym-lookup.  Manual: man gsym-symbolizer");
	exit(0);
}

static _Noreturn void refuse(const char *argument)
{
	/* LLVM has no name in front of this message. */
	report_line("error: unknown argument '%s'", argument);
	exit(1);
}

/* The number in VALUE, the value of the option NAME. */
static uint64_t number(const char *name, const char *value)
{
	char *end;
	uint64_t result = strtoull(value, &end, 0);
	if (!*value || *end)
		extra_die("error: --%s=: expected an integer, but got '%s'",
			  name, value);
	return result;
}

static void set_names(struct settings *s, const char *value)
{
	if (!value || strcmp(value, "linkage") == 0)
		s->names = NAMES_LINKAGE;
	else if (strcmp(value, "short") == 0)
		s->names = NAMES_SHORT;
	else if (strcmp(value, "none") == 0)
		s->names = NAMES_NONE;
	else
		refuse(value);
}

static void set_style(struct settings *s, const char *value)
{
	if (strcmp(value, "LLVM") == 0)
		s->style = STYLE_LLVM;
	else if (strcmp(value, "GNU") == 0)
		s->style = STYLE_GNU;
	else if (strcmp(value, "JSON") == 0)
		s->style = STYLE_JSON;
	else
		refuse(value);
}

/* Options that only set a flag.  False if ID is none. */
static bool set_flag(struct settings *s, enum id id)
{
	const struct {
		enum id id;
		bool *flag, on;
	} flags[] = {
		{ ID_ADDRESSES, &s->addresses, true },
		{ ID_BASENAMES, &s->basenames, true },
		{ ID_DEMANGLE, &s->demangle, true },
		{ ID_NO_DEMANGLE, &s->demangle, false },
		{ ID_INLINES, &s->inlines, true },
		{ ID_NO_INLINES, &s->inlines, false },
		{ ID_MARKUP, &s->filter_markup, true },
		{ ID_PRETTY, &s->pretty, true },
		{ ID_RELATIVE, &s->relative, true },
		{ ID_SKIP_ZERO, &s->skip_zero, true },
		{ ID_VERBOSE, &s->verbose, true },
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].id == id) {
			*flags[i].flag = flags[i].on;
			return true;
		}
	return false;
}

/* Take the option ID, called NAME, with VALUE, which may be NULL. */
static void set_option(struct settings *s, enum id id, const char *name,
		       const char *value)
{
	if (set_flag(s, id))
		return;
	switch (id) {
	case ID_ADJUST:
		s->adjust = number(name, value);
		break;
	case ID_BUILD_ID:
		s->build_id = value;
		break;
	case ID_COLOUR:
		s->colour = value ? value : "always";
		break;
	case ID_CONTEXT:
		s->context_lines = number(name, value);
		break;
	case ID_EXTRA:
		extra_option(s, name, value);
		break;
	case ID_FUNCTIONS:
		set_names(s, value);
		break;
	case ID_HELP:
		show_help(s);
	case ID_OBJECT:
		s->path = value;
		break;
	case ID_STYLE:
		set_style(s, value);
		break;
	case ID_VERSION:
		printf("gsym-lookup %s, as %s\n", PACKAGE_VERSION,
		       s->personality == PERSONALITY_LLVM_ADDR2LINE
			       ? "llvm-addr2line"
			       : "llvm-symbolizer");
		exit(0);
	default: /* ID_IGNORED */
		break;
	}
}

/* A walk over the arguments. */
struct walk {
	struct settings *s;
	const struct arguments *words;
	size_t at;
};

/* The next argument, the value of the option ARGUMENT. */
static const char *next_value(struct walk *w, const char *argument)
{
	if (w->at + 1 >= w->words->count)
		extra_die("error: argument to '%s' is missing", argument);
	return w->words->items[++w->at];
}

/* Take ARGUMENT if it is a long option, with one dash or two. */
static bool take_long(struct walk *w, const char *argument)
{
	const char *name = argument + 1 + (argument[1] == '-');
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct llvm_option *o = options;
	for (; o->name; o++) {
		bool whole = strcmp(name, o->name) == 0;
		if (o->value == NO_VALUE && whole)
			break;
		if (o->value == EITHER && whole) {
			set_option(w->s, o->id, o->name,
				   next_value(w, argument));
			return true;
		}
		if (o->value != NO_VALUE && equals &&
		    strlen(o->name) == length &&
		    strncmp(name, o->name, length) == 0) {
			set_option(w->s, o->id, o->name, equals + 1);
			return true;
		}
	}
	if (o->name)
		set_option(w->s, o->id, o->name, NULL);
	return o->name;
}

/* The option that LETTER stands for; ID_IGNORED: none. */
static enum id id_of_letter(char letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].letter == letter)
			return letters[i].id;
	return ID_IGNORED;
}

/* Take ARGUMENT if it is joined letters, the last of which may be e or f with a
 * value: "-fie FILE", "-e=FILE", "-eFILE", "-f=none". */
static bool take_letters(struct walk *w, const char *argument)
{
	const char *end = argument + 1;
	while (id_of_letter(*end) != ID_IGNORED &&
	       (*end != 'f' || end[1] != '='))
		end++;
	if (*end && *end != 'e' && *end != 'f')
		return false;
	for (const char *at = argument + 1; at < end; at++)
		set_option(w->s, id_of_letter(*at), "", NULL);
	if (*end == 'f')
		set_names(w->s, end + 2);
	else if (*end && end[1])
		w->s->path = end + 1 + (end[1] == '=');
	else if (*end)
		w->s->path = next_value(w, argument);
	return true;
}

void llvm_settings(struct settings *s, int argc, char **argv)
{
	bool addr2line = s->personality == PERSONALITY_LLVM_ADDR2LINE;
	bool only_operands = false;
	struct arguments *words = &s->words;
	struct walk w = { s, words, 1 };

	extra_add(words, argv[0], strlen(argv[0]));
	extra_add_words(words, getenv(addr2line ? "LLVM_ADDR2LINE_OPTS"
						    : "LLVM_SYMBOLIZER_OPTS"));
	for (int i = 1; i < argc; i++)
		extra_add_expanded(words, argv[i]);
	s->style = addr2line ? STYLE_GNU : STYLE_LLVM;
	s->names = addr2line ? NAMES_NONE : NAMES_LINKAGE;
	s->demangle = s->inlines = !addr2line;
	/* The operands move to the front of the words. */
	s->operands = words->items;
	for (; w.at < words->count; w.at++) {
		char *argument = words->items[w.at];
		if (only_operands || argument[0] != '-' || !argument[1]) {
			words->items[w.at] = words->items[s->operand_count];
			words->items[s->operand_count++] = argument;
		} else if (strcmp(argument, "--") == 0) {
			only_operands = true;
		} else if (!take_long(&w, argument) &&
			   (argument[1] == '-' ||
			    !take_letters(&w, argument))) {
			refuse(argument);
		}
	}
	if (addr2line && !s->path && !s->build_id)
		s->path = "a.out";
}
