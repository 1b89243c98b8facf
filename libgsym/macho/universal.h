/* SPDX-License-Identifier: MIT */
/*
 * macho/universal.h - the programs in a Mach-O file: their processors, offsets
 * and sizes.  Knows nothing of the content of programs.
 */
#ifndef GSYM_MACHO_UNIVERSAL_H
#define GSYM_MACHO_UNIVERSAL_H

#include "base/vec.h"

#include <gsym/convert.h>

/** A program in a Mach-O file. */
struct macho_slice {
	struct gsym_architecture architecture;
	uint64_t offset;
	uint64_t size;
};

struct macho_slices { GSYM_VEC(struct macho_slice); };

/** Whether a file that begins with the SIZE bytes at BYTES is universal. */
bool gsym_macho_is_universal(const uint8_t *bytes, size_t size);

/**
 * Append the programs of the file of SIZE bytes at BYTES: the only one of a
 * thin file, or all of a universal file.  They lie inside the file and do not
 * overlap, and no two are for the same architecture.
 *
 * GSYM_ERR_FORMAT: no Mach-O file; GSYM_ERR_CORRUPT; GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_macho_slices(const uint8_t *bytes, size_t size,
				   struct macho_slices *ret,
				   struct gsym_error *error);

/** Set *RET to the program in SLICES for the architecture NAME; NULL means the
 *  only program.  GSYM_ERR_ARGUMENT: there is none, or NAME is NULL and there
 *  are several; the message lists the architectures. */
enum gsym_status gsym_macho_choose(const struct macho_slices *slices,
				   const char *name,
				   const struct macho_slice **ret,
				   struct gsym_error *error);

#endif
