/* SPDX-License-Identifier: MIT */
/* support/make.h - short ways for tests to fill a builder and to decode what
 * comes out, with the plain decoder.  What fails fails the test. */
#ifndef TESTS_SUPPORT_MAKE_H
#define TESTS_SUPPORT_MAKE_H

#include "support/plain.h"

#include <gsym/builder.h>

/** A builder on its way to a file. */
struct make {
	struct gsym_builder *builder;
	struct gsym_build_options options;
	struct gsym_build_summary summary;
	uint8_t *bytes;
	size_t size;
	struct plain plain;
};

struct make make_begin(void);
/** The number of a string, of a file "/src/NAME". */
uint32_t make_string(struct make *m, const char *text);
uint32_t make_file(struct make *m, const char *name);
/** Add a record; it has to be accepted. */
void make_record(struct make *m, const struct gsym_record *record);
/** Bare records by rank. */
void make_function(struct make *m, uint64_t start, uint64_t size,
		   const char *name);
void make_symbol(struct make *m, uint64_t start, uint64_t size,
		 const char *name);
void make_label(struct make *m, uint64_t start, uint64_t limit,
		const char *name);
/** Finish, and decode the result, which has to be without a problem. */
void make_end(struct make *m);
void make_free(struct make *m);

/** "start+size name" of all functions, in hex, joined with "; ". */
const char *make_list(const struct make *m);
/** "offset place" of the rows of the function at ADDRESS. */
const char *make_rows(const struct make *m, uint64_t address);
/** "depth name [start,end).. place" of its inline nodes, the root aside. */
const char *make_inlines(const struct make *m, uint64_t address);

#endif
