/* SPDX-License-Identifier: MIT */
/* What is read in a program: its build ID, the release of a kernel, and where
 * its bytes are in memory. */
#include "folder.h"

static enum gsym_status read_id(const char *name, uint8_t *to, size_t capacity,
				size_t *size)
{
	return gsym_store_read_id(path_of(name), to, capacity, size, NULL);
}

Test(store, the_build_id_of_a_file)
{
	static const uint8_t wanted[] = { 1, 2, 3, 4, 5 };
	struct gsym_store *store = begin();
	uint8_t got[8];
	size_t size;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct elfb *b = elfb_new(kind & 1 ? 64 : 32, kind & 2, ET_DYN,
					  EM_PPC64);
		uint8_t *bytes;
		size_t count;

		elfb_note(b, ".note.other", "GNU", 1, wanted, 4);
		elfb_note(b, ".note.gnu.build-id", "GNU", 3, wanted,
			  sizeof(wanted));
		bytes = elfb_finish(b, &count);
		write_file("prog", bytes, count);
		cr_assert_eq(read_id("prog", got, sizeof(got), &size), GSYM_OK);
		cr_expect_eq(size, sizeof(wanted));
		cr_expect(memcmp(got, wanted, size) == 0);
		cr_expect_eq(read_id("prog", got, sizeof(wanted), &size),
			     GSYM_OK);
		/* The memory is one byte too small. */
		cr_expect_eq(read_id("prog", got, sizeof(wanted) - 1, &size),
			     GSYM_NOT_FOUND);
		cr_expect_eq(size, 0);
		free(bytes);
		elfb_free(b);
	}
	end(store);
}

Test(store, files_without_a_build_id)
{
	struct gsym_store *store = begin();
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_PPC64);
	uint8_t *bytes, got[8];
	size_t count, size;

	bytes = elfb_finish(b, &count);
	write_file("prog", bytes, count);
	cr_expect_eq(read_id("prog", got, sizeof(got), &size), GSYM_NOT_FOUND);
	write_file("cut", bytes, 20);
	cr_expect_eq(read_id("cut", got, sizeof(got), &size),
		     GSYM_ERR_CORRUPT);
	write_file("text", "no ELF file", 11);
	cr_expect_eq(read_id("text", got, sizeof(got), &size),
		     GSYM_ERR_FORMAT);
	write_file("empty", "", 0);
	cr_expect_eq(read_id("empty", got, sizeof(got), &size),
		     GSYM_ERR_FORMAT);
	cr_expect_eq(read_id("missing", got, sizeof(got), &size), GSYM_ERR_IO);
	cr_expect_eq(read_id("", got, sizeof(got), &size), GSYM_ERR_IO);
	cr_expect_eq(gsym_store_read_id(NULL, got, sizeof(got), &size, NULL),
		     GSYM_ERR_ARGUMENT);
	free(bytes);
	elfb_free(b);
	end(store);
}

static enum gsym_status read_release(const char *name, char *to,
				     size_t capacity)
{
	return gsym_store_read_release(path_of(name), to, capacity, NULL);
}

/* Write the ELF file "kernel" of the KIND with the build salt SALT, and BANNER
 * as its banner. */
static void write_kernel(unsigned kind, const char *salt, const char *banner)
{
	struct elfb *b = elfb_new(kind & 1 ? 64 : 32, kind & 2, ET_EXEC,
				  EM_PPC64);
	uint8_t *bytes;
	size_t count, data;

	elfb_note(b, ".note.a", "Linux", 0x101, "\0\0\0", 4);
	elfb_note(b, ".note.b", "Linux", 0x100, salt, strlen(salt) + 1);
	data = elfb_section(b, ".rodata", SHT_PROGBITS, SHF_ALLOC, 0x1000,
			    banner, strlen(banner) + 1);
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "linux_banner", .value = 0x1001, .size = 8,
		.type = STT_OBJECT, .binding = STB_GLOBAL, .section = data });
	bytes = elfb_finish(b, &count);
	write_file("kernel", bytes, count);
	free(bytes);
	elfb_free(b);
}

Test(store, the_release_of_a_kernel)
{
	static const char wanted[] = "6.1.0-1-amd64";
	static const struct {
		const char *salt, *banner, *release;
	} rows[] = {
		{ wanted, " no banner", wanted },
		{ "6.2", " Linux version 6.1.0-1-amd64 (me)", wanted },
		{ "6.2", " Linux version 6.1.0-1-amd64", wanted },
		{ wanted, " Linux version x (me)", wanted },
		{ wanted, "", wanted },
		{ "salt", " Linux version 6", "" },
		{ "6.x", " Linux version ", "" },
		{ "6.1-01234567890123456789012345678901234567890123456789"
		  "012345678901",
		  "", "" },
	};
	struct gsym_store *store = begin();
	char got[80];

	for (unsigned i = 0; i < 4 * sizeof(rows) / sizeof(*rows); i++) {
		unsigned row = i / 4;

		write_kernel(i % 4, rows[row].salt, rows[row].banner);
		cr_expect_eq(read_release("kernel", got, sizeof(got)),
			     *rows[row].release ? GSYM_OK : GSYM_NOT_FOUND);
		cr_expect_str_eq(got, rows[row].release, "row %u", row);
	}
	write_kernel(0, wanted, "");
	cr_expect_eq(read_release("kernel", got, sizeof(wanted)), GSYM_OK);
	cr_expect_eq(read_release("kernel", got, sizeof(wanted) - 1),
		     GSYM_NOT_FOUND);
	cr_expect_str_eq(got, "");
	cr_expect_eq(read_release("missing", got, sizeof(got)), GSYM_ERR_IO);
	cr_expect_eq(gsym_store_read_release(NULL, got, sizeof(got), NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(read_release("kernel", got, 0), GSYM_ERR_ARGUMENT);
	end(store);
}

/* Whether the file PATH below the root is mapped into this process. */

static uint64_t put_program(const char *name, const uint8_t *whose, bool debug)
{
	struct elfb *b = elfb_new(64, false, ET_EXEC, EM_X86_64);
	unsigned type = debug ? SHT_NOBITS : SHT_PROGBITS;
	size_t text = elfb_section(b, ".text", type, SHF_ALLOC | SHF_EXECINSTR,
				   0x5000, debug ? NULL : "\x90\x90", 2);
	size_t size, offset;
	uint8_t *bytes;

	elfb_note(b, ".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID, whose,
		  sizeof(id));
	elfb_segment(b, PT_LOAD, 0x5000, text);
	bytes = elfb_finish(b, &size);
	offset = elfb_offset(b, text);
	write_file(name, bytes, size);
	free(bytes);
	elfb_free(b);
	return offset;
}

Test(store, addresses_of_offsets)
{
	struct gsym_store *store = begin();
	const struct gsym_store_entry *entry;
	struct gsym_error error = { 0 };
	uint8_t other[sizeof(id)] = { 1 };
	uint64_t at, address = 0, many[4] = { 1 };

	gsym_store_add_gsym_directory(store, path_of("g"));
	gsym_store_add_debug_directory(store, path_of("d"));
	put_gsym("g/" REST ".gsym", id, sizeof(id));
	entry = entry_of(store);
	cr_expect_eq(gsym_store_address_of(entry, 1, &address, &error),
		     GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(error.code, GSYM_ERR_UNSUPPORTED);
	error.code = GSYM_OK;
	cr_expect_eq(gsym_store_addresses_of(entry, many, 1, many, &error),
		     GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(error.code, GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(many[0], 1);
	/* A debug file, a program with another build ID, no ELF file. */
	put_program("g/" REST, id, true);
	gsym_store_retry(store);
	cr_expect_eq(gsym_store_address_of(entry, 1, &address, NULL),
		     GSYM_ERR_UNSUPPORTED);
	put_program("g/" REST, other, false);
	gsym_store_retry(store);
	cr_expect_eq(gsym_store_address_of(entry, 1, &address, NULL),
		     GSYM_ERR_UNSUPPORTED);
	write_file("g/" REST, "text", 4);
	at = put_program("d/.build-id/ab/" REST, id, false);
	cr_expect_eq(gsym_store_address_of(entry, at, &address, NULL),
		     GSYM_ERR_UNSUPPORTED, "the result is remembered");
	gsym_store_retry(store);
	cr_assert_eq(gsym_store_address_of(entry, at + 1, &address, NULL),
		     GSYM_OK);
	cr_expect_eq(address, 0x5001);
	cr_expect_eq(gsym_store_address_of(entry, at + 2, &address, NULL),
		     GSYM_NOT_FOUND);
	cr_expect_eq(gsym_store_address_of(entry, UINT64_MAX, &address, NULL),
		     GSYM_NOT_FOUND);
	many[0] = at + 2;
	many[1] = at + 1;
	many[2] = UINT64_MAX;
	many[3] = at;
	cr_assert_eq(gsym_store_addresses_of(entry, many, 4, many, NULL),
		     GSYM_OK);
	cr_expect_eq(many[0], UINT64_MAX);
	cr_expect_eq(many[1], 0x5001);
	cr_expect_eq(many[2], UINT64_MAX);
	cr_expect_eq(many[3], 0x5000);
	end(store);
}
