/* SPDX-License-Identifier: MIT */
/* The commands of gsym-xray, and the options of each, for --help. */
#include "config.h"

#include <stddef.h>

#include "xray/options.h"

static void convert(struct xray *x)
{
	if (x->to == XRAY_TO_CHROME)
		xray_to_chrome(x);
	else if (x->to == XRAY_TO_FOLDED)
		xray_to_folded(x);
	else if (x->to == XRAY_TO_PERFETTO)
		xray_to_perfetto(x);
	else
		xray_to_timeline(x);
}

const struct xray_command xray_commands[] = {
	{ INFO, "info", xray_info, "FILE...",
	  "what kind of traces these are, and their damages",
	  "Show mode, version, clock, threads and events of traces, when they "
	  "were\nrecorded, and what is damaged.",
	  { "gsym-xray info xray-log.prog.*", "what was recorded?" } },
	{ ACCOUNT, "account", xray_account, "FILE...",
	  "calls and times of each function",
	  "Show for each function the number of its calls, its total and self "
	  "time, and the\nshortest, median and longest call.",
	  { "gsym-xray account -m prog xray-log.prog.*", "what takes the time?",
	    "gsym-xray account -m prog -t 10 -s max log",
	    "the ten functions with the longest calls" } },
	{ STACK, "stack", xray_stack, "FILE...",
	  "the tree of calls",
	  "Show the calls of all threads as one tree, or a tree for each "
	  "thread.",
	  { "gsym-xray stack -m prog --threads log", "what each thread did" } },
	{ GRAPH, "graph", xray_graph, "FILE...",
	  "callers and callees, for Graphviz",
	  "Write a graph of callers and callees, with the time of the calls, "
	  "for Graphviz.",
	  { "gsym-xray graph -m prog log | dot -Tsvg >graph.svg",
	    "the graph as an image" } },
	{ FLAME, "flame", xray_flame, "FILE...",
	  "flame graph and time line, for a browser",
	  "Write a page with a flame graph and a time line of each thread, "
	  "with zoom and\nsearch.  It needs a browser and nothing else.",
	  { "gsym-xray flame -m prog -o trace.html log", "open it in a browser",
	    "gsym-xray flame --to=svg -m prog -o trace.svg log",
	    "the flame graph as an image" } },
	{ CONVERT, "convert", convert, "FILE...",
	  "traces for other programs",
	  "Write traces in a format that other programs read.",
	  { "gsym-xray convert -m prog -o trace.json log",
	    "a file for Perfetto (ui.perfetto.dev)",
	    "gsym-xray convert --to=folded -m prog log | flamegraph.pl",
	    "a flame graph" } },
	{ DUMP, "dump", xray_dump, "FILE...",
	  "all records",
	  "Show all records of traces, or check that they are in the right "
	  "order.",
	  { "gsym-xray dump -m prog log", "record by record, with names",
	    "gsym-xray dump --check log", "is the trace well-formed?" } },
	{ EXTRACT, "extract", xray_extract, "PROGRAM",
	  "the sleds of a program",
	  "Show the sleds of a program, the places that the runtime patches, "
	  "with the\nnumbers that traces use for functions.",
	  { "gsym-xray extract prog", "like \"llvm-xray extract\"" } },
	{ SUGGEST, "suggest", xray_suggest, "FILE...",
	  "functions that are better not instrumented",
	  "Write a list for clang's option -fxray-attr-list: functions whose "
	  "calls take\nhardly longer than recording them.",
	  { "gsym-xray suggest -m prog log >attr.txt",
	    "clang -fxray-instrument -fxray-attr-list=attr.txt ..." } },
	{ DIFF, "diff", xray_diff, "BEFORE AFTER",
	  "what became slower or faster",
	  "Compare traces of two builds of a program, function by function or "
	  "stack by\nstack, by name: what changed beyond the noise?",
	  { "gsym-xray diff -m old --after-map=new old.log new.log",
	    "a table of the functions",
	    "gsym-xray diff -f html -o diff.html -m old --after-map=new "
	    "old.log new.log",
	    "flame graph and table, for a browser" } },
};

/* The words that options take, in the order of their numbers. */
static const char *const formats[] = { "text", "json", NULL };
static const char *const tables[] = { "text", "json", "csv", NULL };
static const char *const sides[] = { "text", "json", "html", NULL };
static const char *const keys[] = { "self", "total", "calls", "max",
				    "name", "id", NULL };
static const char *const targets[] = { "chrome", "folded", "yaml",
				       "json", "perfetto", NULL };
static const char *const pictures[] = { "html", "svg", NULL };
static const char *const compat[] = { "llvm", NULL };

/* How an option is kept in the MEMBER of struct xray. */
#define FLAG(member) .keep = XRAY_FLAG, .at = offsetof(struct xray, member)
#define TEXT(member) .keep = XRAY_VALUE, .at = offsetof(struct xray, member)
#define WORD(member, list)                                       \
	.keep = XRAY_WORD, .at = offsetof(struct xray, member), \
	.words = (list)
#define NUMBER(member, lowest, highest)                            \
	.keep = XRAY_NUMBER, .at = offsetof(struct xray, member), \
	.least = (lowest), .most = (highest)

const struct xray_choice xray_choices[] = {
	{ ALL, .spec = { 0, 0, NULL, NULL, "Names" } },
	{ TRACES,
	  { 0, 'm', "instr-map", "FILE",
	    "FILE is the traced program, or what extract\n"
	    "printed of it" },
	  TEXT(objects[0].path) },
	{ NAMES | EXTRACT,
	  { 0, 'g', "gsym", "FILE",
	    "read names from the GSYM file FILE; default: the\n"
	    "program's section .gsym, else a GSYM file with its\n"
	    "build ID, else its debug info" },
	  TEXT(gsym_path) },
	{ NAMES | EXTRACT, .spec = OPTION_GROUP(0) },
	{ TRACES,
	  { 0, 0, "object", "N=FILE",
	    "FILE is the shared object with number N in the\n"
	    "traces; repeatable" },
	  .keep = XRAY_OBJECT },
	{ DIFF,
	  { 0, 0, "after-map", "FILE",
	    "FILE is the traced program of AFTER; default: that\n"
	    "of BEFORE" },
	  TEXT(objects[0].path), .after = true },
	{ DIFF,
	  { 0, 0, "after-gsym", "FILE", "as --gsym, for AFTER" },
	  TEXT(gsym_path), .after = true },
	{ DIFF,
	  { 0, 0, "after-object", "N=FILE",
	    "as --object, for AFTER; repeatable" },
	  .keep = XRAY_OBJECT, .after = true },
	{ NAMES | EXTRACT,
	  { 0, 0, "no-demangle", NULL,
	    "show names as they are in the file" },
	  FLAG(no_demangle) },
	{ FLAME | CONVERT | DUMP,
	  { 0, 0, "event-type", "N=NAME",
	    "show typed events with number N as NAME;\n"
	    "repeatable" },
	  .keep = XRAY_EVENT_TYPE },
	{ TRACES, .spec = { 0, 0, NULL, NULL, "Reading" } },
	{ DIFF,
	  { 0, 0, "before", "FILE",
	    "FILE is a further trace of the build of BEFORE;\n"
	    "repeatable" },
	  .keep = XRAY_TRACE },
	{ DIFF,
	  { 0, 0, "after", "FILE",
	    "FILE is a further trace of the build of AFTER;\n"
	    "repeatable" },
	  .keep = XRAY_TRACE, .after = true },
	{ TRACES,
	  { 0, 0, "strict", NULL,
	    "damage in a trace is an error, not a warning" },
	  FLAG(strict) },
	{ TRACES,
	  { 0, 0, "frequency", "HZ",
	    "a second has HZ ticks; default: what the trace\n"
	    "says" },
	  NUMBER(frequency, 1, UINT64_MAX) },
	{ ALL, .spec = { 0, 0, NULL, NULL, "Output" } },
	{ ALL,
	  { 0, 'o', "output", "FILE",
	    "write to FILE, which is replaced only when all is\n"
	    "written; '-' is standard output" },
	  TEXT(output) },
	{ INFO | DUMP | STACK,
	  { 0, 'f', "format", "FORMAT",
	    "text (the default), or json: an object per line" },
	  WORD(format, formats) },
	{ ACCOUNT,
	  { 0, 'f', "format", "FORMAT",
	    "text (the default), csv, or json: an object per\n"
	    "line" },
	  WORD(format, tables) },
	{ DIFF,
	  { 0, 'f', "format", "FORMAT",
	    "text (the default); json: an object per line; or\n"
	    "html: a page with a flame graph of both sides" },
	  WORD(format, sides) },
	{ DIFF,
	  { 0, 0, "stacks", NULL,
	    "in text and JSON, show stacks, not functions" },
	  FLAG(stacks) },
	{ DIFF,
	  { 0, 0, "noise", "PERCENT",
	    "changes of less than PERCENT are noise; default: 5\n"
	    "with several traces on each side, else 15" },
	  NUMBER(noise, 0, 1000) },
	{ ACCOUNT,
	  { 0, 's', "sort", "KEY",
	    "sort by self (the default), total, calls, max,\n"
	    "name or id" },
	  WORD(sort, keys) },
	{ ACCOUNT | SUGGEST | DIFF,
	  { 0, 't', "top", "N", "show only the first N functions" },
	  NUMBER(top, 1, UINT64_MAX) },
	{ ACCOUNT,
	  { 0, 0, "all-levels", NULL,
	    "add every level of a recursion to the total, like\n"
	    "llvm-xray; default: the outermost calls" },
	  FLAG(all_levels) },
	{ ACCOUNT | DIFF,
	  { 0, 0, "short-names", NULL,
	    "in text, leave out the arguments of functions and\n"
	    "templates" },
	  FLAG(short_names) },
	{ ACCOUNT | SUGGEST,
	  { 0, 0, "budget", "MIB",
	    "use at most MIB MiB for exact percentiles;\n"
	    "default: 256" },
	  NUMBER(budget, 1, 1 << 20), .shift = 20 },
	{ STACK,
	  { 0, 0, "threads", NULL, "show a tree for each thread" },
	  FLAG(threads) },
	{ FLAME,
	  { 0, 'f', "to", "FORMAT",
	    "html (the default), or svg: the flame graph as an\n"
	    "image" },
	  WORD(picture, pictures) },
	{ FLAME,
	  { 0, 0, "detail", "CALLS",
	    "show at most CALLS entries in the time line: short\n"
	    "calls share one; default: 100000" },
	  /* With fewer entries a page shows next to nothing. */
	  NUMBER(detail, 1000, 1000000) },
	{ CONVERT,
	  { 0, 'f', "to", "FORMAT",
	    "chrome (the default): trace-event JSON;\n"
	    "folded: stacks with self time, for flame graphs;\n"
	    "yaml: what \"llvm-xray convert\" writes;\n"
	    "json: all events by time, an object per line;\n"
	    "perfetto: Perfetto's own format" },
	  WORD(to, targets) },
	{ CONVERT,
	  { 0, 0, "begin-end", NULL,
	    "with chrome: write an event for each entry and one\n"
	    "for each exit, not one for each call" },
	  FLAG(begin_end) },
	{ CONVERT,
	  { 0, 0, "threads", NULL,
	    "with folded: begin each stack with its thread" },
	  FLAG(threads) },
	{ CONVERT,
	  { 0, 0, "calls", NULL,
	    "with folded: write numbers of calls, not\n"
	    "nanoseconds" },
	  FLAG(calls) },
	{ DUMP,
	  { 0, 0, "check", NULL,
	    "show only damages, and records in the wrong order;\n"
	    "exit 1 if there are any" },
	  FLAG(check) },
	{ DUMP,
	  { 0, 0, "hex", NULL,
	    "show the data of events in hexadecimal" },
	  FLAG(hex) },
	{ DUMP,
	  { 0, 0, "wall-clock", NULL,
	    "show times of day, or since the system was\n"
	    "started, if the trace has them" },
	  FLAG(wall_clock) },
	{ DUMP | EXTRACT,
	  { 0, 0, "compat", "WHAT",
	    "llvm: print what llvm-xray prints" },
	  FLAG(llvm), .words = compat },
};
