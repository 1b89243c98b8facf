/* SPDX-License-Identifier: MIT */
/*
 * personality/request.c - reads the lines that clients send.  Any bytes may
 * come, NUL included: every line becomes a request.
 */
#include "config.h"

#include <string.h>

#include "base/system.h"
#include "base/text.h"
#include "common/out.h"
#include "personality/personality.h"

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Read the digits at the beginning of TEXT.  *VALUE becomes all ones if they
 * have more than 64 bits, and *FITS false.  Returns their number. */
static size_t read_digits(struct text text, unsigned base, uint64_t *value,
			  bool *fits)
{
	const char *end = text.bytes + text.length;
	return (size_t)(gsym_number(text.bytes, end, base, value, fits) -
			text.bytes);
}

static struct text skip(struct text text, size_t count)
{
	return (struct text){ text.bytes + count, text.length - count };
}

static struct text skip_blanks(struct text text)
{
	while (text.length && is_blank(text.bytes[0]))
		text = skip(text, 1);
	return text;
}

/* Remove PREFIX, if TEXT begins with it. */
static bool skip_prefix(struct text *text, const char *prefix)
{
	size_t length = strlen(prefix);
	if (text->length < length || memcmp(text->bytes, prefix, length) != 0)
		return false;
	*text = skip(*text, length);
	return true;
}

/* Read the number at the beginning of TEXT by C's rules: 0x, 0b and 0o or 0 in
 * front choose the base.  *REST becomes how many bytes follow its digits. False
 * if there is no number, or it has more than 64 bits. */
static bool read_start(struct text text, uint64_t *value, size_t *rest)
{
	unsigned base = 10;
	bool fits;
	if (skip_prefix(&text, "0x") || skip_prefix(&text, "0X"))
		base = 16;
	else if (skip_prefix(&text, "0b") || skip_prefix(&text, "0B"))
		base = 2;
	else if (skip_prefix(&text, "0o"))
		base = 8;
	else if (text.length > 1 && skip_prefix(&text, "0"))
		base = 8;
	size_t digits = read_digits(text, base, value, &fits);
	*rest = text.length - digits;
	return digits && fits;
}

/* Read the number TEXT.  False if it is none, or has more than 64 bits. */
static bool read_number(struct text text, uint64_t *value)
{
	size_t rest;
	return read_start(text, value, &rest) && !rest;
}

/* Divide TEXT, NAME or NAME+OFFSET.  Without a number after the '+' all of TEXT
 * is the name. */
static void read_name(struct text text, struct request *ret)
{
	const char *plus = memrchr(text.bytes, '+', text.length);
	ret->place = PLACE_NAME;
	ret->name = text;
	ret->offset = 0;
	if (!plus || plus == text.bytes)
		return;
	size_t before = (size_t)(plus - text.bytes);
	if (read_number(skip(text, before + 1), &ret->offset))
		ret->name.length = before;
}

/* ---- addr2line ----------------------------------------------------------- */

/* Divide TEXT, NAME or NAME+OFFSET, as binutils does: the name ends before the
 * first '+', and an offset that is no number is 0. */
static void read_open_name(struct text text, struct request *ret)
{
	const char *plus = memchr(text.bytes, '+', text.length);
	size_t rest;
	ret->place = PLACE_NAME;
	ret->name = text;
	ret->offset = 0;
	if (!plus || plus == text.bytes)
		return;
	ret->name.length = (size_t)(plus - text.bytes);
	if (!read_start(skip(text, ret->name.length + 1), &ret->offset, &rest))
		ret->offset = 0;
}

void request_addr2line(const char *line, size_t length, struct request *ret)
{
	struct text text = skip_blanks((struct text){ line, length });
	uint64_t value;
	bool fits;
	size_t word = 0;

	*ret = (struct request){ .line = { line, length } };
	while (word < text.length && !is_blank(text.bytes[word]))
		word++;
	struct text number = text;
	if (!skip_prefix(&number, "0x"))
		skip_prefix(&number, "0X");
	size_t digits = read_digits(number, 16, &value, &fits);
	size_t used = text.length - number.length + digits;
	bool letter = word && gsym_digit(text.bytes[0]) > 9;
	if (digits) {
		ret->place = PLACE_ADDRESS;
		ret->address = value;
	}
	/* "+16" is 16 bytes after a name that is empty: an address, by C's
	 * rules. */
	if (skip_prefix(&text, "+")) {
		if (read_start(text, &ret->address, &word))
			ret->place = PLACE_ADDRESS;
		return;
	}
	/* "fade" is a number; "fade_in" may be a name or the number 0xfade;
	 * "fade+2" is a name. */
	if (letter && used < word) {
		ret->or_address = digits && text.bytes[used] != '+';
		read_open_name((struct text){ text.bytes, word }, ret);
	}
}

/* ---- LLVM ---------------------------------------------------------------- */

/* Take the first word of *TEXT, which may stand in quotes.  It is empty if
 * there is none, or if its quote does not end. */
static struct text take_word(struct text *text)
{
	struct text word = { text->bytes, 0 };
	*text = skip_blanks(*text);
	if (!text->length)
		return word;
	char quote = text->bytes[0];
	if (quote == '"' || quote == '\'') {
		const char *end = memchr(text->bytes + 1, quote,
					 text->length - 1);
		if (!end)
			return word;
		word.bytes = text->bytes + 1;
		word.length = (size_t)(end - word.bytes);
		*text = skip(*text, word.length + 2);
		return word;
	}
	word.bytes = text->bytes;
	while (word.length < text->length && text->bytes[word.length] != ' ')
		word.length++;
	*text = skip(*text, word.length);
	return word;
}

/* Take the name of the module.  Returns why there is none; NULL if there is
 * one. */
static const char *take_module(struct text *text, bool with_module,
			       struct request *ret)
{
	bool file = false;
	while (text->length) {
		*text = skip_blanks(*text);
		bool is_file = skip_prefix(text, "FILE:");
		if (!is_file && !skip_prefix(text, "BUILDID:"))
			break;
		if (file || ret->by_id)
			return "duplicate input file specification prefix";
		file = is_file;
		ret->by_id = !is_file;
	}
	if (!file && !ret->by_id && !with_module)
		return NULL;
	*text = skip_blanks(*text);
	if (!text->length && file)
		return "must be followed by an input file";
	if (!text->length && ret->by_id)
		return "must be followed by a hash";
	if (!with_module)
		return "input file has already been specified";
	ret->module = take_word(text);
	if (!ret->module.length)
		return file || ret->by_id
			       ? "unbalanced quotes in input file name"
			       : "no input filename has been specified";
	for (size_t i = 0; ret->by_id && i < ret->module.length; i++)
		if (gsym_digit(ret->module.bytes[i]) > 15) {
			ret->module.length = 0;
			ret->by_id = false;
			return "wrong format of build-id";
		}
	return NULL;
}

/* Read the place: the first word of TEXT. */
static const char *read_place(struct text text, bool hex, struct request *ret)
{
	struct text word = skip_blanks(text);
	bool fits;
	if (!word.length)
		return "no module offset has been specified";
	for (size_t i = 0; i < word.length; i++)
		if (is_blank(word.bytes[i])) {
			word.length = i;
			break;
		}
	bool begins = gsym_digit(word.bytes[0]) <= 9;
	struct text number = word;
	if (hex && !skip_prefix(&number, "+0x") && !skip_prefix(&number, "0x"))
		skip_prefix(&number, "0X");
	if (hex ? number.length && read_digits(number, 16, &ret->address,
					       &fits) == number.length && fits
		: read_number(number, &ret->address)) {
		ret->place = PLACE_ADDRESS;
		return NULL;
	}
	if (begins)
		return "expected a number as module offset";
	read_name(word, ret);
	return NULL;
}

void request_llvm(const char *line, size_t length, bool hex, bool with_module,
		  struct request *ret)
{
	struct text text = { line, length };
	*ret = (struct request){ .line = text };
	text = skip_blanks(text);
	if (skip_prefix(&text, "DATA "))
		ret->kind = REQUEST_DATA;
	else if (skip_prefix(&text, "FRAME "))
		ret->kind = REQUEST_FRAME;
	else
		skip_prefix(&text, "CODE ");
	ret->problem = take_module(&text, with_module, ret);
	if (!ret->problem)
		ret->problem = read_place(text, hex, ret);
}

void request_read(const struct settings *s, const char *line, size_t length,
		  struct request *ret)
{
	if (s->personality == PERSONALITY_ADDR2LINE)
		request_addr2line(line, length, ret);
	else
		request_llvm(line, length,
			     s->personality == PERSONALITY_LLVM_ADDR2LINE,
			     !s->path && !s->build_id, ret);
}
