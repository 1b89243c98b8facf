/* SPDX-License-Identifier: MIT */
/*
 * The first line of a kernel's report names a function, but the release of the
 * kernel comes a few lines later.  Such a line, and those after it, are held
 * back until the release is known, for a short while.
 */
#include "config.h"

#include "markup/logs.h"

#include "logs/facts.h"
#include "markup/filter.h"

/* Lines, and bytes, that are held back. */
enum { MOST_LINES = 32, MOST_BYTES = 256 << 10 };

/* Keep the line at hand; false without memory. */
static bool keep(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	const struct gsym_mk_line *l = &f->line;

	if (!gsym_mk_append(f, &h->text, l->at, l->size))
		return false;
	h->lines[h->count++] =
		(struct gsym_mk_log_held_line){ l->size, l->ending, l->crlf };
	return true;
}

/* Whether the kernel that the line at hand is of is unknown. */
static bool is_unknown(struct gsym_markup *f, const struct logs_frame *frame)
{
	const struct gsym_mk_log_state *s = gsym_mk_log_state(f);

	return s && !frame->build_id.size && !s->release_size &&
	       !gsym_mk_log_has_kernel(f);
}

bool gsym_mk_log_hold(struct gsym_markup *f, const struct logs_frame *frame)
{
	struct gsym_mk_log_held *h = &f->logs->held;

	if (frame->log != GSYM_MARKUP_LOG_KERNEL || !frame->begins ||
	    h->writing || f->line.size > MOST_BYTES || !is_unknown(f, frame))
		return false;
	h->number = f->line_number;
	h->since = f->now;
	return keep(f);
}

bool gsym_mk_log_held(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	const struct gsym_mk_line *l = &f->line;
	struct logs_fact fact;

	if (!h->count || h->writing)
		return false;
	if (!l->first || !l->final || h->count == MOST_LINES ||
	    h->text.count + l->size > MOST_BYTES || !keep(f)) {
		gsym_mk_log_release(f);
		return false;
	}
	if (gsym_logs_fact(GSYM_MARKUP_LOG_KERNEL, l->at, l->at + l->size,
			   &fact) &&
	    fact.kind == LOGS_RELEASE) {
		gsym_mk_log_apply(f, &fact);
		gsym_mk_log_release(f);
	}
	return true;
}

void gsym_mk_log_release(struct gsym_markup *f)
{
	struct gsym_mk_log_held *h = &f->logs->held;
	struct gsym_mk_line line = f->line;
	uint64_t number = f->line_number;
	const char *at = h->text.items;

	if (!h->count || h->writing)
		return;
	h->writing = true;
	for (size_t i = 0; i < h->count; i++) {
		f->line_number = h->number + i;
		f->line = (struct gsym_mk_line){
			.at = at,
			.size = h->lines[i].size,
			.ending = h->lines[i].ending,
			.crlf = h->lines[i].crlf,
			.first = true,
			.final = true,
			.header = SIZE_MAX,
		};
		gsym_mk_do_line(f);
		at += h->lines[i].size;
	}
	gsym_mk_complete(&f->out);
	h->writing = false;
	h->count = h->text.count = 0;
	f->line = line;
	f->line_number = number;
}
