/* SPDX-License-Identifier: MIT */
/* The images of tests/cli/NAME.hex are compared with copies in which a byte
 * was changed: the one difference is found, and has the right kind. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "create/create.h"

struct image {
	uint8_t bytes[1024];
	size_t size;
	struct gsym_reader *reader;
};

/* Read tests/cli/NAME.hex. */
static void load(struct image *image, const char *name)
{
	char path[4096], line[256];
	const char *top = getenv("top_srcdir");
	snprintf(path, sizeof(path), "%s/tests/cli/%s.hex", top ? top : ".",
		 name);
	FILE *file = fopen(path, "r");
	cr_assert(file, "%s", path);
	image->size = 0;
	while (fgets(line, sizeof(line), file)) {
		char *at = line, *end;
		for (;; at = end) {
			unsigned long byte = strtoul(at, &end, 16);
			if (end == at)
				break;
			cr_assert(image->size < sizeof(image->bytes));
			image->bytes[image->size++] = byte;
		}
	}
	fclose(file);
}

static void open_image(struct image *image)
{
	cr_assert_eq(gsym_open_memory(image->bytes, image->size,
				      &image->reader, NULL), GSYM_OK);
}

/* The last difference that was reported, and its texts. */
static struct compare_difference seen;
static char seen_first[256], seen_second[256];

static void note(void *context, const struct compare_difference *difference)
{
	(void)context;
	seen = *difference;
	snprintf(seen_first, sizeof(seen_first), "%s", difference->first);
	snprintf(seen_second, sizeof(seen_second), "%s", difference->second);
}

/* Compare the image NAME with a copy whose COUNT bytes at OFFSET are BYTES. */
static struct compare_result compare(const char *name, size_t offset,
				     const char *bytes, size_t count)
{
	static struct image first, second;
	struct compare_result result;
	load(&first, name);
	load(&second, name);
	cr_assert(offset + count <= second.size);
	memcpy(second.bytes + offset, bytes, count);
	open_image(&first);
	open_image(&second);
	compare_images(first.reader, second.reader, note, NULL, &result);
	gsym_close(first.reader);
	gsym_close(second.reader);
	return result;
}

/* Expect that RESULT has one difference, of KIND, in the function at
 * ADDRESS. */
static void expect(const struct compare_result *result,
		   enum compare_kind kind, uint64_t address)
{
	cr_expect_eq(result->differences, 1);
	cr_expect_eq(result->kinds[kind], 1, "not a difference of %s",
		     compare_kind_name(kind));
	cr_expect_eq(seen.kind, kind);
	cr_expect_eq(seen.address, address);
}

Test(compare, finds_nothing_in_equal_images)
{
	struct compare_result result = compare("work", 0, "", 0);
	cr_expect_eq(result.functions, 2);
	cr_expect_eq(result.differences, 0);
	result = compare("odd", 0, "", 0);
	cr_expect_eq(result.functions, 3);
	cr_expect_eq(result.differences, 0);
}

Test(compare, finds_a_size)
{
	struct compare_result result = compare("work", 0xb0, "\x1d", 1);
	expect(&result, COMPARE_RANGE, 0x401028);
	cr_expect_str_eq(seen_first, "[0x401028, 0x401044)");
	cr_expect_str_eq(seen_second, "[0x401028, 0x401045)");
}

Test(compare, finds_a_name)
{
	struct compare_result result = compare("work", 0xb4, "\x17", 1);
	expect(&result, COMPARE_NAME, 0x401028);
	cr_expect_str_eq(seen_first, "_start");
	cr_expect_str_eq(seen_second, "sq");
}

Test(compare, finds_a_row)
{
	/* The last row has line 14 instead of 12. */
	struct compare_result result = compare("work", 0xc7, "\x1e", 1);
	expect(&result, COMPARE_ROWS, 0x401028);
	cr_expect_str_eq(seen_first, "0x401042 /src/ex.c:12");
	cr_expect_str_eq(seen_second, "0x401042 /src/ex.c:14");
	/* The last row is missing. */
	result = compare("work", 0xc7, "\0", 1);
	expect(&result, COMPARE_ROWS, 0x401028);
	cr_expect_str_eq(seen_second, "no row");
}

Test(compare, finds_an_inlined_call)
{
	/* The call has another line. */
	struct compare_result result = compare("work", 0xa5, "\x08", 1);
	expect(&result, COMPARE_INLINES, 0x401000);
	cr_expect_str_eq(seen_first, "1: sq called from /src/ex.c:7 at "
				     "[0x40100e, 0x401013)");
	/* The call has another range. */
	result = compare("work", 0x9e, "\x04", 1);
	expect(&result, COMPARE_INLINES, 0x401000);
	/* The call has another name. */
	result = compare("work", 0xa0, "\x01", 1);
	expect(&result, COMPARE_INLINES, 0x401000);
}

Test(compare, finds_a_file_by_its_name)
{
	/* ex.c becomes ey.c: two functions have rows of it, and one has a call
	 * from it. */
	struct compare_result result = compare("work", 0x5e, "y", 1);
	cr_expect_eq(result.differences, 3);
	cr_expect_eq(result.kinds[COMPARE_ROWS], 2);
	cr_expect_eq(result.kinds[COMPARE_INLINES], 1);
}

Test(compare, finds_functions_that_only_one_has)
{
	struct compare_result result = compare("work", 0x32, "\x29", 1);
	cr_expect_eq(result.functions, 1);
	cr_expect_eq(result.kinds[COMPARE_ONLY_FIRST], 1);
	cr_expect_eq(result.kinds[COMPARE_ONLY_SECOND], 1);
}

/* The offset of the first COUNT bytes from offset FROM on that are BYTES. */
static size_t place(const char *name, size_t from, const char *bytes,
		    size_t count)
{
	static struct image image;
	load(&image, name);
	const uint8_t *at = memmem(image.bytes + from, image.size - from,
				   bytes, count);
	cr_assert(at);
	return at - image.bytes;
}

Test(compare, finds_call_sites)
{
	size_t call = place("odd", 0x148, "\0\0\0\2\0\0\0\0\0\0\0\x08", 12);
	struct compare_result result = compare("odd", call + 11, "\x09", 1);
	expect(&result, COMPARE_CALLS, 0x1000);
	/* The call site has other flags. */
	result = compare("odd", call + 12, "\3", 1);
	expect(&result, COMPARE_CALLS, 0x1000);
	/* The first pattern is another string. */
	result = compare("odd", call + 24, "\x12", 1);
	expect(&result, COMPARE_CALLS, 0x1000);
}

Test(compare, looks_into_merged_functions)
{
	/* The first line of the merged function is 21 instead of 20. */
	size_t line = place("odd", 0x148, "\0\0\x14\x04\0", 5);
	struct compare_result result = compare("odd", line + 2, "\x15", 1);
	expect(&result, COMPARE_ROWS, 0x1000);
	cr_expect_str_eq(seen_first, "0x1000 /src/a.cc:20");
	/* The number of merged functions is 0. */
	size_t count = place("odd", 0x148, "\0\0\0\1\0\0\0\x21", 8);
	result = compare("odd", count, "\0\0\0\0", 4);
	expect(&result, COMPARE_MERGED, 0x1000);
}

Test(compare, reports_damage_once)
{
	/* The name's offset is beyond the string table. */
	struct compare_result result = compare("work", 0xb7, "\x7f", 1);
	expect(&result, COMPARE_DAMAGE, 0x401028);
}
