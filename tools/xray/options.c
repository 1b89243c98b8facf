/* SPDX-License-Identifier: MIT */
/* The command line of gsym-xray: each command has options of its own. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/number.h"
#include "common/options.h"
#include "common/report.h"
#include "xray/xray.h"

enum {
	OPT_MAP = 1,
	OPT_GSYM,
	OPT_GSYM_DIRECTORY,
	OPT_DEBUG_DIRECTORY,
	OPT_OBJECT,
	OPT_NO_DEMANGLE,
	OPT_STRICT,
	OPT_FREQUENCY,
	OPT_QUIET,
	OPT_OUTPUT,
	OPT_FORMAT,
	OPT_COMPAT,
	OPT_CHECK,
	OPT_HEX,
	OPT_WALL_CLOCK,
	OPT_SORT,
	OPT_TOP,
	OPT_ALL_LEVELS,
	OPT_BUDGET,
	OPT_TO,
	OPT_THREADS,
	OPT_CALLS,
	OPT_BEGIN_END,
	OPT_EVENT_TYPE,
	OPT_DETAIL,
};

/* The commands that have an option: bit N stands for command N of "pages". */
enum {
	INFO = 1 << 0,
	ACCOUNT = 1 << 1,
	STACK = 1 << 2,
	GRAPH = 1 << 3,
	FLAME = 1 << 4,
	CONVERT = 1 << 5,
	DUMP = 1 << 6,
	EXTRACT = 1 << 7,
	TRACES = INFO | ACCOUNT | STACK | GRAPH | FLAME | CONVERT |
		 DUMP,
	NAMES = TRACES & ~INFO,
	ALL = TRACES | EXTRACT,
};

/* The page that --help prints about a command. */
static const struct page {
	const char *name;
	const char *operands;
	/* The line of the command in the list of commands. */
	const char *line;
	const char *summary;
	const char *examples[5];
} pages[] = {
	{ "info", "FILE...", "what a trace is, and what is wrong with it",
	  "Say what traces are: mode, version, clock, threads, events, when "
	  "they were made,\nand what is damaged.",
	  { "gsym-xray info xray-log.prog.*", "before anything else" } },
	{ "account", "FILE...", "what each function took",
	  "For each function: how often it was called, its total and self "
	  "time, and how its\ncalls are spread.",
	  { "gsym-xray account -m prog xray-log.prog.*", "what takes the time?",
	    "gsym-xray account -m prog -t 10 -s max log",
	    "the ten functions with the longest calls" } },
	{ "stack", "FILE...", "who called whom, as a tree",
	  "Show the calls of all threads as one tree, or a tree for each.",
	  { "gsym-xray stack -m prog --threads log", "what each thread did" } },
	{ "graph", "FILE...", "who called whom, for Graphviz",
	  "Draw who called whom, and how long that took.",
	  { "gsym-xray graph -m prog log | dot -Tsvg >graph.svg",
	    "a picture" } },
	{ "flame", "FILE...", "flame graph and time line, for a browser",
	  "Write a page that shows a flame graph and what each thread did "
	  "over time, with\nzoom and search.  It needs nothing but a browser.",
	  { "gsym-xray flame -m prog -o trace.html log", "open it in a browser",
	    "gsym-xray flame --to=svg -m prog -o trace.svg log",
	    "the flame graph as an image" } },
	{ "convert", "FILE...", "traces for other programs",
	  "Write traces in a form that other programs read.",
	  { "gsym-xray convert -m prog -o trace.json log",
	    "a file for Perfetto (ui.perfetto.dev)",
	    "gsym-xray convert --to=folded -m prog log | flamegraph.pl",
	    "a flame graph" } },
	{ "dump", "FILE...", "every record",
	  "Show every record of traces, or check the order that they are in.",
	  { "gsym-xray dump -m prog log", "record by record, with names",
	    "gsym-xray dump --check log", "is the trace well-formed?" } },
	{ "extract", "PROGRAM", "the sleds of a program",
	  "Show the places that the runtime patches, with the numbers that "
	  "traces use for\nfunctions.",
	  { "gsym-xray extract prog", "as \"llvm-xray extract\"" } },
};
enum { PAGES = sizeof(pages) / sizeof(pages[0]) };

static const struct choice {
	unsigned commands;
	struct option_spec spec;
} choices[] = {
	{ ALL, { 0, 0, NULL, NULL, "Names" } },
	{ TRACES, { OPT_MAP, 'm', "instr-map", "FILE",
	  "the traced program" } },
	{ NAMES | EXTRACT, { OPT_GSYM, 'g', "gsym", "FILE",
	  "its GSYM file; without, names come from where\n"
	  "its build ID leads, else from its debug info" } },
	{ NAMES | EXTRACT,
	  { OPT_GSYM_DIRECTORY, 0, "gsym-file-directory", "DIR",
	  "look for .build-id/NN/REST.debug.gsym and for\n"
	  "REST.debug.gsym in DIR; repeatable" } },
	{ NAMES | EXTRACT,
	  { OPT_DEBUG_DIRECTORY, 0, "debug-file-directory", "DIR",
	  "look in DIR as well, and for debug files;\n"
	  "repeatable; default: /usr/lib/debug" } },
	{ TRACES, { OPT_OBJECT, 0, "object", "N=FILE",
	  "the shared object that the trace numbers N;\n"
	  "repeatable" } },
	{ NAMES | EXTRACT, { OPT_NO_DEMANGLE, 0, "no-demangle", NULL,
	  "names as they are" } },
	{ FLAME | CONVERT | DUMP, { OPT_EVENT_TYPE, 0, "event-type", "N=NAME",
	  "what the typed events with number N are called;\n"
	  "repeatable" } },
	{ TRACES, { 0, 0, NULL, NULL, "Reading" } },
	{ TRACES, { OPT_STRICT, 0, "strict", NULL,
	  "refuse traces that are damaged" } },
	{ TRACES, { OPT_FREQUENCY, 0, "frequency", "HZ",
	  "ticks a second, if the trace is wrong" } },
	{ ALL, { OPT_QUIET, 'q', "quiet", NULL, "no progress, no warnings" } },
	{ ALL, { 0, 0, NULL, NULL, "Output" } },
	{ ALL, { OPT_OUTPUT, 'o', "output", "FILE",
	  "write to FILE, which appears whole or not at all" } },
	{ INFO | DUMP | STACK, { OPT_FORMAT, 'f', "format", "FORMAT",
	  "text (the default) or json, one object a line" } },
	{ ACCOUNT, { OPT_FORMAT, 'f', "format", "FORMAT",
	  "text (the default), csv or json" } },
	{ ACCOUNT, { OPT_SORT, 's', "sort", "KEY",
	  "by self (the default), total, calls, max, name\n"
	  "or id" } },
	{ ACCOUNT, { OPT_TOP, 't', "top", "N", "the first N functions" } },
	{ ACCOUNT, { OPT_ALL_LEVELS, 0, "all-levels", NULL,
	  "every level of a recursion adds to the total,\n"
	  "as in llvm-xray" } },
	{ ACCOUNT, { OPT_BUDGET, 0, "budget", "MIB",
	  "memory for exact percentiles (256)" } },
	{ STACK, { OPT_THREADS, 0, "threads", NULL,
	  "a tree for each thread" } },
	{ FLAME, { OPT_TO, 'f', "to", "FORMAT",
	  "html (the default), or svg: the flame graph as an\n"
	  "image" } },
	{ FLAME, { OPT_DETAIL, 0, "detail", "CALLS",
	  "the most calls in the time line before short\n"
	  "ones are drawn together (100000)" } },
	{ CONVERT, { OPT_TO, 'f', "to", "FORMAT",
	  "chrome (the default): trace-event JSON;\n"
	  "folded: stacks with self time, for flame graphs;\n"
	  "yaml: what \"llvm-xray convert\" writes;\n"
	  "json: all events by time, one object a line" } },
	{ CONVERT, { OPT_BEGIN_END, 0, "begin-end", NULL,
	  "chrome: an event for each entry and each exit" } },
	{ CONVERT, { OPT_THREADS, 0, "threads", NULL,
	  "folded: threads as roots" } },
	{ CONVERT, { OPT_CALLS, 0, "calls", NULL,
	  "folded: calls, not nanoseconds" } },
	{ DUMP, { OPT_CHECK, 0, "check", NULL,
	  "show only what is damaged or out of order;\n"
	  "exit 1 if anything is" } },
	{ DUMP, { OPT_HEX, 0, "hex", NULL,
	  "the bytes of events in hexadecimal" } },
	{ DUMP, { OPT_WALL_CLOCK, 0, "wall-clock", NULL,
	  "times of the day, or since the system was\n"
	  "started, as far as the trace has them" } },
	{ DUMP | EXTRACT, { OPT_COMPAT, 0, "compat", "WHAT",
	  "llvm: what llvm-xray prints" } },
};
enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static const char exit_status[] =
	"0 done, also if a trace is damaged; 1 see dump --check;\n"
	"2 something went wrong, or a trace is damaged and --strict was "
	"given.";

/* ---- values -------------------------------------------------------------- */

/* "1=libfoo.so": the number goes to *NUMBER. */
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
		x->event_types = calloc(UINT16_MAX + 1, sizeof(char *));
	if (!x->event_types)
		die("out of memory");
	x->event_types[number] = (char *)name;
}

static void take_choice(struct xray *x, const struct options *o, int id)
{
	static const char *const formats[] = { "text", "json", NULL };
	static const char *const tables[] = { "text", "json", "csv", NULL };
	static const char *const keys[] = { "self", "total", "calls", "max",
					    "name", "id", NULL };
	static const char *const targets[] = { "chrome", "folded", "yaml",
					       "json", NULL };
	static const char *const pictures[] = { "html", "svg", NULL };
	static const char *const compat[] = { "llvm", NULL };
	switch (id) {
	case OPT_FORMAT:
		x->format = options_choice(
			o, strcmp(o->tool->command, "account") ? formats
							       : tables);
		break;
	case OPT_COMPAT:
		options_choice(o, compat);
		x->llvm = true;
		break;
	case OPT_SORT:
		x->sort = options_choice(o, keys);
		break;
	case OPT_TO:
		if (!strcmp(o->tool->command, "flame"))
			x->picture = options_choice(o, pictures);
		else
			x->to = options_choice(o, targets);
		break;
	}
}

/* Set options whose values need no parsing. */
static bool take_plain(struct xray *x, const struct options *o, int id)
{
	const struct option_place places[] = {
		{ OPT_NO_DEMANGLE, .on = &x->no_demangle },
		{ OPT_STRICT, .on = &x->strict },
		{ OPT_QUIET, .on = &x->quiet },
		{ OPT_CHECK, .on = &x->check },
		{ OPT_HEX, .on = &x->hex },
		{ OPT_WALL_CLOCK, .on = &x->wall_clock },
		{ OPT_ALL_LEVELS, .on = &x->all_levels },
		{ OPT_THREADS, .on = &x->threads },
		{ OPT_CALLS, .on = &x->calls },
		{ OPT_BEGIN_END, .on = &x->begin_end },
		{ OPT_MAP, .value = &x->objects[0].path },
		{ OPT_GSYM, .value = &x->gsym_path },
		{ OPT_OUTPUT, .value = &x->output },
		{ 0 }
	};
	return options_keep(o, id, places);
}

static void take_option(struct xray *x, const struct options *o, int id)
{
	enum gsym_status status = GSYM_OK;
	uint64_t number;
	switch (id) {
	case OPT_GSYM_DIRECTORY:
		status = gsym_store_add_gsym_directory(x->store, o->value);
		break;
	case OPT_DEBUG_DIRECTORY:
		x->debug_directories =
			reallocarray(x->debug_directories,
				     x->debug_directory_count + 1,
				     sizeof(o->value));
		if (!x->debug_directories)
			die("out of memory");
		x->debug_directories[x->debug_directory_count++] = o->value;
		status = gsym_store_add_debug_directory(x->store, o->value);
		break;
	case OPT_OBJECT: {
		const char *path = numbered(o, XRAY_OBJECTS, &number);
		x->objects[number].path = path;
		break;
	}
	case OPT_EVENT_TYPE:
		name_event_type(x, o);
		break;
	case OPT_FREQUENCY:
		x->frequency = options_number(o, 1, UINT64_MAX);
		break;
	case OPT_TOP:
		x->top = options_number(o, 1, UINT64_MAX);
		break;
	case OPT_DETAIL:
		/* The least budget: some calls at each depth of each thread. */
		x->detail = options_number(o, 1000, 1000000);
		break;
	case OPT_BUDGET:
		x->budget = options_number(o, 1, 1 << 20) << 20;
		break;
	default:
		take_choice(x, o, id);
		break;
	}
	if (status != GSYM_OK)
		die("out of memory");
}

/* Refuse options that contradict each other. */
static void check_options(struct xray *x, const struct xray_command *command)
{
	if (!x->trace_count)
		die_usage("no FILE is given");
	if (!command->traces) {
		if (x->trace_count > 1)
			die_usage("%s takes one program", command->name);
		x->objects[0].path = x->traces[0].path;
	}
	if (x->gsym_path && !x->objects[0].path)
		die_usage("--gsym needs --instr-map: the trace has numbers, "
			  "which the program turns into addresses");
	for (size_t i = 0; x->output && i < x->trace_count; i++) {
		struct stat in, out;
		if (stat(x->traces[i].path, &in) == 0 &&
		    stat(x->output, &out) == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino && S_ISREG(in.st_mode))
			die("cannot write '%s': it is the input", x->output);
	}
}

/* ---- commands ------------------------------------------------------------ */

/* Whether ARGUMENT is an option whose value is the next argument. */
static bool takes_next(const char *argument)
{
	for (size_t i = 0; i < CHOICES; i++) {
		const struct option_spec *s = &choices[i].spec;
		size_t length = strlen(argument);
		if (!s->value || length < 2)
			continue;
		if (argument[1] == '-' ? !strcmp(argument + 2, s->name)
				       : argument[length - 1] == s->letter)
			return true;
	}
	return false;
}

/* The index of the command among the arguments, after global options; 0 if
 * there is no command. */
static int find_command(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			return i;
		if (!strcmp(argv[i], "--"))
			return i + 1 < argc ? i + 1 : 0;
		if (takes_next(argv[i]))
			i++;
	}
	return 0;
}

/* Fill the table of options with those of the commands in MASK. */
static void table_of(unsigned mask, struct option_spec table[CHOICES + 1])
{
	size_t count = 0;
	for (size_t i = 0; i < CHOICES; i++) {
		if (!(choices[i].commands & mask))
			continue;
		/* A heading without options is left out. */
		if (!choices[i].spec.name && count && !table[count - 1].name)
			count--;
		table[count++] = choices[i].spec;
	}
	table[count] = (struct option_spec){ 0 };
}

/* Without a command only --help and --version are accepted. */
static _Noreturn void overview(int argc, char **argv)
{
	static const char *const examples[] = {
		"gsym-xray info xray-log.prog.*", "what was recorded?",
		"gsym-xray account -m prog xray-log.prog.*",
		"what takes the time?",
		"gsym-xray convert -m prog -o trace.json xray-log.prog.*",
		"a file for Perfetto", NULL
	};
	struct option_spec table[PAGES + 2] = {
		{ 0, 0, NULL, NULL, "Commands; each has its own --help" },
	};
	for (size_t i = 0; i < PAGES; i++)
		table[i + 1] = (struct option_spec){
			.id = (int)i + 1,
			.name = pages[i].name,
			.help = pages[i].line,
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
	options_init(&options, &tool, argc, argv);
	while (options_next(&options) != OPTION_END)
		;
	die_usage("no COMMAND is given");
}

/* The index of the command NAME, or of llvm-xray's name for a command. */
static unsigned find_page(const char *name)
{
	unsigned page = 0;
	if (!strcmp(name, "fdr-dump"))
		name = "dump";
	while (page < PAGES && strcmp(pages[page].name, name) != 0)
		page++;
	if (page == PAGES)
		die_usage("there is no command '%s'", name);
	return page;
}

/* Replace llvm-xray's spellings of options, such as "-instr_map", by ours. */
static void speak_llvm(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *name = argv[i] + (argv[i][0] == '-');
		name += *name == '-';
		if (name == argv[i] || strncmp(name, "instr_map", 9) != 0 ||
		    (name[9] && name[9] != '='))
			continue;
		if (asprintf(&argv[i], "--instr-map%s", name + 9) < 0)
			die("out of memory");
	}
}

const struct xray_command *
xray_options_parse(struct xray *x, const struct xray_command *commands,
		   int argc, char **argv)
{
	struct option_spec table[CHOICES + 1];
	struct options options;
	int id, at;
	speak_llvm(argc, argv);
	at = find_command(argc, argv);
	if (!at)
		overview(argc, argv);
	unsigned page = find_page(argv[at]);
	report_set_command(pages[page].name);
	/* Parse the arguments without the command's name. */
	for (int i = at; i < argc; i++)
		argv[i] = argv[i + 1];
	table_of(1u << page, table);
	struct tool tool = {
		.name = "gsym-xray",
		.command = pages[page].name,
		.operands = pages[page].operands,
		.summary = pages[page].summary,
		.options = table,
		.examples = pages[page].examples,
		.exit_status = exit_status,
	};
	options_init(&options, &tool, argc - 1, argv);
	while ((id = options_next(&options)) > 0)
		if (!take_plain(x, &options, id))
			take_option(x, &options, id);
	for (; id != OPTION_END; id = options_next(&options))
		x->traces[x->trace_count++].path = options.value;
	options_fini(&options);
	while (strcmp(commands->name, pages[page].name) != 0)
		commands++;
	check_options(x, commands);
	return commands;
}
