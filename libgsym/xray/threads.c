/* SPDX-License-Identifier: MIT */
/* Numbers the threads of a trace, and sorts their blocks. */
#include "xray/log.h"

#include "base/hash.h"

/* The slot of a thread, or the free slot where it belongs. */
static size_t slot_of(const struct gsym_xray_log *log, uint32_t pid,
		      uint32_t tid)
{
	size_t mask = log->slots.count - 1;
	size_t slot = gsym_hash_mix(((uint64_t)pid << 32 | tid) ^
				    (uintptr_t)log) & mask;

	for (;; slot = (slot + 1) & mask) {
		uint32_t number = log->slots.items[slot];

		if (!number)
			return slot;
		const struct gsym_xray_thread *t =
			&log->threads.items[number - 1].known;
		if (t->pid == pid && t->tid == tid)
			return slot;
	}
}

/* Keep at least half of the slots free.  False without memory. */
static bool make_slots(struct gsym_xray_log *log)
{
	size_t count = log->slots.count ? 2 * log->slots.count : 64;

	if (2 * (log->threads.count + 1) <= log->slots.count)
		return true;
	if (!gsym_vec_reserve(&log->slots, count - log->slots.count))
		return false;
	log->slots.count = count;
	memset(log->slots.items, 0, count * sizeof(*log->slots.items));
	for (size_t i = 0; i < log->threads.count; i++) {
		struct gsym_xray_thread *t = &log->threads.items[i].known;

		log->slots.items[slot_of(log, t->pid, t->tid)] = i + 1;
	}
	return true;
}

uint32_t gsym_xray_thread_index(struct gsym_xray_log *log, uint32_t pid,
				uint32_t tid)
{
	struct xray_thread *t;
	size_t slot;

	if (log->threads.count >= XRAY_NO_THREAD - 1 || !make_slots(log))
		return XRAY_NO_THREAD;
	slot = slot_of(log, pid, tid);
	if (log->slots.items[slot])
		return log->slots.items[slot] - 1;
	t = gsym_vec_push(&log->threads);
	if (!t)
		return XRAY_NO_THREAD;
	*t = (struct xray_thread){ .known = { .pid = pid, .tid = tid } };
	log->slots.items[slot] = log->threads.count;
	return log->threads.count - 1;
}

/* The sort key of a block of a thread. */
struct key {
	uint64_t wall, tsc;
	uint32_t block;
};

static int by_key(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	if (a->wall != b->wall)
		return a->wall < b->wall ? -1 : 1;
	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	return a->block < b->block ? -1 : 1;
}

/* Sort the blocks of T.  If one of them lacks its wall time, all are sorted by
 * ticks, because wall times and ticks may contradict each other.  KEYS is
 * scratch. */
static void sort_thread(struct gsym_xray_log *log, const struct xray_thread *t,
			struct key *keys)
{
	uint32_t *order = log->order + t->first;
	bool wall = true, sorted = true;

	for (uint32_t i = 0; i < t->count; i++)
		wall = wall && log->blocks.items[order[i]].has_wall_time;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct xray_block *b = &log->blocks.items[order[i]];

		keys[i] = (struct key){ wall ? b->wall_time : 0, b->tsc,
					order[i] };
		sorted = sorted && (!i || by_key(&keys[i - 1], &keys[i]) < 0);
	}
	if (sorted)
		return;
	qsort(keys, t->count, sizeof(*keys), by_key);
	for (uint32_t i = 0; i < t->count; i++)
		order[i] = keys[i].block;
}

bool gsym_xray_order_blocks(struct gsym_xray_log *log)
{
	size_t count = log->blocks.count, most = 0;
	uint32_t first = 0;
	struct key *keys;

	if (!count || !log->threads.count)
		return true;
	log->order = malloc(count * sizeof(*log->order));
	if (!log->order)
		return false;
	for (size_t i = 0; i < count; i++)
		if (log->blocks.items[i].thread != XRAY_NO_THREAD)
			log->threads.items[log->blocks.items[i].thread].count++;
	for (size_t i = 0; i < log->threads.count; i++) {
		struct xray_thread *t = &log->threads.items[i];

		t->first = first;
		first += t->count;
		most = t->count > most ? t->count : most;
		t->count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t thread = log->blocks.items[i].thread;

		if (thread == XRAY_NO_THREAD)
			continue;
		struct xray_thread *t = &log->threads.items[thread];
		log->order[t->first + t->count++] = i;
	}
	/* The records of a basic log are in order. */
	if (!log->header.fdr)
		return true;
	keys = malloc((most + 1) * sizeof(*keys));
	if (!keys)
		return false;
	for (size_t i = 0; i < log->threads.count; i++)
		sort_thread(log, &log->threads.items[i], keys);
	free(keys);
	return true;
}
