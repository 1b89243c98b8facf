/* SPDX-License-Identifier: MIT */
/*
 * reader/check.h - the state of a gsym_verify, and how its parts report
 * problems.  Knows nothing of what is checked.
 */
#ifndef GSYM_READER_CHECK_H
#define GSYM_READER_CHECK_H

#include "base/error.h"
#include "reader/image.h"

struct gsym_check {
	const struct gsym_reader *reader;
	/** The callback of gsym_verify (may be NULL) and its context. */
	gsym_verify_fn *report;
	void *context;
	/** The problem that is being reported. */
	struct gsym_error problem;
	bool found;     /**< there was damage */
	bool cancelled; /**< the callback asked to stop */
	bool stop;      /**< no further check is needed */
};

/** Hand CHECK->problem, which gsym_fail filled in and returned STATUS for, to
 *  the callback.  Does nothing once CHECK->stop is set. */
void gsym_check_report(struct gsym_check *check, enum gsym_status status);

/** Report damage at offset PLACE of the opened file or memory.  The further
 *  parameters are those of printf. */
#define gsym_check_damage(check, place, ...)                           \
	gsym_check_report((check),                                     \
			  gsym_fail(&(check)->problem, GSYM_ERR_CORRUPT, \
				    (place), __VA_ARGS__))

/** Report damage if the string offset OFFSET is beyond the string table.  The
 *  offset was read at PLACE; WHAT names it in the message. */
void gsym_check_string(struct gsym_check *check, uint64_t offset,
		       const char *what, uint64_t place);

/** Check the record at C, of the function at START, and report what is wrong
 *  with it.  Returns the bytes of the record, as far as it could be read. */
uint64_t gsym_verify_record(struct gsym_check *check, struct gsym_cursor *c,
			    uint64_t start);

#endif
