/* SPDX-License-Identifier: MIT */
/* lookup/stream_line.c - reads a line of gsym-lookup --stream. */
#include "config.h"

#include <string.h>

#include "common/number.h"
#include "lookup/stream.h"

/* A field of a line. */
struct field {
	const char *text;
	size_t length;
};

/* Take the first field of the text from *AT to END, which a tab or a blank
 * ends, and move *AT to the next field.  The separator is one tab, or all
 * blanks that follow one another.  *SEPARATED: there was a separator. */
static struct field take_field(const char **at, const char *end,
			       bool *separated)
{
	const char *text = *at, *stop = text;

	while (stop < end && *stop != '\t' && *stop != ' ')
		stop++;
	*separated = stop < end;
	*at = stop;
	if (stop < end && *stop == '\t')
		++*at;
	else
		while (*at < end && **at == ' ')
			++*at;
	return (struct field){ text, (size_t)(stop - text) };
}

/* Read the build ID F to LINE.  Returns NULL, or what is wrong with it. */
static const char *read_id(struct field f, struct stream_line *line)
{
	if (!f.length)
		return "there is no build ID";
	if (f.length % 2)
		return "not a build ID: the number of digits is odd";
	if (f.length > 2 * sizeof(line->id))
		return "not a build ID: more than 128 digits";
	for (size_t i = 0; i < f.length; i += 2) {
		unsigned high = number_digit(f.text[i]);
		unsigned low = number_digit(f.text[i + 1]);

		if (high > 15 || low > 15)
			return "not a build ID: it is not hexadecimal";
		line->id[i / 2] = (uint8_t)(high << 4 | low);
	}
	line->id_size = f.length / 2;
	return NULL;
}

/* Read the address F to LINE.  Engines without unsigned numbers write kernel
 * addresses as negative decimal numbers.  Returns NULL, or what is wrong with
 * it. */
static const char *read_address(struct field f, bool hex,
				struct stream_line *line)
{
	uint64_t size;

	if (!f.length)
		return "there is no address";
	if (f.text[0] != '-')
		return number_problem(number_parse_address(
			f.text, f.length, hex, &line->address));
	/* "-0x10" is not a decimal number. */
	for (size_t i = 1; i < f.length; i++)
		if (f.text[i] < '0' || f.text[i] > '9')
			return "not an address";
	if (number_parse(f.text + 1, f.length - 1, &size) != NUMBER_OK ||
	    !size || size > (uint64_t)1 << 63)
		return "not an address: not from -1 to -9223372036854775808";
	line->address = 0 - size;
	return NULL;
}

void stream_parse(const char *text, size_t length, bool keys, bool hex,
		  struct stream_line *line)
{
	const char *end = text + length;
	struct field id, address;
	bool separated;

	*line = (struct stream_line){ .key = end };
	if (length > STREAM_LINE_MAX) {
		line->problem = "the line is longer than 64 KiB";
		return;
	}
	if (length && end[-1] == '\r')
		line->key = --end;
	id = take_field(&text, end, &separated);
	address = take_field(&text, end, &separated);
	if (keys && separated) {
		line->key = text;
		line->key_size = (size_t)(end - text);
	}
	line->problem = read_id(id, line);
	if (!line->problem)
		line->problem = read_address(address, hex, line);
	if (!line->problem && !keys && text < end)
		line->problem = "text after the address, without --keys";
}
