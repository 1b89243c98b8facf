/* SPDX-License-Identifier: MIT */
/* Objects of any format: how much of a file a walk over its headers reads. */
#include "config.h"

#include "object/object.h"

#include <criterion/criterion.h>
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
