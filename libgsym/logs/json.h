/* SPDX-License-Identifier: MIT */
/* logs/json.h - objects of JSON in reports.  Knows no report. */
#ifndef GSYM_LOGS_JSON_H
#define GSYM_LOGS_JSON_H

#include "logs/scan.h"

/* Step over the rest of a string of JSON, with its quote. */
static inline const char *json_over_string(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at == '"')
			return at + 1;
		at += *at == '\\';
	}
	return NULL;
}

/* The first brace from AT on, outside of strings: "}" ends the object in which
 * AT lies, and "{" begins another one.  END if there is none. */
static inline const char *json_find_brace(const char *at, const char *end)
{
	while (at && at < end && *at != '}' && *at != '{')
		at = *at == '"' ? json_over_string(at + 1, end) : at + 1;
	return at && at < end ? at : end;
}

/* The place of the value of KEY, which has quotes, in AT to END; NULL if there
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

/* The number after KEY, less than LIMIT; false if there is none. */
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
