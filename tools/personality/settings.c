/* SPDX-License-Identifier: MIT */
/*
 * personality/settings.c - the command lines of binutils' addr2line, and of
 * llvm-symbolizer and llvm-addr2line, which have the same options and different
 * defaults.
 */
#include "config.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/report.h"
#include "personality/personality.h"

/* ---- LLVM ---------------------------------------------------------------- */

/*
 * As in LLVM's programs, every long option may have one dash or two, a value
 * follows after '=' or is the next argument, and letters without values may be
 * joined.
 */

/* How an option takes its value. */
enum value {
	NO_VALUE,
	EQUALS,   /* NAME=VALUE alone */
	EITHER,   /* NAME=VALUE or NAME VALUE */
};

enum id {
	/* The option sets a bool of the settings, or a text to its value. */
	ID_FLAG,
	ID_TEXT,
	ID_ADJUST,
	ID_COLOUR,
	ID_CONTEXT,
	ID_EXTRA,
	ID_FUNCTIONS,
	ID_HELP,
	ID_IGNORED,
	ID_STYLE,
	ID_VERSION,
};

static const struct llvm_option {
	const char *name;
	enum value value;
	enum id id;
	/* For --help; NULL: the option is not listed. */
	const char *help;
	/* ID_FLAG and ID_TEXT: the place of the member in struct settings, and
	 * what a bool is set to. */
	size_t at;
	bool on;
} options[] = {
/* Rows of options that set MEMBER of struct settings, that go to extra_option,
 * that do nothing, and that set_option handles by ID. */
#define FLAG(name, member, on, help) \
	{ name, NO_VALUE, ID_FLAG, help, offsetof(struct settings, member), on }
#define TEXT(name, member, help) \
	{ name, EITHER, ID_TEXT, help, offsetof(struct settings, member), 0 }
#define EXTRA(name, value, help) { name, value, ID_EXTRA, help, 0, 0 }
#define IGNORED(name, value, help) { name, value, ID_IGNORED, help, 0, 0 }
#define OTHER(name, value, id, help) { name, value, id, help, 0, 0 }
	FLAG("addresses", addresses, true, "show the address"),
	OTHER("adjust-vma", EITHER, ID_ADJUST, "add this to each address"),
	FLAG("basenames", basenames, true, "files without folders"),
	TEXT("build-id", build_id, "the build ID of the program"),
	IGNORED("cache-size", EITHER, "accepted, without effect"),
	OTHER("color", NO_VALUE, ID_COLOUR, NULL),
	OTHER("color", EQUALS, ID_COLOUR,
	      "with --filter-markup: always, auto, never"),
	EXTRA("convert", NO_VALUE, "convert, whatever GSYM_CONVERT says"),
	EXTRA("convert-limit", EITHER,
	      "convert up to this many MiB of debug info"),
	EXTRA("convert-memory", EITHER,
	      "the most MiB of memory for a conversion"),
	EXTRA("convert-time", EITHER, "the most seconds for a conversion"),
	EXTRA("debug-file-directory", EITHER, "look for debug files there"),
	EXTRA("debuginfod", NO_VALUE, "ask debuginfod servers"),
	TEXT("default-arch", architecture,
	     "which one of several Mach-O programs"),
	FLAG("demangle", demangle, true, "readable names"),
	FLAG("demangle=false", demangle, false, NULL),
	FLAG("demangle=true", demangle, true, NULL),
	IGNORED("dia", NO_VALUE, NULL),
	EXTRA("disable-gsym", NO_VALUE,
	      "as if there were no GSYM data: see --fallback"),
	IGNORED("dsym-hint", EITHER, NULL),
	IGNORED("dwp", EITHER, "accepted, without effect"),
	TEXT("exe", path, "the program"),
	EXTRA("fallback", EITHER, "without GSYM data: convert, symbols, none"),
	IGNORED("fallback-debug-path", EITHER, NULL),
	EXTRA("fetch", EITHER, "have this command make GSYM files"),
	EXTRA("fetch-size", EITHER, "the most MiB that the command may write"),
	EXTRA("fetch-timeout", EITHER, "the most seconds for the command"),
	FLAG("filter-markup", filter_markup, true, "run gsym-markup"),
	OTHER("functions", NO_VALUE, ID_FUNCTIONS, "names of functions"),
	OTHER("functions", EQUALS, ID_FUNCTIONS, "none, short, linkage"),
	EXTRA("gsym-file-directory", EITHER, "look for GSYM files there"),
	OTHER("help", NO_VALUE, ID_HELP, "this text"),
	FLAG("inlines", inlines, true, "all inlined frames"),
	FLAG("inlining", inlines, true, NULL),
	FLAG("inlining=false", inlines, false, NULL),
	FLAG("inlining=true", inlines, true, NULL),
	EXTRA("no-convert", NO_VALUE, "convert nothing"),
	EXTRA("no-debuginfod", NO_VALUE, "ask no servers"),
	FLAG("no-demangle", demangle, false, "names as in the file"),
	FLAG("no-inlines", inlines, false, "the outermost frame alone"),
	IGNORED("no-untag-addresses", NO_VALUE, NULL),
	EXTRA("no-verify", NO_VALUE, "use GSYM files with another build ID"),
	TEXT("obj", path, "the program; else each line names it"),
	OTHER("output-style", EITHER, ID_STYLE, "LLVM, GNU or JSON"),
	EXTRA("path-prefix-map", EITHER,
	      "OLD=NEW: other paths of source files"),
	IGNORED("pdb", EITHER, NULL),
	FLAG("pretty-print", pretty, true, "one line a frame"),
	FLAG("print-address", addresses, true, NULL),
	OTHER("print-source-context-lines", EITHER, ID_CONTEXT,
	      "show this many lines of source code"),
	FLAG("relative-address", relative, true,
	     "addresses of a PE program count from its base"),
	IGNORED("relativenames", NO_VALUE, "accepted, without effect"),
	FLAG("skip-line-zero", skip_zero, true,
	     "for line 0, the line of the code before it"),
	IGNORED("untag-addresses", NO_VALUE, NULL),
	IGNORED("use-native-pdb-reader", NO_VALUE, NULL),
	FLAG("verbose", verbose, true, "all that is known of a line"),
	OTHER("version", NO_VALUE, ID_VERSION, "the version"),
	{ 0 }
#undef FLAG
#undef TEXT
#undef EXTRA
#undef IGNORED
#undef OTHER
};

/* Letters, which may be joined; 'e' and 'f' take values, too. */
static const struct {
	char letter;
	const char *name;
} letters[] = {
	{ 'a', "addresses" }, { 'C', "demangle" }, { 'f', "functions" },
	{ 'h', "help" },      { 'i', "inlines" },  { 'p', "pretty-print" },
	{ 's', "basenames" }, { 'v', "version" },
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

/* LLVM has no name in front of the messages that follow. */

static _Noreturn void refuse(const char *argument)
{
	report_line("error: unknown argument '%s'", argument);
	exit(1);
}

/* VALUE is not WHAT, which the option NAME wants. */
static _Noreturn void refuse_value(const char *name, const char *what,
				   const char *value)
{
	report_line("--%s=: expected a %s, but got '%s'", name, what, value);
	exit(1);
}

/* The number in VALUE, the value of the option NAME. */
static uint64_t number(const char *name, const char *value)
{
	char *end;
	uint64_t result = strtoull(value, &end, 0);
	if (gsym_digit(*value) > 9 || *end)
		refuse_value(name, "non-negative integer", value);
	return result;
}

static void check_build_id(const struct settings *s)
{
	const char *id = s->build_id;
	if (!id)
		return;
	if (!*id || id[strspn(id, "0123456789abcdefABCDEF")])
		refuse_value("build-id", "build ID", id);
	if (!s->path)
		return;
	report_line("error: cannot specify both --build-id and --obj");
	exit(1);
}

/* The index of VALUE in WORDS, which ends with NULL. */
static unsigned index_of(const char *const *words, const char *value)
{
	unsigned i = 0;

	while (words[i] && strcmp(words[i], value) != 0)
		i++;
	if (!words[i])
		refuse(value);
	return i;
}

static void set_names(struct settings *s, const char *value)
{
	static const char *const words[] = { "none", "short", "linkage", NULL };

	s->names = value ? index_of(words, value) : NAMES_LINKAGE;
}

static void set_style(struct settings *s, const char *value)
{
	static const char *const words[] = { "LLVM", "GNU", "JSON", NULL };

	s->style = index_of(words, value);
}

static void set_option(struct settings *s, const struct llvm_option *o,
		       const char *value)
{
	switch (o->id) {
	case ID_FLAG:
		*(bool *)((char *)s + o->at) = o->on;
		break;
	case ID_TEXT:
		*(const char **)((char *)s + o->at) = value;
		break;
	case ID_ADJUST:
		s->adjust = number(o->name, value);
		break;
	case ID_COLOUR:
		s->colour = value ? value : "always";
		break;
	case ID_CONTEXT:
		s->context_lines = number(o->name, value);
		break;
	case ID_EXTRA:
		extra_option(s, o->name, value);
		break;
	case ID_FUNCTIONS:
		set_names(s, value);
		break;
	case ID_HELP:
		show_help(s);
	case ID_STYLE:
		set_style(s, value);
		break;
	case ID_VERSION:
		printf("gsym-lookup %s, as %s\n", PACKAGE_VERSION,
		       s->personality == PERSONALITY_LLVM_ADDR2LINE
			       ? "llvm-addr2line"
			       : "llvm-symbolizer");
		exit(0);
	case ID_IGNORED:
		break;
	}
}

/* A walk over the arguments. */
struct walk {
	struct settings *s;
	const struct arguments *words;
	size_t at;
};

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
			set_option(w->s, o, next_value(w, argument));
			return true;
		}
		if (o->value != NO_VALUE && equals &&
		    strlen(o->name) == length &&
		    strncmp(name, o->name, length) == 0) {
			set_option(w->s, o, equals + 1);
			return true;
		}
	}
	if (o->name)
		set_option(w->s, o, NULL);
	return o->name;
}

/* The option that LETTER stands for; NULL: none. */
static const struct llvm_option *option_of(char letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].letter == letter)
			for (const struct llvm_option *o = options;; o++)
				if (strcmp(o->name, letters[i].name) == 0)
					return o;
	return NULL;
}

/* Take ARGUMENT if it is joined letters, the last of which may be e or f with a
 * value: "-fie FILE", "-e=FILE", "-eFILE", "-f=none". */
static bool take_letters(struct walk *w, const char *argument)
{
	const char *end = argument + 1;
	while (option_of(*end) && (*end != 'f' || end[1] != '='))
		end++;
	if (*end && *end != 'e' && *end != 'f')
		return false;
	for (const char *at = argument + 1; at < end; at++)
		set_option(w->s, option_of(*at), NULL);
	if (*end == 'f')
		set_names(w->s, end + 2);
	else if (*end && end[1])
		w->s->path = end + 1 + (end[1] == '=');
	else if (*end)
		w->s->path = next_value(w, argument);
	return true;
}

void settings_llvm(struct settings *s, int argc, char **argv)
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
	check_build_id(s);
}

/* ---- binutils ------------------------------------------------------------ */

enum { OPT_DEMANGLE = 256 };

/* Those of binutils alone: others would make abbreviations ambiguous. */
static const struct option gnu_options[] = {
	{ "addresses", no_argument, NULL, 'a' },
	{ "basenames", no_argument, NULL, 's' },
	{ "demangle", optional_argument, NULL, OPT_DEMANGLE },
	{ "exe", required_argument, NULL, 'e' },
	{ "functions", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "inlines", no_argument, NULL, 'i' },
	{ "no-recurse-limit", no_argument, NULL, 'r' },
	{ "no-recursion-limit", no_argument, NULL, 'r' },
	{ "pretty-print", no_argument, NULL, 'p' },
	{ "recurse-limit", no_argument, NULL, 'R' },
	{ "recursion-limit", no_argument, NULL, 'R' },
	{ "section", required_argument, NULL, 'j' },
	{ "target", required_argument, NULL, 'b' },
	{ "version", no_argument, NULL, 'v' },
	{ 0 }
};

static const char gnu_letters[] = ":ab:Ce:rRsfhHij:pvV";

/* Like addr2line's own: gperftools looks for "-i" in it, and syzkaller for
 * targets of Mach-O. */
static const char usage[] =
	"Usage: %s [option(s)] [addr(s)]\n"
	" Convert addresses into line number/file name pairs, by GSYM data.\n"
	" If no addresses are specified on the command line, they will be read "
	"from stdin\n"
	" The options are:\n"
	"  @<file>                Read options from <file>\n"
	"  -a --addresses         Show addresses\n"
	"  -b --target=<bfdname>  Accepted, without effect\n"
	"  -e --exe=<executable>  Set the input file name (default is a.out)\n"
	"  -i --inlines           Unwind inlined functions\n"
	"  -j --section=<name>    Read section-relative offsets instead of "
	"addresses\n"
	"  -p --pretty-print      Make the output easier to read for humans\n"
	"  -s --basenames         Strip directory names\n"
	"  -f --functions         Show function names\n"
	"  -C --demangle[=style]  Demangle function names\n"
	"  -R --recurse-limit     Accepted, without effect\n"
	"  -r --no-recurse-limit  Accepted, without effect\n"
	"     --gsym-file-directory=<dir>\n"
	"                         Look for GSYM files in <dir>\n"
	"     --debug-file-directory=<dir>\n"
	"                         Look for debug files in <dir>\n"
	"     --no-verify         Use GSYM files with another build ID\n"
	"     --debuginfod        Ask debuginfod servers\n"
	"     --no-debuginfod     Ask no servers (the default)\n"
	"     --fetch=<command>   Have <command> make GSYM files\n"
	"     --fetch-timeout=<n> Let <command> run for <n> seconds\n"
	"     --fetch-size=<n>    Let <command> write <n> MiB\n"
	"     --fallback=<list>   Without GSYM data: convert, symbols, "
	"none\n"
	"     --convert-limit=<n> Convert up to <n> MiB of debug info\n"
	"     --convert-time=<n>  Convert for up to <n> seconds\n"
	"     --convert-memory=<n>\n"
	"                         Convert with up to <n> MiB of memory\n"
	"     --convert           Convert, whatever GSYM_CONVERT says\n"
	"     --no-convert        Convert nothing\n"
	"     --disable-gsym      As if there were no GSYM data\n"
	"     --llvm              Answer in the form of llvm-symbolizer\n"
	"     --all               Answer for all addresses that have a line\n"
	"     --sup=<file>        Accepted, without effect\n"
	"  -h --help              Display this information\n"
	"  -v --version           Display the program's version\n"
	"\n"
	"%s: supported targets: elf pei mach-o-x86-64 mach-o-arm64\n"
	"This is gsym-lookup.  Manual: man gsym-addr2line\n";

static void check_style(const char *style)
{
	static const char *const styles[] = { "none",	"auto", "gnu-v3",
					      "java",	"gnat", "dlang",
					      "rust",	NULL };
	size_t i = 0;
	while (styles[i] && strcmp(style, styles[i]) != 0)
		i++;
	if (!styles[i])
		extra_die("unknown demangling style `%s'", style);
}

static void gnu_take(struct settings *s, int letter)
{
	switch (letter) {
	case 'b': /* the format of the file shows by itself */
	case 'r':
	case 'R':
		break;
	case OPT_DEMANGLE:
		if (optarg)
			check_style(optarg);
		s->demangle = !optarg || strcmp(optarg, "none") != 0;
		break;
	case 'e':
		s->path = optarg;
		break;
	case 'j':
		s->section = optarg;
		break;
	case 'h':
	case 'H':
		printf(usage, s->program, s->program);
		exit(0);
	case 'v':
	case 'V':
		printf("gsym-lookup %s, as addr2line\n", PACKAGE_VERSION);
		exit(0);
	default: /* the other letters mean what they mean to LLVM */
		set_option(s, option_of((char)letter), NULL);
	}
}

/* Options of the addr2line of Rust's crate of that name.  Converting finds the
 * supplementary file by its build ID.  VALUE is the text after '=', or NULL. */
static bool take_crate(struct settings *s, const char *name, const char *value)
{
	if (!value && strcmp(name, "llvm") == 0)
		s->style = STYLE_LLVM;
	else if (!value && strcmp(name, "all") == 0)
		s->all = true;
	else
		return value && strcmp(name, "sup") == 0;
	return true;
}

static bool take_other(struct settings *s, const char *name, const char *value)
{
	return extra_option(s, name, value) || take_crate(s, name, value);
}

/* Take the word that getopt_long did not know if it is an option that all
 * personalities have, or one of the crate: NAME=VALUE, NAME VALUE or NAME. */
static bool take_extra(struct settings *s)
{
	char *word = s->words.items[optind - 1];
	char *next = s->words.items[optind];
	char *equals = strchr(word, '=');
	/* OPTOPT is 0 after a long option that is not known. */
	if (optopt)
		return false;
	if (equals)
		*equals = 0;
	if (take_other(s, word + 2, equals ? equals + 1 : NULL))
		return true;
	if (equals)
		*equals = '=';
	if (equals || !next || !take_other(s, word + 2, next))
		return false;
	optind++;
	return true;
}

/* Refuse the option that getopt_long returned '?' or ':' for. */
static _Noreturn void gnu_refuse(const struct settings *s, int letter)
{
	const char *word = s->words.items[optind - 1];
	if (letter == ':')
		warn("option requires an argument -- '%c'", optopt);
	else if (!optopt)
		warn("unrecognized or ambiguous option '%s'", word);
	else if (optopt > 255 || strchr(gnu_letters, optopt))
		warn("option '%s' takes no argument", word);
	else
		warn("invalid option -- '%c'", optopt);
	fprintf(stderr, usage, s->program, s->program);
	exit(1);
}

void settings_addr2line(struct settings *s, int argc, char **argv)
{
	int letter;
	for (int i = 0; i < argc; i++)
		extra_add_expanded(&s->words, argv[i]);
	s->style = STYLE_GNU;
	s->path = "a.out";
	opterr = 0;
	while ((letter = getopt_long((int)s->words.count, s->words.items,
				     gnu_letters, gnu_options,
				     NULL)) != -1)
		if (letter != '?' && letter != ':')
			gnu_take(s, letter);
		else if (letter == ':' || !take_extra(s))
			gnu_refuse(s, letter);
	s->operands = s->words.items + optind;
	s->operand_count = s->words.count - (size_t)optind;
	if (s->all && s->operand_count)
		extra_die("--all takes no addresses");
}
