/* SPDX-License-Identifier: MIT */
/* The options of gsym-markup, and its --help. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "common/path.h"
#include "common/report.h"
#include "markup/markup.h"

/* The numbers of the options. */
enum {
	OPT_MODULE = 1,
	OPT_NO_VERIFY,
	OPT_CHECK,
	OPT_COPY,
	OPT_FOLLOW,
	OPT_STYLE,
	OPT_COMPAT,
	OPT_FORMAT,
	OPT_COLOR,
	OPT_STRIP_ANSI,
	OPT_MODULE_LINES,
	OPT_HEXDICT,
	OPT_PC_INLINES,
	OPT_INDENT,
	OPT_BASENAMES,
	OPT_NO_DEMANGLE,
	OPT_RAW_NAMES,
	OPT_UNSUFFIXED,
	OPT_BY_PROCESS,
	OPT_KERNEL_PROCESS,
	OPT_DUMPFILE_OUTPUT,
	OPT_ON_DUMPFILE,
	OPT_SOURCE_URL,
	OPT_DUMPFILE_URL,
	OPT_TITLE,
	OPT_STRICT,
	OPT_LOGS,
	OPT_LOG_STYLE,
	OPT_LOG_INLINES,
	OPT_STRIP_PREFIX,
	OPT_SYMBOLS,
	OPT_ROOT,
	OPT_KERNEL,
	OPT_RELEASE,
	OPT_STATS,
	OPT_EXPLAIN,
	OPT_SOURCE_LINES,
	OPT_SOURCE_ROOT,
	OPT_CRASHES,
	OPT_OUTPUT_DIR,
	OPT_PAGE_SIZE,
};

static const struct option_spec markup_options[] = {
	{ 0, 0, NULL, NULL, "Symbols" },
	OPTION_GROUP(0),
	{ OPT_MODULE, 0, "module", "FILE[@ADDRESS]",
	  "the functions of the GSYM file FILE are loaded at\n"
	  "ADDRESS, or where they were linked to; for logs that\n"
	  "do not say; repeatable" },
	{ OPT_NO_VERIFY, 0, "no-verify", NULL,
	  "use GSYM files that have another build ID" },
	{ OPT_CHECK, 0, "check", NULL,
	  "read each GSYM file whole before it is used, and do\n"
	  "not use it if it has a checksum that is wrong" },
	{ OPT_COPY, 0, "copy", NULL,
	  "read GSYM files to memory instead of mapping them" },
	{ 0, 0, NULL, NULL, "Backtraces without markup" },
	{ OPT_LOGS, 0, "logs", "[=LIST]",
	  "read the forms of LIST, such as kernel,jvm;\n"
	  "auto, the default: all but maps" },
	{ OPT_SYMBOLS, 0, "symbols", "DIR",
	  "use GSYM files below DIR by base names; repeatable" },
	{ OPT_KERNEL, 0, "kernel", "FILE",
	  "the GSYM file of the kernel, beside those of modules" },
	{ OPT_RELEASE, 0, "release", "REL",
	  "the kernel's release where the log does not say" },
	{ OPT_ROOT, 0, "root", "DIR",
	  "read build IDs of files at logged paths below DIR" },
	{ OPT_LOG_STYLE, 0, "log-style", "STYLE",
	  "default, or script: as other programs write them" },
	{ OPT_LOG_INLINES, 0, "log-inlines", "HOW", "lines, none or short" },
	{ OPT_STRIP_PREFIX, 0, "strip-prefix", "PREFIX",
	  "show files without PREFIX; auto (default): kernel's" },
	{ OPT_SOURCE_LINES, 0, "source-lines", "N",
	  "show N lines of source code, up to 20, at each place" },
	{ OPT_SOURCE_ROOT, 0, "source-root", "DIR",
	  "source code is below DIR; repeatable" },
	{ OPT_STATS, 0, "stats", NULL, "count frames, to standard error" },
	{ OPT_EXPLAIN, 0, "explain", NULL,
	  "say for each frame how it was read and which file\n"
	  "answered, or why none did, to standard error" },
	{ 0, 0, NULL, NULL, "Input" },
	{ OPT_FOLLOW, 'f', "follow", NULL,
	  "read on when FILE grows, as tail -F does" },
	{ OPT_BY_PROCESS, 0, "by-process", "[=KIND]",
	  "each process has modules of its own; KIND says how\n"
	  "lines name their process: auto (the default),\n"
	  "fuchsia, logcat, syslog, journal, sanitizer or\n"
	  "regex:ERE" },
	{ OPT_KERNEL_PROCESS, 0, "kernel-process", "PID",
	  "the process whose modules are the kernel's" },
	{ OPT_UNSUFFIXED, 0, "unsuffixed", "KIND",
	  "addresses without :ra or :pc are return addresses\n"
	  "(ra) or exact (pc)" },
	{ 0, 0, NULL, NULL, "Output" },
	{ OPT_STYLE, 0, "style", "STYLE", "default, llvm or fuchsia" },
	{ OPT_COMPAT, 0, "compat", "TOOL",
	  "llvm: write what llvm-symbolizer would; the cache is\n"
	  "not searched" },
	{ OPT_FORMAT, 0, "format", "FORMAT", "text or html" },
	{ OPT_OUTPUT_DIR, 0, "output-dir", "DIR",
	  "HTML: write a series of pages, and their index, to\n"
	  "DIR: for logs that are too large for one page" },
	{ OPT_PAGE_SIZE, 0, "page-size", "MIB",
	  "with --output-dir: a page has MIB MiB of the log;\n"
	  "default: 4" },
	{ OPT_CRASHES, 0, "crashes", "FORMAT",
	  "write each crash once, with a count: json or sarif" },
	{ OPT_COLOR, 0, "color", "[=WHEN]", "auto, always or never" },
	{ OPT_STRIP_ANSI, 0, "strip-ansi", NULL,
	  "without colour, remove every SGR sequence" },
	{ OPT_MODULE_LINES, 0, "module-lines", "WHICH", "full, short or none" },
	{ OPT_HEXDICT, 0, "hexdict", "HOW", "footnotes, inline or off" },
	{ OPT_PC_INLINES, 0, "pc-inlines", NULL,
	  "in pc elements, show the functions that the code\n"
	  "was inlined into, too" },
	{ OPT_INDENT, 0, "indent", NULL,
	  "further lines of a frame begin with blanks, not\n"
	  "with the header of the log line" },
	{ OPT_BASENAMES, 's', "basenames", NULL,
	  "show files without their folders" },
	{ OPT_NO_DEMANGLE, 0, "no-demangle", NULL,
	  "show the linkage names of code and data" },
	{ OPT_RAW_NAMES, 0, "raw-names", NULL,
	  "write control characters in names as they are" },
	{ OPT_SOURCE_URL, 0, "source-url", "TEMPLATE",
	  "HTML: link files; %f is the file, %l the line" },
	{ OPT_DUMPFILE_URL, 0, "dumpfile-url", "TEMPLATE",
	  "HTML: link dump files; %t is the type, %n the name" },
	{ OPT_TITLE, 0, "title", "TEXT", "HTML: the title of the page" },
	{ 0, 0, NULL, NULL, "Dump files" },
	{ OPT_DUMPFILE_OUTPUT, 0, "dumpfile-output", "FILE",
	  "write all dumpfile elements, with what the log said\n"
	  "about memory, as JSON" },
	{ OPT_ON_DUMPFILE, 0, "on-dumpfile", "TYPE=PROGRAM",
	  "run PROGRAM TYPE NAME for each dumpfile element of\n"
	  "type TYPE; repeatable" },
	{ 0, 0, NULL, NULL, "Messages" },
	{ OPT_STRICT, 0, "strict", NULL,
	  "exit with status 1 if the log had an error" },
	{ 0 }
};

/* What most logs need: --help has to fit on two screens. */
static const char *const usual_options[] = { "gsym-file-directory",
					     "debug-file-directory",
					     "convert",
					     "debuginfod",
					     "logs",
					     "symbols",
					     "kernel",
					     "release",
					     "follow",
					     "format",
					     "crashes",
					     "basenames",
					     NULL };

static const char *const markup_examples[] = {
	"gsym-markup <crash.log",
	"with the GSYM files below /usr/lib/debug",
	"gsym-markup --format=html crash.log >crash.html",
	"a page for a browser",
	"dmesg | gsym-markup --logs=kernel --kernel=vmlinux.gsym",
	"backtraces of the kernel",
	NULL
};

static const struct option_group *const markup_groups[] = { &source_group };

static const char *const *words_of(const char *option)
{
	return strcmp(option, "logs") == 0 ? markup_log_words() : NULL;
}

static const struct tool markup_tool = {
	.name = "gsym-markup",
	.operands = "[FILE...]",
	.summary = "Show logs in the Symbolizer Markup Format with "
		   "functions, files and lines in\n"
		   "place of addresses; with --logs, other logs with "
		   "backtraces, too.",
	.options = markup_options,
	.groups = markup_groups,
	.usual = usual_options,
	.words = words_of,
	.examples = markup_examples,
	.exit_status = "0 done; 1 see --strict; 2 something went wrong.",
};

/* ---- values -------------------------------------------------------------- */

static void add_action(struct markup *m, char *value)
{
	char *equals = strchr(value, '=');
	if (!equals || equals == value || !equals[1])
		die_usage("'%s' is not TYPE=PROGRAM", value);
	*equals = 0;
	*must_push(&m->actions) = (struct markup_action){ value, equals + 1 };
}

static void set_headers(struct markup *m, const struct options *options)
{
	static const char *const kinds[] = { "auto",   "fuchsia",   "logcat",
					     "syslog", "sanitizer", "journal",
					     NULL };
	struct options given = *options;
	if (!*given.value)
		given.value = "auto";
	if (strncmp(given.value, "regex:", 6) == 0) {
		m->options.headers = GSYM_MARKUP_HEADERS_REGEX;
		m->options.header_regex = given.value + 6;
		return;
	}
	int kind = options_choice(&given, kinds);
	m->options.headers = kind == 5 ? GSYM_MARKUP_HEADERS_SYSLOG
				       : GSYM_MARKUP_HEADERS_AUTO + kind;
}

/* --strip-prefix: the first one replaces the default. */
static void set_strip(struct markup *m, const char *prefix)
{
	if (!m->strip_given)
		m->options.strip_kernel = false;
	m->strip_given = true;
	if (strcmp(prefix, "auto") == 0)
		m->options.strip_kernel = true;
	else if (*prefix)
		*must_push(&m->strip) = prefix;
}

/* An option about backtraces without markup. */
static void set_log_option(struct markup *m, const struct options *options,
			   int id)
{
	static const char *const styles[] = { "default", "script", NULL };
	static const char *const inlines[] = { "lines", "none", "short", NULL };
	switch (id) {
	case OPT_LOG_STYLE:
		m->options.log_script = options_choice(options, styles);
		break;
	case OPT_LOG_INLINES:
		m->options.log_inlines = options_choice(options, inlines);
		break;
	case OPT_LOGS:
		markup_set_logs(m, options);
		break;
	case OPT_SYMBOLS:
		*must_push(&m->symbols) = options->value;
		break;
	case OPT_ROOT:
		*must_push(&m->roots) = options->value;
		break;
	case OPT_STRIP_PREFIX:
		set_strip(m, options->value);
		break;
	case OPT_SOURCE_LINES:
		m->options.log_source_lines =
			options_number(options, 0, GSYM_MARKUP_MAX_SOURCE);
		break;
	case OPT_SOURCE_ROOT:
		*must_push(&m->source_roots) = options->value;
		break;
	}
}

static void set_choice(struct markup *m, const struct options *options,
		       int id)
{
	static const char *const styles[] = { "default", "llvm", "fuchsia",
					      NULL };
	static const char *const formats[] = { "text", "html", NULL };
	static const char *const tools[] = { "llvm", NULL };
	static const char *const lines[] = { "full", "short", "none", NULL };
	static const char *const hexdicts[] = { "footnotes", "inline", "off",
						NULL };
	static const char *const kinds[] = { "ra", "pc", NULL };
	static const char *const crashes[] = { "json", "sarif", NULL };
	static const char *const when[] = { "auto", "always", "never", NULL };
	struct gsym_markup_options *o = &m->options;
	switch (id) {
	case OPT_STYLE:
		o->style = options_choice(options, styles);
		break;
	case OPT_COMPAT:
		options_choice(options, tools);
		o->style = GSYM_MARKUP_STYLE_LLVM;
		break;
	case OPT_FORMAT:
		o->html = options_choice(options, formats);
		break;
	case OPT_CRASHES:
		m->crash_format = MARKUP_JSON +
				  options_choice(options, crashes);
		break;
	case OPT_MODULE_LINES:
		o->module_lines = options_choice(options, lines);
		break;
	case OPT_HEXDICT:
		o->hexdict = options_choice(options, hexdicts);
		break;
	case OPT_UNSUFFIXED:
		o->unsuffixed = GSYM_MARKUP_UNSUFFIXED_RETURN +
				options_choice(options, kinds);
		break;
	case OPT_COLOR:
		m->colour = *options->value ? options_choice(options, when)
					  : OUT_COLOUR_ALWAYS;
		break;
	}
}

static void set_option(struct markup *m, const struct options *options,
		       int id)
{
	struct gsym_markup_options *o = &m->options;
	const struct option_place places[] = {
		{ OPT_CHECK, .on = &m->check },
		{ OPT_COPY, .on = &m->copy },
		{ OPT_FOLLOW, .on = &m->follow },
		{ OPT_STRIP_ANSI, .on = &o->strip_ansi },
		{ OPT_PC_INLINES, .on = &o->pc_inlines },
		{ OPT_INDENT, .on = &o->indent },
		{ OPT_BASENAMES, .on = &o->basenames },
		{ OPT_RAW_NAMES, .on = &o->raw_names },
		{ OPT_STRICT, .on = &m->strict },
		{ OPT_STATS, .on = &m->stats },
		{ OPT_EXPLAIN, .on = &m->explain },
		{ OPT_KERNEL, .value = &m->kernel },
		{ OPT_RELEASE, .value = &m->release },
		{ OPT_KERNEL_PROCESS, .value = &o->kernel_process },
		{ OPT_DUMPFILE_OUTPUT, .value = &m->dump_path },
		{ OPT_SOURCE_URL, .value = &o->source_url },
		{ OPT_DUMPFILE_URL, .value = &o->dumpfile_url },
		{ OPT_TITLE, .value = &o->title },
		{ OPT_OUTPUT_DIR, .value = &m->page_dir },
		{ 0 }
	};
	if (options_keep(options, id, places))
		return;
	switch (id) {
	case OPT_MODULE:
		markup_preset(m, options->value);
		break;
	case OPT_NO_VERIFY:
		m->any = true;
		o->log_any_build = true;
		break;
	case OPT_NO_DEMANGLE:
		m->use_demangler = false;
		break;
	case OPT_BY_PROCESS:
		set_headers(m, options);
		break;
	case OPT_PAGE_SIZE:
		o->part_size = options_number(options, 1, 1024) << 20;
		break;
	case OPT_ON_DUMPFILE:
		add_action(m, (char *)options->value);
		break;
	}
}

/* Die if options contradict each other.  A page is named after its log. */
static void check_options(struct markup *m)
{
	size_t count = m->paths.count;
	if (m->follow && count != 1)
		die_usage("--follow takes one FILE");
	if (m->options.style == GSYM_MARKUP_STYLE_LLVM &&
	    (m->options.html || m->options.headers))
		die_usage("--compat=llvm does not go with %s",
			  m->options.html ? "--format=html" : "--by-process");
	if (m->options.style == GSYM_MARKUP_STYLE_LLVM && m->options.logs)
		die_usage("--compat=llvm does not go with --logs");
	if (m->options.log_source_lines && !m->source_roots.count)
		die_usage("--source-lines needs --source-root");
	if (m->crash_format &&
	    (m->options.html || m->options.style == GSYM_MARKUP_STYLE_LLVM))
		die_usage("--crashes does not go with %s",
			  m->options.html ? "--format=html" : "--compat=llvm");
	if (m->page_dir && m->crash_format)
		die_usage("--crashes does not go with --output-dir");
	if (m->page_dir && m->options.style == GSYM_MARKUP_STYLE_LLVM)
		die_usage("--compat=llvm does not go with --output-dir");
	if (m->options.part_size && !m->page_dir)
		die_usage("--page-size needs --output-dir");
	if (!m->options.title && count == 1 &&
	    strcmp(m->paths.items[0], "-") != 0)
		m->options.title = path_base(m->paths.items[0]);
}

void markup_read_options(struct markup *m, struct options *options, int argc,
			 char **argv)
{
	int id;
	options_init(options, &markup_tool, argc, argv);
	while ((id = options_next(options)) != OPTION_END) {
		if (id == OPTION_OPERAND)
			*must_push(&m->paths) = options->value;
		set_option(m, options, id);
		set_choice(m, options, id);
		set_log_option(m, options, id);
	}
	check_options(m);
}
