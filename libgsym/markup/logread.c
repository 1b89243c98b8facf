/* SPDX-License-Identifier: MIT */
/* Reads the frames and facts of a line, piece by piece.  Lines of source code
 * below a line, which an earlier run wrote, have none. */
#include "config.h"

#include "markup/logs.h"

#include "logs/scan.h"
#include "markup/filter.h"

/* ---- lines of source code --------------------------------------------- */

/* What stands before a "|". */
enum head {
	HEAD_NONE,
	/* "    > LINE ", the start of the line of source code of a place. */
	HEAD_PLACE,
	/* "      LINE ": other lines of source code, and lines of a log that
	 * someone has numbered. */
	HEAD_NUMBER,
};

static enum head head_of(const char *at, const char *bar)
{
	const char *end = logs_trim(at, bar), *digits = end, *mark;

	while (digits > at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	mark = logs_trim(at, digits);
	if (bar - end != 1 || digits == end || mark == digits)
		return HEAD_NONE;
	if (digits - mark >= 6)
		return HEAD_NUMBER;
	return mark > at && mark[-1] == '>' &&
			       mark - 1 - logs_trim(at, mark - 1) >= 4
		       ? HEAD_PLACE
		       : HEAD_NONE;
}

/* Whether the piece R up to END, the end of a frame, has the start of a line of
 * source code, as logwrite.c writes it. */
static bool is_source(struct gsym_markup *f, struct gsym_mk_log_frames *r,
		      const char *end)
{
	const char *bar = r->to ? r->to : r->at;
	enum head head = (enum head)r->found;

	while (head == HEAD_NONE && (bar = logs_find(bar, end, "| "))) {
		head = head_of(r->at, bar++);
		r->to = bar;
	}
	/* The bar may be the last byte. */
	if (head == HEAD_NONE && end > r->at)
		r->to = end - 1;
	r->found = head;
	if (head == HEAD_NONE)
		f->logs->unnumbered = true;
	/* In a log with numbered lines those with frames have numbers, too. */
	return head == HEAD_PLACE ||
	       (head == HEAD_NUMBER && f->logs->unnumbered);
}

/* ---- frames and facts -------------------------------------------------- */

bool gsym_mk_log_next_frame(struct gsym_markup *f,
			    struct gsym_mk_log_frames *r,
			    struct logs_frame *to)
{
	const char *from = r->count ? r->last->resume : r->at;

	if (r->count == GSYM_MK_LOG_HITS)
		return false;
	if (r->count && !r->last->dialect->frames)
		return false;
	if (r->count && to != r->last)
		*to = *r->last;
	if (!gsym_logs_frame(r->forms, r->at, from, r->end, to))
		return false;
	r->count++;
	r->last = to;
	return !is_source(f, r, to->insert);
}

/* Set ITEM to the next frame or fact of the line; false if there is none.  A
 * piece with frames has no facts. */
static bool next_item(struct gsym_markup *f, struct gsym_mk_log_reader *r,
		      struct gsym_mk_log_item *item)
{
	struct gsym_mk_log_frames *p = &r->piece;

	for (;;) {
		if (!p->at) {
			*p = (struct gsym_mk_log_frames){
				.forms = f->logs->forms,
			};
			if (!gsym_logs_next_piece(&r->pieces, &p->at, &p->end))
				return false;
		}
		item->is_frame = gsym_mk_log_next_frame(f, p, &item->frame);
		if (item->is_frame)
			return true;
		const char *at = p->at;

		p->at = NULL;
		if (!p->count &&
		    gsym_logs_fact(p->forms, at, p->end, &item->fact))
			return true;
	}
}

size_t gsym_mk_log_read(struct gsym_markup *f, struct gsym_mk_log_reader *r)
{
	size_t count = 0;

	while (count < GSYM_MK_LOG_HITS &&
	       next_item(f, r, &f->logs->items[count]))
		count++;
	return count;
}
