/* SPDX-License-Identifier: MIT */
/* Universal files: their programs, and damage. */
#include "macho/macho.h"
#include "object/machoview.h"
#include "unit/macho/program.h"

#include <criterion/criterion.h>

static struct gsym_error error;

/* A program that has a header alone. */
static const uint8_t *header(uint32_t cpu, uint32_t subtype, size_t *size)
{
	struct machob *b = machob_new(64, false, EXECUTE, cpu, subtype);
	uint8_t *bytes = machob_finish(b, size);

	machob_free(b);
	return bytes;
}

static uint8_t *two(unsigned bits, size_t *size)
{
	struct machob_slice slices[2] = { { .cpu = X86_64, .subtype = 3 },
					  { .cpu = ARM64, .subtype = 2 } };
	uint8_t *bytes;

	for (int i = 0; i < 2; i++)
		slices[i].bytes = header(slices[i].cpu, slices[i].subtype,
					 &slices[i].size);
	bytes = machob_universal(bits, slices, 2, size);
	for (int i = 0; i < 2; i++)
		free((void *)slices[i].bytes);
	return bytes;
}

/* Load the program for ARCHITECTURE; the status has to be WANTED, and the
 * program's architecture NAME. */
static void check(const uint8_t *bytes, size_t size, const char *architecture,
		  enum gsym_status wanted, const char *name)
{
	const struct gsym_convert_options options = {
		.architecture = architecture
	};
	struct gsym_container *c = NULL;

	memset(&error, 0, sizeof(error));
	cr_assert_eq(gsym_container_load(&gsym_macho_input, bytes, size,
					 GSYM_LOAD_ALL, &options, &c, &error),
		     wanted, "%s: %s", architecture ? architecture : "(none)",
		     error.message);
	if (c)
		cr_assert_str_eq(c->architecture, name);
	gsym_container_free(c);
}

Test(universal, choice)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		size_t size;
		uint8_t *bytes = two(bits, &size);

		cr_assert(gsym_machoview_matches(bytes, size));
		check(bytes, size, "x86_64", GSYM_OK, "x86_64");
		check(bytes, size, "arm64e", GSYM_OK, "arm64e");
		check(bytes, size, "0x100000c", GSYM_OK, "arm64e");
		check(bytes, size, "16777223", GSYM_OK, "x86_64");
		check(bytes, size, "arm64", GSYM_ERR_ARGUMENT, NULL);
		cr_assert(strstr(error.message, "only x86_64, arm64e"));
		check(bytes, size, "12x", GSYM_ERR_ARGUMENT, NULL);
		check(bytes, size, "", GSYM_ERR_ARGUMENT, NULL);
		check(bytes, size, NULL, GSYM_ERR_ARGUMENT, NULL);
		cr_assert(strstr(error.message, "chosen: x86_64, arm64e"));
		free(bytes);
	}
}

/* A thin file is loaded for its own architecture and without one; another
 * architecture is an error. */
Test(universal, thin)
{
	size_t size;
	uint8_t *bytes = program(32, false, &size);

	check(bytes, size, NULL, GSYM_OK, "i386");
	check(bytes, size, "i386", GSYM_OK, "i386");
	check(bytes, size, "7", GSYM_OK, "i386");
	check(bytes, size, "x86_64", GSYM_ERR_ARGUMENT, NULL);
	free(bytes);
}

Test(universal, names)
{
	static const struct {
		uint32_t cpu, subtype;
		const char *name;
	} cases[] = {
		{ X86_64, 8, "x86_64h" },
		{ X86_64, 0x80000003, "x86_64" },
		{ ARM64, 0, "arm64" },
		{ ARM64, 0x80000002, "arm64e" },
		{ CPU_TYPE_ARM | CPU_ARCH_ABI64_32, 1, "arm64_32" },
		{ CPU_TYPE_ARM, 12, "armv7k" },
		{ CPU_TYPE_ARM, 0, "arm" },
		{ CPU_TYPE_POWERPC, 100, "ppc970" },
		{ CPU_TYPE_POWERPC, 3, "cpu18-3" },
		{ 0xffffffff, 0xffffffff, "cpu4294967295-16777215" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size;
		const uint8_t *bytes = header(cases[i].cpu, cases[i].subtype,
					      &size);

		check(bytes, size, NULL, GSYM_OK, cases[i].name);
		check(bytes, size, cases[i].name, GSYM_OK, cases[i].name);
		free((void *)bytes);
	}
	cr_assert(!gsym_architecture_matches(NULL, "ppc"));
	cr_assert(!gsym_architecture_matches(
		&(struct gsym_architecture){ .name = "ppc" }, NULL));
}

Test(universal, truncations)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		size_t size;
		uint8_t *bytes = two(bits, &size);

		for (size_t i = 0; i < size; i++) {
			uint8_t *copy = malloc(i + 1);

			memcpy(copy, bytes, i);
			check(copy, i, "x86_64",
			      i < 8 ? GSYM_ERR_FORMAT : GSYM_ERR_CORRUPT, NULL);
			free(copy);
		}
		free(bytes);
	}
}

static void put(uint8_t *bytes, size_t offset, uint32_t word)
{
	gsym_store_u32(bytes + offset, word, !GSYM_HOST_BIG_ENDIAN);
}

Test(universal, damage)
{
	static const struct {
		size_t offset;
		uint32_t word;
	} changes[] = {
		{ 4, 0 },           /* no programs */
		{ 4, 3 },           /* one more than there are */
		{ 16, 4 },          /* within the header */
		{ 16, 0xffffffff }, /* outside */
		{ 20, 0xffffffff },
		{ 36, 60 },         /* overlapping */
		{ 8, CPU_TYPE_X86 }, /* its own header says something else */
	};
	size_t size;
	uint8_t *bytes = two(32, &size);

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint8_t *copy = malloc(size);

		memcpy(copy, bytes, size);
		put(copy, changes[i].offset, changes[i].word);
		check(copy, size, changes[i].word == CPU_TYPE_X86 ? "i386"
								  : "x86_64",
		      GSYM_ERR_CORRUPT, NULL);
		free(copy);
	}
	/* The same processor occurs twice. */
	put(bytes, 28, X86_64);
	put(bytes, 32, 3);
	check(bytes, size, "x86_64", GSYM_ERR_CORRUPT, NULL);
	/* A Java class file has the same magic number. */
	put(bytes, 4, 45);
	cr_assert(!gsym_machoview_matches(bytes, size));
	check(bytes, size, NULL, GSYM_ERR_FORMAT, NULL);
	free(bytes);
}

/* Universal files within universal files are refused. */
Test(universal, nested)
{
	size_t inner_size;
	uint8_t *inner = two(32, &inner_size);
	struct machob_slice slice = { X86_64, 3, inner, inner_size };
	size_t size;
	uint8_t *bytes = machob_universal(32, &slice, 1, &size);

	check(bytes, size, NULL, GSYM_ERR_UNSUPPORTED, NULL);
	free(bytes);
	free(inner);
}
