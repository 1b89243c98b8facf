/* SPDX-License-Identifier: MIT */
/*
 * markup/paint.h - text, names, values and line ends as the output wants them:
 * plain, with SGR sequences, or as HTML.  Knows no modules and no symbols.
 */
#ifndef GSYM_MARKUP_PAINT_H
#define GSYM_MARKUP_PAINT_H

#include "markup/out.h"
#include "markup/parse.h"

/** Bytes of a name that are shown. */
#define GSYM_MK_MAX_NAME 4096

/** Text of the log, whose SGR sequences are interpreted. */
void gsym_mk_paint_text(struct gsym_mk_out *o, const char *at, const char *end);
/** Text in which SGR sequences are bytes like others. */
void gsym_mk_paint_plain(struct gsym_mk_out *o, const char *at, size_t size);
/** A name from the log or from symbols, which may hold anything: characters
 *  that a terminal must not get are shown as \xNN, and a long name is cut. */
void gsym_mk_paint_foreign(struct gsym_mk_out *o, const char *at, size_t size);

/** Begin and end what is shown for E: colours, or in HTML a span with CLASS.
 *  E is NULL for a part of an element. */
void gsym_mk_paint_begin(struct gsym_mk_out *o, const char *class,
			 const struct gsym_mk_element *e);
void gsym_mk_paint_end(struct gsym_mk_out *o);

/** A value within an element, which has a colour of its own. */
void gsym_mk_value(struct gsym_mk_out *o, const char *at, size_t size);
void gsym_mk_value_hex(struct gsym_mk_out *o, uint64_t value);
void gsym_mk_value_decimal(struct gsym_mk_out *o, uint64_t value);
void gsym_mk_value_begin(struct gsym_mk_out *o);
void gsym_mk_value_end(struct gsym_mk_out *o);

/** Begin a line that the log does not have. */
void gsym_mk_begin_line(struct gsym_mk_out *o);
/** Begin line NUMBER of the log. */
void gsym_mk_begin_log_line(struct gsym_mk_out *o, uint64_t number);
/** End the last line if the log did not. */
void gsym_mk_fresh_line(struct gsym_mk_out *o);
/** ENDING is "\n", "\r\n", or "" for a line that the log does not end. */
void gsym_mk_end_line(struct gsym_mk_out *o, const char *ending);
/** End the line and begin another, in which the same SGR state holds. */
void gsym_mk_break_line(struct gsym_mk_out *o, const char *ending);

/** The size of the SGR sequence at AT; 0 if there is none. */
size_t gsym_mk_sgr_length(const char *at, const char *end);
/** Whether AT to END holds only white space and SGR sequences. */
bool gsym_mk_blank(const char *at, const char *end);
/** Back to the state without colour and bold. */
void gsym_mk_sgr_reset(struct gsym_mk_out *o);
/** In text with colours: the colour of elements, and that of the text around
 *  them again. */
void gsym_mk_highlight(struct gsym_mk_out *o);
void gsym_mk_restore(struct gsym_mk_out *o);

#endif
