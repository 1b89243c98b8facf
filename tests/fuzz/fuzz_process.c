/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the text of a maps file or of kallsyms, as the first byte
 * chooses; a mapped ELF file, or the notes of a kernel; and GSYM data of one or
 * the other.  Modules, places and lookups have to agree.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "support/elf_builder.h"
#include "support/gsym_bytes.h"

#include <gsym/process.h>

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 2 * GSYM_MAX_INLINE_DEPTH, MOST_ADDRESSES = 256 };

static const uint8_t id[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
#define STORED "store/.build-id/01/02030405060708.debug.gsym"

struct addresses {
	uint64_t items[MOST_ADDRESSES];
	size_t count;
};

static void add(struct addresses *a, uint64_t address)
{
	if (a->count < MOST_ADDRESSES)
		a->items[a->count++] = address;
}

/* Add the hexadecimal numbers at the starts of the lines of TEXT, and their
 * neighbours. */
static void add_lines(struct addresses *a, struct fuzz_part text)
{
	size_t at = 0;

	while (at < text.size && a->count < MOST_ADDRESSES / 2) {
		const uint8_t *end = memchr(text.bytes + at, '\n',
					    text.size - at);
		char digits[20] = "";
		uint64_t address;

		memcpy(digits, text.bytes + at,
		       text.size - at < 16 ? text.size - at : 16);
		address = strtoull(digits, NULL, 16);
		add(a, address);
		add(a, address + 1);
		add(a, address - 1);
		at = end ? (size_t)(end - text.bytes) + 1 : text.size;
	}
}

static void check_modules(const struct gsym_process *p, struct addresses *a)
{
	struct gsym_process_module m;
	uint32_t count = gsym_process_module_count(p);

	for (uint32_t i = 0; i < count; i++) {
		fuzz_require(gsym_process_get_module(p, i, &m) == GSYM_OK);
		fuzz_require(m.path && m.kind <= GSYM_PROCESS_KERNEL);
		fuzz_require(!m.build_id == !m.build_id_size);
		fuzz_require(m.kind != GSYM_PROCESS_MEMORY || !m.bias);
		add(a, m.start);
		add(a, m.end - 1);
		add(a, m.start / 2 + m.end / 2);
	}
	fuzz_require(gsym_process_get_module(p, count, &m) == GSYM_NOT_FOUND);
}

/* Find ADDRESS, and look it up.  Returns the number of frames. */
static uint32_t check_address(const struct gsym_process *p, uint64_t address)
{
	static struct gsym_frame frames[FRAMES];
	struct gsym_process_module m;
	struct gsym_process_place place;
	struct gsym_match match = { 0 };
	enum gsym_status found = gsym_process_find(p, address, &place);
	enum gsym_status status = gsym_process_lookup(
		p, address, 0, frames, FRAMES, &match, NULL);

	fuzz_require(found == GSYM_OK || found == GSYM_NOT_FOUND);
	fuzz_require(found == GSYM_OK || status == GSYM_NOT_FOUND);
	if (found == GSYM_OK) {
		fuzz_require(gsym_process_get_module(p, place.module, &m) ==
			     GSYM_OK);
		fuzz_require(address - m.start <= m.end - 1 - m.start);
		fuzz_require(place.address == address - m.bias);
	}
	if (status != GSYM_OK)
		return 0;
	fuzz_require(match.frame_count && match.frame_count <= FRAMES);
	for (uint32_t i = 0; i < match.frame_count; i++)
		fuzz_require(frames[i].function && frames[i].directory &&
			     frames[i].basename);
	return match.frame_count;
}

/* Compare gsym_process_lookup_many with single lookups. */
static void check_many(const struct gsym_process *p,
		       const struct addresses *a)
{
	static struct gsym_frame frames[8 * FRAMES];
	uint32_t first[MOST_ADDRESSES + 1];
	size_t done = 0;

	for (size_t at = 0; at < a->count; at += done) {
		fuzz_require(gsym_process_lookup_many(
				     p, a->items + at, a->count - at, 0,
				     frames, 8 * FRAMES, first,
				     &done) == GSYM_OK);
		fuzz_require(done && done <= a->count - at);
		for (size_t i = 0; i < done; i++)
			fuzz_require(first[i + 1] - first[i] ==
				     check_address(p, a->items[at + i]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_part parts[3];
	struct addresses addresses = { .count = 0 };
	struct gsym_store *store = gsym_store_new();
	struct gsym_process *p = NULL;
	struct gsym_error error = { 0 };
	const char *path;
	bool kernel = size && data[0] & 1;
	enum gsym_status status;

	fuzz_divide(data + !!size, size - !!size, parts, 3);
	fuzz_write(kernel ? "sys/kernel/notes" : "lib/a", parts[1]);
	fuzz_write(kernel ? STORED : "lib/a.gsym", parts[2]);
	if (kernel)
		fuzz_write("proc/kallsyms", parts[0]);
	status = kernel ? gsym_process_open_kernel(fuzz_folder(), &p, &error)
			: gsym_process_open_maps((const char *)parts[0].bytes,
						 parts[0].size, fuzz_folder(),
						 &p, &error);
	fuzz_require(status == GSYM_OK || *error.message);
	path = fuzz_write("store/here", (struct fuzz_part){ data, 0 });
	fuzz_require(store);
	if (status == GSYM_OK) {
		char folder[256];

		memcpy(folder, path, strlen(path) + 1);
		*strrchr(folder, '/') = '\0';
		gsym_store_add_gsym_directory(store, folder);
		check_modules(p, &addresses);
		fuzz_require(gsym_process_load(p, store, NULL) == GSYM_OK);
		addresses.count = 0;
		check_modules(p, &addresses);
		add_lines(&addresses, parts[0]);
		check_many(p, &addresses);
	}
	gsym_process_close(p);
	gsym_store_free(store);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	if (size < 2)
		return LLVMFuzzerMutate(data, size, most);
	return 1 + fuzz_mutate_part(data + 1, size - 1, most - 1, seed, 3,
				    NULL);
}
#endif

/* ---- seeds --------------------------------------------------------------- */

/* An ELF program with a build ID. */
static struct fuzz_part elf(void)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	struct fuzz_part part;
	size_t text, note;

	text = elfb_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			    0x1000, NULL, 256);
	note = elfb_note(b, ".note", "GNU", 3, id, sizeof(id));
	elfb_segment(b, PT_LOAD, 0x1000, text);
	elfb_segment(b, PT_NOTE, 0, note);
	part.bytes = elfb_finish(b, &part.size);
	elfb_free(b);
	return part;
}

static struct fuzz_part gsym(void)
{
	static const char *const names[] = { "_stext", "first", "second",
					     "open_it", "close_it", "third" };
	struct fuzz_part part;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	b.uuid = id;
	b.uuid_size = sizeof(id);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		gb_plain(&b, 0x1000 + 0x100 * i, 0x40, names[i]);
	part.bytes = gb_finish(&b, &part.size);
	return part;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char note[] =
		"\4\0\0\0\10\0\0\0\3\0\0\0GNU\0\1\2\3\4\5\6\7\10";
	static const char *const texts[] = {
		"1000-2000 r-xp 00000000 fe:00 17   /lib/a\n"
		"2000-4000 rw-p 00001000 fe:00 17   /lib/a\r\n"
		"\n"
		"5000-6000 r-xp 00001000 fe:00 18 /lib/x.so (deleted)\n"
		"7000-8000 rw-s 00000000 00:01 19 /memfd:jit (deleted)\n"
		"8000-9000 rw-p 00000000 00:00 0 [heap]\n"
		"9000-9000 rw-p 00000000 00:00 0 /empty\n"
		"b000-c000 r-xp 00000000 00:00 0 [vdso]\n"
		"d000-e000 r-xp 00000000 fe:00 17 /lib/a\n"
		"e000-f000 r-xp 00000000 fe:00 20 /new\\012line\n"
		"f000-10000 r--s 00000000 00:0c 4 /dev/zero (deleted)",
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff81000000 T _stext\n"
		"ffffffff81000100 T first\n"
		"ffffffff81000180 D data\n"
		"ffffffff81000200 W second\n"
		"\n"
		"ffffffffc0001000 t open_it\t[mod]\n"
		"ffffffffc0001040 t __pfx_f\t[other_mod]\n"
		"ffffffffc0001100 t close_it\t[mod]",
		"7f0000001000-7f0000002000 r-xp 00000000 fe:00 17 /lib/a\n"
		"ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]\n",
		"81000000 T _stext\n81000100 T first\n81000200 t second\n"
		"81000500 T third\nbf001000 t open_it\t[a]\n",
	};
	struct fuzz_part parts[3] = { { 0 } }, file;
	uint8_t *joined, *bytes;

	if (number >= 4)
		return NULL;
	file = elf();
	parts[0] = (struct fuzz_part){ (const uint8_t *)texts[number],
				       strlen(texts[number]) };
	parts[1] = number & 1 ? (struct fuzz_part){ (const uint8_t *)note,
						    sizeof(note) - 1 }
			      : file;
	parts[2] = gsym();
	joined = fuzz_join(parts, 3, size);
	bytes = malloc(++*size);
	fuzz_require(bytes);
	bytes[0] = number & 1;
	memcpy(bytes + 1, joined, *size - 1);
	free(joined);
	free((void *)(uintptr_t)file.bytes);
	free((void *)(uintptr_t)parts[2].bytes);
	return bytes;
}
