/* SPDX-License-Identifier: MIT */
/*
 * xray/log.h - the parts of the trace codec.
 *
 * Opening reads a trace once (index.c): it finds the blocks, checks every
 * record, reports what is damaged, and notes from where to where each block
 * can be read.  Later walks (events.c, records.c) go over those parts alone,
 * so damage is reported once.  The room knows bytes and offsets; it never
 * knows files, ELF or GSYM.
 */
#ifndef GSYM_XRAY_LOG_H
#define GSYM_XRAY_LOG_H

#include "base/bytes.h"
#include "base/vec.h"

#include <gsym/xray.h>

enum {
	XRAY_HEADER_SIZE = 32,
	XRAY_META_SIZE = 16,
	XRAY_FUNCTION_SIZE = 8,
	XRAY_BASIC_SIZE = 32,
	/* What one entry of the index may cover in a basic log. */
	XRAY_BASIC_SPAN = 16384,
};

#define XRAY_NO_THREAD UINT32_MAX

/* One entry of the index; 40 bytes. */
struct xray_block {
	uint64_t start;
	uint64_t end;
	uint64_t wall_time;
	uint64_t tsc;
	uint32_t thread;
	bool has_wall_time;
	bool has_tsc;
	/* Its last record is an event whose bytes were overwritten. */
	bool lost_payload;
};

/* A thread: its blocks are ORDER[FIRST] to ORDER[FIRST + COUNT - 1]. */
struct xray_thread {
	struct gsym_xray_thread known;
	uint32_t first, count;
	/* Basic logs: the block that grows, as number + 1. */
	uint32_t open;
};

struct gsym_xray_log {
	const uint8_t *data;
	uint64_t size;
	bool swap;
	struct gsym_xray_header header;
	uint64_t first_tsc, last_tsc;
	/* The index does not know the time of some events: their blocks carry
	 * on with that of the thread's block before. */
	bool carried;
	struct { GSYM_VEC(struct xray_block); } blocks;
	struct { GSYM_VEC(struct xray_thread); } threads;
	/* Open addressing: number of a thread + 1; a power of two. */
	struct { GSYM_VEC(uint32_t); } slots;
	uint32_t *order;
};

/* An event of this time is in the log. */
static inline void xray_add_time(struct gsym_xray_log *log, uint64_t time)
{
	if (time < log->first_tsc)
		log->first_tsc = time;
	if (time > log->last_tsc)
		log->last_tsc = time;
}

/* What came of decoding one record. */
enum xray_decoded {
	XRAY_OK,
	XRAY_CUT,
	XRAY_BAD_KIND,
	XRAY_BAD_ACTION,
	XRAY_BAD_END,
	XRAY_BAD_SIZE,
};

/* Fill RECORD with the record at AT of a block that ends at END, and set
 * *NEXT to what follows.  NOW is not filled. */
enum xray_decoded gsym_xray_decode(const struct gsym_xray_log *log, uint64_t at,
				   uint64_t end,
				   struct gsym_xray_record *record,
				   uint64_t *next);
/* The same for the 32 bytes at AT of a basic log. */
enum xray_decoded gsym_xray_decode_basic(const struct gsym_xray_log *log,
					 uint64_t at,
					 struct gsym_xray_record *record);

/* Whether RECORD, an argument, belongs to BEFORE. */
bool gsym_xray_argument_fits(const struct gsym_xray_record *before,
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

static inline unsigned xray_action(const struct gsym_xray_log *log,
				   uint32_t word)
{
	return log->header.big_endian ? word >> 28 & 7 : word >> 1 & 7;
}

static inline uint32_t xray_function(const struct gsym_xray_log *log,
				     uint32_t word)
{
	return log->header.big_endian ? word & 0x0fffffff : word >> 4;
}

/* Time and place of a thread while its records are read. */
struct xray_state {
	uint64_t base;
	uint16_t cpu;
	/* BASE was set by a record, not carried over from nowhere. */
	bool known;
};

/* Ticks after the last known time at which an event with a time of its own
 * is believed; some releases stored that time beside the record. */
#define XRAY_EVENT_REACH (UINT64_C(1) << 45)

/* Let RECORD pass; its NOW is the time of an event, or of what follows.
 * VERSION is the log's. */
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
		/* Events have times of their own, and move no other. */
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

/* The processor that RECORD was written on.  Custom events of version 4 say
 * so themselves, and 0 is a processor like others. */
static inline uint16_t xray_cpu(const struct xray_state *state,
				unsigned version,
				const struct gsym_xray_record *record)
{
	if (record->kind == GSYM_XRAY_CUSTOM_EVENT && version == 4)
		return record->cpu;
	return state->cpu;
}

/* The slot for KEY in a table of OWNER; MASK is the number of slots less one.
 * It depends on where the owner lies in memory, which nobody knows who makes
 * a file: no file can have all of its keys in one slot.  Nothing but time
 * depends on it.  This is for each event, and so is less than gsym_hash_mix:
 * the upper half of KEY has to be below the number of slots. */
static inline size_t xray_slot(const void *owner, uint64_t key, size_t mask)
{
	key ^= (uintptr_t)owner * UINT64_C(0xbf58476d1ce4e5b9);
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & mask;
}

/* stack.c: functions that a stack has met, and how often the one with number
 * INDEX was left without an entry. */
uint32_t gsym_xray_stack_functions(const struct gsym_xray_stack *stack);
uint64_t gsym_xray_stack_orphans(const struct gsym_xray_stack *stack,
				 uint32_t index, uint32_t *function);

/* events.c: let the span cover the events of blocks that carry on with the
 * time of the block before, once the order of blocks is known. */
void gsym_xray_add_carried(struct gsym_xray_log *log);

/* index.c */
enum gsym_status gsym_xray_index(struct gsym_xray_log *log,
				 const struct gsym_xray_options *options,
				 struct gsym_error *error);
/* threads.c: the number of a thread, a new one if need be; XRAY_NO_THREAD
 * without memory.  Then the order of each thread's blocks. */
uint32_t gsym_xray_thread(struct gsym_xray_log *log, uint32_t pid,
			  uint32_t tid);
bool gsym_xray_order(struct gsym_xray_log *log);

#endif
