/* SPDX-License-Identifier: MIT */
/*
 * support/plain.h - a plain decoder of GSYM files for the tests of the writer.
 * It decodes the whole file into arrays, strictly by gsym(5), shares no code
 * with the library, and stops at the first byte that the writer should not have
 * written.
 */
#ifndef TESTS_SUPPORT_PLAIN_H
#define TESTS_SUPPORT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plain_file {
	const char *directory;
	const char *basename;
};

struct plain_row {
	uint64_t address;
	uint64_t file;
	uint32_t line;
};

struct plain_range {
	uint64_t start;
	uint64_t end;
};

struct plain_inline {
	unsigned depth; /* 0: the root */
	const char *name;
	uint64_t call_file;
	uint64_t call_line;
	struct plain_range *ranges;
	size_t range_count;
};

struct plain_call {
	uint64_t return_offset;
	uint8_t flags;
	const char **patterns;
	size_t pattern_count;
};

struct plain_function {
	uint64_t start;
	uint64_t size;
	const char *name;
	uint64_t record_offset; /* in the file */
	uint64_t record_size;
	bool has_lines;
	int64_t min_delta, max_delta;
	size_t line_bytes;
	struct plain_row *rows;
	size_t row_count;
	struct plain_inline *inlines; /* the root first */
	size_t inline_count;
	struct plain_call *calls;
	size_t call_count;
	struct plain_function *merged;
	size_t merged_count;
};

struct plain {
	/* NULL, or a text that describes the problem. */
	const char *problem;
	uint64_t problem_offset;
	unsigned version;
	bool big_endian;
	unsigned address_size;
	uint64_t base;
	const uint8_t *uuid;
	size_t uuid_size;
	bool has_checksum;
	/* Offsets of the parts of the file. */
	uint64_t addresses, address_info, files_offset, strings, string_bytes,
		functions_offset;
	struct plain_function *functions;
	size_t function_count;
	struct plain_file *files;
	size_t file_count;

	/* For the decoder only. */
	const uint8_t *data;
	size_t size;
	void *pieces;
};

/** Decode the SIZE bytes at DATA into RET.  DATA must outlive RET.  A problem
 *  is in RET->problem.  RET is to be freed with plain_free. */
void plain_decode(struct plain *ret, const uint8_t *data, size_t size);
void plain_free(struct plain *plain);

/** The function that starts at ADDRESS; NULL if there is none. */
const struct plain_function *plain_at(const struct plain *plain,
				      uint64_t address);
/** The last row at or before ADDRESS; NULL if there is none. */
const struct plain_row *plain_row(const struct plain_function *function,
				  uint64_t address);
/** "dir/base:line" of ROW. The text is valid until the next call. */
const char *plain_place(const struct plain *plain, const struct plain_row *row);

#endif
