/* SPDX-License-Identifier: MIT */
/*
 * markup/html.h - what only an HTML page has: its head and blocks of lines
 * (page.c), escaped text, spans, links and folded module lines.
 */
#ifndef GSYM_MARKUP_HTML_H
#define GSYM_MARKUP_HTML_H

#include "markup/out.h"
#include "markup/parse.h"

/** The lines of page.js, which the build makes; NULL ends them. */
extern const char *const gsym_mk_page_js[];

/** U+FFFD: stands for bytes that are no text. */
#define GSYM_MK_REPLACEMENT "\xef\xbf\xbd"

/** Text as a page holds it: markup characters are escaped, and what is not
 *  UTF-8 text is U+FFFD. */
void gsym_mk_put_html(struct gsym_mk_out *o, const char *at, size_t size);

/** Write the head of the page, unless it was written.  TITLE may be NULL. */
void gsym_mk_page_start(struct gsym_mk_out *o, const char *title);
void gsym_mk_page_end(struct gsym_mk_out *o);
/** A line of the log begins, which has the number LINE; TITLE is that of the
 *  page.  If the page of a series is full, ends it and starts another. */
void gsym_mk_page_turn(struct gsym_mk_out *o, uint64_t line, const char *title);
/** Write the start of the element of line NUMBER.  In a series of pages it has
 *  the process of the line as an attribute. */
void gsym_mk_page_line(struct gsym_mk_out *o, uint64_t number);
/** A line of the log, of SIZE bytes, was written whole; LINE is the number of
 *  the next one.  Ends the block of lines if it is large enough. */
void gsym_mk_page_cut(struct gsym_mk_out *o, uint64_t line, size_t size);
/** Begin and end COUNT module lines that can be folded away. */
void gsym_mk_details_begin(struct gsym_mk_out *o, size_t count);
void gsym_mk_details_end(struct gsym_mk_out *o);

/** A stack trace of a process: frames with ascending numbers. */
struct gsym_mk_trace {
	/** The number of the trace, from 1 on; 0: there was no frame yet. */
	uint64_t number;
	uint64_t last_frame;
};

#define GSYM_MK_FRAME_ID 48
/** Make an ID for the frame E, the next frame after those of TRACE. */
void gsym_mk_frame_id(struct gsym_mk_out *o, struct gsym_mk_trace *trace,
		      const struct gsym_mk_element *e,
		      char id[GSYM_MK_FRAME_ID]);
/** Begin a span for the output of E, with E as its title.  E may be NULL, and
 *  ID may be "". */
void gsym_mk_span_begin(struct gsym_mk_out *o, const char *class,
			const char *id, const struct gsym_mk_element *e);
/** Begin a link.  Its target is TEMPLATE, with FIRST in place of % and the
 *  first byte of LETTERS, and SECOND in place of % and the second byte.  Bytes
 *  of FIRST and SECOND are percent-encoded, except letters, digits and the
 *  bytes in UNESCAPED. */
void gsym_mk_link_begin(struct gsym_mk_out *o, const char *template,
			const char *letters, struct gsym_mk_slice first,
			struct gsym_mk_slice second, const char *unescaped);

/** Note MESSAGE for the details of the element at hand, unless a message as
 *  severe was noted before.  Does nothing without HTML. */
void gsym_mk_trouble_note(struct gsym_mk_out *o,
			  enum gsym_markup_severity severity,
			  const char *message);

#endif
