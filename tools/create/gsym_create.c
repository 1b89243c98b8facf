/* SPDX-License-Identifier: MIT */
/*
 * gsym-create - convert the debug info and symbols of a program to a GSYM
 * file.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/debuginfod.h"
#include "common/options.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "create/create.h"
#include "second/second.h"

/* ---- the command line ---------------------------------------------------- */

/* The options that take_option keeps. */
enum {
	OPT_SECTION_BASE = 1,
	OPT_ONLY_FOR,
	OPT_MANIFEST,
	OPT_REQUIRE,
};

/* The words that options take. */
static const char *const formats[] = { "v1", "v2", NULL };
static const char *const orders[] = { "little", "big", NULL };
static const char *const sources[] = { "best", "go", "breakpad",
					   "symbols", NULL };
static const char *const readers[] = { "own", "libdwarf", NULL };
static const char *const when[] = { "better", "always", "never", NULL };

/* Rows of options that are kept in the MEMBER of struct create, as the macros
 * OPTION_... of common/options.h say.  VALUE is the placeholder in the help. */
#define FLAG(letter, name, member, help) \
	{ 0, letter, name, NULL, help, OPTION_FLAG(struct create, member) }
#define TEXT(letter, name, value, member, help) \
	{ 0, letter, name, value, help, OPTION_TEXT(struct create, member) }
#define LIST(name, value, member, help) \
	{ 0, 0, name, value, help, OPTION_LIST(struct create, member) }
#define WORD(name, value, member, list, first, help) \
	{ 0, 0, name, value, help, \
	  OPTION_WORD(struct create, member, list, first) }
#define NUMBER(letter, name, value, member, least, most, help) \
	{ 0, letter, name, value, help, \
	  OPTION_NUMBER(struct create, member, least, most) }
#define MIB(name, member, help) \
	{ 0, 0, name, "MIB", help, \
	  OPTION_NUMBER(struct create, member, 1, 1u << 30), .shift = 20 }

static const struct option_spec create_options[] = {
	{ .help = "Output" },
	TEXT('o', "out-file", "OUT", output,
	     "write to OUT instead of INPUT.gsym; '-' is\n"
	     "standard output"),
	WORD("format", "VERSION", build.version, formats, 1,
	     "version of the GSYM format: v1 (the default), or\n"
	     "v2, which has no limit of 4 GiB, is read by LLVM\n"
	     "from 23 on, and is unknown to LLVM 22"),
	WORD("endian", "ORDER", order, orders, 1,
	     "byte order: little or big; default: that of INPUT"),
	NUMBER(0, "segment-size", "BYTES", segment_size, 0, UINT64_MAX,
	       "divide the functions among files of at most BYTES,\n"
	       "each a complete GSYM file: OUT-0xADDRESS, where\n"
	       "ADDRESS is that of its first function"),
	FLAG(0, "checksum", build.checksum,
	     "append a checksum: gsym-dump --verify compares it,\n"
	     "other readers of GSYM ignore it"),
	TEXT(0, "embed", "BINARY", embed,
	     "write a copy of the ELF file BINARY with the data\n"
	     "as section .gsym to OUT, or else let BINARY have\n"
	     "it; INPUT is BINARY if it is left out"),
	TEXT(0, "install", "DIR", install,
	     "write DIR/.build-id/hh/rest.debug.gsym by build\n"
	     "ID, and rest.debug with the symbols, which\n"
	     "llvm-symbolizer needs, unless they exist and are\n"
	     "not worse"),
	WORD("replace", "WHEN", replace, when, 0,
	     "with --install: replace a file by a better one\n"
	     "(the default), always, or never"),
	FLAG(0, "no-stub", no_stub, "with --install: write no rest.debug"),
	TEXT(0, "release", "REL", release,
	     "with --install, for a kernel and its modules: also\n"
	     "link DIR/by-release/REL/NAME.gsym, for gsym-markup"),
	FLAG('r', "recursive", recursive,
	     "convert all programs in the folder INPUT; needs\n"
	     "--output-dir or --install"),
	TEXT(0, "files-from", "FILE", files_from,
	     "with --recursive --install or --identify, instead\n"
	     "of INPUT: the files whose names are the lines of\n"
	     "FILE; '-' is standard input"),
	FLAG('0', "null", null_names,
	     "with --files-from: NUL bytes end the names"),
	TEXT(0, "output-dir", "DIR", output_dir,
	     "with --recursive: write DIR/NAME.gsym for each\n"
	     "file INPUT/NAME"),
	{ .help = "Conversion" },
	FLAG(0, "merged-functions", convert.merged_functions,
	     "if several functions share an address range, keep\n"
	     "all: one answers, the others are merged with it"),
	FLAG(0, "no-lines", build.no_lines,
	     "leave lines and files out: names alone"),
	FLAG(0, "no-inlines", build.no_inlines, "leave inlined calls out"),
	OPTION_PATH_MAPS(struct create, path_maps),
	FLAG(0, "no-plt", convert.no_plt,
	     "leave the names of stubs out: puts@plt"),
	FLAG(0, "dwarf-callsites", convert.call_sites,
	     "keep the call sites of the debug info"),
	TEXT(0, "callsites-yaml-file", "FILE", yaml,
	     "add the call sites listed in FILE"),
	FLAG(0, "data-symbols", convert.data_symbols,
	     "keep variables, so that addresses of data can be\n"
	     "looked up"),
	FLAG(0, "eh-frame", convert.eh_frame,
	     "of an ELF program without debug info, keep also\n"
	     "functions without a name: .eh_frame says where\n"
	     "each begins and ends"),
	NUMBER('j', "num-threads", "N", threads, 1, GSYM_THREADS_MAX,
	       "use N threads; default: one for each processor\n"
	       "that is idle, or for which make's jobserver has a\n"
	       "token.  The output does not depend on N"),
	WORD("reader", "WHICH", reader, readers, 0,
	     "the reader of DWARF: own (the default) or\n"
	     "libdwarf, which takes longer"),
	WORD("from", "SOURCE", convert.from, sources, 0,
	     "best (the default): where both have a function,\n"
	     "take it from the DWARF; go: take it from the\n"
	     "table of the Go runtime; breakpad: INPUT is a\n"
	     "Breakpad file, even if it does not begin with a\n"
	     "MODULE record"),
	{ OPT_SECTION_BASE, 0, "section-base", "NAME=ADDRESS",
	  "the section NAME of INPUT, a relocatable object,\n"
	  "is at ADDRESS; repeatable",
	  OPTION_BY_ID },
	{ OPT_ONLY_FOR, 0, "only-for", "ADDRESS",
	  "convert only what ADDRESS needs, where that is\n"
	  "possible: OUT may lack every other address;\n"
	  "repeatable, up to 64 times",
	  OPTION_BY_ID },
	{ 0, 0, "base", "ADDRESS",
	  "add ADDRESS to the addresses of INPUT, a Breakpad\n"
	  "file, which count from the load address",
	  OPTION_ADDRESS(struct create, convert.base) },
	TEXT(0, "program", "FILE", convert.program_file,
	     "INPUT is the Breakpad file of the program FILE:\n"
	     "add the address that FILE was linked at, and leave\n"
	     "out functions that are not in its code"),
	LIST("arch", "ARCH", archs,
	     "of a universal Mach-O file, convert the program\n"
	     "for ARCH (x86_64, arm64, ..., or the number of a\n"
	     "CPU type); repeatable.  Default: all; if they are\n"
	     "several, each is written to OUT.ARCH"),
	FLAG(0, "strict", strict,
	     "damage in INPUT, a missing file and no debug info\n"
	     "are errors, not warnings"),
	MIB("max-size", max_size,
	    "it is an error if the GSYM data are larger"),
	{ OPT_REQUIRE, 0, "require", "WHAT",
	  "it is an error if debug-info, lines, inlines,\n"
	  "symbols or build-id is missing, or a file with\n"
	  "debug info; several with commas",
	  OPTION_BY_ID },
	{ .help = "Other files" },
	TEXT(0, "debug-file", "FILE", convert.debug_file,
	     "read the debug info from FILE, because INPUT has\n"
	     "none; default: search for the debug file"),
	LIST("debug-file-directory", "[DIR]", directories,
	     "search for debug files in DIR instead of\n"
	     "/usr/lib/debug; repeatable"),
	FLAG(0, "debuginfod", debuginfod,
	     "ask the servers in DEBUGINFOD_URLS for a debug\n"
	     "file that was not found"),
	FLAG(0, "own-files", convert.own_files,
	     "read no program and no debug file that belongs to\n"
	     "another user than you or root"),
	TEXT(0, "dwp", "FILE", convert.package,
	     "read split units from the package FILE; default:\n"
	     "from INPUT.dwp, if it exists, and .dwo files"),
	TEXT(0, "oso-prepend-path", "DIR", convert.object_prefix,
	     "put DIR before the paths of objects in the debug\n"
	     "map of INPUT, a Mach-O program without debug info"),
	TEXT(0, "symtab-file", "FILE", convert.symtab_file,
	     "read symbols and build ID from FILE"),
	TEXT(0, "stubs-file", "FILE", convert.stubs_file,
	     "take the names of stubs, which dSYM files lack,\n"
	     "from the Mach-O program FILE"),
	{ .help = "Checks" },
	FLAG(0, "verify", verify,
	     "read INPUT a second time, with libdwarf, and report\n"
	     "all differences; exit 1 if there are any"),
	{ .help = "Protection from hostile input" },
	MIB("max-memory", max_memory,
	    "end with an error instead of taking more memory;\n"
	    "mapped files do not count"),
	TEXT(0, "temporary-directory", "DIR", temporary_directory,
	     "keep names and lines in an unnamed file in DIR, not\n"
	     "in memory"),
	NUMBER(0, "max-time", "SECONDS", max_time, 1, UINT32_MAX,
	       "end with an error when the time is over"),
	{ .help = "Reports" },
	FLAG(0, "identify", identify,
	     "convert nothing: write build ID, architecture and\n"
	     "contents of each INPUT as a line of JSON"),
	FLAG(0, "json", json,
	     "write the summary, or the failure, as JSON to\n"
	     "standard output"),
	TEXT(0, "depfile", "[=FILE]", depfile,
	     "write what OUT was made of to FILE, or OUT.d, for\n"
	     "make and Ninja; the same as -MF FILE and -MD"),
	{ OPT_MANIFEST, 0, "manifest", "FILE",
	  "append a JSON object for each input to FILE, when\n"
	  "its conversion ends",
	  OPTION_BY_ID },
	FLAG('v', "verbose", verbose,
	     "show every warning and difference, the files that\n"
	     "were searched for, and the times"),
	{ 0 }
};

/* Options of addr2line, llvm-symbolizer and llvm-gsymutil. */
#define OPERAND "INPUT is an operand: gsym-create INPUT"
#define LOOKUP "'gsym-lookup FILE ADDRESS...' looks up addresses"
static const struct option_peer create_peers[] = {
	{ "convert", OPERAND },
	{ "dsym", OPERAND },
	{ "e", OPERAND },
	{ "exe", OPERAND },
	{ "obj", OPERAND },
	{ "output", "--out-file=OUT names the output" },
	{ "address", LOOKUP },
	{ "addresses", LOOKUP },
	{ "addresses-from-stdin", LOOKUP },
	{ "lookup", LOOKUP },
	{ 0 }
};

static const char *const create_examples[] = {
	"gsym-create prog",
	"write prog.gsym",
	"gsym-create -o libc.gsym /usr/lib/debug/.build-id/8f/...debug",
	"convert a separate debug file",
	"gsym-create --verify --json prog",
	"check the result, and report as JSON",
	"curl ... | gsym-create -o app.gsym -",
	"convert a Breakpad file, also a compressed one, from a pipe",
	NULL
};

static const struct tool create_tool = {
	.name = "gsym-create",
	.operands = "INPUT",
	.summary = "Convert the debug info and symbols of INPUT (an ELF, "
		   "Mach-O, PE, WebAssembly or\nPlan 9 program, library, "
		   "object or debug file, a dSYM folder, or a Breakpad .sym\n"
		   "file) to a GSYM file, for gsym-lookup and everything else "
		   "that reads GSYM.",
	.options = create_options,
	.peers = create_peers,
	.examples = create_examples,
	.exit_status = "0 OUT was written, or --install linked a program "
		       "without\nfunctions to the file that is installed; "
		       "1 OUT was written, but --verify found a\ndifference; "
		       "2 error (OUT is unchanged, unless only the summary of "
		       "--json\ncould not be written).",
};

/* Add TEXT, a value NAME=ADDRESS of --section-base.  NAME may contain '='. */
static void add_section_base(struct create *create, const char *text)
{
	const char *equals = strrchr(text, '=');
	if (!equals || equals == text)
		die_usage("'%s' is not NAME=ADDRESS", text);
	struct gsym_section_base *base = must_push(&create->section_bases);
	base->name = must_have(strndup(text, (size_t)(equals - text)));
	enum number_result result = number_parse_address(
		equals + 1, strlen(equals + 1), false, &base->address);
	if (result != NUMBER_OK)
		die_usage("'%s' is %s", equals + 1, number_problem(result));
}

static void parse_end(struct create *create, struct options *options)
{
	for (size_t i = 0; i < create->section_bases.count; i++)
		free((char *)create->section_bases.items[i].name);
	gsym_vec_fini(&create->section_bases);
	gsym_vec_fini(&create->archs);
	gsym_vec_fini(&create->path_maps);
	gsym_vec_fini(&create->addresses);
	free(create->installed);
	free(create->automatic);
	gsym_vec_fini(&create->directories);
	debuginfod_free(create->client);
	if (create->manifest >= 0)
		close(create->manifest);
	create_end_depfile(create);
	options_fini(options);
}

static void check_recursive(const struct create *create)
{
	if ((create->output_dir != NULL) + (create->install != NULL) != 1)
		die_usage("--recursive needs --output-dir or --install");
	if (create->output || create->embed || create->segment_size ||
	    create->yaml || create->convert.debug_file ||
	    create->convert.symtab_file || create->convert.stubs_file ||
	    create->depfile || create->section_bases.count ||
	    create->archs.count || create->addresses.count ||
	    create->convert.base || create->convert.program_file)
		die_usage("--recursive cannot be used with options for a "
			  "single file");
}

static void check_output(const struct create *create)
{
	bool to_stdout = create->output && strcmp(create->output, "-") == 0;

	if (create->depfile && !*create->depfile &&
	    (create->install || to_stdout))
		die_usage("--depfile needs a FILE with --install and standard "
			  "output");
	if (create->addresses.count && (create->embed || create->install))
		die_usage("--only-for makes a file that lacks functions: it "
			  "cannot be used with --embed and --install");
	if (create->release && !create->install)
		die_usage("--release needs --install");
	if (create->release && !path_is_release(create->release))
		die_usage("'%s' is not a release of a kernel", create->release);
	if (create->install && create->output)
		die_usage("--install and --out-file contradict each other");
	if ((create->embed != NULL) + (create->install != NULL) +
		    (create->segment_size != 0) >
	    1)
		die_usage("--embed, --install and --segment-size contradict "
			  "each other");
	if (create->replace != REPLACE_BETTER && !create->install)
		die_usage("--replace needs --install");
	if (create->no_stub && !create->install)
		die_usage("--no-stub needs --install");
	if (create->segment_size && to_stdout)
		die_usage("segments cannot go to standard output");
	if (create->json && to_stdout)
		die_usage("--json and the output cannot both go to standard "
			  "output");
}

static void check_options(const struct create *create)
{
	bool from_stdin =
		strcmp(create->input, "-") == 0 && !create->files_from;

	if (create->files_from && !(create->recursive && create->install))
		die_usage("--files-from needs --identify, or --recursive and "
			  "--install");
	if (create->null_names && !create->files_from)
		die_usage("--null needs --files-from");
	if (from_stdin && !create->output)
		die_usage("standard input needs --out-file");
	if (from_stdin && create->verify)
		die_usage("--verify cannot read standard input a second time");
	if (report_is_quiet() && create->verbose)
		die_usage("--quiet and --verbose contradict each other");
	if (create->output_dir && !create->recursive)
		die_usage("--output-dir needs --recursive");
	if (create->recursive)
		check_recursive(create);
	if (!gsym_second_convert &&
	    (create->verify || create->reader == READER_LIBDWARF))
		die("there is no second reader of DWARF: gsym-create was built "
		    "without libdwarf");
	if (sandbox_asked() && create->debuginfod)
		die_usage("--sandbox has no network, so it cannot be used with "
			  "--debuginfod");
	if (create->convert.program_file && create->convert.base)
		die_usage("--program and --base contradict each other");
	options_check_path_maps(&create->path_maps);
	check_output(create);
}

/* Open the file PATH of --manifest.  Each line is appended in one write, so
 * that several processes can share the file. */
static void open_manifest(struct create *create, const char *path)
{
	if (create->manifest >= 0)
		close(create->manifest);
	create->manifest =
		open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (create->manifest < 0)
		die("cannot write '%s': %s", path, strerror(errno));
}

/* Keep the option ID, which needs more than its row says. */
static void take_option(struct create *create, int id,
			const struct options *options)
{
	switch (id) {
	case OPT_MANIFEST:
		open_manifest(create, options->value);
		break;
	case OPT_REQUIRE:
		create->require |= create_parse_require(options->value);
		break;
	case OPT_SECTION_BASE:
		add_section_base(create, options->value);
		break;
	case OPT_ONLY_FOR:
		if (create->addresses.count == GSYM_CONVERT_ADDRESSES)
			die_usage("--only-for is given more than %d times",
				  GSYM_CONVERT_ADDRESSES);
		*must_push(&create->addresses) = options_address(options);
		break;
	}
}

static void drop_empty(struct option_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (*list->items[i])
			list->items[kept++] = list->items[i];
	list->count = kept;
}

/* Parse the command line into CREATE.  Its strings are valid until parse_end.
 * Dies if options are wrong or contradict each other. */
static void parse(struct create *create, struct options *options, int argc,
		  char **argv)
{
	int id;

	options_init(options, &create_tool, create, argc, argv);
	while ((id = options_next(options)) > 0)
		take_option(create, id, options);
	drop_empty(&create->directories);
	if (id == OPTION_END && !create->files_from && !create->embed)
		die_usage("no INPUT is given");
	create->input = id != OPTION_END	? options->value
			: create->files_from ? create->files_from
					     : create->embed;
	if (create->identify) {
		while (options_next(options) != OPTION_END)
			;
		create->inputs = options->operands;
		create->input_count = options->operand_count;
		return;
	}
	if (id != OPTION_END &&
	    (create->files_from || options_next(options) != OPTION_END))
		die_usage("more than one INPUT is given: '%s'", options->value);
	check_options(create);
	create_report_failures(create);
	create_take_tokens(create);
}

/* ---- the tool ------------------------------------------------------------ */

/* The path of the output without --out-file: INPUT.gsym, malloc'ed.  Slashes
 * at the end of INPUT, a folder, are dropped. */
static char *default_output(const char *input)
{
	int length = (int)strlen(input);
	while (length > 1 && input[length - 1] == '/')
		length--;
	return path_print("%.*s.gsym", length, input);
}

int main(int argc, char **argv)
{
	struct create create = {
		.build.version = 1,
		.manifest = -1,
	};
	struct options options;
	char *made = NULL;

	report_start("gsym-create");
	create.start = clock_milliseconds();
	char *letters = create_depfile_letters(&argc, argv);
	parse(&create, &options, argc, argv);
	if (!create.recursive && !create.identify && !create.output)
		create.output = create.embed ? create.embed
				: (made = default_output(create.input));
	create_protect(&create);
	int status = STATUS_DONE;
	if (create.identify)
		create_identify(&create);
	else if (create.recursive)
		status = create_tree(&create);
	else
		status = create_all(&create) ? STATUS_NO : STATUS_DONE;

	free(made);
	free(letters);
	free(create.temporary);
	temporary_remove(&create.own_folder);
	parse_end(&create, &options);
	return status;
}
