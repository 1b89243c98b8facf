/* SPDX-License-Identifier: MIT */
/* clock.h - the time for waits and progress. */
#ifndef TOOLS_COMMON_CLOCK_H
#define TOOLS_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/** The time in milliseconds, by a clock that never goes back. */
static inline int64_t clock_milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif /* TOOLS_COMMON_CLOCK_H */
