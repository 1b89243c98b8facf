/* SPDX-License-Identifier: MIT */
/*
 * markup/logstate.h - what backtraces without markup have told about a process:
 * its modules, and what decides about the next frames.  Knows no symbols.
 */
#ifndef GSYM_MARKUP_LOGSTATE_H
#define GSYM_MARKUP_LOGSTATE_H

#include <gsym/markup.h>

#include "markup/context.h"

/** Modules of a process that are kept between lines. */
#define GSYM_MK_LOG_MODULES GSYM_LIMIT(4096u, 1)
/** Exact addresses of a report of the kernel that are kept. */
#define GSYM_MK_LOG_MARKS GSYM_LIMIT(8u, 1)

enum {
	GSYM_MK_LOG_BUCKETS = 256,
	/** Lines without a frame after which a report of the kernel is over. */
	GSYM_MK_LOG_REPORT = 200,
	/** Bytes of the kernel's release. */
	GSYM_MK_LOG_RELEASE = 64,
	/** Functions of the kernel that have to have the size that the log says
	 *  before the symbols are trusted. */
	GSYM_MK_LOG_PROOF = 16,
};

/** A module, as one form of backtraces writes it. */
struct gsym_mk_log_module {
	enum gsym_markup_log log;
	struct gsym_mk_slice name;
	uint8_t id[GSYM_MK_BUILD_ID];
	size_t id_size;
	/** The digits of ID, which the log repeats in each frame. */
	char digits[2 * GSYM_MK_BUILD_ID];
	/** The host's answer.  ASKED: the host was asked. */
	struct gsym_markup_log_symbols found;
	bool asked;
	/** The message that there are no symbols, or that the symbols are of
	 *  another build, was written. */
	bool missed, disagreed;
	/** The kernel: how many of AGREED of the state are in use; and a
	 *  function had another size. */
	unsigned agreed;
	bool distrusted;
	/** glibc: BIAS is the address in memory less the linked one. */
	bool biased;
	uint64_t bias;
	/** The next module in the bucket, or in the list GONE; and the next
	 *  younger module. */
	struct gsym_mk_log_module *next, *younger;
};

struct gsym_mk_log_state {
	struct gsym_mk_log_module *buckets[GSYM_MK_LOG_BUCKETS];
	struct gsym_mk_log_module *oldest, *newest;
	size_t count;
	/** Modules that are forgotten, until gsym_mk_log_tidy. */
	struct gsym_mk_log_module *gone;

	char release[GSYM_MK_LOG_RELEASE];
	size_t release_size;
	/** Kernel: hashes of functions that had the size that the log says. */
	uint64_t agreed[GSYM_MK_LOG_PROOF];
	/** Kernel: hashes of the exact addresses of the report, and the number
	 *  of its last line with a frame. */
	uint64_t marks[8];
	unsigned mark_count;
	uint64_t report_line;
	/** Values of enum gsym_markup_log: the last frame of that form was a
	 *  signal trampoline, so the next address is exact. */
	unsigned after_signal;
	/** The same for frames that may be a signal trampoline. */
	unsigned after_libc;
	/** Inlined calls of the stack that were written as frames. */
	uint64_t inlined;
	/** JVM: the next frame is the first one; the hash of the frame in the
	 *  head of the report. */
	bool native;
	uint64_t problem;
	/** Apple, maps: what lies where in memory, each module at its first
	 *  page; and the module that was added last. */
	struct gsym_mk_context memory;
	struct gsym_mk_module *mapped;
	/** Android: the version, and whether the code is for x86. */
	unsigned version;
	bool x86;

	/** The folder that the kernel was built in, as compilers were told, and
	 *  as assemblers were; STRIP_KNOWN: they were searched. */
	struct gsym_mk_text strip, strip_code;
	bool strip_known;

	/** The frame that the host was told last: its number and its line, 0:
	 *  none; and the hash of the first frame of its stack. */
	uint64_t told_number, told_line, told_first;
};

/** NULL without memory. */
struct gsym_mk_log_state *gsym_mk_log_state_new(void);
void gsym_mk_log_state_free(struct gsym_mk_log_state *s);
/** Forget everything, as the log begins anew. */
void gsym_mk_log_reset(struct gsym_mk_log_state *s);
/** Free what is forgotten; and forget the oldest modules, if there are more
 *  than GSYM_MK_LOG_MODULES.  Called between lines: see gsym_mk_tidy. */
void gsym_mk_log_tidy(struct gsym_mk_log_state *s);

/** The module of LOG that is written NAME, which is added if S has none.  NULL
 *  without memory.  Valid until gsym_mk_log_tidy, even if it is forgotten. */
struct gsym_mk_log_module *gsym_mk_log_module(struct gsym_mk_log_state *s,
					      enum gsym_markup_log log,
					      struct gsym_mk_slice name);
/** The module of the kernel itself, as gsym_mk_log_module returns it. */
struct gsym_mk_log_module *gsym_mk_log_kernel(struct gsym_mk_log_state *s);
/** Give M the build ID with these DIGITS, if they are one.  If M had another
 *  one, the host is asked again. */
void gsym_mk_log_identify(struct gsym_mk_log_module *m,
			  struct gsym_mk_slice digits);
/** Note that the bytes of the file NAME from OFFSET on lie at START to LAST in
 *  memory.  Nothing is noted without memory, and beyond GSYM_MK_LOG_MODULES
 *  files. */
void gsym_mk_log_map(struct gsym_mk_log_state *s, struct gsym_mk_slice name,
		     uint64_t start, uint64_t last, uint64_t offset);
/** Forget what lies in memory. */
void gsym_mk_log_unmap(struct gsym_mk_log_state *s);
/** Forget the modules of the LOGS, values of enum gsym_markup_log. */
void gsym_mk_log_forget(struct gsym_mk_log_state *s, unsigned logs);
/** Let the host be asked again for modules that have no symbols. */
void gsym_mk_log_retry(struct gsym_mk_log_state *s);
/** Note that the kernel has this RELEASE.  If S had another one, the kernel's
 *  modules are forgotten. */
void gsym_mk_log_set_release(struct gsym_mk_log_state *s,
			     struct gsym_mk_slice release);

/** Note KEY, the hash of an exact address of the kernel's report. */
void gsym_mk_log_mark(struct gsym_mk_log_state *s, uint64_t key);
bool gsym_mk_log_is_marked(const struct gsym_mk_log_state *s, uint64_t key);

#endif
