/* SPDX-License-Identifier: MIT */
/*
 * convert/overlay.h - one input over another: ranges for which the first one
 * has functions are closed to the second.  Knows no input.
 */
#ifndef GSYM_CONVERT_OVERLAY_H
#define GSYM_CONVERT_OVERLAY_H

#include "base/vec.h"

#include <gsym/record.h>

struct gsym_overlay {
	const struct gsym_sink *inner;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	bool sorted;
	bool failed; /**< without memory */
};

void gsym_overlay_fini(struct gsym_overlay *overlay);

/** A sink for the first input: all goes to INNER, and the ranges of functions
 *  are closed.  Valid as long as both. */
struct gsym_sink gsym_overlay_first(struct gsym_overlay *overlay,
				    const struct gsym_sink *inner);
/** Close RANGE; OVERLAY is one, for callbacks. */
void gsym_overlay_close(void *overlay, struct gsym_range range);
/** A sink for the second input: records that start in closed ranges do not
 *  get to INNER.  Nothing may be closed any more. */
struct gsym_sink gsym_overlay_second(struct gsym_overlay *overlay,
				     const struct gsym_sink *inner);

#endif
