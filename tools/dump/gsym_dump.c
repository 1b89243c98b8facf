/* SPDX-License-Identifier: MIT */
/*
 * gsym-dump - show the contents of a GSYM file, what takes its bytes, and check
 * it.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/options.h"
#include "common/report.h"
#include "common/run.h"
#include "dump/dump.h"

/* ---- the tool ------------------------------------------------------------ */

/* What the command line asks for, beside the file. */
struct request {
	bool header, functions, files, strings, statistics, report, verify;
	bool as_json, demangle;
	enum out_colour colour;
	/* The values of --function. */
	struct option_list which;
	/* The value of --since. */
	const char *since;
};

/* The row of an option that sets the MEMBER of struct request. */
#define FLAG(letter, name, member, help) \
	{ 0, letter, name, NULL, help, OPTION_FLAG(struct request, member) }

static const struct option_spec dump_options[] = {
	{ .help = "What to show (may be combined)" },
	FLAG(0, "header", header, "header and sections (the default)"),
	FLAG(0, "functions", functions, "every function, one a line"),
	{ 0, 0, "function", "WHICH",
	  "the whole record of the function at the address\n"
	  "WHICH or with the name WHICH: lines, inlined\n"
	  "calls, merged functions, call sites; repeatable",
	  OPTION_LIST(struct request, which) },
	FLAG(0, "files", files, "the file table"),
	FLAG(0, "strings", strings, "the string table"),
	FLAG(0, "statistics", statistics, "what the bytes are used for"),
	FLAG(0, "report", report,
	     "what takes the bytes: by use, by folder of the\n"
	     "source code, and by template"),
	{ 0, 0, "since", "FILE",
	  "with --report: what has grown since FILE, an older\n"
	  "GSYM file of the program",
	  OPTION_TEXT(struct request, since) },
	FLAG(0, "verify", verify,
	     "check the whole file, and its checksum if it has\n"
	     "one; show every problem with its offset; exit 1\n"
	     "if there are any"),
	{ .help = "How to show it" },
	FLAG('j', "json", as_json, "as JSON, one object a line"),
	FLAG('C', "demangle", demangle, "show readable C++, Rust and D names"),
	{ 0, 0, "no-demangle", NULL,
	  "show names as they are in the file (the default)",
	  OPTION_SET(struct request, demangle, false) },
	{ 0, 0, "color", "WHEN",
	  "use colour: auto (the default), always or never",
	  OPTION_WORD(struct request, colour, out_colours, 0) },
	{ 0 }
};

/* Options of addr2line, llvm-symbolizer and llvm-gsymutil. */
#define OPERAND "FILE is an operand: gsym-dump FILE"
#define LOOKUP "'gsym-lookup FILE ADDRESS...' looks up addresses"
#define CONVERT "'gsym-create PROGRAM' converts, and writes PROGRAM.gsym"
static const struct option_peer dump_peers[] = {
	{ "e", OPERAND },
	{ "exe", OPERAND },
	{ "obj", OPERAND },
	{ "address", LOOKUP },
	{ "addresses", LOOKUP },
	{ "addresses-from-stdin", LOOKUP },
	{ "lookup", LOOKUP },
	{ "convert", CONVERT },
	{ "dsym", CONVERT },
	{ 0 }
};

static const char *const dump_examples[] = {
	"gsym-dump prog.gsym", "header and sections",
	"gsym-dump --function=main prog.gsym", "the whole record of main",
	"gsym-dump --verify prog.gsym", "check the file", NULL
};

static const struct tool dump_tool = {
	.name = "gsym-dump",
	.operands = "FILE",
	.summary = "Show what is in FILE, a GSYM file or an ELF file with a "
		   ".gsym section, or\n"
		   "in FILE.gsym if FILE is a program without it.",
	.options = dump_options,
	.peers = dump_peers,
	.examples = dump_examples,
	.exit_status = "0 done; 1 --verify found a problem, or there is no "
		       "such --function;\n2 error, or damage in the parts to "
		       "be shown.",
};

static void parse_options(struct dump *dump, struct request *request,
			  struct options *options)
{
	int id = options_next(options);

	if (id == OPTION_END)
		die_usage("no FILE is given");
	dump->path = options->value;
	if (options_next(options) != OPTION_END)
		die_usage("more than one FILE is given: '%s'", options->value);
	if (!request->functions && !request->which.count && !request->files &&
	    !request->strings && !request->statistics && !request->report &&
	    !request->verify)
		request->header = true;
	if (request->since && !request->report)
		die_usage("--since needs --report");
	if (request->demangle)
		dump->demangler = demangler_new(0);
	out_init(&dump->out, STDOUT_FILENO, "standard output",
		 request->colour);
	dump->as_json = request->as_json;
	json_init(&dump->json, &dump->out);
}

/* Say that no function is called NAME, and which names are near. */
static void report_unknown(struct dump *dump, const char *name)
{
	char near[NAMES_NEAR_SIZE];
	bool any = names_near(dump->reader, name, strlen(name), near);

	warn("no function '%s' in '%s'%s%s", name, dump->path,
	     any ? "; near: " : "", any ? near : "");
}

/* Show the views of REQUEST; OLD is the file of --since, or NULL.  Returns the
 * exit status. */
static int show(struct dump *dump, const struct request *request,
		struct dump *old)
{
	int result = STATUS_DONE;
	if (request->header)
		dump_header(dump);
	if (request->functions)
		dump_functions(dump);
	for (size_t i = 0; i < request->which.count; i++) {
		if (dump_function(dump, request->which.items[i]))
			continue;
		out_flush(&dump->out);
		report_unknown(dump, request->which.items[i]);
		result = STATUS_NO;
	}
	if (request->files)
		dump_files(dump);
	if (request->strings)
		dump_strings(dump);
	if (request->statistics)
		dump_statistics(dump);
	if (request->report)
		dump_report(dump, old);
	if (request->verify && dump_verify(dump) > 0)
		result = STATUS_NO;
	return result;
}

/* Let the sandbox read PATH and the GSYM file beside it, and the same of SINCE,
 * which may be NULL. */
static void restrict_reads(const char *path, const char *since)
{
	char *beside = path_print("%s.gsym", path);
	char *old = since ? path_print("%s.gsym", since) : NULL;

	sandbox_read_files(sandbox_asked(), (const char *const[]){
		path, beside, since, old, NULL });
	free(beside);
	free(old);
}

/* Open DUMP->path, or the GSYM file beside it. */
static void open_file(struct dump *dump)
{
	const struct source_options none = { 0 };
	const struct source_program program = { .path = dump->path };

	dump->source = source_new(&none, &(struct source_host){
		.files_only = true });
	if (source_open(dump->source, &program, &dump->symbols) != SOURCE_HAVE)
		source_refuse(dump->source, dump->path, &dump->symbols);
	dump->reader = dump->symbols.reader;
	dump->path = dump->symbols.path;
	gsym_get_header(dump->reader, &dump->header);
}

/* Close it, and warn of damage.  Returns whether there is any. */
static bool close_file(struct dump *dump)
{
	if (dump->damaged)
		warn("'%s' is damaged; parts that cannot be read: %" PRIu64,
		     dump->path, dump->damaged);
	names_fini(&dump->names);
	source_close(&dump->symbols);
	source_free(dump->source);
	return dump->damaged;
}

int main(int argc, char **argv)
{
	struct dump dump = { 0 }, old = { 0 };
	/* Static, so that leak checkers find its memory when die exits. */
	static struct request request;
	struct options options;

	report_start("gsym-dump");
	options_init(&options, &dump_tool, &request, argc, argv);
	parse_options(&dump, &request, &options);
	restrict_reads(dump.path, request.since);
	open_file(&dump);
	old.path = request.since;
	if (old.path)
		open_file(&old);

	int result = show(&dump, &request, old.path ? &old : NULL);
	out_fini(&dump.out);
	if (old.path && close_file(&old))
		result = STATUS_ERROR;
	if (close_file(&dump))
		result = STATUS_ERROR;
	gsym_demangler_free(dump.demangler);
	gsym_vec_fini(&request.which);
	options_fini(&options);
	return result;
}
