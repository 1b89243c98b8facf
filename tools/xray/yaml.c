/* SPDX-License-Identifier: MIT */
/* Values of YAML, with quotes where llvm-xray's writer uses them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"
#include "xray/xray.h"

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
		size_t length = name ? utf8_length(bytes + i, size - i) : 1;
		size_t harmful = utf8_harmful(bytes + i, length ? length : 1);
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
