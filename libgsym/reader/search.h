/* SPDX-License-Identifier: MIT */
/*
 * reader/search.h - from an address to the function record that covers it.
 * Knows the size of a record and nothing else of its content.
 */
#ifndef GSYM_READER_SEARCH_H
#define GSYM_READER_SEARCH_H

#include "reader/image.h"

/** Records before the nearest one that a search looks at. */
#define GSYM_SEARCH_LOOK_BACK 64
/** Records of one start that a search looks at. */
#define GSYM_SEARCH_EQUAL 256

/**
 * The record that covers ADDRESS; a cursor over it goes to RECORD.
 *
 * That is the first one of those (of the first GSYM_SEARCH_EQUAL) with the greatest start at or below the address whose range holds it; a record of size 0 reaches up to the next
 * entry of the table.  If none does, as behind a function nested in another
 * one, it is the nearest of the GSYM_SEARCH_LOOK_BACK records before.
 *
 * GSYM_NOT_FOUND; GSYM_ERR_CORRUPT if a record that may cover the address
 * cannot be read.
 */
enum gsym_status gsym_search(const struct gsym_reader *reader,
			     uint64_t address, uint32_t *index,
			     struct gsym_cursor *record,
			     struct gsym_error *error);

#endif
