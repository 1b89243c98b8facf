/* SPDX-License-Identifier: MIT */
/* Parts of lines that several recognisers step over. */
#include "config.h"

#include "logs/scan.h"

const char *gsym_logs_hex_before(const char *at, const char *end, uint64_t *ret)
{
	const char *start = end;

	while (start > at && gsym_digit(start[-1]) < 16 && end - start <= 16)
		start--;
	/* The 0 of "0x" is no part of the digits, as x is none. */
	if (start - at < 2 || start[-1] != 'x' || start[-2] != '0')
		return NULL;
	return logs_digits(start, end, ret) ? start - 2 : NULL;
}

const char *gsym_logs_open(const char *at, const char *end)
{
	size_t depth = 0;

	while (end > at) {
		end--;
		if (*end == ')')
			depth++;
		else if (*end == '(' && --depth == 0)
			return end;
	}
	return NULL;
}

const char *gsym_logs_last(const char *at, const char *end, const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(end - at) < size)
		return NULL;
	for (const char *from = end - size; from >= at; from--)
		if (memcmp(from, text, size) == 0)
			return from;
	return NULL;
}

const char *gsym_logs_number(const char *at, const char *end,
			     const char **after)
{
	for (const char *from = at; from < end; from++) {
		from = memchr(from, '#', (size_t)(end - from));
		if (!from)
			return NULL;
		if (from > at && from[-1] != ' ' && from[-1] != '\t')
			continue;
		*after = logs_decimal(from + 1, end);
		if (*after)
			return from;
	}
	return NULL;
}

const char *gsym_logs_build_id(const char *at, const char *end,
			       struct logs_text *ret)
{
	static const char word[] = " (BuildId: ";
	const size_t length = sizeof(word) - 1;
	const char *start = end - 1;

	*ret = (struct logs_text){ end, 0 };
	if (end == at || *start != ')')
		return end;
	while (start > at && gsym_digit(start[-1]) < 16)
		start--;
	if ((size_t)(start - at) < length ||
	    memcmp(start - length, word, length) != 0 || start == end - 1)
		return end;
	*ret = logs_between(start, end - 1);
	return start - length;
}

/* Whether AT to END is ":7" or ":7:9". */
static bool ends_with_line(const char *at, const char *end)
{
	const char *digits = end;

	while (digits > at && logs_is_digit(digits[-1]))
		digits--;
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
	if (memchr(word, '/', (size_t)(end - word)))
		return !logs_word(word, end, "operator/");
	return false;
}
