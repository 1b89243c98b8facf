/* SPDX-License-Identifier: MIT */
/*
 * process/image.h - the headers of a mapped file: which address a mapping was
 * linked to, and the build ID.
 */
#ifndef GSYM_PROCESS_IMAGE_H
#define GSYM_PROCESS_IMAGE_H

#include "base/budget.h"
#include "elfview/elfview.h"
#include "process/process.h"

/** A mapped file. */
struct gsym_image {
	/** The first mapping of the file. */
	const struct gsym_mapping *first;
	enum gsym_process_kind kind;
	/** The bytes of the file, or of the memory where it begins; NULL if
	 *  they cannot be read. */
	const uint8_t *bytes;
	size_t size;
	/** BYTES are malloc'ed, not mapped. */
	bool copied;
	/** The ELF file at FILE_OFFSET of the file. */
	bool elf;
	uint64_t file_offset;
	struct elfview view;
	/** Its build ID, in BYTES; NULL if it has none. */
	const uint8_t *id;
	size_t id_size;
	/** The last module that was made of the file, and the offset of its
	 *  last mapping. */
	uint32_t module;
	uint64_t last_offset;
};

/** Read the file of the mapping FIRST to IMAGE.  A file that cannot be read is
 *  no failure.  BUDGET counts headers that are read.  False without memory. */
bool gsym_image_open(struct gsym_image *image, const struct gsym_process *p,
		     const struct gsym_mapping *first,
		     struct gsym_budget *budget);
void gsym_image_close(struct gsym_image *image);

/** Let IMAGE be the ELF file that begins at OFFSET of the file; unchanged if
 *  there is none.  BUDGET counts headers that are read. */
void gsym_image_inside(struct gsym_image *image, uint64_t offset,
		       struct gsym_budget *budget);

/** Set *BIAS to the load bias of MAPPING.  Where several segments of IMAGE may
 *  be mapped there, one with the bias WANTED is preferred.  False if IMAGE has
 *  no segment there, or its headers exceed BUDGET. */
bool gsym_image_bias(const struct gsym_image *image,
		     const struct gsym_mapping *mapping, uint64_t wanted,
		     struct gsym_budget *budget, uint64_t *bias);

#endif
