/* SPDX-License-Identifier: MIT */
/* What others wrap around frames: a row of the table at the end for each. */
#include "config.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "logs/unwrap.h"

#include "base/system.h"
#include "logs/scan.h"

static size_t left(const char *at, const char *end)
{
	return (size_t)(end - at);
}

/* Set P to all of L, the first time. */
static bool whole(const struct logs_unwrapping *u, struct logs_level *l,
		  struct logs_piece *p)
{
	(void)u;
	*p = (struct logs_piece){ l->at, l->end, true };
	l->at = l->end;
	return p->at < p->end;
}

/* Set P to what is left of L, which lies outside of the wrapping. */
static bool rest(struct logs_level *l, struct logs_piece *p)
{
	*p = (struct logs_piece){ l->at, l->end, false };
	l->at = l->end;
	return p->at < p->end;
}

/* ---- colours: ESC [ 0 m, and ESC [ K --------------------------------- */

static size_t sgr_size(const char *at, const char *end)
{
	const char *from = logs_word(at, end, "\033[");

	while (from && from < end &&
	       (logs_is_digit(*from) || *from == ';' || *from == ':'))
		from++;
	return from && from < end && (*from == 'm' || *from == 'K')
		       ? left(at, from + 1)
		       : 0;
}

static bool sgr_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	const char *at = l->at;

	(void)u;
	while ((at = memchr(at, '\033', left(at, l->end)))) {
		if (sgr_size(at, l->end))
			return true;
		at++;
	}
	return false;
}

static size_t sgr_decode(const char *at, const char *end, char to[4],
			 size_t *size)
{
	(void)to;
	*size = 0;
	return sgr_size(at, end);
}

/* ---- strings with escapes: of JSON, of Go, of logfmt -------------------- */

enum { OUTSIDE, INSIDE, BEFORE };

/* Set P to the next line of the string in which L is.  Behind the string L
 * is outside. */
static bool next_in_string(struct logs_level *l, struct logs_piece *p)
{
	const char *from = l->at;
	size_t size;

	for (; l->at < l->end; l->at++) {
		if (*l->at == '"') {
			*p = (struct logs_piece){ from, l->at++, true };
			l->state = OUTSIDE;
			return true;
		}
		if (*l->at != '\\')
			continue;
		size = gsym_logs_break(l->at, l->end);
		if (size) {
			*p = (struct logs_piece){ from, l->at, true };
			l->at += size;
			return true;
		}
		if (l->at + 1 < l->end)
			l->at++;
	}
	*p = (struct logs_piece){ from, l->end, true };
	return from < l->end;
}

/* ---- JSON ------------------------------------------------------------ */

/* Whether a bracket or the end follows the last quote in AT to END. */
static bool json_ends(const char *at, const char *end)
{
	const char *quote = memrchr(at, '"', left(at, end));

	return quote + 1 == end || memchr(quote, '}', left(quote, end)) ||
	       memchr(quote, ']', left(quote, end));
}

/* Something may stand before and after an object or a list.  A line may be a
 * string of JSON, a part of an object. */
static bool json_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	const char *at = logs_blanks(l->at, l->end), *end = l->end, *start;

	(void)u;
	while (end > at && memchr(" ,\r", end[-1], 3))
		end--;
	while (at < end && *at == '\t')
		at = logs_blanks(at + 1, end);
	if (end - at < 2)
		return false;
	l->state = OUTSIDE;
	if (*at == '"') {
		l->at = at;
		return memchr("}]\"", end[-1], 3);
	}
	start = logs_find(at, end, "{\"");
	if (!start)
		start = logs_find(at, end, "[\"");
	if (start && start > at)
		l->state = BEFORE;
	return start && json_ends(start, end);
}

/* The start of the JSON, the end of the text before it. */
static const char *json_start(const struct logs_level *l)
{
	const char *start = logs_find(l->at, l->end, "{\"");

	return start ? start : logs_find(l->at, l->end, "[\"");
}

static bool json_next(const struct logs_unwrapping *u, struct logs_level *l,
		      struct logs_piece *p)
{
	const char *quote, *stop;

	(void)u;
	if (l->state == INSIDE)
		return next_in_string(l, p);
	if (l->state == BEFORE) {
		*p = (struct logs_piece){ l->at, json_start(l), false };
		l->at = p->end;
		l->state = OUTSIDE;
		return true;
	}
	quote = memchr(l->at, '"', left(l->at, l->end));
	if (quote) {
		l->at = quote + 1;
		l->state = INSIDE;
		return next_in_string(l, p);
	}
	/* Numbers may be left before the brackets. */
	for (stop = l->at; stop < l->end && *stop != '}' && *stop != ']';)
		stop++;
	while (stop < l->end && memchr("}], ", *stop, 4))
		stop++;
	l->at = stop;
	return rest(l, p);
}

/* ---- logfmt: key="text" ---------------------------------------------- */

/* The quote that ends the string AT; NULL if there is none, or if something
 * follows it. */
static const char *logfmt_end(const char *at, const char *end)
{
	const char *stop = json_over_string(at, end);

	return stop && (stop == end || memchr(" ,})]\t\r", *stop, 7))
		       ? stop - 1
		       : NULL;
}

static const char *logfmt_find(const char *at, const char *end)
{
	while ((at = logs_find(at, end, "=\""))) {
		at += 2;
		if (logfmt_end(at, end))
			return at;
	}
	return NULL;
}

static bool logfmt_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	(void)u;
	l->state = OUTSIDE;
	return logfmt_find(l->at, l->end) != NULL;
}

static bool logfmt_next(const struct logs_unwrapping *u, struct logs_level *l,
			struct logs_piece *p)
{
	const char *start;

	(void)u;
	if (l->state == INSIDE)
		return next_in_string(l, p);
	start = logfmt_find(l->at, l->end);
	if (!start)
		return rest(l, p);
	*p = (struct logs_piece){ l->at, start, false };
	l->at = start;
	l->state = INSIDE;
	return true;
}

/* ---- rsyslog: "#012" for a line feed --------------------------------- */

static bool octal_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	const char *at = l->at;

	(void)u;
	for (; (at = memchr(at, '#', left(at, l->end))); at++)
		if (logs_word(at, l->end, "#012") ||
		    logs_word(at, l->end, "#033["))
			return true;
	return false;
}

static bool octal_next(const struct logs_unwrapping *u, struct logs_level *l,
		       struct logs_piece *p)
{
	const char *stop = logs_find(l->at, l->end, "#012");

	if (!stop)
		return whole(u, l, p);
	*p = (struct logs_piece){ l->at, stop, true };
	l->at = stop + 4;
	/* One blank is of the logger. */
	stop = logs_word(l->at, l->end, " ");
	if (stop && logs_blanks(stop, l->end) == stop)
		l->at = stop;
	return true;
}

static size_t octal_decode(const char *at, const char *end, char to[4],
			   size_t *size)
{
	if (end - at < 4 || at[1] != '0' || gsym_digit(at[2]) >= 4 ||
	    gsym_digit(at[3]) >= 8)
		return 0;
	*to = (char)(gsym_digit(at[2]) << 3 | gsym_digit(at[3]));
	*size = 1;
	return 4;
}

static size_t octal_escape(const char *at, size_t size, char to[LOGS_ESCAPED],
			   size_t *taken)
{
	unsigned char c = (unsigned char)*at;

	(void)size;
	*taken = 1;
	*to = *at;
	if (c >= 0x20)
		return 1;
	memcpy(to, "#0", 2);
	to[2] = (char)('0' + (c >> 3));
	to[3] = (char)('0' + (c & 7));
	return 4;
}

/* ---- a "\n" in text that is no string -------------------------------- */

/* The first "\n" in AT to END, or END; *NEXT becomes the text after it. */
static const char *line_end(const char *at, const char *end, const char **next)
{
	const char *stop = logs_find(at, end, "\\n");

	*next = stop ? stop + 2 : end;
	while (logs_word(*next, end, "\\t"))
		*next += 2;
	if (!stop)
		return end;
	return logs_before(at, stop, "\\r") ? stop - 2 : stop;
}

/* Whether AT to END is a frame or a line of a map from its start on. */
static bool begins_frame(const struct logs_unwrapping *u, const char *at,
			 const char *end)
{
	struct logs_frame frame;
	struct logs_fact fact;

	if (gsym_logs_frame(u->asked, at, at, end, &frame))
		return frame.start <= logs_blanks(at, end);
	return gsym_logs_fact(u->asked, at, end, &fact) &&
	       fact.kind == LOGS_MAP;
}

static bool ends_frame(const struct logs_unwrapping *u, const char *at,
		       const char *end)
{
	struct logs_frame frame;

	return gsym_logs_frame(u->asked, at, at, end, &frame) &&
	       !frame.doubtful && frame.insert == end;
}

/* Whether the "\n" between the lines AT to END and NEXT to STOP is a line feed:
 * a frame stands beside it, or nothing follows. */
static bool splits(const struct logs_unwrapping *u, const char *at,
		   const char *end, const char *next, const char *stop)
{
	return logs_blanks(next, stop) == stop || begins_frame(u, next, stop) ||
	       ends_frame(u, at, end);
}

static bool literal_next(const struct logs_unwrapping *u, struct logs_level *l,
			 struct logs_piece *p)
{
	const char *from = l->at, *next, *stop, *after;

	if (from == l->end)
		return false;
	*p = (struct logs_piece){ from, line_end(from, l->end, &next), true };
	while (next < l->end) {
		stop = line_end(next, l->end, &after);
		if (splits(u, from, p->end, next, stop))
			break;
		from = next;
		p->end = stop;
		next = after;
	}
	l->at = next;
	return true;
}

static bool literal_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	struct logs_level copy = *l;
	struct logs_piece p;

	return logs_find(l->at, l->end, "\\n") &&
	       literal_next(u, &copy, &p) && p.end < l->end;
}

/* ---- HTML ------------------------------------------------------------ */

static const struct {
	char name[8], byte;
} entities[] = {
	{ "&lt;", '<' },   { "&gt;", '>' },    { "&amp;", '&' },
	{ "&quot;", '"' }, { "&#39;", '\'' },  { "&#34;", '"' },
	{ "&nbsp;", ' ' }, { "&#x27;", '\'' },
};

static size_t html_decode(const char *at, const char *end, char to[4],
			  size_t *size)
{
	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++) {
		if (!logs_word(at, end, entities[i].name))
			continue;
		*to = entities[i].byte;
		*size = 1;
		return strlen(entities[i].name);
	}
	return 0;
}

static bool html_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	const char *at = l->at;
	char to[4];
	size_t size;

	(void)u;
	while ((at = memchr(at, '&', left(at, l->end)))) {
		if (html_decode(at, l->end, to, &size))
			return true;
		at++;
	}
	return false;
}

static size_t html_escape(const char *at, size_t size, char to[LOGS_ESCAPED],
			  size_t *taken)
{
	*taken = 1;
	*to = *at;
	(void)size;
	/* The first five names. */
	for (size_t i = 0; i < 5; i++)
		if (*at == entities[i].byte) {
			memcpy(to, entities[i].name, sizeof(entities[i].name));
			return strlen(entities[i].name);
		}
	return 1;
}

/* ---- back-quotes ----------------------------------------------------- */

static bool quotes_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	const char *first = memchr(l->at, '`', left(l->at, l->end));

	(void)u;
	l->state = OUTSIDE;
	return first && memchr(first + 1, '`', left(first + 1, l->end));
}

static bool quotes_next(const struct logs_unwrapping *u, struct logs_level *l,
			struct logs_piece *p)
{
	const char *stop = memchr(l->at, '`', left(l->at, l->end));

	(void)u;
	if (!stop)
		return rest(l, p);
	*p = (struct logs_piece){ l->at, stop, l->state == INSIDE };
	l->at = stop + 1;
	l->state = l->state == INSIDE ? OUTSIDE : INSIDE;
	return true;
}

/* ---- tables: "| a | b |" --------------------------------------------- */

/* The next bar behind AT with blanks beside it, or the last byte. */
static const char *bar(const char *at, const char *end)
{
	for (; at < end; at++)
		if (*at == '|' &&
		    (at + 1 == end || (at[-1] == ' ' && at[1] == ' ')))
			return at;
	return end;
}

static bool table_opens(const struct logs_unwrapping *u, struct logs_level *l)
{
	const char *at = logs_blanks(l->at, l->end);
	const char *end = l->end;

	(void)u;
	while (end > at && memchr(" \r", end[-1], 2))
		end--;
	if (end - at < 3 || *at != '|' || end[-1] != '|')
		return false;
	l->at = at + 1;
	l->end = end;
	return true;
}

static bool table_next(const struct logs_unwrapping *u, struct logs_level *l,
		       struct logs_piece *p)
{
	const char *stop;

	(void)u;
	if (l->at == l->end)
		return false;
	stop = bar(l->at, l->end);
	*p = (struct logs_piece){ l->at, stop, true };
	l->at = stop < l->end ? stop + 1 : stop;
	return true;
}

/* ---- the table ------------------------------------------------------- */

enum { SGR, JSON, LOGFMT, OCTAL, LITERAL, HTML, QUOTES, TABLE, LINE };

/* The sign of each row.  BIT is expanded with the row, its sign, and N. */
#define SIGNS(bit, n)                                                      \
	bit(SGR, '\033', n) bit(JSON, '"', n) bit(LOGFMT, '"', n)          \
		bit(OCTAL, '#', n) bit(LITERAL, '\\', n) bit(HTML, '&', n) \
			bit(QUOTES, '`', n) bit(TABLE, '|', n)

#define SIGN_OF(row, sign, n) [row] = (sign),
static const char signs[LINE] = { SIGNS(SIGN_OF, 0) };

/* A text is tried in this order. */
const struct logs_wrapping gsym_logs_wrappings[] = {
	[SGR] = { '\033', false, sgr_opens, whole, sgr_decode, NULL },
	[JSON] = { '\\', true, json_opens, json_next, gsym_logs_string_decode,
		   gsym_logs_string_escape },
	[LOGFMT] = { '\\', true, logfmt_opens, logfmt_next,
		     gsym_logs_string_decode, gsym_logs_string_escape },
	[OCTAL] = { '#', true, octal_opens, octal_next, octal_decode,
		    octal_escape },
	[LITERAL] = { 0, true, literal_opens, literal_next, NULL, NULL },
	[HTML] = { '&', true, html_opens, whole, html_decode, html_escape },
	[QUOTES] = { 0, true, quotes_opens, quotes_next, NULL, NULL },
	[TABLE] = { 0, true, table_opens, table_next, NULL, NULL },
	[LINE] = { 0, false, NULL, whole, NULL, NULL },
};

const uint8_t gsym_logs_line = LINE;
const unsigned gsym_logs_all_wrappings = (1u << LINE) - 1;

const struct logs_layers gsym_logs_json = { { JSON }, 1 };

/* ---- signs -------------------------------------------------------------- */

#ifdef __x86_64__
/* A bit for each row, by the low and by the high half of its sign: a byte is
 * the sign of the rows whose bits both halves have. */
#define LOW(row, sign, n) | ((sign) % 16 == (n) ? 1u << (row) : 0)
#define HIGH(row, sign, n) | ((sign) / 16 == (n) ? 1u << (row) : 0)
#define FOUR(half, n)                                                     \
	0 SIGNS(half, n), 0 SIGNS(half, (n) + 1), 0 SIGNS(half, (n) + 2), \
		0 SIGNS(half, (n) + 3)
#define SIXTEEN(half)                                                       \
	{                                                                   \
		FOUR(half, 0), FOUR(half, 4), FOUR(half, 8), FOUR(half, 12) \
	}
_Static_assert(LINE <= 8, "a byte has a bit for each row");

__attribute__((target("avx2"))) static inline __m256i
look_up(const uint8_t table[16], __m256i halves)
{
	const __m128i bytes = _mm_loadu_si128((const __m128i *)table);

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), halves);
}

/* The rows whose signs are among the 32 bytes at AT. */
__attribute__((target("avx2"))) static inline __m256i signs_32(const char *at)
{
	static const uint8_t lows[16] = SIXTEEN(LOW);
	static const uint8_t highs[16] = SIXTEEN(HIGH);
	const __m256i bytes = _mm256_loadu_si256((const __m256i *)at);
	const __m256i high = _mm256_srli_epi16(bytes, 4) & _mm256_set1_epi8(15);

	/* A byte above 0x7f has no low half there, and no row. */
	return look_up(lows, bytes) & look_up(highs, high);
}

/* As gsym_logs_wrapping_signs, for all rows. */
__attribute__((target("avx2"))) static unsigned signs_looked_up(const char *at,
								const char *end)
{
	char last[32] = { 0 };
	__m256i found;
	uint64_t any;

	/* No row has the sign 0. */
	if (left(at, end) < sizeof(last))
		found = signs_32(memcpy(last, at, left(at, end)));
	else
		found = signs_32(end - sizeof(last));
	for (; left(at, end) >= sizeof(last); at += sizeof(last))
		found |= signs_32(at);
	any = (uint64_t)(found[0] | found[1] | found[2] | found[3]);
	any |= any >> 32;
	any |= any >> 16;
	return (any | any >> 8) & gsym_logs_all_wrappings;
}
#endif

unsigned gsym_logs_wrapping_signs(const char *at, const char *end,
				  unsigned wanted)
{
	unsigned found = 0;

#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return signs_looked_up(at, end) & wanted;
#endif
	for (unsigned i = 0; wanted >> i; i++)
		if (wanted & 1u << i && memchr(at, signs[i], left(at, end)))
			found |= 1u << i;
	return found;
}
