/* SPDX-License-Identifier: MIT */
/*
 * reader/embedded.h - finds GSYM data in the ".gsym" section of an ELF file
 * by the fields of its headers alone.  Knows no other section and no other
 * use of ELF.
 */
#ifndef GSYM_READER_EMBEDDED_H
#define GSYM_READER_EMBEDDED_H

#include "format/layout.h"

/** The extent of ".gsym" goes to RET.  GSYM_ERR_FORMAT if the bytes are no
 *  ELF file, or one without the section. */
enum gsym_status gsym_embedded_find(const uint8_t *data, uint64_t size,
				    struct gsym_extent *ret,
				    struct gsym_error *error);

#endif
