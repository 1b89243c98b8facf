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

#include "common/must.h"
#include "common/options.h"
#include "common/path.h"
#include "common/report.h"
#include "common/sandbox.h"
#include "markup/crashes.h"
#include "markup/markup.h"
#include "markup/options.h"
#include "markup/pages.h"

/* Bytes of the log on a page of --output-dir. */
enum { PAGE_SIZE = 4 << 20 };

/* ---- callbacks ----------------------------------------------------------- */

void markup_write(void *context, const char *bytes, size_t size)
{
	struct markup *m = context;
	if (m->pages)
		pages_write(m->pages, bytes, size);
	else if (!m->crashes)
		out_bytes(&m->out, bytes, size);
}

/* ---- options ------------------------------------------------------------- */

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
		       int id, int *colour)
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
		*colour = *options->value ? options_choice(options, when)
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

/* Whether output and messages go to the same file or terminal. */
static bool same_place(void)
{
	struct stat a, b;
	return fstat(STDOUT_FILENO, &a) == 0 && fstat(STDERR_FILENO, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void start_filter(struct markup *m, int colour)
{
	struct gsym_markup_host host = {
		.context = m,
		.write = markup_write,
		.diagnose = markup_diagnose,
		.reset = markup_reset,
		.module = markup_module,
		.code = markup_code,
		.data = markup_data,
		.demangle = markup_demangle,
		.dump = m->dump_path || m->actions.count ? markup_dump : NULL,
		.log_module = markup_log_module,
		.log_offset = markup_log_offset,
		.explain = m->explain ? markup_explain : NULL,
		.log_functions = markup_log_functions,
		.frame = m->crashes ? crashes_frame
			 : m->pages ? pages_frame
				    : NULL,
		.part = m->pages ? pages_part : NULL,
		.source = markup_source,
	};
	struct gsym_error error = { 0 };
	struct out messages;
	out_init(&messages, STDERR_FILENO, "standard error", OUT_COLOUR_AUTO);
	m->message_colour = messages.colour;
	out_fini(&messages);
	out_init(&m->out, STDOUT_FILENO, "standard output", colour);
	m->options.colour = m->out.colour && !m->options.html;
	m->one_place = same_place();
	enum gsym_status status =
		gsym_markup_new(&host, &m->options, &m->filter, &error);
	if (status != GSYM_OK)
		die("%s", report_reason(status, &error));
	markup_symbols_start(m);
	markup_add_presets(m);
}

/* Die if options contradict each other.  A page is named after its log. */
static void check_options(struct markup *m, const char *const *paths,
			  size_t count)
{
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
	if (!m->options.title && count == 1 && strcmp(paths[0], "-") != 0)
		m->options.title = path_base(paths[0]);
}

/* Make what takes the place of a log on standard output. */
static void start_output(struct markup *m)
{
	if (m->crash_format)
		m->crashes = crashes_new(m->options.logs &
					 GSYM_MARKUP_LOG_KERNEL);
	if (!m->page_dir)
		return;
	m->options.html = true;
	if (!m->options.part_size)
		m->options.part_size = PAGE_SIZE;
	m->pages = pages_new(m->page_dir);
}

/* Die if options contradict --sandbox. */
static void check_sandbox(const struct markup *m)
{
	source_check_options(source_asked());
	if (!sandbox_asked())
		return;
	source_check_sandbox(source_asked());
	if (m->actions.count || m->dump_path || m->page_dir)
		die_usage("--sandbox makes no files: it does not go with "
			  "--on-dumpfile, --dumpfile-output and "
			  "--output-dir");
	/* Variables of the environment are no contradiction. */
	source_asked()->no_convert = true;
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

int main(int argc, char **argv)
{
	struct markup m = {
		.use_demangler = true,
		.options.strip_kernel = true,
	};
	struct options options;
	int colour = OUT_COLOUR_AUTO, id;
	size_t count = 0;
	const char **paths = must_have(calloc(argc, sizeof(*paths)));

	report_start("gsym-markup");
	options_init(&options, &markup_tool, argc, argv);
	while ((id = options_next(&options)) != OPTION_END) {
		if (id == OPTION_OPERAND)
			paths[count++] = options.value;
		set_option(&m, &options, id);
		set_choice(&m, &options, id, &colour);
		set_log_option(&m, &options, id);
	}
	check_options(&m, paths, count);
	markup_logs_start(&m);
	start_output(&m);
	check_sandbox(&m);
	protect(&m);
	markup_dump_start(&m);
	start_filter(&m, colour);
	int status = markup_run(&m, paths, count);

	crashes_free(m.crashes);
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
	gsym_vec_fini(&m.actions);
	free(paths);
	return status;
}
