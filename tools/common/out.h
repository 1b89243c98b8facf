/* SPDX-License-Identifier: MIT */
/*
 * out.h - buffered output to a file descriptor, made for millions of short
 * pieces: no locks, no format strings unless asked for.  It knows what to do
 * when writing fails: a reader that went away ends the tool as SIGPIPE does,
 * anything else is a message and STATUS_ERROR.  It never knows what is
 * written.
 */
#ifndef TOOLS_COMMON_OUT_H
#define TOOLS_COMMON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Bytes that are collected before they are written. */
#define OUT_CAPACITY (256u << 10)
/** The most that one out_reserve may ask for. */
#define OUT_RESERVE 32768u

struct out {
	/** -1: kept in memory. */
	int fd;
	/** For messages: "standard output". */
	const char *name;
	/** What cannot be written is lost without a word. */
	bool may_fail;
	/** Escape sequences for colour may be used. */
	bool colour;
	char *buffer;
	size_t used, capacity;
	/** In memory: where out_mark was, and whether what came behind did
	 *  not fit. */
	size_t mark;
	bool overflow;
};

/** When to use colour. */
enum out_colour { OUT_COLOUR_AUTO, OUT_COLOUR_ALWAYS, OUT_COLOUR_NEVER };

/** Start writing to FD.  In the automatic mode colour is on if FD is a
 *  terminal that can do it and NO_COLOR is not set. */
void out_init(struct out *out, int fd, const char *name,
	      enum out_colour colour);
/** Bytes that are kept in memory at most; marks have to lie in the first
 *  half. */
#define OUT_MEMORY (64u << 20)

/** Start collecting in memory what out_join will add to another output, with
 *  or without colour. */
void out_init_memory(struct out *out, bool colour);
/** Begin a piece that can be taken back. */
static inline void out_mark(struct out *out)
{
	out->mark = out->used;
	out->overflow = false;
}
/** End it: false if it did not fit in memory, and is gone. */
static inline bool out_keep(struct out *out)
{
	if (out->overflow)
		out->used = out->mark;
	return !out->overflow;
}
/** Add what PART, which is in memory, has collected, and empty it. */
void out_join(struct out *out, struct out *part);
/** Write what is there, and free.  No more output may follow. */
void out_fini(struct out *out);
/** Write what is there. */
void out_flush(struct out *out);
/** Have FUNCTION called before SIGPIPE ends the program, because nobody reads
 *  any output: functions of atexit are not called then. */
void out_before_pipe(void (*function)(void));
/** Write what is there, or, in memory, make the buffer larger. */
void out_make_room(struct out *out);

/** A place for COUNT (at most OUT_RESERVE) bytes; out_take says how many of
 *  them were used. */
static inline char *out_reserve(struct out *out, size_t count)
{
	if (out->capacity - out->used < count)
		out_make_room(out);
	return out->buffer + out->used;
}

static inline void out_take(struct out *out, size_t count)
{
	out->used += count;
}

/** Write COUNT bytes. */
void out_bytes(struct out *out, const void *bytes, size_t count);

/** Write a text of ours, as it is. */
static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/** Write a text from a file: control characters, which could end the line
 *  or play tricks on a terminal, appear as \xNN; all other bytes as they
 *  are, whatever the encoding. */
void out_foreign(struct out *out, const char *text);
/** The same for LENGTH bytes. */
void out_foreign_bytes(struct out *out, const char *text, size_t length);

/** Numbers; hexadecimal ones have 0x in front. */
void out_hex(struct out *out, uint64_t value);
void out_decimal(struct out *out, uint64_t value);

/** Formatted output, up to OUT_RESERVE bytes; not for hot paths. */
void out_printf(struct out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Switch a colour on and off; nothing without colour. */
void out_bold(struct out *out);
void out_dim(struct out *out);
void out_plain(struct out *out);

/** Write COUNT bytes to FD, through interruptions and short writes.  False,
 *  with errno set, if that is not possible. */
bool out_write_all(int fd, const void *bytes, size_t count);

#endif /* TOOLS_COMMON_OUT_H */
