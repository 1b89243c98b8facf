/* SPDX-License-Identifier: MIT */
/*
 * tests/support/sink_text.h - a sink that writes what it is given as text, to
 * be compared:
 *
 *	f! [1000,1010) folded		a linkage name, a folded record
 *	  +4 /src|a.c:7			a row
 *	  1 g at /src|a.c:8 [1002,1004)	an inlined call of depth 1
 *	  call +8: g h			a call site and its callees
 *	loose [1010,1020)		loose rows; rows with addresses follow
 *	data 2000 v /src|a.c:3		a variable
 *	warning 2: TEXT
 *
 * Addresses and offsets are hexadecimal.  "-" stands for GSYM_FILE_NOSRC, "??"
 * for GSYM_FILE_UNKNOWN.  Allocates nothing.
 */
#ifndef GSYM_TESTS_SINK_TEXT_H
#define GSYM_TESTS_SINK_TEXT_H

#include "dwarf/dwarf.h"

struct sinktext {
	char text[1 << 19];
	size_t used;
	/** Bytes of all strings, each with a NUL; string N begins at
	 *  STARTS[N]. */
	char bytes[1 << 16];
	size_t starts[4096], byte_count;
	uint32_t string_count;
	uint32_t files[1024][2], file_count;
	/** Calls that succeed; the next one returns ANSWER.  Negative: all
	 *  calls succeed. */
	long allowed;
	enum gsym_status answer;
};

/** Begin an empty text. */
void sinktext_init(struct sinktext *s);
/** The sink that writes to S. */
struct gsym_sink sinktext_sink(struct sinktext *s);
/** A gsym_warn_fn whose CONTEXT is a struct sinktext. */
void sinktext_warn(void *context, enum gsym_warning kind, const char *text);
/** Write VARIABLES. */
void sinktext_variables(struct sinktext *s,
			const struct gsym_variables *variables);

#endif
