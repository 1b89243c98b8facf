/* SPDX-License-Identifier: MIT */
/*
 * filter/read.h - reads the frames and facts of lines, each line once, in
 * the order of the log.  Knows the line and what is kept of the lines before;
 * neither symbols nor what becomes of the line.
 */
#ifndef GSYM_FILTER_READ_H
#define GSYM_FILTER_READ_H

#include "markup/line.h"

/** Frames of a piece of a line that are read, and frames of a line that get an
 *  answer. */
#define FILTER_ANSWERS GSYM_LIMIT(4096u, 1)
/** Frames and facts of a line that are read. */
#define FILTER_ITEMS GSYM_LIMIT(16384u, 4)
/** Bytes that are kept of a line; and how many lines are kept where lines name
 *  their process. */
enum { FILTER_BEFORE = 1024, FILTER_KEPT = 8 };

struct filter_reader {
	const struct gsym_markup_options *options;
	const struct mk_headers *headers;
	/** The dialects of OPTIONS. */
	struct logs_asked asked;
	/** What was read last: the items, the texts without wrappings that they
	 *  lie in, and the runs of the view. */
	struct filter_items {
		GSYM_VEC(struct mk_log_item);
	} items;
	struct mk_text unwrapped;
	struct logs_run runs[LOGS_RUNS];
	/** The last frame was in a line without a number before it, as lines of
	 *  source code have. */
	bool unnumbered;
	/** How many of the next lines are looked at whatever is in them. */
	unsigned attention;
	/** The last bytes of the lines before the one at hand, of which LAST is
	 *  the nearest: several where lines name their process. */
	struct filter_kept {
		char text[FILTER_BEFORE];
		size_t size;
		/** What the line says about a frame in the next one. */
		enum logs_signal signal;
	} before[FILTER_KEPT];
	unsigned last;
};

/** Make R, which is zeroed, ready.  OPTIONS and HEADERS outlive R. */
void gsym_filter_reader_init(struct filter_reader *r,
			     const struct gsym_markup_options *options,
			     const struct mk_headers *headers);
void gsym_filter_reader_fini(struct filter_reader *r);
/** The most lines that are kept. */
unsigned gsym_filter_most_kept(const struct filter_reader *r);
/** Keep the last of the SIZE bytes of the line AT, for frames in the lines
 *  behind it. */
void gsym_filter_keep(struct filter_reader *r, const char *at, size_t size);
/** Set READING of L, a whole line of PROCESS, unless L is READ.  Lines are read
 *  in the order of the log.  Lines with an element, and very long ones, have no
 *  items.  The items are valid until the next line is read.  False: memory ran
 *  out, and some items may lack. */
bool gsym_filter_read(struct filter_reader *r, struct mk_line *l,
		      struct logs_text process);

#endif
