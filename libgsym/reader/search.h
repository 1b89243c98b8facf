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

/** As gsym_search, for the address base_address + RELATIVE.  LAST is the index
 *  of the last record whose start is at most that address. */
enum gsym_status gsym_search_at(const struct gsym_reader *reader,
				uint32_t last, uint64_t relative,
				uint32_t *index, struct gsym_cursor *record,
				struct gsym_error *error);

/** Whether the records that gsym_search_at tries for LAST start at or before
 *  it, as they do where the address table is in order. */
bool gsym_search_in_order(const struct gsym_layout *l, uint32_t last);

/** The most searches that run side by side. */
enum { GSYM_SEARCH_ABREAST = 16 };

/** Set INDEXES[I] to the last record whose start is at most ADDRESSES[I]: the
 *  record that gsym_search finds first.  It is 0 if there is none, and any
 *  record if ADDRESSES[I] is below the base address.  COUNT is at most
 *  GSYM_SEARCH_ABREAST; there has to be a record. */
void gsym_search_abreast(const struct gsym_layout *l, const uint64_t *addresses,
			 size_t count, uint32_t *indexes);

/** Prefetch the COUNT records at INDEXES: their entries in the table of address
 *  infos, then their first bytes. */
void gsym_search_prefetch(const struct gsym_reader *reader,
			  const uint32_t *indexes, size_t count);

#endif
