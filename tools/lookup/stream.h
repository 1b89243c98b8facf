/* SPDX-License-Identifier: MIT */
/*
 * lookup/stream.h - shared by the files of gsym-lookup --stream: how a line of
 * input is read, and how an answer is written.
 */
#ifndef TOOLS_LOOKUP_STREAM_H
#define TOOLS_LOOKUP_STREAM_H

#include "lookup/lookup.h"

enum {
	/** The most bytes of a line, without its line feed. */
	STREAM_LINE_MAX = 64 << 10,
	/** The most bytes of a build ID. */
	STREAM_ID_MAX = 64,
};

/** What an answer says about its line. */
enum stream_status {
	/** A function covers the address. */
	STREAM_OK,
	/** The line is not BUILD-ID ADDRESS [KEY]. */
	STREAM_BAD,
	/** No file with the build ID can be used. */
	STREAM_NO_FILE,
	/** No function covers the address. */
	STREAM_NONE,
	/** The record of the address is damaged. */
	STREAM_DAMAGED,
	/** The file with the build ID cannot be opened, for want of file
	 *  descriptors for example. */
	STREAM_UNREADABLE,
	STREAM_STATUSES,
};

/** A line of input. */
struct stream_line {
	/** NULL, or why the line is STREAM_BAD. */
	const char *problem;
	uint8_t id[STREAM_ID_MAX];
	size_t id_size;
	uint64_t address;
	/** The bytes after the second separator, in the input. */
	const char *key;
	size_t key_size;
};

/** Read the LENGTH bytes at TEXT, a line without its line feed.  KEYS: the line
 *  may have a third field.  HEX: numbers without 0x are hexadecimal.  All
 *  members of LINE are set, but ID, ID_SIZE and ADDRESS only if PROBLEM is
 *  NULL. */
void stream_parse(const char *text, size_t length, bool keys, bool hex,
		  struct stream_line *line);

/** Write the answer for COUNT FRAMES. */
void stream_answer(struct lookup *l, const struct gsym_frame *frames,
		   size_t count);
/** Write the answer for a line without frames.  WHY is for people. */
void stream_answer_empty(struct lookup *l, enum stream_status status,
			 const char *why);

#endif /* TOOLS_LOOKUP_STREAM_H */
