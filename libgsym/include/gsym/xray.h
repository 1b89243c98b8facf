/* SPDX-License-Identifier: MIT */
/*
 * gsym/xray.h - traces of LLVM's XRay: which function was entered and left,
 * when, by which thread.
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
 * Read are flight data recorder (FDR) traces of versions 1 to 5 and basic
 * logs of versions 1 to 3, in either byte order.  A damaged block costs what
 * is damaged in it and a warning.
 *
 * The library takes the bytes of a trace and of a binary's sled section from
 * its caller and knows no files: a caller that maps a trace can read one that
 * is larger than memory.  What is kept is an index of the blocks, some 40
 * bytes for 16 KiB of trace.
 *
 * A trace numbers functions.  gsym_xray_map turns the numbers into addresses,
 * gsym_lookup (gsym/reader.h) turns those into names.
 */
#ifndef GSYM_XRAY_H
#define GSYM_XRAY_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- traces ------------------------------------------------------------ */

struct gsym_xray_log;

/** What the first 32 bytes of a trace say. */
struct gsym_xray_header {
	uint16_t version;
	/** Flight data recorder; else basic mode. */
	bool fdr;
	bool big_endian;
	/** Hints: runtimes always set them. */
	bool constant_tsc, nonstop_tsc;
	/** Ticks a second; 0 if not known. */
	uint64_t frequency;
	/** FDR: bytes of a buffer. */
	uint64_t buffer_size;
};

/** What can be wrong with a trace. */
enum gsym_xray_damage {
	GSYM_XRAY_CLIPPED,      /**< a block reaches beyond the file */
	GSYM_XRAY_CUT,          /**< a record does not fit into its block */
	GSYM_XRAY_BAD_KIND,     /**< metadata of an unknown kind */
	GSYM_XRAY_BAD_ACTION,   /**< neither an entry nor an exit */
	GSYM_XRAY_BAD_END,      /**< an end of buffer where there is none */
	GSYM_XRAY_BAD_EXTENTS,  /**< an extents record within a block */
	GSYM_XRAY_BAD_SIZE,     /**< an event whose size cannot be */
	GSYM_XRAY_SKIPPED,      /**< bytes that belong to no block */
	GSYM_XRAY_NO_THREAD,    /**< a block that names no thread */
	GSYM_XRAY_NO_PAYLOAD,   /**< an event's bytes were overwritten */
	GSYM_XRAY_BAD_ARGUMENT, /**< an argument that belongs to no call */
	GSYM_XRAY_OUT_OF_ORDER, /**< see gsym_xray_check */
	GSYM_XRAY_DAMAGE_COUNT
};

/** A short, stable name ("cut-record"); NULL if DAMAGE is none. */
GSYM_API const char *gsym_xray_damage_name(enum gsym_xray_damage damage);

/** Called for each damage; TEXT ends with the offset. */
typedef void gsym_xray_damage_fn(void *context, enum gsym_xray_damage damage,
				 uint64_t offset, const char *text);

struct gsym_xray_options {
	/** The first damage makes opening fail with GSYM_ERR_CORRUPT. */
	bool strict;
	/** May be NULL. */
	gsym_xray_damage_fn *damage;
	/** Called now and then with the bytes that were read; false stops.
	 *  May be NULL. */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/**
 * Read the trace of SIZE bytes at DATA, which has to stay until it is closed,
 * and make the index of its blocks.  OPTIONS may be NULL.  GSYM_ERR_FORMAT:
 * not a trace.  GSYM_ERR_UNSUPPORTED: XRay's, but not a trace.
 */
GSYM_API enum gsym_status
gsym_xray_open(const void *data, uint64_t size,
	       const struct gsym_xray_options *options,
	       struct gsym_xray_log **ret, struct gsym_error *error);
GSYM_API void gsym_xray_close(struct gsym_xray_log *log);

GSYM_API void gsym_xray_header(const struct gsym_xray_log *log,
			       struct gsym_xray_header *ret);

/** The earliest and the latest time of an event, in ticks; false if there
 *  is no event. */
GSYM_API bool gsym_xray_span(const struct gsym_xray_log *log, uint64_t *first,
			     uint64_t *last);

/** Nanoseconds that TICKS take at FREQUENCY; TICKS itself if that is 0.
 *  Subtract times first, convert then. */
GSYM_API uint64_t gsym_xray_nanoseconds(uint64_t ticks, uint64_t frequency);

/** A thread of a process. */
struct gsym_xray_thread {
	/** 0 in versions that do not say. */
	uint32_t pid;
	uint32_t tid;
	/** What it has, without the blocks that nothing can be read of. */
	uint64_t events;
	uint64_t calls;
};

GSYM_API uint32_t gsym_xray_thread_count(const struct gsym_xray_log *log);
/** GSYM_NOT_FOUND if INDEX is too large. */
GSYM_API enum gsym_status
gsym_xray_thread_at(const struct gsym_xray_log *log, uint32_t index,
		    struct gsym_xray_thread *ret);

/* ---- events ------------------------------------------------------------ */

enum gsym_xray_event_kind {
	GSYM_XRAY_ENTER,
	GSYM_XRAY_EXIT,
	/** FUNCTION leaves by a jump to another one. */
	GSYM_XRAY_TAIL_EXIT,
	/** An entry with arguments. */
	GSYM_XRAY_ENTER_ARGUMENT,
	GSYM_XRAY_CUSTOM,
	GSYM_XRAY_TYPED,
};

/** Arguments of a call that are handed on; more are read over. */
#define GSYM_XRAY_ARGUMENTS 8

/** What happened. */
struct gsym_xray_event {
	enum gsym_xray_event_kind kind;
	/** Number of a function, 0 for custom and typed events.  Bits 24 and
	 *  up are the number of a shared object. */
	uint32_t function;
	/** In ticks. */
	uint64_t tsc;
	uint32_t pid, tid;
	uint16_t cpu;
	/** Of a typed event. */
	uint16_t type;
	/** Where its record is. */
	uint64_t offset;
	/** Arguments, as far as there is room; they live until the next
	 *  event. */
	uint32_t argument_count;
	const uint64_t *arguments;
	/** The bytes of a custom or typed event; NULL if they were lost. */
	const uint8_t *data;
	uint32_t size;
};

struct gsym_xray_iter;

/** Walk over the events of the THREADth thread, in the order in which they
 *  happened. */
GSYM_API enum gsym_status gsym_xray_events(const struct gsym_xray_log *log,
					   uint32_t thread,
					   struct gsym_xray_iter **ret,
					   struct gsym_error *error);
/** Walk over the events of all threads by time; equal times keep the order
 *  within a thread. */
GSYM_API enum gsym_status
gsym_xray_timeline(const struct gsym_xray_log *log,
		   struct gsym_xray_iter **ret, struct gsym_error *error);
/** The next event; false behind the last one. */
GSYM_API bool gsym_xray_next(struct gsym_xray_iter *iter,
			     struct gsym_xray_event *ret);
GSYM_API void gsym_xray_iter_free(struct gsym_xray_iter *iter);

/* ---- blocks and records ------------------------------------------------ */

/** The records that one thread wrote in one piece. */
struct gsym_xray_block {
	/** Where it starts and where what can be read of it ends. */
	uint64_t start, end;
	bool has_thread;
	uint32_t pid, tid;
	/** When the block was begun, in microseconds since the system was
	 *  started, and in ticks. */
	bool has_wall_time, has_tsc;
	uint64_t wall_time;
	uint64_t tsc;
};

GSYM_API uint32_t gsym_xray_block_count(const struct gsym_xray_log *log);
/** The INDEXth block in file order.  GSYM_NOT_FOUND if INDEX is too large.  A
 *  basic log has none: its blocks are the library's own. */
GSYM_API enum gsym_status
gsym_xray_block_at(const struct gsym_xray_log *log, uint32_t index,
		   struct gsym_xray_block *ret);

/** Records, by the numbers that FDR traces give metadata. */
enum gsym_xray_record_kind {
	GSYM_XRAY_NEW_BUFFER,
	GSYM_XRAY_END_OF_BUFFER,
	GSYM_XRAY_NEW_CPU,
	GSYM_XRAY_TSC_WRAP,
	GSYM_XRAY_WALL_TIME,
	GSYM_XRAY_CUSTOM_EVENT,
	GSYM_XRAY_ARGUMENT,
	GSYM_XRAY_EXTENTS,
	GSYM_XRAY_TYPED_EVENT,
	GSYM_XRAY_PID,
	/** A function record of 8 bytes. */
	GSYM_XRAY_FUNCTION,
	/** The records of basic logs. */
	GSYM_XRAY_BASIC,
	GSYM_XRAY_BASIC_ARGUMENT,
};

/** A record as it is in the file.  Fields that its kind does not have are
 *  0. */
struct gsym_xray_record {
	enum gsym_xray_record_kind kind;
	uint64_t offset;
	/** GSYM_XRAY_ENTER to GSYM_XRAY_ENTER_ARGUMENT. */
	enum gsym_xray_event_kind action;
	uint32_t function;
	/** Ticks since the record before; signed in events. */
	int64_t delta;
	/** Time as it is in the record, if it has one. */
	uint64_t tsc;
	/** The time that applies once the record was read. */
	uint64_t now;
	uint16_t cpu;
	uint16_t type;
	uint32_t pid, tid;
	uint64_t seconds;
	uint32_t microseconds;
	/** An argument; the size in an extents record. */
	uint64_t value;
	const uint8_t *data;
	uint32_t size;
};

/** Called for each record; false stops. */
typedef bool gsym_xray_record_fn(void *context,
				 const struct gsym_xray_record *record);

/** Hand every record that can be read to FN, in file order. */
GSYM_API enum gsym_status gsym_xray_records(const struct gsym_xray_log *log,
					    gsym_xray_record_fn *fn,
					    void *context,
					    struct gsym_error *error);

/** Tell OPTIONS, as opening does, which records of an FDR trace stand where
 *  runtimes do not put them, and which blocks end too early.  What cannot be
 *  read at all is damage, which opening reports.  Reading copes with both. */
GSYM_API enum gsym_status
gsym_xray_check(const struct gsym_xray_log *log,
		const struct gsym_xray_options *options,
		struct gsym_error *error);

/* ---- calls ------------------------------------------------------------- */

/** How a call ended. */
enum gsym_xray_end {
	GSYM_XRAY_RETURNED,
	/** By a jump to another function. */
	GSYM_XRAY_TAIL_CALLED,
	/** Its exit is missing; an outer function left.  Its duration is an
	 *  upper bound. */
	GSYM_XRAY_INFERRED,
	/** The thread's events ended first. */
	GSYM_XRAY_UNFINISHED,
};

/** A call that ended. */
struct gsym_xray_call {
	uint32_t function;
	/** The functions that a gsym_xray_stack meets are numbered from 0. */
	uint32_t index;
	enum gsym_xray_end end;
	uint16_t cpu;
	/** 0 for the outermost call. */
	uint32_t depth;
	/** No other call of the same function was under way around it. */
	bool outermost;
	/** It began and ended; the ticks that its callees took. */
	uint64_t enter, leave, children;
	/** What ENTER returned for it and for its caller (0: none). */
	uint64_t mark, caller_mark;
};

/** What could not be matched. */
struct gsym_xray_repairs {
	uint64_t orphans;    /**< exits without an entry */
	uint64_t inferred;
	uint64_t unfinished;
	uint64_t backwards;  /**< calls whose end lies before their start */
};

/** Called when a call begins, with the mark of its caller; returns its own.
 *  May be NULL. */
typedef uint64_t gsym_xray_enter_fn(void *context,
				    const struct gsym_xray_event *event,
				    uint64_t caller_mark);
/** Called when a call has ended; false: no memory. */
typedef bool gsym_xray_leave_fn(void *context,
				const struct gsym_xray_call *call);

struct gsym_xray_stack;

/** The call stack of a thread.  Memory: that of the deepest stack, and of
 *  the functions.  NULL without memory. */
GSYM_API struct gsym_xray_stack *
gsym_xray_stack_new(gsym_xray_enter_fn *enter, gsym_xray_leave_fn *leave,
		    void *context);
GSYM_API void gsym_xray_stack_free(struct gsym_xray_stack *stack);
/** Let EVENT happen.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status
gsym_xray_stack_event(struct gsym_xray_stack *stack,
		      const struct gsym_xray_event *event);
/** The thread has ended: what is still open is unfinished.  Another thread
 *  may follow. */
GSYM_API enum gsym_status gsym_xray_stack_end(struct gsym_xray_stack *stack);
GSYM_API void gsym_xray_stack_repairs(const struct gsym_xray_stack *stack,
				      struct gsym_xray_repairs *ret);

/* ---- call trees -------------------------------------------------------- */

/** All calls with the same function and the same callers. */
struct gsym_xray_node {
	uint32_t function;
	/** Nodes: its caller, the first of its callees, and the next callee of
	 *  its caller; 0 for none.  A caller has a lower number than its
	 *  callees. */
	uint32_t caller, callee, sibling;
	uint64_t calls;
	/** Ticks, with and without the callees. */
	uint64_t total, self;
	uint64_t inferred, unfinished;
	/** Calls that the tree had no room for: their ticks are in SELF. */
	uint64_t merged;
};

struct gsym_xray_tree;

/** A tree of at most LIMIT nodes (0: as many as there are stacks).  NULL
 *  without memory. */
GSYM_API struct gsym_xray_tree *gsym_xray_tree_new(uint32_t limit);
GSYM_API void gsym_xray_tree_free(struct gsym_xray_tree *tree);
/** From now on the outermost functions are callees of a node whose "function"
 *  is NUMBER: one for each thread, for instance.  False without memory. */
GSYM_API bool gsym_xray_tree_root(struct gsym_xray_tree *tree,
				  uint32_t number);
/** What fills the tree: a gsym_xray_enter_fn and a gsym_xray_leave_fn, with
 *  the tree as their context and the mark of the one for the other. */
GSYM_API uint64_t gsym_xray_tree_enter(void *tree,
				       const struct gsym_xray_event *event,
				       uint64_t caller_mark);
GSYM_API bool gsym_xray_tree_leave(void *tree,
				   const struct gsym_xray_call *call);
/** Add the callees of NODE of FROM, and theirs, to those of TREE's root,
 *  whatever its limit.  False without memory. */
GSYM_API bool gsym_xray_tree_add(struct gsym_xray_tree *tree,
				 const struct gsym_xray_tree *from,
				 uint32_t node);
/** Chain the callees of each node, those with the greatest total first.
 *  Until then callee and sibling are 0.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_xray_tree_sort(struct gsym_xray_tree *tree);
/** Nodes, with number 0, which is the caller of the outermost functions. */
GSYM_API uint32_t gsym_xray_tree_count(const struct gsym_xray_tree *tree);
/** GSYM_NOT_FOUND if INDEX is too large. */
GSYM_API enum gsym_status
gsym_xray_tree_node(const struct gsym_xray_tree *tree, uint32_t index,
		    struct gsym_xray_node *ret);

/* ---- accounts ---------------------------------------------------------- */

/** What the calls of a function took, in ticks. */
struct gsym_xray_account_row {
	uint32_t function;
	/** Calls that ended, those among them whose exit is missing, and
	 *  calls that did not end; these are in no other number. */
	uint64_t calls, inferred, unfinished;
	/** Exits without an entry. */
	uint64_t orphans;
	uint64_t min, median, percentile90, percentile99, max;
	/** Time between entry and exit; of recursive calls that of the
	 *  outermost alone, and that of all. */
	uint64_t total, total_all;
	/** The same without the callees. */
	uint64_t self;
	/** Median and percentiles are within one percent: there was no room
	 *  for every duration. */
	bool approximate;
};

struct gsym_xray_account;

/** An account that keeps up to BUDGET bytes of durations (0: 256 MiB).  NULL
 *  without memory. */
GSYM_API struct gsym_xray_account *gsym_xray_account_new(uint64_t budget);
GSYM_API void gsym_xray_account_free(struct gsym_xray_account *account);
/** Let an event of a thread happen.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status
gsym_xray_account_event(struct gsym_xray_account *account,
			const struct gsym_xray_event *event);
/** End the thread; another one may follow. */
GSYM_API enum gsym_status
gsym_xray_account_end(struct gsym_xray_account *account);
GSYM_API void
gsym_xray_account_repairs(const struct gsym_xray_account *account,
			  struct gsym_xray_repairs *ret);
/** Functions that were called, or left. */
GSYM_API uint32_t
gsym_xray_account_count(const struct gsym_xray_account *account);
/** The row of the INDEXth function, in the order in which they came.
 *  Computes the percentiles; no event may follow.  GSYM_NOT_FOUND. */
GSYM_API enum gsym_status
gsym_xray_account_row(struct gsym_xray_account *account, uint32_t index,
		      struct gsym_xray_account_row *ret);

/* ---- instrumentation maps ---------------------------------------------- */

/** A place that the runtime patches. */
struct gsym_xray_sled {
	uint64_t address;
	uint64_t function_address;
	/** Number of the function, from 1 on. */
	uint32_t function;
	/** 0 entry, 1 exit, 2 tail exit, 3 entry with argument, 4 custom
	 *  event, 5 typed event; others are unknown. */
	uint8_t kind;
	bool always;
	uint8_t version;
	/** The function's name, in text alone; else NULL. */
	const char *name;
};

/** A section of a program: a table of sleds, or their index. */
struct gsym_xray_section {
	/** SIZE bytes, in which relocations have been applied. */
	const void *data;
	uint64_t size;
	/** The address that the program was linked to have the section at. */
	uint64_t address;
	/** Bytes of an address: 4 or 8. */
	unsigned word;
	bool big_endian;
};

struct gsym_xray_map;

/**
 * Decode the sleds of the COUNT sections at SECTIONS ("xray_instr_map"); a
 * relocatable object has several.  Functions are numbered from 1 on, through
 * all sections.  The sections are not needed after this call; the caller hands
 * *RET to gsym_xray_map_close.
 *
 * GSYM_ERR_CORRUPT: a section is no whole number of sleds;
 * GSYM_ERR_UNSUPPORTED: a sled has an unknown version; GSYM_ERR_ARGUMENT: the
 * word of a section is neither 4 nor 8; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_xray_map_open(const struct gsym_xray_section *sections, size_t count,
		   struct gsym_xray_map **ret, struct gsym_error *error);
/** Read the SIZE bytes of YAML at TEXT that "llvm-xray extract" or "gsym-xray
 *  extract" printed.  GSYM_ERR_CORRUPT names the line. */
GSYM_API enum gsym_status gsym_xray_map_parse(const char *text, size_t size,
					      struct gsym_xray_map **ret,
					      struct gsym_error *error);
/** Compare MAP, which is that of SECTION, with INDEX ("xray_fn_idx") of the
 *  same binary.  GSYM_ERR_CORRUPT: they differ, so that numbers of functions
 *  may mean others than MAP says. */
GSYM_API enum gsym_status
gsym_xray_map_check_index(const struct gsym_xray_map *map,
			  const struct gsym_xray_section *section,
			  const struct gsym_xray_section *index,
			  struct gsym_error *error);
GSYM_API void gsym_xray_map_close(struct gsym_xray_map *map);
GSYM_API uint32_t gsym_xray_map_functions(const struct gsym_xray_map *map);
GSYM_API uint32_t gsym_xray_map_sleds(const struct gsym_xray_map *map);
GSYM_API enum gsym_status
gsym_xray_map_sled_at(const struct gsym_xray_map *map, uint32_t index,
		      struct gsym_xray_sled *ret);
#define GSYM_XRAY_NO_INDEX UINT32_MAX
/** Which of the functions, from 0 on, has the number FUNCTION;
 *  GSYM_XRAY_NO_INDEX if none has. */
GSYM_API uint32_t gsym_xray_map_index(const struct gsym_xray_map *map,
				      uint32_t function);
/** The address of FUNCTION (1 and up, without the object's number), and a
 *  bit for each kind of sled that it has.  GSYM_NOT_FOUND. */
GSYM_API enum gsym_status
gsym_xray_map_function(const struct gsym_xray_map *map, uint32_t function,
		       uint64_t *address, unsigned *kinds);
/** The name of FUNCTION in a map of text; NULL if it has none. */
GSYM_API const char *gsym_xray_map_name(const struct gsym_xray_map *map,
					uint32_t function);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_XRAY_H */
