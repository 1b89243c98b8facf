/* SPDX-License-Identifier: MIT */
/* Parts of lines that several dialects step over. */
#include "config.h"

#include "base/bytes16.h"
#include "base/system.h"
#include "logs/scan.h"

typedef gsym_bytes16 block;

/* The bits of the places in the 16 bytes from AT on where TEXT may begin: its
 * first and its last byte stand there. */
static inline unsigned may_begin(const char *at, const char *text, size_t size)
{
	const block first = *(const block *)at;
	const block last = *(const block *)(at + size - 1);

	return gsym_bytes16_mask((block)((first == (uint8_t)text[0]) &
					 (last == (uint8_t)text[size - 1])));
}

/* Whether SIZE bytes of AT are TEXT.  A call of memcmp would cost more, as its
 * caller loses all registers for vectors. */
static inline bool is_text(const char *at, const char *text, size_t size)
{
	while (size && at[size - 1] == text[size - 1])
		size--;
	return !size;
}

const char *gsym_logs_find(const char *at, const char *end, const char *text,
			   size_t size)
{
	enum { PLACES = 16 };
	const char *stop;

	if (!at || (size_t)(end - at) < size)
		return NULL;
	/* Behind the last place. */
	stop = end - size + 1;
	if (stop - at < PLACES) {
		for (; at < stop; at++)
			if (*at == *text && is_text(at, text, size))
				return at;
		return NULL;
	}
	for (; at < stop; at += PLACES) {
		if (stop - at < PLACES)
			at = stop - PLACES;
		for (unsigned left = may_begin(at, text, size); left;
		     left &= left - 1) {
			const char *hit = at + __builtin_ctz(left);

			if (is_text(hit, text, size))
				return hit;
		}
	}
	return NULL;
}

const char *gsym_logs_either(const char *at, const char *end, char a, char b)
{
	for (; end - at >= (ptrdiff_t)sizeof(block); at += sizeof(block)) {
		const block bytes = *(const block *)at;
		const unsigned hit = gsym_bytes16_mask(
			(block)((bytes == (uint8_t)a) | (bytes == (uint8_t)b)));

		if (hit)
			return at + __builtin_ctz(hit);
	}
	while (at < end && *at != a && *at != b)
		at++;
	return at;
}

/* The hexadecimal digits: the value and 1; 0: no such digit.  Each recogniser
 * comes here, and digits are hard to predict. */
static const uint8_t values[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

const char *gsym_logs_hex_before(const char *at, const char *end, uint64_t *ret)
{
	const char *start = end;
	uint64_t value = 0;
	unsigned digit;

	for (unsigned shift = 0; start > at && shift < 64; shift += 4) {
		digit = values[(unsigned char)start[-1]];
		if (!digit)
			break;
		value |= (uint64_t)(digit - 1) << shift;
		start--;
	}
	/* The 0 of "0x" is no part of the digits, as x is none. */
	if (start == end || start - at < 2 || start[-1] != 'x' ||
	    start[-2] != '0')
		return NULL;
	*ret = value;
	return start - 2;
}

bool gsym_logs_function(const char *at, const char *end,
			struct logs_text *function, uint64_t *offset)
{
	const char *digits = gsym_logs_hex_before(at, end, offset);

	if (!digits || digits - at < 2 || digits[-1] != '+')
		return false;
	*function = logs_between(at, digits - 1);
	return true;
}

const char *gsym_logs_open(const char *at, const char *end)
{
	const char closer = end[-1];
	const char opener = closer == ')' ? '(' : closer == ']' ? '[' : '{';
	const char *open = memrchr(at, opener, (size_t)(end - at));
	size_t depth = 0;

	/* As a rule there are no brackets in between. */
	if (!open || logs_byte(open, end, closer) == end - 1)
		return open;
	while (end > at) {
		end--;
		if (*end == closer)
			depth++;
		else if (*end == opener && --depth == 0)
			return end;
	}
	return NULL;
}

const char *gsym_logs_open_module(const char *at, const char *end)
{
	const char *open = gsym_logs_open(at, end);

	return open && (open[1] == '/' ||
			logs_byte(open, end, end[-1]) == end - 1)
		       ? open
		       : NULL;
}

const char *gsym_logs_last(const char *at, const char *end, const char *text)
{
	size_t size = strlen(text);
	const char *from;

	if ((size_t)(end - at) < size)
		return NULL;
	/* Behind the last place. */
	from = end - size + 1;
	while ((from = memrchr(at, *text, (size_t)(from - at))))
		if (memcmp(from, text, size) == 0)
			return from;
	return NULL;
}

const char *gsym_logs_before_joint(const char *at, const char *end)
{
	for (;;) {
		const char *stop = end;

		while (stop > at && logs_is_joint(stop[-1]))
			stop--;
		if (logs_before(at, stop, "\\n") ||
		    logs_before(at, stop, "\\r") ||
		    (stop < end && logs_before(at, stop, " ->")))
			stop -= 2;
		if (stop == end)
			return end;
		end = stop;
	}
}

const char *gsym_logs_number(const char *at, const char *end,
			     const char **after)
{
	for (const char *from = at; (from = logs_byte(from, end, '#'));
	     from++) {
		*after = logs_begins(at, from) ? logs_decimal(from + 1, end)
					       : NULL;
		if (*after)
			return from;
	}
	return NULL;
}

const char *gsym_logs_second_number(const char *at, const char *end)
{
	const char *from, *after = at;
	size_t count = 0;

	while ((from = gsym_logs_number(after, end, &after)))
		if (logs_word(logs_gap(after, end), end, "0x") &&
		    logs_begins(at, from) && count++ &&
		    logs_before(at, logs_trim(at, from), ")"))
			return from;
	return NULL;
}

const char *gsym_logs_second_bracket(const char *at, const char *end)
{
	uint64_t number;

	while ((at = logs_after(at, end, "[0x"))) {
		const char *stop = logs_word(logs_digits(at, end, &number), end,
					     "]");

		/* DPDK has brackets around a frame. */
		if (stop && logs_word(stop, end, "]"))
			stop++;
		if (stop == end)
			return NULL;
		stop = logs_joint(stop, end);
		if (stop)
			return logs_find(stop, end, "[0x") ? stop : NULL;
	}
	return NULL;
}

const char *gsym_logs_build_id(const char *at, const char *end,
			       struct logs_text *ret)
{
	const char *start, *open;

	*ret = logs_between(end, end);
	if (end == at || end[-1] != ')')
		return end;
	start = logs_before_digits(at, end - 1);
	open = logs_before(at, start, " (BuildId: ");
	if (!open || start == end - 1)
		return end;
	*ret = logs_between(start, end - 1);
	return open;
}

/* Whether AT to END is ":7" or ":7:9". */
static bool ends_with_line(const char *at, const char *end)
{
	const char *digits = logs_before_decimal(at, end);

	return digits < end && digits > at && digits[-1] == ':' &&
	       digits - at > 1;
}

bool gsym_logs_is_place(struct logs_text text)
{
	const char *at = text.at, *end = at + text.size, *word = at;

	/* The answer of symbols that may be of another build. */
	end -= end > at && end[-1] == '?';

	for (const char *p = at; p < end; p++) {
		if (*p == '(' || *p == ')')
			return false;
		if (*p == ' ')
			word = p + 1;
	}
	if (word == end)
		return false;
	if (ends_with_line(word, end))
		return true;
	/* A file without a line: a path, or a name after other words. */
	if (logs_byte(word, end, '/'))
		return !logs_word(word, end, "operator/");
	return false;
}

bool gsym_logs_object_at(struct logs_text report, const char *at,
			 const char **open, const char **close)
{
	const size_t longest = 4096;
	size_t before, after;
	const char *stop;

	if (at < report.at || at > report.at + report.size)
		return false;
	before = (size_t)(at - report.at);
	after = report.size - before;
	before = before > longest ? longest : before;
	stop = at + (after > longest ? longest : after);
	*open = memrchr(at - before, '{', before);
	*close = json_find_brace(at, stop);
	return *open && *close < stop && **close == '}';
}
