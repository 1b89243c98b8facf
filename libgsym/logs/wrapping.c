/* SPDX-License-Identifier: MIT */
/* What others wrap around frames: a row of gsym_logs_wrappings for each. */
#include "config.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "logs/unwrap.h"

#include "base/system.h"
#include "base/text.h"
#include "logs/scan.h"

/* Set P to all of L, the first time. */
static bool whole(struct logs_layer *l, struct logs_piece *p)
{
	*p = (struct logs_piece){ l->at, l->end, true };
	l->at = l->end;
	return p->at < p->end;
}

/* Set P to what is left of L, which lies outside of the wrapping. */
static bool rest(struct logs_layer *l, struct logs_piece *p)
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
		       ? logs_left(at, from + 1)
		       : 0;
}

static bool sgr_opens(struct logs_layer *l)
{
	const char *at = l->at;

	while ((at = logs_byte(at, l->end, '\033'))) {
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

/* The code of "\u000a" at AT; false if it is something else. */
static bool unicode(const char *at, const char *end, uint32_t *code)
{
	*code = 0;
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return false;
	for (int i = 2; i < 6; i++) {
		if (gsym_digit(at[i]) >= 16)
			return false;
		*code = *code << 4 | gsym_digit(at[i]);
	}
	return true;
}

/* Undo an escape that is none of white space, "\u2028" for instance. */
static size_t unicode_decode(const char *at, const char *end, char to[4],
			     size_t *size)
{
	enum { REPLACEMENT = 0xfffd };
	size_t taken = 6;
	uint32_t code, low;

	if (!unicode(at, end, &code))
		return 0;
	if (code >> 11 == 0xd800 >> 11) {
		bool pair = code < 0xdc00 && unicode(at + 6, end, &low) &&
			    low >> 10 == 0xdc00 >> 10;

		code = pair ? 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff))
			    : REPLACEMENT;
		taken = pair ? 12 : 6;
	}
	*size = gsym_utf8_put(code, to);
	return taken;
}

static size_t string_decode(const char *at, const char *end, char to[4],
			    size_t *size)
{
	static const char from[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (end - at < 2)
		return 0;
	*size = 1;
	found = at[1] ? strchr(from, at[1]) : NULL;
	if (found) {
		*to = bytes[found - from];
		return 2;
	}
	if (at[1] == 'x' && end - at >= 4 && gsym_digit(at[2]) < 8 &&
	    gsym_digit(at[3]) < 16) {
		*to = (char)(gsym_digit(at[2]) << 4 | gsym_digit(at[3]));
		return 4;
	}
	return unicode_decode(at, end, to, size);
}

static size_t string_escape(const char *at, size_t size, char to[LOGS_ESCAPED],
			    size_t *taken)
{
	unsigned char c = (unsigned char)*at;
	size_t length = gsym_utf8_length(at, size);

	*taken = length ? length : 1;
	if (!length) {
		memcpy(to, "\\ufffd", 6);
		return 6;
	}
	if (c < 0x20) {
		memcpy(to, "\\u00", 4);
		to[4] = (char)('0' + (c >> 4));
		to[5] = "0123456789abcdef"[c & 15];
		return 6;
	}
	*to = '\\';
	if (c == '"' || c == '\\')
		to++;
	memcpy(to, at, length);
	return length + (c == '"' || c == '\\');
}

/* The size of the escape of a line feed or CR at AT; 0 if there is none.  Not
 * inline: most strings have no escape. */
__attribute__((noinline)) static size_t break_size(const char *at,
						   const char *end)
{
	uint32_t code;

	if (end - at >= 2 && (at[1] == 'n' || at[1] == 'r'))
		return 2;
	return unicode(at, end, &code) && (code == '\n' || code == '\r') ? 6
									 : 0;
}

enum { OUTSIDE, INSIDE, BEFORE };

/* Set P to the next line of the string in which L is.  Behind the string L
 * is outside. */
static bool next_in_string(struct logs_layer *l, struct logs_piece *p)
{
	const char *from = l->at;
	size_t size;

	for (;; l->at++) {
		l->at = gsym_logs_either(l->at, l->end, '"', '\\');
		if (l->at == l->end)
			break;
		if (*l->at == '"') {
			*p = (struct logs_piece){ from, l->at++, true };
			l->state = OUTSIDE;
			return true;
		}
		size = break_size(l->at, l->end);
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

/* The start of the JSON in AT to END; NULL if there is none. */
static const char *json_start(const char *at, const char *end)
{
	const char *start = logs_find(at, end, "{\"");

	return start ? start : logs_find(at, end, "[\"");
}

/* Whether a bracket or the end follows the last quote in AT to END. */
static bool json_ends(const char *at, const char *end)
{
	const char *quote = memrchr(at, '"', logs_left(at, end));

	return quote + 1 == end || logs_byte(quote, end, '}') ||
	       logs_byte(quote, end, ']');
}

/* Something may stand before and after an object or a list.  A line may be a
 * string of JSON, a part of an object. */
static bool json_opens(struct logs_layer *l)
{
	const char *at = logs_blanks(l->at, l->end), *end = l->end, *start;

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
	start = json_start(at, end);
	if (start && start > at)
		l->state = BEFORE;
	return start && json_ends(start, end);
}

static bool json_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *quote, *stop;

	if (l->state == INSIDE)
		return next_in_string(l, p);
	if (l->state == BEFORE) {
		*p = (struct logs_piece){ l->at, json_start(l->at, l->end),
					  false };
		l->at = p->end;
		l->state = OUTSIDE;
		return true;
	}
	quote = logs_byte(l->at, l->end, '"');
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

/* ---- CSV: fields with doubled quotes ---------------------------------- */

static bool is_separator(char c)
{
	return c == ',' || c == ';' || c == '\t';
}

/* The quote that ends the field of CSV from AT on, behind its first quote; NULL
 * if no separator and no end follows that quote.  *DOUBLED: the field has
 * doubled quotes. */
static const char *csv_end(const char *at, const char *end, bool *doubled)
{
	*doubled = false;
	while ((at = logs_byte(at, end, '"'))) {
		if (!logs_word(at, end, "\"\""))
			break;
		*doubled = true;
		at += 2;
	}
	return at && (at + 1 == end || is_separator(at[1]) || at[1] == '\r')
		       ? at
		       : NULL;
}

/* The first quote of the next field from AT on, in a line from START to END;
 * NULL if there is none.  *DOUBLED is as in csv_end. */
static const char *csv_field(const char *start, const char *at,
			     const char *end, bool *doubled)
{
	for (; (at = logs_byte(at, end, '"')); at++)
		if ((at == start || is_separator(at[-1])) &&
		    csv_end(at + 1, end, doubled))
			return at;
	return NULL;
}

/* A text is CSV if a field with quotes has doubled quotes inside: other text
 * has none. */
static bool csv_opens(struct logs_layer *l)
{
	const char *at = l->at;
	bool doubled;

	l->state = OUTSIDE;
	if (at == l->end || *at == '{' || *at == '[' ||
	    !logs_find(at, l->end, "\"\""))
		return false;
	while ((at = csv_field(l->at, at, l->end, &doubled))) {
		if (doubled)
			return true;
		at = csv_end(at + 1, l->end, &doubled) + 1;
	}
	return false;
}

static bool csv_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *stop;
	bool doubled;

	if (l->state == INSIDE) {
		stop = csv_end(l->at, l->end, &doubled);
		*p = (struct logs_piece){ l->at, stop, true };
		l->at = stop + 1;
		l->state = OUTSIDE;
		return true;
	}
	stop = csv_field(l->at, l->at, l->end, &doubled);
	if (!stop)
		return rest(l, p);
	*p = (struct logs_piece){ l->at, stop, false };
	l->at = stop + 1;
	l->state = INSIDE;
	return true;
}

static size_t csv_decode(const char *at, const char *end, char to[4],
			 size_t *size)
{
	*to = '"';
	*size = 1;
	return logs_word(at, end, "\"\"") ? 2 : 0;
}

static size_t csv_escape(const char *at, size_t size, char to[LOGS_ESCAPED],
			 size_t *taken)
{
	(void)size;
	*taken = 1;
	to[0] = to[1] = *at;
	return *at == '"' ? 2 : 1;
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

static bool logfmt_opens(struct logs_layer *l)
{
	l->state = OUTSIDE;
	return logfmt_find(l->at, l->end) != NULL;
}

static bool logfmt_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *start;

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

static bool octal_opens(struct logs_layer *l)
{
	const char *at = l->at;

	for (; (at = logs_byte(at, l->end, '#')); at++)
		if (logs_word(at, l->end, "#012") ||
		    logs_word(at, l->end, "#033["))
			return true;
	return false;
}

static bool octal_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *stop = logs_find(l->at, l->end, "#012");

	if (!stop)
		return whole(l, p);
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

/* ---- back-quotes ----------------------------------------------------- */

static bool back_quotes_opens(struct logs_layer *l)
{
	const char *first = logs_byte(l->at, l->end, '`');

	l->state = OUTSIDE;
	return first && logs_byte(first + 1, l->end, '`');
}

static bool back_quotes_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *stop = logs_byte(l->at, l->end, '`');

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

static bool table_opens(struct logs_layer *l)
{
	const char *at = logs_blanks(l->at, l->end);
	const char *end = l->end;

	while (end > at && memchr(" \r", end[-1], 2))
		end--;
	if (end - at < 3 || *at != '|' || end[-1] != '|')
		return false;
	l->at = at + 1;
	l->end = end;
	return true;
}

static bool table_next(struct logs_layer *l, struct logs_piece *p)
{
	const char *stop;

	if (l->at == l->end)
		return false;
	stop = bar(l->at, l->end);
	*p = (struct logs_piece){ l->at, stop, true };
	l->at = stop < l->end ? stop + 1 : stop;
	return true;
}

/* ---- the table ------------------------------------------------------- */

enum {
	SGR,
	CSV,
	JSON,
	LOGFMT,
	OCTAL,
	QUOTES,
	HTML,
	BACK_QUOTES,
	TABLE,
	FEEDS,
	LINE,
};

/* A text is tried in this order. */
const struct logs_wrapping gsym_logs_wrappings[] = {
	[SGR] = { "\033", false, sgr_opens, whole, sgr_decode, NULL },
	[CSV] = { "\"", true, csv_opens, csv_next, csv_decode, csv_escape },
	[JSON] = { "\\", true, json_opens, json_next, string_decode,
		   string_escape },
	[LOGFMT] = { "\\", true, logfmt_opens, logfmt_next, string_decode,
		     string_escape },
	[OCTAL] = { "#", true, octal_opens, octal_next, octal_decode,
		    octal_escape },
	[QUOTES] = { "", true, gsym_logs_quotes_opens, gsym_logs_quotes_next,
		     NULL, NULL },
	[HTML] = { "&<", true, gsym_logs_html_opens, gsym_logs_html_next,
		   gsym_logs_html_decode, gsym_logs_html_escape },
	[BACK_QUOTES] = { "", true, back_quotes_opens, back_quotes_next, NULL,
			  NULL },
	[TABLE] = { "", true, table_opens, table_next, NULL, NULL },
	[FEEDS] = { "", true, gsym_logs_feeds_opens, gsym_logs_feeds_next, NULL,
		    NULL },
	[LINE] = { "", false, NULL, whole, NULL, NULL },
};

const uint8_t gsym_logs_line = LINE;
const unsigned gsym_logs_all_wrappings = (1u << LINE) - 1;

const struct logs_layers gsym_logs_json = { { JSON }, 1 };

/* ---- marks -------------------------------------------------------------- */

/* The bytes that are marks, in groups: two of a group have the same low half or
 * the same high half.  MARK is expanded with the group, the byte, and N. */
#define MARKS(mark, n)                                                      \
	mark(0, '\033', n) mark(1, '"', n) mark(2, '#', n) mark(3, '\\', n) \
		mark(4, '&', n) mark(4, '\'', n) mark(5, '`', n)            \
			mark(6, '|', n) mark(6, '<', n) mark(7, ';', n)
enum { GROUPS = 8 };

/* The rows that have a mark of each group. */
static const unsigned rows_of[GROUPS] = {
	1u << SGR,
	1u << CSV | 1u << JSON | 1u << LOGFMT | 1u << QUOTES,
	1u << OCTAL,
	1u << FEEDS,
	1u << HTML | 1u << QUOTES,
	1u << BACK_QUOTES,
	1u << TABLE | 1u << HTML,
	1u << FEEDS,
};

#ifdef __x86_64__
/* A bit for each group, by the low and by the high half of its marks: a byte is
 * a mark of the groups whose bits both halves have. */
#define LOW(group, mark, n) | ((mark) % 16 == (n) ? 1u << (group) : 0)
#define HIGH(group, mark, n) | ((mark) / 16 == (n) ? 1u << (group) : 0)
#define FOUR(half, n)                                                     \
	0 MARKS(half, n), 0 MARKS(half, (n) + 1), 0 MARKS(half, (n) + 2), \
		0 MARKS(half, (n) + 3)
#define SIXTEEN(half)                                                       \
	{                                                                   \
		FOUR(half, 0), FOUR(half, 4), FOUR(half, 8), FOUR(half, 12) \
	}

__attribute__((target("avx2"))) static inline __m256i
look_up(const uint8_t table[16], __m256i halves)
{
	const __m128i bytes = _mm_loadu_si128((const __m128i *)table);

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), halves);
}

/* The groups whose marks are among the 32 bytes at AT. */
__attribute__((target("avx2"))) static inline __m256i marks_32(const char *at)
{
	static const uint8_t lows[16] = SIXTEEN(LOW);
	static const uint8_t highs[16] = SIXTEEN(HIGH);
	const __m256i bytes = _mm256_loadu_si256((const __m256i *)at);
	const __m256i high = _mm256_srli_epi16(bytes, 4) & _mm256_set1_epi8(15);

	/* A byte above 0x7f has no low half there, and no group. */
	return look_up(lows, bytes) & look_up(highs, high);
}

/* The groups whose marks are in AT to END. */
__attribute__((target("avx2"))) static unsigned marks_looked_up(const char *at,
								const char *end)
{
	char last[32] = { 0 };
	__m256i found;
	uint64_t any;

	/* No group has the mark 0. */
	if (logs_left(at, end) < sizeof(last))
		found = marks_32(memcpy(last, at, logs_left(at, end)));
	else
		found = marks_32(end - sizeof(last));
	for (; logs_left(at, end) >= sizeof(last); at += sizeof(last))
		found |= marks_32(at);
	any = (uint64_t)(found[0] | found[1] | found[2] | found[3]);
	any |= any >> 32;
	any |= any >> 16;
	return (any | any >> 8) & ((1u << GROUPS) - 1);
}
#endif

/* The same, as other processors search. */
static unsigned marks_compared(const char *at, const char *end)
{
	unsigned found = 0;

#define SEARCH(group, mark, n) \
	found |= logs_byte(at, end, mark) ? 1u << (group) : 0;
	MARKS(SEARCH, 0)
#undef SEARCH
	return found;
}

unsigned gsym_logs_wrapping_marks(const char *at, const char *end,
				  unsigned wanted)
{
	unsigned groups, found = 0;

#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		groups = marks_looked_up(at, end);
	else
#endif
		groups = marks_compared(at, end);
	for (unsigned i = 0; groups >> i; i++)
		found |= groups & 1u << i ? rows_of[i] : 0;
	return found & wanted;
}
