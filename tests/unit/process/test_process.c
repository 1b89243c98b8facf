/* SPDX-License-Identifier: MIT */
/* From the text of a maps file, the mapped files and the own process to
 * modules, build IDs and addresses. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gsym/process.h>

#include "support/gsym_bytes.h"
#include "support/mapped.h"

static const uint8_t id[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static struct gsym_process *open_maps(const char *maps, const char *root)
{
	struct gsym_process *p = NULL;
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_process_open_maps(
		maps, strlen(maps), root, &p, &error);

	cr_assert_eq(status, GSYM_OK, "%s", error.message);
	return p;
}

static struct gsym_process_module module(const struct gsym_process *p,
					 uint32_t index)
{
	struct gsym_process_module m;

	cr_assert_eq(gsym_process_get_module(p, index, &m), GSYM_OK);
	return m;
}

/* ---- text alone --------------------------------------------------------- */

Test(process, kinds_and_names)
{
	struct gsym_process *p = open_maps(
		"1000-2000 r-xp 00000000 fe:00 17   /bin/a b\r\n"
		"\n"
		"3000-4000 r-xp 00000000 fe:00 18 /lib/x.so (deleted)\n"
		"5000-6000 rw-s 00000000 00:01 19 /memfd:jit (deleted)\n"
		"7000-8000 rw-p 00000000 00:00 0 [heap]\n"
		"8000-8000 rw-p 00000000 00:00 0 /empty\n"
		"9000-a000 rwxp 00000000 00:00 0\n"
		"b000-c000 r-xp 00000000 00:00 0 [vdso]\n"
		"d000-e000 r-xp 00000000 fe:00 20 /new\\012line\n"
		"f000-10000 r--s 00000000 00:0c 4 /dev/zero (deleted)", NULL);
	static const struct {
		const char *path;
		enum gsym_process_kind kind;
	} wanted[] = {
		{ "/bin/a b", GSYM_PROCESS_FILE },
		{ "/lib/x.so", GSYM_PROCESS_DELETED },
		{ "/memfd:jit", GSYM_PROCESS_MEMFD },
		{ "[heap]", GSYM_PROCESS_MEMORY },
		{ "", GSYM_PROCESS_MEMORY },
		{ "[vdso]", GSYM_PROCESS_VDSO },
		{ "/new\nline", GSYM_PROCESS_FILE },
		{ "/dev/zero", GSYM_PROCESS_MEMORY },
	};

	cr_assert_eq(gsym_process_module_count(p), 8);
	for (uint32_t i = 0; i < 8; i++) {
		struct gsym_process_module m = module(p, i);

		cr_expect_str_eq(m.path, wanted[i].path);
		cr_expect_eq(m.kind, wanted[i].kind, "%s", m.path);
		cr_expect_eq(m.bias_guessed, m.kind != GSYM_PROCESS_MEMORY);
		cr_expect_null(m.build_id);
		cr_expect_null(m.reader);
	}
	gsym_process_close(p);
}

Test(process, places)
{
	struct gsym_process *p = open_maps(
		"5000-6000 r-xp 00001000 fe:00 17 /lib/a\n"
		"4000-5000 r--p 00000000 fe:00 17 /lib/a\n"
		"7000-8000 rw-p 00000000 00:00 0 \n", NULL);
	struct gsym_process_place place;

	cr_assert_eq(gsym_process_find(p, 0x3fff, &place), GSYM_NOT_FOUND);
	cr_assert_eq(gsym_process_find(p, 0x4000, &place), GSYM_OK);
	cr_expect_eq(place.module, 0);
	cr_expect_eq(place.address, 0);
	cr_expect_not(place.executable);
	cr_assert_eq(gsym_process_find(p, 0x5fff, &place), GSYM_OK);
	cr_expect_eq(place.module, 0);
	cr_expect_eq(place.address, 0x1fff);
	cr_expect(place.executable);
	cr_assert_eq(gsym_process_find(p, 0x6000, &place), GSYM_NOT_FOUND);
	cr_assert_eq(gsym_process_find(p, 0x7001, &place), GSYM_OK);
	cr_expect_eq(place.module, 1);
	cr_expect_eq(place.address, 0x7001);
	cr_assert_eq(gsym_process_find(p, UINT64_MAX, &place),
		     GSYM_NOT_FOUND);
	cr_expect_eq(module(p, 0).start, 0x4000);
	cr_expect_eq(module(p, 0).end, 0x6000);
	cr_expect_eq(gsym_process_module_count(p), 2);
	gsym_process_close(p);
}

Test(process, biases_that_are_guessed)
{
	struct gsym_process *p = open_maps(
		/* Twice the same file, and a program at its own address. */
		"400000-401000 r-xp 00000000 fe:00 1 /bin/fixed\n"
		"600000-601000 rw-p 00001000 fe:00 1 /bin/fixed\n"
		"700000-701000 r--p 00000000 fe:00 2 /lib/a\n"
		"701000-702000 r-xp 00001000 fe:00 2 /lib/a\n"
		"702000-703000 r--p 00000000 fe:00 2 /lib/a\n"
		"703000-704000 r-xp 00001000 fe:00 2 /lib/a\n"
		/* In an archive, from byte 0x5000 on. */
		"800000-801000 r--p 00005000 fe:00 3 /base.apk\n"
		"801000-802000 r-xp 00006000 fe:00 3 /base.apk\n", NULL);

	cr_assert_eq(gsym_process_module_count(p), 4);
	cr_expect_eq(module(p, 0).bias, 0);
	cr_expect_eq(module(p, 0).end, 0x601000);
	cr_expect_eq(module(p, 1).bias, 0x700000);
	cr_expect_eq(module(p, 2).bias, 0x702000);
	cr_expect_eq(module(p, 3).bias, 0x800000);
	cr_expect_eq(module(p, 3).kind, GSYM_PROCESS_INSIDE);
	cr_expect_eq(module(p, 3).file_offset, 0x5000);
	gsym_process_close(p);
}

Test(process, lines_that_are_none)
{
	static const char good[] = "1000-2000 r-xp 00000000 fe:00 17 /a\n";
	static const char *const bad[] = {
		"nonsense", "1000", "1000-2000", "1000-2000 r-xp",
		"1000-2000 r-xp 0", "1000-2000 r-xp 0 fe", "-2000 r-xp 0 0:0 1",
		"1000-2000 r-xp 0 fe:00", "1000-2000 r-xp 0 fe:00 x",
		"2000-1000 r-xp 0 fe:00 1 /b", "1000-2000 r-x 0 fe:00 1 /b",
		"1000-2000r-xp 0 fe:00 1 /b", "1000-2000 r-xp z fe:00 1 /b",
		"10000000000000000-10000000000000001 r-xp 0 fe:00 1 /b",
		"1000-2000 r-xp 0 fe:00 18446744073709551616 /b",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[256];
		struct gsym_error error = { 0 };
		struct gsym_process *p;
		int size = snprintf(text, sizeof(text), "%s%s\n", good,
				    bad[i]);

		cr_expect_eq(gsym_process_open_maps(text, (size_t)size, NULL,
						    &p, &error),
			     GSYM_ERR_FORMAT, "%s", bad[i]);
		cr_expect_eq(error.offset, sizeof(good) - 1, "%s", bad[i]);
	}
}

Test(process, last_address)
{
	struct gsym_process *p = open_maps(
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 "
		"[vsyscall]\n"
		"fffffffffffff000-ffffffffffffffff --xp 00000000 00:00 0 end",
		NULL);
	struct gsym_process_place place;

	cr_expect_eq(gsym_process_find(p, UINT64_MAX - 1, &place), GSYM_OK);
	cr_expect_eq(place.module, 1);
	gsym_process_close(p);
}

Test(process, nothing_is_mapped)
{
	struct gsym_process *p = open_maps("", NULL);
	struct gsym_process_module m;
	struct gsym_process_place place;
	struct gsym_match match;

	cr_expect_eq(gsym_process_module_count(p), 0);
	cr_expect_eq(gsym_process_get_module(p, 0, &m), GSYM_NOT_FOUND);
	cr_expect_eq(gsym_process_find(p, 0, &place), GSYM_NOT_FOUND);
	cr_expect_eq(gsym_process_load(p, NULL, NULL), GSYM_OK);
	cr_expect_eq(gsym_process_lookup(p, 0, 0, NULL, 0, &match, NULL),
		     GSYM_NOT_FOUND);
	gsym_process_close(p);
}

/* ---- files -------------------------------------------------------------- */

/* A library of three segments, whose addresses run ahead of its offsets as lld
 * lays them out: headers at 0, text at 0x1800 in the page of the headers' end,
 * data at 0x2c00. */
static void library(uint8_t *bytes)
{
	Elf64_Ehdr *e = (Elf64_Ehdr *)bytes;
	Elf64_Phdr *p = (Elf64_Phdr *)(bytes + 64);
	Elf64_Nhdr *n = (Elf64_Nhdr *)(bytes + 0x400);

	memcpy(e->e_ident, ELFMAG, SELFMAG);
	e->e_ident[EI_CLASS] = ELFCLASS64;
	/* The structs below have this machine's order of bytes. */
	e->e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
				      ? ELFDATA2MSB
				      : ELFDATA2LSB;
	e->e_ident[EI_VERSION] = e->e_version = EV_CURRENT;
	e->e_type = ET_DYN;
	e->e_machine = EM_X86_64;
	e->e_ehsize = 64;
	e->e_phoff = 64;
	e->e_phentsize = sizeof(*p);
	e->e_phnum = 4;
	p[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R,
			     .p_filesz = 0x800, .p_memsz = 0x800 };
	p[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
			     .p_offset = 0x800, .p_vaddr = 0x1800,
			     .p_filesz = 0x400, .p_memsz = 0x400 };
	p[2] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W,
			     .p_offset = 0xc00, .p_vaddr = 0x2c00,
			     .p_filesz = 0x400, .p_memsz = 0x900 };
	p[3] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = 0x400,
			     .p_filesz = 24, .p_align = 4 };
	n->n_namesz = 4;
	n->n_descsz = 8;
	n->n_type = NT_GNU_BUILD_ID;
	memcpy(n + 1, "GNU", 4);
	memcpy((uint8_t *)(n + 1) + 4, id, 8);
}

/* A folder with lib.so, and base.apk, which has the library at 0x2000. */
static char *make_root(void)
{
	char *root = strdup("/tmp/gsym-process-XXXXXX"), path[256];
	uint8_t bytes[0x3000] __attribute__((aligned(8))) = { 0 };
	FILE *to;

	cr_assert_not_null(mkdtemp(root));
	library(bytes);
	snprintf(path, sizeof(path), "%s/lib.so", root);
	to = fopen(path, "w");
	cr_assert_eq(fwrite(bytes, 1, 0x1000, to), 0x1000);
	fclose(to);
	memmove(bytes + 0x2000, bytes, 0x1000);
	memset(bytes, 'x', 0x2000);
	snprintf(path, sizeof(path), "%s/base.apk", root);
	to = fopen(path, "w");
	cr_assert_eq(fwrite(bytes, 1, 0x3000, to), 0x3000);
	fclose(to);
	return root;
}

static void remove_root(char *root)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/lib.so", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/base.apk", root);
	unlink(path);
	rmdir(root);
	free(root);
}

static void expect_address(const struct gsym_process *p, uint64_t address,
			   uint32_t wanted_module, uint64_t wanted)
{
	struct gsym_process_place place;

	cr_assert_eq(gsym_process_find(p, address, &place), GSYM_OK);
	cr_expect_eq(place.module, wanted_module);
	cr_expect_eq(place.address, wanted);
}

Test(process, biases_of_program_headers)
{
	char *root = make_root();
	struct gsym_process *p = open_maps(
		"10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		"11000-12000 r-xp 00000000 fe:00 5 /lib.so\n"
		"12000-13000 r--p 00000000 fe:00 5 /lib.so\n"
		"13000-14000 rw-p 00000000 00:00 0 \n"
		/* Loaded again, its data still writable. */
		"20000-21000 r--p 00000000 fe:00 5 /lib.so\n"
		"21000-22000 r-xp 00000000 fe:00 5 /lib.so\n"
		"22000-23000 rw-p 00000000 fe:00 5 /lib.so\n", root);

	cr_assert_eq(gsym_process_module_count(p), 3);
	for (uint32_t i = 0; i < 3; i += 2) {
		struct gsym_process_module m = module(p, i);

		cr_expect_eq(m.bias, i ? 0x20000 : 0x10000);
		cr_expect_not(m.bias_guessed);
		cr_expect_eq(m.kind, GSYM_PROCESS_FILE);
		cr_assert_eq(m.build_id_size, 8);
		cr_expect_eq(memcmp(m.build_id, id, 8), 0);
		cr_expect_eq(m.end, m.bias + 0x3000);
	}
	expect_address(p, 0x11804, 0, 0x1804);
	expect_address(p, 0x12c08, 0, 0x2c08);
	expect_address(p, 0x21804, 2, 0x1804);
	expect_address(p, 0x22c08, 2, 0x2c08);
	gsym_process_close(p);
	remove_root(root);
}

/* Code that was moved to anonymous memory, of large pages for example, belongs
 * to the library whose code it is. */
Test(process, code_that_was_moved)
{
	static const struct {
		const char *maps;
		bool moved;
	} rows[] = {
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-12000 r-xp 00000000 00:00 0\n"
		  "12000-13000 rw-p 00000000 fe:00 5 /lib.so\n", true },
		/* Two mappings, one after the other. */
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-11800 r-xp 00000000 00:00 0\n"
		  "11800-12000 rwxp 00000000 00:00 0\n"
		  "12000-13000 rw-p 00000000 fe:00 5 /lib.so\n", true },
		/* It cannot be executed. */
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-12000 rw-p 00000000 00:00 0\n"
		  "12000-13000 rw-p 00000000 fe:00 5 /lib.so\n", false },
		/* It has a name. */
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-12000 r-xp 00000000 00:00 0 [anon:jit]\n"
		  "12000-13000 rw-p 00000000 fe:00 5 /lib.so\n", false },
		/* The last mapping is one of another bias, or another file. */
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-12000 r-xp 00000000 00:00 0\n"
		  "13000-14000 rw-p 00000000 fe:00 5 /lib.so\n", false },
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-12000 r-xp 00000000 00:00 0\n"
		  "12000-13000 rw-p 00000000 fe:00 6 /lib.so\n", false },
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-12000 r-xp 00000000 00:00 0\n", false },
		/* A part of it is beyond the segment. */
		{ "10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
		  "11000-12001 r-xp 00000000 00:00 0\n"
		  "12001-13000 rw-p 00000000 fe:00 5 /lib.so\n", false },
		{ "10000-10fff r--p 00000000 fe:00 5 /lib.so\n"
		  "10fff-12000 r-xp 00000000 00:00 0\n"
		  "12000-13000 rw-p 00000000 fe:00 5 /lib.so\n", false },
	};
	char *root = make_root();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gsym_process *p = open_maps(rows[i].maps, root);
		struct gsym_process_place place;

		cr_assert_eq(gsym_process_find(p, 0x11804, &place), GSYM_OK);
		cr_expect_eq(module(p, place.module).kind,
			     rows[i].moved ? GSYM_PROCESS_FILE
					   : GSYM_PROCESS_MEMORY, "%zu", i);
		cr_expect_eq(place.address, rows[i].moved ? 0x1804 : 0x11804,
			     "%zu", i);
		gsym_process_close(p);
	}
	remove_root(root);
}

/* Put GSYM data with the build ID OWN into FOLDER, a GSYM folder, as NAME. */
static void put_gsym(const char *folder, const uint8_t own[8], const char *name)
{
	char path[256];
	uint8_t *bytes;
	size_t size;
	struct gb b;
	FILE *to;

	gb_init(&b, 1, false, 4, 0x1000);
	b.uuid = own;
	b.uuid_size = 8;
	gb_plain(&b, 0x1800, 0x20, "f");
	bytes = gb_finish(&b, &size);
	snprintf(path, sizeof(path), "%s/%s.debug.gsym", folder, name);
	to = fopen(path, "w");
	cr_assert_eq(fwrite(bytes, 1, size, to), size);
	fclose(to);
	free(bytes);
}

/* A process uses the files of a store until it is closed; after that the store
 * may close them. */
Test(process, entries_are_released)
{
	char *root = make_root(), path[256];
	struct gsym_store *store = gsym_store_new();
	struct gsym_process *p =
		open_maps("10000-11000 r--p 00000000 fe:00 5 /lib.so\n"
			  "11000-12000 r-xp 00000000 fe:00 5 /lib.so\n",
			  root);
	static const uint8_t second[8] = { 9, 9, 9, 9, 9, 9, 9, 9 };
	const struct gsym_store_entry *entry;
	struct gsym_match match;

	put_gsym(root, id, "02030405060708");
	put_gsym(root, second, "09090909090909");
	cr_assert_eq(gsym_store_add_gsym_directory(store, root), GSYM_OK);
	gsym_store_set_limit(store, 1);
	cr_assert_eq(gsym_process_load(p, store, NULL), GSYM_OK);
	cr_assert_eq(gsym_store_find(store, second, 8, &entry, NULL), GSYM_OK);
	gsym_store_release(entry);
	snprintf(path, sizeof(path), "%s/02030405060708.debug.gsym", root);
	cr_expect_eq(gsym_process_lookup(p, 0x11804, 0, NULL, 0, &match, NULL),
		     GSYM_OK);
	cr_expect(count_mapped(path));
	gsym_process_close(p);
	cr_assert_eq(gsym_store_find(store, second, 8, &entry, NULL), GSYM_OK);
	cr_expect_not(count_mapped(path), "closed for the sake of the limit");
	gsym_store_free(store);
	unlink(path);
	snprintf(path, sizeof(path), "%s/09090909090909.debug.gsym", root);
	unlink(path);
	remove_root(root);
}

Test(process, text_mapped_alone)
{
	/* Tools that record executable mappings alone, as perf does. */
	char *root = make_root();
	struct gsym_process *p = open_maps(
		"71000-72000 r-xp 00000000 fe:00 5 /lib.so\n", root);

	cr_expect_eq(module(p, 0).bias, 0x70000);
	cr_expect_not(module(p, 0).bias_guessed);
	gsym_process_close(p);
	remove_root(root);
}

/* The ID of a PE program is a copy, which has to stay valid while other files
 * are added, of which none can be read. */
Test(process, build_id_of_a_program_that_is_loaded_again)
{
	enum { OTHERS = 100 };
	const char *top = getenv("top_srcdir");
	char root[512], maps[64 * (OTHERS + 2)];
	struct gsym_process_module first, last;
	struct gsym_process *p;
	int at = 0;

	snprintf(root, sizeof(root), "%s/testdata/breakpad", top ? top : "..");
	for (int i = 0; i < OTHERS + 2; i++) {
		bool other = i && i <= OTHERS;

		at += snprintf(maps + at, sizeof(maps) - (size_t)at,
			       "%x-%x r-xp 00000000 fe:00 %d %s\n",
			       (i + 1) << 16, ((i + 1) << 16) + 0x1000,
			       other ? i + 5 : 5,
			       other ? "/lib.so" : "/pe_program.exe");
	}
	p = open_maps(maps, root);
	cr_assert_eq(gsym_process_module_count(p), OTHERS + 2);
	first = module(p, 0);
	last = module(p, OTHERS + 1);
	cr_assert_eq(first.build_id_size, 20);
	cr_assert_eq(last.build_id_size, 20);
	cr_expect_eq(memcmp(first.build_id, last.build_id, 20), 0);
	gsym_process_close(p);
}

Test(process, files_inside_files)
{
	char *root = make_root();
	struct gsym_process *p = open_maps(
		"40000-41000 r--p 00002000 fe:00 6 /base.apk\n"
		"41000-42000 r-xp 00002000 fe:00 6 /base.apk\n"
		"50000-51000 r--p 00000000 fe:00 6 /base.apk\n", root);
	struct gsym_process_module m = module(p, 0);

	/* The text of the library is in the page of its header. */
	cr_expect_eq(m.kind, GSYM_PROCESS_INSIDE);
	cr_expect_eq(m.file_offset, 0x2000);
	cr_expect_eq(m.bias, 0x40000);
	cr_expect_not(m.bias_guessed);
	cr_assert_eq(m.build_id_size, 8);
	expect_address(p, 0x41804, 0, 0x1804);
	gsym_process_close(p);
	remove_root(root);
}

/* The size of the build ID of the only module, whose path is PATH. */
static size_t id_size_of(const char *path, const char *root)
{
	char maps[512];
	struct gsym_process *p;
	size_t size;

	snprintf(maps, sizeof(maps),
		 "10000-11000 r-xp 00000000 fe:00 5 %s\n", path);
	p = open_maps(maps, root);
	size = module(p, 0).build_id_size;
	gsym_process_close(p);
	return size;
}

Test(process, no_path_leads_out_of_the_root)
{
	char *root = make_root(), inner[256], path[512], link[512];
	const char *name = strrchr(root, '/') + 1;

	snprintf(inner, sizeof(inner), "%s/inner", root);
	cr_assert_eq(mkdir(inner, 0700), 0);
	cr_expect_eq(id_size_of("/lib.so", root), sizeof(id));
	cr_expect_eq(id_size_of("/inner/../lib.so", root), sizeof(id));
	cr_expect_eq(id_size_of("/lib.so", inner), 0);
	cr_expect_eq(id_size_of("/../lib.so", inner), 0);
	snprintf(path, sizeof(path), "/../../%s/lib.so", name);
	cr_expect_eq(id_size_of(path, inner), 0);
	snprintf(link, sizeof(link), "%s/link", inner);
	cr_assert_eq(symlink("../lib.so", link), 0);
	cr_expect_eq(id_size_of("/link", inner), 0);
	/* A link within the root is followed. */
	unlink(link);
	cr_assert_eq(symlink("/lib.so", link), 0);
	cr_expect_eq(id_size_of("/inner/link", root), sizeof(id));
	unlink(link);
	/* A pipe does not hold the caller up, and is no file. */
	cr_assert_eq(mkfifo(link, 0600), 0);
	cr_expect_eq(id_size_of("/inner/link", root), 0);
	unlink(link);
	rmdir(inner);
	remove_root(root);
}

Test(process, no_file_is_read_without_a_root)
{
	char *root = make_root(), maps[256];
	struct gsym_process *p;

	snprintf(maps, sizeof(maps),
		 "10000-11000 r-xp 00000000 fe:00 5 %s/lib.so\n", root);
	p = open_maps(maps, NULL);
	cr_expect_eq(module(p, 0).build_id_size, 0);
	cr_expect(module(p, 0).bias_guessed);
	gsym_process_close(p);
	p = open_maps(maps, "");
	cr_expect_eq(module(p, 0).build_id_size, 8);
	gsym_process_close(p);
	remove_root(root);
}

/* ---- processes ---------------------------------------------------------- */

/* Module of P that ADDRESS lies in. */
static struct gsym_process_module at(const struct gsym_process *p,
				     const void *address)
{
	struct gsym_process_place place;

	cr_assert_eq(gsym_process_find(p, (uintptr_t)address, &place),
		     GSYM_OK);
	return module(p, place.module);
}

Test(process, self_by_its_linker_and_by_its_maps)
{
	struct gsym_process *linker, *maps;
	struct gsym_process_place a, b;

	cr_assert_eq(gsym_process_open_self(&linker, NULL), GSYM_OK);
	if (gsym_process_open(getpid(), &maps, NULL) != GSYM_OK)
		cr_skip("no /proc/PID/maps");
	for (int i = 0; i < 2; i++) {
		const void *code = i ? (void *)make_root : (void *)getpid;
		struct gsym_process_module x = at(linker, code);
		struct gsym_process_module y = at(maps, code);

		cr_expect_eq(x.bias, y.bias);
		cr_expect_not(y.bias_guessed);
		cr_expect_eq(x.kind, GSYM_PROCESS_FILE);
		cr_expect_eq(y.kind, GSYM_PROCESS_FILE);
		cr_expect_eq(x.build_id_size, y.build_id_size);
		if (x.build_id_size)
			cr_expect_eq(memcmp(x.build_id, y.build_id,
					    x.build_id_size), 0);
		cr_assert_eq(gsym_process_find(linker, (uintptr_t)code, &a),
			     GSYM_OK);
		cr_assert_eq(gsym_process_find(maps, (uintptr_t)code, &b),
			     GSYM_OK);
		cr_expect_eq(a.address, b.address);
		cr_expect(a.executable);
		cr_expect(b.executable);
	}
	for (uint32_t i = 1; i < gsym_process_module_count(linker); i++)
		cr_expect_lt(module(linker, i - 1).start,
			     module(linker, i).start);
	gsym_process_close(linker);
	gsym_process_close(maps);
}

Test(process, file_that_was_replaced)
{
	char *root = make_root(), path[256], copy[256];
	struct gsym_process *p;
	void *mapped;
	FILE *file;

	snprintf(path, sizeof(path), "%s/lib.so", root);
	snprintf(copy, sizeof(copy), "%s/base.apk", root);
	file = fopen(path, "r");
	mapped = mmap(NULL, 0x1000, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	cr_assert_neq(mapped, MAP_FAILED);
	cr_assert_eq(rename(copy, path), 0);
	if (gsym_process_open(getpid(), &p, NULL) != GSYM_OK)
		cr_skip("no /proc/PID/maps");
	/* By the link in /proc or in memory, never by the path. */
	cr_expect_eq(at(p, mapped).kind, GSYM_PROCESS_DELETED);
	if (at(p, mapped).build_id_size)
		cr_expect_eq(memcmp(at(p, mapped).build_id, id, 8), 0);
	gsym_process_close(p);
	munmap(mapped, 0x1000);
	remove_root(root);
}

/* A program that may be run, but not be read, was not deleted. */
Test(process, file_that_may_not_be_read)
{
	char *root = make_root(), path[256];
	struct gsym_process *p;
	void *mapped;
	FILE *file;

	snprintf(path, sizeof(path), "%s/lib.so", root);
	file = fopen(path, "r");
	mapped = mmap(NULL, 0x1000, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	cr_assert_neq(mapped, MAP_FAILED);
	cr_assert(!chmod(path, 0111) && !chmod(root, 0755));
	/* The superuser may read it. */
	if (geteuid() == 0)
		cr_assert(!seteuid(65534) && !prctl(PR_SET_DUMPABLE, 1));
	if (gsym_process_open(getpid(), &p, NULL) != GSYM_OK)
		cr_skip("no /proc/PID/maps");
	cr_expect_eq(at(p, mapped).kind, GSYM_PROCESS_FILE);
	cr_expect_eq(at(p, mapped).build_id_size, 8, "read from memory");
	gsym_process_close(p);
	munmap(mapped, 0x1000);
	if (getuid() == 0)
		cr_assert_eq(seteuid(0), 0);
	remove_root(root);
}

Test(process, no_process)
{
	struct gsym_process *p;
	struct gsym_error error = { 0 };

	cr_expect_eq(gsym_process_open(0x7fffffff, &p, &error), GSYM_ERR_IO);
	cr_expect_eq(error.code, GSYM_ERR_IO);
	cr_expect_eq(gsym_process_open(0, &p, NULL), GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_open(-1, &p, NULL), GSYM_ERR_ARGUMENT);
}

Test(process, null)
{
	struct gsym_process *p;
	struct gsym_process_module m;
	struct gsym_process_place place;
	uint32_t first[1];

	cr_expect_eq(gsym_process_open(1, NULL, NULL), GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_open_maps(NULL, 0, NULL, &p, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_open_maps("", 0, NULL, NULL, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_open_self(NULL, NULL), GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_module_count(NULL), 0);
	cr_expect_eq(gsym_process_get_module(NULL, 0, &m), GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_find(NULL, 0, &place), GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_load(NULL, NULL, NULL), GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_lookup(NULL, 0, 0, NULL, 0, NULL, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_lookup_many(NULL, NULL, 0, 0, NULL, 0, first,
					      NULL),
		     GSYM_ERR_ARGUMENT);
	gsym_process_close(NULL);
	p = open_maps("", NULL);
	cr_expect_eq(gsym_process_get_module(p, 0, NULL), GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_process_find(p, 0, NULL), GSYM_ERR_ARGUMENT);
	gsym_process_close(p);
}
