/* SPDX-License-Identifier: MIT */
/* personality/addr2line.c - the command line of binutils' addr2line. */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "personality/personality.h"

enum { OPT_DEMANGLE = 256 };

/* Those of binutils alone: others would make abbreviations ambiguous. */
static const struct option options[] = {
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

static const char letters[] = ":ab:Ce:rRsfhHij:pvV";

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
	"     --fallback=<list>   Without GSYM data: convert, symbols, exec, "
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

/* Take the option LETTER, which getopt_long returned. */
static void take(struct settings *s, int letter)
{
	switch (letter) {
	case 'a':
		s->addresses = true;
		break;
	case 'b': /* the format of the file shows by itself */
	case 'r':
	case 'R':
		break;
	case 'C':
		s->demangle = true;
		break;
	case OPT_DEMANGLE:
		if (optarg)
			check_style(optarg);
		s->demangle = !optarg || strcmp(optarg, "none") != 0;
		break;
	case 'e':
		s->path = optarg;
		break;
	case 'f':
		s->names = NAMES_LINKAGE;
		break;
	case 'i':
		s->inlines = true;
		break;
	case 'j':
		s->section = optarg;
		break;
	case 'p':
		s->pretty = true;
		break;
	case 's':
		s->basenames = true;
		break;
	case 'h':
	case 'H':
		printf(usage, s->program, s->program);
		exit(0);
	case 'v':
	case 'V':
		printf("gsym-lookup %s, as addr2line\n", PACKAGE_VERSION);
		exit(0);
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
static _Noreturn void refuse(const struct settings *s, int letter)
{
	const char *word = s->words.items[optind - 1];
	if (letter == ':')
		warn("option requires an argument -- '%c'", optopt);
	else if (!optopt)
		warn("unrecognized or ambiguous option '%s'", word);
	else if (optopt > 255 || strchr(letters, optopt))
		warn("option '%s' takes no argument", word);
	else
		warn("invalid option -- '%c'", optopt);
	fprintf(stderr, usage, s->program, s->program);
	exit(1);
}

void addr2line_settings(struct settings *s, int argc, char **argv)
{
	int letter;
	for (int i = 0; i < argc; i++)
		extra_add_expanded(&s->words, argv[i]);
	s->style = STYLE_GNU;
	s->path = "a.out";
	opterr = 0;
	while ((letter = getopt_long((int)s->words.count, s->words.items,
				     letters, options, NULL)) != -1)
		if (letter != '?' && letter != ':')
			take(s, letter);
		else if (letter == ':' || !take_extra(s))
			refuse(s, letter);
	s->operands = s->words.items + optind;
	s->operand_count = s->words.count - (size_t)optind;
	if (s->all && s->operand_count)
		extra_die("--all takes no addresses");
}
