/* SPDX-License-Identifier: MIT */
/*
 * write_samples DIRECTORY: write files of version 1 for llvm-gsymutil to read,
 * in both byte orders and all address widths.  Each has a function with all
 * that a record can hold.  llvm_reads.sh has the answers that lookups have to
 * give.
 */
#include <gsym/builder.h>
#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(enum gsym_status status)
{
	if (status == GSYM_OK)
		return;
	fprintf(stderr, "write_samples: %s\n", gsym_status_text(status));
	exit(99);
}

static uint32_t string(struct gsym_builder *b, const char *text)
{
	uint32_t number;

	check(gsym_builder_string(b, text, strlen(text), &number));
	return number;
}

static uint32_t file(struct gsym_builder *b, const char *name)
{
	uint32_t number;

	check(gsym_builder_file(b, string(b, "/src"), string(b, name),
				&number));
	return number;
}

/* Add a function with all that a record can hold, and one that cuts it. */
static void add_rich(struct gsym_builder *b)
{
	uint32_t a = file(b, "a.c"), h = file(b, "b.h");
	struct gsym_row rows[] = {
		{ 0x04, a, 10 },  { 0x08, a, 4000 },
		{ 0x10, h, 3 },	  { 0x18, GSYM_FILE_NOSRC, 0 },
		{ 0x1c, a, 0 },	  { 0x20, GSYM_FILE_UNKNOWN, 15 },
		{ 0x24, a, 12 },  { 0xd0, a, 9 },
	};
	struct gsym_range ranges[] = { { 0x1010, 0x1018 }, { 0x1024, 0x1030 },
				       { 0x1012, 0x1016 } };
	struct gsym_inline_node nodes[] = {
		{ 1, string(b, "inlined"), a, 4000, 0, 2 },
		{ 2, string(b, "deeper"), h, 2, 2, 1 },
	};
	uint32_t patterns[] = { string(b, "^aa$"), string(b, "bb.*") };
	struct gsym_call calls[] = { { 0x0d, 3, 0, 2 }, { 0x17, 0, 0, 0 } };
	struct gsym_record merged = { .rank = GSYM_RANK_FUNCTION,
				      .start = 0x1000,
				      .size = 0xf0,
				      .name = string(b, "twin"),
				      .rows = rows,
				      .row_count = 3 };
	struct gsym_record rich = { .rank = GSYM_RANK_FUNCTION,
				    .start = 0x1000,
				    .size = 0xf0,
				    .name = string(b, "rich"),
				    .rows = rows,
				    .row_count = 8,
				    .inlines = nodes,
				    .inline_count = 2,
				    .inline_ranges = ranges,
				    .calls = calls,
				    .call_count = 2,
				    .call_patterns = patterns,
				    .merged = &merged,
				    .merged_count = 1 };

	check(gsym_builder_record(b, &rich));
	check(gsym_builder_record(
		b, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					  .start = 0x1080,
					  .size = 0x10,
					  .name = string(b, "nested") }));
}

static void write_sample(const char *directory, uint64_t last, bool big_endian)
{
	static const uint8_t uuid[20] = { 1, 2, 3 };
	struct gsym_builder *b = gsym_builder_new();
	struct gsym_build_options options = {
		.version = 1, .big_endian = big_endian, .threads = 2
	};
	struct gsym_error error;
	char path[4096];
	uint8_t *bytes;
	size_t size;
	FILE *out;

	if (!b)
		check(GSYM_ERR_MEMORY);
	add_rich(b);
	check(gsym_builder_record(
		b, &(struct gsym_record){ .rank = GSYM_RANK_SYMBOL,
					  .start = last,
					  .size = 0x10,
					  .name = string(b, "last") }));
	check(gsym_builder_set_uuid(b, uuid, sizeof(uuid)));
	gsym_builder_set_base(b, 0x1000);
	check(gsym_builder_finish(b, &options, &bytes, &size, NULL, &error));
	gsym_builder_free(b);

	snprintf(path, sizeof(path), "%s/%" PRIx64 "-%s.gsym", directory, last,
		 big_endian ? "big" : "little");
	out = fopen(path, "wb");
	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out)) {
		perror(path);
		exit(99);
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	/* The addresses of the last function, at both sides of the limit of
	 * each address width. */
	static const uint64_t last[] = { 0x10ff,  0x1100,      0x10fff,
					 0x11000, 0x100000fff, 0x100001000 };

	if (argc != 2)
		return 99;
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++)
		for (int big = 0; big < 2; big++)
			write_sample(argv[1], last[i], big);
	return 0;
}
