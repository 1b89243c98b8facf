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
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

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
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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

/* Die if options contradict --sandbox. */
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
	markup_read_options(&m, &options, argc, argv);
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
