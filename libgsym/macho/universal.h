/* SPDX-License-Identifier: MIT */
/*
 * macho/universal.h - which programs a Mach-O file holds, for which
 * processors, and where.  Knows nothing of what is in them.
 */
#ifndef GSYM_MACHO_UNIVERSAL_H
#define GSYM_MACHO_UNIVERSAL_H

#include "base/vec.h"

#include <gsym/convert.h>

/** One program of a file. */
struct macho_slice {
	struct gsym_architecture architecture;
	uint64_t offset;
	uint64_t size;
};

struct macho_slices { GSYM_VEC(struct macho_slice); };

/** Whether SIZE bytes begin a universal file. */
bool gsym_macho_is_universal(const uint8_t *bytes, size_t size);

/**
 * Append the programs of the SIZE bytes at BYTES: one of a thin file, all of
 * a universal one, which lie in the file and apart from each other.
 *
 * GSYM_ERR_FORMAT: no Mach-O file; GSYM_ERR_CORRUPT; GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_macho_slices(const uint8_t *bytes, size_t size,
				   struct macho_slices *ret,
				   struct gsym_error *error);

/** The one of SLICES that NAME (NULL: there is one only) chooses. */
enum gsym_status gsym_macho_choose(const struct macho_slices *slices,
				   const char *name,
				   const struct macho_slice **ret,
				   struct gsym_error *error);

#endif
