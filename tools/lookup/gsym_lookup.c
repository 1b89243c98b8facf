/* SPDX-License-Identifier: MIT */
/*
 * gsym-lookup - turn addresses into functions, files, lines and inlined
 * calls.  Addresses come as arguments or, one a line, from standard input.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/options.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"
#include "personality/personality.h"

/* The words that options take. */
static const char *const formats[] = { "json", "folded", "tsv", NULL };
static const char *const styles[] = { "gsym", "go", NULL };

/* Rows of options that are kept in the MEMBER of struct lookup_request, as the
 * macros OPTION_... of common/options.h say.  VALUE is the placeholder in the
 * help. */
#define FLAG(letter, name, member, help) \
	{ 0, letter, name, NULL, help, \
	  OPTION_FLAG(struct lookup_request, member) }
#define TEXT(letter, name, value, member, help) \
	{ 0, letter, name, value, help, \
	  OPTION_TEXT(struct lookup_request, member) }
#define LIST(name, value, member, help) \
	{ 0, 0, name, value, help, OPTION_LIST(struct lookup_request, member) }
#define SET(letter, name, member, number, help) \
	{ 0, letter, name, NULL, help, \
	  OPTION_SET(struct lookup_request, member, number) }
#define WORD(name, value, member, list, first, help) \
	{ 0, 0, name, value, help, \
	  OPTION_WORD(struct lookup_request, member, list, first) }
#define NUMBER(letter, name, value, member, least, most, help) \
	{ 0, letter, name, value, help, \
	  OPTION_NUMBER(struct lookup_request, member, least, most) }

static const struct option_spec lookup_options[] = {
	{ .help = "File" },
	TEXT(0, "build-id", "ID", build_id,
	     "instead of FILE: search for the GSYM data of the\n"
	     "program with the build ID ID"),
	NUMBER(0, "pid", "PID", pid, 1, INT32_MAX,
	       "instead of FILE: the addresses are those of the\n"
	       "running process PID; the GSYM data of its files\n"
	       "are found by build ID or beside them"),
	TEXT(0, "maps", "FILE", maps,
	     "like --pid, with a copy of /proc/PID/maps"),
	TEXT(0, "kernel", "[=ROOT]", kernel,
	     "like --pid, with the running kernel and its modules,\n"
	     "or with one whose files of /proc and /sys were\n"
	     "copied below ROOT"),
	TEXT(0, "root", "DIR", root,
	     "with --maps: the files of the process are below\n"
	     "DIR; default: those of this machine"),
	{ 0, 0, "stream", "[=FORMAT]",
	  "instead of FILE: answer lines 'BUILD-ID ADDRESS' of\n"
	  "standard input, one line each; FORMAT is json (the\n"
	  "default), folded or tsv",
	  OPTION_WORD(struct lookup_request, stream, formats, STREAM_JSON),
	  .most = STREAM_JSON },
	FLAG(0, "keys", keys,
	     "with --stream: lines are 'BUILD-ID ADDRESS KEY', and\n"
	     "answers begin with KEY and a tab"),
	NUMBER(0, "max-open", "N", max_open, 1, INT32_MAX,
	       "with --stream: keep up to N files open; default:\n"
	       "1024"),
	NUMBER(0, "retry", "SECONDS", retry, 1, INT32_MAX,
	       "with --stream: search again for a build ID without\n"
	       "a file after SECONDS; default: never"),
	FLAG(0, "copy", copy,
	     "read the whole file instead of mapping it: needed\n"
	     "if another program may cut it short meanwhile"),
	FLAG(0, "check", check,
	     "read the whole file first, and refuse it if it has\n"
	     "a checksum that is wrong"),
	{ .help = "Symbols" },
	{ OPTION_GROUP(0) },
	FLAG(0, "no-verify", any, "use GSYM files that have another build ID"),
	FLAG(0, "verbose", verbose,
	     "show each path where GSYM data are looked for"),
	{ .help = "Addresses" },
	FLAG(0, "return-addresses", return_addresses,
	     "the addresses are return addresses: subtract 1,\n"
	     "so that the call is looked up, not the instruction\n"
	     "after it"),
	TEXT(0, "adjust-vma", "OFFSET", adjust_text,
	     "subtract OFFSET, the load bias, from each address"),
	FLAG(0, "hex", hex, "numbers without 0x are hexadecimal, too"),
	{ .help = "Answers" },
	FLAG('j', "json", style.json, "write one JSON object per address"),
	SET('C', "demangle", demangle_word, LOOKUP_YES,
	    "show readable C++, Rust and D names (the default\n"
	    "in text, not in JSON)"),
	SET(0, "no-demangle", demangle_word, LOOKUP_NO,
	    "show names as they are in the file"),
	SET('i', "inlines", flags, 0, "show inlined calls (the default)"),
	SET(0, "no-inlines", flags, GSYM_LOOKUP_NO_INLINES,
	    "show only the outermost function"),
	FLAG('s', "basenames", style.basenames,
	     "show files without their folders"),
	WORD("style", "STYLE", style.go, styles, 0,
	     "gsym (the default), or go: like tracebacks of Go\n"
	     "programs, for the return addresses in them"),
	FLAG(0, "merged-functions", merged,
	     "show all functions that share the code"),
	LIST("merged-functions-filter", "REGEX", filter_texts,
	     "of these, show those alone of whose names a part\n"
	     "matches REGEX; repeatable"),
	FLAG(0, "call-sites", calls,
	     "show the functions that the call before the\n"
	     "address may have called"),
	FLAG(0, "stack", of_stack,
	     "the addresses are a call stack, the innermost first:\n"
	     "choose among functions that share the code by the\n"
	     "call sites of their callers; an empty line of\n"
	     "standard input ends a stack; with --stream, lines\n"
	     "are 'BUILD-ID ADDRESS[,[BUILD-ID:]ADDRESS]...'"),
	WORD("color", "WHEN", colour, out_colours, 0,
	     "use colour: auto (the default), always or never"),
	{ .help = "Work" },
	NUMBER(0, "num-threads", "N", threads, 1, GSYM_THREADS_MAX,
	       "use up to N threads for large inputs; default:\n"
	       "one per processor"),
	FLAG(0, "strict", strict,
	     "exit 1 if no function covers an address, 2 if the\n"
	     "file is damaged there or, with --stream, a line is\n"
	     "bad"),
	{ 0 }
};

/* Options of addr2line, llvm-symbolizer and llvm-gsymutil. */
#define OPERANDS "FILE and addresses are operands: gsym-lookup FILE ADDRESS..."
static const struct option_peer lookup_peers[] = {
	{ "e", OPERANDS },
	{ "exe", OPERANDS },
	{ "obj", OPERANDS },
	{ "address", OPERANDS },
	{ "lookup", OPERANDS },
	{ "addresses-from-stdin",
	  "addresses are read from standard input if there are no operands "
	  "but FILE" },
	{ "dsym", "'gsym-create PROGRAM' converts, and writes PROGRAM.gsym" },
	{ "verify", "'gsym-dump --verify FILE' checks a GSYM file" },
	{ "filter-markup", "gsym-markup symbolizes logs" },
	{ "a", "the address always begins the answer" },
	{ "addresses", "the address always begins the answer" },
	{ "print-address", "the address always begins the answer" },
	{ "f", "functions are always shown" },
	{ "functions", "functions are always shown" },
	{ "p", "the output always has a frame a line" },
	{ "pretty-print", "the output always has a frame a line" },
	{ "inlining", "inlined calls are shown unless there is --no-inlines" },
	{ "output-style", "--json writes JSON" },
	{ "base", "--adjust-vma=OFFSET subtracts the load bias" },
	{ 0 }
};

static const char *const lookup_examples[] = {
	"gsym-lookup prog.gsym 0x1173 0x1195", "two addresses",
	"gsym-lookup --json prog.gsym <addresses", "one address per line",
	"gsym-lookup prog.gsym main+0x10", "16 bytes after the start of main",
	"gsym-lookup --adjust-vma=0x555555554000 prog.gsym 0x555555555173",
	"an address of a running process, loaded at 0x555555554000",
	"gsym-lookup --pid=1234 0x7ffff7df1249",
	"an address of any file that the process 1234 has mapped",
	"gsym-lookup --stream --gsym-file-directory=/srv/gsym <pairs",
	"lines of build ID and address, of many programs", NULL
};

static const struct option_group *const lookup_groups[] = { &source_group };

static const struct tool lookup_tool = {
	.name = "gsym-lookup",
	.operands = "FILE [ADDRESS...]",
	.summary = "Turn addresses into functions, files, lines and inlined "
		   "calls, by the GSYM\n"
		   "data in FILE.  Without ADDRESS they are read from standard "
		   "input, one per\n"
		   "line.  An ADDRESS is a number, or NAME, NAME+OFFSET or "
		   "NAME+OFFSET/SIZE of a\n"
		   "function.  Numbers with 0x, with a digit from a to f, or "
		   "padded with zeros to\n"
		   "8 or 16 digits are hexadecimal, others decimal.",
	.options = lookup_options,
	.groups = lookup_groups,
	.peers = lookup_peers,
	.examples = lookup_examples,
	.exit_status = "0 done, even if no function covers an address; 1 see "
		       "--strict;\n2 error, or an input is no address (but see "
		       "--stream).",
};

/* Set --adjust-vma.  The meaning of its value depends on --hex. */
static void set_adjust(struct lookup_request *r)
{
	const char *text = r->adjust_text;
	enum number_result result =
		number_parse_address(text, strlen(text), r->hex, &r->adjust);
	if (result != NUMBER_OK)
		die_usage("'%s' is not a value for --adjust-vma: %s", text,
			  number_problem(result));
}

/* Check that the options name one source of GSYM data.  ALONE: there are no
 * operands. */
static void check_source(const struct lookup_request *r, bool alone)
{
	if (!!r->build_id + !!r->pid + !!r->maps + !!r->kernel > 1)
		die_usage("--build-id, --pid, --maps and --kernel exclude each "
			  "other");
	if (r->root && !r->maps)
		die_usage("--root needs --maps");
	if (lookup_of_process(r) && (r->copy || r->adjust))
		die_usage("--pid, --maps and --kernel need neither --copy nor "
			  "--adjust-vma");
	if (!r->build_id && !lookup_of_process(r) && !r->stream && alone)
		die_usage("no FILE is given");
}

static void check_folders(const struct option_list *folders)
{
	for (size_t i = 0; i < folders->count; i++)
		if (access(folders->items[i], R_OK | X_OK) != 0)
			die("cannot read '%s': %s", folders->items[i],
			    strerror(errno));
}

/* Check that the options fit --stream.  ALONE: there are no operands. */
static void check_stream(const struct lookup_request *r, bool alone)
{
	if (!r->stream) {
		if (r->keys || r->max_open || r->retry)
			die_usage("--keys, --max-open and --retry need "
				  "--stream");
		return;
	}
	if (r->build_id || lookup_of_process(r) || !alone)
		die_usage("--stream takes build IDs and addresses from "
			  "standard input alone");
	if (r->style.json || r->style.go || r->merged || r->calls || r->adjust)
		die_usage("--json, --style=go, --merged-functions, "
			  "--call-sites and --adjust-vma cannot be used with "
			  "--stream");
	check_folders(&source_asked()->gsym_folders);
	check_folders(&source_asked()->debug_folders);
}

static void check_sandbox(const struct lookup_request *r)
{
	source_check_options(source_asked());
	if (sandbox_asked())
		source_check_sandbox(source_asked());
	if (r->pid && sandbox_asked())
		die_usage("--sandbox sees no other process: it does not go "
			  "with --pid");
}

/* Check the options, and complete the defaults, once all options are known.
 * ALONE: there are no operands. */
static void complete_options(struct lookup_request *r, bool alone)
{
	check_stream(r, alone);
	check_source(r, alone);
	check_sandbox(r);
	if (r->filter_texts.count && !r->merged)
		die_usage("--merged-functions-filter needs "
			  "--merged-functions");
	if (r->style.json && r->style.go)
		die_usage("--json and --style=go contradict each other");
	if (r->of_stack &&
	    (r->style.go || r->merged || r->calls || r->return_addresses))
		die_usage("--stack cannot be used with --style=go, "
			  "--merged-functions, --call-sites or "
			  "--return-addresses");
	if (r->of_stack && r->stream == STREAM_TSV)
		die_usage("--stack needs --stream=json or --stream=folded: a "
			  "line of --stream=tsv has one frame");
	if (r->stream && !r->max_open)
		r->max_open = 1024;
	if (!r->threads)
		r->threads = r->stream ? 1 : run_threads_default();
	/* A file that is made changes the modules of the process. */
	if (lookup_of_process(r) && source_makes(source_asked()))
		r->threads = 1;
	r->style.json |= r->stream == STREAM_JSON;
	r->demangle = r->demangle_word ? r->demangle_word == LOOKUP_YES
				       : !r->style.json && !r->stream;
}

/* Parse the options to R, and the first operand, which becomes L->path: it is
 * FILE, or with --build-id, --pid, --maps or --kernel the first address. */
static void parse_options(struct lookup_request *r, struct lookup *l,
			  struct options *options)
{
	int id = options_next(options);

	if (r->adjust_text)
		set_adjust(r);
	r->more = id == OPTION_OPERAND;
	complete_options(r, id == OPTION_END);
	l->asked = r;
	l->path = options->value;
	l->style = r->style;
	lookup_filter_open(l);
	out_init(&l->out, STDOUT_FILENO, "standard output", r->colour);
}

/* No address lies in the file: explain what the addresses may be. */
static void explain_misses(const struct lookup *l)
{
	uint32_t count = gsym_function_count(l->reader);
	struct gsym_function last;

	if (count == 0 ||
	    gsym_function_at(l->reader, count - 1, &last, NULL) != GSYM_OK)
		return;
	if (l->counts.gaps == l->counts.missed) {
		report_note("note: all addresses lie in gaps of '%s', between "
			    "its functions: nothing describes the code there",
			    l->path);
		return;
	}
	report_note("note: no address lies in '%s', which covers 0x%" PRIx64
		    " to 0x%" PRIx64
		    "; they may %s%s, or belong to another program",
		    l->path, gsym_address_at(l->reader, 0),
		    last.start + last.size,
		    l->asked->adjust ? "need another --adjust-vma"
				     : "be run-time addresses (--adjust-vma)",
		    l->decimal ? ", be hexadecimal (--hex)" : "");
}

/* Report damage and inputs that are no addresses.  Returns the exit status. */
static int verdict(const struct lookup *l)
{
	if (l->process)
		lookup_tell_missing(l);
	else if (l->counts.missed && !l->counts.found && !l->symbols.partial &&
		 !l->filter)
		explain_misses(l);
	if (l->ambiguous > 1)
		report_note("note: names that several functions have: %" PRIu64,
			    l->ambiguous);
	if (l->counts.damaged && l->process)
		warn("GSYM data of the process are damaged; addresses "
		     "affected: %" PRIu64, l->counts.damaged);
	else if (l->counts.damaged)
		warn("'%s' is damaged; addresses affected: %" PRIu64, l->path,
		     l->counts.damaged);
	if (l->counts.refused)
		warn("inputs that are no addresses: %" PRIu64,
		     l->counts.refused);
	if (l->counts.refused || (l->asked->strict && l->counts.damaged))
		return STATUS_ERROR;
	return l->asked->strict && l->counts.missed ? STATUS_NO : STATUS_DONE;
}

/* Limit this process to reading files and writing answers.  With FILE it reads
 * FILE, or the GSYM file beside it. */
static void protect(const struct lookup *l)
{
	char *beside;

	if (!lookup_of_file(l->asked)) {
		sandbox_enter(&(struct sandbox){
			.mode = sandbox_asked(),
			.needs = l->asked->root || l->asked->kernel
					 ? SANDBOX_ROOTS
					 : 0,
		});
		return;
	}
	beside = path_print("%s.gsym", l->path);
	sandbox_read_files(sandbox_asked(),
			   (const char *const[]){ l->path, beside, NULL });
	free(beside);
}

/* Note the addresses among the operands, but for the first one, FILE.  Without
 * the symbols a number without 0x may be a name. */
static void note_addresses(struct lookup_request *r,
			   const struct options *options)
{
	for (int i = options->operand; i < options->operand_count; i++) {
		const char *text = options->operands[i];
		uint64_t address;

		if (strncmp(text, "0x", 2) != 0 || r->merged ||
		    number_parse_address(text, strlen(text), true, &address) !=
			    NUMBER_OK) {
			r->addresses.count = 0;
			return;
		}
		address -= r->adjust;
		*must_push(&r->addresses) = address;
		/* A stack has return addresses, but for its first one. */
		if ((r->return_addresses || r->of_stack) && address)
			*must_push(&r->addresses) = address - 1;
	}
}

static void answer_operand(struct lookup *l, const char *text)
{
	uint64_t refused = l->counts.refused;

	lookup_text(l, text, strlen(text));
	if (l->counts.refused != refused && (*text < '0' || *text > '9'))
		lookup_note_near(l, text, strlen(text));
}

/* Answer the operands, from the first address on, or standard input.  Returns
 * the exit status. */
static int answer_all(struct lookup *l, struct lookup_request *asked,
		      struct options *options)
{
	int status;

	if (!asked->build_id && !lookup_of_process(asked))
		asked->more = options_next(options) == OPTION_OPERAND;
	lookup_start(l);
	if (asked->more)
		do
			answer_operand(l, options->value);
		while (options_next(options) == OPTION_OPERAND);
	else
		lookup_input(l);
	lookup_stack_end(l);
	out_flush(&l->out);
	status = verdict(l);
	lookup_end(l);
	return status;
}

int main(int argc, char **argv)
{
	struct lookup_request asked = { 0 };
	struct lookup l = { 0 };
	struct options options;
	int status;

	if (choose_run(&argc, &argv, &status))
		return status;
	report_start("gsym-lookup");
	options_init(&options, &lookup_tool, &asked, argc, argv);
	parse_options(&asked, &l, &options);
	protect(&l);
	if (lookup_of_file(&asked))
		note_addresses(&asked, &options);
	lookup_open(&l);
	status = asked.stream ? lookup_stream(&l)
			      : answer_all(&l, &asked, &options);
	out_fini(&l.out);
	lookup_close(&l);
	lookup_filter_close(&l);
	gsym_vec_fini(&asked.addresses);
	options_fini(&options);
	return status;
}
