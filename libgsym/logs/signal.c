/* SPDX-License-Identifier: MIT */
/* What the line before a frame, or the name of its function, says about the
 * address of a frame. */
#include "config.h"

#include "base/bytes16.h"
#include "base/system.h"
#include "logs/scan.h"

/* What a line ends with, and its last byte. */
static const struct row {
	const char *text;
	char last;
	enum logs_signal signal;
} rows[] = {
	{ "<signal handler called>", '>', LOGS_SIGNAL_EXACT }, /* gdb */
	{ "[KCrash Handler]", ']', LOGS_SIGNAL_EXACT },	       /* drkonqi */
	{ "EIP:", ':', LOGS_SIGNAL_EXACT },		       /* Redis */
	{ "RIP:", ':', LOGS_SIGNAL_EXACT },
	{ "<??\?> at ??\?", '?', LOGS_SIGNAL_EITHER }, /* libexecinfo */
};

/* Whether AT to END is nothing, or the end of a header, "(EE) 1:", and no
 * module. */
static bool is_header(const char *at, const char *end)
{
	end = logs_trim(at, end);
	if (at == end || end[-1] == ':' || end[-1] == '|')
		return true;
	return end[-1] == ')' &&
	       logs_before(at, logs_before_decimal(at, end - 1), "(");
}

/* Whether Linux may have put a program at ADDRESS, and no library and no vdso:
 * on x86-64, on arm64, or where the program was linked to. */
static bool is_program(uint64_t address)
{
	const uint64_t high = address >> 44;

	return high == 0x5 || high == 0x6 || high == 0xa || !(address >> 28);
}

/* Whether AT to END, which has a bracket as its last byte, ends with an address
 * without module, "[0x7ffe1a5d3090]", as glibc prints one in the vdso. */
static bool is_vdso(const char *at, const char *end)
{
	const char *open = memrchr(at, '[', (size_t)(end - at));
	uint64_t number;

	return open && is_header(at, open) &&
	       logs_hex(open + 1, end, &number) == end - 1 && number >> 16 &&
	       !is_program(number);
}

/* What AT to END, behind which nothing is, says about a signal. */
static enum logs_signal signal_before(const char *at, const char *end)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].last == end[-1] &&
		    logs_before(at, end, rows[i].text))
			return rows[i].signal;
	if (end[-1] == ']')
		return is_vdso(at, end) ? LOGS_SIGNAL_EITHER : LOGS_NO_SIGNAL;
	/* Chromium: "Received signal 11 SEGV_MAPERR 000000000008" */
	return gsym_digit(end[-1]) < 16 && logs_find(at, end, "eceived signal ")
		       ? LOGS_SIGNAL_STACK
		       : LOGS_NO_SIGNAL;
}

enum logs_signal gsym_logs_signal(const char *at, const char *end)
{
	enum { MOST_BRACKETS = 3 };

	/* Brackets may stand around the text. */
	for (int i = 0; i <= MOST_BRACKETS; i++) {
		enum logs_signal signal;

		while (end > at && (logs_is_joint(end[-1]) || end[-1] == '\r' ||
				    end[-1] == ';'))
			end--;
		if (end == at)
			return LOGS_NO_SIGNAL;
		signal = signal_before(at, end);
		if (signal != LOGS_NO_SIGNAL ||
		    (end[-1] != ')' && end[-1] != ']' && end[-1] != '}'))
			return signal;
		end--;
	}
	return LOGS_NO_SIGNAL;
}

bool gsym_logs_is_libc(struct logs_text name)
{
	static const char *const names[] = { "libc.so",	   "libc-",
					     "libpthread", "ld-musl",
					     "libc.musl",  NULL };

	return logs_word_of(name.at, name.at + name.size, names);
}

/* The dynamic symbols, which a program sees, lack the trampoline, and have
 * these functions before it.  None of them calls anything from a multiple of
 * 16. */
bool gsym_logs_is_before_trampoline(struct logs_text name, uint64_t offset)
{
	static const char *const names[] = {
		"sigaction", "__sigaction", "__libc_sigaction",
		"killpg",    "funlockfile", "_funlockfile",
		NULL,
	};

	return offset && offset % 16 == 0 && logs_is_of(name, names);
}

/* ---- lines that may say something --------------------------------------- */

typedef gsym_bytes16 block;

/* A text that each line with such a text of some kind has, and the index of the
 * first of two of its bytes that few lines have: the bytes beside a third
 * one. */
#define TEXTS(row)                                                \
	row("handler called", 6) row("[KCrash ", 0) row("IP:", 0) \
		row("[0x", 0) row("eceived signal ", 6) row("> at ??\?", 5)

/* The bits of the 16 bytes at AT where the two bytes of a text may be.  18
 * bytes are read. */
static unsigned two_bytes(const char *at)
{
	const block first = *(const block *)at;
	const block third = *(const block *)(at + 2);
	block hit = { 0 };

#define COMPARE(text, index)                                                  \
	hit |= (block)((first == (uint8_t)(text)[index]) &                    \
		       (third == (uint8_t)(text)[(index) + 2]));
	TEXTS(COMPARE)
#undef COMPARE
	return gsym_bytes16_mask(hit);
}

/* Whether one of the texts has its two bytes at BYTES, in AT to END. */
static bool is_text(const char *at, const char *bytes, const char *end)
{
#define COMPARE(text, index)                                                  \
	if (bytes - at >= (index) && logs_word(bytes - (index), end, text))   \
		return true;
	TEXTS(COMPARE)
#undef COMPARE
	return false;
}

bool gsym_logs_has_signal(const char *at, const char *end)
{
	enum { STEP = 16, BEYOND = 2 };

	/* A text has more than BEYOND bytes. */
	for (const char *from = at; end - from > BEYOND; from += STEP) {
		char last[STEP + BEYOND] = { 0 };
		const char *step = from;

		/* Some bytes may be searched twice. */
		if (end - from < STEP + BEYOND && end - at >= STEP + BEYOND)
			step = from = end - STEP - BEYOND;
		else if (end - from < STEP + BEYOND)
			step = memcpy(last, from, (size_t)(end - from));
		for (unsigned left = two_bytes(step); left; left &= left - 1)
			if (is_text(at, from + __builtin_ctz(left), end))
				return true;
	}
	return false;
}
