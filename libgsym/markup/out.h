/* SPDX-License-Identifier: MIT */
/*
 * markup/out.h - the output of a filter: text is collected, and complete lines
 * go to the host.  Knows no elements, modules or lines of the log.
 */
#ifndef GSYM_MARKUP_OUT_H
#define GSYM_MARKUP_OUT_H

#include <gsym/markup.h>

#include "markup/text.h"

struct gsym_mk_process;

/** Bytes of a message, with its NUL. */
#define GSYM_MK_MAX_MESSAGE 512

enum { GSYM_MK_NO_COLOUR = -1 };

/** What the SGR sequences of a line have set so far. */
struct gsym_mk_sgr {
	int colour; /**< 0 to 7, or GSYM_MK_NO_COLOUR */
	bool bold;
	/** HTML: a span for this state is open. */
	bool span;
};

static const struct gsym_mk_sgr gsym_mk_no_sgr = { GSYM_MK_NO_COLOUR, false,
						   false };

/** The worst message about the element at hand; "" if there is none. */
struct gsym_mk_trouble {
	char message[GSYM_MK_MAX_MESSAGE];
	enum gsym_markup_severity severity;
};

/** What only HTML needs. */
struct gsym_mk_page {
	/** The head of the page was written. */
	bool started;
	/** How many stack traces have got a number. */
	uint64_t traces;
	struct gsym_mk_trouble trouble;
	/** Blocks of lines that have ended; lines and bytes of the log in the
	 *  block at hand. */
	uint64_t blocks;
	size_t block_lines, block_size;
	/** The start of a line is written whose rest waits for the end of an
	 *  element.  No block ends within a line. */
	bool within;
	/** Of a series of pages: the bytes of the log on a page, 0 if there is
	 *  one page; and the page at hand, without its process names. */
	uint64_t part_size;
	struct gsym_markup_part part;
	/** The names of the processes of the page, a NUL after each. */
	struct gsym_mk_text processes;
	/** The process whose line is being written; NULL: none. */
	struct gsym_mk_process *process;
	/** The details that are being written have no line yet. */
	bool tip_empty;
};

struct gsym_mk_out {
	/** The host's callbacks; may be NULL. */
	void (*write)(void *context, const char *bytes, size_t size);
	void (*part)(void *context, const struct gsym_markup_part *part);
	void *context;
	/** Options of the filter. */
	bool html, colour, strip_ansi, raw_names;
	/** Write the bytes that llvm-symbolizer writes. */
	bool llvm;

	/** Where text is written to: MAIN, which goes to the host; ASIDE, while
	 *  the module lines of the line come first; or a text that is kept
	 *  (markup/memo.h). */
	struct gsym_mk_text *to, main, aside;
	/** The first bytes of MAIN that are complete lines. */
	size_t complete;
	/** The last line that was written has no end. */
	bool unended;
	/** Memory ran out and output was lost; gsym_markup_feed reports it. */
	bool out_of_memory;

	struct gsym_mk_sgr sgr;
	struct gsym_mk_page page;
};

void gsym_mk_out_init(struct gsym_mk_out *o,
		      const struct gsym_markup_host *host,
		      const struct gsym_markup_options *options);
void gsym_mk_out_fini(struct gsym_mk_out *o);

/** Make room for SIZE more bytes, and append them.  Called if there is no
 * room. */
void gsym_mk_put_slow(struct gsym_mk_out *o, const char *bytes, size_t size);

static inline void gsym_mk_put(struct gsym_mk_out *o, const char *bytes,
			       size_t size)
{
	struct gsym_mk_text *to = o->to;

	if (!size)
		return;
	if (to->capacity - to->count < size) {
		gsym_mk_put_slow(o, bytes, size);
		return;
	}
	memcpy(to->items + to->count, bytes, size);
	to->count += size;
}

static inline void gsym_mk_puts(struct gsym_mk_out *o, const char *text)
{
	gsym_mk_put(o, text, strlen(text));
}

/** Write VALUE in hexadecimal without 0x, in at least WIDTH digits and at most
 * 16. */
void gsym_mk_put_hex(struct gsym_mk_out *o, uint64_t value, unsigned width);
void gsym_mk_put_decimal(struct gsym_mk_out *o, uint64_t value);

/** Mark all of MAIN as complete lines. */
static inline void gsym_mk_complete(struct gsym_mk_out *o)
{
	o->complete = o->main.count;
}
/** Give the complete lines to the host. Without ALL, only if they are many. */
void gsym_mk_drain(struct gsym_mk_out *o, bool all);

#endif
