/* SPDX-License-Identifier: MIT */
/*
 * markup/line.h - one line of the log, in our own style (line.c) and in
 * llvm-symbolizer's (compat.c).
 */
#ifndef GSYM_MARKUP_LINE_H
#define GSYM_MARKUP_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct gsym_markup;

/** The line at hand, or a piece of a line that is too long to keep. */
struct gsym_mk_line {
	/** The line without its end. */
	const char *at;
	size_t size;
	/** "\n", "\r\n" or "". */
	const char *ending;
	bool crlf;
	/** It is the first, and the last, piece of its line. */
	bool first, final;
	/** Size of its header; SIZE_MAX: not searched yet. */
	size_t header;
	/** Where the text in front of the element at hand starts. */
	const char *before;
	/** Fuchsia's style: a frame of the line was shown. */
	bool framed;
};

/** The line end for lines of the output that belong to L. */
static inline const char *gsym_mk_newline(const struct gsym_mk_line *l)
{
	return l->crlf ? "\r\n" : "\n";
}

/** Set f->process to the process that the line at hand comes from; false
 *  without memory. */
bool gsym_mk_choose_process(struct gsym_markup *f);
/** Write the output for the line at hand, in our own style. */
void gsym_mk_do_line(struct gsym_markup *f);
/** Write the output for the line at hand, in llvm-symbolizer's style. */
void gsym_mk_llvm_line(struct gsym_markup *f);
/** End the module line that is open, if there is one. */
void gsym_mk_llvm_end_module(struct gsym_markup *f);

#endif
