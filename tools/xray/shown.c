/* SPDX-License-Identifier: MIT */
/* How times, names and values of YAML are written. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "common/must.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- times and names ----------------------------------------------------- */

int xray_time_text(double value, bool ticks, const char *micro, char *to,
		   size_t size)
{
	const struct {
		const char *name;
		double size; /* nanoseconds */
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { micro, 1e3 } };
	for (size_t i = 0; !ticks && i < sizeof(units) / sizeof(units[0]);
	     i++) {
		double n = value / units[i].size;
		/* 999.95 us would be written as 1000.0 us. */
		if (n < 0.99995)
			continue;
		return snprintf(to, size, "%.*f %s",
				n < 9.9995	? 3
				: n < 99.995 ? 2
				: n < 999.95 ? 1
					     : 0,
				n, units[i].name);
	}
	return snprintf(to, size, "%.0f%s", value, ticks ? "" : " ns");
}

/* Bytes of "(anonymous namespace)" at AT; 0 if AT begins with something
 * else. */
static size_t anonymous(const char *at)
{
	static const char name[] = "(anonymous namespace)";
	return strncmp(at, name, sizeof(name) - 1) == 0 ? sizeof(name) - 1 : 0;
}

/* The start of the function's own name in TEXT, which may begin with the type
 * that a template function returns. */
static const char *without_type(const char *text)
{
	const char *parenthesis = strchr(text, '('), *at = text;
	if (!parenthesis || anonymous(parenthesis))
		return text;
	for (const char *p = text; p < parenthesis; p++)
		if (*p == ' ')
			at = p + 1;
	return at;
}

char *xray_short_name(const char *name)
{
	/* "..." may replace a single character. */
	char *text = must_have(malloc(3 * strlen(name) + 1)), *to = text,
	     *result;
	unsigned depth = 0;
	/* Angle brackets of operators are not those of templates. */
	if (strstr(name, "operator") || strstr(name, "lambda"))
		return strcpy(text, name);
	while (*name) {
		size_t kept = depth ? 0 : anonymous(name);
		if (kept) {
			memcpy(to, name, kept);
			to += kept;
			name += kept;
			continue;
		}
		if (*name == '<' || *name == '(') {
			if (!depth++)
				*to++ = *name;
		} else if (depth && (*name == '>' || *name == ')')) {
			if (!--depth) {
				if (name[-1] != to[-1])
					to = stpcpy(to, "...");
				*to++ = *name;
			}
		} else if (!depth) {
			*to++ = *name;
		}
		name++;
	}
	*to = 0;
	result = must_have(strdup(without_type(text)));
	free(text);
	return result;
}

/* ---- YAML, with quotes where llvm-xray's writer uses them ---------------- */

/* Returns true if a reader of YAML takes TEXT for a truth value or for null. */
static bool is_word(const char *text)
{
	static const char *const words[] = {
		"null", "Null", "NULL", "~", "true", "True", "TRUE", "false",
		"False", "FALSE", "yes", "Yes", "YES", "no", "No", "NO", "on",
		"On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N",
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

/* Returns true if TEXT needs no quotes.  Text that starts like a number always
 * gets quotes. */
static bool is_plain(const char *text)
{
	if (!*text || strchr("-+.0123456789", *text) || is_word(text) ||
	    text[strlen(text) - 1] == ' ')
		return false;
	for (const char *c = text; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
		    !(*c >= '0' && *c <= '9') &&
		    !strchr(c == text ? "_^" : "_-^., ", *c))
			return false;
	return true;
}

static bool needs_escapes(const char *text)
{
	for (; *text; text++)
		if ((uint8_t)*text < 0x20 || (uint8_t)*text >= 0x7f)
			return true;
	return false;
}

/* Write the character at BYTES, of SIZE bytes, which a terminal must not
 * get. */
static void put_code(struct out *out, const uint8_t *bytes, size_t size)
{
	if (size == 1)
		out_printf(out, "\\x%02X", bytes[0]);
	else if (size == 2)
		out_printf(out, "\\u%04X",
			   (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3f));
	else
		out_printf(out, "\\u%04X",
			   (bytes[0] & 0xfu) << 12 | (bytes[1] & 0x3fu) << 6 |
				   (bytes[2] & 0x3f));
}

/* Write SIZE BYTES in double quotes.  Letters of UTF-8 in a NAME stay as they
 * are; of data all bytes that are not ASCII become escapes. */
static void quoted(struct out *out, const uint8_t *bytes, size_t size,
		   bool name)
{
	out_text(out, "\"");
	for (size_t i = 0, step = 1; i < size; i += step) {
		size_t length =
			name ? gsym_utf8_length(bytes + i, size - i) : 1;
		size_t harmful =
			gsym_utf8_harmful(bytes + i, length ? length : 1);
		step = length ? length : 1;
		if (bytes[i] == '"' || bytes[i] == '\\')
			out_printf(out, name ? "\\%c" : "\\x%02X", bytes[i]);
		else if (harmful || (bytes[i] >= 0x80 && !name))
			put_code(out, bytes + i, step);
		else
			out_bytes(out, &bytes[i], step);
	}
	out_text(out, "\"");
}

void xray_yaml_text(struct out *out, const char *text)
{
	if (is_plain(text)) {
		out_text(out, text);
		return;
	}
	if (needs_escapes(text)) {
		quoted(out, (const uint8_t *)text, strlen(text), true);
		return;
	}
	out_text(out, "'");
	for (; *text; text++) {
		out_bytes(out, text, 1);
		if (*text == '\'')
			out_text(out, "'");
	}
	out_text(out, "'");
}

void xray_yaml_bytes(struct out *out, const uint8_t *bytes, size_t size)
{
	size_t printable = 0;
	while (printable < size && bytes[printable] >= 0x20 &&
	       bytes[printable] < 0x7f)
		printable++;
	char *text = printable == size ? malloc(size + 1) : NULL;
	if (!text) {
		quoted(out, bytes, size, false);
		return;
	}
	if (size)
		memcpy(text, bytes, size);
	text[size] = 0;
	xray_yaml_text(out, text);
	free(text);
}
