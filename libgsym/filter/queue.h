/* SPDX-License-Identifier: MIT */
/*
 * filter/queue.h - the queue of lines that wait for what a later line says.
 *
 * Frames may need what the log says later.  The first line of a kernel's report
 * names a function, and the kernel's release comes a few lines later, or the
 * function whose size shows that the symbols are of another build.  Apple's
 * reports have the images after the frames.  Programs print the map of their
 * memory after a backtrace.
 *
 * Such a line begins a wait of its process.  The wait takes the next lines of
 * the process, until one has what is needed, until one ends the stack or the
 * list, or until room or time is up.  Then the wait is over, and its frames are
 * compared with their symbols.  Facts of other processes play no part in it.
 *
 * The queue holds the lines of all processes in the order of the log, with what
 * was read of them when they came, and they leave it in this order.  A line
 * that no wait has taken gets its answers when it is at the head of the queue.
 * There it may begin a wait of its own process, which takes lines from behind
 * it.
 */
#ifndef GSYM_FILTER_QUEUE_H
#define GSYM_FILTER_QUEUE_H

#include "markup/line.h"
#include "markup/process.h"

struct judge;

/* ---- the queue -------------------------------------------------------- */

/** Lines of all processes in the queue, and the bytes of these lines and of
 *  what was read of them.  Above that all waits are over.  What is read of the
 *  line that is added last does not count. */
#define FILTER_QUEUE_LINES GSYM_LIMIT(1u << 18, 4)
#define FILTER_QUEUE_BYTES GSYM_LIMIT(64u << 20, 4096)

/** A line in the queue, with what was read of it. */
struct filter_record {
	/** Its process, which is not forgotten before the line leaves. */
	struct mk_process *process;
	/** Its number, and when it came. */
	uint64_t number, came;
	/** Its bytes. */
	const char *at;
	size_t size;
	struct mk_reading reading;
	/** The memory that AT and the items of READING lie in, which the line
	 *  owns; and how many bytes that memory and this struct take. */
	void *block;
	size_t bytes;
	const char *ending;
	bool crlf;
	/** The wait of its process has taken it. */
	bool taken;
	/** A wait for the release or the build has taken it, and compared its
	 *  frames with their symbols: no other such wait does that again. */
	bool was_compared;
	/** The next line of the process, as struct queue counts
	 *  lines; 0: none. */
	uint64_t next;
};

struct queue {
	/** The judge, whose frames wait; the line at hand, and the text of it
	 *  that was read; the page of its process; and the clock. */
	struct judge *judge;
	struct mk_line *line;
	const struct mk_text *unwrapped;
	struct mk_page *page;
	struct mk_clock *clock;
	/** The bytes of all lines in the queue, and of what was read of
	 *  them. */
	size_t bytes;
	struct {
		GSYM_VEC(struct filter_record);
	} records;
	/** Index of the head of the queue. */
	size_t head;
	/** The first of RECORDS is the line with this number in the queue, all
	 *  lines counted from 1 on. */
	uint64_t base;
	/** The line at hand is the head. */
	bool at_head;
	/** The line at hand has begun a wait. */
	bool begun;
	/** The line at hand is the first of a wait that is over. */
	bool at_first_of_wait;
	/** Whether the line at hand has to wait until the build is known was
	 *  found out. */
	bool build_asked;
};

/** Whether no lines wait. */
static inline bool filter_is_queue_empty(const struct queue *q)
{
	return q->head == q->records.count;
}

/** The first line in the queue, which is not empty. */
static inline struct filter_record *filter_queue_head(struct queue *q)
{
	return &q->records.items[q->head];
}

/** The line with the NUMBER in the queue, which has not left it; NULL if
 *  NUMBER is 0.  Valid until the next gsym_filter_queue_push or
 *  gsym_filter_queue_pop. */
struct filter_record *gsym_filter_queue_at(struct queue *q, uint64_t number);
/** Make R the line at hand.  Nothing that was found out about the line at hand
 *  before is valid after that. */
void gsym_filter_queue_set_line(struct queue *q, const struct filter_record *r);
/** Append the line at hand, which was read and whose process is chosen; false
 *  without memory. */
bool gsym_filter_queue_push(struct queue *q);
/** Remove the head. */
void gsym_filter_queue_pop(struct queue *q);
void gsym_filter_queue_fini(struct queue *q);

/* ---- waits and the queue (wait.c) ----------------------------------- */

/** If FRAME in the line at hand needs what a later line may tell, begin a wait
 *  with the line, and return true.  The line is the head of the queue, or the
 *  queue is empty. */
bool gsym_filter_wait_for_frame(struct queue *q,
				const struct logs_frame *frame);
/** The same for the report that FACT begins in the line at hand. */
bool gsym_filter_wait_for_report(struct queue *q, const struct logs_fact *fact);
/** If the line at hand is of a report in JSON that has waited, return the
 *  report's dialect and set REPORT.  AT of the line at hand then points into
 *  REPORT, until the caller sets it back.  Else NULL. */
const struct logs_dialect *gsym_filter_waited_report(struct queue *q,
						     struct logs_text *report);
/** Let the wait of the process of R take R and the lines of the process behind
 *  it.  R may be NULL: then nothing is taken.  The line at hand stays. */
void gsym_filter_wait_take(struct queue *q, struct filter_record *r);
/** Whether HEAD, that of the queue, waits for more.  If so, the clock is due
 *  when HEAD has waited long enough. */
bool gsym_filter_waits(struct queue *q, const struct filter_record *head);
/** End the wait that HEAD, that of the queue, is the first line of, unless the
 *  wait is over: frames of its lines are compared with their symbols.  The line
 *  at hand is another one after that. */
void gsym_filter_wait_end(struct queue *q, const struct filter_record *head);
/** HEAD leaves the queue.  With the last line of a list the map of memory
 *  goes. */
void gsym_filter_wait_dequeue(const struct filter_record *head);

#endif
