/* SPDX-License-Identifier: MIT */
/*
 * breakpad/text.h - lines, fields and numbers of the text of a symbol file.
 * Knows no record.
 */
#ifndef GSYM_BREAKPAD_TEXT_H
#define GSYM_BREAKPAD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A part of the text: [AT, END). */
struct bp_text {
	const char *at;
	const char *end;
};

static inline size_t bp_length(struct bp_text text)
{
	return (size_t)(text.end - text.at);
}

/** Step over the UTF-8 byte order mark at the start of TEXT, if there is
 * one. */
static inline void bp_skip_utf8_mark(struct bp_text *text)
{
	if (bp_length(*text) >= 3 && !memcmp(text->at, "\xef\xbb\xbf", 3))
		text->at += 3;
}

/** Remove the next line, which may be empty, from TEXT. *LINE is the line
 *  without its end and trailing blanks.  CARRIAGES: lines may end with CR.
 *  False after the last line. */
static inline bool bp_next_line(struct bp_text *text, struct bp_text *line,
				bool carriages)
{
	const char *feed, *carriage;

	if (text->at == text->end)
		return false;
	line->at = text->at;
	feed = memchr(text->at, '\n', bp_length(*text));
	line->end = feed ? feed : text->end;
	text->at = feed ? feed + 1 : text->end;
	carriage = carriages ? memchr(line->at, '\r', bp_length(*line)) : NULL;
	if (carriage) {
		const char *next = carriage;

		while (next < line->end && *next == '\r')
			next++;
		if (next < line->end) /* a CR without LF ends a line, too */
			text->at = next;
		line->end = carriage;
	}
	while (line->end > line->at &&
	       (line->end[-1] == ' ' || line->end[-1] == '\t'))
		line->end--;
	return true;
}

static inline void bp_skip_blanks(struct bp_text *line)
{
	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
}

/** Remove the next field from LINE and return it; an empty text after the last
 * field. */
static inline struct bp_text bp_field(struct bp_text *line)
{
	struct bp_text field;

	bp_skip_blanks(line);
	field.at = line->at;
	while (line->at < line->end && *line->at != ' ' && *line->at != '\t')
		line->at++;
	field.end = line->at;
	return field;
}

/** Remove the rest of LINE without leading blanks, such as a name, and return
 * it. */
static inline struct bp_text bp_rest(struct bp_text *line)
{
	struct bp_text rest;

	bp_skip_blanks(line);
	rest = *line;
	line->at = line->end;
	return rest;
}

/** Returns true if TEXT is WORD. */
static inline bool bp_is(struct bp_text text, const char *word)
{
	size_t length = strlen(word);

	return bp_length(text) == length && !memcmp(text.at, word, length);
}

/** Read FIELD as a number.  False if FIELD is no number, or if the number is
 * too large. */
bool gsym_bp_hex(struct bp_text field, uint64_t *ret); /**< below 2^64 - 1 */
bool gsym_bp_decimal(struct bp_text field, uint32_t *ret);
/** As gsym_bp_decimal, but the number may have a minus sign. */
bool gsym_bp_signed(struct bp_text field, int64_t *ret);

#endif
