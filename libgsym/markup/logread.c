/* SPDX-License-Identifier: MIT */
/* Reads the frames and facts of a line, view by view, once for each line.
 * Lines of source code below a line, which an earlier run wrote, have none. */
#include "config.h"

#include "markup/logs.h"

#include "logs/scan.h"
#include "markup/filter.h"

/* Longer lines are not read, as filter.c may cut them into pieces. */
#define LONGEST GSYM_LIMIT(1u << 20, 512)

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

/* A piece of a line whose frames are read. */
struct piece {
	/* AT is NULL: there is no piece at hand. */
	const char *at, *end;
	/* Its text lies in a view with runs, not in the line. */
	bool unwrapped;
	/* What the text before it says about its first frame. */
	enum logs_sign sign;
	/* The frames so far. */
	size_t count;
	/* What is known about starts of lines of source code: the piece was
	 * searched up to TO, where the first start is, if one was FOUND. */
	const char *to;
	enum head found;
};

/* Whether the piece P up to END, the end of a frame, has the start of a line of
 * source code, as logwrite.c writes it. */
static bool is_source(struct gsym_markup *f, struct piece *p, const char *end)
{
	const char *bar = p->to ? p->to : p->at;
	enum head head = p->found;

	while (head == HEAD_NONE && (bar = logs_find(bar, end, "| "))) {
		head = head_of(p->at, bar++);
		p->to = bar;
	}
	/* The bar may be the last byte. */
	if (head == HEAD_NONE && end > p->at)
		p->to = end - 1;
	p->found = head;
	if (head == HEAD_NONE)
		f->logs->unnumbered = true;
	/* In a log with numbered lines those with frames have numbers, too. */
	return head == HEAD_PLACE ||
	       (head == HEAD_NUMBER && f->logs->unnumbered);
}

/* ---- pieces ------------------------------------------------------------ */

struct reader {
	struct logs_unwrapping unwrapping;
	struct logs_view view;
	/* All forms are tried, whatever words are in the line. */
	bool unannounced;
	/* The forms whose words were met so far. */
	unsigned forms;
	struct piece piece;
	/* The start of the piece that was read last; NULL: none was. */
	const char *text;
	/* What the line before says about the first frame, once that is
	 * asked for. */
	enum logs_sign before;
};

static void unwrap(struct gsym_markup *f, struct logs_unwrapping *u)
{
	struct gsym_mk_text *to = &f->logs->unwrapped;

	to->count = 0;
	if (!gsym_vec_reserve(to, f->line.size))
		f->out.out_of_memory = true;
	u->logs = f->options.logs.forms;
	u->arena = to->capacity < f->line.size ? NULL : to->items;
	u->runs = f->logs->runs;
	gsym_logs_unwrap(u, f->line.at, f->line.at + f->line.size);
}

/* What is known of the first frame of the piece behind the one that R has
 * read. */
static enum logs_sign sign_of_next(const struct reader *r)
{
	enum logs_sign own;

	if (!r->text)
		return LOGS_SIGN_UNREAD;
	if (r->piece.count)
		return LOGS_NO_SIGN;
	/* A key of JSON, or other text, takes nothing back. */
	own = gsym_logs_sign(r->text, r->piece.end);
	return own != LOGS_NO_SIGN ? own : r->piece.sign;
}

/* Set the next view of R, and its forms, which are announced by words in the
 * view, or in views before it: most pieces of a line have few of the line's. */
static bool next_piece(struct gsym_markup *f, struct reader *r)
{
	enum logs_sign sign = sign_of_next(r);
	const struct logs_view *view = &r->view;

	if (!gsym_logs_next_view(&r->unwrapping, &r->view))
		return false;
	r->forms |=
		r->unannounced
			? f->options.logs.forms
			: gsym_logs_announced(f->options.logs.forms, view->at,
					      (size_t)(view->end - view->at));
	r->text = view->at;
	r->piece = (struct piece){
		.at = view->at,
		.end = view->end,
		.unwrapped = view->count > 0,
		.sign = sign,
	};
	return true;
}

/* ---- frames and facts -------------------------------------------------- */

/* Whether the bracket OPEN, NULL if there is none, stands in FRAME. */
static bool opens_within(const struct logs_frame *frame, const char *open)
{
	return open && open >= frame->start;
}

/* What is known of the first frame of the piece of R, which is one of D.  The
 * line before is searched for the first such frame. */
static enum logs_sign first_sign(struct gsym_markup *f, struct reader *r,
				 const struct logs_dialect *d)
{
	if (r->piece.sign != LOGS_SIGN_UNREAD)
		return r->piece.sign;
	/* No signal stands in a stack of a kernel. */
	if (d->sized)
		return LOGS_NO_SIGN;
	if (r->before == LOGS_SIGN_UNREAD)
		r->before = gsym_mk_log_sign_before(f);
	return r->before;
}

/* Find the first frame of P.  Closing brackets behind the frame, whose opening
 * ones stand before the frame or in another piece, are cut off P. */
static bool first_frame(unsigned forms, struct piece *p, struct logs_frame *to)
{
	enum { MOST_BRACKETS = 3 };
	bool found = gsym_logs_frame(forms, p->at, p->at, p->end, to);
	const char *end = p->end, *open;

	for (int i = 0; i < MOST_BRACKETS; i++) {
		struct logs_frame inner;

		if (found && to->insert < p->end)
			break;
		end = gsym_logs_without_closer(p->at, end, &open);
		if (!end || (found && opens_within(to, open)))
			break;
		if (gsym_logs_frame(forms, p->at, p->at, end, &inner) &&
		    !opens_within(&inner, open)) {
			found = true;
			*to = inner;
			p->end = end;
		}
	}
	return found;
}

/* Set TO to the next frame of the piece of R, behind the frame BEFORE; false if
 * there is none. */
static bool next_frame(struct gsym_markup *f, struct reader *r,
		       const struct logs_frame *before, struct logs_frame *to)
{
	struct piece *p = &r->piece;

	if (!p->count) {
		if (!first_frame(r->forms, p, to))
			return false;
	} else {
		if (!before->dialect->frames && !before->dialect->second)
			return false;
		*to = *before;
		if (!gsym_logs_frame(r->forms, p->at, before->resume, p->end,
				     to))
			return false;
	}
	if (p->count == GSYM_MK_LOG_ANSWERS) {
		f->line.reading.crowded = true;
		return false;
	}
	to->line = f->line.number;
	to->sign = p->count ? LOGS_NO_SIGN : first_sign(f, r, to->dialect);
	p->count++;
	return !is_source(f, p, to->insert);
}

/* Set ITEM to the next frame or fact of the line, behind the item BEFORE; false
 * if there is none.  A piece with frames has no facts. */
static bool next_item(struct gsym_markup *f, struct reader *r,
		      const struct gsym_mk_log_item *before,
		      struct gsym_mk_log_item *item)
{
	struct piece *p = &r->piece;

	for (;;) {
		if (!p->at && !next_piece(f, r))
			return false;
		item->unwrapped = p->unwrapped;
		item->is_frame = r->forms &&
				 next_frame(f, r, &before->frame, &item->frame);
		if (item->is_frame) {
			gsym_logs_map(&r->unwrapping, &r->view, &item->frame,
				      &item->raw);
			return true;
		}
		const char *at = p->at;

		p->at = NULL;
		/* Outside of its report a text may look like a NEARBY fact by
		 * chance.  It counts only in lines that are read because of a
		 * line before. */
		if (!p->count && r->forms &&
		    gsym_logs_fact(r->forms, at, p->end, &item->fact) &&
		    (!item->fact.nearby || r->unannounced))
			return true;
	}
}

/* Take notice of what ITEM, which was read with R, says about the reading of
 * further lines; and of the text that it lies in. */
static void take_notice(struct gsym_mk_logs *logs, const struct reader *r,
			const struct gsym_mk_log_item *item)
{
	const char *arena = r->unwrapping.arena;

	if (item->is_frame && logs->attention < item->frame.watch)
		logs->attention = item->frame.watch;
	if (!item->is_frame && item->fact.watch)
		logs->attention = item->fact.watch;
	if (item->unwrapped &&
	    logs->unwrapped.count < (size_t)(r->view.end - arena))
		logs->unwrapped.count = (size_t)(r->view.end - arena);
}

/* Read the items of the line at hand.  UNANNOUNCED: of all forms. */
static void read_items(struct gsym_markup *f, bool unannounced)
{
	enum { MANY = 1024 };
	struct gsym_mk_reading *to = &f->line.reading;
	struct gsym_mk_log_items *items = &f->logs->items;
	struct reader r;

	/* UNWRAPPING and VIEW are large, and set by what uses them first. */
	r.unannounced = unannounced;
	r.forms = 0;
	r.piece = (struct piece){ 0 };
	r.text = NULL;
	r.before = LOGS_SIGN_UNREAD;
	/* A line before had very many items: do not keep their memory. */
	if (items->capacity > MANY)
		gsym_vec_fini(items);
	items->count = 0;
	unwrap(f, &r.unwrapping);
	for (;;) {
		struct gsym_mk_log_item *item;

		if (!gsym_vec_reserve(items, 1)) {
			f->out.out_of_memory = true;
			break;
		}
		item = &items->items[items->count];
		if (!next_item(f, &r, items->count ? item - 1 : item, item))
			break;
		if (items->count == GSYM_MK_LOG_ITEMS) {
			to->crowded = true;
			break;
		}
		items->count++;
		take_notice(f->logs, &r, item);
	}
	to->items = items->items;
	to->count = items->count;
}

/* ---- lines ------------------------------------------------------------- */

/* Whether L has an element of markup. */
static bool has_element(const struct gsym_mk_line *l)
{
	struct gsym_mk_scanner s = { .at = l->at, .end = l->at + l->size };
	struct gsym_mk_element e;

	while (gsym_mk_next(&s, &e))
		if (gsym_mk_valid(&e))
			return true;
	return false;
}

/* Find out whether the line at hand ends with a whole report in JSON: an
 * object, perhaps behind a header. */
static void find_report(struct gsym_markup *f)
{
	struct gsym_mk_reading *to = &f->line.reading;
	const char *at = f->line.at, *end = at + f->line.size;

	if (end == at || end[-1] != '}')
		return;
	at = logs_find(at, end, "{\"");
	for (size_t i = 0; at && i < LOGS_FORMS; i++) {
		const struct logs_dialect *d = gsym_logs_dialects[i];

		if (!(f->options.logs.forms & d->log) || !d->report ||
		    !d->report->is_whole || !d->report->is_whole(at, end))
			continue;
		to->report_by = d;
		to->report = (size_t)(at - f->line.at);
		f->logs->attention = d->report->watch;
		return;
	}
}

void gsym_mk_log_read(struct gsym_markup *f)
{
	struct gsym_mk_line *l = &f->line;
	const bool unannounced = f->logs->attention > 0;

	if (l->read)
		return;
	l->read = true;
	l->reading = (struct gsym_mk_reading){ 0 };
	f->logs->attention -= unannounced;
	f->logs->unwrapped.count = 0;
	if (l->size > LONGEST || has_element(l))
		return;
	find_report(f);
	read_items(f, unannounced);
}
