/* SPDX-License-Identifier: MIT */
/* Writes a log as a series of HTML pages, and their index. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "markup/markup.h"

/* Room for stack traces that the index lists, for processes and modules, and
 * how many of them are listed. */
enum { ROOM_TRACES = 5000, ROOM_NAMES = 4096 };
#define MOST_TRACES GSYM_LIMIT(ROOM_TRACES, 1u)
#define MOST_NAMES GSYM_LIMIT(ROOM_NAMES, 1u)

/* Characters of a function, and bytes of the name of a process or module. */
#define LONGEST_NAME GSYM_LIMIT(300, 8)
#define LONGEST_TEXT GSYM_LIMIT(4096u, 8)

/* The SHA-256 of pages/index.js: the index allows no other script. */
#define SCRIPT_HASH "sha256-0YPtVDap87GebSm15yuuUWQJcNOJU6S+9B5XMkkax6k="

/* The pages that a process or module is on. */
struct page_name {
	GSYM_VEC(uint64_t);
	/* Of a process: the number of its last frame, if IN_TRACE. */
	bool in_trace;
	uint64_t frame;
};

/* Processes or modules, by the numbers of their names. */
struct page_names {
	struct gsym_intern texts;
	struct page_name items[ROOM_NAMES];
	/* There is no room for further names, of which some came. */
	bool more;
};

struct trace {
	uint64_t page, line;
	/* A linkage name, which lives as long as the filter; NULL: no frame so
	 * far has one. */
	const char *function;
	/* Indexes of names + 1; 0: none. */
	size_t process, module;
};

struct page {
	uint64_t first_line, lines, traces;
};

struct pages {
	const char *dir;
	struct out out;
	char *path;
	bool open;
	GSYM_VEC(struct page);
	uint64_t lines, traces;
	/* The stack traces of the pages before the page at hand. */
	uint64_t traces_before;
	struct page_names processes, modules;
	struct trace *listed;
	size_t listed_count;
	/* The stack trace that began last, if it is listed; NULL: none has
	 * begun, or it is not listed. */
	struct trace *last;
};

/* ---- files --------------------------------------------------------------- */

/* Remove the index of an earlier run: where there is an index, all pages are
 * whole. */
static void remove_index(const struct pages *p)
{
	char *path = path_print("%s/index.html", p->dir);
	if (unlink(path) != 0 && errno != ENOENT)
		die("cannot replace '%s': %s", path, strerror(errno));
	free(path);
}

struct pages *pages_new(const char *dir)
{
	struct pages *p = must_have(calloc(1, sizeof(*p)));
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		die("cannot make the folder '%s': %s", dir, strerror(errno));
	p->dir = dir;
	remove_index(p);
	p->listed = must_have(calloc(ROOM_TRACES, sizeof(*p->listed)));
	return p;
}

static void free_names(struct page_names *n)
{
	for (uint32_t i = 0; i < n->texts.count; i++)
		free(n->items[i].items);
	gsym_intern_fini(&n->texts);
}

void pages_free(struct pages *p)
{
	if (!p)
		return;
	free_names(&p->processes);
	free_names(&p->modules);
	free(p->items);
	free(p->listed);
	free(p->path);
	free(p);
}

static void open_page(struct pages *p)
{
	free(p->path);
	p->path = path_print("%s/%zu.html", p->dir, p->count + 1);
	outfile_open_below(p->path, strlen(p->dir), NULL);
	out_init(&p->out, outfile_descriptor(), p->path, OUT_COLOUR_NEVER);
	p->open = true;
}

void pages_write(struct pages *p, const char *bytes, size_t size)
{
	if (!p->open)
		open_page(p);
	out_bytes(&p->out, bytes, size);
}

bool pages_is_open(const struct pages *p)
{
	return p->open;
}

/* ---- what the pages hold ------------------------------------------------- */

/* The index + 1 of TEXT in N, which is added if there is room; 0: no room. */
static size_t name_of(struct page_names *n, const char *text, size_t size)
{
	/* A name of a log may have a NUL, and be as long as the line. */
	size = strnlen(text, size < LONGEST_TEXT ? size : LONGEST_TEXT);
	uint32_t number = must_intern_within(&n->texts, MOST_NAMES, text, size);
	if (number == MOST_NAMES) {
		n->more = true;
		return 0;
	}
	return number + (size_t)1;
}

/* Note that the name with this INDEX + 1 is on PAGE. */
static void note_page(struct page_names *n, size_t index, uint64_t page)
{
	struct page_name *name = index ? &n->items[index - 1] : NULL;
	if (name && !(name->count && name->items[name->count - 1] == page))
		*must_push(name) = page;
}

void pages_part(void *context, const struct gsym_markup_part *part)
{
	struct pages *p = ((struct markup *)context)->pages;
	const char *at = part->processes, *end;
	if (!p->open)
		open_page(p);
	out_fini(&p->out);
	outfile_commit(NULL, 0);
	p->open = false;
	*must_push(p) = (struct page){ part->first_line, part->lines,
				       p->traces - p->traces_before };
	p->traces_before = p->traces;
	p->lines += part->lines;
	for (end = at + part->processes_size; at < end; at += strlen(at) + 1)
		note_page(&p->processes, name_of(&p->processes, at, strlen(at)),
			  part->number);
}

/* A stack trace of the process with this INDEX + 1 begins with the frame in
 * LINE. */
static void begin_trace(struct pages *p, size_t process, uint64_t line)
{
	p->traces++;
	p->last = NULL;
	if (p->listed_count == MOST_TRACES)
		return;
	p->last = &p->listed[p->listed_count++];
	*p->last = (struct trace){
		.page = p->count + 1,
		.line = line,
		.process = process,
	};
}

void pages_frame(void *context, const struct gsym_markup_stack_frame *frame)
{
	struct pages *p = ((struct markup *)context)->pages;
	size_t process =
		name_of(&p->processes, frame->process ? frame->process : "",
			frame->process_size);
	size_t size = frame->module_size, at = 0;
	const char *module =
		path_base_of(frame->module ? frame->module : "", &size);
	struct page_name *of =
		process ? &p->processes.items[process - 1] : NULL;
	if (size)
		at = name_of(&p->modules, module, size);
	note_page(&p->modules, at, p->count + 1);
	/* Of a process that has no room in the list the first frames count. */
	if (of ? !of->in_trace || frame->number <= of->frame
	       : frame->number == 0)
		begin_trace(p, process, frame->line);
	if (of) {
		of->in_trace = true;
		of->frame = frame->number;
	}
	struct trace *t = p->last;
	if (!t || t->function || t->process != process)
		return;
	if (!t->module)
		t->module = at;
	if (frame->count && *frame->frames[0].function)
		t->function = frame->frames[0].function;
}

/* ---- the index ----------------------------------------------------------- */

static const char index_head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	"'none'; style-src 'unsafe-inline'; script-src '" SCRIPT_HASH "'; "
	"base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<title>";

/* Write N with commas: 1,234. */
static void put_count(struct out *out, uint64_t n)
{
	char text[NUMBER_GROUPED];
	out_bytes(out, text, number_grouped(text, n));
}

/* Write "1,234 lines". */
static void put_counted(struct out *out, uint64_t n, const char *what)
{
	put_count(out, n);
	out_printf(out, " %s%s", what, n == 1 ? "" : "s");
}

/* Write a list to choose one of NAMES from; nothing if there is none. */
static void put_choice(struct out *out, const struct page_names *names,
		       const char *what)
{
	size_t count = 0;
	for (uint32_t i = 0; i < names->texts.count; i++) {
		const struct page_name *n = &names->items[i];
		const struct gsym_intern_entry *text =
			gsym_intern_entry(&names->texts, i);
		if (!n->count || !text->length)
			continue;
		if (!count++)
			out_printf(out,
				   "<label>%s <select name=\"%s\">"
				   "<option value=\"\">any</option>\n",
				   what, what);
		out_text(out, "<option data-pages=\"");
		for (size_t k = 0; k < n->count; k++)
			out_printf(out, "%s%" PRIu64, k ? " " : "",
				   n->items[k]);
		out_text(out, "\" value=\"");
		out_html(out, text->bytes, 0);
		out_text(out, "\">");
		out_html(out, text->bytes, 80);
		out_text(out, "</option>\n");
	}
	if (!count)
		return;
	out_text(out, "</select>");
	if (names->more) {
		out_text(out, " (the first ");
		put_count(out, count);
		out_text(out, ")");
	}
	out_text(out, "</label>\n");
}

static void put_trace(struct markup *m, struct out *out, const struct trace *t)
{
	const struct pages *p = m->pages;
	const struct gsym_intern_entry *module, *process;
	const char *name = t->function ? markup_demangle(m, t->function, true)
				       : "no function is known";

	out_printf(out, "<li><a href=\"%" PRIu64 ".html#L%" PRIu64 "\">line ",
		   t->page, t->line);
	put_count(out, t->line);
	out_text(out, "</a> <b>");
	out_html(out, name, LONGEST_NAME);
	out_text(out, "</b> <small>");
	if (t->module) {
		module = gsym_intern_entry(&p->modules.texts, t->module - 1);
		out_html(out, module->bytes, 80);
	}
	if (t->process) {
		process =
			gsym_intern_entry(&p->processes.texts, t->process - 1);
		if (process->length) {
			out_text(out, t->module ? ", process " : "process ");
			out_html(out, process->bytes, 80);
		}
	}
	out_text(out, "</small></li>\n");
}

static void put_traces(struct markup *m, struct out *out)
{
	const struct pages *p = m->pages;
	out_text(out, "<h2 id=\"traces\">Stack traces</h2>\n");
	if (!p->traces)
		out_text(out, "<p>The log has none.</p>\n");
	if (p->traces > p->listed_count) {
		out_text(out, "<p>The first ");
		put_count(out, p->listed_count);
		out_text(out, " of them; the pages lead to the others.</p>\n");
	}
	out_text(out, "<ol>\n");
	for (size_t i = 0; i < p->listed_count; i++)
		put_trace(m, out, &p->listed[i]);
	out_text(out, "</ol>\n");
}

static void put_pages(struct out *out, const struct pages *p)
{
	out_text(out, "<h2 id=\"pages\">Pages</h2>\n<ol class=\"pages\">\n");
	for (size_t i = 0; i < p->count; i++) {
		const struct page *page = &p->items[i];
		out_printf(out, "<li><a href=\"%zu.html\">", i + 1);
		out_text(out, page->lines ? "from line " : "no line");
		if (page->lines)
			put_count(out, page->first_line);
		out_text(out, "</a>");
		if (page->traces) {
			out_text(out, " <small>");
			put_counted(out, page->traces, "stack trace");
			out_text(out, "</small>");
		}
		out_text(out, "</li>\n");
	}
	out_text(out, "</ol>\n");
}

static void put_form(struct out *out, const struct pages *p)
{
	out_text(out, "<form role=\"search\" hidden>\n<input type=\"search\" "
		      "name=\"text\" placeholder=\"find in the log\" "
		      "aria-label=\"Find in the log\">\n");
	put_choice(out, &p->processes, "process");
	put_choice(out, &p->modules, "module");
	out_text(out, "<button>Show these lines</button>\n"
		      "<button type=\"button\" id=\"first\">Go to the first"
		      "</button>\n<output></output>\n</form>\n");
}

void pages_end(struct markup *m, const char *title)
{
	struct pages *p = m->pages;
	struct out out;
	char *path = path_print("%s/index.html", p->dir);
	if (!title)
		title = "log";
	outfile_open_below(path, strlen(p->dir), NULL);
	out_init(&out, outfile_descriptor(), path, OUT_COLOUR_NEVER);
	out_text(&out, index_head);
	out_html(&out, title, 0);
	out_text(&out, "</title>\n<style>\n");
	out_lines(&out, pages_index_css);
	out_text(&out, "</style>\n</head>\n<body>\n<h1>");
	out_html(&out, title, 0);
	out_text(&out, "</h1>\n<p>");
	put_counted(&out, p->lines, "line");
	out_text(&out, ", ");
	put_counted(&out, p->count, "page");
	out_text(&out, ", ");
	put_counted(&out, p->traces, "stack trace");
	if (markup_interrupted() && !m->follow)
		out_text(&out, ". The log goes on: a signal ended gsym-markup "
			       "here.");
	out_text(&out, "</p>\n<p><a href=\"1.html\">First page</a>, "
		       "<a href=\"#traces\">stack traces</a>, "
		       "<a href=\"#pages\">all pages</a></p>\n");
	put_form(&out, p);
	put_traces(m, &out);
	put_pages(&out, p);
	out_text(&out, "<script>");
	out_lines(&out, pages_index_js);
	out_text(&out, "</script>\n</body>\n</html>\n");
	out_fini(&out);
	outfile_commit(NULL, 0);
	free(path);
}
