/* SPDX-License-Identifier: MIT */
/* Values of YAML, with quotes where llvm-xray's writer uses them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

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

/* Write SIZE BYTES in double quotes.  Bytes of UTF-8 in a NAME stay as they
 * are; of data all bytes that are not ASCII become escapes. */
static void quoted(struct out *out, const uint8_t *bytes, size_t size,
		   bool name)
{
	out_text(out, "\"");
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == '"' || bytes[i] == '\\')
			out_printf(out, name ? "\\%c" : "\\x%02X", bytes[i]);
		else if (bytes[i] < 0x20 || bytes[i] == 0x7f ||
			 (bytes[i] >= 0x80 && !name))
			out_printf(out, "\\x%02X", bytes[i]);
		else
			out_bytes(out, &bytes[i], 1);
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
