/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a name and GSYM data, bare or in an ELF file.  The index over
 * the names has to answer as the search without an index does: for this name,
 * the names of the file, and parts of these names.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "support/gsym_bytes.h"

#include <gsym/names.h>

#include <stdlib.h>
#include <string.h>

/* Names that are tried, and bytes of them; a search without an index reads the
 * whole file. */
enum { MOST_NAMES = 24, MOST_BYTES = 512 };

/* Compare all answers for the SIZE bytes at BYTES. */
static void compare(const struct gsym_reader *reader,
		    const struct gsym_name_index *names, const char *bytes,
		    size_t size)
{
	char name[MOST_BYTES + 1];
	uint32_t from = 0;

	if (size > MOST_BYTES)
		size = MOST_BYTES;
	memcpy(name, bytes, size);
	name[size] = '\0';
	/* gsym_find_function takes names up to their NUL. */
	size = strlen(name);
	for (;;) {
		uint32_t wanted = 77, got = 77;
		enum gsym_status status =
			gsym_find_function(reader, name, from, &wanted);

		fuzz_require(gsym_name_index_find(names, name, size, from,
						  &got) == status);
		fuzz_require(got == wanted);
		if (status != GSYM_OK)
			return;
		fuzz_require(got >= from);
		from = got + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_name_index *names;
	struct gsym_reader *reader;
	struct fuzz_part parts[2];
	uint32_t count, step;

	fuzz_divide(data, size, parts, 2);
	if (gsym_open_memory(parts[1].bytes, parts[1].size, &reader, NULL) !=
	    GSYM_OK)
		return 0;
	fuzz_require(gsym_name_index_new(reader, &names, NULL) == GSYM_OK);
	compare(reader, names, (const char *)parts[0].bytes, parts[0].size);
	compare(reader, names, "", 0);
	count = gsym_function_count(reader);
	step = count / MOST_NAMES + 1;
	for (uint32_t i = 0; i < count; i += step) {
		struct gsym_function f;
		size_t length;

		if (gsym_function_at(reader, i, &f, NULL) != GSYM_OK)
			continue;
		length = strlen(f.name);
		compare(reader, names, f.name, length);
		if (length)
			compare(reader, names, f.name, length - 1);
	}
	gsym_name_index_free(names);
	gsym_close(reader);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	return fuzz_mutate_part(data, size, most, seed, 2, NULL);
}
#endif

/* Functions of few names. */
static uint8_t *twins(unsigned version, size_t *size)
{
	struct gb b;

	gb_init(&b, version, version == 2, 4, 0x1000);
	for (uint64_t i = 0; i < 40; i++)
		gb_plain(&b, 0x1000 + 16 * i, 16, i % 3 ? "twin"
						  : i % 2 ? "a" : "");
	return gb_finish(&b, size);
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char *const files[] = { "gsym/little.gsym",
					     "gsym/merged.gsym" };
	struct fuzz_part parts[2] = { { (const uint8_t *)"twin", 4 } };
	uint8_t *file, *bytes;

	if (number >= 8)
		return NULL;
	if (number < 4)
		file = gb_rich(1 + number / 2, number % 2, &parts[1].size);
	else if (number < 6)
		file = twins(number - 3, &parts[1].size);
	else
		file = fuzz_testdata(files[number - 6], &parts[1].size);
	parts[1].bytes = file;
	bytes = fuzz_join(parts, 2, size);
	free(file);
	return bytes;
}
