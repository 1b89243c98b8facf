/* SPDX-License-Identifier: MIT */
/* Durations of calls, all of them or as a histogram, and percentiles. */
#include "xray/durations.h"

#include "base/hash.h"

#include <stdlib.h>

enum { OCTAVES = 65 };

uint64_t gsym_xray_durations_need(const struct xray_durations *d,
				  uint64_t ticks)
{
	uint64_t need = 0;

	if (d->octaves)
		return 0;
	if (d->count == d->capacity)
		need = d->capacity ? (uint64_t)d->capacity / 2 * d->width : 64;
	/* Adding the duration makes all items wider: an array of 8-byte items
	 * is allocated before the old array is freed. */
	if (ticks > UINT32_MAX && d->width < 8)
		need += 8 * (uint64_t)d->capacity + 128;
	return need;
}

static bool grow(struct xray_durations *d)
{
	size_t capacity = d->capacity ? d->capacity + d->capacity / 2 : 16;
	void *items;

	if (!d->width)
		d->width = 4;
	if (capacity > SIZE_MAX / d->width)
		return false;
	items = realloc(d->items, capacity * d->width);
	if (!items)
		return false;
	d->items = items;
	d->capacity = capacity;
	return true;
}

static bool widen(struct xray_durations *d)
{
	uint64_t *wide = calloc(d->capacity, sizeof(*wide));
	const uint32_t *narrow = d->items;

	if (!wide)
		return false;
	for (uint64_t i = 0; i < d->count; i++)
		wide[i] = narrow[i];
	free(d->items);
	d->items = wide;
	d->width = 8;
	return true;
}

/* Octave 0 has a step for each duration below XRAY_STEPS (2^7); octave N the
 * durations from 2^(N + 6) to 2^(N + 7). */
static unsigned octave_of(uint64_t ticks)
{
	return ticks < XRAY_STEPS ? 0 : 63 - __builtin_clzll(ticks) - 6;
}

static bool count_step(struct xray_durations *d, uint64_t ticks)
{
	unsigned octave = octave_of(ticks);
	unsigned step = octave ? ticks >> (octave - 1) & (XRAY_STEPS - 1)
			       : (unsigned)ticks;

	if (!d->octaves[octave]) {
		d->octaves[octave] = calloc(XRAY_STEPS, sizeof(uint64_t));
		if (!d->octaves[octave])
			return false;
	}
	d->octaves[octave][step]++;
	return true;
}

static uint64_t item(const struct xray_durations *d, uint64_t i)
{
	return d->width == 8 ? ((const uint64_t *)d->items)[i]
			     : ((const uint32_t *)d->items)[i];
}

bool gsym_xray_durations_fold(struct xray_durations *d)
{
	if (d->octaves)
		return true;
	d->octaves = calloc(OCTAVES, sizeof(*d->octaves));
	if (!d->octaves)
		return false;
	for (uint64_t i = 0; i < d->count; i++)
		if (!count_step(d, item(d, i)))
			return false;
	free(d->items);
	d->items = NULL;
	d->capacity = 0;
	return true;
}

bool gsym_xray_durations_add(struct xray_durations *d, uint64_t ticks)
{
	if (d->octaves) {
		d->count++;
		return count_step(d, ticks);
	}
	if (d->count == d->capacity && !grow(d))
		return false;
	if (ticks > UINT32_MAX && d->width < 8 && !widen(d))
		return false;
	if (d->width == 8)
		((uint64_t *)d->items)[d->count++] = ticks;
	else
		((uint32_t *)d->items)[d->count++] = (uint32_t)ticks;
	return true;
}

static uint64_t histogram_rank(const struct xray_durations *d, uint64_t rank)
{
	uint64_t before = 0;

	for (unsigned o = 0; o < OCTAVES; o++)
		for (unsigned i = 0; d->octaves[o] && i < XRAY_STEPS; i++) {
			before += d->octaves[o][i];
			if (before <= rank)
				continue;
			if (!o)
				return i;
			/* The middle of the step.  XRAY_STEPS is the highest
			 * bit of the values, which count_step left out. */
			return ((uint64_t)(XRAY_STEPS | i) << (o - 1)) +
			       (o > 1 ? UINT64_C(1) << (o - 2) : 0);
		}
	return 0;
}

/* Return the element of RANK among the COUNT at V, which are reordered
 * (Hoare's quickselect).  The pivot is never the last element, so both parts
 * are smaller than the whole; both get elements that equal the pivot.  The
 * choice of pivots depends on the address of V, so that no trace can be made
 * for which the search takes quadratic time.  The result does not. */
#define SELECT(name, type)                                                    \
	static type name(type *v, uint64_t count, uint64_t rank)              \
	{                                                                     \
		uint64_t low = 0, high = count - 1;                           \
		uint64_t seed = gsym_hash_mix((uintptr_t)v);                  \
									      \
		while (low < high) {                                          \
			uint64_t i = low - 1, k = high + 1;                   \
			type pivot, swapped;                                  \
									      \
			seed = seed * UINT64_C(6364136223846793005) +         \
			       UINT64_C(1442695040888963407);                 \
			pivot = v[low + (seed >> 20) % (high - low)];         \
			for (;;) {                                            \
				while (v[++i] < pivot)                        \
					;                                     \
				while (v[--k] > pivot)                        \
					;                                     \
				if (i >= k)                                   \
					break;                                \
				swapped = v[i];                               \
				v[i] = v[k];                                  \
				v[k] = swapped;                               \
			}                                                     \
			if (rank <= k)                                        \
				high = k;                                     \
			else                                                  \
				low = k + 1;                                  \
		}                                                             \
		return v[rank];                                               \
	}
SELECT(select_narrow, uint32_t)
SELECT(select_wide, uint64_t)

uint64_t gsym_xray_durations_rank(struct xray_durations *d, uint64_t rank)
{
	if (rank >= d->count)
		return 0;
	if (d->octaves)
		return histogram_rank(d, rank);
	return d->width == 8 ? select_wide(d->items, d->count, rank)
			     : select_narrow(d->items, d->count, rank);
}

void gsym_xray_durations_fini(struct xray_durations *d)
{
	for (unsigned o = 0; d->octaves && o < OCTAVES; o++)
		free(d->octaves[o]);
	free(d->octaves);
	free(d->items);
	*d = (struct xray_durations){ 0 };
}
