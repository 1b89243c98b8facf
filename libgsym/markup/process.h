/* SPDX-License-Identifier: MIT */
/*
 * markup/process.h - the processes that a log is of, each with the memory that
 * it described and the lines that it has not ended.
 */
#ifndef GSYM_MARKUP_PROCESS_H
#define GSYM_MARKUP_PROCESS_H

#include "markup/context.h"
#include "markup/hexdict.h"
#include "markup/html.h"
#include "markup/modules.h"

/** Processes that are kept. */
#define GSYM_MK_MAX_PROCESSES 4096

struct gsym_mk_process {
	/** The bytes by which headers name it; empty for lines without. */
	struct gsym_mk_text name;
	struct gsym_mk_context context;
	struct gsym_mk_block block;
	struct gsym_mk_open open;
	/** A header that its lines turned out to have: two module lines began
	 *  with the same bytes. */
	struct gsym_mk_text prefix;
	/** The time of its last line, as in struct gsym_markup. */
	uint64_t heard;
	/** It counts among those in gsym_mk_processes.waiting. */
	bool waits;
	/** HTML: the stack trace of its last frame. */
	struct gsym_mk_trace trace;
	/** The next process in the same bucket. */
	struct gsym_mk_process *next;
	/** Neighbours in the order of use. */
	struct gsym_mk_process *newer, *older;
};

struct gsym_mk_processes {
	struct gsym_mk_process **buckets;
	struct gsym_mk_process *newest, *oldest;
	size_t count;
	/** Processes with module lines or an element that have not ended. */
	size_t waiting;
};

void gsym_mk_processes_free(struct gsym_mk_processes *all);
/** The process with NAME; NULL. */
struct gsym_mk_process *
gsym_mk_process_find(const struct gsym_mk_processes *all,
		     struct gsym_mk_slice name);
/** Add a process that is not there.  NULL without memory. */
struct gsym_mk_process *gsym_mk_process_add(struct gsym_mk_processes *all,
					    struct gsym_mk_slice name);
void gsym_mk_process_remove(struct gsym_mk_processes *all,
			    struct gsym_mk_process *p);
/** Note that P is in use. */
void gsym_mk_process_use(struct gsym_mk_processes *all,
			 struct gsym_mk_process *p);
/** Go over all: the process after P, or the first if P is NULL; NULL after the
 *  last. */
struct gsym_mk_process *
gsym_mk_process_next(const struct gsym_mk_processes *all,
		     const struct gsym_mk_process *p);

/** Whether P has module lines that were not written. */
static inline bool gsym_mk_block_open(const struct gsym_mk_process *p)
{
	return p->block.entries.count || p->block.lead.count;
}
/** Count P in, or out, after its module lines or its element changed. */
void gsym_mk_count_waiting(struct gsym_mk_processes *all,
			   struct gsym_mk_process *p);

#endif
