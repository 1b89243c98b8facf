/* SPDX-License-Identifier: MIT */
/*
 * progress.h - a progress line for work of more than half a second, shown if
 * standard error is a terminal.  It knows fractions of work, not what the
 * work is.
 */
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include <stdint.h>

/** Begin work that the line calls WHAT ("reading"); WHAT must stay valid until
 *  progress_end.  With --quiet nothing is shown. */
void progress_start(const char *what);
/** DONE of TOTAL units of the work are done. */
void progress_update(uint64_t done, uint64_t total);
/** Erase the line: the work is done. */
void progress_end(void);

#endif /* TOOLS_COMMON_PROGRESS_H */
