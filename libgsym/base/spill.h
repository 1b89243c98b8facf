/* SPDX-License-Identifier: MIT */
/* base/spill.h - memory in a file without a name, for data that may be larger
 * than the memory of the machine: the system writes its pages to the file and
 * reads them again as need be.  Not thread-safe. */
#ifndef GSYM_BASE_SPILL_H
#define GSYM_BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsym_spill {
	int fd;
	/** The size of the file. */
	uint64_t size;
};

/** Make S with a file in FOLDER.  Returns false, with errno set, on failure. */
bool gsym_spill_open(struct gsym_spill *s, const char *folder);
/** Close S.  Its blocks stay valid until they are freed. */
void gsym_spill_close(struct gsym_spill *s);
/** A block of *SIZE bytes, which are rounded up to whole pages, to be freed
 *  with gsym_spill_free.  NULL if the folder is full, or without memory. */
void *gsym_spill_alloc(struct gsym_spill *s, size_t *size);
void gsym_spill_free(void *block, size_t size);

#endif
