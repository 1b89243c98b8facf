/* SPDX-License-Identifier: MIT */
/*
 * xray/durations.h - how long the calls of a function took: either every
 * duration or, where these would take too much memory, a histogram.  Knows
 * neither calls nor names.
 */
#ifndef GSYM_XRAY_DURATIONS_H
#define GSYM_XRAY_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps in each octave of a histogram.  A value is at most half a step away
 * from the middle of its step: 0.4 percent. */
#define XRAY_STEPS 128

/* A zeroed struct is empty. */
struct xray_durations {
	uint64_t count;
	/* Durations of WIDTH (4 or 8) bytes; NULL if there is a histogram. */
	void *items;
	size_t capacity;
	unsigned width;
	/* The histogram: an array of octaves, each NULL or an array of
	 * XRAY_STEPS counts.  NULL if there is none. */
	uint64_t **octaves;
};

/* The bytes that ITEMS takes. */
static inline uint64_t xray_durations_bytes(const struct xray_durations *d)
{
	return (uint64_t)d->capacity * d->width;
}

/* The most bytes that adding TICKS allocates. */
uint64_t gsym_xray_durations_need(const struct xray_durations *d,
				  uint64_t ticks);
/* Add a duration of TICKS; false without memory. */
bool gsym_xray_durations_add(struct xray_durations *d, uint64_t ticks);
/* Replace the items by a histogram; false without memory. */
bool gsym_xray_durations_fold(struct xray_durations *d);
/* The duration of RANK (0: the shortest); 0 if there are too few durations.
 * With a histogram it is the middle of a step.  Reorders the items. */
uint64_t gsym_xray_durations_rank(struct xray_durations *d, uint64_t rank);
/* Free what D holds; D is empty then. */
void gsym_xray_durations_fini(struct xray_durations *d);

#endif
