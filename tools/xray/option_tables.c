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
	{ "info", xray_info, true, false, "FILE...",
	  "what kind of traces these are, and their damages",
	  "Show mode, version, clock, threads and events of traces, when they "
	  "were\nrecorded, and what is damaged.",
	  { "gsym-xray info xray-log.prog.*", "what was recorded?" } },
	{ "account", xray_account, true, false, "FILE...",
	  "calls and times of each function",
	  "Show for each function the number of its calls, its total and self "
	  "time, and the\nshortest, median and longest call.",
	  { "gsym-xray account -m prog xray-log.prog.*", "what takes the time?",
	    "gsym-xray account -m prog -t 10 -s max log",
	    "the ten functions with the longest calls" } },
	{ "stack", xray_stack, true, false, "FILE...",
	  "the tree of calls",
	  "Show the calls of all threads as one tree, or a tree for each "
	  "thread.",
	  { "gsym-xray stack -m prog --threads log", "what each thread did" } },
	{ "graph", xray_graph, true, false, "FILE...",
	  "callers and callees, for Graphviz",
	  "Write a graph of callers and callees, with the time of the calls, "
	  "for Graphviz.",
	  { "gsym-xray graph -m prog log | dot -Tsvg >graph.svg",
	    "the graph as an image" } },
	{ "flame", xray_flame, true, false, "FILE...",
	  "flame graph and time line, for a browser",
	  "Write a page with a flame graph and a time line of each thread, "
	  "with zoom and\nsearch.  It needs a browser and nothing else.",
	  { "gsym-xray flame -m prog -o trace.html log", "open it in a browser",
	    "gsym-xray flame --to=svg -m prog -o trace.svg log",
	    "the flame graph as an image" } },
	{ "convert", convert, true, false, "FILE...",
	  "traces for other programs",
	  "Write traces in a format that other programs read.",
	  { "gsym-xray convert -m prog -o trace.json log",
	    "a file for Perfetto (ui.perfetto.dev)",
	    "gsym-xray convert --to=folded -m prog log | flamegraph.pl",
	    "a flame graph" } },
	{ "dump", xray_dump, true, false, "FILE...",
	  "all records",
	  "Show all records of traces, or check that they are in the right "
	  "order.",
	  { "gsym-xray dump -m prog log", "record by record, with names",
	    "gsym-xray dump --check log", "is the trace well-formed?" } },
	{ "extract", xray_extract, false, false, "PROGRAM",
	  "the sleds of a program",
	  "Show the sleds of a program, the places that the runtime patches, "
	  "with the\nnumbers that traces use for functions.",
	  { "gsym-xray extract prog", "like \"llvm-xray extract\"" } },
	{ "suggest", xray_suggest, true, false, "FILE...",
	  "functions that are better not instrumented",
	  "Write a list for clang's option -fxray-attr-list: functions whose "
	  "calls take\nhardly longer than recording them.",
	  { "gsym-xray suggest -m prog log >attr.txt",
	    "clang -fxray-instrument -fxray-attr-list=attr.txt ..." } },
	{ "diff", xray_diff, true, true, "BEFORE AFTER",
	  "what became slower or faster",
	  "Compare traces of two builds of a program, function by function or "
	  "stack by\nstack, by name: what changed beyond the noise?",
	  { "gsym-xray diff -m old --after-map=new old.log new.log",
	    "a table of the functions",
	    "gsym-xray diff -f html -o diff.html -m old --after-map=new "
	    "old.log new.log",
	    "flame graph and table, for a browser" } },
};

const struct xray_choice xray_choices[] = {
	{ ALL, { 0, 0, NULL, NULL, "Names" } },
	{ TRACES,
	  { OPT_MAP, 'm', "instr-map", "FILE",
	    "FILE is the traced program, or what extract\n"
	    "printed of it" } },
	{ NAMES | EXTRACT,
	  { OPT_GSYM, 'g', "gsym", "FILE",
	    "read names from the GSYM file FILE; default: the\n"
	    "program's section .gsym, else a GSYM file with its\n"
	    "build ID, else its debug info" } },
	{ NAMES | EXTRACT, OPTION_GROUP(0) },
	{ TRACES,
	  { OPT_OBJECT, 0, "object", "N=FILE",
	    "FILE is the shared object with number N in the\n"
	    "traces; repeatable" } },
	{ DIFF,
	  { OPT_AFTER_MAP, 0, "after-map", "FILE",
	    "FILE is the traced program of AFTER; default: that\n"
	    "of BEFORE" } },
	{ DIFF,
	  { OPT_AFTER_GSYM, 0, "after-gsym", "FILE", "as --gsym, for AFTER" } },
	{ DIFF,
	  { OPT_AFTER_OBJECT, 0, "after-object", "N=FILE",
	    "as --object, for AFTER; repeatable" } },
	{ NAMES | EXTRACT,
	  { OPT_NO_DEMANGLE, 0, "no-demangle", NULL,
	    "show names as they are in the file" } },
	{ FLAME | CONVERT | DUMP,
	  { OPT_EVENT_TYPE, 0, "event-type", "N=NAME",
	    "show typed events with number N as NAME;\n"
	    "repeatable" } },
	{ TRACES, { 0, 0, NULL, NULL, "Reading" } },
	{ DIFF,
	  { OPT_BEFORE, 0, "before", "FILE",
	    "FILE is a further trace of the build of BEFORE;\n"
	    "repeatable" } },
	{ DIFF,
	  { OPT_AFTER, 0, "after", "FILE",
	    "FILE is a further trace of the build of AFTER;\n"
	    "repeatable" } },
	{ TRACES,
	  { OPT_STRICT, 0, "strict", NULL,
	    "damage in a trace is an error, not a warning" } },
	{ TRACES,
	  { OPT_FREQUENCY, 0, "frequency", "HZ",
	    "a second has HZ ticks; default: what the trace\n"
	    "says" } },
	{ ALL, { 0, 0, NULL, NULL, "Output" } },
	{ ALL,
	  { OPT_OUTPUT, 'o', "output", "FILE",
	    "write to FILE, which is replaced only when all is\n"
	    "written; '-' is standard output" } },
	{ INFO | DUMP | STACK,
	  { OPT_FORMAT, 'f', "format", "FORMAT",
	    "text (the default), or json: an object per line" } },
	{ ACCOUNT,
	  { OPT_FORMAT, 'f', "format", "FORMAT",
	    "text (the default), csv, or json: an object per\n"
	    "line" } },
	{ DIFF,
	  { OPT_FORMAT, 'f', "format", "FORMAT",
	    "text (the default); json: an object per line; or\n"
	    "html: a page with a flame graph of both sides" } },
	{ DIFF,
	  { OPT_STACKS, 0, "stacks", NULL,
	    "in text and JSON, show stacks, not functions" } },
	{ DIFF,
	  { OPT_NOISE, 0, "noise", "PERCENT",
	    "changes of less than PERCENT are noise; default: 5\n"
	    "with several traces on each side, else 15" } },
	{ ACCOUNT,
	  { OPT_SORT, 's', "sort", "KEY",
	    "sort by self (the default), total, calls, max,\n"
	    "name or id" } },
	{ ACCOUNT | SUGGEST | DIFF,
	  { OPT_TOP, 't', "top", "N", "show only the first N functions" } },
	{ ACCOUNT,
	  { OPT_ALL_LEVELS, 0, "all-levels", NULL,
	    "add every level of a recursion to the total, like\n"
	    "llvm-xray; default: the outermost calls" } },
	{ ACCOUNT | DIFF,
	  { OPT_SHORT_NAMES, 0, "short-names", NULL,
	    "in text, leave out the arguments of functions and\n"
	    "templates" } },
	{ ACCOUNT | SUGGEST,
	  { OPT_BUDGET, 0, "budget", "MIB",
	    "use at most MIB MiB for exact percentiles;\n"
	    "default: 256" } },
	{ STACK,
	  { OPT_THREADS, 0, "threads", NULL, "show a tree for each thread" } },
	{ FLAME,
	  { OPT_TO, 'f', "to", "FORMAT",
	    "html (the default), or svg: the flame graph as an\n"
	    "image" } },
	{ FLAME,
	  { OPT_DETAIL, 0, "detail", "CALLS",
	    "show at most CALLS entries in the time line: short\n"
	    "calls share one; default: 100000" } },
	{ CONVERT,
	  { OPT_TO, 'f', "to", "FORMAT",
	    "chrome (the default): trace-event JSON;\n"
	    "folded: stacks with self time, for flame graphs;\n"
	    "yaml: what \"llvm-xray convert\" writes;\n"
	    "json: all events by time, an object per line;\n"
	    "perfetto: Perfetto's own format" } },
	{ CONVERT,
	  { OPT_BEGIN_END, 0, "begin-end", NULL,
	    "with chrome: write an event for each entry and one\n"
	    "for each exit, not one for each call" } },
	{ CONVERT,
	  { OPT_THREADS, 0, "threads", NULL,
	    "with folded: begin each stack with its thread" } },
	{ CONVERT,
	  { OPT_CALLS, 0, "calls", NULL,
	    "with folded: write numbers of calls, not\n"
	    "nanoseconds" } },
	{ DUMP,
	  { OPT_CHECK, 0, "check", NULL,
	    "show only damages, and records in the wrong order;\n"
	    "exit 1 if there are any" } },
	{ DUMP,
	  { OPT_HEX, 0, "hex", NULL,
	    "show the data of events in hexadecimal" } },
	{ DUMP,
	  { OPT_WALL_CLOCK, 0, "wall-clock", NULL,
	    "show times of day, or since the system was\n"
	    "started, if the trace has them" } },
	{ DUMP | EXTRACT,
	  { OPT_COMPAT, 0, "compat", "WHAT",
	    "llvm: print what llvm-xray prints" } },
};
