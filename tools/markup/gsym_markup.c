/* SPDX-License-Identifier: MIT */
/*
 * gsym-markup - the symbolizing filter: reads logs in the Symbolizer Markup
 * Format and writes readable logs.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

/* ---- the command line ---------------------------------------------------- */

/* The options that take_option keeps. */
enum {
	OPT_MODULE = 1,
	OPT_LOGS,
	OPT_STRIP_PREFIX,
	OPT_BY_PROCESS,
};

/* The words that options take. */
static const char *const log_styles[] = { "default", "script", NULL };
static const char *const inlines[] = { "lines", "none", "short", NULL };
static const char *const suffixes[] = { "ra", "pc", NULL };
static const char *const styles[] = { "default", "llvm", "fuchsia", NULL };
static const char *const tools[] = { "llvm", NULL };
static const char *const page_formats[] = { "text", "html", NULL };
static const char *const lines[] = { "full", "short", "none", NULL };
static const char *const hexdicts[] = { "footnotes", "inline", "off", NULL };

/* Rows of options that are kept in the MEMBER of struct markup, as the macros
 * OPTION_... of common/options.h say.  VALUE is the placeholder in the help. */
#define FLAG(letter, name, member, help) \
	{ 0, letter, name, NULL, help, OPTION_FLAG(struct markup, member) }
#define TEXT(letter, name, value, member, help) \
	{ 0, letter, name, value, help, OPTION_TEXT(struct markup, member) }
#define LIST(name, value, member, help) \
	{ 0, 0, name, value, help, OPTION_LIST(struct markup, member) }
#define WORD(name, value, member, list, first, help) \
	{ 0, 0, name, value, help, \
	  OPTION_WORD(struct markup, member, list, first) }
#define NUMBER(letter, name, value, member, least, most, help) \
	{ 0, letter, name, value, help, \
	  OPTION_NUMBER(struct markup, member, least, most) }

static const struct option_spec markup_options[] = {
	{ .help = "Symbols" },
	{ OPTION_GROUP(0) },
	{ OPT_MODULE, 0, "module", "FILE[@ADDRESS]",
	  "the functions of the GSYM file FILE are loaded at\n"
	  "ADDRESS, or where they were linked to; for logs that\n"
	  "do not say; repeatable",
	  OPTION_BY_ID },
	FLAG(0, "no-verify", options.logs.any_build,
	     "use GSYM files that have another build ID"),
	FLAG(0, "check", check,
	     "read each GSYM file whole before it is used, and do\n"
	     "not use it if it has a checksum that is wrong"),
	FLAG(0, "copy", copy,
	     "read GSYM files to memory instead of mapping them"),
	{ .help = "Backtraces without markup" },
	{ OPT_LOGS, 0, "logs", "[=LIST]",
	  "read the forms of LIST, such as kernel,jvm;\n"
	  "auto, the default: all but maps",
	  OPTION_BY_ID },
	LIST("symbols", "DIR", symbols,
	     "use GSYM files below DIR by base names; repeatable"),
	TEXT(0, "kernel", "FILE", kernel,
	     "the GSYM file of the kernel, beside those of modules"),
	TEXT(0, "release", "REL", release,
	     "the kernel's release where the log does not say"),
	LIST("root", "DIR", roots,
	     "read build IDs of files at logged paths below DIR"),
	WORD("log-style", "STYLE", options.logs.script, log_styles, 0,
	     "default, or script: as other programs write them"),
	WORD("log-inlines", "HOW", options.logs.inlines, inlines, 0,
	     "lines, none or short"),
	{ OPT_STRIP_PREFIX, 0, "strip-prefix", "PREFIX",
	  "show files without PREFIX; auto (default): kernel's", OPTION_BY_ID },
	NUMBER(0, "source-lines", "N", options.logs.source_lines, 0,
	       GSYM_MARKUP_MAX_SOURCE,
	       "show N lines of source code, up to 20, at each place"),
	LIST("source-root", "DIR", source_roots,
	     "source code is below DIR; repeatable"),
	FLAG(0, "stats", stats, "count frames, to standard error"),
	FLAG(0, "explain", explain,
	     "say for each frame how it was read and which file\n"
	     "answered, or why none did, to standard error"),
	{ .help = "Input" },
	FLAG('f', "follow", follow, "read on when FILE grows, as tail -F does"),
	{ OPT_BY_PROCESS, 0, "by-process", "[=KIND]",
	  "each process has modules of its own; KIND says how\n"
	  "lines name their process: auto (the default),\n"
	  "fuchsia, logcat, syslog, journal, sanitizer or\n"
	  "regex:ERE",
	  OPTION_BY_ID },
	TEXT(0, "kernel-process", "PID", options.kernel_process,
	     "the process whose modules are the kernel's"),
	WORD("unsuffixed", "KIND", options.unsuffixed, suffixes,
	     GSYM_MARKUP_UNSUFFIXED_RETURN,
	     "addresses without :ra or :pc are return addresses\n"
	     "(ra) or exact (pc)"),
	{ .help = "Output" },
	WORD("style", "STYLE", options.style, styles, 0,
	     "default, llvm or fuchsia"),
	WORD("compat", "TOOL", options.style, tools, GSYM_MARKUP_STYLE_LLVM,
	     "llvm: write what llvm-symbolizer would; the cache is\n"
	     "not searched"),
	WORD("format", "FORMAT", options.html, page_formats, 0, "text or html"),
	TEXT(0, "output-dir", "DIR", page_dir,
	     "HTML: write a series of pages, and their index, to\n"
	     "DIR: for logs that are too large for one page"),
	{ 0, 0, "page-size", "MIB",
	  "with --output-dir: a page has MIB MiB of the log;\n"
	  "default: 4",
	  OPTION_NUMBER(struct markup, options.part_size, 1, 1024),
	  .shift = 20 },
	FLAG('j', "json", as_json,
	     "write lines and frames of the log as JSON, an object\n"
	     "a line"),
	{ 0, 0, "color", "[=WHEN]", "auto, always or never",
	  OPTION_WORD(struct markup, colour, out_colours, 0),
	  .most = OUT_COLOUR_ALWAYS },
	FLAG(0, "strip-ansi", options.strip_ansi,
	     "without colour, remove every SGR sequence"),
	WORD("module-lines", "WHICH", options.module_lines, lines, 0,
	     "full, short or none"),
	WORD("hexdict", "HOW", options.hexdict, hexdicts, 0,
	     "footnotes, inline or off"),
	FLAG(0, "pc-inlines", options.pc_inlines,
	     "in pc elements, show the functions that the code\n"
	     "was inlined into, too"),
	FLAG(0, "indent", options.indent,
	     "further lines of a frame begin with blanks, not\n"
	     "with the header of the log line"),
	FLAG('s', "basenames", options.basenames,
	     "show files without their folders"),
	FLAG(0, "no-demangle", no_demangle,
	     "show the linkage names of code and data"),
	FLAG(0, "raw-names", options.raw_names,
	     "write control characters in names as they are"),
	TEXT(0, "source-url", "TEMPLATE", options.source_url,
	     "HTML: link files; %f is the file, %l the line"),
	TEXT(0, "dumpfile-url", "TEMPLATE", options.dumpfile_url,
	     "HTML: link dump files; %t is the type, %n the name"),
	TEXT(0, "title", "TEXT", options.title, "HTML: the title of the page"),
	{ .help = "Dump files" },
	TEXT(0, "dumpfile-output", "FILE", dump_path,
	     "write all dumpfile elements, with what the log said\n"
	     "about memory, as JSON"),
	{ .help = "Messages" },
	FLAG(0, "strict", strict, "exit with status 1 if the log had an error"),
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
					     "json",
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
		m->options.logs.strip_kernel = false;
	m->strip_given = true;
	if (strcmp(prefix, "auto") == 0)
		m->options.logs.strip_kernel = true;
	else if (*prefix)
		*must_push(&m->strip) = prefix;
}

/* Keep the option ID, which needs more than its row says. */
static void take_option(struct markup *m, const struct options *options, int id)
{
	switch (id) {
	case OPT_MODULE:
		markup_preset(m, options->value);
		break;
	case OPT_LOGS:
		markup_set_logs(m, options);
		break;
	case OPT_STRIP_PREFIX:
		set_strip(m, options->value);
		break;
	case OPT_BY_PROCESS:
		set_headers(m, options);
		break;
	case OPTION_OPERAND:
		*must_push(&m->paths) = options->value;
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
	if (m->options.style == GSYM_MARKUP_STYLE_LLVM && m->options.logs.forms)
		die_usage("--compat=llvm does not go with --logs");
	if (m->options.logs.source_lines && !m->source_roots.count)
		die_usage("--source-lines needs --source-root");
	if (m->as_json &&
	    (m->options.html || m->options.style == GSYM_MARKUP_STYLE_LLVM))
		die_usage("--json does not go with %s",
			  m->options.html ? "--format=html" : "--compat=llvm");
	if (m->page_dir && m->as_json)
		die_usage("--json does not go with --output-dir");
	if (m->page_dir && m->options.style == GSYM_MARKUP_STYLE_LLVM)
		die_usage("--compat=llvm does not go with --output-dir");
	if (m->options.part_size && !m->page_dir)
		die_usage("--page-size needs --output-dir");
	if (!m->options.title && count == 1 &&
	    strcmp(m->paths.items[0], "-") != 0)
		m->options.title = path_base(m->paths.items[0]);
}

/* Read the command line to M; OPTIONS have its strings.  Dies if it is
 * wrong. */
static void read_options(struct markup *m, struct options *options, int argc,
			 char **argv)
{
	int id;
	options_init(options, &markup_tool, m, argc, argv);
	while ((id = options_next(options)) != OPTION_END)
		take_option(m, options, id);
	check_options(m);
}

/* ---- the tool ------------------------------------------------------------ */

/* Bytes of the log on a page of --output-dir. */
enum { PAGE_SIZE = 4 << 20 };

/* Write the SIZE bytes of the log at AT as a line.  Unless RAW, bytes that a
 * terminal must not get become '?', and a tab a blank. */
static void put_line(const char *at, size_t size, bool raw)
{
	/* Standard error has no buffer: a call of putc is a system call. */
	char text[1024];
	size_t used = 0;
	for (size_t length; size; at += length, size -= length) {
		size_t harmful = raw ? 0 : gsym_utf8_harmful(at, size);

		length = harmful ? harmful : gsym_utf8_length(at, size);
		length = length ? length : 1;
		for (size_t i = 0; i < length; i++) {
			text[used++] = !harmful	  ? at[i]
				       : *at == '\t' ? ' '
						     : '?';
			if (used + 1 == sizeof(text)) {
				fwrite(text, 1, used, stderr);
				used = 0;
			}
		}
	}
	text[used++] = '\n';
	fwrite(text, 1, used, stderr);
}

/* Whether MESSAGE is like "expected 1 field(s); found 2". */
static bool is_count(const char *message)
{
	static const char start[] = "expected ";
	size_t length = sizeof(start) - 1;
	return strncmp(message, start, length) == 0 &&
	       message[length] >= '0' && message[length] <= '9';
}

static void diagnose(void *context, const struct gsym_markup_diagnostic *d)
{
	static const char *const words[] = { "note", "warning", "error" };
	static const char *const colours[] = { "\033[0;1;36m",
					       "\033[0;1;35m",
					       "\033[0;1;31m" };
	struct markup *m = context;
	bool colour = m->message_colour;
	bool llvm = m->options.style == GSYM_MARKUP_STYLE_LLVM;
	m->errors += d->severity == GSYM_MARKUP_ERROR;
	if (report_is_quiet())
		return;
	if (m->one_place)
		out_flush(&m->out);
	const char *plain = colour ? "\033[0m" : "";
	/* llvm-symbolizer's colour of these messages includes the line end. */
	bool whole = colour && is_count(d->message);
	fprintf(stderr, "%s%s: %s%s%s%s%s", colour ? colours[d->severity] : "",
		words[d->severity], whole ? "" : plain, d->message,
		whole && !llvm ? plain : "", "\n", whole && llvm ? plain : "");
	if (d->line) {
		/* If the line is long, show only the part around the place. */
		size_t size = d->line_size, from = 0;
		if (size > 4096 && !llvm) {
			from = d->at > 200 ? d->at - 200 : 0;
			size = size - from < 400 ? size - from : 400;
		}
		put_line(d->line + from, size, llvm);
		fprintf(stderr, "%*s%s^%s\n", (int)(d->at - from), "",
			colour ? "\033[0;32m" : "", plain);
	}
	fflush(stderr);
}

/* A callback of the filter: the log as it is shown. */
static void write_log(void *context, const char *bytes, size_t size)
{
	struct markup *m = context;
	if (m->pages)
		pages_write(m->pages, bytes, size);
	else if (!m->as_json)
		out_bytes(&m->out, bytes, size);
}

/* Whether output and messages go to the same file or terminal. */
static bool same_place(void)
{
	struct stat a, b;
	return fstat(STDOUT_FILENO, &a) == 0 && fstat(STDERR_FILENO, &b) == 0 &&
	       file_same(&a, &b);
}

static void start_filter(struct markup *m)
{
	struct gsym_markup_host host = {
		.context = m,
		.write = write_log,
		.diagnose = diagnose,
		.reset = markup_retry,
		.module = markup_module,
		.code = markup_code,
		.data = markup_data,
		.demangle = markup_demangle,
		.dump = m->dump_path ? markup_dump : NULL,
		.logs.module = markup_log_module,
		.logs.offset = markup_log_offset,
		.logs.explain = !m->explain  ? NULL
				: m->as_json ? objects_explain
					     : markup_explain,
		.logs.functions = markup_log_functions,
		.frame = m->as_json ? objects_frame
			 : m->pages ? pages_frame
				    : NULL,
		.part = m->pages ? pages_part : NULL,
		.logs.source = markup_source,
	};
	struct gsym_error error = { 0 };
	struct out messages;
	out_init(&messages, STDERR_FILENO, "standard error", OUT_COLOUR_AUTO);
	m->message_colour = messages.colour;
	out_fini(&messages);
	out_init(&m->out, STDOUT_FILENO, "standard output", m->colour);
	m->options.colour = m->out.colour && !m->options.html;
	m->one_place = same_place();
	enum gsym_status status =
		gsym_markup_new(&host, &m->options, &m->filter, &error);
	if (status != GSYM_OK)
		die("%s", report_reason(status, &error));
	markup_symbols_start(m);
	if (m->as_json)
		objects_start(m);
	markup_add_presets(m);
}

/* Make what takes the place of a log on standard output. */
static void start_output(struct markup *m)
{
	if (!m->page_dir)
		return;
	m->options.html = true;
	if (!m->options.part_size)
		m->options.part_size = PAGE_SIZE;
	m->pages = pages_new(m->page_dir);
}

static void check_sandbox(const struct markup *m)
{
	source_check_options(source_asked());
	if (!sandbox_asked())
		return;
	source_check_sandbox(source_asked());
	if (m->dump_path || m->page_dir)
		die_usage("--sandbox makes no files: it does not go with "
			  "--dumpfile-output and --output-dir");
}

/* Limit this process to reading files and writing the output. */
static void protect(const struct markup *m)
{
	bool roots = m->roots.count || m->source_roots.count;

	sandbox_enter(&(struct sandbox){
		.mode = sandbox_asked(),
		.needs = (roots ? SANDBOX_ROOTS : 0) |
			 (m->follow ? SANDBOX_FOLLOW : 0),
	});
}

/* Whether PATH is read as a stream even with --follow: pipes and terminals are
 * neither truncated nor replaced. */
static bool is_stream(const char *path)
{
	struct stat st;
	if (strcmp(path, "-") == 0)
		return true;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

/* Filter the files of M, or standard input if there is none; returns the exit
 * status. */
static int run(struct markup *m)
{
	const char **paths = m->paths.items;
	size_t count = m->paths.count;
	bool follows = m->follow && !is_stream(paths[0]);
	markup_catch_signals();
	if (follows)
		markup_follow(m, paths[0]);
	for (size_t i = 0; i < count && !follows && !markup_interrupted(); i++)
		markup_read_file(m, paths[i]);
	if (!count)
		markup_read_file(m, "-");
	if (m->as_json)
		objects_end(m);
	must(gsym_markup_finish(m->filter) != GSYM_ERR_MEMORY);
	if (m->pages)
		pages_end(m, m->options.title);
	out_flush(&m->out);
	markup_dump_write(m);
	bool missing = markup_logs_end(m);
	if (markup_interrupted() && !m->follow)
		return 128 + markup_interrupted();
	return m->strict && (m->errors || missing) ? STATUS_NO : STATUS_DONE;
}

int main(int argc, char **argv)
{
	struct markup m = {
		.options.logs.strip_kernel = true,
	};
	struct options options;

	report_start("gsym-markup");
	read_options(&m, &options, argc, argv);
	markup_logs_start(&m);
	start_output(&m);
	check_sandbox(&m);
	protect(&m);
	markup_dump_start(&m);
	start_filter(&m);
	int status = run(&m);

	pages_free(m.pages);
	markup_symbols_end(&m);
	markup_files_free(&m);
	markup_sources_free(&m);
	source_free(m.source);
	source_options_fini(source_asked());
	out_fini(&m.out);
	if (m.dump_count && m.dump_path)
		out_fini(&m.dump_json);
	options_fini(&options);
	gsym_vec_fini(&m.symbols);
	gsym_vec_fini(&m.roots);
	gsym_vec_fini(&m.source_roots);
	gsym_vec_fini(&m.strip);
	gsym_vec_fini(&m.paths);
	return status;
}
