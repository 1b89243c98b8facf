/* SPDX-License-Identifier: MIT */
/* logs/scan.h - steps over parts of a line.  Each step returns the place after
 * its part, or NULL if the part is not there; NULL may be handed on. */
#ifndef GSYM_LOGS_SCAN_H
#define GSYM_LOGS_SCAN_H

#include "base/hash.h"
#include "base/text.h"
#include "logs/dialect.h"

static inline bool logs_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/** Whether C may be in a name of C, or in the rest of one that the compiler
 *  made. */
static inline bool logs_is_name(char c)
{
	return logs_is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

/** Make RET a frame of which nothing is known, but that its answer goes to
 *  END. */
static inline void logs_frame_to(const char *end, struct logs_frame *ret)
{
	*ret = (struct logs_frame){ .insert = end, .resume = end };
}

/** Whether FROM, a place in a line from AT on, stands at AT or after white
 *  space. */
static inline bool logs_begins(const char *at, const char *from)
{
	return from == at || from[-1] == ' ' || from[-1] == '\t';
}

/** The end of the word at AT: white space, or END. */
static inline const char *logs_word_end(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '\t')
		at++;
	return at;
}

/** Step over TEXT. */
static inline const char *logs_word(const char *at, const char *end,
				    const char *text)
{
	size_t size = strlen(text);

	if (!at || (size_t)(end - at) < size || memcmp(at, text, size) != 0)
		return NULL;
	return at + size;
}

/** Step back over TEXT, which ends at END and does not begin before AT. */
static inline const char *logs_before(const char *at, const char *end,
				      const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(end - at) < size || memcmp(end - size, text, size) != 0)
		return NULL;
	return end - size;
}

/** Step over any number of blanks, also none. */
static inline const char *logs_blanks(const char *at, const char *end)
{
	while (at && at < end && *at == ' ')
		at++;
	return at;
}

/** Step over one blank or more. */
static inline const char *logs_gap(const char *at, const char *end)
{
	return at && at < end && *at == ' ' ? logs_blanks(at, end) : NULL;
}

/** Whether C is one of the bytes that trackers put between two frames of a
 *  line: a joint.  The text "->" is a joint, too. */
static inline bool logs_is_joint(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == '|';
}

/** Step over joints; NULL if AT has none. */
static inline const char *logs_joint(const char *at, const char *end)
{
	const char *start = at;

	while (at && at < end && (logs_is_joint(*at) ||
				  (end - at > 2 && !memcmp(at, "-> ", 3))))
		at += *at == '-' ? 2 : 1;
	return at == start ? NULL : at;
}

/** Step back from END over joints, and over "\n" and "\r" as escapes, not
 *  beyond AT. */
const char *gsym_logs_before_joint(const char *at, const char *end);

/** The first C in AT to END; NULL if there is none. */
static inline const char *logs_byte(const char *at, const char *end, char c)
{
	return at ? memchr(at, c, (size_t)(end - at)) : NULL;
}

/** Step over the first of WORDS, which NULL ends, that stands at AT. */
static inline const char *logs_word_of(const char *at, const char *end,
				       const char *const *words)
{
	const char *stop = NULL;

	while (!stop && *words)
		stop = logs_word(at, end, *words++);
	return stop;
}

/** Step back over the first of WORDS that ends at END, as logs_before. */
static inline const char *logs_before_of(const char *at, const char *end,
					 const char *const *words)
{
	const char *start = NULL;

	while (!start && *words)
		start = logs_before(at, end, *words++);
	return start;
}

/** Whether TEXT is one of WORDS. */
static inline bool logs_is_of(struct logs_text text, const char *const *words)
{
	while (*words && !logs_is(text, *words))
		words++;
	return *words;
}

/** The place behind the letters of a name at AT; AT if there are none. */
static inline const char *logs_over_name(const char *at, const char *end)
{
	while (at < end && logs_is_name(*at))
		at++;
	return at;
}

/** The place behind the hexadecimal digits at AT, however many. */
static inline const char *logs_over_digits(const char *at, const char *end)
{
	while (at < end && gsym_digit(*at) < 16)
		at++;
	return at;
}

/** The start of the hexadecimal digits that end at END, however many. */
static inline const char *logs_before_digits(const char *at, const char *end)
{
	while (end > at && gsym_digit(end[-1]) < 16)
		end--;
	return end;
}

/** The start of the decimal digits that end at END; END if there are none. */
static inline const char *logs_before_decimal(const char *at, const char *end)
{
	while (end > at && logs_is_digit(end[-1]))
		end--;
	return end;
}

/** Step over decimal digits. */
static inline const char *logs_decimal(const char *at, const char *end)
{
	const char *start = at;

	while (at && at < end && logs_is_digit(*at))
		at++;
	return at == start ? NULL : at;
}

/** Step over 1 to 16 hexadecimal digits; RET becomes their value. */
static inline const char *logs_digits(const char *at, const char *end,
				      uint64_t *ret)
{
	const char *start = at;
	uint64_t value = 0;

	/* Each frame of each line comes here: without the checks of
	 * gsym_number, which the limit of 16 digits makes needless. */
	while (at && at < end && gsym_digit(*at) < 16)
		value = value << 4 | gsym_digit(*at++);
	if (at == start || at - start > 16)
		return NULL;
	*ret = value;
	return at;
}

/** Step over "0x" and 1 to 16 hexadecimal digits; RET becomes their value. */
static inline const char *logs_hex(const char *at, const char *end,
				   uint64_t *ret)
{
	return logs_digits(logs_word(at, end, "0x"), end, ret);
}

/** The start of "0xHEX", which ends at END; RET becomes its value.  NULL if
 *  there is no such number, or it begins before AT. */
const char *gsym_logs_hex_before(const char *at, const char *end,
				 uint64_t *ret);
/** Whether AT to END is "FUNCTION+0x10"; if so, FUNCTION and OFFSET are set. */
bool gsym_logs_function(const char *at, const char *end,
			struct logs_text *function, uint64_t *offset);
/** The bracket that the ")", "]" or "}" at END - 1 closes; NULL if there is
 *  none from AT on. */
const char *gsym_logs_open(const char *at, const char *end);
/** The bracket that the ")" or "]" at END - 1 closes, with the name of a module
 *  behind it: "(/opt/a (x86)/prog+0x1)".  NULL if there is none from AT on, or
 *  if the name has brackets of its own and is no path from the root. */
const char *gsym_logs_open_module(const char *at, const char *end);
/** The place before the blanks that end at END, not before AT. */
static inline const char *logs_trim(const char *at, const char *end)
{
	while (end > at && end[-1] == ' ')
		end--;
	return end;
}

/** The first place of the SIZE bytes of TEXT, at least two, in AT to END; NULL
 *  if there is none.  Faster than memmem, which prepares tables first. */
const char *gsym_logs_find(const char *at, const char *end, const char *text,
			   size_t size);
/** The same for a string. */
static inline const char *logs_find(const char *at, const char *end,
				    const char *text)
{
	return gsym_logs_find(at, end, text, strlen(text));
}

/** The first A or B in AT to END; END if there is none. */
const char *gsym_logs_either(const char *at, const char *end, char a, char b);

/** The place after the first TEXT in AT to END; NULL if there is none. */
static inline const char *logs_after(const char *at, const char *end,
				     const char *text)
{
	const char *found = logs_find(at, end, text);

	return found ? found + strlen(text) : NULL;
}

/** Whether AT to END has the word of a sanitizer's last line, which names the
 *  first frame again and stays as it is. */
static inline bool logs_is_summary(const char *at, const char *end)
{
	return logs_find(at, end, "SUMMARY: ") != NULL;
}

/** The last place of TEXT in AT to END; NULL if there is none. */
const char *gsym_logs_last(const char *at, const char *end, const char *text);
/** The first "#N" in AT to END that stands at AT or after a blank; *AFTER
 *  becomes the place after its digits.  NULL if there is none. */
const char *gsym_logs_number(const char *at, const char *end,
			     const char **after);
/** The second "#N 0xADDRESS" in AT to END, behind a frame that is whole, with
 *  its parenthesis; NULL if there is none. */
const char *gsym_logs_second_number(const char *at, const char *end);
/** The word after the first "[0xADDRESS]" in AT to END, if another one follows;
 *  NULL if none does. */
const char *gsym_logs_second_bracket(const char *at, const char *end);
/** Whether AT to END has a register of a crash that holds an address of code,
 *  from FROM on: the first one if FROM is AT, else the one behind RET.  RET
 *  becomes a frame that counts from memory. */
bool gsym_logs_registers(const char *at, const char *from, const char *end,
			 struct logs_frame *ret);
/** Whether AT to END is a line of a call trace of Zephyr; RET becomes a frame
 *  that counts from memory. */
bool gsym_logs_zephyr(const char *at, const char *end, struct logs_frame *ret);
/** Step over "0x1234", or over 8 or 16 hexadecimal digits alone. */
const char *gsym_logs_register(const char *at, const char *end, uint64_t *ret);
/** The bracket of the place in " f() (a.c:7)", if AT to END ends with such an
 *  answer; NULL if not.  Takes time in proportion to AT to END. */
const char *gsym_logs_answer(const char *at, const char *end);
/** Step back over " (BuildId: ID)", if it ends at END; ID becomes RET. */
const char *gsym_logs_build_id(const char *at, const char *end,
			       struct logs_text *ret);

/** A hash of TEXT and NUMBER, for tables in MEMORY, whose address the author of
 *  the log cannot know. */
static inline uint64_t logs_hash(const struct logs_memory *memory,
				 struct logs_text text, uint64_t number)
{
	return gsym_hash_bytes((uintptr_t)memory ^ gsym_hash_mix(number),
			       text.at, text.size);
}

/* ---- objects of JSON, in reports -------------------------------------- */

/** Step over the rest of a string of JSON, with its quote. */
static inline const char *json_over_string(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at == '"')
			return at + 1;
		at += *at == '\\';
	}
	return NULL;
}

/** The first brace from AT on, outside of strings: "}" ends the object in which
 * AT lies, and "{" begins another one.  END if there is none. */
static inline const char *json_find_brace(const char *at, const char *end)
{
	while (at && at < end && *at != '}' && *at != '{')
		at = *at == '"' ? json_over_string(at + 1, end) : at + 1;
	return at && at < end ? at : end;
}

/** The braces of the object of the REPORT in which AT lies, outside of strings;
 *  false if the object has others, or more than 4 KiB on either side of AT. */
bool gsym_logs_object_at(struct logs_text report, const char *at,
			 const char **open, const char **close);

/** The place of the value of KEY, which has quotes, in AT to END; NULL if there
 * is none. */
static inline const char *json_value_of(const char *at, const char *end,
					const char *key)
{
	const char *found = logs_find(at, end, key);

	found = found ? logs_blanks(found + strlen(key), end) : NULL;
	return logs_blanks(logs_word(found, end, ":"), end);
}

static inline struct logs_text
json_string_of(const char *at, const char *end, const char *key)
{
	const char *value = json_value_of(at, end, key);
	const char *start = logs_word(value, end, "\"");
	const char *stop = start ? json_over_string(start, end) : NULL;

	return stop ? logs_between(start, stop - 1) : logs_between(end, end);
}

/** The number after KEY, less than LIMIT; false if there is none. */
static inline bool json_number_of(const char *at, const char *end,
				  const char *key, uint64_t limit,
				  uint64_t *ret)
{
	const char *digits = json_value_of(at, end, key);
	const char *stop = logs_decimal(digits, end);

	return stop && gsym_number(digits, stop, 10, ret, NULL) &&
	       *ret < limit;
}

#endif
