/* SPDX-License-Identifier: MIT */
/* Finding GSYM files by build ID, in folders that the tests make. */
#include "folder.h"

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

/* Build IDs that were filled up with zeros to 20 bytes. */
Test(store, padded_build_ids)
{
	static const uint8_t padded[20] = { 0xab, 2, 3, 4, 5, 6, 7, 0, 9, 0 };
	static const struct {
		const char *name;
		/* The bytes of the build ID that the file has. */
		size_t size;
		bool found;
	} rows[] = {
		{ "g/.build-id/ab/0203040506070009.debug.gsym", 9, true },
		/* A zero belongs to the build ID. */
		{ "g/.build-id/ab/020304050607000900.debug.gsym", 10, true },
		{ "g/.build-id/ab/0203040506070009000000.debug.gsym", 12,
		  true },
		{ "g/.build-id/ab/02030405060700.debug.gsym", 8, false },
		{ "g/.build-id/ab/02030405060700090000000000000000000000"
		  ".debug.gsym", 20, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gsym_store *store = begin();
		const struct gsym_store_entry *entry;

		put_gsym(rows[i].name, padded, rows[i].size);
		gsym_store_add_gsym_directory(store, path_of("g"));
		cr_expect_eq(gsym_store_find(store, padded, sizeof(padded),
					     &entry, NULL),
			     rows[i].found ? GSYM_OK : GSYM_NOT_FOUND);
		/* Other lengths are not made longer or shorter. */
		cr_expect_eq(gsym_store_find(store, padded, 19, &entry, NULL),
			     GSYM_NOT_FOUND);
		end(store);
	}
}

/* The build ID of 8 bytes that lld's "fast" makes, and one that ends with
 * zeros.  The file of the whole build ID comes first. */
Test(store, short_padded_build_ids)
{
	static const uint8_t fast[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const uint8_t zeros[20] = { 1, 2, 3, 4, 5, 0, 0, 0 };
	static const uint8_t few[20] = { 7 };
	static const char whole[] =
		"g/.build-id/01/02030405060708000000000000000000000000"
		".debug.gsym";
	struct gsym_store *store = begin();
	const struct gsym_store_entry *entry;

	put_gsym("g/.build-id/01/02030405060708.debug.gsym", fast, 8);
	put_gsym("g/.build-id/01/02030405000000.debug.gsym", zeros, 8);
	put_gsym("g/.build-id/07/.debug.gsym", few, 1);
	gsym_store_add_gsym_directory(store, path_of("g"));
	cr_expect_eq(gsym_store_find(store, fast, 20, &entry, NULL), GSYM_OK);
	cr_expect_eq(gsym_store_find(store, zeros, 20, &entry, NULL), GSYM_OK);
	/* Too short to tell programs apart. */
	cr_expect_eq(gsym_store_find(store, few, 20, &entry, NULL),
		     GSYM_NOT_FOUND);
	put_gsym(whole, fast, 20);
	gsym_store_retry(store);
	cr_assert_eq(gsym_store_find(store, fast, 20, &entry, NULL), GSYM_OK);
	cr_expect_str_eq(gsym_store_path(entry) + strlen(root) + 1, whole);
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

/* Make "g/.build-id/ab/REST.gsym" a symbolic link to TARGET. */
static void put_link(const char *target)
{
	put_gsym("g/.build-id/ab/x", NULL, 0);
	unlink(path_of("g/.build-id/ab/" REST ".gsym"));
	cr_assert_eq(symlink(target,
			     path_of("g/.build-id/ab/" REST ".gsym")),
		     0);
}

/* A link to the path of another build ID in the tree is an alias of that file,
 * which has to have that build ID. */
Test(store, aliases)
{
	static const uint8_t other[20] = { 0x12, 0xcd };
	static const char name[] = "cd000000000000000000000000000000000000";
	static const char *const refused[] = {
		"../12/%s.debug.gsym",
		"../../.build-id/12cd/%s.debug.gsym",
		"../../.build-id/aa/%s.debug.gsym",
		"../../.build-id/ab/../12/%s.debug.gsym",
		"../.././.build-id/12/%s.debug.gsym",
	};
	struct gsym_store *store = begin();
	char target[128];

	snprintf(target, sizeof(target), "g/.build-id/12/%s.debug.gsym", name);
	put_gsym(target, other, sizeof(other));
	gsym_store_add_gsym_directory(store, path_of("g"));
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		snprintf(target, sizeof(target), refused[i], name);
		put_link(target);
		gsym_store_retry(store);
		cr_expect_str_eq(find(store), "", "%s", target);
	}
	put_link("../../.build-id/12/.debug.gsym");
	gsym_store_retry(store);
	cr_expect_str_eq(find(store), "");
	snprintf(target, sizeof(target), "../../.build-id/12/%s.debug.gsym",
		 name);
	put_link(target);
	gsym_store_retry(store);
	cr_expect_str_eq(find(store),
			 "g/.build-id/ab/" REST ".gsym");
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
