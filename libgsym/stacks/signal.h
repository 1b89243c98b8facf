/* SPDX-License-Identifier: MIT */
/*
 * stacks/signal.h - which frames of a stack are behind a signal: their
 * addresses are exact, and no return addresses.
 */
#ifndef GSYM_STACKS_SIGNAL_H
#define GSYM_STACKS_SIGNAL_H

#include "logs/dialect.h"

struct gsym_mk_host;
struct gsym_stacks_module;

/** What is known of the address of a frame that is said to be a return
 *  address. */
enum gsym_stacks_exact {
	/** It is one. */
	GSYM_STACKS_RETURNS,
	/** The frame before may be a signal trampoline. */
	GSYM_STACKS_MAY_BE_EXACT,
	/** The frame before is a signal trampoline: a signal interrupted the
	 *  program at the address. */
	GSYM_STACKS_EXACT,
};

/** What the frames of a stack, all of one form, say about signals. */
struct gsym_stacks_signal {
	/** What is known of the next frame. */
	enum gsym_stacks_exact next;
	/** What was known of the last frame; a hash of that frame, and its
	 *  line. */
	enum gsym_stacks_exact last;
	uint64_t key, line;
	/** The line of the last frame, if its module is known; else 0. */
	uint64_t told;
	/** The stack is one of a signal, whose trampoline has not come. */
	bool stack;
};

struct gsym_stacks_signals {
	/** By logs_index. */
	struct gsym_stacks_signal of[LOGS_FORMS];
};

/** What is known of the address of FRAME: S has what the frames before
 *  said. */
enum gsym_stacks_exact gsym_stacks_signal_at(struct gsym_stacks_signals *s,
					     const struct logs_frame *frame);
/** Note in S what FRAME says about the next one.  M is the module of FRAME,
 *  NULL if it is not known.  What symbols of M say replaces NEXT. */
void gsym_stacks_signal_after(struct gsym_stacks_signals *s,
			      const struct logs_frame *frame,
			      struct gsym_stacks_module *m);
/** Whether FRAME has a return address, and a number that counts to the byte
 *  before it: both differ by whole pages and the 1 that the log has
 *  subtracted. */
static inline bool gsym_stacks_has_both(const struct logs_frame *frame)
{
	return frame->called && !frame->returns &&
	       frame->counts_from != LOGS_FUNCTION &&
	       (frame->address - frame->number) % 4096 == 1;
}
/** Look ADDRESS up.  Returns whether a signal handler returns to ADDRESS: a
 *  function for that begins there. */
bool gsym_stacks_find_trampoline(struct gsym_mk_host *h, void *symbols,
				 uint64_t address);

#endif
