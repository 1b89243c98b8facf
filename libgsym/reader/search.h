/* SPDX-License-Identifier: MIT */
/*
 * reader/search.h - finds the function record that covers an address.  Knows
 * the size of the function in a record, and no other content of it.
 */
#ifndef GSYM_READER_SEARCH_H
#define GSYM_READER_SEARCH_H

#include "reader/image.h"

/** How many records with a lower start a search tries. */
#define GSYM_SEARCH_LOOK_BACK 64
/** How many records of one start a search tries. */
#define GSYM_SEARCH_EQUAL 256

/**
 * Find the record that covers ADDRESS: its index goes to *INDEX, a cursor over
 * it to RECORD.
 *
 * Tried first are the records with the greatest start at or below ADDRESS, at
 * most GSYM_SEARCH_EQUAL of them: the first whose range holds ADDRESS covers
 * it.  The range of a record of size 0 ends at the next start.  If none holds
 * ADDRESS, as after the end of a function inside another one, the
 * GSYM_SEARCH_LOOK_BACK records before them are tried, the nearest start first
 * and of records with one start the first.
 *
 * GSYM_NOT_FOUND: no record covers ADDRESS.  GSYM_ERR_CORRUPT: no record with
 * the greatest start covers ADDRESS, and one of them lies beyond the data.
 */
enum gsym_status gsym_search(const struct gsym_reader *reader,
			     uint64_t address, uint32_t *index,
			     struct gsym_cursor *record,
			     struct gsym_error *error);

#endif
