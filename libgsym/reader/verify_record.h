/* SPDX-License-Identifier: MIT */
/* reader/verify_record.h - the part of gsym_verify that checks the contents of
 * a function record. */
#ifndef GSYM_READER_VERIFY_RECORD_H
#define GSYM_READER_VERIFY_RECORD_H

#include "reader/check.h"

/** Check the record at C, of the function at START, and report what is wrong
 *  with it.  Returns the bytes of the record, as far as it could be read. */
uint64_t gsym_verify_record(struct gsym_check *check, struct gsym_cursor *c,
			    uint64_t start);

#endif
