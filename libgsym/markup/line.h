/* SPDX-License-Identifier: MIT */
/*
 * markup/line.h - a line of the log: its bytes, its number, and the frames and
 * facts that were read of it.
 */
#ifndef GSYM_MARKUP_LINE_H
#define GSYM_MARKUP_LINE_H

#include "logs/unwrap.h"
#include "markup/text.h"

struct mk_process;

/** A frame or a fact of a line. */
struct mk_log_item {
	bool is_frame;
	/** The frame or fact lies in a text without its wrappings; otherwise in
	 *  the line. */
	bool unwrapped;
	struct logs_raw raw;
	union {
		struct logs_frame frame;
		struct logs_fact fact;
	};
};

/** What is read of a line without markup: see filter/read.h, which says how
 *  long ITEMS are valid. */
struct mk_reading {
	/** Its frames and facts, in the order of the line. */
	struct mk_log_item *items;
	size_t count;
	/** The line has more frames than get answers, or more items than are
	 *  read. */
	bool crowded;
	/** The dialect for which a whole report in JSON ends the line, and the
	 *  place in the line where the report begins; NULL: there is none. */
	const struct logs_dialect *report_by;
	size_t report;
};

/** The line at hand, or a piece of a line that is too long to keep.  Its bytes
 *  and its process are valid while it is at hand. */
struct mk_line {
	/** Its number in the log, from 1 on.  Of lines that are passed on in
	 *  one piece, that of the last one. */
	uint64_t number;
	/** When it came, by the host's clock; of a line that was in the queue,
	 *  when it became the line at hand. */
	uint64_t came;
	/** The process that it comes from; that of the line before if there was
	 *  no memory for it. */
	struct mk_process *process;
	/** The line without its end. */
	const char *at;
	size_t size;
	/** "\n", "\r\n" or "". */
	const char *ending;
	bool crlf;
	/** It is the first, and the last, piece of its line. */
	bool first, final;
	/** A part of it was written already. */
	bool continued;
	/** Size of its header; SIZE_MAX: not searched yet. */
	size_t header;
	/** Where the text in front of the element at hand starts. */
	const char *before;
	/** READ: the frames and facts of the line are in READING. */
	bool read;
	struct mk_reading reading;
	/** Fuchsia's style: a frame of the line was shown. */
	bool framed;
	/** An element has ended in the line whose first line is written up to
	 *  the element: see WITHIN of struct mk_page. */
	bool within;
};

/** The line end for lines of the output that belong to L. */
static inline const char *mk_newline(const struct mk_line *l)
{
	return l->crlf ? "\r\n" : "\n";
}

#endif
