/* SPDX-License-Identifier: MIT */
/*
 * The public functions of gsym/markup.h; splits the bytes of a log into lines,
 * and passes lines without elements on.
 */
#include "config.h"

#include "filter/filter.h"

#include <limits.h>
#include <stdio.h>

#include "base/bytes16.h"
#include "base/error.h"
#include "base/system.h"

/* Lines of more bytes are passed on in pieces. */
#define LONG_LINE (gsym_mk_patience(MK_FOR_LINE).bytes)
/* From this many bytes on text goes to the host without a copy. */
#define MANY GSYM_LIMIT(4096u, 16)

/* ---- lines ---------------------------------------------------------- */

/* Filter a line, or a piece of one: SIZE bytes without line feed.  ENDED: a
 * line feed follows.  FINAL: the line has no further piece. */
static void do_line(struct gsym_markup *f, const char *at, size_t size,
		    bool ended, bool final)
{
	bool crlf = (ended || f->llvm) && size && at[size - 1] == '\r';
	/* In llvm-symbolizer's style the CR is a part of the text. */
	bool cut = crlf && !f->llvm;

	f->line = (struct mk_line){
		.number = f->line.number + !f->partial.continued,
		.came = f->clock.now,
		.process = f->line.process,
		.at = at,
		.size = size - cut,
		.ending = !ended ? ""
			  : crlf ? "\r\n"
				 : "\n",
		.crlf = crlf,
		.first = !f->partial.continued,
		.continued = f->partial.continued,
		.final = final,
		.header = SIZE_MAX,
	};
	/* A page of a series ends where no line waits.  An element
	 * without end whose lines were written does not matter. */
	if (f->options.html && f->line.first && !f->processes.holding &&
	    !filter_has_waiting(f))
		gsym_mk_page_turn(&f->out, f->line.number, f->options.title);
	if (f->llvm)
		gsym_render_llvm_line(&f->scene);
	else
		gsym_filter_do_line(f);
	if (f->logs)
		gsym_filter_keep(&f->logs->reader, at, final ? size - cut : 0);
	f->line.at = NULL;
	if (f->options.html && final)
		gsym_mk_page_cut(&f->out, f->line.number + 1, size);
	mk_complete(&f->out);
	gsym_mk_drain(&f->out, false);
	gsym_filter_tidy(f);
}

typedef gsym_bytes16 block;

static uint64_t count_lines(const char *at, size_t size)
{
	const char *end = at + size;
	uint64_t lines = 0;

	while (end - at >= 16) {
		block sums = { 0 };
		size_t steps = (size_t)(end - at) / 16;

		if (steps > 255)
			steps = 255;
#pragma GCC unroll 4
		for (; steps; steps--, at += 16)
			sums -= (block)(*(const block *)at == '\n');
		for (int i = 0; i < 16; i++)
			lines += sums[i];
	}
	for (; at < end; at++)
		lines += *at == '\n';
	return lines;
}

/* Keep the last of the whole lines AT to END for the next one. */
static void keep_last(struct filter_reader *reader, const char *at,
		      const char *end)
{
	const char *from = end, *stop;

	for (unsigned left = gsym_filter_most_kept(reader); left && from > at;
	     left--) {
		const char *newline =
			memrchr(at, '\n', (size_t)(from - 1 - at));

		from = newline ? newline + 1 : at;
	}
	for (; from < end; from = stop + 1) {
		stop = memchr(from, '\n', (size_t)(end - from));
		gsym_filter_keep(reader, from,
				 (size_t)(stop - from) -
					 (stop > from && stop[-1] == '\r'));
	}
}

/* Write whole lines without elements and SGR sequences. */
static void pass(struct gsym_markup *f, const char *at, size_t size)
{
	struct mk_out *o = &f->out;

	f->line.number += count_lines(at, size);
	if (f->logs)
		keep_last(&f->logs->reader, at, at + size);
	/* Many bytes go to the host without a copy. */
	if (size >= MANY) {
		mk_complete(o);
		gsym_mk_drain(o, true);
		if (o->write)
			o->write(o->context, at, size);
		return;
	}
	mk_put(o, at, size);
	mk_complete(o);
	gsym_mk_drain(o, false);
}

/* Whether lines without elements and SGR sequences are written as they are and
 * change no state. */
static bool may_pass(const struct gsym_markup *f)
{
	const struct mk_out *o = &f->out;

	return !f->processes.holding && !f->processes.annotating && !o->html &&
	       !f->scene.open_module && o->sgr.colour < 0 && !o->sgr.bold &&
	       !(f->logs && (f->logs->reader.asked.wordless ||
			     f->logs->reader.attention)) &&
	       !filter_has_waiting(f);
}

/* The first place in SIZE bytes that may begin an element, an SGR sequence or,
 * with LOGS, a part of a frame or a fact; NULL if there is none. */
static const char *find_special(const struct filter_logs *logs, const char *at,
				size_t size)
{
	return logs ? gsym_logs_special(at, size)
		    : gsym_mk_find_special(at, size);
}

/* ---- lines without end ---------------------------------------------- */

/* The start of an SGR sequence that bytes after END may complete; NULL if there
 * is none. */
static const char *unfinished_escape(const char *at, const char *end)
{
	for (const char *from = end; from > at && end - from < 64;) {
		char c = *--from;

		if (c == '\033')
			return from;
		if (c != '[' && c != ';' && (c < '0' || c > '9'))
			break;
	}
	return NULL;
}

/* The number of bytes before END that are the start of a UTF-8 character whose
 * rest may follow; 0: none. */
static size_t unfinished_character(const char *at, const char *end)
{
	/* The least first byte of characters of more than that many bytes. */
	static const unsigned char least[] = { 0xff, 0xc0, 0xe0, 0xf0 };

	for (size_t back = 1; back < 4 && end - at >= (ptrdiff_t)back; back++) {
		unsigned char c = (unsigned char)end[-(ptrdiff_t)back];

		if (c >= 0xc0)
			return c >= least[back] ? back : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

/* How many bytes of TEXT, the start of a line, can be passed on: those before
 * the possible start of an element or an SGR sequence. */
static size_t safe_length(const struct mk_text *text, bool html)
{
	const char *at = text->items, *end = at + text->count;
	struct mk_scanner s = { .at = at, .end = end };
	struct mk_element e;
	const char *half = at + LONG_LINE / 2 + 1, *opener;

	while (gsym_mk_next(&s, &e))
		;
	opener = gsym_mk_find_opener(s.at, (size_t)(end - s.at));
	/* An opener in the first half has no closer in LONG_LINE / 2 bytes, so
	 * it is text.  An opener in the second half may be the start of an
	 * element. */
	if (opener && opener < half)
		opener = gsym_mk_find_opener(half, (size_t)(end - half));
	if (opener)
		return (size_t)(opener - at);
	const char *escape = unfinished_escape(at, end);
	if (escape)
		return (size_t)(escape - at);
	size_t keep = 0;
	while (keep < 2 && keep < text->count &&
	       end[-1 - (ptrdiff_t)keep] == '{')
		keep++;
	if (keep == 0 && html)
		keep = unfinished_character(at, end);
	return text->count - keep;
}

/* Pass on the part of the partial line in which no element and no SGR sequence
 * can have begun. */
static void feed_part(struct gsym_markup *f)
{
	struct filter_partial *p = &f->partial;
	size_t size = safe_length(&p->text, f->options.html);

	if (size == 0)
		return;
	do_line(f, p->text.items, size, false, false);
	p->continued = true;
	p->text.count -= size;
	memmove(p->text.items, p->text.items + size, p->text.count);
}

/* Keep SIZE more bytes of a line whose end has not come. */
static void keep(struct gsym_markup *f, const char *at, size_t size)
{
	struct filter_partial *p = &f->partial;

	if (!p->text.count)
		p->since = f->clock.now;
	mk_append(&f->out, &p->text, at, size);
	if (p->text.count > LONG_LINE && !f->llvm)
		feed_part(f);
}

/* Filter the partial line, of which the last SIZE bytes and, after them, the
 * line feed have come. */
static void end_partial(struct gsym_markup *f, const char *at, size_t size)
{
	struct filter_partial *p = &f->partial;
	bool whole = mk_append(&f->out, &p->text, at, size + 1);

	if (whole && !p->continued && may_pass(f) &&
	    !find_special(f->logs, p->text.items, p->text.count))
		pass(f, p->text.items, p->text.count);
	else
		do_line(f, p->text.items, p->text.count - whole, true, true);
	p->continued = false;
	p->text.count = 0;
	if (p->text.capacity > 4 * LONG_LINE)
		gsym_vec_fini(&p->text);
}

/* End the log, and with it the partial line. */
static void feed_end(struct gsym_markup *f)
{
	struct filter_partial *p = &f->partial;

	if (p->text.count || p->continued)
		do_line(f, p->text.items, p->text.count, false, true);
	p->continued = false;
	p->text.count = 0;
}

/* ---- bytes ---------------------------------------------------------- */

/* Filter some lines from AT on.  Returns where the next line starts; NULL if
 * all bytes up to END are filtered or kept. */
static const char *do_lines(struct gsym_markup *f, const char *at,
			    const char *end)
{
	const char *special = at, *newline;
	bool passes = may_pass(f);

	if (passes) {
		special = find_special(f->logs, at, (size_t)(end - at));
		newline = memrchr(at, '\n',
				  (size_t)((special ? special : end) - at));
		if (newline) {
			pass(f, at, (size_t)(newline + 1 - at));
			at = newline + 1;
		}
		if (!special) {
			keep(f, at, (size_t)(end - at));
			return NULL;
		}
	}
	newline = memchr(special, '\n', (size_t)(end - special));
	if (!newline) {
		keep(f, at, (size_t)(end - at));
		return NULL;
	}
	do_line(f, at, (size_t)(newline - at), true, true);
	return newline + 1;
}

static void feed(struct gsym_markup *f, const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size;

	if (size && (f->partial.text.count || f->partial.continued)) {
		const char *newline = memchr(at, '\n', size);

		if (!newline) {
			keep(f, at, size);
			return;
		}
		end_partial(f, at, (size_t)(newline - at));
		at = newline + 1;
	}
	while (at && at < end)
		at = do_lines(f, at, end);
}

/* ---- making and freeing --------------------------------------------- */

enum gsym_status gsym_markup_new(const struct gsym_markup_host *host,
				 const struct gsym_markup_options *options,
				 struct gsym_markup **ret,
				 struct gsym_error *error)
{
	struct gsym_markup *f;
	enum gsym_status status;

	if (!ret)
		return gsym_fail_argument(error);
	if (options && options->logs.forms >> LOGS_FORMS)
		return gsym_fail_argument(error);
	f = calloc(1, sizeof(*f));
	if (!f)
		return gsym_fail_memory(error);
	if (options)
		f->options = *options;
	f->llvm = f->options.style == GSYM_MARKUP_STYLE_LLVM;
	if (f->llvm) {
		f->options.html = false;
		f->options.logs.forms = 0;
		f->options.headers = GSYM_MARKUP_HEADERS_NONE;
	}
	if (f->options.style == GSYM_MARKUP_STYLE_FUCHSIA &&
	    f->options.module_lines == GSYM_MARKUP_MODULES_FULL)
		f->options.module_lines = GSYM_MARKUP_MODULES_SHORT;
	gsym_mk_out_init(&f->out, &f->options, host, &f->page);
	gsym_mk_out_init(&f->scene.mixed, &f->options, NULL, &f->page);
	gsym_mk_host_init(&f->host, host, &f->options, &f->out, &f->line);
	f->page.part_size = f->options.part_size;
	filter_set_process(f,
			   gsym_mk_process_add(&f->processes, logs_string("")));
	f->scene.host = &f->host;
	f->scene.headers = &f->headers;
	f->scene.line = &f->line;
	f->scene.processes = &f->processes;
	f->judge.host = &f->host;
	f->judge.options = &f->options.logs;
	f->judge.processes = &f->processes;
	if (f->options.logs.forms)
		f->logs = gsym_filter_logs_new(f);
	status = f->line.process && (f->logs || !f->options.logs.forms)
			 ? gsym_mk_headers_init(&f->headers, &f->options, error)
			 : gsym_fail_memory(error);
	if (status != GSYM_OK) {
		gsym_markup_free(f);
		return status;
	}
	*ret = f;
	return GSYM_OK;
}

void gsym_markup_free(struct gsym_markup *f)
{
	struct mk_process *p = NULL;

	if (!f)
		return;
	while ((p = gsym_mk_process_next(&f->processes, p)))
		gsym_stacks_state_free(p->log);
	gsym_mk_processes_free(&f->processes);
	gsym_mk_headers_fini(&f->headers);
	gsym_mk_host_fini(&f->host);
	gsym_mk_out_fini(&f->out);
	gsym_mk_out_fini(&f->scene.mixed);
	gsym_vec_fini(&f->page.processes);
	gsym_vec_fini(&f->partial.text);
	gsym_vec_fini(&f->scene.footnotes);
	gsym_filter_logs_free(f->logs);
	gsym_vec_fini(&f->judge.distrust);
	free(f);
}

/* ---- the log -------------------------------------------------------- */

/* The status of a call: whether memory ran out during it. */
static enum gsym_status verdict(struct gsym_markup *f)
{
	bool failed = gsym_mk_headers_out_of_memory(&f->headers) ||
		      f->out.out_of_memory;

	f->out.out_of_memory = false;
	return failed ? GSYM_ERR_MEMORY : GSYM_OK;
}

enum gsym_status gsym_markup_feed(struct gsym_markup *f, const char *bytes,
				  size_t size)
{
	if (!f || (!bytes && size) || f->finished)
		return GSYM_ERR_ARGUMENT;
	if (f->options.html)
		gsym_mk_page_start(&f->out, f->options.title);
	feed(f, bytes, size);
	return verdict(f);
}

void gsym_markup_flush(struct gsym_markup *f)
{
	if (!f)
		return;
	if (!f->scene.open_module)
		mk_complete(&f->out);
	gsym_mk_drain(&f->out, true);
}

enum gsym_status gsym_markup_finish(struct gsym_markup *f)
{
	if (!f)
		return GSYM_ERR_ARGUMENT;
	if (f->finished)
		return GSYM_OK;
	if (f->options.html)
		gsym_mk_page_start(&f->out, f->options.title);
	feed_end(f);
	gsym_filter_dequeue(f, true);
	if (f->llvm) {
		gsym_render_llvm_end_module(&f->scene);
		gsym_mk_sgr_reset(&f->out);
	} else {
		gsym_render_write_held(&f->scene);
	}
	if (f->options.html)
		gsym_mk_page_end(&f->out);
	mk_complete(&f->out);
	gsym_mk_drain(&f->out, true);
	gsym_mk_messages_end(&f->host);
	f->finished = true;
	return verdict(f);
}

/* ---- time ----------------------------------------------------------- */

/* End what P waits for, if it is overdue. */
static void end_overdue(struct gsym_markup *f, struct mk_process *p)
{
	if (p->unended.state &&
	    gsym_mk_is_overdue(&f->clock, MK_FOR_ELEMENT, p->unended.since, 0))
		gsym_render_give_up(&f->scene, p);
	if (mk_has_collected(p) &&
	    gsym_mk_is_overdue(&f->clock, MK_FOR_MODULES, 0, p->heard))
		gsym_render_write_collected(&f->scene, p);
}

int gsym_markup_clock(struct gsym_markup *f, uint64_t now)
{
	struct filter_partial *partial;
	struct mk_process *p = NULL;

	if (!f)
		return 0;
	partial = &f->partial;
	f->clock.now = now;
	f->clock.due = UINT64_MAX;
	if (!f->llvm && !f->finished) {
		gsym_filter_dequeue(f, false);
		/* Module lines are never written into the middle of a line. */
		if ((f->processes.holding || f->processes.annotating) &&
		    !partial->continued)
			while ((p = gsym_mk_process_next(&f->processes, p)))
				end_overdue(f, p);
		/* Nobody waits for a line with an element that has no end. */
		if (partial->text.count &&
		    !gsym_mk_find_opener(partial->text.items,
					 partial->text.count) &&
		    gsym_mk_is_overdue(&f->clock, MK_FOR_LINE, partial->since,
				       0)) {
			feed_part(f);
			partial->since = now;
		}
	}
	gsym_markup_flush(f);
	return f->clock.due < INT_MAX ? (int)f->clock.due : -1;
}

/* ---- modules -------------------------------------------------------- */

void gsym_markup_retry(struct gsym_markup *f)
{
	struct mk_process *p = NULL;

	while (f && (p = gsym_mk_process_next(&f->processes, p))) {
		for (struct mk_module *m = p->context.modules; m; m = m->before)
			if (!m->symbols)
				m->asked = false;
		if (p->log)
			gsym_stacks_retry(p->log);
	}
}

enum gsym_status gsym_markup_add(struct gsym_markup *f,
				 const struct gsym_markup_module *module,
				 const struct gsym_markup_segment *segment)
{
	struct mk_element e = { 0 };
	struct mk_context *c;
	struct mk_mapping m = { 0 };

	if (!f || !module || !segment || segment->last < segment->start ||
	    (!module->name && module->name_size) ||
	    (!module->build_id && module->build_id_size))
		return GSYM_ERR_ARGUMENT;
	c = &f->line.process->context;
	e.id = module->id;
	e.name = (struct logs_text){ module->name, module->name_size };
	e.build_id_size = module->build_id_size < MK_BUILD_ID
				  ? module->build_id_size
				  : MK_BUILD_ID;
	m.start = segment->start;
	m.last = segment->last;
	m.relative = segment->relative;
	if (e.build_id_size)
		memcpy(e.build_id, module->build_id, e.build_id_size);
	m.module = gsym_mk_module_add(c, &e);
	if (!m.module)
		return GSYM_ERR_MEMORY;
	snprintf(m.mode, sizeof(m.mode), "%.3s", segment->mode);
	if (!gsym_mk_mapping_cut(c, m.start, m.last) ||
	    !gsym_mk_mapping_add(c, &m))
		return GSYM_ERR_MEMORY;
	return GSYM_OK;
}
