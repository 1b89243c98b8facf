/* SPDX-License-Identifier: MIT */
/* Lines that are worth a look, and their parts. */
#include "config.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/bytes16.h"
#include "logs/facts.h"
#include "logs/scan.h"

/* ---- finding --------------------------------------------------------- */

typedef gsym_bytes16 block;

/* STEP bytes are searched at once; up to BEYOND bytes after them are read,
 * too. */
enum { STEP = 64, BEYOND = 2 };

/* Beside ESC, each opener and each part of a frame or a fact has one of these:
 * two bytes, and the least byte that may follow.  Two lines of the list with
 * the same SLOT do not compile: another SLOT, or other bytes of a word, help.
 * is_special has to know each line. */
#define STARTS(start)         \
	start('{', '{', '{')  \
	start('+', '0', 'x')  \
	start('[', '0', 'x')  \
	start('+', ' ', '0')  \
	start('p', 'c', ' ')  \
	start(' ', '#', '0')  \
	start('-', '[', ' ')  \
	start('u', 'i', 'l')  \
	start('*', '*', '*')  \
	start('P', 'r', 'o')

/* A search of STEP bytes from AT on: a bit for each byte, the lowest for the
 * first, whether the byte is ESC or may begin a start. */
typedef uint64_t hits_fn(const char *at);

/* ---- finding on any processor */

static inline block hits_16(const char *at)
{
	const block a = *(const block *)at, b = *(const block *)(at + 1);
	block hit = (block)(a == 0x1b);

/* Without the third byte: the comparisons cost more than they spare. */
#define COMPARE(first, second, least) \
	hit |= (block)((a == (first)) & (b == (second)));
	STARTS(COMPARE)
#undef COMPARE
	return hit;
}

static inline uint64_t hits_compared(const char *at)
{
	block hits[STEP / 16], any = { 0 };
	uint64_t mask = 0;

#pragma GCC unroll 4
	for (int i = 0; i < STEP / 16; i++) {
		hits[i] = hits_16(at + 16 * i);
		any |= hits[i];
	}
	if (!gsym_bytes16_any(any))
		return 0;
	for (int i = 0; i < STEP / 16; i++)
		mask |= (uint64_t)gsym_bytes16_mask(hits[i]) << 16 * i;
	return mask;
}

/* ---- finding with AVX2 */

#ifdef __x86_64__
/* Two bytes tell the one start that they may be: the start's place in tables of
 * 16, from which one instruction takes the bytes for a whole block. */
#define SLOT(first, second)	     (((first + 4) / 2 + second + 1) / 2 % 16)
#define FIRST(first, second, least)  [SLOT(first, second)] = (first),
#define SECOND(first, second, least) [SLOT(first, second)] = (second),
#define BEFORE(first, second, least) [SLOT(first, second)] = (least)-1,

typedef char table[16];

__attribute__((target("avx2"))) static inline __m256i
look_up(const table from, __m256i slots)
{
	const __m128i bytes = _mm_loadu_si128((const __m128i *)from);

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), slots);
}

__attribute__((target("avx2"))) static inline __m256i load_32(const char *at)
{
	return _mm256_loadu_si256((const __m256i *)at);
}

__attribute__((target("avx2"))) static inline __m256i hits_32(const char *at)
{
	/* A slot without start has zeros, so only NULs may hit the slot. */
	static const table firsts = { STARTS(FIRST) };
	static const table seconds = { STARTS(SECOND) };
	static const table befores = { STARTS(BEFORE) };
	const __m256i a = load_32(at), b = load_32(at + 1);
	const __m256i c = load_32(at + 2);
	const __m256i three = _mm256_set1_epi8(3);
	/* SLOT; the tables' instruction takes the remainder. */
	const __m256i slots = _mm256_avg_epu8(_mm256_avg_epu8(a, three), b);
	__m256i hit = _mm256_cmpeq_epi8(a, look_up(firsts, slots));

	hit &= _mm256_cmpeq_epi8(b, look_up(seconds, slots));
	hit &= _mm256_cmpgt_epi8(c, look_up(befores, slots));
	return hit | _mm256_cmpeq_epi8(a, _mm256_set1_epi8(0x1b));
}

__attribute__((target("avx2"))) static inline uint64_t
hits_looked_up(const char *at)
{
	const __m256i low = hits_32(at), high = hits_32(at + 32);

	if (!_mm256_movemask_epi8(low | high))
		return 0;
	return (uint64_t)(unsigned)_mm256_movemask_epi8(high) << 32 |
	       (unsigned)_mm256_movemask_epi8(low);
}
#endif

/* ---- telling ---------------------------------------------------------- */

static bool is_word(const char *at, const char *end, const char *word)
{
	return logs_word(at, end, word) != NULL;
}

/* Whether the word that ends at AT has a digit, as releases do. */
static bool has_digit(const char *from, const char *at)
{
	while (at > from && at[-1] != ' ')
		if (logs_is_digit(*--at))
			return true;
	return false;
}

/* " #1" of a line with the kernel's release. */
static bool is_release(const char *from, const char *at, const char *end)
{
	const char *start = at - from > 512 ? at - 512 : from;
	const char *newline = memrchr(start, '\n', (size_t)(at - start));

	if (newline)
		start = newline;
	if (end - at < 3 || !logs_is_digit(at[2]) || at == from ||
	    at[-1] == ' ')
		return false;
	return (has_digit(start, at) &&
		memmem(start, (size_t)(at - start), "ainted", 6)) ||
	       logs_find(start, at, "Linux version ");
}

/* Whether a line, or a string of JSON, ends at AT, after blanks perhaps. */
static bool ends(const char *at, const char *end)
{
	at = logs_blanks(at, end);
	return at == end || *at == '\n' || *at == '\r' || *at == '"' ||
	       *at == '\\' || *at == '#';
}

/* Whether "0x12345678 0x12340000 + 123" begins at AT. */
static bool is_apple(const char *at, const char *end)
{
	uint64_t number;
	const char *stop = logs_hex(at, end, &number);

	if (!stop || stop - at < 9)
		return false;
	stop = logs_hex(logs_word(stop, end, " "), end, &number);
	return logs_decimal(logs_word(stop, end, " + "), end);
}

/* Whether "0x" at AT, which has a byte before it, may belong to a frame:
 * "+0x1/0x2", "+0x1)", "+0x1]", "+ 0x1)", "[0x1]", or Apple's form. */
static bool is_number(const char *from, const char *at, const char *end)
{
	const char *stop = at + 2;
	bool bracket = at[-1] == '[';

	if ((at[-1] == ' ' || at[-1] == '\t') && is_apple(at, end))
		return true;
	if (!bracket && at[-1] != '+' &&
	    (at[-1] != ' ' || at - from < 2 || at[-2] != '+'))
		return false;
	while (stop < end && gsym_digit(*stop) < 16)
		stop++;
	if (stop == end)
		return true;
	if (bracket && *stop == ',')
		return at - from >= 8 && is_word(at - 8, end, "Stack: [");
	if (bracket)
		return *stop == ']' && ends(stop + 1, end);
	if (*stop == '/' || *stop == ')' || *stop == ']')
		return true;
	return ends(stop, end) || is_word(stop, end, " (0x");
}

/* Whether the numbers around the " + " or "+ " at AT belong to a frame. */
static bool is_sum(const char *from, const char *at, const char *end)
{
	const char *number = at + 2, *start = at - 1;

	if (is_word(number, end, "0x"))
		return is_number(from, number, end);
	/* Apple's form has two numbers before it. */
	if (at == from || at[-1] != ' ' || number == end ||
	    !logs_is_digit(*number))
		return false;
	for (int i = 0; i < 2; i++) {
		while (start > from && gsym_digit(start[-1]) < 16)
			start--;
		if (start - from < 3 || start[-1] != 'x' || start[-2] != '0')
			return false;
		start -= 3;
	}
	return (*start == ' ' || *start == '\t') && is_apple(start + 1, end);
}

/* Whether an ESC, or one of the STARTS of an opener "{{{", or of a part of a
 * frame or a fact, stands at AT.  The bytes from FROM up to END may be read. */
static bool is_special(const char *from, const char *at, const char *end)
{
	switch (*at) {
	case '\033':
		return true;
	case '{':
		return is_word(at, end, "{{{");
	case '+':
		return (is_word(at, end, "+0x") &&
			is_number(from, at + 1, end)) ||
		       (is_word(at, end, "+ ") && is_sum(from, at, end));
	case '[':
		return is_word(at, end, "[0x") && is_number(from, at + 1, end);
	case 'p':
		return at - from > 1 && at[-1] == ' ' &&
		       is_word(at, end, "pc ") &&
		       (at[-2] == ' ' || logs_is_digit(at[-2]));
	case ' ':
		return is_word(at, end, " #") && is_release(from, at, end);
	case '-':
		return at - from > 1 && is_word(at - 2, end, "---[ ");
	case 'u':
		return at > from && is_word(at - 1, end, "build-id");
	case '*':
		return is_word(at, end, "*** ***");
	case 'P':
		return end - at > 8 && (is_word(at, end, "Process:") ||
					is_word(at, end, "Proc\"") ||
					(is_word(at, end, "Process ") &&
					 logs_is_digit(at[8])));
	}
	return false;
}

/* gsym_logs_special with HITS, which is known where the function is called, so
 * that each caller has a loop of its own. */
__attribute__((always_inline)) static inline const char *
search(const char *bytes, size_t size, hits_fn *hits)
{
	const char *at = bytes, *end = at + size;
	char last[STEP + BEYOND];

	for (; at < end; at += STEP) {
		const char *step = at;

		if (end - at < STEP + BEYOND) {
			memset(last, 0, sizeof(last));
			step = memcpy(last, at, (size_t)(end - at));
		}
		for (uint64_t left = hits(step); left; left &= left - 1) {
			const char *hit = at + __builtin_ctzll(left);

			if (is_special(bytes, hit, end))
				return hit;
		}
	}
	return NULL;
}

const char *gsym_logs_special_compared(const char *bytes, size_t size)
{
	return search(bytes, size, hits_compared);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static const char *
special_looked_up(const char *bytes, size_t size)
{
	return search(bytes, size, hits_looked_up);
}
#endif

const char *gsym_logs_special(const char *bytes, size_t size)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return special_looked_up(bytes, size);
#endif
	return gsym_logs_special_compared(bytes, size);
}

/* ---- headers --------------------------------------------------------- */

/* Step over "[  142.318302]", "[   T33]" or "[Fri Nov 20 10:41:07 2026]". */
static const char *bracket(const char *at, const char *end, bool first)
{
	const char *from = logs_blanks(logs_word(at, end, "["), end);

	if (first && from && end - from > 25 && from[25 - 1] == ']' &&
	    from[3] == ' ' && from[13] == ':' && from[16] == ':')
		return from + 25;
	if (from && !first && from < end && (*from == 'T' || *from == 'C'))
		from++;
	from = logs_decimal(from, end);
	if (first)
		from = logs_decimal(logs_word(from, end, "."), end);
	return logs_word(from, end, "]");
}

/* Step over " HOST kernel:", as journalctl writes it after the time, and
 * perhaps another time before it; AT if it is not there. */
static const char *journal(const char *at, const char *end)
{
	static const char word[] = " kernel:";
	size_t near = end - at < 100 ? (size_t)(end - at) : 100;
	const char *found = memmem(at, near, word, sizeof(word) - 1);

	return found ? found + sizeof(word) - 1 : at;
}

/* Step over "4,1234,142318590,-;" or "4,1234,142318590,-,caller=T1;", as
 * /dev/kmsg has it. */
static const char *kmsg(const char *at, const char *end)
{
	for (int i = 0; i < 3; i++)
		at = logs_word(logs_decimal(at, end), end, ",");
	while (at && at < end && (*at == '-' || *at == 'c' || *at == '+' ||
				  *at == '='))
		at++;
	if (at && at < end && *at == ',')
		at = memchr(at, ';', end - at < 40 ? (size_t)(end - at) : 40);
	return logs_word(at, end, ";");
}

const char *gsym_logs_kernel_header(const char *at, const char *end,
				    struct logs_known *known)
{
	const char *from = known->brackets_to ? known->brackets_to : at, *next;
	/* Headers are short. */
	const char *stop = end - at > 4096 ? at + 4096 : end, *found;

	while (from < stop &&
	       (from = memchr(from, '[', (size_t)(stop - from)))) {
		next = bracket(from, end, true);
		if (next)
			known->bracket = next;
		from++;
	}
	known->brackets_to = stop;
	found = known->bracket;
	if (found) {
		next = bracket(found, end, false);
		return journal(next ? next : found, end);
	}
	next = memmem(at, (size_t)(stop - at), "kernel:", 7);
	if (next && (next == at || next[-1] == ' '))
		return next + 7;
	next = logs_word(logs_decimal(logs_word(at, end, "<"), end), end, ">");
	if (!next)
		next = kmsg(at, end);
	return next ? next : at;
}

/* ---- pieces ---------------------------------------------------------- */

/* Whether the line AT to END is JSON, with something before it perhaps, or the
 * string of a line of JSON. */
static bool is_json(const char *at, const char *end, const char **start)
{
	while (end > at && (end[-1] == ' ' || end[-1] == ','))
		end--;
	if (end - at < 2 || !memchr("}]\"", end[-1], 3))
		return false;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	*start = at;
	if (*at == '"')
		return true;
	*start = memmem(at, (size_t)(end - at), "{\"", 2);
	if (!*start)
		*start = memmem(at, (size_t)(end - at), "[\"", 2);
	return *start != NULL;
}

/* A line feed, as rsyslog writes it into a message. */
static const char line_feed[] = "#012";

void gsym_logs_pieces(struct logs_pieces *p, const char *at, const char *end)
{
	const char *start = at;

	*p = (struct logs_pieces){ .at = at, .end = end };
	if (at < end && memchr(at, '"', (size_t)(end - at)) &&
	    is_json(at, end, &start)) {
		p->json = p->joined = true;
		p->at = start;
		return;
	}
	p->joined = logs_find(at, end, line_feed);
}

/* The end of the piece of a string that begins at AT: the quote, or "\n" and
 * other escapes of white space.  *NEXT becomes where to go on. */
static const char *piece_end(struct logs_pieces *p, const char *at,
			     const char **next)
{
	for (; at < p->end; at++) {
		if (*at == '"') {
			p->inside = false;
			*next = at + 1;
			return at;
		}
		if (*at != '\\' || at + 1 == p->end)
			continue;
		if (memchr("nrt", at[1], 3)) {
			*next = at + 2;
			return at;
		}
		at++;
	}
	*next = p->end;
	return p->end;
}

bool gsym_logs_next_piece(struct logs_pieces *p, const char **at,
			  const char **end)
{
	if (!p->json) {
		const char *stop =
			p->joined ? logs_find(p->at, p->end, line_feed) : NULL;

		*at = p->at;
		*end = stop ? stop : p->end;
		p->at = stop ? stop + sizeof(line_feed) - 1 : p->end;
		return *at < p->end;
	}
	while (p->at < p->end) {
		if (!p->inside) {
			p->at = memchr(p->at, '"', (size_t)(p->end - p->at));
			if (!p->at)
				break;
			p->at++;
			p->inside = true;
		}
		*at = p->at;
		*end = piece_end(p, p->at, &p->at);
		if (*end > *at)
			return true;
	}
	p->at = p->end;
	return false;
}
