/* SPDX-License-Identifier: MIT */
/*
 * reader/embedded.h - finds the section ".gsym" of an ELF file.  Knows no other
 * section.
 */
#ifndef GSYM_READER_EMBEDDED_H
#define GSYM_READER_EMBEDDED_H

#include "format/layout.h"

/**
 * Set RET to the extent of the section ".gsym" in the SIZE bytes at DATA.
 *
 * GSYM_ERR_FORMAT: no ELF file, or one without that section.
 * GSYM_ERR_CORRUPT: the section, or the one with the names of sections,
 * reaches beyond the file.  GSYM_ERR_UNSUPPORTED: the section is compressed.
 */
enum gsym_status gsym_embedded_find(const uint8_t *data, uint64_t size,
				    struct gsym_extent *ret,
				    struct gsym_error *error);

#endif
