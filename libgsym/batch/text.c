/* SPDX-License-Identifier: MIT */
/* The texts of columns: names, paths and folded stacks, as UTF-8. */
#include "batch/batch.h"

#include "base/text.h"

#include <string.h>

static void put_bytes(struct batch_out *out, const char *bytes, size_t size)
{
	out->full |= size > out->most - out->text.size;
	if (!out->full)
		gsym_emit_bytes(&out->text, bytes, size);
}

/* Copy TEXT, a string of a file, to OUT->own.  Returns the copy; "" without
 * memory. */
static const char *take(struct batch_out *out, const char *text)
{
	out->own.size = 0;
	gsym_emit_bytes(&out->own, text, strlen(text));
	gsym_emit_u8(&out->own, 0);
	return out->own.failed ? "" : (const char *)out->own.data;
}

/* Append TEXT, which take returned, with U+FFFD for each byte that is not
 * UTF-8. */
static void put_text(struct batch_out *out, const char *text)
{
	const char *at = text;

	while (*at) {
		size_t length = gsym_utf8_length(at, 4);

		if (length) {
			at += length;
			continue;
		}
		put_bytes(out, text, (size_t)(at - text));
		put_bytes(out, "\xef\xbf\xbd", 3);
		text = ++at;
	}
	put_bytes(out, text, (size_t)(at - text));
}

void gsym_batch_put_function(struct batch_out *out,
			     const struct gsym_frame *frames, size_t count)
{
	if (count)
		put_text(out, take(out, frames->function));
}

/* What joins DIRECTORY and a base name: nothing if DIRECTORY is empty or ends
 * with a separator. */
static const char *separator_of(const char *directory)
{
	size_t length = strlen(directory);
	char last = length ? directory[length - 1] : '/';

	if (last == '/')
		return "";
	if (strchr(directory, '/') || !strchr(directory, '\\'))
		return "/";
	return last == '\\' ? "" : "\\";
}

void gsym_batch_put_file(struct batch_out *out, const struct gsym_frame *frames,
			 size_t count)
{
	const char *directory, *separator;

	if (!count)
		return;
	directory = take(out, frames->directory);
	separator = separator_of(directory);
	put_text(out, directory);
	put_text(out, separator);
	put_text(out, take(out, frames->basename));
}

/* Append \xNN for each of LENGTH bytes at AT. */
static void put_hex(struct batch_out *out, const char *at, size_t length)
{
	static const char digits[] = "0123456789abcdef";

	for (; length; length--, at++) {
		unsigned char c = (unsigned char)*at;
		char hex[4] = { '\\', 'x', digits[c >> 4], digits[c & 15] };

		put_bytes(out, hex, sizeof(hex));
	}
}

/* Append the character at AT, of LENGTH bytes (0: the byte is not UTF-8), so
 * that it separates neither frames nor lines. */
static void put_escaped(struct batch_out *out, const char *at, size_t length)
{
	unsigned char c = (unsigned char)*at;

	if (!length)
		put_bytes(out, "\xef\xbf\xbd", 3);
	else if (c == ';')
		put_bytes(out, ":", 1);
	else if (c == '\\')
		put_bytes(out, "\\\\", 2);
	else if (c == '\t')
		put_bytes(out, "\\t", 2);
	else if (c == '\n')
		put_bytes(out, "\\n", 2);
	else if (c == '\r')
		put_bytes(out, "\\r", 2);
	else if (gsym_utf8_harmful(at, length))
		put_hex(out, at, length);
	else
		put_bytes(out, at, length);
}

void gsym_batch_put_folded(struct batch_out *out,
			   const struct gsym_frame *frames, size_t count)
{
	while (count-- > 0) {
		const char *name = take(out, frames[count].function);

		if (!*name)
			name = "??";
		while (*name) {
			size_t length = gsym_utf8_length(name, 4);

			put_escaped(out, name, length);
			name += length ? length : 1;
		}
		if (count)
			put_bytes(out, ";", 1);
	}
}

void gsym_batch_put_leaf(struct batch_out *out, const struct gsym_frame *frames,
			 size_t count)
{
	gsym_batch_put_folded(out, frames, count ? 1 : 0);
}
