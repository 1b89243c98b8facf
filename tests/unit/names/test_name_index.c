/* SPDX-License-Identifier: MIT */
/* reader/names: the index answers as gsym_find_function does, whatever the
 * names are, in a time that the file cannot choose. */
#include "unit/reader/answers.h"

#include <gsym/names.h>
#include <string.h>

static struct gsym_name_index *index_of(const struct gsym_reader *reader)
{
	struct gsym_name_index *names = NULL;

	cr_assert(gsym_name_index_new(reader, &names, NULL) == GSYM_OK);
	return names;
}

/* Compare the answers for NAME, from each record on, with those of
 * gsym_find_function. */
static void compare(const struct gsym_reader *reader,
		    const struct gsym_name_index *names, const char *name)
{
	uint32_t count = gsym_function_count(reader);

	for (uint32_t from = 0; from <= count + 1; from++) {
		uint32_t wanted = 77, got = 77;
		enum gsym_status want =
			gsym_find_function(reader, name, from, &wanted);

		cr_assert(gsym_name_index_find(names, name, strlen(name), from,
					       &got) == want);
		cr_assert(got == wanted, "'%s' from %" PRIu32, name, from);
	}
	cr_expect(gsym_name_index_find(names, name, strlen(name), UINT32_MAX,
				       &count) == GSYM_NOT_FOUND);
}

/* compare for the names of all records, and for parts of them. */
static void compare_all(const struct gsym_reader *reader)
{
	struct gsym_name_index *names = index_of(reader);

	compare(reader, names, "");
	compare(reader, names, "no such function");
	for (uint32_t i = 0; i < gsym_function_count(reader); i++) {
		struct gsym_function f;
		char name[256];

		gsym_function_at(reader, i, &f, NULL);
		compare(reader, names, f.name);
		if (!*f.name)
			continue;
		compare(reader, names, f.name + 1);
		snprintf(name, sizeof(name), "%sx", f.name);
		compare(reader, names, name);
		name[strlen(f.name) - 1] = 0;
		compare(reader, names, name);
	}
	gsym_name_index_free(names);
}

Test(names, both_versions_and_byte_orders)
{
	for (int i = 0; i < 4; i++) {
		size_t size;
		uint8_t *bytes = gb_rich(1 + i / 2, i % 2, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);

		cr_expect(gsym_function_count(reader) > 3);
		compare_all(reader);
		gsym_close(reader);
		free(bytes);
	}
}

Test(names, equal_names_in_the_order_of_addresses)
{
	struct gsym_name_index *names;
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size;
	struct gb b;

	gb_init(&b, 2, false, 4, 0);
	for (uint64_t i = 0; i < 300; i++)
		gb_plain(&b, i * 16, 16, i % 3 ? "twin" : i % 2 ? "a" : "b");
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	names = index_of(reader);
	compare(reader, names, "twin");
	compare(reader, names, "a");
	compare(reader, names, "b");
	compare(reader, names, "c");
	gsym_name_index_free(names);
	gsym_close(reader);
	free(bytes);
}

Test(names, name_without_a_nul_and_with_nuls)
{
	size_t size;
	uint8_t *bytes = gb_rich(1, false, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);
	struct gsym_name_index *names = index_of(reader);
	struct gsym_function f;
	char name[256];
	uint32_t index;

	cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
	size = strlen(f.name);
	memset(name, 'x', sizeof(name));
	memcpy(name, f.name, size);
	cr_assert(gsym_name_index_find(names, name, size, 0, &index) ==
		  GSYM_OK);
	cr_expect(index == 0);
	name[size] = 0;
	/* The next string of the table follows the NUL. */
	memcpy(name + size + 1, f.name + size + 1, 4);
	cr_expect(gsym_name_index_find(names, name, size + 1, 0, &index) ==
		  GSYM_NOT_FOUND);
	cr_expect(gsym_name_index_find(names, name, size + 3, 0, &index) ==
		  GSYM_NOT_FOUND);
	cr_expect(gsym_name_index_find(names, NULL, 0, 0, &index) ==
		  GSYM_NOT_FOUND);
	gsym_name_index_free(names);
	gsym_close(reader);
	free(bytes);
}

/* Each byte of a file is damaged, in turn. */
Test(names, damaged_files)
{
	for (unsigned version = 1; version <= 2; version++) {
		size_t size;
		uint8_t *bytes = gb_rich(version, false, &size);

		for (size_t i = 0; i < size; i++) {
			struct gsym_reader *reader;

			bytes[i] ^= 0xa5;
			if (gsym_open_memory(bytes, size, &reader, NULL) ==
			    GSYM_OK) {
				if (gsym_function_count(reader) < 100)
					compare_all(reader);
				gsym_close(reader);
			}
			bytes[i] ^= 0xa5;
		}
		free(bytes);
	}
}

Test(names, names_end_with_the_table)
{
	struct gsym_name_index *names;
	struct gsym_reader *reader;
	struct gsym_header header;
	uint8_t *bytes;
	uint32_t index;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	gb_plain(&b, 0x1000, 16, "last");
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_get_header(reader, &header) == GSYM_OK);
	names = index_of(reader);
	cr_expect(gsym_name_index_find(names, "last", 4, 0, &index) == GSYM_OK);
	cr_expect(gsym_name_index_find(names, "lastly, more bytes than the "
				       "table has after the name", 50, 0,
				       &index) == GSYM_NOT_FOUND);
	gsym_name_index_free(names);
	gsym_close(reader);
	free(bytes);
}

Test(names, file_without_functions)
{
	struct gsym_name_index *names;
	struct gsym_reader *reader;
	uint8_t *bytes;
	uint32_t index;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	names = index_of(reader);
	cr_expect(gsym_name_index_find(names, "f", 1, 0, &index) ==
		  GSYM_NOT_FOUND);
	gsym_name_index_free(names);
	gsym_name_index_free(NULL);
	gsym_close(reader);
	free(bytes);
}

/* ---- hostile files ------------------------------------------------------ */

enum { MANY = 100 * 1000, LONG = 4 << 20 };

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A file of MANY functions of 16 bytes with records of 16 bytes, and the
 * STRINGS_SIZE bytes at STRINGS, which end with a NUL.  The name of function I
 * is at (I % KINDS) * STEP + 1. */
static uint8_t *many_functions(const char *strings, uint32_t strings_size,
			       uint32_t kinds, uint32_t step, size_t *ret)
{
	uint32_t addresses = 48, infos = addresses + MANY * 4;
	uint32_t files = infos + MANY * 4, records = files + 12;
	uint32_t table = records + MANY * 16;
	uint8_t *bytes = calloc(1, table + strings_size);

	cr_assert(bytes);
	memcpy(bytes, "MYSG\1\0\4\0", 8);
	put32(bytes + 16, MANY);
	put32(bytes + 20, table);
	put32(bytes + 24, strings_size);
	put32(bytes + files, 1);
	for (uint32_t i = 0; i < MANY; i++) {
		put32(bytes + addresses + i * 4, i * 16);
		put32(bytes + infos + i * 4, records + i * 16);
		put32(bytes + records + i * 16, 16);
		put32(bytes + records + i * 16 + 4, i % kinds * step + 1);
	}
	memcpy(bytes + table, strings, strings_size);
	*ret = table + strings_size;
	return bytes;
}

/* Make an index, and ask for the name of record 0 and for all others that have
 * the same one.  Returns their number. */
static uint32_t count_first_name(const char *strings, uint32_t strings_size,
				 uint32_t kinds, uint32_t step)
{
	size_t size;
	uint8_t *bytes = many_functions(strings, strings_size, kinds, step,
					&size);
	struct gsym_reader *reader = open_bytes(bytes, size);
	struct gsym_name_index *names = index_of(reader);
	uint32_t count = 0, index = 0;
	const char *name = gsym_string_at(reader, 1);

	for (size_t length = strlen(name);
	     gsym_name_index_find(names, name, length, index, &index) ==
	     GSYM_OK; index++)
		count++;
	gsym_name_index_free(names);
	gsym_close(reader);
	free(bytes);
	return count;
}

/* A walk that visited each record of the name for each record of the name would
 * compare 10 000 000 000 entries. */
Test(names, a_hundred_thousand_equal_names, .timeout = 600)
{
	cr_expect(count_first_name("\0f", 3, 1, 0) == MANY);
}

/* Names of up to 4 MiB, each of them the end of the one before: 200 GiB of
 * text. */
Test(names, names_that_overlap, .timeout = 600)
{
	char *strings = malloc(LONG);

	cr_assert(strings);
	memset(strings, 'x', LONG - 1);
	strings[0] = strings[LONG - 1] = 0;
	cr_expect(count_first_name(strings, LONG, MANY, 40) == 1);
	free(strings);
}

/* Names that differ after a thousand bytes have one hash. */
Test(names, equal_hashes, .timeout = 600)
{
	enum { KINDS = 1000, STEP = 1200 };
	char *strings = malloc(KINDS * STEP + 1);

	cr_assert(strings);
	strings[0] = 0;
	for (int i = 0; i < KINDS; i++) {
		char *name = strings + i * STEP + 1;

		memset(name, 'x', STEP - 1);
		snprintf(name + STEP - 10, 10, "%d", i);
	}
	cr_expect(count_first_name(strings, KINDS * STEP + 1, KINDS, STEP) ==
		  MANY / KINDS);
	free(strings);
}
