/* SPDX-License-Identifier: MIT */
/* Writes JSON. */
#include "config.h"

#include "common/out.h"

#include <assert.h>

#include "base/path_map.h"
#include "base/text.h"

/* The most bytes that one byte of input becomes: \u00XX. */
#define WORST 6

/* Write the UTF-16 code unit UNIT as \uXXXX to TO.  Returns the end. */
static char *escape_unit(char *to, unsigned unit)
{
	static const char digits[] = "0123456789abcdef";
	*to++ = '\\';
	*to++ = 'u';
	for (int shift = 12; shift >= 0; shift -= 4)
		*to++ = digits[unit >> shift & 15];
	return to;
}

/* Write the character at TEXT, which has LEFT bytes, to TO, escaped if need
 * be.  *USED becomes its length.  Returns the end of the output. */
static char *escape_special(char *to, const unsigned char *text, size_t left,
			    size_t *used)
{
	unsigned char c = text[0];
	*used = 1;
	if (c == '"' || c == '\\') {
		*to++ = '\\';
		*to++ = c;
		return to;
	}
	if (c < 0x80)
		return escape_unit(to, c);
	size_t length = gsym_utf8_length(text, left);
	if (length == 0)
		return escape_unit(to, 0xfffd);
	*used = length;
	if (gsym_utf8_harmful(text, left) ||
	    (c == 0xe2 && text[1] == 0x80 && (text[2] | 1) == 0xa9))
		return escape_unit(to, length == 2
			? (c & 0x1fu) << 6 | (text[1] & 0x3f)
			: (c & 0xfu) << 12 | (text[1] & 0x3fu) << 6 |
				  (text[2] & 0x3f));
	memcpy(to, text, length);
	return to + length;
}

void json_escape(struct out *out, const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text;
	while (length > 0) {
		/* Room for 4 more bytes, so that no UTF-8 sequence is split. */
		size_t part = length;
		if (part > OUT_RESERVE / WORST - 4)
			part = OUT_RESERVE / WORST - 4;
		char *start = out_reserve(out, WORST * (part + 4));
		char *to = start;
		size_t done = 0;
		while (done < part) {
			size_t run = out_plain_run(at + done, part - done,
						   true);
			memcpy(to, at + done, run);
			to += run;
			done += run;
			if (done >= part)
				break;
			size_t used;
			to = escape_special(to, at + done, length - done,
					    &used);
			done += used;
		}
		out_take(out, to - start);
		at += done;
		length -= done;
	}
}

bool json_escape_bytes(struct out *out, const uint8_t *bytes, size_t length)
{
	size_t start = 0, i = 0;
	bool text = true;
	while (i < length) {
		size_t n = gsym_utf8_length(bytes + i, length - i);
		if (n) {
			i += n;
			continue;
		}
		json_escape(out, (const char *)bytes + start, i - start);
		char *to = out_reserve(out, WORST);
		out_take(out, escape_unit(to, bytes[i]) - to);
		text = false;
		start = ++i;
	}
	json_escape(out, (const char *)bytes + start, i - start);
	return text;
}

void json_escape_path(struct out *out, const char *directory,
		      const char *basename)
{
	const char *separator = gsym_path_separator(directory);

	json_escape(out, directory, strlen(directory));
	json_escape(out, separator, strlen(separator));
	json_escape(out, basename, strlen(basename));
}

void json_init(struct json *json, struct out *out)
{
	*json = (struct json){ .out = out };
}

/* End a line, and indent the next one, if JSON is pretty. */
static void break_line(const struct json *json)
{
	if (json->pretty)
		out_printf(json->out, "\n%*s", 2 * (int)json->depth, "");
}

/* Write the comma before a member, if it needs one, and its name. */
static void begin(struct json *json, const char *name)
{
	uint32_t bit = 1u << json->depth;
	if (json->filled & bit)
		out_bytes(json->out, ",", 1);
	if (json->depth)
		break_line(json);
	json->filled |= bit;
	if (!name)
		return;
	out_bytes(json->out, "\"", 1);
	json_escape(json->out, name, strlen(name));
	out_bytes(json->out, "\": ", json->pretty ? 3 : 2);
}

/* Begin a member whose value is a string, up to end_string. */
static void begin_string(struct json *json, const char *name)
{
	begin(json, name);
	out_bytes(json->out, "\"", 1);
}

static void end_string(struct json *json)
{
	out_bytes(json->out, "\"", 1);
}

static void open_level(struct json *json, bool array)
{
	assert(json->depth + 1 < JSON_MAX_DEPTH);
	uint32_t bit = 1u << ++json->depth;
	json->filled &= ~bit;
	json->arrays = array ? json->arrays | bit : json->arrays & ~bit;
	out_bytes(json->out, array ? "[" : "{", 1);
}

void json_object(struct json *json, const char *name)
{
	begin(json, name);
	open_level(json, false);
}

void json_array(struct json *json, const char *name)
{
	begin(json, name);
	open_level(json, true);
}

void json_end(struct json *json)
{
	assert(json->depth > 0);
	uint32_t bit = 1u << json->depth--;
	if (json->filled & bit)
		break_line(json);
	out_bytes(json->out, json->arrays & bit ? "]" : "}", 1);
}

void json_line(struct json *json)
{
	assert(json->depth == 0);
	json->filled = 0;
	out_bytes(json->out, "\n", 1);
}

void json_end_line(struct json *json)
{
	json_end(json);
	json_line(json);
}

bool json_data(struct json *json, const char *name, const uint8_t *bytes,
	       size_t count)
{
	begin_string(json, name);
	bool text = json_escape_bytes(json->out, bytes, count);
	end_string(json);
	return text;
}

void json_text(struct json *json, const char *name, const char *text,
	       size_t size)
{
	begin_string(json, name);
	json_escape(json->out, text, size);
	end_string(json);
}

void json_raw(struct json *json, const char *text, size_t size)
{
	begin(json, NULL);
	while (size > 0) {
		const unsigned char *at = (const unsigned char *)text;
		char escape[WORST];
		size_t used = 0;
		while (used < size && at[used] >= 0x20 && at[used] < 0x7f)
			used++;
		if (used)
			out_bytes(json->out, text, used);
		else
			out_bytes(json->out, escape,
				  (size_t)(escape_special(escape, at, size,
							  &used) - escape));
		text += used;
		size -= used;
	}
}

void json_string(struct json *json, const char *name, const char *value)
{
	json_text(json, name, value, strlen(value));
}

void json_real(struct json *json, const char *name, double value)
{
	begin(json, name);
	out_printf(json->out, "%.10g", value);
}

void json_number(struct json *json, const char *name, uint64_t value)
{
	begin(json, name);
	out_decimal(json->out, value);
}

void json_signed(struct json *json, const char *name, int64_t value)
{
	begin(json, name);
	out_signed(json->out, value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	begin(json, name);
	out_text(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *name)
{
	begin(json, name);
	out_text(json->out, "null");
}

void json_hex(struct json *json, const char *name, uint64_t value)
{
	begin_string(json, name);
	out_hex(json->out, value);
	end_string(json);
}

void json_bytes(struct json *json, const char *name, const uint8_t *bytes,
		size_t count)
{
	begin_string(json, name);
	out_hex_bytes(json->out, bytes, count);
	end_string(json);
}

void json_path(struct json *json, const char *name, const char *directory,
	       const char *basename)
{
	begin_string(json, name);
	json_escape_path(json->out, directory, basename);
	end_string(json);
}
