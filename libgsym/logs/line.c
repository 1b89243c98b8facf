/* SPDX-License-Identifier: MIT */
/* Lines that are worth a look, and their parts. */
#include "config.h"

#include "base/bytes16.h"
#include "logs/facts.h"
#include "logs/scan.h"

/* ---- finding --------------------------------------------------------- */

typedef gsym_bytes16 block;

/* STEP bytes are searched at once, with the byte after them. */
enum { STEP = 64 };

/* Which of the 16 bytes at AT may be bytes for which is_special holds. */
static inline block hits(const char *at)
{
	const block a = *(const block *)at, b = *(const block *)(at + 1);

	return (block)((a == 0x1b) |
		       ((a == b) & ((a == '{') | (a == '*') | (a == '-'))) |
		       ((a == '0') & (b == 'x')) | ((a == 'p') & (b == 'c')) |
		       ((a == ' ') & (b == '#')) | ((a == '-') & (b == 'i')) |
		       ((a == 'P') & (b == 'r')));
}

static bool is_word(const char *at, const char *end, const char *word)
{
	return logs_word(at, end, word) != NULL;
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
	return memmem(start, (size_t)(at - start), "ainted", 6) ||
	       memmem(start, (size_t)(at - start), "Linux version ", 14);
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

/* Whether an opener "{{{", an ESC, or a part of a frame or a fact begins at AT.
 * The bytes from FROM up to END may be read. */
static bool is_special(const char *from, const char *at, const char *end)
{
	switch (*at) {
	case '\033':
		return true;
	case '{':
		return is_word(at, end, "{{{");
	case '0':
		return at > from && is_word(at, end, "0x") &&
		       is_number(from, at, end);
	case 'p':
		return at - from > 1 && at[-1] == ' ' &&
		       is_word(at, end, "pc ") &&
		       (at[-2] == ' ' || logs_is_digit(at[-2]));
	case ' ':
		return is_word(at, end, " #") && is_release(from, at, end);
	case '-':
		return is_word(at, end, "---[ ") ||
		       (at - from >= 5 && is_word(at - 5, end, "build-id"));
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

/* The first of the STEP bytes at AT for which is_special holds; NULL if there
 * is none. */
static const char *special_in_step(const char *from, const char *at,
				   const char *end)
{
	for (int i = 0; i < STEP; i += 16) {
		block hit = hits(at + i);

		for (int j = 0; gsym_bytes16_any(hit) && j < 16; j++)
			if (hit[j] && is_special(from, at + i + j, end))
				return at + i + j;
	}
	return NULL;
}

const char *gsym_logs_special(const char *bytes, size_t size)
{
	const char *at = bytes, *end = at + size, *found;

	for (; end - at > STEP; at += STEP) {
		block hit = hits(at) | hits(at + 16) | hits(at + 32) |
			    hits(at + 48);

		if (!gsym_bytes16_any(hit))
			continue;
		found = special_in_step(bytes, at, end);
		if (found)
			return found;
	}
	for (; at < end; at++)
		if (is_special(bytes, at, end))
			return at;
	return NULL;
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
