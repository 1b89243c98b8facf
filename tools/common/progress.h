/* SPDX-License-Identifier: MIT */
/*
 * progress.h - one line on a terminal for whatever takes more than half a
 * second; nothing at all elsewhere.  It knows shares of work, never what
 * the work is.
 */
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** Start on work that is called WHAT ("reading"), which has to live until
 *  the end.  QUIET: show nothing. */
void progress_start(const char *what, bool quiet);
/** DONE of TOTAL parts are done. */
void progress_update(uint64_t done, uint64_t total);
/** Take the line away. */
void progress_end(void);

#endif /* TOOLS_COMMON_PROGRESS_H */
