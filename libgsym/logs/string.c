/* SPDX-License-Identifier: MIT */
/* Escapes in strings of JSON, which Go and logfmt have as well. */
#include "config.h"

#include "logs/unwrap.h"

#include "base/text.h"

/* The code of "\u000a" at AT; false if it is something else. */
static bool unicode(const char *at, const char *end, uint32_t *code)
{
	*code = 0;
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return false;
	for (int i = 2; i < 6; i++) {
		if (gsym_digit(at[i]) >= 16)
			return false;
		*code = *code << 4 | gsym_digit(at[i]);
	}
	return true;
}

/* Undo an escape that is none of white space, "\u2028" for instance. */
static size_t unicode_decode(const char *at, const char *end, char to[4],
			     size_t *size)
{
	enum { REPLACEMENT = 0xfffd };
	size_t taken = 6;
	uint32_t code, low;

	if (!unicode(at, end, &code))
		return 0;
	if (code >> 11 == 0xd800 >> 11) {
		bool pair = code < 0xdc00 && unicode(at + 6, end, &low) &&
			    low >> 10 == 0xdc00 >> 10;

		code = pair ? 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff))
			    : REPLACEMENT;
		taken = pair ? 12 : 6;
	}
	*size = gsym_utf8_put(code, to);
	return taken;
}

size_t gsym_logs_string_decode(const char *at, const char *end, char to[4],
			       size_t *size)
{
	static const char from[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (end - at < 2)
		return 0;
	*size = 1;
	found = at[1] ? strchr(from, at[1]) : NULL;
	if (found) {
		*to = bytes[found - from];
		return 2;
	}
	if (at[1] == 'x' && end - at >= 4 && gsym_digit(at[2]) < 8 &&
	    gsym_digit(at[3]) < 16) {
		*to = (char)(gsym_digit(at[2]) << 4 | gsym_digit(at[3]));
		return 4;
	}
	return unicode_decode(at, end, to, size);
}

size_t gsym_logs_string_escape(const char *at, size_t size,
			       char to[LOGS_ESCAPED], size_t *taken)
{
	unsigned char c = (unsigned char)*at;
	size_t length = gsym_utf8_length(at, size);

	*taken = length ? length : 1;
	if (!length) {
		memcpy(to, "\\ufffd", 6);
		return 6;
	}
	if (c < 0x20) {
		memcpy(to, "\\u00", 4);
		to[4] = (char)('0' + (c >> 4));
		to[5] = "0123456789abcdef"[c & 15];
		return 6;
	}
	*to = '\\';
	if (c == '"' || c == '\\')
		to++;
	memcpy(to, at, length);
	return length + (c == '"' || c == '\\');
}

size_t gsym_logs_break(const char *at, const char *end)
{
	uint32_t code;

	if (end - at >= 2 && (at[1] == 'n' || at[1] == 'r'))
		return 2;
	return unicode(at, end, &code) && (code == '\n' || code == '\r') ? 6
									  : 0;
}
