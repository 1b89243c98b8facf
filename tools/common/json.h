/* SPDX-License-Identifier: MIT */
/*
 * json.h - JSON as it comes, without a tree.
 *
 *	json_object(&json, NULL);
 *	json_string(&json, "name", "main");
 *	json_number(&json, "size", 12);
 *	json_end(&json);
 *	json_line(&json);
 *
 * Strings: what comes out is always valid UTF-8.  Each byte that is not part
 * of a well-formed UTF-8 sequence becomes U+FFFD, written as \ufffd; control
 * characters (C0, DEL, C1) and the line separators U+2028 and U+2029 are
 * escaped as well, so that one object stays on one line for every reader.
 * It knows commas and escapes and never what the members mean.
 */
#ifndef TOOLS_COMMON_JSON_H
#define TOOLS_COMMON_JSON_H

#include "common/out.h"

/** Levels of objects and arrays that may be open at once. */
#define JSON_MAX_DEPTH 32

struct json {
	struct out *out;
	unsigned depth;
	/** One bit a level: it has a member; it is an array. */
	uint32_t filled, arrays;
};

void json_init(struct json *json, struct out *out);

/** Members; NAME is NULL inside arrays and at the top. */
void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
void json_string(struct json *json, const char *name, const char *value);
/** SIZE bytes as a string; they may hold NUL. */
void json_text(struct json *json, const char *name, const char *text,
	       size_t size);
void json_number(struct json *json, const char *name, uint64_t value);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/** VALUE as a string, "0x1f": as a number it would lose its low bits in
 *  readers that know doubles alone. */
void json_hex(struct json *json, const char *name, uint64_t value);
/** COUNT bytes as a string, those that are no UTF-8 as the characters with
 *  their numbers; false if there are such. */
bool json_data(struct json *json, const char *name, const uint8_t *bytes,
	       size_t count);
/** COUNT bytes as a string of hexadecimal digits. */
void json_bytes(struct json *json, const char *name, const uint8_t *bytes,
		size_t count);
/** A file, joined from DIRECTORY and BASENAME. */
void json_path(struct json *json, const char *name, const char *directory,
	       const char *basename);

/** End the object or array that was opened last. */
void json_end(struct json *json);
/** End the line, outside of every object. */
void json_line(struct json *json);

/** The characters of a string, escaped, without quotes. */
void json_escape(struct out *out, const char *text, size_t length);
/** The same for json_data. */
bool json_escape_bytes(struct out *out, const uint8_t *bytes, size_t length);

#endif /* TOOLS_COMMON_JSON_H */
