/* SPDX-License-Identifier: MIT */
/* Finding GSYM files by build ID, in folders that the tests make. */
#include <criterion/criterion.h>
#include <gsym/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/elf_builder.h"
#include "support/gsym_bytes.h"
#include "support/mapped.h"

static const uint8_t id[20] = { 0xab, 0xcd, 0xef, 1, 2,	 3,  4,	 5,  6,	 7,
				8,    9,    10,	 11, 12, 13, 14, 15, 16, 17 };
#define REST "cdef0102030405060708090a0b0c0d0e0f1011.debug"

static char root[64];

/* The program is linked with --wrap for calloc, which is called for each file
 * that was just mapped.  While WATCHING, the most mapped files are kept. */
static bool no_memory, watching;
static unsigned most_open;
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	unsigned now = watching ? count_mapped(root) : 0;

	most_open = now > most_open ? now : most_open;
	return no_memory ? NULL : __real_calloc(count, size);
}

static char last_report[4096];
static unsigned reports;

static void count_report(void *context, const char *path, const char *why)
{
	(void)context;
	reports++;
	snprintf(last_report, sizeof(last_report), "%s: %s",
		 path + strlen(root) + 1, why);
}

static struct gsym_store *begin(void)
{
	struct gsym_store *store = gsym_store_new();

	snprintf(root, sizeof(root), "/tmp/gsym-store-XXXXXX");
	cr_assert_not_null(mkdtemp(root));
	cr_assert_not_null(store);
	gsym_store_set_report(store, count_report, NULL);
	reports = 0;
	last_report[0] = 0;
	return store;
}

static void end(struct gsym_store *store)
{
	char command[128];

	gsym_store_free(store);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	cr_expect(system(command) == 0);
}

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s", path_of(name));
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(path, 0777);
		*at = '/';
	}
	file = fopen(path, "wb");
	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* GSYM data with one function, "f", and the UUID_SIZE bytes of build ID at
 * UUID.  The result, of *SIZE bytes, is the caller's to free. */
static uint8_t *gsym_data(const uint8_t *uuid, size_t uuid_size, size_t *size)
{
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	b.uuid = uuid;
	b.uuid_size = uuid_size;
	gb_plain(&b, 0x1000, 0x20, "f");
	return gb_finish(&b, size);
}

static void put_gsym(const char *name, const uint8_t *uuid, size_t uuid_size)
{
	size_t size;
	uint8_t *bytes = gsym_data(uuid, uuid_size, &size);

	write_file(name, bytes, size);
	free(bytes);
}

/* The path, below the root, of the file that STORE finds for the first ID_SIZE
 * bytes of ID; "" if it finds none. */
static const char *find_size(struct gsym_store *store, size_t id_size)
{
	const struct gsym_store_entry *entry;
	enum gsym_status status =
		gsym_store_find(store, id, id_size, &entry, NULL);

	if (status == GSYM_NOT_FOUND)
		return "";
	cr_assert_eq(status, GSYM_OK);
	cr_expect_not_null(gsym_store_reader(entry));
	return gsym_store_path(entry) + strlen(root) + 1;
}

static const char *find(struct gsym_store *store)
{
	return find_size(store, sizeof(id));
}

Test(store, the_order_of_places)
{
	static const char *const names[] = {
		"g1/.build-id/ab/" REST ".gsym", "g1/" REST ".gsym",
		"g2/.build-id/ab/" REST ".gsym", "g2/" REST ".gsym",
		"d1/.build-id/ab/" REST ".gsym",
		"d2/.build-id/ab/" REST ".gsym",
		"c/.build-id/ab/" REST ".gsym",
	};
	size_t count = sizeof(names) / sizeof(*names);

	for (size_t first = 0; first < count; first++) {
		struct gsym_store *store = begin();

		for (size_t i = first; i < count; i++)
			put_gsym(names[i], id, sizeof(id));
		/* GSYM folders come first, whenever they were added. */
		gsym_store_add_debug_directory(store, path_of("d1"));
		gsym_store_set_cache(store, path_of("other"));
		gsym_store_set_cache(store, path_of("c"));
		gsym_store_add_gsym_directory(store, path_of("g1"));
		gsym_store_add_debug_directory(store, path_of("d2"));
		gsym_store_add_gsym_directory(store, path_of("g2"));
		cr_expect_str_eq(find(store), names[first]);
		cr_expect_eq(reports, 0);
		end(store);
	}
}

Test(store, what_is_found_stays)
{
	struct gsym_store *store = begin();
	const struct gsym_store_entry *one, *two;
	struct gsym_frame frame;
	struct gsym_match match;

	put_gsym("g/" REST ".gsym", id, sizeof(id));
	gsym_store_add_gsym_directory(store, path_of("g"));
	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &one, NULL),
		     GSYM_OK);
	unlink(path_of("g/" REST ".gsym"));
	gsym_store_retry(store);
	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &two, NULL),
		     GSYM_OK);
	cr_expect_eq(one, two);
	cr_assert_eq(gsym_lookup(gsym_store_reader(one), 0x1001, 0, &frame, 1,
				 &match, NULL), GSYM_OK);
	cr_expect_str_eq(frame.function, "f");
	end(store);
}

Test(store, what_is_missing_is_remembered)
{
	struct gsym_store *store = begin();

	gsym_store_add_gsym_directory(store, path_of("g"));
	cr_expect_str_eq(find(store), "");
	put_gsym("g/" REST ".gsym", id, sizeof(id));
	cr_expect_str_eq(find(store), "", "the folders are not searched again");
	gsym_store_retry(store);
	cr_expect_str_eq(find(store), "g/" REST ".gsym");
	end(store);
}

Test(store, a_report_comes_once)
{
	static const uint8_t other[20] = { 1 };
	struct gsym_store *store = begin();

	put_gsym("g/" REST ".gsym", other, sizeof(other));
	gsym_store_add_gsym_directory(store, path_of("g"));
	for (int i = 0; i < 3; i++) {
		cr_expect_str_eq(find(store), "");
		gsym_store_retry(store);
	}
	cr_expect_eq(reports, 1);
	cr_expect_str_eq(last_report,
			 "g/" REST ".gsym: it has another build id");
	/* The same file is reported again if the reason is another one. */
	put_gsym("g/" REST ".gsym", NULL, 0);
	cr_expect_str_eq(find(store), "");
	cr_expect_eq(reports, 2);
	cr_expect_str_eq(last_report, "g/" REST ".gsym: it has no build id");
	/* After both reports the right file is found. */
	gsym_store_retry(store);
	put_gsym("g/" REST ".gsym", id, sizeof(id));
	cr_expect_str_eq(find(store), "g/" REST ".gsym");
	cr_expect_eq(reports, 2);
	end(store);
}

Test(store, any_build_id)
{
	static const uint8_t other[20] = { 1 };
	struct gsym_store *store = begin();

	put_gsym("g/" REST ".gsym", other, sizeof(other));
	gsym_store_add_gsym_directory(store, path_of("g"));
	gsym_store_accept_any(store, true);
	cr_expect_str_eq(find(store), "g/" REST ".gsym");
	end(store);
}

/* GSYM data of the build ID with a wrong checksum. */
static void put_damaged(const char *name)
{
	size_t size;
	uint8_t *bytes = gsym_data(id, sizeof(id), &size);
	const bool swap = GSYM_HOST_BIG_ENDIAN;

	bytes = realloc(bytes, size + 16);
	gsym_store_u64(bytes + size, size, swap);
	gsym_store_u32(bytes + size + 8, 0x12345678, swap);
	gsym_store_u32(bytes + size + 12, 0x47435243, swap);
	write_file(name, bytes, size + 16);
	free(bytes);
}

Test(store, checksums)
{
	struct gsym_store *store = begin();

	put_damaged("g1/" REST ".gsym");
	gsym_store_add_gsym_directory(store, path_of("g1"));
	gsym_store_add_gsym_directory(store, path_of("g2"));
	gsym_store_check(store, true);
	cr_expect_str_eq(find(store), "");
	cr_expect_eq(reports, 1);
	cr_expect_not_null(strstr(last_report, "g1/" REST ".gsym: checksum"));
	/* A file without a checksum is used. */
	put_gsym("g2/" REST ".gsym", id, sizeof(id));
	gsym_store_retry(store);
	cr_expect_str_eq(find(store), "g2/" REST ".gsym");
	end(store);

	/* Without the option the checksum is not compared. */
	store = begin();
	put_damaged("g1/" REST ".gsym");
	gsym_store_add_gsym_directory(store, path_of("g1"));
	cr_expect_str_eq(find(store), "g1/" REST ".gsym");
	end(store);
}

/* Build IDs match if one is the beginning of the other and has 8 bytes at
 * least. */
Test(store, parts_of_a_build_id)
{
	for (size_t size = 1; size <= sizeof(id); size++) {
		struct gsym_store *store = begin();

		put_gsym("g/" REST ".gsym", id, size);
		gsym_store_add_gsym_directory(store, path_of("g"));
		cr_expect_eq(*find(store) != 0, size >= 8, "%zu bytes", size);
		end(store);
	}
	/* The file is searched by the build ID that was asked for. */
	struct gsym_store *store = begin();

	put_gsym("g/.debug.gsym", id, 1);
	put_gsym("g/.build-id/ab/cd.debug.gsym", id, 2);
	gsym_store_add_gsym_directory(store, path_of("g"));
	cr_expect_str_eq(find_size(store, 1), "g/.debug.gsym");
	cr_expect_str_eq(find_size(store, 2), "g/.build-id/ab/cd.debug.gsym");
	cr_expect_str_eq(find_size(store, 3), "");
	end(store);
}

Test(store, what_is_no_file)
{
	struct gsym_store *store = begin();

	gsym_store_add_gsym_directory(store, path_of("g"));
	gsym_store_add_debug_directory(store, path_of("d"));
	mkdir(path_of("g"), 0777);
	mkdir(path_of("g/" REST ".gsym"), 0777);
	cr_expect_str_eq(find(store), "");
	rmdir(path_of("g/" REST ".gsym"));
	cr_expect_eq(mkfifo(path_of("g/" REST ".gsym"), 0666), 0);
	gsym_store_retry(store);
	cr_expect_str_eq(find(store), "");
	cr_expect_eq(reports, 0);
	unlink(path_of("g/" REST ".gsym"));
	write_file("g/" REST ".gsym", "text", 4);
	gsym_store_retry(store);
	cr_expect_str_eq(find(store), "");
	cr_expect_eq(reports, 1);
	end(store);
}

static const struct gsym_store_entry *entry_of(struct gsym_store *store)
{
	const struct gsym_store_entry *entry;

	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	return entry;
}

/* Write an ELF file with the variable "var" at 0x4000, and with a section
 * ".gsym" of the SIZE bytes at GSYM if GSYM is not NULL. */
static void put_elf(const char *name, const uint8_t *gsym, size_t size)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	size_t data = elfb_section(b, ".data", SHT_NOBITS, SHF_ALLOC, 0x4000,
				   NULL, 64);
	size_t elf_size;

	if (gsym)
		elfb_section(b, ".gsym", SHT_PROGBITS, 0, 0, gsym, size);
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "var", .value = 0x4000, .size = 8,
		.type = STT_OBJECT, .section = data });
	uint8_t *bytes = elfb_finish(b, &elf_size);

	write_file(name, bytes, elf_size);
	free(bytes);
	elfb_free(b);
}

/* Expect "var" to be found, or nothing. */
static void expect_symbol(struct gsym_store *store, bool found)
{
	struct gsym_store_symbol symbol;
	enum gsym_status status =
		gsym_store_symbol_at(entry_of(store), 0x4007, 0, &symbol);

	cr_expect_eq(status, found ? GSYM_OK : GSYM_NOT_FOUND);
	if (status == GSYM_OK)
		cr_expect_str_eq(symbol.name, "var");
}

Test(store, symbols_beside)
{
	static const char *const names[] = {
		"d/.build-id/ab/" REST, "g/" REST,
	};

	for (int i = 0; i < 2; i++) {
		struct gsym_store *store = begin();
		char gsym[128];

		snprintf(gsym, sizeof(gsym), "%s.gsym", names[i]);
		put_gsym(gsym, id, sizeof(id));
		put_elf(names[i], NULL, 0);
		gsym_store_add_gsym_directory(store, path_of("g"));
		gsym_store_add_debug_directory(store, path_of("d"));
		expect_symbol(store, true);
		/* The ELF file is opened once. */
		unlink(path_of(names[i]));
		expect_symbol(store, true);
		end(store);
	}
	struct gsym_store *store = begin();

	put_gsym("g/" REST ".gsym", id, sizeof(id));
	gsym_store_add_gsym_directory(store, path_of("g"));
	expect_symbol(store, false);
	put_elf("g/" REST, NULL, 0);
	expect_symbol(store, false);
	end(store);
	/* The ELF file may be in a debug folder. */
	store = begin();
	put_gsym("g/" REST ".gsym", id, sizeof(id));
	gsym_store_add_debug_directory(store, path_of("d1"));
	gsym_store_add_gsym_directory(store, path_of("g"));
	gsym_store_add_debug_directory(store, path_of("d2"));
	put_elf("d2/.build-id/ab/" REST, NULL, 0);
	expect_symbol(store, true);
	end(store);
}

Test(store, embedded_gsym_data)
{
	struct gsym_store *store = begin();
	size_t size;
	uint8_t *bytes = gsym_data(id, sizeof(id), &size);

	gsym_store_add_debug_directory(store, path_of("d1"));
	gsym_store_add_debug_directory(store, path_of("d2"));
	/* An ELF file without the section is not reported. */
	put_elf("d1/.build-id/ab/" REST, NULL, 0);
	put_elf("d2/.build-id/ab/" REST, bytes, size);
	cr_expect_str_eq(find(store), "d2/.build-id/ab/" REST);
	expect_symbol(store, true);
	cr_expect_eq(reports, 0);
	end(store);
	/* An ELF file with damaged GSYM data is reported. */
	store = begin();
	gsym_store_add_debug_directory(store, path_of("d"));
	bytes[4] = 99;
	put_elf("d/.build-id/ab/" REST, bytes, size);
	cr_expect_str_eq(find(store), "");
	cr_expect_eq(reports, 1, "%s", last_report);
	end(store);
	free(bytes);
}

Test(store, arguments)
{
	struct gsym_store *store = begin();
	const struct gsym_store_entry *entry;
	static const uint8_t long_id[257];

	cr_expect_eq(gsym_store_find(store, id, 0, &entry, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_store_find(store, NULL, 4, &entry, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_store_find(store, long_id, 257, &entry, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_store_find(store, long_id, 256, &entry, NULL),
		     GSYM_NOT_FOUND);
	gsym_store_set_cache(store, path_of("c"));
	gsym_store_set_cache(store, NULL);
	put_gsym("c/.build-id/ab/" REST ".gsym", id, sizeof(id));
	cr_expect_str_eq(find(store), "");
	end(store);
	gsym_store_free(NULL);
}

/* A store remembers a bounded number of missing build IDs. */
Test(store, many_that_are_missing)
{
	struct gsym_store *store = begin();
	const struct gsym_store_entry *entry;

	put_gsym("g/" REST ".gsym", id, sizeof(id));
	cr_expect_str_eq(find(store), "");
	for (uint32_t i = 0; i < 70000; i++)
		cr_assert_eq(gsym_store_find(store, (const uint8_t *)&i,
					     sizeof(i), &entry, NULL),
			     GSYM_NOT_FOUND);
	/* The store does not remember the first build ID any more, so the new
	 * folder is searched for it. */
	gsym_store_add_gsym_directory(store, path_of("g"));
	cr_expect_str_eq(find(store), "g/" REST ".gsym");
	end(store);
}

/* ---- the build ID of a file ---------------------------------------------- */

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
static bool is_open(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];
	bool found = false;

	cr_assert_not_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		size_t length = strcspn(line, "\n"), end = strlen(name);

		line[length] = 0;
		found |= strstr(line, root) && length > end &&
			 strcmp(line + length - end, name) == 0;
	}
	fclose(maps);
	return found;
}

/* Find the build ID whose bytes are all WHICH, for which there is a file. */
static const struct gsym_store_entry *use(struct gsym_store *store,
					  uint8_t which)
{
	const struct gsym_store_entry *entry;
	uint8_t own[8];

	memset(own, which, sizeof(own));
	cr_assert_eq(gsym_store_find(store, own, sizeof(own), &entry, NULL),
		     GSYM_OK);
	return entry;
}

/* With a limit, files that are not in use are closed, the oldest first. */
Test(store, limit)
{
	static const char *const names[] = {
		"g/01010101010101.debug.gsym", "g/02020202020202.debug.gsym",
		"g/03030303030303.debug.gsym",
	};
	const struct gsym_store_entry *entries[3];
	struct gsym_store *store = begin();

	gsym_store_add_gsym_directory(store, path_of("g"));
	for (uint8_t i = 0; i < 3; i++) {
		uint8_t own[8];

		memset(own, i + 1, sizeof(own));
		put_gsym(names[i], own, sizeof(own));
	}
	gsym_store_set_limit(store, 2);
	for (uint8_t i = 0; i < 3; i++)
		entries[i] = use(store, i + 1);
	/* All are in use. */
	for (int i = 0; i < 3; i++)
		cr_expect(is_open(names[i]), "%d", i);
	gsym_store_release(entries[1]);
	cr_expect(is_open(names[0]) && !is_open(names[1]) && is_open(names[2]));
	cr_expect_not_null(gsym_store_reader(entries[0]));
	gsym_store_release(entries[2]);
	gsym_store_release(entries[0]);
	cr_expect(is_open(names[0]) && is_open(names[2]));
	/* The entry is the same, its file is opened again, and file 3, which
	 * was released before file 1, is closed. */
	cr_expect_eq(use(store, 2), entries[1]);
	cr_expect(is_open(names[0]) && is_open(names[1]) && !is_open(names[2]));
	cr_expect_not_null(gsym_store_reader(entries[1]));
	/* A second use needs a second release. */
	cr_expect_eq(use(store, 2), entries[1]);
	gsym_store_release(entries[1]);
	gsym_store_set_limit(store, 1);
	cr_expect(is_open(names[1]) && !is_open(names[0]));
	gsym_store_release(entries[1]);
	/* A file that is gone by now is not found any more. */
	use(store, 1);
	unlink(path_of(names[1]));
	gsym_store_retry(store);
	cr_expect_eq(gsym_store_find(store, (uint8_t[8]){ 2, 2, 2, 2, 2, 2, 2,
							   2 }, 8, &entries[1],
				     NULL), GSYM_NOT_FOUND);
	cr_expect_null(entries[1]);
	end(store);
}

/* Another file is closed before a file is opened, and not after that; a build
 * ID without a file closes none. */
Test(store, limit_is_kept_while_a_file_is_opened)
{
	const struct gsym_store_entry *entry;
	struct gsym_store *store = begin();
	struct gsym_store_symbol symbol;

	gsym_store_add_debug_directory(store, path_of("d"));
	for (uint8_t i = 1; i <= 4; i++) {
		char name[64];
		uint8_t own[8];

		memset(own, i, sizeof(own));
		snprintf(name, sizeof(name),
			 "d/.build-id/%02x/%02x%02x%02x%02x%02x%02x%02x.debug",
			 i, i, i, i, i, i, i, i);
		put_elf(name, NULL, 0);
		strcat(name, ".gsym");
		put_gsym(name, own, i == 4 ? 4 : sizeof(own));
	}
	gsym_store_set_limit(store, 3);
	watching = true;
	for (uint8_t i = 0; i < 9; i++) {
		entry = use(store, 1 + i % 3);
		cr_expect_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol),
			     GSYM_OK);
		gsym_store_release(entry);
	}
	cr_expect_eq(count_mapped(root), 2);
	cr_expect_eq(most_open, 3, "%u", most_open);
	gsym_store_set_limit(store, 2);
	most_open = 0;
	cr_expect_eq(gsym_store_find_symbols(store, id, sizeof(id), &entry,
					     NULL),
		     GSYM_NOT_FOUND);
	cr_expect_eq(count_mapped(root), 2);
	/* A file that cannot be used is open while it is looked at. */
	cr_expect_eq(gsym_store_find(store,
				     (uint8_t[8]){ 4, 4, 4, 4, 4, 4, 4, 4 }, 8,
				     &entry, NULL),
		     GSYM_NOT_FOUND);
	cr_expect_eq(reports, 1);
	cr_expect_eq(most_open, 2, "%u", most_open);
	watching = false;
	end(store);
}

/* A build ID without GSYM data answers with symbols. */
Test(store, symbols_alone)
{
	const struct gsym_store_entry *entry;
	struct gsym_store_symbol symbol;
	struct gsym_store *store = begin();

	gsym_store_add_debug_directory(store, path_of("d"));
	cr_expect_eq(gsym_store_find_symbols(store, id, sizeof(id), &entry,
					     NULL), GSYM_NOT_FOUND);
	cr_expect_null(entry);
	put_elf("d/.build-id/ab/" REST, NULL, 0);
	gsym_store_retry(store);
	cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_NOT_FOUND);
	cr_assert_eq(gsym_store_find_symbols(store, id, sizeof(id), &entry,
					     NULL), GSYM_OK);
	cr_expect_null(gsym_store_reader(entry));
	cr_expect_null(gsym_store_path(entry));
	cr_expect_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol), GSYM_OK);
	cr_expect_str_eq(symbol.name, "var");
	/* The symbols count as an open file, and are opened again. */
	gsym_store_set_limit(store, 1);
	cr_expect(is_open(REST));
	gsym_store_release(entry);
	put_gsym("d/.build-id/01/01010101010101.debug.gsym",
		 (uint8_t[8]){ 1, 1, 1, 1, 1, 1, 1, 1 }, 8);
	use(store, 1);
	cr_expect(!is_open(REST));
	cr_assert_eq(gsym_store_find_symbols(store, id, sizeof(id), &entry,
					     NULL), GSYM_OK);
	cr_expect_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol), GSYM_OK);
	/* Both kinds of data are there in the end. */
	put_gsym("d/.build-id/ab/" REST ".gsym", id, sizeof(id));
	gsym_store_retry(store);
	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	cr_expect_not_null(gsym_store_reader(entry));
	end(store);
}

/* A search that ended without memory is made again by the next call. */
Test(store, memory_comes_back)
{
	const struct gsym_store_entry *entry;
	struct gsym_store_symbol symbol;
	struct gsym_store *store = begin();

	gsym_store_add_debug_directory(store, path_of("d"));
	put_elf("d/.build-id/ab/" REST, NULL, 0);
	cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_NOT_FOUND);
	no_memory = true;
	cr_expect_eq(gsym_store_find_symbols(store, id, sizeof(id), &entry,
					     NULL),
		     GSYM_ERR_MEMORY);
	no_memory = false;
	cr_expect_eq(gsym_store_find_symbols(store, id, sizeof(id), &entry,
					     NULL),
		     GSYM_OK, "symbols");
	put_gsym("d/.build-id/ab/" REST ".gsym", id, sizeof(id));
	gsym_store_retry(store);
	no_memory = true;
	cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_ERR_MEMORY);
	no_memory = false;
	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK, "GSYM data");
	/* The symbols of an entry with GSYM data. */
	gsym_store_set_limit(store, 1);
	while (is_open(REST) || is_open(REST ".gsym"))
		gsym_store_release(entry);
	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	no_memory = true;
	cr_expect_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol),
		     GSYM_ERR_MEMORY);
	no_memory = false;
	cr_expect_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol), GSYM_OK);
	end(store);
}

/* Whether the process may have no more files open than there are. */
static void no_descriptors(bool none)
{
	static struct rlimit before;
	struct rlimit now;

	if (none) {
		int next = dup(0);

		cr_assert_geq(next, 0);
		close(next);
		getrlimit(RLIMIT_NOFILE, &before);
		now = before;
		now.rlim_cur = (rlim_t)next;
	}
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, none ? &now : &before), 0);
}

/* A file that cannot be opened is not missing: the error says so, and the next
 * call finds the file. */
Test(store, unreadable_files)
{
	const struct gsym_store_entry *entry;
	struct gsym_store *store = begin();
	struct gsym_error error = { 0 };
	char *known;

	gsym_store_add_gsym_directory(store, path_of("g"));
	gsym_store_add_gsym_directory(store, path_of("h"));
	put_gsym("g/.build-id/ab/" REST ".gsym", id, sizeof(id));
	no_descriptors(true);
	for (int i = 0; i < 2; i++)
		cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry,
					     &error), GSYM_ERR_IO);
	no_descriptors(false);
	cr_expect_null(entry);
	cr_expect_eq(error.code, GSYM_ERR_IO);
	known = strstr(error.message, REST ".gsym': cannot open the file: ");
	cr_expect_not_null(known, "%s", error.message);
	cr_expect_eq(reports, 1);
	cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry, &error),
		     GSYM_OK);
	end(store);
}

/* A file that was open, and cannot be opened again. */
Test(store, unreadable_again)
{
	const struct gsym_store_entry *entry;
	struct gsym_store *store = begin();

	gsym_store_add_gsym_directory(store, path_of("g"));
	gsym_store_set_limit(store, 1);
	put_gsym("g/.build-id/ab/" REST ".gsym", id, sizeof(id));
	put_gsym("g/.build-id/01/01010101010101.debug.gsym",
		 (uint8_t[8]){ 1, 1, 1, 1, 1, 1, 1, 1 }, 8);
	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	gsym_store_release(entry);
	gsym_store_release(use(store, 1));
	cr_expect(!is_open(REST ".gsym"));
	no_descriptors(true);
	cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_ERR_IO);
	no_descriptors(false);
	cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	end(store);
}

/* Another folder has the file, or the ELF file beside it cannot be opened. */
Test(store, unreadable_symbols)
{
	const struct gsym_store_entry *entry;
	struct gsym_store_symbol symbol;
	struct gsym_store *store = begin();
	uint64_t address;

	gsym_store_add_debug_directory(store, path_of("d"));
	put_elf("d/.build-id/ab/" REST, NULL, 0);
	put_gsym("d/.build-id/ab/" REST ".gsym", id, sizeof(id));
	entry = entry_of(store);
	no_descriptors(true);
	cr_expect_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol),
		     GSYM_ERR_IO);
	cr_expect_eq(gsym_store_address_of(entry, 0, &address, NULL),
		     GSYM_ERR_IO);
	no_descriptors(false);
	cr_expect_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol), GSYM_OK);
	cr_expect_eq(gsym_store_address_of(entry, 0, &address, NULL),
		     GSYM_ERR_UNSUPPORTED);
	end(store);
}

/* GSYM data that cannot be read are not missing after a search for program
 * headers, either.  No read of /proc/self/mem at 0 succeeds. */
Test(store, unreadable_and_without_headers)
{
	const struct gsym_store_entry *entry;
	struct gsym_store *store = begin();
	uint64_t address;

	gsym_store_copy(store, true);
	gsym_store_add_debug_directory(store, path_of("d"));
	put_elf("d/.build-id/ab/" REST, NULL, 0);
	cr_assert_eq(symlink("/proc/self/mem",
			     path_of("d/.build-id/ab/" REST ".gsym")), 0);
	cr_assert_eq(gsym_store_find_symbols(store, id, sizeof(id), &entry,
					     NULL), GSYM_OK);
	cr_expect_eq(gsym_store_address_of(entry, 0, &address, NULL),
		     GSYM_ERR_UNSUPPORTED);
	cr_assert_eq(unlink(path_of("d/.build-id/ab/" REST ".gsym")), 0);
	put_gsym("d/.build-id/ab/" REST ".gsym", id, sizeof(id));
	cr_expect_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	end(store);
}

/* The symbols of a store that copies stay if their file is cut. */
Test(store, copied_symbols)
{
	const struct gsym_store_entry *entry;
	struct gsym_store_symbol symbol;
	struct gsym_store *store = begin();

	gsym_store_copy(store, true);
	gsym_store_add_debug_directory(store, path_of("d"));
	put_elf("d/.build-id/ab/" REST, NULL, 0);
	put_gsym("d/.build-id/ab/" REST ".gsym", id, sizeof(id));
	entry = entry_of(store);
	cr_assert_eq(gsym_store_symbol_at(entry, 0x4007, 0, &symbol), GSYM_OK);
	cr_assert_eq(truncate(path_of("d/.build-id/ab/" REST), 0), 0);
	cr_expect_str_eq(symbol.name, "var");
	end(store);
}

/* A folder that is a link to itself, a file in the place of a folder, and a
 * name that is too long: the file is missing. */
Test(store, impossible_folders)
{
	struct gsym_store *store = begin();
	char longer[300];

	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	cr_assert_eq(symlink("loop", path_of("loop")), 0);
	write_file("file", "", 0);
	gsym_store_add_gsym_directory(store, path_of("loop"));
	gsym_store_add_gsym_directory(store, path_of("file"));
	gsym_store_add_gsym_directory(store, path_of(longer));
	cr_expect_str_eq(find_size(store, sizeof(id)), "");
	cr_expect_eq(reports, 0);
	end(store);
}

/* ---- offsets in the program's file -------------------------------------- */

/* Write a program with the build ID WHOSE whose code, two bytes, is linked to
 * 0x5000; without the code if DEBUG.  Returns the offset of the code. */
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
	uint64_t at, address = 0;

	gsym_store_add_gsym_directory(store, path_of("g"));
	gsym_store_add_debug_directory(store, path_of("d"));
	put_gsym("g/" REST ".gsym", id, sizeof(id));
	entry = entry_of(store);
	cr_expect_eq(gsym_store_address_of(entry, 1, &address, &error),
		     GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(error.code, GSYM_ERR_UNSUPPORTED);
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
	end(store);
}
