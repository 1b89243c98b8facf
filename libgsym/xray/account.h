/* SPDX-License-Identifier: MIT */
/*
 * xray/account.h - how long the calls of a function took: every duration as
 * long as there is room, then a histogram.  Knows neither calls nor names.
 */
#ifndef GSYM_XRAY_ACCOUNT_H
#define GSYM_XRAY_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps of a histogram in each octave: half of one is 0.4 percent. */
#define XRAY_STEPS 128

/* A zeroed struct is empty. */
struct xray_durations {
	uint64_t count;
	/* Durations of WIDTH bytes; NULL once there is a histogram. */
	void *items;
	size_t capacity;
	unsigned width;
	/* By octave, each with XRAY_STEPS counts, or NULL. */
	uint64_t **octaves;
};

/* Bytes that the durations take. */
static inline uint64_t xray_durations_bytes(const struct xray_durations *d)
{
	return (uint64_t)d->capacity * d->width;
}

/* Bytes that adding TICKS would ask for besides. */
uint64_t gsym_xray_durations_need(const struct xray_durations *d,
				  uint64_t ticks);
/* False without memory. */
bool gsym_xray_durations_add(struct xray_durations *d, uint64_t ticks);
/* Turn into a histogram; false without memory. */
bool gsym_xray_durations_fold(struct xray_durations *d);
/* The element at RANK (0-based) of the sorted durations.  Changes their
 * order. */
uint64_t gsym_xray_durations_rank(struct xray_durations *d, uint64_t rank);
void gsym_xray_durations_fini(struct xray_durations *d);

#endif
