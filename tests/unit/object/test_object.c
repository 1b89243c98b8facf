/* SPDX-License-Identifier: MIT */
/* Objects of any format: how much of a file a walk over its headers reads. */
#include "config.h"

#include "object/object.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A Mach-O program whose header states no load command, with COUNT of them. */
static uint8_t *macho_of(uint32_t count, size_t *size)
{
	const uint32_t header[8] = { 0xfeedfacf, 0x01000007, 3, 2, 0,
				     count * 8 };
	const uint32_t command[2] = { 0x7f, 8 };
	uint8_t *bytes;

	*size = sizeof(header) + (size_t)count * sizeof(command);
	bytes = malloc(*size);
	cr_assert(bytes);
	memcpy(bytes, header, sizeof(header));
	for (uint32_t i = 0; i < count; i++)
		memcpy(bytes + sizeof(header) + i * sizeof(command), command,
		       sizeof(command));
	return bytes;
}

Test(object, macho_commands_are_bounded)
{
	const uint32_t most = GSYM_LIMIT(4096, 64);
	struct gsym_error error = { 0 };
	struct object o;
	size_t size;
	uint8_t *bytes = macho_of(most, &size);

	cr_assert_eq(gsym_object_open(bytes, size, &o, &error), GSYM_OK, "%s",
		     error.message);
	cr_expect_eq(o.header_count, most);
	free(bytes);
	bytes = macho_of(most + 1, &size);
	cr_expect_eq(gsym_object_open(bytes, size, &o, &error),
		     GSYM_ERR_UNSUPPORTED);
	cr_expect(strstr(error.message, "load commands"), "%s", error.message);
	free(bytes);
}

/* A WebAssembly module with COUNT empty custom sections. */
static uint8_t *wasm_of(size_t count, size_t *size)
{
	uint8_t *bytes;

	/* A section: number 0, one byte, a name of no bytes. */
	*size = 8 + 3 * count;
	bytes = calloc(1, *size);
	cr_assert(bytes);
	memcpy(bytes, "\0asm\1", 5);
	for (size_t i = 0; i < count; i++)
		bytes[8 + 3 * i + 1] = 1;
	return bytes;
}

Test(object, wasm_sections_are_bounded)
{
	const size_t most = GSYM_LIMIT(4096, 64);
	struct gsym_error error = { 0 };
	struct object_section section;
	struct object o;
	size_t size;
	uint8_t *bytes = wasm_of(most, &size);

	cr_assert_eq(gsym_object_open(bytes, size, &o, &error), GSYM_OK, "%s",
		     error.message);
	cr_expect(gsym_object_section(&o, most - 1, &section));
	cr_expect(!gsym_object_section(&o, most, &section));
	free(bytes);
	bytes = wasm_of(most + 1, &size);
	cr_expect_eq(gsym_object_open(bytes, size, &o, &error),
		     GSYM_ERR_UNSUPPORTED);
	cr_expect(strstr(error.message, "sections"), "%s", error.message);
	free(bytes);
}

/* The bytes of the file NAME of the project, malloc'ed. */
static uint8_t *read_file(const char *name, size_t *size)
{
	char path[4096];
	uint8_t *bytes;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", getenv("top_srcdir"), name);
	file = fopen(path, "rb");
	cr_assert(file, "%s", path);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size);
	cr_assert(bytes);
	cr_assert_eq(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

/* A symbol of WebAssembly has no source file, whatever was in its struct. */
Test(object, wasm_symbols_are_whole)
{
	struct gsym_error error = { 0 };
	struct object_walk walk = { 0 };
	struct object_symbol symbol;
	size_t size, count = 0;
	uint8_t *bytes = read_file("testdata/wasm/prog.wasm", &size);
	struct object o;

	cr_assert_eq(gsym_object_open(bytes, size, &o, &error), GSYM_OK, "%s",
		     error.message);
	for (;; count++) {
		memset(&symbol, 0x55, sizeof(symbol));
		if (!gsym_object_symbol(&o, &walk, &symbol))
			break;
		cr_expect_null(symbol.file);
		cr_expect(!symbol.local && !symbol.first);
	}
	cr_expect_gt(count, 0);
	free(bytes);
}
