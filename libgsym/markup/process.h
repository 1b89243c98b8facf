/* SPDX-License-Identifier: MIT */
/*
 * markup/process.h - the processes of a log, each with the memory that the log
 * described for it and its unfinished lines.
 */
#ifndef GSYM_MARKUP_PROCESS_H
#define GSYM_MARKUP_PROCESS_H

#include "markup/context.h"
#include "markup/hexdict.h"
#include "markup/html.h"
#include "markup/logstate.h"
#include "markup/modules.h"

/** The most processes that are kept. */
#define GSYM_MK_MAX_PROCESSES GSYM_LIMIT(4096u, 1)

struct gsym_mk_process {
	/** The name of the process in headers; empty for lines without
	 * header. */
	struct gsym_mk_text name;
	struct gsym_mk_context context;
	struct gsym_mk_block block;
	struct gsym_mk_open open;
	/** The text between the header of its lines and their message, found
	 *  out from two module lines that began with the same bytes. */
	struct gsym_mk_text prefix;
	/** The time of its last line, as in struct gsym_markup. */
	uint64_t heard;
	/** The process is counted in gsym_mk_processes.waiting. */
	bool waits;
	/** The process is in the list gsym_mk_processes.held; its neighbours
	 *  there. */
	bool holds;
	struct gsym_mk_process *held_next, *held_before;
	/** HTML: the stack trace of its last frame. */
	struct gsym_mk_trace trace;
	/** The last page of a series that it has a line on; 0: none. */
	uint64_t page;
	/** What backtraces without markup have told; NULL if there was none. */
	struct gsym_mk_log_state *log;
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
	/** The first and the last of the processes that hold lines back, in the
	 *  order of these lines. */
	struct gsym_mk_process *held, *held_last;
};

void gsym_mk_processes_free(struct gsym_mk_processes *all);
/** The process with NAME; NULL if there is none. */
struct gsym_mk_process *
gsym_mk_process_find(const struct gsym_mk_processes *all,
		     struct gsym_mk_slice name);
/** Add the process NAME, which must not exist. NULL without memory. */
struct gsym_mk_process *gsym_mk_process_add(struct gsym_mk_processes *all,
					    struct gsym_mk_slice name);
void gsym_mk_process_remove(struct gsym_mk_processes *all,
			    struct gsym_mk_process *p);
/** Make P the process that was used last. */
void gsym_mk_process_use(struct gsym_mk_processes *all,
			 struct gsym_mk_process *p);
/** Go over all, from the one that was used longest ago on: the process after P,
 *  or the first if P is NULL; NULL after the last. */
struct gsym_mk_process *
gsym_mk_process_next(const struct gsym_mk_processes *all,
		     const struct gsym_mk_process *p);

/** Whether P has module lines that were not written. */
static inline bool gsym_mk_block_open(const struct gsym_mk_process *p)
{
	return p->block.entries.count || p->block.lead.count;
}
/** Update the count of waiting processes, and the list of those that hold lines
 *  back, after the module lines or the element of P changed. */
void gsym_mk_count_waiting(struct gsym_mk_processes *all,
			   struct gsym_mk_process *p);

#endif
