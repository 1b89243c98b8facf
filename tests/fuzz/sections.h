/* SPDX-License-Identifier: MIT */
/* tests/fuzz/sections.h - sections of ELF files for fuzz targets. */
#ifndef GSYM_FUZZ_SECTIONS_H
#define GSYM_FUZZ_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

/** Inflate section NUMBER of the ELF file in the first SIZE bytes of DATA,
 *  which has room for MOST, and store it at the end of the file.  Returns the
 *  new size; SIZE, with nothing changed, if the section is not compressed, is
 *  damaged or does not fit. */
size_t fuzz_unpack_section(uint8_t *data, size_t size, size_t most,
			   uint64_t number);

#ifdef GSYM_LIBFUZZER
/** Change the SIZE bytes at DATA, of which there may be MOST afterwards: of an
 *  ELF file mostly inside a section.  Returns the new size. */
size_t fuzz_mutate_sections(uint8_t *data, size_t size, size_t most,
			    unsigned seed);
#endif

#endif
