/* SPDX-License-Identifier: MIT */
/* A folder of a test with files of GSYM data and ELF files, and a store that
 * searches in it. */
#ifndef UNIT_STORE_FOLDER_H
#define UNIT_STORE_FOLDER_H

#include <criterion/criterion.h>
#include <gsym/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/elf_builder.h"
#include "support/gsym_bytes.h"

static const uint8_t id[20] = { 0xab, 0xcd, 0xef, 1, 2,	 3,  4,	 5,  6,	 7,
				8,    9,    10,	 11, 12, 13, 14, 15, 16, 17 };
#define REST "cdef0102030405060708090a0b0c0d0e0f1011.debug"

static char root[64];
static char last_report[4096];
static unsigned reports;

static inline void count_report(void *context, const char *path,
				const char *why)
{
	(void)context;
	reports++;
	snprintf(last_report, sizeof(last_report), "%s: %s",
		 path + strlen(root) + 1, why);
}

static inline struct gsym_store *begin(void)
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

static inline void end(struct gsym_store *store)
{
	char command[128];

	gsym_store_free(store);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	cr_expect(system(command) == 0);
}

static inline const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static inline void write_file(const char *name, const void *bytes,
			      size_t size)
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
static inline uint8_t *gsym_data(const uint8_t *uuid, size_t uuid_size,
				 size_t *size)
{
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	b.uuid = uuid;
	b.uuid_size = uuid_size;
	gb_plain(&b, 0x1000, 0x20, "f");
	return gb_finish(&b, size);
}

static inline void put_gsym(const char *name, const uint8_t *uuid,
			    size_t uuid_size)
{
	size_t size;
	uint8_t *bytes = gsym_data(uuid, uuid_size, &size);

	write_file(name, bytes, size);
	free(bytes);
}

/* The path, below the root, of the file that STORE finds for the first ID_SIZE
 * bytes of ID; "" if it finds none. */
static inline const char *find_size(struct gsym_store *store, size_t id_size)
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

static inline const char *find(struct gsym_store *store)
{
	return find_size(store, sizeof(id));
}

static inline const struct gsym_store_entry *entry_of(struct gsym_store *store)
{
	const struct gsym_store_entry *entry;

	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	return entry;
}

/* Write an ELF file with the variable "var" at 0x4000, and with a section
 * ".gsym" of the SIZE bytes at GSYM if GSYM is not NULL. */
static inline void put_elf(const char *name, const uint8_t *gsym, size_t size)
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
static inline void expect_symbol(struct gsym_store *store, bool found)
{
	struct gsym_store_symbol symbol;
	enum gsym_status status =
		gsym_store_symbol_at(entry_of(store), 0x4007, 0, &symbol);

	cr_expect_eq(status, found ? GSYM_OK : GSYM_NOT_FOUND);
	if (status == GSYM_OK)
		cr_expect_str_eq(symbol.name, "var");
}

#endif
