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

#ifdef __cplusplus
}
#endif
#endif /* GSYM_XRAY_H */
