/* SPDX-License-Identifier: MIT */
/*
 * crashes.h - the crashes of a log, each once: collected by crashes.c, written
 * by crashout.c.
 */
#ifndef TOOLS_MARKUP_CRASHES_H
#define TOOLS_MARKUP_CRASHES_H

#include "markup/markup.h"

/** A function on the stack of a crash. */
struct crash_frame {
	/** Strings of the symbols, which live as long as the filter; FUNCTION
	 *  is a linkage name, "" if it is not known. */
	const char *function, *directory, *basename;
	uint32_t line;
	/** The base name of the module; "" if it is not known. */
	const char *module;
	/** The function was inlined into that of the next frame. */
	bool inlined;
	/** The signature does not depend on this frame. */
	bool skipped;
};

/** A crash that happened once or more. */
struct crash {
	uint64_t signature;
	/** What a sanitizer calls it, and the name of the sanitizer; NULL: no
	 *  sanitizer reported it. */
	char *kind, *tool;
	uint64_t count, first_line, last_line;
	/** The stack of the first time. */
	struct crash_frame *frames;
	size_t frame_count;
};

struct crashes;

/** KERNEL: look for reports of the Linux kernel, too. */
struct crashes *crashes_new(bool kernel);
void crashes_free(struct crashes *c);
/** Look for reports of sanitizers in the first of the next SIZE bytes of the
 *  log.  Returns how many bytes it looked at, at least 1 of them: the filter
 *  gets these before the next call. */
size_t crashes_scan(struct crashes *c, const char *bytes, size_t size);
/** A callback of the filter, with a struct markup as CONTEXT. */
void crashes_frame(void *context, const struct gsym_markup_stack_frame *frame);
/** The log has ended.  The crashes are sorted by their counts; *LOST is the
 *  number of stack traces for which there was no room. */
const struct crash *crashes_end(struct crashes *c, size_t *count,
				uint64_t *lost);

/** Write all crashes in the form that --crashes names. */
void markup_write_crashes(struct markup *m);

#endif /* TOOLS_MARKUP_CRASHES_H */
