/* SPDX-License-Identifier: MIT */
/*
 * out.h - texts in and out: buffered output to a file descriptor or to memory,
 * numbers as people write them, and JSON.
 *
 * Output is made for millions of short pieces: it takes no locks, and format
 * strings only in out_printf.  If the reader of a pipe has gone, writing ends
 * the tool as SIGPIPE does.  All other failures to write are a message and
 * STATUS_ERROR.  A program that writes a line to a tool and waits for the
 * answer gets it before the tool waits for more: see out_read_input.
 */
#ifndef TOOLS_COMMON_OUT_H
#define TOOLS_COMMON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/bytes16.h"
#include "base/text.h"

/** The size of the buffer in bytes. */
#define OUT_CAPACITY (256u << 10)
/** The most bytes that out_reserve may be asked for. */
#define OUT_RESERVE 32768u

/** An output. */
struct out {
	/** -1: the output stays in memory. */
	int fd;
	/** The output in messages: "standard output". */
	const char *name;
	/** Failures to write are ignored. */
	bool may_fail;
	/** Escape sequences for colour are written. */
	bool colour;
	char *buffer;
	size_t used, capacity;
	/** Bytes that are no longer in the buffer; not 0: the most of them, and
	 *  the message if there are more. */
	uint64_t written, limit;
	const char *limit_message;
	/** In memory: the value of USED at the last out_mark, and whether the
	 *  bytes after it did not fit. */
	size_t mark;
	bool overflow;
};

/** When to use colour.  OUT_COLOUR_AUTO: on a terminal, unless TERM is
 *  "dumb" or not set, or NO_COLOR is set and not empty. */
enum out_colour { OUT_COLOUR_AUTO, OUT_COLOUR_ALWAYS, OUT_COLOUR_NEVER };
/** Their words, for options, up to a NULL. */
extern const char *const out_colours[];

/** Open an output to FD, which messages call NAME.  Dies if memory runs
 *  out. */
void out_init(struct out *out, int fd, const char *name,
	      enum out_colour colour);
/** The most bytes that an output in memory holds.  Marks must lie in the
 *  first half. */
#define OUT_MEMORY ((size_t)128 << 20)

/** Open an output in memory.  Dies if memory runs out. */
void out_init_memory(struct out *out, bool colour);
/** Begin a piece of an output in memory; see out_keep. */
static inline void out_mark(struct out *out)
{
	out->mark = out->used;
	out->overflow = false;
}
/** End the piece that out_mark began.  Returns false, and drops the piece, if
 *  it did not fit in memory. */
static inline bool out_keep(struct out *out)
{
	if (out->overflow)
		out->used = out->mark;
	return !out->overflow;
}
/** Write the contents of the buffer and free it. */
void out_fini(struct out *out);
/** Write the contents of the buffer. */
void out_flush(struct out *out);
/** Have FUNCTION called before the tool ends because the reader of its
 *  output has gone; functions registered with atexit are not called then. */
void out_before_pipe(void (*function)(void));
/** Make room in the buffer for OUT_RESERVE bytes: write its contents, or, in
 *  memory, enlarge it.  For out_reserve. */
void out_make_room(struct out *out);

/** Room for COUNT (at most OUT_RESERVE) bytes, to be written by the caller;
 *  out_take then says how many were written. */
static inline char *out_reserve(struct out *out, size_t count)
{
	if (out->capacity - out->used < count)
		out_make_room(out);
	return out->buffer + out->used;
}

/** Die with MESSAGE once OUT has more than MOST bytes.  Small hostile files can
 *  ask for outputs of any size: see doc/reliability.md, "Budgets". */
static inline void out_limit(struct out *out, uint64_t most,
			     const char *message)
{
	out->limit = most;
	out->limit_message = message;
}

/** The bytes of the output so far. */
static inline uint64_t out_total(const struct out *out)
{
	return out->written + out->used;
}

/** Count COUNT bytes, written to the room of out_reserve, as output. */
static inline void out_take(struct out *out, size_t count)
{
	out->used += count;
}

/** Write COUNT bytes that may not fit into the buffer.  For out_bytes. */
void out_more_bytes(struct out *out, const void *bytes, size_t count);

/** Write COUNT bytes. */
static inline void out_bytes(struct out *out, const void *bytes, size_t count)
{
	if (count < OUT_RESERVE && count <= out->capacity - out->used) {
		memcpy(out->buffer + out->used, bytes, count);
		out->used += count;
	} else {
		out_more_bytes(out, bytes, count);
	}
}

/** Write TEXT unchanged.  For text from files see out_foreign. */
static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/** Whether one of BYTES is no printable character of ASCII or, with JSON, one
 *  that JSON escapes. */
static inline bool out_is_special(gsym_bytes16 bytes, bool json)
{
	gsym_bytes16 special = (gsym_bytes16)(bytes < 0x20) |
			       (gsym_bytes16)(bytes >= 0x7f);
	if (json)
		special |= (gsym_bytes16)(bytes == '"') |
			   (gsym_bytes16)(bytes == '\\');
	return gsym_bytes16_any(special);
}

/** The number of bytes at TEXT, which has LENGTH, before the first of those. */
static inline size_t out_plain_run(const void *text, size_t length, bool json)
{
	const unsigned char *at = text;
	size_t i = 0;
	while (length - i >= sizeof(gsym_bytes16) &&
	       !out_is_special(*(const gsym_bytes16 *)(at + i), json))
		i += sizeof(gsym_bytes16);
	if (length - i < sizeof(gsym_bytes16) &&
	    !out_is_special(gsym_bytes16_load_end(text, i, length), json))
		return length;
	while (i < length && at[i] >= 0x20 && at[i] < 0x7f &&
	       !(json && (at[i] == '"' || at[i] == '\\')))
		i++;
	return i;
}

/** Write TEXT that comes from a file.  The bytes of characters that could end
 *  the line, control the terminal or turn text around (gsym_utf8_harmful)
 *  appear as \xNN; all other bytes are unchanged.  Each text for people goes
 *  through this function, whether the output is a terminal or not. */
void out_foreign(struct out *out, const char *text);
/** Like out_foreign, for LENGTH bytes. */
void out_foreign_bytes(struct out *out, const char *text, size_t length);

/** Write VALUE in hexadecimal digits, with 0x in front. */
void out_hex(struct out *out, uint64_t value);
/** Write two hexadecimal digits for each of the SIZE bytes at BYTES. */
void out_hex_bytes(struct out *out, const uint8_t *bytes, size_t size);
/** Write VALUE in decimal digits. */
void out_decimal(struct out *out, uint64_t value);
/** Write TEXT, then VALUE in decimal digits. */
static inline void out_number(struct out *out, const char *text,
			      uint64_t value)
{
	out_text(out, text);
	out_decimal(out, value);
}

/** As out_decimal, for a VALUE that may be negative. */
static inline void out_signed(struct out *out, int64_t value)
{
	if (value < 0)
		out_text(out, "-");
	out_decimal(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/** Write formatted text, cut off after OUT_RESERVE - 1 bytes.  Slow: not for
 *  hot paths. */
void out_printf(struct out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Switch to bold, to dim, or back to plain text.  Without colour these do
 *  nothing. */
static inline void out_face(struct out *out, char face)
{
	const char escape[] = { '\033', '[', face, 'm' };
	if (out->colour)
		out_bytes(out, escape, sizeof(escape));
}
#define out_bold(out) out_face(out, '1')
#define out_dim(out) out_face(out, '2')
#define out_plain(out) out_face(out, '0')

/** Write TEXT, but at most LIMIT (0: all) characters of it, as text of HTML and
 *  XML; also for the values of attributes in double quotes.  Bytes that are no
 *  UTF-8, and characters that are not allowed in a page, become U+FFFD. */
void out_html(struct out *out, const char *text, size_t limit);
/** Write the LINES of a file that the build has made an array of. */
void out_lines(struct out *out, const char *const *lines);
/** Write the SIZE bytes of JSON at TEXT so that they neither end the script
 *  element nor start a comment. '<' occurs only in strings of JSON, so it can
 *  be written as an escape. */
void out_script_data(struct out *out, const char *text, size_t size);

/** Write COUNT bytes to FD; interrupted and short writes are continued.
 *  Returns false, with errno set, on failure. */
bool out_write_all(int fd, const void *bytes, size_t count);

/** Append what the open file FROM still holds, MOST bytes at most, to the file
 *  FD, and flush FD.  Returns false if there is more, or on failure. */
bool out_copy(int fd, int from, uint64_t most);

/** Whether a read of standard input would not block, or will not within
 *  MILLISECONDS. */
bool out_input_wait(int milliseconds);
/** Whether a read of standard input would not block. */
static inline bool out_input_ready(void)
{
	return out_input_wait(0);
}
/** Read up to SIZE bytes of standard input to TO.  Before this waits for input,
 *  the answers in OUT are written.  Returns the number of bytes, 0 at the end
 *  of the input, or -1 with errno set. */
ssize_t out_read_input(struct out *out, char *to, size_t size);

/* ---- numbers ------------------------------------------------------------- */

/*
 * Numbers that begin with 0x are hexadecimal, others are bare.  A bare number
 * is decimal, but if it is an address, it is hexadecimal
 *  - if it has a digit from a to f, or
 *  - if zeros pad it to 8 or 16 digits, as in the output of nm.
 * There are no octal numbers.
 */

/** A number, or the reason why a text is no number. */
enum number_result {
	NUMBER_OK,
	NUMBER_EMPTY,
	NUMBER_BAD,     /**< has characters that no number has */
	NUMBER_BARE,    /**< hexadecimal digits without 0x */
	NUMBER_RANGE,   /**< more than 64 bits */
};

/** Read the LENGTH bytes at TEXT as a number, with no blank or sign.  *VALUE
 *  is set only if the result is NUMBER_OK. */
enum number_result number_parse(const char *text, size_t length,
				uint64_t *value);
/** Like number_parse, for an address.  HEX: every bare number is
 *  hexadecimal.  The result is never NUMBER_BARE. */
enum number_result number_parse_address(const char *text, size_t length,
					bool hex, uint64_t *value);
/** The base of the address in the LENGTH bytes at TEXT, by the first rules
 *  above: 10 or 16. */
unsigned number_address_base(const char *text, size_t length);
/** The reason why a text with RESULT is no address: "not an address: ..."; NULL
 *  for NUMBER_OK. */
const char *number_problem(enum number_result result);

/** Read bytes, such as a build ID, from hexadecimal digits: TEXT becomes bytes
 *  at TO, which has room for CAPACITY.  Returns the number of bytes; 0 if TEXT
 *  is empty, has other characters, an odd length, or more than CAPACITY
 *  bytes. */
size_t number_parse_bytes(const char *text, uint8_t *to, size_t capacity);

/** The most bytes that number_grouped writes. */
enum { NUMBER_GROUPED = GSYM_NUMBER_MAX + GSYM_NUMBER_MAX / 3 };
/** Write VALUE to TO in decimal digits, with commas: 1,234.  Returns the number
 *  of characters. */
size_t number_grouped(char *to, uint64_t value);

/* ---- JSON (json.c) ------------------------------------------------------- */

/*
 * JSON is written piece by piece, without building a tree.
 *
 *	json_object(&json, NULL);
 *	json_string(&json, "name", "main");
 *	json_number(&json, "size", 12);
 *	json_end(&json);
 *	json_line(&json);
 *
 * The output is always valid UTF-8.  Each byte that is not part of a
 * well-formed UTF-8 sequence becomes U+FFFD, written as \ufffd.  Control
 * characters (C0, DEL, C1), marks that change the direction of text and the
 * line separators U+2028 and U+2029 are escaped, so that every reader sees an
 * object on one line, and a terminal no more than text.
 */

/** The most objects and arrays that may be open at once. */
#define JSON_MAX_DEPTH 32

/** The output, and the open objects and arrays. */
struct json {
	struct out *out;
	unsigned depth;
	/** A bit for each open level: set if it has a member already, and if
	 *  it is an array. */
	uint32_t filled, arrays;
	/** Each member is on a line of its own, indented; false after
	 *  json_init. */
	bool pretty;
};

/** Begin writing to OUT, which must outlive JSON. */
void json_init(struct json *json, struct out *out);

/** Each of these functions writes one member called NAME; NAME is NULL in
 *  arrays and outside of all objects.  Objects and arrays stay open until
 *  json_end. */
void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
void json_string(struct json *json, const char *name, const char *value);
/** SIZE bytes of TEXT as a string; they may contain NUL. */
void json_text(struct json *json, const char *name, const char *text,
	       size_t size);
void json_number(struct json *json, const char *name, uint64_t value);
/** As json_number, for a VALUE that may be negative. */
void json_signed(struct json *json, const char *name, int64_t value);
/** VALUE, which is finite, with up to ten digits. */
void json_real(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/** VALUE as a string, "0x1f": readers that know only doubles would round a
 *  number. */
void json_hex(struct json *json, const char *name, uint64_t value);
/** COUNT BYTES as a string.  Bytes that are not part of valid UTF-8 become
 *  the characters U+0080 to U+00FF with their values.  Returns false if there
 *  are such bytes. */
bool json_data(struct json *json, const char *name, const uint8_t *bytes,
	       size_t count);
/** COUNT BYTES as a string of hexadecimal digits. */
void json_bytes(struct json *json, const char *name, const uint8_t *bytes,
		size_t count);
/** The path of a file: DIRECTORY and BASENAME joined. */
void json_path(struct json *json, const char *name, const char *directory,
	       const char *basename);

/** SIZE bytes of TEXT, a JSON value on one line.  Inside of its strings the
 *  characters are escaped that json_text escapes. */
void json_raw(struct json *json, const char *text, size_t size);

/** Close the innermost open object or array. */
void json_end(struct json *json);
/** End the line; no object or array may be open. */
void json_line(struct json *json);
/** Close the last open object, and end the line. */
void json_end_line(struct json *json);

/** Write LENGTH bytes of TEXT, escaped, without quotes around them. */
void json_escape(struct out *out, const char *text, size_t length);
/** The same for the path of DIRECTORY and BASENAME. */
void json_escape_path(struct out *out, const char *directory,
		      const char *basename);
/** Write LENGTH BYTES, escaped as by json_data, without quotes around them.
 *  Returns false if some are not valid UTF-8. */
bool json_escape_bytes(struct out *out, const uint8_t *bytes, size_t length);

#endif /* TOOLS_COMMON_OUT_H */
