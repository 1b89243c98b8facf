/* SPDX-License-Identifier: MIT */
/* reader/search: address tables of many pages. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/emit.h"

#include <gsym/reader.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum {
	COUNT = 100000,
	SIZE = 4, /* bytes of a function */
	GAP = 8192, /* unused bytes before the record */
};

/* The distances of the functions of a table. */
enum shape {
	EVEN, UNEVEN, /* 16 bytes; 8 to 71 bytes */
	GROWING, SHRINKING,
	TWO_STRETCHES, /* half of them 8 bytes, half of them 8192 bytes */
	FAR_FIRST, FAR_LAST, /* one is far from the other ones */
	EQUAL, /* seven functions of each start */
	SHAPES,
};

/* Fill STARTS with ascending numbers. */
static void place(enum shape shape, uint64_t *starts)
{
	uint32_t dice = 1;

	starts[0] = 0;
	for (uint32_t i = 1; i < COUNT; i++) {
		uint64_t step = 16;

		dice = dice * 1664525 + 1013904223;
		if (shape == UNEVEN)
			step = 8 + dice % 64;
		else if (shape == GROWING)
			step = 8 + i / 8;
		else if (shape == SHRINKING)
			step = 8 + (COUNT - i) / 8;
		else if (shape == TWO_STRETCHES)
			step = i < COUNT / 2 ? 8 : 8192;
		else if (i == (shape == FAR_FIRST ? 1 : COUNT - 1) &&
			 (shape == FAR_FIRST || shape == FAR_LAST))
			step = UINT32_C(1) << 31;
		else if (shape == EQUAL)
			step = i % 7 ? 0 : 16;
		starts[i] = starts[i - 1] + step;
	}
}

/* A file of version 1 with functions called "f" at STARTS, all of which have
 * one record. */
static struct gsym_emit make_file(const uint64_t *starts, unsigned width,
				  bool swap)
{
	struct gsym_emit e = { .swap = swap };
	uint32_t strings = 48 + COUNT * (width + 4) + 12;
	uint32_t record = strings + 4 + GAP;

	gsym_emit_u32(&e, 0x4753594d);
	gsym_emit_u16(&e, 1);
	gsym_emit_u8(&e, (uint8_t)width);
	gsym_emit_u8(&e, 0);
	gsym_emit_u64(&e, 0x1000); /* base address */
	gsym_emit_u32(&e, COUNT);
	gsym_emit_u32(&e, strings);
	gsym_emit_u32(&e, 3);
	gsym_emit_bytes(&e, (const uint8_t[20]){ 0 }, 20);
	for (uint32_t i = 0; i < COUNT; i++)
		gsym_emit_uint(&e, starts[i], width);
	for (uint32_t i = 0; i < COUNT; i++)
		gsym_emit_u32(&e, record);
	gsym_emit_u32(&e, 1); /* files */
	gsym_emit_u64(&e, 0);
	gsym_emit_bytes(&e, "\0f\0", 4);
	gsym_emit_bytes(&e, (const uint8_t[GAP]){ 0 }, GAP);
	gsym_emit_u32(&e, SIZE);
	gsym_emit_u32(&e, 1);
	gsym_emit_u64(&e, 0);
	cr_assert(!e.failed && e.size == record + 16);
	return e;
}

/* Look up the bytes of function I and the byte after it. */
static void check_function(const struct gsym_reader *reader,
			   const uint64_t *starts, uint32_t i)
{
	uint32_t first = i;

	while (first && starts[first - 1] == starts[i])
		first--;
	for (uint64_t offset = 0; offset <= SIZE; offset++) {
		enum gsym_status status, expected = GSYM_NOT_FOUND;
		struct gsym_match match;

		if (offset < SIZE)
			expected = GSYM_OK;
		status = gsym_lookup(reader, 0x1000 + starts[i] + offset, 0,
				     NULL, 0, &match, NULL);
		cr_assert_eq(status, expected);
		cr_assert(status || match.index == first, "%u, not %u",
			  match.index, first);
	}
}

static void check_table(enum shape shape, unsigned width, bool swap)
{
	static uint64_t starts[COUNT];
	struct gsym_reader *reader;
	struct gsym_emit file;

	place(shape, starts);
	file = make_file(starts, width, swap);
	cr_assert_eq(gsym_open_memory(file.data, file.size, &reader, NULL),
		     GSYM_OK);
	for (uint32_t i = 0; i < COUNT; i += i % 512 < 8 ? 1 : 19)
		check_function(reader, starts, i);
	check_function(reader, starts, COUNT - 1);
	cr_assert_eq(gsym_lookup(reader, UINT64_MAX, 0, NULL, 0, NULL, NULL),
		     GSYM_NOT_FOUND);
	gsym_close(reader);
	gsym_emit_fini(&file);
}

Test(search_large, functions_at_all_distances)
{
	for (enum shape shape = 0; shape < SHAPES; shape++)
		for (unsigned width = 4; width <= 8; width += 4)
			for (int swap = 0; swap < 2; swap++)
				check_table(shape, width, swap);
}

/* The pages that were accessed since they were locked. */
static volatile unsigned touched;

static void note(int signal, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	char *at = (char *)((uintptr_t)info->si_addr / page * page);

	(void)signal;
	(void)context;
	touched++;
	if (mprotect(at, page, PROT_READ))
		abort();
}

/* An open file whose pages are counted when they are accessed. */
struct counted {
	struct gsym_emit file;
	void *map;
	struct gsym_reader *reader;
};

static struct counted open_counted(const uint64_t *starts, unsigned width)
{
	struct sigaction action = { .sa_sigaction = note,
				    .sa_flags = SA_SIGINFO };
	struct counted c = { .file = make_file(starts, width, false) };

	c.map = mmap(NULL, c.file.size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(c.map != MAP_FAILED);
	memcpy(c.map, c.file.data, c.file.size);
	sigaction(SIGSEGV, &action, NULL);
	mprotect(c.map, c.file.size, PROT_NONE);
	touched = 0;
	cr_assert_eq(gsym_open_memory(c.map, c.file.size, &c.reader, NULL),
		     GSYM_OK);
	return c;
}

static void close_counted(struct counted *c)
{
	gsym_close(c->reader);
	munmap(c->map, c->file.size);
	gsym_emit_fini(&c->file);
}

/* The header, and the page of the file table and the strings. */
Test(search_large, opening_reads_two_pages)
{
	static uint64_t starts[COUNT];

	if (sysconf(_SC_PAGESIZE) != 4096)
		return;
	place(EVEN, starts);
	for (unsigned width = 4; width <= 8; width += 4) {
		struct counted c = open_counted(starts, width);

		cr_assert_eq(touched, 2, "%u pages", touched);
		close_counted(&c);
	}
}

/* A lookup in a file with 98 or 196 pages of addresses.  A binary search would
 * read 7 or 8 of them. */
Test(search_large, few_pages_are_read)
{
	static uint64_t starts[COUNT];

	if (sysconf(_SC_PAGESIZE) != 4096)
		return;
	place(UNEVEN, starts);
	for (unsigned width = 4; width <= 8; width += 4) {
		struct counted c = open_counted(starts, width);

		for (uint32_t i = 0; i < COUNT; i += 377) {
			mprotect(c.map, c.file.size, PROT_NONE);
			touched = 0;
			cr_assert_eq(gsym_lookup(c.reader, 0x1000 + starts[i],
						 0, NULL, 0, NULL, NULL),
				     GSYM_OK);
			/* The first entry of the table, the address info, and
			 * the record. */
			cr_assert(touched <= 4 + 3, "%u pages", touched);
		}
		close_counted(&c);
	}
}
