/* SPDX-License-Identifier: MIT */
/*
 * markup/paint.h - writes text, names, values and line ends in the form of the
 * output: plain, with SGR sequences, or as HTML.  Knows no modules and no
 * symbols.
 */
#ifndef GSYM_MARKUP_PAINT_H
#define GSYM_MARKUP_PAINT_H

#include "markup/out.h"
#include "markup/parse.h"

/** Bytes of a name that are shown. */
#define GSYM_MK_MAX_NAME GSYM_LIMIT(4096u, 16)

/** Write text of the log, and interpret its SGR sequences. */
void gsym_mk_paint_text(struct gsym_mk_out *o, const char *at, const char *end);
/** Write text, without interpreting SGR sequences. */
void gsym_mk_paint_plain(struct gsym_mk_out *o, const char *at, size_t size);
/** Write a name from the log or from symbols, which may have any bytes.
 *  Characters that a terminal must not get are written as \\xNN, and a long
 *  name is cut. */
void gsym_mk_paint_foreign(struct gsym_mk_out *o, const char *at, size_t size);

/** Begin and end the output of E: a colour, or in HTML a span with CLASS.  E is
 *  NULL for a part of an element. */
void gsym_mk_paint_begin(struct gsym_mk_out *o, const char *class,
			 const struct gsym_mk_element *e);
void gsym_mk_paint_end(struct gsym_mk_out *o);

/** Write a value within an element, in a colour of its own. */
void gsym_mk_value(struct gsym_mk_out *o, const char *at, size_t size);
void gsym_mk_value_hex(struct gsym_mk_out *o, uint64_t value);
void gsym_mk_value_decimal(struct gsym_mk_out *o, uint64_t value);
void gsym_mk_value_begin(struct gsym_mk_out *o);
void gsym_mk_value_end(struct gsym_mk_out *o);

/** Begin a line that is not in the log. */
void gsym_mk_begin_line(struct gsym_mk_out *o);
/** Begin line NUMBER of the log. */
void gsym_mk_begin_log_line(struct gsym_mk_out *o, uint64_t number);
/** End the last line if the log did not. */
void gsym_mk_fresh_line(struct gsym_mk_out *o);
/** ENDING is "\n", "\r\n", or "" for a line that the log does not end. */
void gsym_mk_end_line(struct gsym_mk_out *o, const char *ending);
/** End the line and begin another one with the same SGR state. */
void gsym_mk_break_line(struct gsym_mk_out *o, const char *ending);

/** The size of the SGR sequence at AT; 0 if there is none. */
size_t gsym_mk_sgr_length(const char *at, const char *end);
/** Whether AT to END holds only white space and SGR sequences. */
bool gsym_mk_blank(const char *at, const char *end);
/** Set the state without colour and bold. */
void gsym_mk_sgr_reset(struct gsym_mk_out *o);
/** With colours: set the colour of elements; set the colour of the text around
 *  them again. */
void gsym_mk_highlight(struct gsym_mk_out *o);
void gsym_mk_restore(struct gsym_mk_out *o);

#endif
