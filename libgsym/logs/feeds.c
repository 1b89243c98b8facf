/* SPDX-License-Identifier: MIT */
/* What stands in the place of line feeds in text that is no string, and quotes
 * around frames: both are told by the frames beside or in them. */
#include "config.h"

#include "logs/unwrap.h"

#include "base/system.h"
#include "logs/scan.h"

/* ---- a "\n", or a semicolon, in text that is no string ---------------- */

/* Whether an entity of HTML ends with the semicolon at AT. */
static bool ends_entity(const char *at, const char *semicolon)
{
	enum { LONGEST = 8 };
	const char *from = semicolon;

	while (from > at && semicolon - from < LONGEST &&
	       (logs_is_name(from[-1]) || from[-1] == '#'))
		from--;
	return from > at && from[-1] == '&';
}

/* The first "\n", or semicolon that is of no entity, in AT to END; END if there
 * is none. */
static const char *find_feed(const char *at, const char *end)
{
	for (const char *from = at; from < end; from++)
		if ((*from == ';' && !ends_entity(at, from)) ||
		    logs_word(from, end, "\\n"))
			return from;
	return end;
}

/* The end of the line at AT, before a "\n" or a semicolon, or END; *NEXT
 * becomes the text after that. */
static const char *line_end(const char *at, const char *end, const char **next)
{
	const char *stop = find_feed(at, end);

	if (stop == end) {
		*next = end;
		return end;
	}
	if (*stop == ';') {
		*next = logs_blanks(stop + 1, end);
		return stop;
	}
	*next = stop + 2;
	while (logs_word(*next, end, "\\t"))
		*next += 2;
	return logs_before(at, stop, "\\r") ? stop - 2 : stop;
}

/* Whether AT to END is a frame or a line of a map from its start on. */
static bool begins_frame(unsigned asked, const char *at, const char *end)
{
	struct logs_frame frame;
	struct logs_fact fact;

	if (gsym_logs_frame(asked, at, at, end, &frame))
		return frame.start <= logs_blanks(at, end);
	return gsym_logs_fact(asked, at, end, &fact) && fact.kind == LOGS_MAP;
}

static bool ends_frame(unsigned asked, const char *at, const char *end)
{
	struct logs_frame frame;

	return gsym_logs_frame(asked, at, at, end, &frame) && !frame.doubtful &&
	       frame.insert == end;
}

/* Whether what stands between the lines AT to END and NEXT to STOP is in the
 * place of a line feed: a frame stands beside it, or nothing follows "\n". */
static bool splits(unsigned asked, const char *at, const char *end,
		   const char *next, const char *stop)
{
	if (logs_blanks(next, stop) == stop)
		return *end != ';';
	return begins_frame(asked, next, stop) || ends_frame(asked, at, end);
}

bool gsym_logs_feeds_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *from = l->at, *next, *stop, *after;

	if (from == l->end)
		return false;
	*p = (struct logs_piece){ from, line_end(from, l->end, &next), true };
	while (next < l->end) {
		stop = line_end(next, l->end, &after);
		if (splits(l->asked, from, p->end, next, stop))
			break;
		from = next;
		p->end = stop;
		next = after;
	}
	/* A semicolon at the end of the text ends no line: it is left out. */
	if (next == l->end && p->end < next && *p->end == ';')
		p->end = next;
	l->at = next;
	return true;
}

bool gsym_logs_feeds_opens(struct logs_layer *l)
{
	struct logs_layer copy = *l;
	struct logs_piece p;

	return find_feed(l->at, l->end) < l->end &&
	       gsym_logs_feeds_next(&copy, &p) && p.end < l->end;
}

/* ---- quotes ---------------------------------------------------------- */

/* The state of a text: a bit that says whether a quoted text is next, and bits
 * of the kinds of quotes that close no text in the rest of it. */
enum { OUTSIDE, INSIDE = 1, NO_SINGLE = 2, NO_DOUBLE = 4 };

/* The bit that says of QUOTE that no more of its kind close a text. */
static uint8_t kind_of(char quote)
{
	return quote == '"' ? NO_DOUBLE : NO_SINGLE;
}

/* Whether the quote at AT, in a text from START to END, may begin a quoted
 * text. */
static bool may_open(const char *start, const char *at, const char *end)
{
	return at + 1 < end && (at == start || memchr(" \t([{=,;", at[-1], 8));
}

/* Whether the quote at AT may end one. */
static bool may_close(const char *at, const char *end)
{
	return at + 1 == end || memchr(" \t)]},;.", at[1], 8);
}

/* The first QUOTE in AT to END that may close a quoted text; END if there is
 * none. */
static const char *closing_quote(const char *at, const char *end, char quote)
{
	while ((at = logs_byte(at, end, quote)) && !may_close(at, end))
		at++;
	return at ? at : end;
}

/* Whether AT to END, in quotes, is a line with a frame, perhaps with "\n". */
static bool is_quoted(unsigned asked, const char *at, const char *end)
{
	const char *stop = logs_before(at, end, "\\n");

	stop = stop ? stop : end;
	return begins_frame(asked, at, stop) || ends_frame(asked, at, stop);
}

/* Whether the bar AT stands behind the number of a line of source code, whose
 * strings are no frames, as compilers show it: "  12 | f("a");".  The text
 * begins at START.  In "web-1 | " the number belongs to a name. */
static bool is_source(const char *start, const char *at)
{
	const char *digits;

	if (*at != '|' || at == start || *--at != ' ')
		return false;
	digits = logs_before_decimal(start, at);
	return digits < at && logs_begins(start, digits);
}

/* The first quote in L that begins a quoted frame, whose closing quote becomes
 * *CLOSE; NULL if there is none.  START is where the text of L begins. */
static const char *quoted(struct logs_layer *l, const char *start,
			  const char **close)
{
	for (const char *at = l->at; at < l->end; at++) {
		if (is_source(start, at))
			return NULL;
		if ((*at != '\'' && *at != '"') || l->state & kind_of(*at) ||
		    !may_open(start, at, l->end))
			continue;
		*close = closing_quote(at + 1, l->end, *at);
		if (*close == l->end) {
			l->state |= kind_of(*at);
			continue;
		}
		if (is_quoted(l->asked, at + 1, *close))
			return at;
		at = *close;
	}
	return NULL;
}

bool gsym_logs_quotes_opens(struct logs_layer *l)
{
	const char *close;

	l->state = OUTSIDE;
	return quoted(l, l->at, &close) != NULL;
}

bool gsym_logs_quotes_next(struct logs_layer *l, struct logs_piece *p)
{
	const bool inside = l->state & INSIDE;
	const char *stop, *close;

	stop = inside ? closing_quote(l->at, l->end, l->at[-1])
		      : quoted(l, l->at, &close);
	stop = stop ? stop : l->end;
	*p = (struct logs_piece){ l->at, stop, inside };
	l->at = stop < l->end ? stop + 1 : stop;
	l->state ^= INSIDE;
	return p->at < l->end || inside;
}
