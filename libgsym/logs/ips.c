/* SPDX-License-Identifier: MIT */
/*
 * Apple's crash reports in JSON (.ips).  Frames are objects in a long line,
 * which name an image by its number; the images are listed later:
 *
 *	"frames":[{"imageOffset":25788,"imageIndex":1},
 *	"usedImages" : [ {
 *	    "uuid" : "82d13d98-219e-3040-b62a-07a297007a7c",
 *	    "path" : "\/private\/var\/App.app\/App",
 */
#include "config.h"

#include "logs/facts.h"
#include "logs/scan.h"

/* Step over the rest of a string of JSON, with its quote. */
static const char *over_string(const char *at, const char *end)
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
static const char *find_brace(const char *at, const char *end)
{
	while (at && at < end && *at != '}' && *at != '{')
		at = *at == '"' ? over_string(at + 1, end) : at + 1;
	return at && at < end ? at : end;
}

/* The place of the value of KEY, which has quotes, in AT to END; NULL if there
 * is none. */
static const char *value_of(const char *at, const char *end, const char *key)
{
	const char *found = logs_find(at, end, key);

	found = found ? logs_blanks(found + strlen(key), end) : NULL;
	return logs_blanks(logs_word(found, end, ":"), end);
}

static struct logs_text string_of(const char *at, const char *end,
				  const char *key)
{
	const char *start = logs_word(value_of(at, end, key), end, "\"");
	const char *stop = start ? over_string(start, end) : NULL;

	return stop ? logs_between(start, stop - 1) : logs_between(end, end);
}

/* The number after KEY, less than LIMIT; false if there is none. */
static bool number_of(const char *at, const char *end, const char *key,
		      uint64_t limit, uint64_t *ret)
{
	const char *digits = value_of(at, end, key);
	const char *stop = logs_decimal(digits, end);

	for (*ret = 0; digits && digits < stop && *ret < limit; digits++)
		*ret = 10 * *ret + (uint64_t)(*digits - '0');
	return stop && *ret < limit;
}

bool gsym_logs_ips(const char *at, const char *end, struct logs_frame *ret)
{
	static const char key[] = "\"imageOffset\"";
	const char *from = at, *found, *open, *close, *before;
	uint64_t offset, index;

	for (; (found = logs_find(from, end, key)); from = close) {
		open = memrchr(from, '{', (size_t)(found - from));
		close = find_brace(found, end);
		if (!open || close == end || *close != '}' ||
		    !number_of(open, close, key, LOGS_IMAGE_SIZE, &offset) ||
		    !number_of(open, close, "\"imageIndex\"", 1 << 16, &index))
			continue;
		before = logs_trim(at, open);
		*ret = (struct logs_frame){
			.log = GSYM_MARKUP_LOG_APPLE,
			.start = open,
			.insert = close,
			.resume = close,
			.meaning = LOGS_MEMORY,
			.number = index * LOGS_IMAGE_SIZE + offset,
			.function = string_of(open, close, "\"symbol\""),
			/* The first frame of a thread is exact. */
			.returns = before == at || before[-1] != '[',
			.answered = logs_find(open, close, "\"sourceFile\""),
		};
		return true;
	}
	return false;
}

bool gsym_logs_ips_image(const char **at, const char *end, uint64_t index,
			 struct logs_fact *ret)
{
	const char *open = *at ? memchr(*at, '{', (size_t)(end - *at)) : NULL;
	const char *close = open ? find_brace(open + 1, end) : end;

	if (close == end || *close != '}' || index >= 1 << 16)
		return false;
	*at = close + 1;
	*ret = (struct logs_fact){
		.kind = LOGS_IMAGE,
		.build_id = string_of(open, close, "\"uuid\""),
		.name = string_of(open, close, "\"name\""),
		.start = index * LOGS_IMAGE_SIZE,
		.last = (index + 1) * LOGS_IMAGE_SIZE - 1,
	};
	return true;
}

const char *gsym_logs_ips_images(const char *at, const char *end)
{
	at = value_of(at, end, "\"usedImages\"");
	return logs_word(at, end, "[");
}

bool gsym_logs_ips_end(const char *at, const char *end)
{
	const char *list = gsym_logs_ips_images(at, end);

	at = logs_blanks(at, end);
	return (at < end && *at == ']') ||
	       (list && memchr(list, ']', (size_t)(end - list)));
}
