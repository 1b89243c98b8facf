/* SPDX-License-Identifier: MIT */
/*
 * convert/overlay.h - puts the functions of one reader over those of another.
 * The upper reader covers the ranges of its functions.  Records of the lower
 * reader that start in a covered range are dropped.  Knows no reader.
 */
#ifndef GSYM_CONVERT_OVERLAY_H
#define GSYM_CONVERT_OVERLAY_H

#include "base/vec.h"

#include <gsym/record.h>

/** A zeroed struct covers nothing. */
struct gsym_overlay {
	const struct gsym_sink *inner;
	/** Covered ranges; once SORTED is set, ascending and joined. */
	struct { GSYM_VEC(struct gsym_range); } ranges;
	bool sorted;
	bool failed; /**< no memory for a range */
};

void gsym_overlay_fini(struct gsym_overlay *overlay);

/** A sink for the upper reader: it passes everything to INNER and covers the
 *  ranges of functions that are not folded.  OVERLAY and INNER have to outlive
 *  it. */
struct gsym_sink gsym_overlay_upper(struct gsym_overlay *overlay,
				    const struct gsym_sink *inner);
/** Cover RANGE.  OVERLAY is a struct gsym_overlay; it is untyped because the
 *  function serves as a callback. */
void gsym_overlay_cover(void *overlay, struct gsym_range range);
/** A sink for the lower reader: it passes everything to INNER but records that
 *  start in a covered range.  No range may be covered after this call.
 *  OVERLAY and INNER have to outlive it. */
struct gsym_sink gsym_overlay_lower(struct gsym_overlay *overlay,
				    const struct gsym_sink *inner);

#endif
