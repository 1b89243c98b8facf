/* SPDX-License-Identifier: MIT */
/*
 * tests/support/gsym_bytes.h - assemble GSYM data byte by byte, of either
 * version and byte order, sound or not.  Knows nothing of the code under
 * test, but for base/emit.h.
 *
 *	struct gb b;
 *	gb_init(&b, 1, false, 4, 0x1000);
 *	uint32_t file = gb_file(&b, "/src", "a.c");
 *	struct gsym_emit *e = gb_record(&b, 0x1000, 0x20, "f");
 *	size_t tuple = gb_tuple(&b, 1);
 *	gsym_emit_sleb(e, 0); ...
 *	gb_tuple_end(&b, tuple);
 *	gb_record_end(&b);
 *	uint8_t *bytes = gb_finish(&b, &size);
 *
 * Records are written in the order in which they are made.  Without memory
 * everything here aborts.
 */
#ifndef GSYM_TESTS_GSYM_BYTES_H
#define GSYM_TESTS_GSYM_BYTES_H

#include "base/emit.h"

enum { GB_MAX_RECORDS = 512 };

struct gb {
	unsigned version;
	unsigned width;
	bool big_endian;
	uint64_t base;
	const uint8_t *uuid;
	size_t uuid_size;
	struct gsym_emit strings;
	struct gsym_emit files;
	uint32_t file_count;
	struct gsym_emit records;
	uint64_t starts[GB_MAX_RECORDS];
	uint64_t offsets[GB_MAX_RECORDS];
	uint32_t count;
};

/** Start a file without UUID, with the empty string and file 0. */
void gb_init(struct gb *b, unsigned version, bool big_endian, unsigned width,
	     uint64_t base);
/** Append a string; returns its offset. */
uint64_t gb_string(struct gb *b, const char *text);
/** Append a file; returns its number. */
uint32_t gb_file(struct gb *b, const char *directory, const char *basename);
uint32_t gb_file_raw(struct gb *b, uint64_t directory, uint64_t basename);
/** Write a string offset to E. */
void gb_strp(struct gb *b, struct gsym_emit *e, uint64_t offset);

/** Start a record at START. Returns the buffer for its tuples. */
struct gsym_emit *gb_record(struct gb *b, uint64_t start, uint32_t size,
			    const char *name);
/** Start a tuple of TYPE; returns the argument for gb_tuple_end, which stores
 * the tuple's length. */
size_t gb_tuple(struct gb *b, uint32_t type);
void gb_tuple_end(struct gb *b, size_t tuple);
/** End the record: write the end of its tuple list. */
void gb_record_end(struct gb *b);
/** A record without tuples. */
void gb_plain(struct gb *b, uint64_t start, uint32_t size, const char *name);
/** A line table with rows of (address advance, file, line). */
struct gb_row {
	uint64_t advance;
	uint32_t file;
	uint32_t line;
};
void gb_lines(struct gb *b, const struct gb_row *rows, size_t count);
/** An inline node of one range, within an inline tuple. */
void gb_node(struct gb *b, uint64_t offset, uint64_t size, bool children,
	     uint64_t name, uint32_t call_file, uint64_t call_line);

/** Returns the file, malloc'ed, and frees everything else in B. */
uint8_t *gb_finish(struct gb *b, size_t *size);

/** A file with all features: nested, empty and merged functions, inline trees,
 *  call sites, an information type that is not defined. */
uint8_t *gb_rich(unsigned version, bool big_endian, size_t *size);

/** The file of gsym(5)'s annotated example, as version 1 and 2. */
extern const uint8_t gb_example_v1[209];
uint8_t *gb_example_v2(size_t *size);

#endif
