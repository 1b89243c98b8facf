/* SPDX-License-Identifier: MIT */
/* Damaged Mach-O files. */
#include "config.h"

#include "macho/macho.h"
#include "unit/macho/program.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct gsym_error error;
/* The bytes of the container that open_copy made. */
static uint8_t *copy;

static void close_copy(struct gsym_container *c)
{
	gsym_container_free(c);
	free(copy);
}

/* Open a copy of BYTES in memory of just that size. */
static enum gsym_status open_copy(const uint8_t *bytes, size_t size,
				  struct gsym_container **ret)
{
	struct gsym_container *c = NULL;
	enum gsym_status status;

	copy = malloc(size ? size : 1);
	cr_assert(copy);
	memcpy(copy, bytes, size);
	memset(&error, 0, sizeof(error));
	status = gsym_container_load(&gsym_macho_input, copy, size,
				     GSYM_LOAD_ALL, NULL, &c, &error);
	cr_assert_eq(status == GSYM_OK, c != NULL);
	cr_assert(status == GSYM_OK || error.message[0]);
	/* Read every byte, so that sanitizers see reads beyond. */
	for (size_t i = 0; c && i < c->sections.count; i++)
		for (uint64_t k = 0; k < c->sections.items[i].data_size; k++)
			*(volatile const uint8_t *)&c->sections.items[i]
				 .data[k];
	for (size_t i = 0; c && i < c->symbols.count; i++)
		cr_assert_lt(strlen(c->symbols.items[i].name), size + 20);
	if (ret && c)
		*ret = c;
	else
		close_copy(c);
	return status;
}

/* Loading gives a single warning, of KIND, that contains TEXT. */
static void check_warning(const uint8_t *bytes, size_t size,
			  enum gsym_warning kind, const char *text)
{
	struct gsym_container *c;

	cr_assert_eq(open_copy(bytes, size, &c), GSYM_OK, "%s: %s", text,
		     error.message);
	cr_assert_eq(c->warnings.count, 1, "%s: %zu", text, c->warnings.count);
	cr_assert_eq(c->warnings.items[0].kind, kind, "%s", text);
	cr_assert(strstr(c->warnings.items[0].text, text), "%s: %s", text,
		  c->warnings.items[0].text);
	close_copy(c);
}

/* PROGRAM with the word at OFFSET of the command TYPE replaced. */
static uint8_t *patched(unsigned bits, bool big_endian, uint32_t type,
			size_t offset, uint32_t word, size_t *size)
{
	uint8_t *bytes = program(bits, big_endian, size);
	size_t at = machob_command(bytes, *size, type);

	cr_assert(at);
	machob_patch(bytes, at + offset, word);
	return bytes;
}

static void refuse(uint32_t type, size_t offset, uint32_t word)
{
	size_t size;
	uint8_t *bytes = patched(64, false, type, offset, word, &size);

	cr_assert_eq(open_copy(bytes, size, NULL), GSYM_ERR_CORRUPT,
		     "command 0x%x: %u at %zu", type, word, offset);
	free(bytes);
}

static void warn(uint32_t type, size_t offset, uint32_t word,
		 enum gsym_warning kind, const char *text)
{
	size_t size;
	uint8_t *bytes = patched(64, true, type, offset, word, &size);

	check_warning(bytes, size, kind, text);
	free(bytes);
}

Test(macho_damage, truncations)
{
	for (int shape = 0; shape < 4; shape++) {
		size_t size;
		uint8_t *bytes = program(shape & 1 ? 32 : 64, shape & 2, &size);

		for (size_t i = 0; i < size; i++)
			open_copy(bytes, i, NULL);
		cr_assert_eq(open_copy(bytes, 3, NULL), GSYM_ERR_FORMAT);
		cr_assert_eq(open_copy(bytes, 10, NULL), GSYM_ERR_CORRUPT);
		cr_assert_eq(open_copy(bytes, 40, NULL), GSYM_ERR_CORRUPT);
		cr_assert_eq(open_copy(bytes, size, NULL), GSYM_OK);
		free(bytes);
	}
}

Test(macho_damage, load_commands)
{
	size_t size;
	uint8_t *bytes;

	/* Sizes of a load command: 0, too small, and beyond the commands. */
	refuse(LC_SEGMENT_64, 4, 0);
	refuse(LC_SEGMENT_64, 4, 7);
	refuse(LC_SEGMENT_64, 4, 0x7fffffff);
	refuse(LC_SEGMENT_64, 4, 0xffffffff);
	refuse(LC_SEGMENT_64, 4, 71);
	refuse(LC_SYMTAB, 4, 23);
	refuse(LC_UUID, 4, 23);
	/* More sections than the command has room for. */
	refuse(LC_SEGMENT_64, 64, 4);
	refuse(LC_SEGMENT_64, 64, 0xffffffff);
	/* More load commands, and more bytes of them, than the file has. */
	bytes = program(32, true, &size);
	machob_patch(bytes, 16, 99);
	cr_assert_eq(open_copy(bytes, size, NULL), GSYM_ERR_CORRUPT);
	machob_patch(bytes, 16, 1);
	machob_patch(bytes, 20, (uint32_t)size);
	cr_assert_eq(open_copy(bytes, size, NULL), GSYM_ERR_CORRUPT);
	free(bytes);
}

Test(macho_damage, kinds_of_files)
{
	static const uint32_t others[] = { MH_CORE, MH_DYLIB_STUB, MH_FILESET };
	size_t size;
	uint8_t *bytes = program(64, false, &size);

	for (size_t i = 0; i < 3; i++) {
		machob_patch(bytes, 12, others[i]);
		cr_assert_eq(open_copy(bytes, size, NULL),
			     GSYM_ERR_UNSUPPORTED);
	}
	free(bytes);
}

Test(macho_damage, places_outside)
{
	/* The first section's size, high and low, and its offset. */
	warn(LC_SEGMENT_64, 72 + 40, 1, GSYM_WARN_BAD_SECTION,
	     "__TEXT,__text: 0x100000100 bytes");
	warn(LC_SEGMENT_64, 72 + 48, 0xfffffff0, GSYM_WARN_BAD_SECTION,
	     "__TEXT,__text: 0x100 bytes at 0xfffffff0");
	warn(LC_SYMTAB, 8, 0xfffffff0, GSYM_WARN_BAD_SECTION, "symbol table:");
	warn(LC_SYMTAB, 12, 0xffffffff, GSYM_WARN_BAD_SECTION, "symbol table:");
	warn(LC_DYSYMTAB, 56, 0xfffffff0, GSYM_WARN_BAD_SECTION, "indirect");
	warn(LC_FUNCTION_STARTS, 12, 0xffffffff, GSYM_WARN_BAD_SECTION,
	     "function starts:");
	/* A shorter string table costs some names, an empty one all. */
	warn(LC_SYMTAB, 20, 30, GSYM_WARN_BAD_SYMBOL, "4 symbols have no name");
	warn(LC_SYMTAB, 20, 0, GSYM_WARN_BAD_SYMBOL, "6 symbols have no name");
}

Test(macho_damage, compressed)
{
	size_t size;
	uint8_t *bytes = program(64, true, &size);
	uint8_t *packed = memmem(bytes, size, "ZLIB", 4);

	cr_assert(packed);
	packed[11] = 5;
	check_warning(bytes, size, GSYM_WARN_BAD_SECTION,
		      "its compressed bytes are damaged");
	packed[4] = 0xff;
	check_warning(bytes, size, GSYM_WARN_BAD_SECTION,
		      "its compression header is damaged");
	packed[4] = 0;
	packed[0] = 'z';
	check_warning(bytes, size, GSYM_WARN_BAD_SECTION,
		      ".zdebug_line_str at 0x");
	free(bytes);
}

/* There are more stubs than the indirect symbol table has entries, first
 * because the section's entries begin too late, then because a stub has one
 * byte. */
Test(macho_damage, stubs)
{
	size_t at = 72 + 80;

	warn(LC_SEGMENT_64, at + 68, 2, GSYM_WARN_BAD_SECTION,
	     "__TEXT,__stubs: it has more stubs");
	warn(LC_SEGMENT_64, at + 68, 0xffffffff, GSYM_WARN_BAD_SECTION,
	     "__TEXT,__stubs: it has more stubs");
	warn(LC_SEGMENT_64, at + 72, 1, GSYM_WARN_BAD_SECTION,
	     "__TEXT,__stubs: it has more stubs");
}

Test(macho_damage, stubs_without_meaning)
{
	size_t size;
	uint8_t *bytes = patched(64, false, LC_SEGMENT_64, 72 + 80 + 72, 0,
				 &size);
	size_t table = machob_command(bytes, size, LC_DYSYMTAB);
	struct gsym_container *c;

	/* The stubs have no size. */
	cr_assert_eq(open_copy(bytes, size, &c), GSYM_OK);
	cr_assert_eq(c->symbols.count, 5);
	close_copy(c);
	/* A symbol number that is too large. */
	machob_patch(bytes, machob_command(bytes, size, LC_SEGMENT_64) + 72 +
				    80 + 72, 6);
	machob_patch(bytes, gsym_load_u32(bytes + table + 56,
					  GSYM_HOST_BIG_ENDIAN) + 4, 8);
	cr_assert_eq(open_copy(bytes, size, &c), GSYM_OK);
	cr_assert_eq(c->symbols.count, 5);
	close_copy(c);
	free(bytes);
}

Test(macho_damage, symbols_in_no_section)
{
	struct machob *b = machob_new(64, false, EXECUTE, X86_64, 3);
	static const uint8_t starts[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0x7f };
	uint8_t *bytes;
	size_t size;

	program_text(b);
	machob_symbol(b, "_a", GLOBAL, 4, 0, 0x11000);
	machob_symbol(b, "_b", GLOBAL, 0, 0, 0x11000);
	machob_symbol(b, "_c", GLOBAL, 255, 0, 0x11000);
	/* A step beyond the address space. */
	machob_starts(b, starts, sizeof(starts));
	machob_indirect(b, INDIRECT_SYMBOL_LOCAL);
	machob_indirect(b, INDIRECT_SYMBOL_LOCAL);
	machob_indirect(b, INDIRECT_SYMBOL_LOCAL);
	bytes = machob_finish(b, &size);
	machob_free(b);
	check_warning(bytes, size, GSYM_WARN_BAD_SYMBOL,
		      "3 symbols are in sections that do not exist");
	free(bytes);
}

/* Change each byte of a file in several ways. */
Test(macho_damage, every_byte)
{
	static const uint8_t masks[] = { 0xff, 0x80, 0x01 };
	size_t size;
	uint8_t *bytes = program(32, false, &size);

	for (size_t i = 0; i < size; i++)
		for (size_t k = 0; k < 3; k++) {
			bytes[i] ^= masks[k];
			open_copy(bytes, size, NULL);
			bytes[i] ^= masks[k];
		}
	free(bytes);
}

/* Cut a debug file at many places. */
Test(macho_damage, fixture)
{
	char path[1024];
	uint8_t *bytes = NULL;
	size_t size = 0;
	size_t good = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/testdata/macho/armv7.macho",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	f = fopen(path, "rb");
	cr_assert(f, "%s", path);
	bytes = malloc(1 << 16);
	size = fread(bytes, 1, 1 << 16, f);
	fclose(f);
	for (size_t i = 0; i <= size; i++)
		good += open_copy(bytes, i, NULL) == GSYM_OK;
	/* The bytes after the load commands may be missing. */
	cr_assert_gt(good, size / 3);
	cr_assert_lt(good, size);
	free(bytes);
}
