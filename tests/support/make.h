/* SPDX-License-Identifier: MIT */
/* support/make.h - short functions for tests to fill a builder and to decode
 * its file with the plain decoder.  A failure fails the test. */
#ifndef TESTS_SUPPORT_MAKE_H
#define TESTS_SUPPORT_MAKE_H

#include "support/plain.h"

#include <gsym/builder.h>

/** A builder and, after make_end, its decoded file. */
struct make {
	struct gsym_builder *builder;
	struct gsym_build_options options;
	struct gsym_build_summary summary;
	uint8_t *bytes;
	size_t size;
	struct plain plain;
};

struct make make_begin(void);
/** Add a string, or the file "/src/NAME"; returns its number. */
uint32_t make_string(struct make *m, const char *text);
uint32_t make_file(struct make *m, const char *name);
/** Add RECORD; the builder has to accept it. */
void make_record(struct make *m, const struct gsym_record *record);
/** Add a record without details, of the rank that the function's name says. */
void make_function(struct make *m, uint64_t start, uint64_t size,
		   const char *name);
void make_symbol(struct make *m, uint64_t start, uint64_t size,
		 const char *name);
void make_label(struct make *m, uint64_t start, uint64_t limit,
		const char *name);
/** Finish the file and decode it; the decoder must find no problem. */
void make_end(struct make *m);
void make_free(struct make *m);

/** "start+size name" of all functions, in hex, joined with "; ". */
const char *make_list(const struct make *m);
/** "offset file:line" of each row of the function at ADDRESS. */
const char *make_rows(const struct make *m, uint64_t address);
/** "depth name [start,end).. call file:line" of each node of the inline tree at
 * ADDRESS, without the root. */
const char *make_inlines(const struct make *m, uint64_t address);

#endif
