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
	OPT_SANDBOX,
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
	OPT_SHORT_NAMES,
};

/* Sets of commands: a bit for each, by its index in "pages". */
enum {
	INFO = 1 << 0,
	ACCOUNT = 1 << 1,
	STACK = 1 << 2,
	GRAPH = 1 << 3,
	FLAME = 1 << 4,
	CONVERT = 1 << 5,
	DUMP = 1 << 6,
	EXTRACT = 1 << 7,
	SUGGEST = 1 << 8,
	TRACES = INFO | ACCOUNT | STACK | GRAPH | FLAME | CONVERT |
		 DUMP | SUGGEST,
	NAMES = TRACES & ~INFO,
	ALL = TRACES | EXTRACT,
};

/* The --help of a command. */
static const struct page {
	const char *name;
	const char *operands;
	/* The line of the command in the list of commands. */
	const char *line;
	const char *summary;
	const char *examples[5];
} pages[] = {
	{ "info", "FILE...", "what kind of traces these are, and their damages",
	  "Show mode, version, clock, threads and events of traces, when they "
	  "were\nrecorded, and what is damaged.",
	  { "gsym-xray info xray-log.prog.*", "what was recorded?" } },
	{ "account", "FILE...", "calls and times of each function",
	  "Show for each function the number of its calls, its total and self "
	  "time, and the\nshortest, median and longest call.",
	  { "gsym-xray account -m prog xray-log.prog.*", "what takes the time?",
	    "gsym-xray account -m prog -t 10 -s max log",
	    "the ten functions with the longest calls" } },
	{ "stack", "FILE...", "the tree of calls",
	  "Show the calls of all threads as one tree, or a tree for each "
	  "thread.",
	  { "gsym-xray stack -m prog --threads log", "what each thread did" } },
	{ "graph", "FILE...", "callers and callees, for Graphviz",
	  "Write a graph of callers and callees, with the time of the calls, "
	  "for Graphviz.",
	  { "gsym-xray graph -m prog log | dot -Tsvg >graph.svg",
	    "the graph as an image" } },
	{ "flame", "FILE...", "flame graph and time line, for a browser",
	  "Write a page with a flame graph and a time line of each thread, "
	  "with zoom and\nsearch.  It needs a browser and nothing else.",
	  { "gsym-xray flame -m prog -o trace.html log", "open it in a browser",
	    "gsym-xray flame --to=svg -m prog -o trace.svg log",
	    "the flame graph as an image" } },
	{ "convert", "FILE...", "traces for other programs",
	  "Write traces in a format that other programs read.",
	  { "gsym-xray convert -m prog -o trace.json log",
	    "a file for Perfetto (ui.perfetto.dev)",
	    "gsym-xray convert --to=folded -m prog log | flamegraph.pl",
	    "a flame graph" } },
	{ "dump", "FILE...", "all records",
	  "Show all records of traces, or check that they are in the right "
	  "order.",
	  { "gsym-xray dump -m prog log", "record by record, with names",
	    "gsym-xray dump --check log", "is the trace well-formed?" } },
	{ "extract", "PROGRAM", "the sleds of a program",
	  "Show the sleds of a program, the places that the runtime patches, "
	  "with the\nnumbers that traces use for functions.",
	  { "gsym-xray extract prog", "like \"llvm-xray extract\"" } },
	{ "suggest", "FILE...", "functions that are better not instrumented",
	  "Write a list for clang's option -fxray-attr-list: functions whose "
	  "calls take\nhardly longer than recording them.",
	  { "gsym-xray suggest -m prog log >attr.txt",
	    "clang -fxray-instrument -fxray-attr-list=attr.txt ..." } },
};
enum { PAGES = sizeof(pages) / sizeof(pages[0]) };

/* An option, and the commands that have it. */
static const struct choice {
	unsigned commands;
	struct option_spec spec;
} choices[] = {
	{ ALL, { 0, 0, NULL, NULL, "Names" } },
	{ TRACES, { OPT_MAP, 'm', "instr-map", "FILE",
	  "FILE is the traced program, or what extract\n"
	  "printed of it" } },
	{ NAMES | EXTRACT, { OPT_GSYM, 'g', "gsym", "FILE",
	  "read names from the GSYM file FILE; default: the\n"
	  "program's section .gsym, else a GSYM file with its\n"
	  "build ID, else its debug info" } },
	{ NAMES | EXTRACT,
	  { OPT_GSYM_DIRECTORY, 0, "gsym-file-directory", "DIR",
	  "search DIR for GSYM files,\n"
	  ".build-id/NN/REST.debug.gsym or REST.debug.gsym;\n"
	  "repeatable" } },
	{ NAMES | EXTRACT,
	  { OPT_DEBUG_DIRECTORY, 0, "debug-file-directory", "DIR",
	  "search DIR for GSYM files and for debug files;\n"
	  "repeatable; default: /usr/lib/debug" } },
	{ TRACES, { OPT_OBJECT, 0, "object", "N=FILE",
	  "FILE is the shared object with number N in the\n"
	  "traces; repeatable" } },
	{ NAMES | EXTRACT, { OPT_NO_DEMANGLE, 0, "no-demangle", NULL,
	  "show names as they are in the file" } },
	{ FLAME | CONVERT | DUMP, { OPT_EVENT_TYPE, 0, "event-type", "N=NAME",
	  "show typed events with number N as NAME;\n"
	  "repeatable" } },
	{ TRACES, { 0, 0, NULL, NULL, "Reading" } },
	{ TRACES, { OPT_STRICT, 0, "strict", NULL,
	  "damage in a trace is an error, not a warning" } },
	{ TRACES, { OPT_FREQUENCY, 0, "frequency", "HZ",
	  "a second has HZ ticks; default: what the trace\n"
	  "says" } },
	{ ALL, { OPT_QUIET, 'q', "quiet", NULL,
	  "show neither progress nor warnings" } },
	{ ALL, { OPT_SANDBOX, 0, "sandbox", "[=MODE]",
	  "keep only the rights to read files and to write\n"
	  "FILE: on (the default), or try, which goes on\n"
	  "where the kernel offers no sandbox" } },
	{ ALL, { 0, 0, NULL, NULL, "Output" } },
	{ ALL, { OPT_OUTPUT, 'o', "output", "FILE",
	  "write to FILE, which is replaced only when all is\n"
	  "written; '-' is standard output" } },
	{ INFO | DUMP | STACK, { OPT_FORMAT, 'f', "format", "FORMAT",
	  "text (the default), or json: an object per line" } },
	{ ACCOUNT, { OPT_FORMAT, 'f', "format", "FORMAT",
	  "text (the default), csv, or json: an object per\n"
	  "line" } },
	{ ACCOUNT, { OPT_SORT, 's', "sort", "KEY",
	  "sort by self (the default), total, calls, max,\n"
	  "name or id" } },
	{ ACCOUNT | SUGGEST, { OPT_TOP, 't', "top", "N",
	  "show only the first N functions" } },
	{ ACCOUNT, { OPT_ALL_LEVELS, 0, "all-levels", NULL,
	  "add every level of a recursion to the total, like\n"
	  "llvm-xray; default: the outermost calls" } },
	{ ACCOUNT, { OPT_SHORT_NAMES, 0, "short-names", NULL,
	  "in text, leave out the arguments of functions and\n"
	  "templates" } },
	{ ACCOUNT | SUGGEST, { OPT_BUDGET, 0, "budget", "MIB",
	  "use at most MIB MiB for exact percentiles;\n"
	  "default: 256" } },
	{ STACK, { OPT_THREADS, 0, "threads", NULL,
	  "show a tree for each thread" } },
	{ FLAME, { OPT_TO, 'f', "to", "FORMAT",
	  "html (the default), or svg: the flame graph as an\n"
	  "image" } },
	{ FLAME, { OPT_DETAIL, 0, "detail", "CALLS",
	  "show at most CALLS entries in the time line: short\n"
	  "calls share one; default: 100000" } },
	{ CONVERT, { OPT_TO, 'f', "to", "FORMAT",
	  "chrome (the default): trace-event JSON;\n"
	  "folded: stacks with self time, for flame graphs;\n"
	  "yaml: what \"llvm-xray convert\" writes;\n"
	  "json: all events by time, an object per line;\n"
	  "perfetto: Perfetto's own format" } },
	{ CONVERT, { OPT_BEGIN_END, 0, "begin-end", NULL,
	  "with chrome: write an event for each entry and one\n"
	  "for each exit, not one for each call" } },
	{ CONVERT, { OPT_THREADS, 0, "threads", NULL,
	  "with folded: begin each stack with its thread" } },
	{ CONVERT, { OPT_CALLS, 0, "calls", NULL,
	  "with folded: write numbers of calls, not\n"
	  "nanoseconds" } },
	{ DUMP, { OPT_CHECK, 0, "check", NULL,
	  "show only damages, and records in the wrong order;\n"
	  "exit 1 if there are any" } },
	{ DUMP, { OPT_HEX, 0, "hex", NULL,
	  "show the data of events in hexadecimal" } },
	{ DUMP, { OPT_WALL_CLOCK, 0, "wall-clock", NULL,
	  "show times of day, or since the system was\n"
	  "started, if the trace has them" } },
	{ DUMP | EXTRACT, { OPT_COMPAT, 0, "compat", "WHAT",
	  "llvm: print what llvm-xray prints" } },
};
enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static const char exit_status[] =
	"0 done, even if a trace is damaged; 1 see dump --check;\n"
	"2 error, or a trace is damaged and --strict was given.";

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
		x->event_types = calloc(UINT16_MAX + 1, sizeof(char *));
	if (!x->event_types)
		die("out of memory");
	x->event_types[number] = (char *)name;
}

/* Keep the option ID, whose value is one of a list of words. */
static void take_choice(struct xray *x, const struct options *o, int id)
{
	static const char *const formats[] = { "text", "json", NULL };
	static const char *const tables[] = { "text", "json", "csv", NULL };
	static const char *const keys[] = { "self", "total", "calls", "max",
					    "name", "id", NULL };
	static const char *const targets[] = { "chrome", "folded", "yaml",
					       "json", "perfetto", NULL };
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

/* Keep the option ID and return true if it is a flag or a string; otherwise
 * return false. */
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
		{ OPT_SHORT_NAMES, .on = &x->short_names },
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

/* Keep any other option. */
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
	case OPT_SANDBOX:
		x->sandbox = sandbox_option(o);
		break;
	case OPT_FREQUENCY:
		x->frequency = options_number(o, 1, UINT64_MAX);
		break;
	case OPT_TOP:
		x->top = options_number(o, 1, UINT64_MAX);
		break;
	case OPT_DETAIL:
		/* With fewer entries a page shows next to nothing. */
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

/* Die if operands and options do not fit the command or each other. */
static void check_options(struct xray *x, const struct xray_command *command)
{
	if (!x->trace_count)
		die_usage(command->traces ? "no FILE is given"
					  : "no PROGRAM is given");
	if (!command->traces) {
		if (x->trace_count > 1)
			die_usage("%s takes one PROGRAM", command->name);
		x->objects[0].path = x->traces[0].path;
	}
	if (x->gsym_path && !x->objects[0].path)
		die_usage("--gsym needs --instr-map: only the program tells "
			  "the addresses of the functions in a trace");
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

/* The index of the command in ARGV, where options may precede it; 0: there is
 * none. */
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

/* Fill TABLE with the options of the commands in MASK, under the headings that
 * have options. */
static void table_of(unsigned mask, struct option_spec table[CHOICES + 1])
{
	size_t count = 0;
	for (size_t i = 0; i < CHOICES; i++) {
		if (!(choices[i].commands & mask))
			continue;
		/* Replace a heading that has no options. */
		if (!choices[i].spec.name && count && !table[count - 1].name)
			count--;
		table[count++] = choices[i].spec;
	}
	table[count] = (struct option_spec){ 0 };
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

/* The index of the page of the command NAME, which may be llvm-xray's name of
 * the command.  Dies if there is none. */
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

/* Turn llvm-xray's option "-instr_map" into "--instr-map". */
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
	/* Remove the command from the arguments. */
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
