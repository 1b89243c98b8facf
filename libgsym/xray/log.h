/* SPDX-License-Identifier: MIT */
/*
 * xray/log.h - an open trace, and what the files of this room share:
 *
 *	log.c      open a trace, tell what its header says; the first walk: find
 *	           blocks and threads, sort the blocks of each thread
 *	events.c   decode one record; report damage; later walks: events of a
 *	           thread, or of all by time; records, and whether they come in
 *	           the order that runtimes write
 *	tree.c     calls, from the events of a thread; their tree
 *	account.c  durations of the calls of each function
 *	sleds.c    an instrumentation map, from sections of a program or YAML
 *
 * The first walk checks every record and notes from where to where each block
 * can be read.  Later walks read these parts alone, so damage is reported
 * once.  None of the files knows files, ELF or GSYM.
 */
#ifndef GSYM_XRAY_LOG_H
#define GSYM_XRAY_LOG_H

#include "base/cursor.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/vec.h"

#include <gsym/xray.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	XRAY_HEADER_SIZE = 32,
	XRAY_META_SIZE = 16,
	XRAY_FUNCTION_SIZE = 8,
	XRAY_BASIC_SIZE = 32,
	/* The most bytes of a basic log for one entry of the index. */
	XRAY_BASIC_SPAN = 16384,
};

#define XRAY_NO_THREAD UINT32_MAX

/* An entry of the index: a block of an FDR trace, or a part of a basic log
 * with records of one thread, perhaps between records of other threads. */
struct xray_block {
	uint64_t start;
	uint64_t end;
	uint64_t wall_time;
	uint64_t tsc;
	uint32_t thread;
	bool has_wall_time;
	bool has_tsc;
	/* The block's last record is an event whose bytes were overwritten. */
	bool lost_payload;
};

/* A thread.  Its blocks are COUNT of the log's ORDER, from FIRST on. */
struct xray_thread {
	struct gsym_xray_thread known;
	uint32_t first, count;
	/* Basic logs: the latest block, as index + 1; 0: none. */
	uint32_t open;
	/* One of the blocks has no wall time. */
	bool lacks_wall_time;
};

struct gsym_xray_log {
	const uint8_t *data;
	uint64_t size;
	bool swap;
	struct gsym_xray_header header;
	/* The times of the earliest and of the latest event; FIRST_TSC is
	 * greater than LAST_TSC if there are no events. */
	uint64_t first_tsc, last_tsc;
	/* Some events come before the first time of their block: they carry
	 * on with the time at the end of the thread's previous block, which
	 * the first walk does not know. */
	bool carried;
	struct { GSYM_VEC(struct xray_block); } blocks;
	struct { GSYM_VEC(struct xray_thread); } threads;
	/* Process and thread of each of THREADS, by its index. */
	struct gsym_intern ids;
	/* Indexes of blocks, sorted by thread, then by time. */
	uint32_t *order;
};

/* Extend the span of LOG to TIME, the time of an event. */
static inline void xray_add_time(struct gsym_xray_log *log, uint64_t time)
{
	if (time < log->first_tsc)
		log->first_tsc = time;
	if (time > log->last_tsc)
		log->last_tsc = time;
}

/* What decoding returns if a record is not damaged. */
#define XRAY_SOUND GSYM_XRAY_DAMAGE_COUNT

/* Decode the record at offset AT of a block that ends at END into RECORD, all
 * but its NOW, and set *NEXT to the offset of the record after it.  After
 * GSYM_XRAY_CUT an event's RECORD has all but DATA; after other damage, and
 * *NEXT after any, there is nothing of use. */
enum gsym_xray_damage gsym_xray_decode(const struct gsym_xray_log *log,
				       uint64_t at, uint64_t end,
				       struct gsym_xray_record *record,
				       uint64_t *next);
/* Decode the 32 bytes at offset AT of a basic log into RECORD. */
enum gsym_xray_damage gsym_xray_decode_basic(const struct gsym_xray_log *log,
					     uint64_t at,
					     struct gsym_xray_record *record);

/* Whether RECORD, an argument of a basic log, belongs to the call BEFORE. */
bool gsym_xray_argument_belongs(const struct gsym_xray_record *before,
				const struct gsym_xray_record *record);

/* Whether the byte at P starts a function record. */
static inline bool xray_is_function(const struct gsym_xray_log *log,
				    const uint8_t *p)
{
	return log->header.big_endian ? !(*p & 0x80) : !(*p & 1);
}

/* The first byte of metadata of KIND. */
static inline uint8_t xray_first_byte(const struct gsym_xray_log *log,
				      enum gsym_xray_record_kind kind)
{
	return log->header.big_endian ? 0x80 | kind : kind << 1 | 1;
}

/* The action in the first WORD of a function record: GSYM_XRAY_ENTER and so
 * on, or a number without meaning. */
static inline unsigned xray_action(const struct gsym_xray_log *log,
				   uint32_t word)
{
	return log->header.big_endian ? word >> 28 & 7 : word >> 1 & 7;
}

/* The number of the function in the first WORD of a function record. */
static inline uint32_t xray_function(const struct gsym_xray_log *log,
				     uint32_t word)
{
	return log->header.big_endian ? word & 0x0fffffff : word >> 4;
}

/* The time and the processor of a thread at the record that is being read. */
struct xray_state {
	uint64_t base;
	uint16_t cpu;
	/* A record has set BASE; if false, BASE counts from an unknown time. */
	bool known;
};

/* Custom and typed events before version 5 have times of their own.  One that
 * is not within this number of ticks after the thread's time is ignored,
 * because some releases wrote it to a wrong place. */
#define XRAY_EVENT_REACH (UINT64_C(1) << 45)

/* Advance STATE by RECORD and set RECORD's NOW: the time of an event, or the
 * time that applies after any other record.  VERSION is the log's. */
static inline void xray_advance(struct xray_state *state, unsigned version,
				struct gsym_xray_record *record)
{
	switch (record->kind) {
	case GSYM_XRAY_NEW_CPU:
		state->cpu = record->cpu;
		state->base = record->tsc;
		state->known = true;
		break;
	case GSYM_XRAY_TSC_WRAP:
		state->base = record->tsc;
		state->known = true;
		break;
	case GSYM_XRAY_FUNCTION:
		state->base += (uint64_t)record->delta;
		break;
	case GSYM_XRAY_CUSTOM_EVENT:
	case GSYM_XRAY_TYPED_EVENT:
		if (version >= 5) {
			state->base += (uint64_t)record->delta;
			break;
		}
		/* The event's own time does not change the thread's. */
		record->now = state->base;
		if (record->tsc - state->base < XRAY_EVENT_REACH)
			record->now = record->tsc;
		return;
	case GSYM_XRAY_BASIC:
		state->base = record->tsc;
		state->cpu = record->cpu;
		break;
	default:
		break;
	}
	record->now = state->base;
}

/* The processor that RECORD was written on: that of STATE, but that custom
 * events of version 4 have a field for it. */
static inline uint16_t xray_cpu(const struct xray_state *state,
				unsigned version,
				const struct gsym_xray_record *record)
{
	if (record->kind == GSYM_XRAY_CUSTOM_EVENT && version == 4)
		return record->cpu;
	return state->cpu;
}

/* tree.c: the number of functions that STACK has met. */
uint32_t gsym_xray_stack_functions(const struct gsym_xray_stack *stack);
/* tree.c: the number of exits without an entry of the function with INDEX.
 * *FUNCTION is its number in the trace. */
uint64_t gsym_xray_stack_orphans(const struct gsym_xray_stack *stack,
				 uint32_t index, uint32_t *function);

/* A walk that reports damage. */
struct xray_scan {
	const struct gsym_xray_log *log;
	const struct gsym_xray_options *options;
	struct gsym_error *error;
	/* Not GSYM_OK: the walk has to stop. */
	enum gsym_status status;
};

/* Report DAMAGE at OFFSET.  The text is what FORMAT makes of the
 * further parameters, and the offset.  False if the walk has to stop. */
bool gsym_xray_damaged(struct xray_scan *walk, enum gsym_xray_damage damage,
		       uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Tell that WALK is at offset AT.  False if it has to stop. */
bool gsym_xray_progress(struct xray_scan *walk, uint64_t at);

/* Let the span cover the events whose times are carried over from
 * the previous block.  Needs the order of the blocks. */
void gsym_xray_add_carried_times(struct gsym_xray_log *log);

#endif
