/* SPDX-License-Identifier: MIT */
/*
 * gsym-xray - flight recorder traces with names and lines.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/number.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "xray.h"

enum {
	OPT_MAP = 1,
	OPT_GSYM,
	OPT_OBJECT,
	OPT_STRICT,
	OPT_FREQUENCY,
	OPT_FORMAT,
	OPT_COMPAT,
	OPT_SORT,
	OPT_TOP,
	OPT_ALL_LEVELS,
	OPT_BUDGET,
	OPT_TO,
	OPT_THREADS,
	OPT_CALLS,
	OPT_NO_DEMANGLE,
	OPT_QUIET,
};

static const struct option_spec xray_options[] = {
	{ 0, 0, NULL, NULL,
	  "Commands: info, dump, account, stack, graph, convert,\nextract\n"
	  "Names" },
	{ OPT_MAP, 'm', "instr-map", "FILE", "the traced program" },
	{ OPT_GSYM, 'g', "gsym", "FILE",
	  "its GSYM file; without, names come from the\n"
	  "program's own debug info" },
	{ OPT_OBJECT, 0, "object", "N=FILE",
	  "the shared object that the trace numbers N" },
	{ OPT_NO_DEMANGLE, 0, "no-demangle", NULL, "names as they are" },
	{ 0, 0, NULL, NULL, "Reading" },
	{ OPT_STRICT, 0, "strict", NULL, "refuse traces that are damaged" },
	{ OPT_FREQUENCY, 0, "frequency", "HZ",
	  "ticks a second, if the trace is wrong" },
	{ OPT_QUIET, 'q', "quiet", NULL, "no progress, no warnings" },
	{ 0, 0, NULL, NULL, "Output" },
	{ OPT_FORMAT, 'f', "format", "FORMAT",
	  "text, json or csv (info, dump, account)" },
	{ OPT_COMPAT, 0, "compat", "WHAT",
	  "llvm: dump as \"llvm-xray fdr-dump\" does" },
	{ OPT_SORT, 's', "sort", "KEY",
	  "account by self (the default), total, calls,\n"
	  "max, name or id" },
	{ OPT_TOP, 't', "top", "N", "account: the first N functions" },
	{ OPT_ALL_LEVELS, 0, "all-levels", NULL,
	  "account: every level of a recursion adds to\n"
	  "the total, as in llvm-xray" },
	{ OPT_BUDGET, 0, "budget", "MIB",
	  "account: memory for exact percentiles (256)" },
	{ OPT_TO, 0, "to", "FORMAT",
	  "convert to chrome, folded, yaml or json" },
	{ OPT_THREADS, 0, "threads", NULL, "folded: threads as roots" },
	{ OPT_CALLS, 0, "calls", NULL, "folded: calls, not nanoseconds" },
	{ 0 }
};

static const char *const xray_examples[] = {
	"gsym-xray account -m prog xray-log.prog.*", "what takes the time?",
	"gsym-xray convert --to=chrome -m prog log", "a file for Perfetto",
	NULL
};

static const struct tool xray_tool = {
	.name = "gsym-xray",
	.operands = "COMMAND FILE...",
	.summary = "Show traces of LLVM's XRay: calls with times, names and "
		   "lines.",
	.options = xray_options,
	.examples = xray_examples,
	.exit_status = "0 done, also if a trace is damaged; 2 something went "
		       "wrong, or a\ntrace is damaged and --strict was given.",
};

static void convert(struct xray *x)
{
	if (x->to == XRAY_TO_CHROME)
		xray_to_chrome(x);
	else if (x->to == XRAY_TO_FOLDED)
		xray_to_folded(x);
	else
		xray_to_timeline(x);
}

static const struct {
	const char *name;
	void (*run)(struct xray *x);
	bool traces;
} commands[] = {
	{ "info", xray_info, true },
	{ "dump", xray_dump, true },
	{ "account", xray_account, true },
	{ "convert", convert, true },
	{ "stack", xray_stack, true },
	{ "graph", xray_graph, true },
	{ "extract", xray_extract, false },
};

/* "1=libfoo.so" */
static void add_object(struct xray *x, const char *value)
{
	const char *equals = strchr(value, '=');
	uint64_t number;
	if (!equals || !equals[1] ||
	    number_parse(value, equals - value, &number) != NUMBER_OK ||
	    number >= XRAY_OBJECTS)
		die_usage("--object needs a number below %d, '=' and a file, "
			  "not '%s'", XRAY_OBJECTS, value);
	x->objects[number].path = equals + 1;
}

static void take_option(struct xray *x, const struct options *o, int id,
			bool *plain)
{
	static const char *const formats[] = { "text", "json", "csv", NULL };
	static const char *const keys[] = { "self", "total", "calls", "max",
					    "name", "id", NULL };
	static const char *const targets[] = { "chrome", "folded", "yaml",
					       "json", NULL };
	static const char *const compat[] = { "llvm", NULL };
	switch (id) {
	case OPT_MAP:
		x->objects[0].path = o->value;
		break;
	case OPT_GSYM:
		x->gsym_path = o->value;
		break;
	case OPT_OBJECT:
		add_object(x, o->value);
		break;
	case OPT_STRICT:
		x->strict = true;
		break;
	case OPT_FREQUENCY:
		x->frequency = options_number(o, 1, UINT64_MAX);
		break;
	case OPT_FORMAT:
		x->format = options_choice(o, formats);
		break;
	case OPT_COMPAT:
		options_choice(o, compat);
		x->llvm = true;
		break;
	case OPT_SORT:
		x->sort = options_choice(o, keys);
		break;
	case OPT_TOP:
		x->top = options_number(o, 1, UINT64_MAX);
		break;
	case OPT_ALL_LEVELS:
		x->all_levels = true;
		break;
	case OPT_BUDGET:
		x->budget = options_number(o, 1, 1 << 20) << 20;
		break;
	case OPT_TO:
		x->to = options_choice(o, targets);
		break;
	case OPT_THREADS:
		x->threads = true;
		break;
	case OPT_CALLS:
		x->calls = true;
		break;
	case OPT_NO_DEMANGLE:
		*plain = true;
		break;
	case OPT_QUIET:
		x->quiet = true;
		break;
	}
}

uint64_t xray_frequency(const struct xray *x, const struct gsym_xray_log *log)
{
	struct gsym_xray_header header;
	gsym_xray_header(log, &header);
	return x->frequency ? x->frequency : header.frequency;
}

static void note_damage(void *context, enum gsym_xray_damage damage,
			uint64_t offset, const char *text)
{
	struct xray *x = context;
	(void)offset;
	/* The first few of a kind say what is wrong; all are counted. */
	if (x->damages[damage]++ < 4 && !x->quiet)
		warn("'%s': %s", x->reading->path, text);
}

static bool note_progress(void *context, uint64_t done, uint64_t total)
{
	struct xray *x = context;
	progress_update(done, total);
	xray_drop_pages(x->reading, done);
	return true;
}

static void open_traces(struct xray *x)
{
	struct gsym_xray_options options = {
		.strict = x->strict,
		.damage = note_damage,
		.progress = note_progress,
		.context = x,
	};
	for (size_t i = 0; i < x->trace_count; i++) {
		struct gsym_error error = { 0 };
		x->reading = &x->traces[i];
		xray_map_file(x->traces[i].path, &x->traces[i]);
		progress_start("indexing", x->quiet);
		enum gsym_status status =
			gsym_xray_open(x->traces[i].data, x->traces[i].size,
				       &options, &x->logs[i], &error);
		progress_end();
		if (status != GSYM_OK)
			die_status("read", x->traces[i].path, status, &error);
	}
	for (int i = 0; i < GSYM_XRAY_DAMAGE_COUNT && !x->quiet; i++)
		if (x->damages[i] > 4)
			warn("damages of kind %s: %llu",
			     gsym_xray_damage_name(i),
			     (unsigned long long)x->damages[i]);
}

void xray_replay(struct xray *x, struct gsym_xray_stack *stack,
		 void (*thread)(void *context, struct gsym_xray_log *log,
				const struct gsym_xray_thread *thread),
		 void *context)
{
	for (size_t i = 0; i < x->trace_count; i++)
		for (uint32_t t = 0; t < gsym_xray_thread_count(x->logs[i]);
		     t++) {
			struct gsym_xray_thread known;
			struct gsym_xray_event event;
			struct gsym_xray_iter *iter;
			x->reading = &x->traces[i];
			gsym_xray_thread_at(x->logs[i], t, &known);
			if (thread)
				thread(context, x->logs[i], &known);
			if (gsym_xray_events(x->logs[i], t, &iter, NULL) !=
			    GSYM_OK)
				die("out of memory");
			while (gsym_xray_next(iter, &event)) {
				if (gsym_xray_stack_event(stack, &event) !=
				    GSYM_OK)
					die("out of memory");
				xray_passed(x, event.offset);
			}
			gsym_xray_iter_free(iter);
			if (gsym_xray_stack_end(stack) != GSYM_OK)
				die("out of memory");
		}
}

void xray_repairs(const struct xray *x, const struct gsym_xray_repairs *r)
{
	if (x->quiet || !(r->orphans | r->inferred | r->unfinished))
		return;
	warn("exits without entry: %llu, exits inferred: %llu, calls "
	     "unfinished: %llu", (unsigned long long)r->orphans,
	     (unsigned long long)r->inferred,
	     (unsigned long long)r->unfinished);
}

int main(int argc, char **argv)
{
	/* Static, for leak checkers: die() leaves them as they are. */
	static struct xray x;
	struct options options;
	size_t command = 0, count = sizeof(commands) / sizeof(commands[0]);
	bool plain = false;
	int id;

	report_start("gsym-xray");
	x.traces = calloc(argc, sizeof(*x.traces));
	x.logs = calloc(argc, sizeof(struct gsym_xray_log *));
	if (!x.traces || !x.logs)
		die("out of memory");
	options_init(&options, &xray_tool, argc, argv);
	while ((id = options_next(&options)) > 0)
		take_option(&x, &options, id, &plain);
	if (id == OPTION_END)
		die_usage("no COMMAND is given");
	while (command < count &&
	       strcmp(commands[command].name, options.value) != 0)
		command++;
	if (command == count)
		die_usage("there is no command '%s'", options.value);
	while (options_next(&options) != OPTION_END)
		x.traces[x.trace_count++].path = options.value;
	if (!x.trace_count)
		die_usage("no FILE is given");
	if (!plain)
		x.demangler = demangler_new();
	out_init(&x.out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	json_init(&x.json, &x.out);
	if (commands[command].traces) {
		open_traces(&x);
		xray_names_open(&x);
		if (!x.quiet)
			xray_check_maps(&x);
	}
	commands[command].run(&x);
	out_fini(&x.out);
	for (size_t i = 0; i < x.trace_count; i++)
		gsym_xray_close(x.logs[i]);
	demangler_free(x.demangler);
	xray_names_close(&x);
	free(x.logs);
	free(x.traces);
	options_fini(&options);
	return STATUS_DONE;
}
