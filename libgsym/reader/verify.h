/* SPDX-License-Identifier: MIT */
/*
 * reader/verify.h - what the two halves of gsym_verify share: verify.c
 * checks the tables and the heads of the records, verify_record.c what the
 * records hold.  Neither repairs anything.
 */
#ifndef GSYM_READER_VERIFY_H
#define GSYM_READER_VERIFY_H

#include "base/error.h"
#include "format/record.h"
#include "reader/image.h"

struct gsym_check {
	const struct gsym_reader *reader;
	gsym_verify_fn *report;
	void *context;
	struct gsym_error problem;
	/** Something is damaged. */
	bool found;
	/** The caller has heard enough. */
	bool cancelled;
	/** Nothing more is to be checked. */
	bool stop;
};

/** Pass the problem on that was filled in with STATUS. */
void gsym_check_report(struct gsym_check *check, enum gsym_status status);

/** Report damage at the byte PLACE of the opened file, printf-like. */
#define gsym_check_damage(check, place, ...)                           \
	gsym_check_report((check),                                     \
			  gsym_fail(&(check)->problem, GSYM_ERR_CORRUPT, \
				    (place), __VA_ARGS__))

/** Check that OFFSET, read for WHAT at PLACE, is in the string table. */
void gsym_check_string(struct gsym_check *check, uint64_t offset,
		       const char *what, uint64_t place);

/** Check what the record under the cursor, of a function at START, holds.
 *  The size that it takes goes to *SIZE. */
void gsym_check_record(struct gsym_check *check, struct gsym_cursor *c,
		       uint64_t start, uint64_t *size);

#endif
