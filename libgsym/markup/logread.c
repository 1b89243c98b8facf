/* SPDX-License-Identifier: MIT */
/* Reads the frames and facts of a line, view by view.  Lines of source code
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

void gsym_mk_log_unwrap(struct gsym_markup *f, struct logs_unwrapping *u)
{
	struct gsym_mk_logs *logs = f->logs;

	logs->unwrappings++;
	if (!gsym_vec_reserve(&logs->unwrapped, f->line.size))
		f->out.out_of_memory = true;
	u->logs = f->options.logs.forms;
	u->arena = logs->unwrapped.capacity < f->line.size
			   ? NULL
			   : logs->unwrapped.items;
	u->runs = logs->runs;
	gsym_logs_unwrap(u, f->line.at, f->line.at + f->line.size);
}

/* Whether the bracket OPEN, NULL if there is none, stands in FRAME. */
static bool opens_within(const struct logs_frame *frame, const char *open)
{
	return open && open >= frame->start;
}

/* Find the first frame of R.  Closing brackets behind the frame, whose opening
 * ones stand before the frame or in another piece, are cut off R. */
static bool first_frame(struct gsym_mk_log_frames *r, struct logs_frame *to)
{
	enum { MOST_BRACKETS = 3 };
	bool found = gsym_logs_frame(r->forms, r->at, r->at, r->end, to);
	const char *end = r->end, *open;

	for (int i = 0; i < MOST_BRACKETS; i++) {
		struct logs_frame inner;

		if (found && to->insert < r->end)
			break;
		end = gsym_logs_without_closer(r->at, end, &open);
		if (!end || (found && opens_within(to, open)))
			break;
		if (gsym_logs_frame(r->forms, r->at, r->at, end, &inner) &&
		    !opens_within(&inner, open)) {
			found = true;
			*to = inner;
			r->end = end;
		}
	}
	return found;
}

bool gsym_mk_log_next_frame(struct gsym_markup *f,
			    struct gsym_mk_log_frames *r,
			    struct logs_frame *to)
{
	const char *from = r->count ? r->last->resume : r->at;

	if (r->count && !r->last->dialect->frames &&
	    !r->last->dialect->second)
		return false;
	if (r->count == GSYM_MK_LOG_ANSWERS) {
		struct logs_frame next = *r->last;

		f->logs->crowded |=
			gsym_logs_frame(r->forms, r->at, from, r->end, &next);
		return false;
	}
	if (r->count && to != r->last)
		*to = *r->last;
	if (r->count ? !gsym_logs_frame(r->forms, r->at, from, r->end, to)
		     : !first_frame(r, to))
		return false;
	to->sign = r->count ? LOGS_NO_SIGN : r->sign;
	r->count++;
	r->last = to;
	return !is_source(f, r, to->insert);
}

enum logs_sign gsym_mk_log_sign(const struct gsym_mk_log_frames *before)
{
	enum logs_sign own;

	if (!before->text)
		return LOGS_SIGN_UNREAD;
	if (before->count)
		return LOGS_NO_SIGN;
	/* A key of JSON, or other text, takes nothing back. */
	own = gsym_logs_sign(before->text, before->end);
	return own != LOGS_NO_SIGN ? own : before->sign;
}

/* Set the next view of R, and its forms, which are announced by words in the
 * view, or in views before it: most pieces of a line have few of the line's. */
static bool next_view(struct gsym_markup *f, struct gsym_mk_log_reader *r)
{
	const struct gsym_mk_logs *logs = f->logs;
	enum logs_sign sign = gsym_mk_log_sign(&r->piece);

	if (!gsym_logs_next_view(&r->unwrapping, &r->view))
		return false;
	r->forms |= logs->unannounced
			    ? f->options.logs.forms
			    : gsym_logs_announced(
				      f->options.logs.forms, r->view.at,
				      (size_t)(r->view.end - r->view.at));
	r->piece = (struct gsym_mk_log_frames){
		.forms = r->forms,
		.at = r->view.at,
		.end = r->view.end,
		.text = r->view.at,
		.sign = sign,
	};
	return true;
}

/* Set ITEM to the next frame or fact of the line; false if there is none.  A
 * piece with frames has no facts. */
static bool next_item(struct gsym_markup *f, struct gsym_mk_log_reader *r,
		      struct gsym_mk_log_item *item)
{
	struct gsym_mk_log_frames *p = &r->piece;

	for (;;) {
		if (!p->at && !next_view(f, r))
			return false;
		if (!p->forms) {
			p->at = NULL;
			continue;
		}
		item->is_frame = gsym_mk_log_next_frame(f, p, &item->frame);
		if (item->is_frame) {
			gsym_logs_map(&r->unwrapping, &r->view, &item->frame,
				      &item->raw);
			return true;
		}
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

	while (count < GSYM_MK_LOG_ANSWERS &&
	       next_item(f, r, &f->logs->items[count]))
		count++;
	return count;
}
