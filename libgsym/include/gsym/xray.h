/* SPDX-License-Identifier: MIT */
/*
 * gsym/xray.h - read traces of LLVM's XRay: which function was entered and
 * left, when, by which thread; add calls up; and find the functions of a
 * program by their numbers in a trace.  The header of libgsym-xray.
 *
 *	struct gsym_xray_iter *iter;
 *	struct gsym_xray_event event;
 *	struct gsym_xray_log *log;
 *
 *	if (gsym_xray_open(bytes, size, NULL, &log, NULL) != GSYM_OK)
 *		return;
 *	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
 *		if (gsym_xray_events(log, i, &iter, NULL) != GSYM_OK)
 *			break;
 *		while (gsym_xray_next(iter, &event))
 *			use(&event);
 *		gsym_xray_iter_free(iter);
 *	}
 *	gsym_xray_close(log);
 *
 * Format: flight data recorder (FDR) traces of versions 1 to 5 and basic logs
 * of versions 1 to 3, in either byte order, as compiler-rt/lib/xray of LLVM
 * writes them; https://llvm.org/docs/XRayFDRFormat.html describes the former.
 * Sleds and their index are those of llvm/lib/XRay/InstrumentationMap.cpp.
 *
 * Damage costs what is damaged: the rest of a block as a rule.  It is reported
 * to a callback, once, when the trace is opened.
 *
 * Memory: the library reads the bytes of a trace from its caller and opens no
 * file.  A caller that maps the file can read a trace that is larger than
 * memory: an open trace keeps about 40 bytes for each block of 16 KiB.
 *
 * Times are ticks of the processor's time stamp counter unless said otherwise;
 * gsym_xray_nanoseconds converts differences of them.
 *
 * Functions: a trace numbers functions from 1 on.  gsym_xray_map_function turns
 * the number into the address that the program was linked to have the function
 * at, and gsym_lookup (gsym/reader.h) turns that into names.
 *
 * Threads: an open trace and an open map never change and may be used by any
 * number of threads at once.  Walks, stacks, trees and accounts belong to one
 * thread at a time.
 */
#ifndef GSYM_XRAY_H
#define GSYM_XRAY_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- traces ------------------------------------------------------------ */

/** An open trace.  Made by gsym_xray_open, freed by gsym_xray_close. */
struct gsym_xray_log;

/** The header, which is the first 32 bytes of a trace. */
struct gsym_xray_header {
	/** The version of the format: of FDR traces or of basic logs. */
	uint16_t version;
	/** A flight data recorder trace; else a basic log. */
	bool fdr;
	/** The byte order of the trace. */
	bool big_endian;
	/** The time stamp counter ticks at a constant rate; it never stops.
	 *  Both are of no use: runtimes set them on all machines. */
	bool constant_tsc, nonstop_tsc;
	/** Ticks a second; 0 if not known. */
	uint64_t frequency;
	/** Of FDR traces: bytes of a buffer.  Else 0. */
	uint64_t buffer_size;
};

/** Kinds of damage. */
enum gsym_xray_damage {
	/** The extents of a block reach beyond the file. */
	GSYM_XRAY_CLIPPED,
	/** A record does not fit into its block. */
	GSYM_XRAY_CUT,
	/** A metadata record of an unknown kind. */
	GSYM_XRAY_BAD_KIND,
	/** A function record that is neither an entry nor an exit. */
	GSYM_XRAY_BAD_ACTION,
	/** An end-of-buffer record inside a block. */
	GSYM_XRAY_BAD_END,
	/** An extents record inside a block. */
	GSYM_XRAY_BAD_EXTENTS,
	/** A custom or typed event of negative size. */
	GSYM_XRAY_BAD_SIZE,
	/** Bytes between two blocks that belong to neither. */
	GSYM_XRAY_SKIPPED,
	/** A block that names no thread; its events are in no walk. */
	GSYM_XRAY_NO_THREAD,
	/** The bytes of a custom or typed event were overwritten. */
	GSYM_XRAY_NO_PAYLOAD,
	/** An argument record that belongs to no call. */
	GSYM_XRAY_BAD_ARGUMENT,
	/** A record or the end of a block where runtimes do not write it; only
	 *  gsym_xray_check reports it. */
	GSYM_XRAY_OUT_OF_ORDER,
	GSYM_XRAY_DAMAGE_COUNT
};

/** A short, stable name of DAMAGE ("cut-record"), for summaries; NULL for
 *  unknown values.  The text lives as long as the program. */
GSYM_API const char *gsym_xray_damage_name(enum gsym_xray_damage damage);

/** Called for each DAMAGE, in the order of the file.  OFFSET is that of the
 *  record, in bytes from the start of the trace.  TEXT is one line that ends
 *  with the offset; it is valid during the call only. */
typedef void gsym_xray_damage_fn(void *context, enum gsym_xray_damage damage,
				 uint64_t offset, const char *text);

/** How a trace is opened.  A zeroed struct means: go on after damage, and
 *  report nothing. */
struct gsym_xray_options {
	/** Fail with GSYM_ERR_CORRUPT at the first damage instead of calling
	 *  DAMAGE. */
	bool strict;
	/** May be NULL. */
	gsym_xray_damage_fn *damage;
	/** Called now and then: DONE of TOTAL bytes are read.  Returns false to
	 *  stop, with GSYM_ERR_CANCELLED.  May be NULL. */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	/** The first argument of both callbacks, which are called on the thread
	 *  that opens the trace. */
	void *context;
};

/**
 * Open the trace of SIZE bytes at DATA, which have to stay as they are until
 * gsym_xray_close.  All of them are read once, to find damage and to make the
 * index of the blocks.  *RET becomes the trace.  OPTIONS may be NULL.
 *
 * GSYM_ERR_FORMAT: not a trace.  GSYM_ERR_UNSUPPORTED: a summary of XRay's
 * profiling mode, or a trace in YAML.  GSYM_ERR_CORRUPT: damage, with
 * OPTIONS->strict.  GSYM_ERR_CANCELLED: the progress callback returned false.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_xray_open(const void *data, uint64_t size,
	       const struct gsym_xray_options *options,
	       struct gsym_xray_log **ret, struct gsym_error *error);
/** Free LOG, which may be NULL.  Walks over it must not be used after that. */
GSYM_API void gsym_xray_close(struct gsym_xray_log *log);

/** Fill RET with the header of LOG. */
GSYM_API enum gsym_status gsym_xray_get_header(const struct gsym_xray_log *log,
					       struct gsym_xray_header *ret);

/** Set *FIRST and *LAST to the times of the earliest and of the latest event,
 *  in ticks.  Returns false, with both unchanged, if there are no events. */
GSYM_API bool gsym_xray_span(const struct gsym_xray_log *log, uint64_t *first,
			     uint64_t *last);

/** The nanoseconds that TICKS, a difference of two times, take at FREQUENCY
 *  ticks a second; TICKS itself if FREQUENCY is 0, which means that it is not
 *  known.  Rounded down.  Subtract times before converting them: times are too
 *  large to be exact. */
GSYM_API uint64_t gsym_xray_nanoseconds(uint64_t ticks, uint64_t frequency);

/** A thread of a traced process. */
struct gsym_xray_thread {
	/** 0 for versions that do not record it. */
	uint32_t pid;
	uint32_t tid;
	/** The number of events that can be read, and of entries and exits of
	 *  functions among them. */
	uint64_t events;
	uint64_t calls;
};

/** The number of threads of LOG. */
GSYM_API uint32_t gsym_xray_thread_count(const struct gsym_xray_log *log);
/** Fill RET with thread INDEX, from 0 on.  GSYM_NOT_FOUND: INDEX is too
 *  large. */
GSYM_API enum gsym_status gsym_xray_thread_at(const struct gsym_xray_log *log,
					      uint32_t index,
					      struct gsym_xray_thread *ret);

/* ---- events ------------------------------------------------------------ */

/** Kinds of events. */
enum gsym_xray_event_kind {
	/** FUNCTION is entered. */
	GSYM_XRAY_ENTER,
	/** FUNCTION returns. */
	GSYM_XRAY_EXIT,
	/** FUNCTION leaves by a jump to another function (tail call). */
	GSYM_XRAY_TAIL_EXIT,
	/** FUNCTION is entered, and its arguments were recorded. */
	GSYM_XRAY_ENTER_ARGUMENT,
	/** The program called __xray_customevent. */
	GSYM_XRAY_CUSTOM,
	/** The program called __xray_typedevent. */
	GSYM_XRAY_TYPED,
};

/** The most arguments of a call in a struct gsym_xray_event; further ones are
 *  skipped. */
#define GSYM_XRAY_ARGUMENTS 8

/** An event. */
struct gsym_xray_event {
	enum gsym_xray_event_kind kind;
	/** The number of the function; 0 for custom and typed events.  Bits 24
	 *  and up are the number of the shared object that it is in, 0 for the
	 *  program. */
	uint32_t function;
	/** The time in ticks. */
	uint64_t tsc;
	/** The thread, as in struct gsym_xray_thread. */
	uint32_t pid, tid;
	/** The number of the processor that it ran on. */
	uint16_t cpu;
	/** The type of a typed event; else 0. */
	uint16_t type;
	/** Offset of its record in the trace, in bytes. */
	uint64_t offset;
	/** The arguments of GSYM_XRAY_ENTER_ARGUMENT, at most
	 *  GSYM_XRAY_ARGUMENTS.  Valid until the next gsym_xray_next of the
	 *  walk. */
	uint32_t argument_count;
	const uint64_t *arguments;
	/** The SIZE bytes of a custom or typed event, which lie in the trace;
	 *  NULL if they were overwritten. */
	const uint8_t *data;
	uint32_t size;
};

/** A walk over events.  Freed with gsym_xray_iter_free. */
struct gsym_xray_iter;

/** Start a walk over the events of thread THREAD, an index from 0 on, in the
 *  order in which they happened.  GSYM_ERR_ARGUMENT: there is no such thread.
 *  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_xray_events(const struct gsym_xray_log *log,
					   uint32_t thread,
					   struct gsym_xray_iter **ret,
					   struct gsym_error *error);
/** Start a walk over the events of all threads by ascending time.  Events of
 *  one thread keep their order; at equal times the thread with the lower index
 *  comes first.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status
gsym_xray_timeline(const struct gsym_xray_log *log,
		   struct gsym_xray_iter **ret, struct gsym_error *error);
/** Fill RET with the next event.  Returns false if there are no more. */
GSYM_API bool gsym_xray_next(struct gsym_xray_iter *iter,
			     struct gsym_xray_event *ret);
/** Free ITER, which may be NULL. */
GSYM_API void gsym_xray_iter_free(struct gsym_xray_iter *iter);

/* ---- blocks and records ------------------------------------------------ */

/*
 * For tools that show a trace as it is.  Threads write their records into
 * buffers, and the runtime writes each buffer as a block.  A block begins with
 * metadata records (extents, new buffer, wall time, process, processor and
 * time); records of functions and events follow, with times relative to the
 * record before.
 */

/** A block of an FDR trace: the records that one thread wrote into one
 *  buffer. */
struct gsym_xray_block {
	/** Offsets of its first byte, and of the first byte that cannot be read
	 *  or is after the block. */
	uint64_t start, end;
	/** The thread, if HAS_THREAD. */
	bool has_thread;
	uint32_t pid, tid;
	/** When the block was begun: WALL_TIME in microseconds since the system
	 *  was started, TSC in ticks, if the block has them. */
	bool has_wall_time, has_tsc;
	uint64_t wall_time;
	uint64_t tsc;
};

/** The number of blocks of LOG; 0 for a basic log, which has none. */
GSYM_API uint32_t gsym_xray_block_count(const struct gsym_xray_log *log);
/** Fill RET with block INDEX, from 0 on in the order of the file.
 *  GSYM_NOT_FOUND: INDEX is too large. */
GSYM_API enum gsym_status gsym_xray_block_at(const struct gsym_xray_log *log,
					     uint32_t index,
					     struct gsym_xray_block *ret);

/** Kinds of records.  The first ten have the numbers of FDR metadata
 *  records. */
enum gsym_xray_record_kind {
	/** A thread (TID) begins a buffer. */
	GSYM_XRAY_NEW_BUFFER,
	/** The rest of the buffer is unused. */
	GSYM_XRAY_END_OF_BUFFER,
	/** The thread goes on on processor CPU at time TSC. */
	GSYM_XRAY_NEW_CPU,
	/** The time is TSC now: the delta did not fit into 32 bits. */
	GSYM_XRAY_TSC_WRAP,
	/** The buffer was begun at SECONDS and MICROSECONDS. */
	GSYM_XRAY_WALL_TIME,
	/** A custom event: DATA, and from version 5 on DELTA instead of TSC. */
	GSYM_XRAY_CUSTOM_EVENT,
	/** An argument, VALUE, of the call before. */
	GSYM_XRAY_ARGUMENT,
	/** The block that begins here has VALUE bytes. */
	GSYM_XRAY_EXTENTS,
	/** A typed event: TYPE, DATA and DELTA. */
	GSYM_XRAY_TYPED_EVENT,
	/** The process (PID) of the thread. */
	GSYM_XRAY_PID,
	/** An FDR function record of 8 bytes. */
	GSYM_XRAY_FUNCTION,
	/** A record of a basic log. */
	GSYM_XRAY_BASIC,
	/** A record of a basic log with an argument of the call before. */
	GSYM_XRAY_BASIC_ARGUMENT,
};

/** A record as it is in the file.  Fields that its kind does not have are 0.
 *  Passed by the library. */
struct gsym_xray_record {
	enum gsym_xray_record_kind kind;
	/** Offset in the trace. */
	uint64_t offset;
	/** Of a function: GSYM_XRAY_ENTER to GSYM_XRAY_ENTER_ARGUMENT. */
	enum gsym_xray_event_kind action;
	uint32_t function;
	/** Ticks since the record before; may be negative in events. */
	int64_t delta;
	/** The time in the record, in ticks, if it has one. */
	uint64_t tsc;
	/** The time in ticks after the record; of an event, its own time. */
	uint64_t now;
	uint16_t cpu;
	/** The type of a typed event. */
	uint16_t type;
	uint32_t pid, tid;
	/** Wall time. */
	uint64_t seconds;
	uint32_t microseconds;
	/** The value of an argument, or the bytes that extents count. */
	uint64_t value;
	/** The SIZE bytes of an event, as in struct gsym_xray_event. */
	const uint8_t *data;
	uint32_t size;
};

/** Called for each RECORD, which is valid during the call only.  Returns false
 *  to stop. */
typedef bool gsym_xray_record_fn(void *context,
				 const struct gsym_xray_record *record);

/** Hand every record of LOG that can be read to FN, in the order of the file.
 *  CONTEXT is the first argument of FN.  GSYM_ERR_CANCELLED: FN returned false.
 *  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_xray_records(const struct gsym_xray_log *log,
					    gsym_xray_record_fn *fn,
					    void *context,
					    struct gsym_error *error);

/**
 * Check that the records of an FDR trace come in the order in which runtimes
 * write them, and that no block ends too early.  Each violation is reported as
 * GSYM_XRAY_OUT_OF_ORDER, to OPTIONS->damage or by failing, as OPTIONS say;
 * they must not be NULL.  Violations do not keep a trace from being read.  A
 * basic log has none.
 *
 * GSYM_ERR_CORRUPT: a violation, with OPTIONS->strict.  GSYM_ERR_CANCELLED: the
 * progress callback returned false.
 */
GSYM_API enum gsym_status
gsym_xray_check(const struct gsym_xray_log *log,
		const struct gsym_xray_options *options,
		struct gsym_error *error);

/* ---- calls ------------------------------------------------------------- */

/*
 * A stack makes calls of the entries and exits of a thread, and hands each to a
 * function when it ends, callees before their caller:
 *
 *	static bool print(void *context, const struct gsym_xray_call *call)
 *	{
 *		printf("%*s#%" PRIu32 " took %" PRIu64 "\n",
 *		       2 * (int)call->depth, "", call->function,
 *		       call->leave - call->enter);
 *		return true;
 *	}
 *
 *	stack = gsym_xray_stack_new(NULL, print, NULL);
 *	while (gsym_xray_next(iter, &event))
 *		gsym_xray_stack_event(stack, &event);
 *	gsym_xray_stack_end(stack);
 *	gsym_xray_stack_free(stack);
 */

/** How a call ended. */
enum gsym_xray_end {
	/** The function returned. */
	GSYM_XRAY_RETURNED,
	/** The function left by a jump to another one. */
	GSYM_XRAY_TAIL_CALLED,
	/** Its exit is missing, but a function that called it, perhaps over
	 *  others, was left.  The duration is an upper bound. */
	GSYM_XRAY_INFERRED,
	/** The events of the thread end before it. */
	GSYM_XRAY_UNFINISHED,
};

/** A call that has ended.  Passed by the library. */
struct gsym_xray_call {
	/** The number of the function in the trace. */
	uint32_t function;
	/** The index of the function among those that the stack has met, from 0
	 *  on in the order of first appearance. */
	uint32_t index;
	enum gsym_xray_end end;
	/** The processor at the entry. */
	uint16_t cpu;
	/** The number of calls around it; 0 for the outermost call. */
	uint32_t depth;
	/** No other call of the same function is around it. */
	bool outermost;
	/** When it began and ended, and how long the calls in it took; in
	 *  ticks. */
	uint64_t enter, leave, children;
	/** What the gsym_xray_enter_fn returned for it and for its caller; 0 if
	 *  there is none. */
	uint64_t mark, caller_mark;
};

/** Counts of entries and exits that do not match. */
struct gsym_xray_repairs {
	/** Exits without an entry; they are ignored. */
	uint64_t orphans;
	/** Calls that ended with GSYM_XRAY_INFERRED. */
	uint64_t inferred;
	/** Calls that ended with GSYM_XRAY_UNFINISHED. */
	uint64_t unfinished;
	/** Calls whose end lies before their start, because clocks of
	 *  processors differ; they take 0 ticks. */
	uint64_t backwards;
};

/** Called when EVENT begins a call, whose caller has the mark CALLER_MARK (0
 *  for the outermost).  Returns the mark of the call, any value of the callee's
 *  choice. */
typedef uint64_t gsym_xray_enter_fn(void *context,
				    const struct gsym_xray_event *event,
				    uint64_t caller_mark);
/** Called when CALL has ended; CALL is valid during the call only.  Returns
 *  false if there is no memory, which gsym_xray_stack_event returns then. */
typedef bool gsym_xray_leave_fn(void *context,
				const struct gsym_xray_call *call);

/** The call stack of a thread, rebuilt from events. */
struct gsym_xray_stack;

/** A new stack that calls ENTER and LEAVE, which may be NULL, with CONTEXT.
 *  Its memory grows with the deepest stack and the number of functions.  NULL
 *  without memory. */
GSYM_API struct gsym_xray_stack *
gsym_xray_stack_new(gsym_xray_enter_fn *enter, gsym_xray_leave_fn *leave,
		    void *context);
/** Free STACK, which may be NULL.  Calls that have not ended are dropped. */
GSYM_API void gsym_xray_stack_free(struct gsym_xray_stack *stack);
/** Process EVENT, the next one of the thread.  Custom and typed events change
 *  nothing.  GSYM_ERR_MEMORY: also if LEAVE returned false; the stack must only
 *  be freed then. */
GSYM_API enum gsym_status
gsym_xray_stack_event(struct gsym_xray_stack *stack,
		      const struct gsym_xray_event *event);
/** The events of the thread end: calls that have not ended are unfinished.  The
 *  stack is empty then and may be used for another thread; the indexes of
 *  functions and the counts go on.  GSYM_ERR_MEMORY, as
 *  gsym_xray_stack_event. */
GSYM_API enum gsym_status gsym_xray_stack_end(struct gsym_xray_stack *stack);
/** Fill RET with the counts over all threads so far. */
GSYM_API enum gsym_status
gsym_xray_stack_repairs(const struct gsym_xray_stack *stack,
			struct gsym_xray_repairs *ret);

/* ---- call trees -------------------------------------------------------- */

/*
 * A tree adds up the calls that a stack hands to it.  For one tree of all
 * threads, feed the events of one thread after the other, each followed by
 * gsym_xray_stack_end:
 *
 *	tree = gsym_xray_tree_new(0);
 *	stack = gsym_xray_stack_new(gsym_xray_tree_enter, gsym_xray_tree_leave,
 *				    tree);
 *	...
 *	gsym_xray_tree_sort(tree);
 *	gsym_xray_tree_node(tree, 0, &root);
 *	for (uint32_t i = root.callee; i; i = node.sibling) {
 *		gsym_xray_tree_node(tree, i, &node);
 *		show(&node);
 *	}
 */

/** A node of a call tree: all calls of a function from the same callers. */
struct gsym_xray_node {
	/** The number of the function; of a node that gsym_xray_tree_root made,
	 *  its NUMBER. */
	uint32_t function;
	/** Numbers of nodes, 0 for none: the caller, which has a lower number;
	 *  and, after gsym_xray_tree_sort, the first callee, and the next
	 *  callee of the same caller. */
	uint32_t caller, callee, sibling;
	/** The number of calls. */
	uint64_t calls;
	/** Ticks with and without the callees. */
	uint64_t total, self;
	/** Of the calls, those that ended so. */
	uint64_t inferred, unfinished;
	/** Calls below this node that the limit left without a node: their
	 *  ticks are in SELF. */
	uint64_t merged;
};

/** A call tree: calls added up by function and callers. */
struct gsym_xray_tree;

/** A new tree of at most LIMIT nodes besides node 0 (0: no limit but that of
 *  2^30).  NULL without memory. */
GSYM_API struct gsym_xray_tree *gsym_xray_tree_new(uint32_t limit);
/** Free TREE, which may be NULL. */
GSYM_API void gsym_xray_tree_free(struct gsym_xray_tree *tree);
/** Let the outermost functions from now on be callees of a node whose FUNCTION
 *  is NUMBER and whose caller is node 0; the node is added if there is none.
 *  For a tree with a part for each thread, for example.  Returns false without
 *  memory.  If the limit leaves no room, node 0 is used. */
GSYM_API bool gsym_xray_tree_root(struct gsym_xray_tree *tree,
				  uint32_t number);
/** The functions that fill TREE: pass them to gsym_xray_stack_new as ENTER and
 *  LEAVE, with TREE as CONTEXT.  The marks of calls are for the library alone.
 *  Without memory gsym_xray_tree_enter returns 0, and gsym_xray_tree_leave
 *  false. */
GSYM_API uint64_t gsym_xray_tree_enter(void *tree,
				       const struct gsym_xray_event *event,
				       uint64_t caller_mark);
GSYM_API bool gsym_xray_tree_leave(void *tree,
				   const struct gsym_xray_call *call);
/** Add node NODE of the tree FROM to the present root of TREE, and all nodes
 *  below NODE to the nodes with the same callers below that root.  The limit of
 *  TREE does not count.  Returns false without memory; TREE has a part of the
 *  nodes then. */
GSYM_API bool gsym_xray_tree_add(struct gsym_xray_tree *tree,
				 const struct gsym_xray_tree *from,
				 uint32_t node);
/** Set CALLEE and SIBLING of all nodes.  The callees of a node come by
 *  descending TOTAL, then by ascending function.  Calls that are added later
 *  need another sort.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_xray_tree_sort(struct gsym_xray_tree *tree);
/** The number of nodes, with node 0, which is the caller of the outermost
 *  functions. */
GSYM_API uint32_t gsym_xray_tree_count(const struct gsym_xray_tree *tree);
/** Fill RET with node INDEX.  GSYM_NOT_FOUND: INDEX is too large. */
GSYM_API enum gsym_status gsym_xray_tree_node(const struct gsym_xray_tree *tree,
					      uint32_t index,
					      struct gsym_xray_node *ret);

/* ---- accounts ---------------------------------------------------------- */

/*
 * An account holds, for each function, how long its calls took:
 *
 *	account = gsym_xray_account_new(0);
 *	while (gsym_xray_next(iter, &event))
 *		gsym_xray_account_event(account, &event);
 *	gsym_xray_account_end(account);
 *	for (uint32_t i = 0; i < gsym_xray_account_count(account); i++)
 *		if (gsym_xray_account_get_row(account, i, &row) == GSYM_OK)
 *			show(&row);
 *	gsym_xray_account_free(account);
 */

/** How long the calls of a function took; times in ticks. */
struct gsym_xray_account_row {
	/** The number of the function in the trace. */
	uint32_t function;
	/** Calls that ended; of these, those whose exit is missing; and calls
	 *  that did not end, which no other member counts. */
	uint64_t calls, inferred, unfinished;
	/** Exits without an entry. */
	uint64_t orphans;
	/** Of the durations of single calls; 0 if there are none. */
	uint64_t min, median, percentile90, percentile99, max;
	/** Sums of durations: without calls inside another call of the function
	 *  (recursion), and of all calls. */
	uint64_t total, total_all;
	/** The sum of the durations of all calls, without that of the functions
	 *  that they called. */
	uint64_t self;
	/** Median and percentiles may be wrong by one percent, because the
	 *  budget had no room for every duration. */
	bool approximate;
	/** 0. */
	uint8_t reserved[7];
};

/** The durations of calls, by function. */
struct gsym_xray_account;

/** A new account that keeps up to BUDGET bytes of durations (0: 256 MiB).
 *  Beyond that the durations of functions with many of them become histograms.
 *  NULL without memory. */
GSYM_API struct gsym_xray_account *gsym_xray_account_new(uint64_t budget);
/** Free ACCOUNT, which may be NULL. */
GSYM_API void gsym_xray_account_free(struct gsym_xray_account *account);
/** Process EVENT, the next one of a thread.  GSYM_ERR_MEMORY: the account must
 *  only be freed then. */
GSYM_API enum gsym_status
gsym_xray_account_event(struct gsym_xray_account *account,
			const struct gsym_xray_event *event);
/** The events of the thread end; those of another thread may follow.
 *  GSYM_ERR_MEMORY, as gsym_xray_account_event. */
GSYM_API enum gsym_status
gsym_xray_account_end(struct gsym_xray_account *account);
/** As gsym_xray_stack_repairs, for the events of ACCOUNT. */
GSYM_API enum gsym_status
gsym_xray_account_repairs(const struct gsym_xray_account *account,
			  struct gsym_xray_repairs *ret);
/** The number of functions that were entered or left. */
GSYM_API uint32_t
gsym_xray_account_count(const struct gsym_xray_account *account);
/** Fill RET with function INDEX, from 0 on in the order of first appearance.
 *  The percentiles are computed by this call, after which no event may follow.
 *  GSYM_NOT_FOUND: INDEX is too large. */
GSYM_API enum gsym_status
gsym_xray_account_get_row(struct gsym_xray_account *account, uint32_t index,
			  struct gsym_xray_account_row *ret);

/* ---- instrumentation maps ---------------------------------------------- */

/*
 * The numbers of functions in a trace are positions in the section
 * "xray_instr_map" of the traced program.  A map is that section, decoded:
 *
 *	struct gsym_xray_section sleds = {
 *		.data = bytes, .size = size, .address = address, .word = 8 };
 *
 *	if (gsym_xray_map_open(&sleds, 1, &map, NULL) == GSYM_OK &&
 *	    gsym_xray_map_function(map, event.function & 0xffffff, &address,
 *				   &kinds) == GSYM_OK)
 *		gsym_lookup(reader, address, ...);
 */

/** A sled: a place in a function that the runtime patches to record an
 *  event. */
struct gsym_xray_sled {
	/** The address of the sled and that of its function, as the program was
	 *  linked. */
	uint64_t address;
	uint64_t function_address;
	/** The number of the function, from 1 on. */
	uint32_t function;
	/** 0: entry, 1: exit, 2: tail exit, 3: entry with arguments, 4: custom
	 *  event, 5: typed event.  Others are not known. */
	uint8_t kind;
	/** The function is always instrumented (xray_always_instrument). */
	bool always;
	/** The version of the sled: 0 and 1 have absolute addresses in the
	 *  section, 2 has relative ones. */
	uint8_t version;
	/** The name of the function, if the map was read from a text that has
	 *  it; else NULL.  Lives as long as the map. */
	const char *name;
};

/** A section of a program: "xray_instr_map", which has the sleds, or
 *  "xray_fn_idx", their index. */
struct gsym_xray_section {
	/** The contents, SIZE bytes, to which relocations have been applied.
	 *  Needed during the call only. */
	const void *data;
	uint64_t size;
	/** The address of the section, as the program was linked. */
	uint64_t address;
	/** Bytes of an address: 4 or 8. */
	unsigned word;
	/** The byte order of the program. */
	bool big_endian;
};

/** The sleds of a program, by function.  Made by gsym_xray_map_open or
 *  gsym_xray_map_parse, freed by gsym_xray_map_close. */
struct gsym_xray_map;

/**
 * Decode the sleds of the COUNT sections "xray_instr_map" at SECTIONS (a linked
 * program has one, a relocatable object may have several) and number their
 * functions as the runtime does: from 1 on, through all sections, a new number
 * where the address of the function changes.  *RET becomes the map.
 *
 * GSYM_ERR_ARGUMENT: the WORD of a section is neither 4 nor 8.
 * GSYM_ERR_CORRUPT: a section is no whole number of sleds.
 * GSYM_ERR_UNSUPPORTED: a sled of a version above 2.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_xray_map_open(const struct gsym_xray_section *sections, size_t count,
		   struct gsym_xray_map **ret, struct gsym_error *error);
/**
 * Read the sleds from the SIZE bytes of YAML at TEXT, as "llvm-xray extract"
 * and "gsym-xray extract" print them.  TEXT is needed during the call only.
 * *RET becomes the map.
 *
 * GSYM_ERR_CORRUPT: the text is malformed; the message names the line.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_xray_map_parse(const char *text, size_t size,
					      struct gsym_xray_map **ret,
					      struct gsym_error *error);
/**
 * Compare MAP, which was made of SECTION, with INDEX, the section "xray_fn_idx"
 * of the same program, in either of its formats: a relative address and a
 * number of sleds for each function, or two addresses.
 *
 * GSYM_ERR_CORRUPT: they differ, so the numbers of functions in a trace may
 * mean other functions than MAP says.
 */
GSYM_API enum gsym_status
gsym_xray_map_check_index(const struct gsym_xray_map *map,
			  const struct gsym_xray_section *section,
			  const struct gsym_xray_section *index,
			  struct gsym_error *error);
/** Free MAP, which may be NULL. */
GSYM_API void gsym_xray_map_close(struct gsym_xray_map *map);
/** The number of functions of MAP. */
GSYM_API uint32_t gsym_xray_map_functions(const struct gsym_xray_map *map);
/** Fill RET with sled INDEX, from 0 on in the order of the section; those of a
 *  function are next to each other.  GSYM_NOT_FOUND: INDEX is too large. */
GSYM_API enum gsym_status gsym_xray_map_sled_at(const struct gsym_xray_map *map,
						uint32_t index,
						struct gsym_xray_sled *ret);
/** The result of gsym_xray_map_index for a function that the map lacks. */
#define GSYM_XRAY_NO_INDEX UINT32_MAX
/** The index of the function with number FUNCTION among the functions of MAP,
 *  from 0 on: FUNCTION - 1, but for maps of a text, whose numbers may have
 *  gaps.  GSYM_XRAY_NO_INDEX: MAP has no such function. */
GSYM_API uint32_t gsym_xray_map_index(const struct gsym_xray_map *map,
				      uint32_t function);
/** Set *ADDRESS to the address of the function with number FUNCTION (bits 24
 *  and up, the shared object, have to be 0), and *KINDS to a set of the kinds
 *  of its sleds, 1 << KIND each.  GSYM_NOT_FOUND: MAP has no such function. */
GSYM_API enum gsym_status
gsym_xray_map_function(const struct gsym_xray_map *map, uint32_t function,
		       uint64_t *address, unsigned *kinds);
/** The name of the function with number FUNCTION, if MAP was read from a text
 *  that has it; else NULL.  Lives as long as MAP. */
GSYM_API const char *gsym_xray_map_name(const struct gsym_xray_map *map,
					uint32_t function);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_XRAY_H */
