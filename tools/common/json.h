/* SPDX-License-Identifier: MIT */
/*
 * json.h - writes JSON piece by piece, without building a tree.
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
 * object on one line, and a terminal no more than text.  It takes care of
 * commas and escapes; the meaning of the members is the caller's.
 */
#ifndef TOOLS_COMMON_JSON_H
#define TOOLS_COMMON_JSON_H

#include "common/out.h"

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

/** Write LENGTH bytes of TEXT, escaped, without quotes around them. */
void json_escape(struct out *out, const char *text, size_t length);
/** Write LENGTH BYTES, escaped as by json_data, without quotes around them.
 *  Returns false if some are not valid UTF-8. */
bool json_escape_bytes(struct out *out, const uint8_t *bytes, size_t length);

#endif /* TOOLS_COMMON_JSON_H */
