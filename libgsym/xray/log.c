/* SPDX-License-Identifier: MIT */
/* Opens a trace: finds out its byte order, reads its header, and answers from
 * the index. */
#include "xray/log.h"

#include "base/error.h"

/* The magic number of summaries of the profiling mode: "xrayprof". */
#define XRAY_PROFILE UINT64_C(0x7872617970726f66)

const char *gsym_xray_damage_name(enum gsym_xray_damage damage)
{
	static const char *const names[GSYM_XRAY_DAMAGE_COUNT] = {
		[GSYM_XRAY_CLIPPED] = "clipped-block",
		[GSYM_XRAY_CUT] = "cut-record",
		[GSYM_XRAY_BAD_KIND] = "bad-kind",
		[GSYM_XRAY_BAD_ACTION] = "bad-action",
		[GSYM_XRAY_BAD_END] = "bad-end",
		[GSYM_XRAY_BAD_EXTENTS] = "bad-extents",
		[GSYM_XRAY_BAD_SIZE] = "bad-size",
		[GSYM_XRAY_SKIPPED] = "skipped-bytes",
		[GSYM_XRAY_NO_THREAD] = "no-thread",
		[GSYM_XRAY_NO_PAYLOAD] = "lost-payload",
		[GSYM_XRAY_BAD_ARGUMENT] = "bad-argument",
		[GSYM_XRAY_OUT_OF_ORDER] = "out-of-order",
	};

	return (unsigned)damage < GSYM_XRAY_DAMAGE_COUNT ? names[damage] : NULL;
}

/* Read the header in the byte order that SWAP says; false if it is not the
 * header of a trace.  Both byte orders cannot succeed, as type and version are
 * small numbers. */
static bool read_header(struct gsym_xray_log *log, bool swap)
{
	uint16_t version = gsym_load_u16(log->data, swap);
	uint16_t type = gsym_load_u16(log->data + 2, swap);
	uint8_t flags = log->data[4];
	struct gsym_xray_header *h = &log->header;

	if (type > 1 || version < 1 || version > (type ? 5 : 3))
		return false;
	log->swap = swap;
	h->version = version;
	h->fdr = type == 1;
	h->big_endian = swap != GSYM_HOST_BIG_ENDIAN;
	/* The runtime has a struct of bit-fields here, which begin at the
	 * highest bit on big-endian machines. */
	h->constant_tsc = flags & (h->big_endian ? 0x80 : 0x01);
	h->nonstop_tsc = flags & (h->big_endian ? 0x40 : 0x02);
	h->frequency = gsym_load_u64(log->data + 8, swap);
	if (h->fdr)
		h->buffer_size = gsym_load_u64(log->data + 16, swap);
	return true;
}

/* Check that LOG is a trace and read its header. */
static enum gsym_status detect(struct gsym_xray_log *log,
			       struct gsym_error *error)
{
	if (log->size >= 8 &&
	    (gsym_load_u64(log->data, false) == XRAY_PROFILE ||
	     gsym_load_u64(log->data, true) == XRAY_PROFILE))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "a summary of xray's profiling mode, not a "
				 "trace");
	if (log->size >= 3 && !memcmp(log->data, "---", 3))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "an xray trace in yaml, not in binary");
	if (log->size < XRAY_HEADER_SIZE)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "too short for the header of an xray trace");
	if (!read_header(log, GSYM_HOST_BIG_ENDIAN) &&
	    !read_header(log, !GSYM_HOST_BIG_ENDIAN))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "no header of an xray trace");
	return GSYM_OK;
}

enum gsym_status gsym_xray_open(const void *data, uint64_t size,
				const struct gsym_xray_options *options,
				struct gsym_xray_log **ret,
				struct gsym_error *error)
{
	static const struct gsym_xray_options none;
	struct gsym_xray_log *log;
	enum gsym_status status;

	if ((!data && size) || !ret)
		return gsym_fail_argument(error);
	log = calloc(1, sizeof(*log));
	if (!log)
		return gsym_fail_memory(error);
	log->data = data;
	log->size = size;
	status = detect(log, error);
	if (status == GSYM_OK)
		status = gsym_xray_index(log, options ? options : &none,
					 error);
	if (status == GSYM_OK && !gsym_xray_order_blocks(log))
		status = gsym_fail_memory(error);
	if (status == GSYM_OK && log->carried)
		gsym_xray_add_carried_times(log);
	if (status != GSYM_OK) {
		gsym_xray_close(log);
		return status;
	}
	*ret = log;
	return GSYM_OK;
}

void gsym_xray_close(struct gsym_xray_log *log)
{
	if (!log)
		return;
	gsym_vec_fini(&log->blocks);
	gsym_vec_fini(&log->threads);
	gsym_intern_fini(&log->ids);
	free(log->order);
	free(log);
}

enum gsym_status gsym_xray_get_header(const struct gsym_xray_log *log,
				      struct gsym_xray_header *ret)
{
	if (!log || !ret)
		return GSYM_ERR_ARGUMENT;
	*ret = log->header;
	return GSYM_OK;
}

bool gsym_xray_span(const struct gsym_xray_log *log, uint64_t *first,
		    uint64_t *last)
{
	if (!log || !first || !last || log->first_tsc > log->last_tsc)
		return false;
	*first = log->first_tsc;
	*last = log->last_tsc;
	return true;
}

uint64_t gsym_xray_nanoseconds(uint64_t ticks, uint64_t frequency)
{
	const uint64_t second = 1000000000;

	if (!frequency || frequency == second)
		return ticks;
	/* Above 18 GHz the product below could overflow.  No clock is so
	 * fast, so the precision does not matter. */
	if (frequency > UINT64_MAX / second)
		return ticks / (frequency / second);
	return ticks / frequency * second +
	       ticks % frequency * second / frequency;
}

uint32_t gsym_xray_thread_count(const struct gsym_xray_log *log)
{
	return log ? (uint32_t)log->threads.count : 0;
}

enum gsym_status gsym_xray_thread_at(const struct gsym_xray_log *log,
				     uint32_t index,
				     struct gsym_xray_thread *ret)
{
	if (!log || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= log->threads.count)
		return GSYM_NOT_FOUND;
	*ret = log->threads.items[index].known;
	return GSYM_OK;
}

uint32_t gsym_xray_block_count(const struct gsym_xray_log *log)
{
	return log && log->header.fdr ? (uint32_t)log->blocks.count : 0;
}

enum gsym_status gsym_xray_block_at(const struct gsym_xray_log *log,
				    uint32_t index,
				    struct gsym_xray_block *ret)
{
	const struct xray_block *b;

	if (!log || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= gsym_xray_block_count(log))
		return GSYM_NOT_FOUND;
	b = &log->blocks.items[index];
	*ret = (struct gsym_xray_block){
		.start = b->start,
		.end = b->end,
		.has_wall_time = b->has_wall_time,
		.has_tsc = b->has_tsc,
		.wall_time = b->wall_time,
		.tsc = b->tsc,
	};
	if (b->thread != XRAY_NO_THREAD) {
		ret->has_thread = true;
		ret->pid = log->threads.items[b->thread].known.pid;
		ret->tid = log->threads.items[b->thread].known.tid;
	}
	return GSYM_OK;
}
