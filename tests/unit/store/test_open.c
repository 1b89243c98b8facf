/* SPDX-License-Identifier: MIT */
/* Files that a store has open: how many, without memory, and those that cannot
 * be read. */
#include <sys/resource.h>

#include "folder.h"
#include "support/mapped.h"

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
