/* SPDX-License-Identifier: MIT */
/* Writes, reads, checks, cuts and transcodes probes, the kind of information
 * that kind.patch adds; writes the GSYM file to the path that it is given. */
#include <gsym/builder.h>
#include <gsym/convert.h>
#include <gsym/reader.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/convert.h"

#define NEED(condition)                                                 \
	do {                                                            \
		if (!(condition)) {                                     \
			printf("line %d: %s\n", __LINE__, #condition);  \
			exit(1);                                        \
		}                                                       \
	} while (0)

/* The other files of libgsym/convert are not linked. */
bool gsym_program_options_ok(const struct gsym_convert_options *options)
{
	return options != NULL;
}

static uint32_t string(struct gsym_builder *b, const char *text)
{
	uint32_t number;

	NEED(!gsym_builder_string(b, text, strlen(text), &number));
	return number;
}

/* A function with three probes and a call site, and another function inside it,
 * which cuts it. */
static uint8_t *write_file(size_t *size)
{
	struct gsym_builder *b = gsym_builder_new();
	uint32_t file, pattern = 0;
	const struct gsym_call call = { 0x30, 0, 0, 1 };
	struct gsym_row row = { 0, 0, 7 };
	struct gsym_probe probes[3] = {
		{ 4, 0, 10, string(b, "first") },
		{ 0x14, 0, 20, string(b, "hidden") },
		{ 0x40, 0, 30, string(b, "last") },
	};
	struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION, .start = 0x1000, .size = 0x40,
		.name = string(b, "outer"), .rows = &row, .row_count = 1,
		.calls = &call, .call_count = 1, .call_patterns = &pattern,
		.probes = probes, .probe_count = 3,
	};
	uint8_t *bytes;

	pattern = string(b, "callee");
	NEED(!gsym_builder_file(b, 0, string(b, "a.c"), &file));
	row.file = probes[0].file = probes[1].file = file;
	NEED(!gsym_builder_file(b, 0, string(b, "b.c"), &probes[2].file));
	NEED(!gsym_builder_record(b, &record));
	record = (struct gsym_record){
		.rank = GSYM_RANK_FUNCTION, .start = 0x1010, .size = 0x10,
		.name = string(b, "inner"), .rows = &row, .row_count = 1,
	};
	NEED(!gsym_builder_record(b, &record));
	NEED(!gsym_builder_finish(b, NULL, &bytes, size, NULL, NULL));
	gsym_builder_free(b);
	return bytes;
}

/* Expect that the function at ADDRESS has one probe. */
static void expect_probe(const struct gsym_reader *r, uint64_t address,
			 uint32_t offset, const char *base, uint32_t line,
			 const char *name)
{
	const char *directory, *basename, *found;
	uint32_t at, file, number;
	struct gsym_function f;
	struct gsym_match match;

	NEED(!gsym_lookup(r, address, 0, NULL, 0, &match, NULL));
	NEED(!gsym_function_at(r, match.index, &f, NULL));
	NEED(!gsym_probe_at(&f, 0, &at, &file, &number, &found));
	NEED(at == offset && number == line && !strcmp(found, name));
	NEED(!gsym_file_at(r, file, &directory, &basename));
	NEED(!strcmp(basename, base));
	NEED(gsym_probe_at(&f, 1, &at, &file, &number, &found) ==
	     GSYM_NOT_FOUND);
}

static void transcode(const struct gsym_reader *r, const uint8_t *bytes,
		      size_t size)
{
	const struct gsym_convert_options options = { .threads = 1 };
	struct gsym_builder *b = gsym_builder_new();
	size_t other_size;
	uint8_t *other;

	NEED(!gsym_convert_reader(r, &options, b, NULL, NULL));
	NEED(!gsym_builder_finish(b, NULL, &other, &other_size, NULL, NULL));
	NEED(size == other_size && !memcmp(bytes, other, size));
	gsym_builder_free(b);
	free(other);
}

/* Damage the file number of a probe of R, whose bytes are BYTES. */
static void damage(const struct gsym_reader *r, uint8_t *bytes)
{
	struct gsym_function f;

	NEED(!gsym_function_at(r, 0, &f, NULL));
	NEED(!gsym_verify(r, NULL, NULL));
	bytes[f.info[GSYM_INFO_PROBES].offset + 8] ^= 0x55;
	NEED(gsym_verify(r, NULL, NULL) == GSYM_ERR_CORRUPT);
	bytes[f.info[GSYM_INFO_PROBES].offset + 8] ^= 0x55;
}

int main(int argc, char **argv)
{
	struct gsym_reader *r;
	uint8_t *bytes;
	size_t size;
	FILE *file;

	NEED(argc == 2);
	bytes = write_file(&size);
	NEED(!gsym_open_memory(bytes, size, &r, NULL));
	expect_probe(r, 0x1000, 4, "a.c", 10, "first");
	expect_probe(r, 0x1020, 0x20, "b.c", 30, "last");
	transcode(r, bytes, size);
	damage(r, bytes);
	file = fopen(argv[1], "wb");
	NEED(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
	gsym_close(r);
	free(bytes);
	return 0;
}
