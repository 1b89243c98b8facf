/* SPDX-License-Identifier: MIT */
/*
 * aout/aout.h - a program of Plan 9 (a.out) as a container: text, data,
 * symbols, and the tables of Go 1.1 and older.  Knows nothing of GSYM.
 *
 * Reads programs for the processors of Go on Plan 9: 386, amd64, arm, arm64.
 * Headers are big-endian, the programs little-endian.  The format has neither
 * a build ID nor DWARF.
 */
#ifndef GSYM_AOUT_AOUT_H
#define GSYM_AOUT_AOUT_H

#include "container/container.h"

/** Names of the sections with the symbol table and with the line table. */
#define GSYM_AOUT_SYMBOLS "symbols"
#define GSYM_AOUT_LINES "lines"

/** Whether a file that begins with the SIZE bytes at BYTES may be a program of
 *  Plan 9. */
bool gsym_aout_matches(const uint8_t *bytes, size_t size);

/**
 * Load a program; see gsym_container_load_fn.  A table that is cut off or
 * damaged is noted among the container's warnings, and read up to there.
 *
 * GSYM_ERR_FORMAT: no program of Plan 9; GSYM_ERR_CORRUPT: the text reaches
 * beyond the end of the file; GSYM_ERR_MEMORY.
 */
gsym_container_load_fn gsym_aout_load;

#endif
