/* SPDX-License-Identifier: MIT */
/*
 * markup/wait.h - writes lines that were held back: module lines, and elements
 * of several lines.  Lines of different processes come out in the order of the
 * log.
 */
#ifndef GSYM_MARKUP_WAIT_H
#define GSYM_MARKUP_WAIT_H

struct gsym_markup;
struct gsym_mk_process;

/** Write all lines that are held back, because a line of the log is written
 *  next.  An open element is written as it is in the log; if its end comes,
 *  it gets its footnotes. */
void gsym_mk_write_waiting(struct gsym_markup *f);
/** Write the lines that are held back since before those of P.  P must hold
 *  lines back. */
void gsym_mk_write_before(struct gsym_markup *f,
			  const struct gsym_mk_process *p);
/** Write the module lines of P, and all that is held back since before. */
void gsym_mk_write_block(struct gsym_markup *f, struct gsym_mk_process *p);
/** If P has an element open, write the element as text, after all that is held
 *  back since before.  The element is not open any more. */
void gsym_mk_give_up(struct gsym_markup *f, struct gsym_mk_process *p);

#endif
