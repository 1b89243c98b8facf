/* SPDX-License-Identifier: MIT */
/* Views of a line without its wrappings, and the way back to its bytes. */
#include "config.h"

#include "logs/unwrap.h"

#include "base/system.h"
#include "logs/scan.h"

/* Cut what may stand before and after a frame in any text: the byte order mark
 * of UTF-8, signs of quoted mail; white space, commas, semicolons, full stops,
 * and CR in any number. */
static void trim(const struct logs_unwrapping *u, struct logs_view *view)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *at = view->at, *quote;

	if (logs_word(at, view->end, mark))
		view->at = at += strlen(mark);
	quote = at;

	view->tail = view->end;
	while (view->end > at && memchr(" \t\r,;.", view->end[-1], 6))
		view->end--;
	if (view->tail != u->end || view->layers.count ||
	    logs_blanks(view->end, view->tail) != view->tail)
		view->tail = view->end;
	while (quote < view->end && *quote == '>')
		quote = logs_blanks(quote + 1, view->end);
	/* strace writes "> /path". */
	if (quote < view->end && *quote != '/')
		view->at = quote;
}

/* ---- runs --------------------------------------------------------------- */

/* A text: in the line itself, or with COUNT runs, of which the last ends at
 * END. */
struct mapped {
	const char *line, *arena;
	const struct logs_run *runs;
	size_t count;
	uint32_t end;
};

static struct mapped mapped_of(const struct logs_unwrapping *u,
			       const struct logs_run *runs, size_t count,
			       const char *last)
{
	return (struct mapped){
		u->line, u->arena, runs, count,
		count ? (uint32_t)(last - u->arena) : 0,
	};
}

/* The last run that begins at or before TEXT. */
static size_t run_of(const struct mapped *m, uint32_t text)
{
	size_t low = 0, high = m->count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (m->runs[middle].text <= text)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static uint32_t run_size(const struct mapped *m, size_t i)
{
	return (i + 1 < m->count ? m->runs[i + 1].text : m->end) -
	       m->runs[i].text;
}

/* The place in the line of the byte AT; or with BEHIND, that behind the byte
 * before AT. */
static const char *to_raw(const struct mapped *m, const char *at, bool behind)
{
	const struct logs_run *run;
	uint32_t text, into;
	size_t i;

	if (!m->count)
		return at;
	text = (uint32_t)(at - m->arena);
	behind = (behind || text == m->end) && text > m->runs[0].text;
	i = run_of(m, text - behind);
	run = &m->runs[i];
	into = text - run->text;
	/* No place within an escape. */
	if (run->raw_size != run_size(m, i))
		into = into ? run->raw_size : 0;
	return m->line + run->raw + into;
}

void gsym_logs_map(const struct logs_unwrapping *u,
		   const struct logs_view *view,
		   const struct logs_frame *frame, struct logs_raw *ret)
{
	const struct mapped m =
		mapped_of(u, view->runs, view->count, view->last);

	const char *insert = frame->insert, *resume = frame->resume;
	const bool appends = frame->layout == LOGS_APPEND;

	if (insert == view->end && appends && !frame->tight)
		insert = view->tail;
	if (resume == view->end && appends)
		resume = view->tail;
	if (!view->count) {
		*ret = (struct logs_raw){
			frame->start, frame->item, frame->number_end,
			insert, resume, view->layers,
		};
		return;
	}
	*ret = (struct logs_raw){
		.start = to_raw(&m, frame->start, false),
		.insert = to_raw(&m, insert, true),
		.resume = to_raw(&m, resume, true),
		.layers = view->layers,
	};
	if (frame->item)
		ret->item = to_raw(&m, frame->item, false);
	if (frame->number_end)
		ret->number_end = to_raw(&m, frame->number_end, true);
}

/* ---- undoing escapes ---------------------------------------------------- */

/* A text that is being made from a piece of another one. */
struct making {
	struct logs_unwrapping *u;
	struct mapped from;
	/* The runs so far, and where the next byte goes. */
	struct logs_run *runs;
	size_t count, most;
	char *to;
};

/* Add a run for the SIZE bytes that come next, from RAW to RAW_END. */
static bool add_run(struct making *m, size_t size, const char *raw,
		    const char *raw_end)
{
	struct logs_run run = {
		(uint32_t)(m->to - m->u->arena),
		(uint32_t)(raw - m->u->line),
		(uint32_t)(raw_end - raw),
	};
	struct logs_run *last = m->count ? &m->runs[m->count - 1] : NULL;

	/* Bytes that are the same go on. */
	if (last && run.raw_size == size &&
	    last->raw + last->raw_size == run.raw &&
	    last->raw_size == run.text - last->text) {
		last->raw_size += run.raw_size;
		return true;
	}
	if (m->count == m->most)
		return false;
	m->runs[m->count++] = run;
	return true;
}

/* Copy AT to END, which stay as they are, and their runs. */
static bool copy(struct making *m, const char *at, const char *end)
{
	const struct mapped *from = &m->from;

	while (at < end) {
		const char *stop = end;

		if (from->count) {
			uint32_t text = (uint32_t)(at - from->arena);
			size_t i = run_of(from, text);
			size_t more = from->runs[i].text + run_size(from, i) -
				      text;

			stop = more < logs_left(at, end) ? at + more : end;
		}
		if (!add_run(m, logs_left(at, stop), to_raw(from, at, false),
			     to_raw(from, stop, true)))
			return false;
		memmove(m->to, at, logs_left(at, stop));
		m->to += stop - at;
		at = stop;
	}
	return true;
}

/* Where the next escape of W may be in AT to END; NULL if there is none. */
static inline const char *next_escape(const struct logs_wrapping *w,
				      const char *at, const char *end)
{
	const char *marks = w->escape_marks;

	if (!marks[1])
		return logs_byte(at, end, *marks);
	at = gsym_logs_either(at, end, marks[0], marks[1]);
	return at < end ? at : NULL;
}

/* Make the text of P without the escapes of W, whose first one is at ESCAPE. */
static bool make(struct making *m, const struct logs_wrapping *w,
		 const struct logs_piece *p, const char *escape)
{
	const char *at = p->at, *from = at;
	char bytes[4];
	size_t size;

	for (at = escape; at; at = next_escape(w, at, p->end)) {
		size_t taken = w->decode(at, p->end, bytes, &size);

		if (!taken) {
			at++;
			continue;
		}
		if (!copy(m, from, at))
			return false;
		from = at + taken;
		if (size && !add_run(m, size, to_raw(&m->from, at, false),
				     to_raw(&m->from, from, true)))
			return false;
		memcpy(m->to, bytes, size);
		m->to += size;
		at = from;
	}
	return copy(m, from, p->end);
}

/* Set L to the text of P, a piece of the layer at hand.  False if it cannot be
 * made. */
static bool unescape(struct logs_unwrapping *u, const struct logs_piece *p,
		     struct logs_layer *l)
{
	const struct logs_layer *parent = &u->layers[u->depth];
	const struct logs_wrapping *w = &gsym_logs_wrappings[parent->row];
	const size_t most = GSYM_LIMIT(LOGS_RUNS, 1);
	const char *escape = NULL;
	struct making m;

	*l = (struct logs_layer){
		.at = p->at,
		.end = p->end,
		.marks = parent->marks,
		.asked = parent->asked,
		.first = parent->first,
		.count = parent->count,
		.last = parent->last,
	};
	if (p->inside && w->decode)
		escape = next_escape(w, p->at, p->end);
	if (!escape)
		return true;
	if (!u->arena || parent->first + parent->count >= most)
		return false;
	m.u = u;
	m.from = mapped_of(u, u->runs + parent->first, parent->count,
			   parent->last);
	l->first = parent->first + parent->count;
	m.runs = u->runs + l->first;
	m.count = 0;
	m.most = most - l->first;
	/* The text takes the place of the piece, of which it has not more
	 * bytes. */
	m.to = u->arena + (p->at - (parent->count ? u->arena : u->line));
	l->at = m.to;
	if (!make(&m, w, p, escape))
		return false;
	l->end = l->last = m.to;
	l->count = m.count;
	/* Any byte may have been escaped. */
	l->marks = gsym_logs_all_wrappings;
	return true;
}

/* ---- pieces ------------------------------------------------------------- */

void gsym_logs_unwrap(struct logs_unwrapping *u, const char *at,
		      const char *end)
{
	u->line = at;
	u->end = end;
	u->depth = 0;
	u->inside = 0;
	u->layers[0] = (struct logs_layer){
		.at = at,
		.end = end,
		.row = gsym_logs_line,
		.marks = logs_left(at, end) <= UINT32_MAX
				 ? gsym_logs_all_wrappings
				 : 0,
		.asked = u->asked,
	};
}

/* Whether L is wrapped once more; its row is set then. */
static bool is_wrapped(struct logs_layer *l)
{
	if (l->marks)
		l->marks = gsym_logs_wrapping_marks(l->at, l->end, l->marks);
	for (unsigned left = l->marks; left; left &= left - 1) {
		l->row = (uint8_t)__builtin_ctz(left);
		if (gsym_logs_wrappings[l->row].opens(l))
			return true;
	}
	return false;
}

/* Set VIEW to L, a piece without further wrapping. */
static void look(const struct logs_unwrapping *u, const struct logs_layer *l,
		 struct logs_view *view)
{
	*view = (struct logs_view){
		.at = l->at,
		.end = l->end,
		.runs = u->runs + l->first,
		.count = l->count,
		.last = l->last,
	};
	for (size_t i = 1; i <= u->depth; i++)
		if (u->inside & 1u << i)
			view->layers.rows[view->layers.count++] =
				u->layers[i].row;
	trim(u, view);
}

bool gsym_logs_next_view(struct logs_unwrapping *u, struct logs_view *view)
{
	for (;;) {
		struct logs_layer *layer = &u->layers[u->depth], child;
		struct logs_piece p;

		if (!gsym_logs_wrappings[layer->row].next(layer, &p)) {
			if (!u->depth)
				return false;
			u->depth--;
			continue;
		}
		u->inside &= (1u << u->depth) - 1;
		u->inside |= (unsigned)p.inside << u->depth;
		if (p.at == p.end || !unescape(u, &p, &child))
			continue;
		if (!is_wrapped(&child)) {
			look(u, &child, view);
			if (view->at < view->end)
				return true;
		} else if (u->depth < GSYM_LIMIT(LOGS_LAYERS, 1)) {
			u->layers[++u->depth] = child;
		}
	}
}

const char *gsym_logs_without_closer(const char *at, const char *end,
				     const char **open)
{
	*open = NULL;
	if (at == end || !memchr(")]}", end[-1], 3))
		return NULL;
	*open = gsym_logs_open(at, end--);
	while (end > at && memchr(" ,", end[-1], 2))
		end--;
	return end;
}

/* ---- answers ------------------------------------------------------------ */

bool gsym_logs_joined(const struct logs_layers *layers)
{
	for (size_t i = 0; i < layers->count; i++)
		if (gsym_logs_wrappings[layers->rows[i]].joined)
			return true;
	return false;
}

bool gsym_logs_escapes(const struct logs_layers *layers)
{
	for (size_t i = 0; i < layers->count; i++)
		if (gsym_logs_wrappings[layers->rows[i]].escape)
			return true;
	return false;
}

size_t gsym_logs_escape(uint8_t row, const char *at, size_t size,
			char to[LOGS_ESCAPED], size_t *taken)
{
	if (gsym_logs_wrappings[row].escape)
		return gsym_logs_wrappings[row].escape(at, size, to, taken);
	*to = *at;
	*taken = 1;
	return 1;
}
