/* SPDX-License-Identifier: MIT */
/* Reads the frames and facts of a line, piece by piece. */
#include "config.h"

#include "markup/logs.h"

#include "markup/filter.h"

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
	return !gsym_mk_log_is_source(f, r->at, to->insert, &r->heads);
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
