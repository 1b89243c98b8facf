/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "markup/filter.h"

#include "base/error.h"

#include <limits.h>
#include <stdio.h>

/* ---- making and freeing ---------------------------------------------- */

enum gsym_status gsym_markup_new(const struct gsym_markup_host *host,
				 const struct gsym_markup_options *options,
				 struct gsym_markup **ret,
				 struct gsym_error *error)
{
	struct gsym_markup *f = calloc(1, sizeof(*f));
	enum gsym_status status = GSYM_OK;

	if (!f)
		return gsym_fail_memory(error);
	if (host)
		f->host = *host;
	if (options)
		f->options = *options;
	f->llvm = f->options.style == GSYM_MARKUP_STYLE_LLVM;
	if (f->llvm) {
		f->options.html = false;
		f->options.headers = GSYM_MARKUP_HEADERS_NONE;
	}
	if (f->options.style == GSYM_MARKUP_STYLE_FUCHSIA &&
	    f->options.module_lines == GSYM_MARKUP_MODULES_FULL)
		f->options.module_lines = GSYM_MARKUP_MODULES_SHORT;
	f->out = &f->main;
	f->sgr.colour = GSYM_MK_NO_COLOUR;
	f->process = gsym_mk_process(f, (struct gsym_mk_slice){ "", 0 });
	if (!f->process)
		status = gsym_fail_memory(error);
	else if (f->options.headers == GSYM_MARKUP_HEADERS_REGEX)
		status = gsym_mk_regex_new(f, error);
	if (status != GSYM_OK) {
		gsym_markup_free(f);
		return status;
	}
	*ret = f;
	return GSYM_OK;
}

void gsym_markup_free(struct gsym_markup *f)
{
	if (!f)
		return;
	gsym_mk_processes_free(f);
	gsym_mk_regex_free(f->regex);
	gsym_mk_memo_free(f->memo);
	/* What was not said is not said any more. */
	f->host.diagnose = NULL;
	gsym_mk_messages_end(f);
	gsym_vec_fini(&f->main);
	gsym_vec_fini(&f->aside);
	gsym_vec_fini(&f->partial);
	gsym_vec_fini(&f->scratch);
	gsym_vec_fini(&f->tokens);
	gsym_vec_fini(&f->footnotes);
	free(f);
}

/* ---- lines ----------------------------------------------------------- */

/* SIZE bytes of a line without line feed; ENDED says that one follows. */
static void do_line(struct gsym_markup *f, const char *at, size_t size,
		    bool ended, bool final)
{
	bool crlf = (ended || f->llvm) && size && at[size - 1] == '\r';
	/* In llvm-symbolizer's way the CR is a part of the text. */
	bool cut = crlf && !f->llvm;

	if (!f->continued)
		f->line_number++;
	f->line = (struct gsym_mk_line){
		.at = at,
		.size = size - cut,
		.ending = !ended ? "" : crlf ? "\r\n" : "\n",
		.crlf = crlf,
		.first = !f->continued,
		.final = final,
		.header = SIZE_MAX,
	};
	f->unended = false;
	if (f->llvm)
		gsym_mk_llvm_line(f);
	else
		gsym_mk_do_line(f);
	f->line.at = NULL;
	f->line_mark = f->main.count;
	gsym_mk_drain(f, false);
}

typedef uint8_t lanes __attribute__((vector_size(16), aligned(1)));

static uint64_t count_lines(const char *at, size_t size)
{
	const char *end = at + size;
	uint64_t lines = 0;

	while (end - at >= 16) {
		lanes sums = { 0 };
		size_t steps = (size_t)(end - at) / 16;

		if (steps > 255)
			steps = 255;
		for (; steps; steps--, at += 16)
			sums -= (lanes)(*(const lanes *)at == '\n');
		for (int i = 0; i < 16; i++)
			lines += sums[i];
	}
	for (; at < end; at++)
		lines += *at == '\n';
	return lines;
}

/* Lines that have nothing of interest go as they are. */
static void pass(struct gsym_markup *f, const char *at, size_t size)
{
	f->line_number += count_lines(at, size);
	if (size >= 4096) {
		f->line_mark = f->main.count;
		gsym_mk_drain(f, true);
		if (f->host.write)
			f->host.write(f->host.context, at, size);
		return;
	}
	gsym_mk_append(f, &f->main, at, size);
	f->line_mark = f->main.count;
	gsym_mk_drain(f, false);
}

/* Whether plain lines change nothing and are not changed. */
static bool may_pass(const struct gsym_markup *f)
{
	return !f->waiting && !f->options.html && !f->open_module &&
	       f->sgr.colour < 0 && !f->sgr.bold;
}

/* Where an escape sequence starts that what follows END may complete; NULL
 * if there is none. */
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

/* Bytes of a character in UTF-8 that END cuts off. */
static size_t unfinished_character(const char *at, const char *end)
{
	for (size_t back = 1; back < 4 && end - at >= (ptrdiff_t)back; back++) {
		unsigned char c = (unsigned char)end[-(ptrdiff_t)back];

		if (c >= 0xc0)
			return c >= (back == 1   ? 0xc0
				     : back == 2 ? 0xe0
						 : 0xf0)
				       ? back
				       : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

/* Where a line that has not ended can be cut: in front of what may be the
 * start of an element or an escape sequence. */
static size_t safe_length(const struct gsym_markup *f)
{
	const struct gsym_mk_text *text = &f->partial;
	const char *at = text->items, *end = at + text->count;
	struct gsym_mk_scanner s = { .at = at, .end = end };
	struct gsym_mk_element e;
	const char *half = at + GSYM_MK_LONG_LINE / 2 + 1, *opener;

	while (gsym_mk_next(&s, &e))
		;
	opener = gsym_mk_find_opener(s.at, (size_t)(end - s.at));
	/* An opener at the start that found no end in so many bytes is
	 * text; there may be another. */
	if (opener && text->count > GSYM_MK_LONG_LINE && opener < half)
		opener = gsym_mk_find_opener(half, (size_t)(end - half));
	if (opener && text->count > GSYM_MK_LONG_LINE)
		return (size_t)(opener - at);
	const char *escape = unfinished_escape(at, end);
	if (escape)
		return (size_t)(escape - at);
	size_t keep = 0;
	while (keep < 2 && keep < text->count && end[-1 - (ptrdiff_t)keep] == '{')
		keep++;
	if (keep == 0 && f->options.html)
		keep = unfinished_character(at, end);
	return text->count - keep;
}

/* Pass on a part of a line that is too long to keep. */
static void do_part(struct gsym_markup *f)
{
	size_t size = safe_length(f);

	if (size == 0)
		return;
	do_line(f, f->partial.items, size, false, false);
	f->continued = true;
	f->partial.count -= size;
	memmove(f->partial.items, f->partial.items + size, f->partial.count);
}

static void keep(struct gsym_markup *f, const char *at, size_t size)
{
	if (!f->partial.count)
		f->partial_since = f->now;
	gsym_mk_append(f, &f->partial, at, size);
	if (f->partial.count > GSYM_MK_LONG_LINE && !f->llvm)
		do_part(f);
}

/* The end of a line whose start was kept. */
static void end_partial(struct gsym_markup *f, const char *at, size_t size)
{
	gsym_mk_append(f, &f->partial, at, size);
	do_line(f, f->partial.items, f->partial.count, true, true);
	f->continued = false;
	f->partial.count = 0;
	if (f->partial.capacity > 4 * GSYM_MK_LONG_LINE)
		gsym_vec_fini(&f->partial);
}

/* Whether a line has openers, of which OPENER is the first, but no element:
 * nothing that ends one, or that may end in a further line. */
static bool only_openers(const struct gsym_markup *f, const char *opener,
			 const char *end)
{
	static const char hexdict[] = "{{{hexdict:";
	const size_t length = sizeof(hexdict) - 1;

	if (*opener != '{' ||
	    gsym_mk_find_closer(opener, (size_t)(end - opener)) ||
	    memchr(opener, '\033', (size_t)(end - opener)))
		return false;
	while (!f->llvm && opener) {
		if ((size_t)(end - opener) >= length &&
		    memcmp(opener, hexdict, length) == 0)
			return false;
		opener++;
		opener = gsym_mk_find_opener(opener, (size_t)(end - opener));
	}
	return true;
}

/* Lines from AT on; returns where the next one starts, or NULL if it does
 * not end before END. */
static const char *do_lines(struct gsym_markup *f, const char *at,
			    const char *end)
{
	const char *special = at, *newline;
	bool passes = may_pass(f);

	if (passes) {
		special = gsym_mk_find_special(at, (size_t)(end - at));
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
	if (passes && only_openers(f, special, newline))
		pass(f, at, (size_t)(newline + 1 - at));
	else
		do_line(f, at, (size_t)(newline - at), true, true);
	return newline + 1;
}

static enum gsym_status verdict(struct gsym_markup *f)
{
	bool failed = f->out_of_memory;

	f->out_of_memory = false;
	return failed ? GSYM_ERR_MEMORY : GSYM_OK;
}

enum gsym_status gsym_markup_feed(struct gsym_markup *f, const char *bytes,
				  size_t size)
{
	const char *at = bytes, *end = bytes + size;

	if (f->finished)
		return GSYM_ERR_ARGUMENT;
	if (f->options.html)
		gsym_mk_page_start(f);
	if (size && (f->partial.count || f->continued)) {
		const char *newline = memchr(at, '\n', size);

		if (!newline) {
			keep(f, at, size);
			return verdict(f);
		}
		end_partial(f, at, (size_t)(newline - at));
		at = newline + 1;
	}
	while (at && at < end)
		at = do_lines(f, at, end);
	return verdict(f);
}

void gsym_markup_flush(struct gsym_markup *f)
{
	if (!f->llvm || !f->open_module)
		f->line_mark = f->main.count;
	gsym_mk_drain(f, true);
}

static void end_open(struct gsym_markup *f, struct gsym_mk_process *p)
{
	gsym_mk_end_block(f, p);
}

/* ---- time ------------------------------------------------------------ */

/* Milliseconds that a module line waits for more of the same, a line for
 * its end, and an element of several lines for its own. */
enum { PATIENCE_MODULE = 200, PATIENCE_LINE = 1000, PATIENCE_ELEMENT = 2000 };

/* Whether what began at SINCE has waited long enough; if not, note when it
 * will have. */
static bool overdue(struct gsym_markup *f, uint64_t since, uint64_t patience)
{
	uint64_t left;

	if (f->now >= since + patience)
		return true;
	left = since + patience - f->now;
	if (left < f->due)
		f->due = left;
	return false;
}

static void end_overdue(struct gsym_markup *f, struct gsym_mk_process *p)
{
	if (p->open.active &&
	    overdue(f, p->open.since, PATIENCE_ELEMENT))
		gsym_mk_hexdict_give_up(f, p);
	if (gsym_mk_block_open(p) && overdue(f, p->heard, PATIENCE_MODULE))
		gsym_mk_end_block(f, p);
}

int gsym_markup_clock(struct gsym_markup *f, uint64_t now)
{
	f->now = now;
	f->due = UINT64_MAX;
	if (!f->llvm && !f->finished) {
		/* Nothing is written into the middle of a line. */
		if (f->waiting && !f->continued)
			gsym_mk_each_process(f, end_overdue);
		if (f->partial.count &&
		    !gsym_mk_find_opener(f->partial.items,
					 f->partial.count) &&
		    overdue(f, f->partial_since, PATIENCE_LINE)) {
			do_part(f);
			f->partial_since = now;
		}
	}
	gsym_markup_flush(f);
	return f->due < INT_MAX ? (int)f->due : -1;
}

enum gsym_status gsym_markup_finish(struct gsym_markup *f)
{
	if (f->finished)
		return GSYM_OK;
	if (f->options.html)
		gsym_mk_page_start(f);
	if (f->llvm) {
		if (f->partial.count)
			do_line(f, f->partial.items, f->partial.count, false,
				true);
		gsym_mk_llvm_end_module(f);
		gsym_mk_sgr_reset(f);
	} else {
		if (f->partial.count || f->continued)
			do_line(f, f->partial.items, f->partial.count, false,
				true);
		gsym_mk_each_process(f, gsym_mk_hexdict_give_up);
		gsym_mk_each_process(f, end_open);
	}
	f->partial.count = 0;
	f->continued = false;
	if (f->options.html)
		gsym_mk_page_end(f);
	f->line_mark = f->main.count;
	gsym_mk_drain(f, true);
	gsym_mk_messages_end(f);
	f->finished = true;
	return verdict(f);
}

static void retry(struct gsym_markup *f, struct gsym_mk_process *p)
{
	(void)f;
	for (struct gsym_mk_module *m = p->context.modules; m; m = m->before)
		if (!m->symbols)
			m->asked = false;
}

void gsym_markup_retry(struct gsym_markup *f)
{
	gsym_mk_each_process(f, retry);
}

enum gsym_status gsym_markup_add(struct gsym_markup *f,
				 const struct gsym_markup_module *module,
				 const struct gsym_markup_segment *segment)
{
	struct gsym_mk_element e = {
		.id = module->id,
		.name = { module->name, module->name_size },
		.build_id_size = module->build_id_size < GSYM_MK_BUILD_ID
					 ? module->build_id_size
					 : GSYM_MK_BUILD_ID,
	};
	struct gsym_mk_context *c = &f->process->context;
	struct gsym_mk_mapping m = {
		.start = segment->start,
		.last = segment->last,
		.relative = segment->relative,
	};

	if (segment->last < segment->start)
		return GSYM_ERR_ARGUMENT;
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
