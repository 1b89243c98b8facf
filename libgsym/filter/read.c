/* SPDX-License-Identifier: MIT */
/* Reads the frames and facts of a line, view by view, once for each line.
 * Lines of source code below a line, which an earlier run wrote, have none. */
#include "config.h"

#include "filter/read.h"

#include "logs/scan.h"

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
	const char *end = logs_trim(at, bar);
	const char *digits = logs_before_decimal(at, end);
	const char *mark = logs_trim(at, digits);

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
	enum logs_signal signal;
	/* The frames so far. */
	size_t count;
	/* What is known about starts of lines of source code: the piece was
	 * searched up to TO, where the first start is, if one was FOUND. */
	const char *to;
	enum head found;
};

/* Whether the piece P up to END, the end of a frame, has the start of a line of
 * source code, as render/write.c writes it. */
static bool is_source(struct filter_reader *r, struct piece *p, const char *end)
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
		r->unnumbered = true;
	/* In a log with numbered lines those with frames have numbers, too. */
	return head == HEAD_PLACE || (head == HEAD_NUMBER && r->unnumbered);
}

/* ---- the lines before -------------------------------------------------- */

unsigned gsym_filter_most_kept(const struct filter_reader *r)
{
	return r->options->headers == GSYM_MARKUP_HEADERS_NONE ? 1
							       : FILTER_KEPT;
}

void gsym_filter_keep(struct filter_reader *r, const char *at, size_t size)
{
	struct filter_kept *to;
	size_t kept = size < FILTER_BEFORE ? size : FILTER_BEFORE;

	r->last = (r->last + 1) % gsym_filter_most_kept(r);
	to = &r->before[r->last];
	memcpy(to->text, at + (size - kept), kept);
	to->size = kept;
	to->signal = LOGS_SIGNAL_UNREAD;
}

/* What the pieces of AT to END say, a line that is kept, which others have
 * wrapped.  The line at hand may be unwrapped already, so its views are
 * left alone. */
static enum logs_signal unwrapped_signal(const struct logs_asked *asked,
					 const char *at, const char *end)
{
	struct logs_runs {
		struct logs_run runs[LOGS_RUNS];
		char arena[FILTER_BEFORE];
	} *room = malloc(sizeof(*room));
	struct logs_unwrapping u = { .asked = asked->all };
	enum logs_signal signal = LOGS_NO_SIGNAL;
	struct logs_view view;

	if (!room)
		return signal;
	u.arena = room->arena;
	u.runs = room->runs;
	gsym_logs_unwrap(&u, at, end);
	while (gsym_logs_next_view(&u, &view)) {
		enum logs_signal own = gsym_logs_signal(view.at, view.end);

		/* The text is about a frame behind it. */
		if (own != LOGS_NO_SIGNAL ||
		    gsym_logs_announced(asked, view.at,
					(size_t)(view.end - view.at)))
			signal = own;
	}
	free(room);
	return signal;
}

static bool is_same_process(const struct filter_reader *r,
			    struct logs_text process,
			    const struct filter_kept *line)
{
	struct logs_text name = logs_string("");

	if (r->options->headers == GSYM_MARKUP_HEADERS_NONE)
		return true;
	gsym_mk_header(r->headers, line->text, line->size, &name);
	return logs_same(name, process);
}

/* What LINE says about a frame in the next line.  Several lines may ask. */
static enum logs_signal signal_in(const struct logs_asked *asked,
				  struct filter_kept *line)
{
	const char *at = line->text, *end = at + line->size;

	if (line->signal != LOGS_SIGNAL_UNREAD)
		return line->signal;
	line->signal = LOGS_NO_SIGNAL;
	if (!gsym_logs_has_signal(at, end))
		return LOGS_NO_SIGNAL;
	line->signal = gsym_logs_signal(at, end);
	if (line->signal == LOGS_NO_SIGNAL &&
	    gsym_logs_wrapping_marks(at, end, gsym_logs_all_wrappings))
		line->signal = unwrapped_signal(asked, at, end);
	return line->signal;
}

/* What the last line of PROCESS says about the first frame of the line at hand.
 * Most lines say nothing, whatever their process. */
static enum logs_signal signal_before(struct filter_reader *r,
				      struct logs_text process)
{
	const unsigned count = gsym_filter_most_kept(r);

	for (unsigned i = 0; i < count; i++) {
		struct filter_kept *line =
			&r->before[(r->last + count - i) % count];
		const enum logs_signal signal = signal_in(&r->asked, line);

		if (signal == LOGS_NO_SIGNAL ||
		    !is_same_process(r, process, line))
			continue;
		/* A line that came later takes that back. */
		while (i--)
			if (is_same_process(
				    r, process,
				    &r->before[(r->last + count - i) % count]))
				return LOGS_NO_SIGNAL;
		return signal;
	}
	return LOGS_NO_SIGNAL;
}

/* ---- pieces ------------------------------------------------------------ */

/* A walk over the pieces of a line. */
struct walk {
	struct filter_reader *reader;
	struct mk_line *line;
	/* The process of LINE. */
	struct logs_text process;
	struct logs_unwrapping unwrapping;
	struct logs_view view;
	/* All forms are tried, whatever words are in the line. */
	bool unannounced;
	/* The dialects whose words were met so far, as in struct logs_asked. */
	unsigned asked;
	struct piece piece;
	/* The start of the piece that was read last; NULL: none was. */
	const char *text;
	/* What the line before says about the first frame, once that is
	 * asked for. */
	enum logs_signal before;
};

/* Begin to unwrap the line of W; false without memory: then pieces whose text
 * is not in the line are left out. */
static bool unwrap(struct walk *w)
{
	struct logs_unwrapping *u = &w->unwrapping;
	struct mk_text *to = &w->reader->unwrapped;
	const struct mk_line *l = w->line;
	bool done;

	to->count = 0;
	done = gsym_vec_reserve(to, l->size);
	u->asked = w->reader->asked.all;
	u->arena = to->capacity < l->size ? NULL : to->items;
	u->runs = w->reader->runs;
	gsym_logs_unwrap(u, l->at, l->at + l->size);
	return done;
}

/* What is known of the first frame of the piece behind the one that W has
 * read. */
static enum logs_signal signal_of_next(const struct walk *w)
{
	enum logs_signal own;

	if (!w->text)
		return LOGS_SIGNAL_UNREAD;
	if (w->piece.count)
		return LOGS_NO_SIGNAL;
	/* A key of JSON, or other text, takes nothing back. */
	own = gsym_logs_signal(w->text, w->piece.end);
	return own != LOGS_NO_SIGNAL ? own : w->piece.signal;
}

/* Set the next view of W, and its dialects, which are announced by words in the
 * view, or in views before it: most pieces of a line have few of the line's. */
static bool next_piece(struct walk *w)
{
	enum logs_signal signal = signal_of_next(w);
	const struct logs_view *view = &w->view;
	const struct logs_asked *asked = &w->reader->asked;

	if (!gsym_logs_next_view(&w->unwrapping, &w->view))
		return false;
	w->asked |=
		w->unannounced
			? asked->all
			: gsym_logs_announced(asked, view->at,
					      (size_t)(view->end - view->at));
	w->text = view->at;
	w->piece = (struct piece){
		.at = view->at,
		.end = view->end,
		.unwrapped = view->count > 0,
		.signal = signal,
	};
	return true;
}

/* ---- frames and facts -------------------------------------------------- */

/* Whether the bracket OPEN, NULL if there is none, stands in FRAME. */
static bool opens_within(const struct logs_frame *frame, const char *open)
{
	return open && open >= frame->start;
}

/* What is known of the first frame of the piece of W, which is one of D.  The
 * line before is searched for the first such frame. */
static enum logs_signal first_signal(struct walk *w,
				     const struct logs_dialect *d)
{
	if (w->piece.signal != LOGS_SIGNAL_UNREAD)
		return w->piece.signal;
	/* Stacks of a kernel have no such texts. */
	if (d->sized)
		return LOGS_NO_SIGNAL;
	if (w->before == LOGS_SIGNAL_UNREAD)
		w->before = signal_before(w->reader, w->process);
	return w->before;
}

/* Find the first frame of P.  Closing brackets behind the frame, whose opening
 * ones stand before the frame or in another piece, are cut off P. */
static bool first_frame(unsigned asked, struct piece *p, struct logs_frame *to)
{
	enum { MOST_BRACKETS = 3 };
	bool found = gsym_logs_frame(asked, p->at, p->at, p->end, to);
	const char *end = p->end, *open;

	for (int i = 0; i < MOST_BRACKETS; i++) {
		struct logs_frame inner;

		if (found && to->insert < p->end)
			break;
		end = gsym_logs_without_closer(p->at, end, &open);
		if (!end || (found && opens_within(to, open)))
			break;
		if (gsym_logs_frame(asked, p->at, p->at, end, &inner) &&
		    !opens_within(&inner, open)) {
			found = true;
			*to = inner;
			p->end = end;
		}
	}
	return found;
}

/* What the text before FRAME, the next of the piece of W behind the frame
 * BEFORE, says about the address of FRAME.  A tracker may have put a line such
 * as "<signal handler called>" before the frame, into the same line. */
static enum logs_signal signal_of(struct walk *w,
				  const struct logs_frame *before,
				  const struct logs_frame *frame)
{
	const struct piece *p = &w->piece;
	const char *from = p->count ? before->resume : p->at;

	if (!frame->dialect->sized && frame->start > from &&
	    gsym_logs_signal(from, frame->start) == LOGS_SIGNAL_EXACT)
		return LOGS_SIGNAL_EXACT;
	return p->count ? LOGS_NO_SIGNAL : first_signal(w, frame->dialect);
}

/* Set TO to the next frame of the piece of W, behind the frame BEFORE; false if
 * there is none. */
static bool next_frame(struct walk *w, const struct logs_frame *before,
		       struct logs_frame *to)
{
	struct piece *p = &w->piece;

	if (!p->count) {
		if (!first_frame(w->asked, p, to))
			return false;
	} else {
		if (!before->dialect->frames && !before->rest)
			return false;
		*to = *before;
		if (!gsym_logs_frame(w->asked, p->at, before->resume, p->end,
				     to))
			return false;
	}
	if (p->count == FILTER_ANSWERS) {
		w->line->reading.crowded = true;
		return false;
	}
	to->line = w->line->number;
	to->signal = signal_of(w, before, to);
	p->count++;
	return !is_source(w->reader, p, to->insert);
}

/* Set ITEM to the next frame or fact of the line, behind the item BEFORE; false
 * if there is none.  A piece with frames has no facts. */
static bool next_item(struct walk *w, const struct mk_log_item *before,
		      struct mk_log_item *item)
{
	struct piece *p = &w->piece;

	for (;;) {
		if (!p->at && !next_piece(w))
			return false;
		item->unwrapped = p->unwrapped;
		item->is_frame =
			w->asked && next_frame(w, &before->frame, &item->frame);
		if (item->is_frame) {
			gsym_logs_map(&w->unwrapping, &w->view, &item->frame,
				      &item->raw);
			return true;
		}
		const char *at = p->at;

		p->at = NULL;
		/* Outside of its report a text may look like a NEARBY fact by
		 * chance.  It counts only in lines that are read because of a
		 * line before. */
		if (!p->count && w->asked &&
		    gsym_logs_fact(w->asked, at, p->end, &item->fact) &&
		    (!item->fact.nearby || w->unannounced))
			return true;
	}
}

/* Take notice of what ITEM, which was read with W, says about the reading of
 * further lines; and of the text that it lies in. */
static void take_notice(const struct walk *w, const struct mk_log_item *item)
{
	struct filter_reader *r = w->reader;
	const char *arena = w->unwrapping.arena;

	if (item->is_frame && r->attention < item->frame.watch)
		r->attention = item->frame.watch;
	if (!item->is_frame && item->fact.watch)
		r->attention = item->fact.watch;
	if (item->unwrapped &&
	    r->unwrapped.count < (size_t)(w->view.end - arena))
		r->unwrapped.count = (size_t)(w->view.end - arena);
}

/* Read the items of the line of W; false without memory. */
static bool read_items(struct walk *w)
{
	enum { MANY = 1024 };
	struct filter_items *items = &w->reader->items;
	bool done;

	/* A line before had very many items: do not keep their memory. */
	if (items->capacity > MANY)
		gsym_vec_fini(items);
	items->count = 0;
	done = unwrap(w);
	for (;;) {
		struct mk_log_item *item;

		if (!gsym_vec_reserve(items, 1)) {
			done = false;
			break;
		}
		item = &items->items[items->count];
		if (!next_item(w, items->count ? item - 1 : item, item))
			break;
		if (items->count == FILTER_ITEMS) {
			w->line->reading.crowded = true;
			break;
		}
		items->count++;
		take_notice(w, item);
	}
	w->line->reading.items = items->items;
	w->line->reading.count = items->count;
	return done;
}

/* ---- lines ------------------------------------------------------------- */

static bool has_element(const struct mk_line *l)
{
	struct mk_scanner s = { .at = l->at, .end = l->at + l->size };
	struct mk_element e;

	while (gsym_mk_next(&s, &e))
		if (mk_valid(&e))
			return true;
	return false;
}

/* Find out whether L ends with a whole report in JSON: an object, perhaps
 * behind a header. */
static void find_report(struct filter_reader *r, struct mk_line *l)
{
	const char *at = l->at, *end = at + l->size;

	if (end == at || end[-1] != '}')
		return;
	at = logs_find(at, end, "{\"");
	for (size_t i = 0; at && i < LOGS_FORMS; i++) {
		const struct logs_dialect *d = gsym_logs_dialects[i];

		if (!(r->asked.all & 1u << i) || !d->report ||
		    !d->report->is_whole || !d->report->is_whole(at, end))
			continue;
		l->reading.report_by = d;
		l->reading.report = (size_t)(at - l->at);
		r->attention = d->report->watch;
		return;
	}
}

bool gsym_filter_read(struct filter_reader *r, struct mk_line *l,
		      struct logs_text process)
{
	const bool unannounced = r->attention > 0;
	struct walk w;

	if (l->read)
		return true;
	l->read = true;
	l->reading = (struct mk_reading){ 0 };
	r->attention -= unannounced;
	r->unwrapped.count = 0;
	if (l->size > LONGEST || has_element(l))
		return true;
	find_report(r, l);
	/* The other members are large, and set by what uses them first. */
	w.reader = r;
	w.line = l;
	w.process = process;
	w.unannounced = unannounced;
	w.asked = 0;
	w.piece = (struct piece){ 0 };
	w.text = NULL;
	w.before = LOGS_SIGNAL_UNREAD;
	return read_items(&w);
}

/* ---- making and freeing ------------------------------------------------ */

void gsym_filter_reader_init(struct filter_reader *r,
			     const struct gsym_markup_options *options,
			     const struct mk_headers *headers)
{
	r->options = options;
	r->headers = headers;
	r->asked = gsym_logs_ask(options->logs.forms);
}

void gsym_filter_reader_fini(struct filter_reader *r)
{
	gsym_vec_fini(&r->items);
	gsym_vec_fini(&r->unwrapped);
}
