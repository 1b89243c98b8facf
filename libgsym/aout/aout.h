/* SPDX-License-Identifier: MIT */
/*
 * aout/aout.h - a program of Plan 9 (a.out) as a container: text, data,
 * symbols, and the tables of Go 1.1 and older.  Knows nothing of DWARF, which
 * the format has no place for, and of GSYM.
 *
 * Programs for the processors that Go is on there: 386, amd64, arm, arm64.
 * Headers are big-endian, the programs little-endian.  There is no build ID.
 */
#ifndef GSYM_AOUT_AOUT_H
#define GSYM_AOUT_AOUT_H

#include "container/container.h"

/** Names of the sections that hold the table of symbols and that of lines,
 *  where there are such. */
#define GSYM_AOUT_SYMBOLS "symbols"
#define GSYM_AOUT_LINES "lines"

/** Whether the first SIZE bytes of a file may be those of such a program. */
bool gsym_aout_matches(const uint8_t *bytes, size_t size);

/**
 * Load a program; see gsym_container_load_fn.  A table that breaks off is
 * noted among the container's warnings.
 *
 * GSYM_ERR_FORMAT: no such file; GSYM_ERR_CORRUPT: the header claims more than
 * there is; GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_aout_load;

#endif
