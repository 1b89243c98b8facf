/* SPDX-License-Identifier: MIT */
/* The command line of gsym-xray: the commands, and the options of each. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/options.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "xray/xray.h"

static const char exit_status[] =
	"0 done, even if a trace is damaged; 1 see dump --check;\n"
	"2 error, or a trace is damaged and --strict was given.";

static const struct option_group *const groups[] = { &source_group };

/* ---- commands and options ------------------------------------------------ */

static void convert(struct xray *x)
{
	if (x->to == XRAY_TO_CHROME)
		xray_to_chrome(x);
	else if (x->to == XRAY_TO_FOLDED)
		xray_to_folded(x);
	else
		xray_to_timeline(x);
}

static const struct xray_command commands[] = {
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

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* The options that take_option keeps. */
enum {
	OPT_OBJECT = 1,
	OPT_AFTER_OBJECT,
	OPT_EVENT_TYPE,
	OPT_BEFORE,
	OPT_AFTER,
};

/* The words that options take, in the order of their numbers. */
static const char *const formats[] = { "text", "json", NULL };
static const char *const tables[] = { "text", "json", "csv", NULL };
static const char *const sides[] = { "text", "json", "html", NULL };
static const char *const keys[] = { "self", "total", "calls", "max",
				    "name", "id", NULL };
static const char *const targets[] = { "chrome", "folded", "yaml", "json",
				       NULL };
static const char *const pictures[] = { "html", "svg", NULL };
static const char *const compat[] = { "llvm", NULL };

/* How an option is kept in the MEMBER of struct xray. */
#define FLAG(member) OPTION_FLAG(struct xray, member)
#define TEXT(member) OPTION_TEXT(struct xray, member)
#define WORD(member, list) OPTION_WORD(struct xray, member, list, 0)
#define NUMBER(member, least, most) \
	OPTION_NUMBER(struct xray, member, least, most)

static const struct option_spec xray_options[] = {
	{ .help = "Names", .commands = ALL },
	{ 0, 'm', "instr-map", "FILE",
	  "FILE is the traced program, or what extract\n"
	  "printed of it",
	  TEXT(objects[0].path), .commands = TRACES },
	{ 0, 'g', "gsym", "FILE",
	  "read names from the GSYM file FILE; default: the\n"
	  "program's section .gsym, else a GSYM file with its\n"
	  "build ID, else its debug info",
	  TEXT(gsym_path), .commands = NAMES | EXTRACT },
	{ OPTION_GROUP(0), .commands = NAMES | EXTRACT },
	{ OPT_OBJECT, 0, "object", "N=FILE",
	  "FILE is the shared object with number N in the\n"
	  "traces; repeatable",
	  OPTION_BY_ID, .commands = TRACES },
	{ 0, 0, "after-map", "FILE",
	  "FILE is the traced program of AFTER; default: that\n"
	  "of BEFORE",
	  TEXT(after_map), .commands = DIFF },
	{ 0, 0, "after-gsym", "FILE", "as --gsym, for AFTER", TEXT(after_gsym),
	  .commands = DIFF },
	{ OPT_AFTER_OBJECT, 0, "after-object", "N=FILE",
	  "as --object, for AFTER; repeatable", OPTION_BY_ID,
	  .commands = DIFF },
	{ 0, 0, "no-demangle", NULL, "show names as they are in the file",
	  FLAG(no_demangle), .commands = NAMES | EXTRACT },
	{ OPT_EVENT_TYPE, 0, "event-type", "N=NAME",
	  "show typed events with number N as NAME;\n"
	  "repeatable",
	  OPTION_BY_ID, .commands = FLAME | CONVERT | DUMP },
	{ .help = "Reading", .commands = TRACES },
	{ OPT_BEFORE, 0, "before", "FILE",
	  "FILE is a further trace of the build of BEFORE;\n"
	  "repeatable",
	  OPTION_BY_ID, .commands = DIFF },
	{ OPT_AFTER, 0, "after", "FILE",
	  "FILE is a further trace of the build of AFTER;\n"
	  "repeatable",
	  OPTION_BY_ID, .commands = DIFF },
	{ 0, 0, "strict", NULL, "damage in a trace is an error, not a warning",
	  FLAG(strict), .commands = TRACES },
	{ 0, 0, "frequency", "HZ",
	  "a second has HZ ticks; default: what the trace\n"
	  "says",
	  NUMBER(frequency, 1, UINT64_MAX), .commands = TRACES },
	{ .help = "Output", .commands = ALL },
	{ 0, 'o', "output", "FILE",
	  "write to FILE, which is replaced only when all is\n"
	  "written; '-' is standard output",
	  TEXT(output), .commands = ALL },
	{ 0, 'f', "format", "FORMAT",
	  "text (the default), or json: an object per line",
	  WORD(format, formats), .commands = INFO | DUMP | STACK },
	{ 0, 'f', "format", "FORMAT",
	  "text (the default), csv, or json: an object per\n"
	  "line",
	  WORD(format, tables), .commands = ACCOUNT },
	{ 0, 'f', "format", "FORMAT",
	  "text (the default); json: an object per line; or\n"
	  "html: a page with a flame graph of both sides",
	  WORD(format, sides), .commands = DIFF },
	{ 0, 0, "stacks", NULL, "in text and JSON, show stacks, not functions",
	  FLAG(stacks), .commands = DIFF },
	{ 0, 0, "noise", "PERCENT",
	  "changes of less than PERCENT are noise; default: 5\n"
	  "with several traces on each side, else 15",
	  NUMBER(noise, 0, 1000), .commands = DIFF },
	{ 0, 's', "sort", "KEY",
	  "sort by self (the default), total, calls, max,\n"
	  "name or id",
	  WORD(sort, keys), .commands = ACCOUNT },
	{ 0, 't', "top", "N", "show only the first N functions",
	  NUMBER(top, 1, UINT64_MAX), .commands = ACCOUNT | SUGGEST | DIFF },
	{ 0, 0, "all-levels", NULL,
	  "add every level of a recursion to the total, like\n"
	  "llvm-xray; default: the outermost calls",
	  FLAG(all_levels), .commands = ACCOUNT },
	{ 0, 0, "short-names", NULL,
	  "in text, leave out the arguments of functions and\n"
	  "templates",
	  FLAG(short_names), .commands = ACCOUNT | DIFF },
	{ 0, 0, "budget", "MIB",
	  "use at most MIB MiB for exact percentiles;\n"
	  "default: 256",
	  NUMBER(budget, 1, 1 << 20), .shift = 20,
	  .commands = ACCOUNT | SUGGEST },
	{ 0, 0, "threads", NULL, "show a tree for each thread", FLAG(threads),
	  .commands = STACK },
	{ 0, 'f', "to", "FORMAT",
	  "html (the default), or svg: the flame graph as an\n"
	  "image",
	  WORD(picture, pictures), .commands = FLAME },
	{ 0, 0, "detail", "CALLS",
	  "show at most CALLS entries in the time line: short\n"
	  "calls share one; default: 100000",
	  /* With fewer entries a page shows next to nothing. */
	  NUMBER(detail, 1000, 1000000), .commands = FLAME },
	{ 0, 'f', "to", "FORMAT",
	  "chrome (the default): trace-event JSON, also for\n"
	  "Perfetto;\n"
	  "folded: stacks with self time, for flame graphs;\n"
	  "yaml: what \"llvm-xray convert\" writes;\n"
	  "json: all events by time, an object per line",
	  WORD(to, targets), .commands = CONVERT },
	{ 0, 0, "begin-end", NULL,
	  "with chrome: write an event for each entry and one\n"
	  "for each exit, not one for each call",
	  FLAG(begin_end), .commands = CONVERT },
	{ 0, 0, "threads", NULL,
	  "with folded: begin each stack with its thread", FLAG(threads),
	  .commands = CONVERT },
	{ 0, 0, "calls", NULL,
	  "with folded: write numbers of calls, not\n"
	  "nanoseconds",
	  FLAG(calls), .commands = CONVERT },
	{ 0, 0, "check", NULL,
	  "show only damages, and records in the wrong order;\n"
	  "exit 1 if there are any",
	  FLAG(check), .commands = DUMP },
	{ 0, 0, "hex", NULL, "show the data of events in hexadecimal",
	  FLAG(hex), .commands = DUMP },
	{ 0, 0, "wall-clock", NULL,
	  "show times of day, or since the system was\n"
	  "started, if the trace has them",
	  FLAG(wall_clock), .commands = DUMP },
	{ 0, 0, "compat", "WHAT", "llvm: print what llvm-xray prints",
	  OPTION_WORD(struct xray, llvm, compat, true),
	  .commands = DUMP | EXTRACT },
	{ 0 }
};

/* ---- values -------------------------------------------------------------- */

/* Divide the value of an option, such as "1=libfoo.so": returns the text after
 * '=', and stores the number, which must be below LIMIT, in *NUMBER.  Dies. */
static const char *numbered(const struct options *o, uint64_t limit,
			    uint64_t *number)
{
	const char *equals = strchr(o->value, '=');
	if (!equals || !equals[1] ||
	    number_parse(o->value, equals - o->value, number) != NUMBER_OK ||
	    *number >= limit)
		die_usage("--%s needs a number below %" PRIu64 ", '=' and a "
			  "%s, not '%s'", o->name, limit,
			  limit == XRAY_OBJECTS ? "file" : "name", o->value);
	return equals + 1;
}

static void name_event_type(struct xray *x, const struct options *o)
{
	uint64_t number;
	const char *name = numbered(o, UINT16_MAX + 1, &number);
	if (!x->event_types)
		x->event_types =
			must_have(calloc(UINT16_MAX + 1, sizeof(char *)));
	x->event_types[number] = (char *)name;
}

/* Keep the option ID, which needs more than its row says. */
static void take_option(struct xray *x, const struct options *o, int id)
{
	bool after = id == OPT_AFTER || id == OPT_AFTER_OBJECT;
	struct xray *side = after ? x->after : x;
	const char *path;
	uint64_t number;
	switch (id) {
	case OPT_OBJECT:
	case OPT_AFTER_OBJECT:
		path = numbered(o, XRAY_OBJECTS, &number);
		side->objects[number].path = path;
		break;
	case OPT_EVENT_TYPE:
		name_event_type(x, o);
		break;
	default:
		side->traces[side->trace_count++].path = o->value;
	}
}

/* Die if a trace is the output OUTPUT. */
static void check_output(const struct xray *x, const char *output)
{
	struct stat in, out;
	if (!output || stat(output, &out) != 0)
		return;
	for (; x; x = x->after)
		for (size_t i = 0; i < x->trace_count; i++)
			if (stat(x->traces[i].path, &in) == 0 &&
			    file_same(&in, &out) && S_ISREG(in.st_mode))
				die("cannot write '%s': it is the input",
				    output);
}

/* Die if operands and options do not fit the command or each other. */
static void check_options(struct xray *x, const struct xray_command *command)
{
	if (!x->trace_count)
		die_usage(command->bit & TRACES ? "no FILE is given"
						: "no PROGRAM is given");
	if (!(command->bit & TRACES)) {
		if (x->trace_count > 1)
			die_usage("%s takes one PROGRAM", command->name);
		x->objects[0].path = x->traces[0].path;
	}
	if (x->gsym_path && !x->objects[0].path)
		die_usage("--gsym needs --instr-map: only the program tells "
			  "the addresses of the functions in a trace");
	source_check_options(source_asked());
	if (sandbox_asked() != SANDBOX_OFF)
		source_check_sandbox(source_asked());
	check_output(x, x->output);
}

/* ---- diff ---------------------------------------------------------------- */

/* Make X->after, for a command that compares. */
static void begin_sides(struct xray *x, int argc)
{
	x->after = must_have(calloc(1, sizeof(*x->after)));
	x->after->traces =
		must_have(calloc((size_t)argc + 1, sizeof(*x->traces)));
	x->noise = UINT64_MAX;
}

/* Let PATH be the first trace of X. */
static void put_first(struct xray *x, const char *path)
{
	x->traces[x->trace_count++] = x->traces[0];
	x->traces[0].path = path;
}

/* Give each side its operand, BEFORE and AFTER, of the COUNT OPERANDS.  Options
 * that are not given for AFTER have the values of BEFORE. */
static void end_sides(struct xray *x, const char *const *operands,
		      size_t count)
{
	struct xray *after = x->after;
	if (count != 2)
		die_usage("diff needs two traces, BEFORE and AFTER");
	put_first(x, operands[0]);
	put_first(after, operands[1]);
	after->gsym_path = x->after_gsym;
	if (x->after_map) {
		after->objects[0].path = x->after_map;
	} else {
		after->objects[0].path = x->objects[0].path;
		if (!after->gsym_path)
			after->gsym_path = x->gsym_path;
	}
	for (int i = 1; i < XRAY_OBJECTS; i++)
		if (!after->objects[i].path)
			after->objects[i].path = x->objects[i].path;
	after->warn_of_damage = true;
	after->strict = x->strict;
	after->frequency = x->frequency;
	after->no_demangle = x->no_demangle;
}

/* ---- the command --------------------------------------------------------- */

/* The index of the command in ARGV, where options may precede it; 0: there is
 * none. */
static int find_command(int argc, char **argv)
{
	const struct tool tool = { .options = xray_options,
				   .command_bits = ALL,
				   .groups = groups };
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			return i;
		if (!strcmp(argv[i], "--"))
			return i + 1 < argc ? i + 1 : 0;
		if (options_takes_next(&tool, argv[i]))
			i++;
	}
	return 0;
}

/* Read a command line without a command: show the help or the version, or
 * die. */
static _Noreturn void overview(int argc, char **argv)
{
	static const char *const examples[] = {
		"gsym-xray info xray-log.prog.*", "what was recorded?",
		"gsym-xray account -m prog xray-log.prog.*",
		"what takes the time?",
		"gsym-xray convert -m prog -o trace.json xray-log.prog.*",
		"a file for Perfetto", NULL
	};
	struct option_spec table[COMMANDS + 2] = {
		{ .help = "Commands; each has its own --help" },
	};
	for (size_t i = 0; i < COMMANDS; i++)
		table[i + 1] = (struct option_spec){
			.id = (int)i + 1,
			.name = commands[i].name,
			.help = commands[i].line,
		};
	struct tool tool = {
		.name = "gsym-xray",
		.operands = "COMMAND FILE...",
		.summary = "Show traces of LLVM's XRay: calls with times, "
			   "names and lines.",
		.options = table,
		.commands = true,
		.examples = examples,
		.exit_status = exit_status,
	};
	struct options options;
	options_init(&options, &tool, NULL, argc, argv);
	while (options_next(&options) != OPTION_END)
		;
	die_usage("no COMMAND is given");
}

/* The command NAME, which may be llvm-xray's name of the command.  Dies if
 * there is none. */
static const struct xray_command *find_command_named(const char *name)
{
	if (!strcmp(name, "fdr-dump"))
		name = "dump";
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	die_usage("there is no command '%s'", name);
}

/* Turn llvm-xray's option "-instr_map" into "--instr-map". */
static void speak_llvm(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *name = argv[i] + (argv[i][0] == '-');
		name += *name == '-';
		if (name == argv[i] || strncmp(name, "instr_map", 9) != 0 ||
		    (name[9] && name[9] != '='))
			continue;
		must(asprintf(&argv[i], "--instr-map%s", name + 9) >= 0);
	}
}

const struct xray_command *xray_options_parse(struct xray *x, int argc,
					      char **argv)
{
	struct options options;
	const char **operands;
	size_t count = 0;
	bool two;
	int id, at;
	speak_llvm(argc, argv);
	at = find_command(argc, argv);
	if (!at)
		overview(argc, argv);
	const struct xray_command *command = find_command_named(argv[at]);
	report_set_command(command->name);
	/* Remove the command from the arguments. */
	for (int i = at; i < argc; i++)
		argv[i] = argv[i + 1];
	struct tool tool = {
		.name = "gsym-xray",
		.command = command->name,
		.operands = command->operands,
		.summary = command->summary,
		.options = xray_options,
		.command_bits = command->bit,
		.groups = groups,
		.examples = command->examples,
		.exit_status = exit_status,
	};
	options_init(&options, &tool, x, argc - 1, argv);
	two = command->bit == DIFF;
	if (two)
		begin_sides(x, argc);
	operands = must_have(calloc((size_t)argc + 1, sizeof(*operands)));
	while ((id = options_next(&options)) > 0)
		take_option(x, &options, id);
	for (; id != OPTION_END; id = options_next(&options))
		operands[count++] = options.value;
	options_fini(&options);
	if (two)
		end_sides(x, operands, count);
	for (size_t i = 0; i < count && !two; i++)
		x->traces[x->trace_count++].path = operands[i];
	free(operands);
	check_options(x, command);
	return command;
}
