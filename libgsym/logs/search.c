/* SPDX-License-Identifier: MIT */
/* The search for lines that are worth a look: the words of dialects. */
#include "config.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/bytes16.h"
#include "base/system.h"
#include "logs/scan.h"

/* ---- finding --------------------------------------------------------- */

typedef gsym_bytes16 block;

/* STEP bytes are searched at once; up to BEYOND bytes after them are read,
 * too. */
enum { STEP = 64, BEYOND = 2 };

/* Two bytes tell the one word of each table that they may be: the word's slot
 * in tables of 16, from which one instruction takes the bytes for a whole
 * block. */
enum { TABLE = 16, TABLES = (LOGS_WORD_COUNT + TABLE - 1) / TABLE };
#define SLOT(first, second) (((first + 4) / 2 + second + 1) / 2 % TABLE)
#define ENTRY(name, first, second)                                            \
	[LOGS_WORD_NUMBER_##name / TABLE][SLOT(first, second)]

/* Two words with the same slot of a table would hide one another. */
#define ENTRY_BIT(name, first, second)                                        \
	(UINT64_C(1) << (LOGS_WORD_NUMBER_##name / TABLE * TABLE +            \
			 SLOT(first, second)))
#define ADD_BIT(name, first, second, ...) +ENTRY_BIT(name, first, second)
#define OR_BIT(name, first, second, ...) | ENTRY_BIT(name, first, second)
_Static_assert((0 LOGS_WORDS(ADD_BIT)) == (0 LOGS_WORDS(OR_BIT)),
	       "two words of LOGS_WORDS have the same slot of a table");

/* A search of STEP bytes from AT on: a bit for each byte, the lowest for the
 * first, whether the byte is ESC or may begin a word. */
typedef uint64_t hits_fn(const char *at);

/* ---- finding on any processor */

static inline block hits_16(const char *at)
{
	const block a = *(const block *)at, b = *(const block *)(at + 1);
	block hit = (block)(a == 0x1b);

/* Without the third byte: the comparisons cost more than they spare. */
#define COMPARE(name, first, second, ...) \
	hit |= (block)((a == (first)) & (b == (second)));
	LOGS_WORDS(COMPARE)
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
#define FIRST(name, first, second, ...) \
	ENTRY(name, first, second) = (first),
#define SECOND(name, first, second, ...) \
	ENTRY(name, first, second) = (second),
#define BEFORE(name, first, second, least, ...) \
	ENTRY(name, first, second) = (least)-1,

typedef char table[TABLE];

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
	/* A slot without word has zeros, so only NULs may hit the slot. */
	static const table firsts[TABLES] = { LOGS_WORDS(FIRST) };
	static const table seconds[TABLES] = { LOGS_WORDS(SECOND) };
	static const table befores[TABLES] = { LOGS_WORDS(BEFORE) };
	const __m256i a = load_32(at), b = load_32(at + 1);
	const __m256i c = load_32(at + 2);
	const __m256i three = _mm256_set1_epi8(3);
	/* SLOT; the tables' instruction takes the remainder. */
	const __m256i slots = _mm256_avg_epu8(_mm256_avg_epu8(a, three), b);
	__m256i hit = _mm256_cmpeq_epi8(a, _mm256_set1_epi8(0x1b));

#pragma GCC unroll 2
	for (int i = 0; i < TABLES; i++)
		hit |= _mm256_cmpeq_epi8(a, look_up(firsts[i], slots)) &
		       _mm256_cmpeq_epi8(b, look_up(seconds[i], slots)) &
		       _mm256_cmpgt_epi8(c, look_up(befores[i], slots));
	return hit;
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

/* Whether a line, or a string of JSON, ends at AT, after blanks perhaps. */
static bool ends(const char *at, const char *end)
{
	static const char signs[] = "\n\r\"\\#&`|,])}{\033\t;.'<";

	at = logs_blanks(at, end);
	return at == end || memchr(signs, *at, sizeof(signs) - 1);
}

/* Step over "/", or "\/" of a string of JSON. */
static const char *over_slash(const char *at, const char *end)
{
	const char *escaped = logs_word(at, end, "\\");

	return logs_word(escaped ? escaped : at, end, "/");
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

/* Whether the number whose digits begin at AT may end a frame: "0x1/0x2",
 * "0x1)", "0x1]". */
static bool ends_frame(const char *at, const char *end)
{
	at = logs_over_digits(at, end);
	return at == end || *at == '/' || *at == ')' || *at == ']' ||
	       ends(at, end) || is_word(at, end, " (0x") ||
	       over_slash(logs_word(at, end, " ("), end) ||
	       is_word(at, end, " (inlined)") || is_word(at, end, " ([") ||
	       is_word(at, end, " [");
}

/* A word of LOGS_WORDS: its two bytes stand at AT, and its text ends at AFTER.
 * The bytes from FROM up to END may be read.  Below, each function tells
 * whether the word may belong to a frame or a fact. */
struct word {
	const char *from, *at, *after, *end;
};

static bool is_offset(const struct word *w)
{
	return ends_frame(w->after, w->end);
}

/* "[0x1]", or "Stack: [0x1,". */
static bool is_bracket(const struct word *w)
{
	const char *end = w->end, *stop = logs_over_digits(w->after, end);

	if (stop < end && *stop == ',')
		return logs_before(w->from, w->at, "Stack: ");
	return stop == end || (*stop == ']' && ends(stop + 1, end));
}

/* "+ 0x1)", or "0x12345678 0x12340000 + 123". */
static bool is_sum(const struct word *w)
{
	const char *number = w->after, *end = w->end, *start = w->at - 1;

	if (is_word(number, end, "0x"))
		return is_apple(number, end) || ends_frame(number + 2, end);
	if (!logs_before(w->from, w->at, " ") || number == end ||
	    !logs_is_digit(*number))
		return false;
	/* Swift: "main + 16 in prog". */
	if (is_word(logs_decimal(number, end), end, " in "))
		return true;
	/* Apple's form has two numbers before it. */
	for (int i = 0; i < 2; i++) {
		start = logs_before_digits(w->from, start);
		if (start - w->from < 3 || start[-1] != 'x' || start[-2] != '0')
			return false;
		start -= 3;
	}
	return (*start == ' ' || *start == '\t') && is_apple(start + 1, end);
}

static bool is_pc(const struct word *w)
{
	/* MIPS: "epc = 00401553 in p[". */
	if (w->at > w->from && w->at[-1] == 'e')
		return is_word(w->after, w->end, "= ");
	return w->at - w->from > 1 && w->at[-1] == ' ' &&
	       (w->at[-2] == ' ' || logs_is_digit(w->at[-2]) ||
		logs_before(w->from, w->at, "native: "));
}

/* " #1" of a line with the kernel's release. */
static bool is_release(const struct word *w)
{
	const char *at = w->at;
	const char *start = at - w->from > 512 ? at - 512 : w->from;
	const char *newline = memrchr(start, '\n', (size_t)(at - start));

	if (newline)
		start = newline;
	if (w->after == w->end || !logs_is_digit(*w->after) || at == w->from ||
	    at[-1] == ' ')
		return false;
	return (has_digit(start, at) && logs_find(start, at, "ainted")) ||
	       logs_find(start, at, "Linux version ");
}

static bool is_process(const struct word *w)
{
	const char *next = logs_word(w->after, w->end, "cess");

	return w->end - w->at > 8 &&
	       (is_word(w->after, w->end, "c\"") ||
		is_word(w->after, w->end, "gram crashed: ") ||
		is_word(next, w->end, ":") ||
		(is_word(next, w->end, " ") && logs_is_digit(next[1])));
}

/* " @ 0x1234 in /", or " @ 0x" and 16 digits. */
static bool is_at(const struct word *w)
{
	uint64_t number;
	const char *stop = logs_hex(w->after, w->end, &number);

	return stop && (stop - w->after == 2 + 16 ||
			over_slash(logs_word(stop, w->end, " in "), w->end));
}

static bool is_backtrace(const struct word *w)
{
	const char *next = logs_blanks(logs_word(w->after, w->end, ":"),
				       w->end);

	/* MongoDB. */
	if (is_word(w->after, w->end, "\":[{"))
		return true;
	return next && w->at - w->from >= 3 &&
	       (is_word(next, w->end, "0x") || over_slash(next, w->end));
}

/* "error 4 in ", "error:0 in ". */
static bool is_fault(const struct word *w)
{
	const char *next = w->after;
	uint64_t number;

	if (w->at == w->from || next == w->end ||
	    (*next != ' ' && *next != ':'))
		return false;
	return logs_word(logs_digits(next + 1, w->end, &number), w->end,
			 " in ");
}

/* "build-id" of systemd and eu-stack, "build_id: '" of Dart. */
static bool is_build_id(const struct word *w)
{
	return is_word(w->after, w->end, "-id") ||
	       is_word(w->after, w->end, "_id: '");
}

/* "MEPC    : 0x420228c8" of ESP-IDF on RISC-V. */
static bool is_mepc(const struct word *w)
{
	return logs_word(logs_blanks(w->after, w->end), w->end, ": 0x");
}

/* "main+366 (/root/shapes)" of bpftrace. */
static bool is_path(const struct word *w)
{
	const char *at = w->at - 1;

	if (w->at - w->from < 4 || *at != ' ' || !logs_is_digit(at[-1]))
		return false;
	at = logs_before_decimal(w->from, at);
	return at > w->from && at[-1] == '+';
}

/* " <82d13d98219e3040b62a07a297007a7c> /", the UUID of an image; the function
 * of libexecinfo, " <main+0x14> at "; and Swift's " <unknown> in ". */
static bool is_image(const struct word *w)
{
	const char *at = w->after, *end = w->end, *name;

	while (at < end && (gsym_digit(*at) < 16 || *at == '-'))
		at++;
	for (name = at; name < end && *name != ' ' && *name != '>';)
		name++;
	return (at - w->after >= 32 &&
		over_slash(logs_word(at, end, "> "), end)) ||
	       is_word(name, end, "> at ") || is_word(name, end, "> in ");
}

/* "(in /src/shapes)" of Valgrind. */
static bool is_in(const struct word *w)
{
	return over_slash(w->after, w->end);
}

/* "wasm-function[3]", or "prog.wasm!f". */
static bool is_wasm(const struct word *w)
{
	return is_word(w->after, w->end, "-function[") ||
	       is_word(w->after, w->end, "!");
}

static unsigned slot_at(const char *at)
{
	return SLOT((unsigned char)at[0], (unsigned char)at[1]);
}

/* Any bytes may stand around the word. */
static bool any(const struct word *w)
{
	return w->after != NULL;
}

/* Functions of the words: whether the word, whose two bytes stand at AT, may
 * belong to a frame or a fact. */
typedef bool tell_fn(const char *from, const char *at, const char *end);
#define TELL(name, first, second, least, text, back, around)                  \
	static bool tell_##name(const char *from, const char *at,             \
				const char *end)                              \
	{                                                                     \
		struct word w = { from, at, NULL, end };                      \
                                                                              \
		if (at - from >= (back))                                      \
			w.after = logs_word(at - (back), end, text);          \
		return w.after && around(&w);                                 \
	}
LOGS_WORDS(TELL)

/* The words in their slots, which may have other bytes, too. */
static const struct slot {
	tell_fn *tell;
	unsigned word;
	char bytes[2];
} slots[TABLES][TABLE] = {
#define ROW(name, first, second, ...) \
	ENTRY(name, first,            \
	      second) = { tell_##name, LOGS_WORD_##name, { first, second } },
	LOGS_WORDS(ROW)
};

static inline bool has_bytes(const struct slot *s, const char *at)
{
	/* Two NULs are the bytes of an empty slot. */
	return s->tell && !memcmp(s->bytes, at, sizeof(s->bytes));
}

/* Whether an ESC, or a word that may belong to a frame or a fact, stands at AT,
 * where the search has found one of them. */
static inline bool is_special(const char *from, const char *at, const char *end)
{
	if (*at == '\033' || end - at < 2)
		return *at == '\033';
	for (unsigned i = 0, slot = slot_at(at); i < TABLES; i++)
		if (has_bytes(&slots[i][slot], at) &&
		    slots[i][slot].tell(from, at, end))
			return true;
	return false;
}

/* The word for OFFSET, whose two bytes stand at AT, by what is behind its
 * digits. */
static unsigned offset_at(const char *at, const char *end)
{
	const char *digits = logs_word(at, end, "+0x");
	const char *stop = digits ? logs_over_digits(digits, end) : NULL;

	if (stop > digits && stop < end) {
		if (*stop == ')')
			return LOGS_WORD_ROUND;
		if (*stop == ']')
			return LOGS_WORD_SQUARE;
		if (logs_word(over_slash(stop, end), end, "0x"))
			return LOGS_WORD_SIZED;
	}
	return LOGS_WORD_OFFSET;
}

/* The words of which two bytes stand at AT; 0: none. */
static unsigned words_at(const char *at, const char *end)
{
	unsigned found = 0;

	if (end - at < 2)
		return 0;
	for (unsigned i = 0, slot = slot_at(at); i < TABLES; i++)
		if (has_bytes(&slots[i][slot], at))
			found |= slots[i][slot].word;
	return found & LOGS_WORD_OFFSET
		       ? (found & ~LOGS_WORD_OFFSET) | offset_at(at, end)
		       : found;
}

/* gsym_logs_special with HITS, which is known where the function is called, so
 * that each caller has a loop of its own.  If WORDS is not NULL, nothing is
 * special, and *WORDS becomes the words that are found. */
__attribute__((always_inline)) static inline const char *
search(const char *bytes, size_t size, hits_fn *hits, unsigned *words)
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

			if (words)
				*words |= words_at(hit, end);
			else if (is_special(bytes, hit, end))
				return hit;
		}
	}
	return NULL;
}

const char *gsym_logs_special_compared(const char *bytes, size_t size)
{
	return search(bytes, size, hits_compared, NULL);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static const char *
special_looked_up(const char *bytes, size_t size)
{
	return search(bytes, size, hits_looked_up, NULL);
}

__attribute__((target("avx2"))) static void
words_looked_up(const char *bytes, size_t size, unsigned *words)
{
	search(bytes, size, hits_looked_up, words);
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

unsigned gsym_logs_words(const char *bytes, size_t size)
{
	unsigned words = 0;

#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2")) {
		words_looked_up(bytes, size, &words);
		return words;
	}
#endif
	search(bytes, size, hits_compared, &words);
	return words;
}
