/* SPDX-License-Identifier: MIT */
/*
 * stacks/verdict.h - whether symbols may answer for frames of the log.
 *
 * Symbols without the build ID that the log gives may be of another build.  The
 * log says things that symbols can be compared with: evidence.  A verdict
 * follows from evidence alone, and changes nothing; gsym_stacks_accept keeps
 * what has to last, writes the message, and applies the option that believes
 * any build.
 *
 *	evidence				refutes		until
 *	the host: symbols of another build	the module	another ID
 *	a function lies elsewhere		the module	another ID
 *	the same, of a name that may be a
 *	neighbour's				the frame
 *	the function has another name		the frame
 *	no calls before return addresses, or
 *	before most of those of earlier stacks	the stack	its end
 *	no call before one of them		the frame
 *	another size of a function		the kernel and	another
 *						its modules	release
 *	the same, of a function that had its
 *	size before, or of a line that was cut	the frame
 */
#ifndef GSYM_STACKS_VERDICT_H
#define GSYM_STACKS_VERDICT_H

#include "logs/dialect.h"

struct gsym_stacks_judge;
struct gsym_stacks_module;

/** What the code of a program says about frames of the log. */
struct gsym_stacks_calls {
	/** Frames that speak for the symbols: a call stands before the address,
	 *  or the function is where the log has it. */
	unsigned agreed;
	/** Frames without a call before the address.  Equal addresses one after
	 *  the other count once. */
	unsigned uncalled;
	/** The last address without a call. */
	uint64_t last_uncalled;
};

/** What evidence says about symbols. */
enum gsym_stacks_trust {
	/** They have the build ID, or the release, that the log gives. */
	GSYM_STACKS_PROVEN,
	/** The log agrees with them. */
	GSYM_STACKS_PLAUSIBLE,
	/** Nothing tells their build. */
	GSYM_STACKS_UNKNOWN,
	/** They are of another build, and give no answers. */
	GSYM_STACKS_REFUTED,
};

/** For which frames a verdict holds. */
enum gsym_stacks_scope {
	GSYM_SCOPE_FRAME,
	GSYM_SCOPE_STACK,
	GSYM_SCOPE_MODULE,
	/** All frames of the kernel and its modules. */
	GSYM_SCOPE_KERNEL,
};

/** The evidence that a verdict follows from. */
enum gsym_stacks_reason {
	/** No new evidence: the host or other frames have told already.  Or
	 *  evidence that counts for nothing else: a line that may be odd. */
	GSYM_STACKS_SAID,
	GSYM_STACKS_BY_PLACE,
	GSYM_STACKS_BY_NAME,
	GSYM_STACKS_BY_CALL,
	GSYM_STACKS_BY_SIZE,
};

struct gsym_stacks_verdict {
	enum gsym_stacks_trust trust;
	enum gsym_stacks_scope scope;
	enum gsym_stacks_reason reason;
	/** For the message: the function of the log, and its sizes in the
	 *  symbols and in the log; or the address without a call. */
	struct logs_text function;
	uint64_t number, in_log;
};

/* ---- verdicts; these change nothing ------------------------------------- */

/** About the symbols of M, which are known: what was told so far.  KERNEL is
 *  the kernel that M belongs to, NULL if M is a program's. */
struct gsym_stacks_verdict
gsym_stacks_verdict_of_module(const struct gsym_stacks_module *m,
			      const struct gsym_stacks_module *kernel);
/** THERE: the function of FRAME lies in M's symbols where the log has it. */
struct gsym_stacks_verdict
gsym_stacks_verdict_by_place(const struct gsym_stacks_module *m,
			     const struct logs_frame *frame, bool there);
/** SAME: a function at the address of FRAME has the name in the log. */
struct gsym_stacks_verdict
gsym_stacks_verdict_by_name(const struct logs_frame *frame, bool same);
/** NOW is what calls say about the stack at hand, BEFORE about earlier ones.
 *  UNCALLED: no call stands before ADDRESS, that of the frame at hand. */
struct gsym_stacks_verdict
gsym_stacks_verdict_by_calls(const struct gsym_stacks_calls *now,
			     const struct gsym_stacks_calls *before,
			     bool uncalled, uint64_t address);
/** The function of FRAME has SIZE bytes in the symbols of a kernel, and others
 *  in the log.  TRIAL: the build of the symbols is not proven, and no earlier
 *  frame has shown the size in the log. */
struct gsym_stacks_verdict
gsym_stacks_verdict_by_size(const struct logs_frame *frame, uint64_t size,
			    bool trial);
/** Whether CALLS, of one stack, refute the symbols. */
bool gsym_stacks_refutes(const struct gsym_stacks_calls *calls);

/* ---- what follows ------------------------------------------------------- */

/** Keep the verdict V about M, and report V once for M, if that is new.
 *  *UNSURE becomes true if M's symbols are refuted.  Returns whether they may
 *  answer, as they do in any case if options say so. */
bool gsym_stacks_accept(struct gsym_stacks_judge *j,
			struct gsym_stacks_module *m,
			const struct gsym_stacks_verdict *v, bool *unsure);

#endif
