/* SPDX-License-Identifier: MIT */
/* personality/addr2line.c - the command line of binutils' addr2line. */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "personality/personality.h"

enum { OPT_EXTRA = 256, OPT_DEMANGLE, OPT_RECURSE, OPT_NO_RECURSE };

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
	{ "convert-limit", required_argument, NULL, OPT_EXTRA },
	{ "debug-file-directory", required_argument, NULL, OPT_EXTRA },
	{ "debuginfod", no_argument, NULL, OPT_EXTRA },
	{ "fallback", required_argument, NULL, OPT_EXTRA },
	{ "gsym-file-directory", required_argument, NULL, OPT_EXTRA },
	{ "no-verify", no_argument, NULL, OPT_EXTRA },
	{ 0 }
};

/* Like addr2line's own: gperftools looks for "-i" in it. */
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
	"     --fallback=<list>   Without GSYM data: convert, symbols, exec, "
	"none\n"
	"     --convert-limit=<n> Convert up to <n> MiB of debug info\n"
	"  -h --help              Display this information\n"
	"  -v --version           Display the program's version\n"
	"\n"
	"This is gsym-lookup.  Manual: man gsym-addr2line\n";

static _Noreturn void refuse(const struct settings *s)
{
	fprintf(stderr, usage, s->program);
	exit(1);
}

static void check_style(const struct settings *s, const char *style)
{
	static const char *const styles[] = { "none",	"auto", "gnu-v3",
					      "java",	"gnat", "dlang",
					      "rust",	NULL };
	size_t i = 0;
	while (styles[i] && strcmp(style, styles[i]) != 0)
		i++;
	if (!styles[i])
		extra_die(s, "unknown demangling style `%s'", style);
}

/* Take the option LETTER, which getopt_long returned with INDEX. */
static void take(struct settings *s, int letter, int index)
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
			check_style(s, optarg);
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
	case OPT_EXTRA:
		extra_option(s, options[index].name, optarg);
		break;
	case 'h':
	case 'H':
		printf(usage, s->program);
		exit(0);
	case 'v':
	case 'V':
		printf("gsym-lookup %s, as addr2line\n", PACKAGE_VERSION);
		exit(0);
	default:
		refuse(s);
	}
}

void addr2line_settings(struct settings *s, int argc, char **argv)
{
	int letter, index = 0;
	for (int i = 0; i < argc; i++)
		arguments_add_expanded(&s->words, argv[i]);
	s->style = STYLE_GNU;
	s->path = "a.out";
	while ((letter = getopt_long(s->words.count, s->words.items,
				     "ab:Ce:rRsfhHij:pvV", options,
				     &index)) != -1)
		take(s, letter, index);
	s->operands = s->words.items + optind;
	s->operand_count = (size_t)(s->words.count - optind);
}
