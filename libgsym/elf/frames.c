/* SPDX-License-Identifier: MIT */
/*
 * Where functions begin and end, from .eh_frame, the table that unwinding goes
 * by.  Programs keep it when they are stripped.
 *
 * The table has an entry (FDE) with start and size for each function, and for
 * each part of one that lies elsewhere.  An FDE refers to an entry (CIE) that
 * says how its addresses are encoded.
 */
#include "elf/elf.h"

#include "base/memory.h"
#include "base/order.h"

enum {
	/* Encodings (DW_EH_PE_*): form of the number, what it counts from. */
	FORM = 0x0f,
	COUNTS_FROM = 0x70,
	FROM_ZERO = 0,
	FROM_ITSELF = 0x10,
	INDIRECT = 0x80,
	/* No encoding: of a CIE that cannot be read. */
	UNKNOWN = 0xff,
	/* Bytes of a CIE that are read: compilers make some twenty. */
	CIE_SIZE = 64,
};

struct frames {
	const struct gsym_container *container;
	struct gsym_cursor table;
	uint64_t address; /* of the table */
	/* The last CIE, and the encoding of its addresses. */
	size_t cie;
	uint8_t encoding;
	/* Code but PLTs, joined. */
	struct gsym_range_set code;
	/* The functions: start and, as INDEX, size. */
	GSYM_VEC_OF(struct gsym_sort_item) found;
};

/* ---- numbers ------------------------------------------------------------- */

/* Read a number of the form of ENCODING. */
static uint64_t read_number(const struct frames *f, struct gsym_cursor *c,
			    uint8_t encoding)
{
	switch (encoding & FORM) {
	case 0x0:
		return gsym_cursor_uint(c, f->container->address_size);
	case 0x1:
		return gsym_cursor_uleb(c);
	case 0x2:
		return gsym_cursor_u16(c);
	case 0x3:
		return gsym_cursor_u32(c);
	case 0x4:
	case 0xc:
		return gsym_cursor_u64(c);
	case 0x9:
		return (uint64_t)gsym_cursor_sleb(c);
	case 0xa:
		return (uint64_t)(int16_t)gsym_cursor_u16(c);
	case 0xb:
		return (uint64_t)(int32_t)gsym_cursor_u32(c);
	}
	gsym_cursor_fail(c);
	return 0;
}

/* ---- entries ------------------------------------------------------------- */

/* The encoding of addresses in the CIE at C, after its length and its mark. */
static uint8_t read_cie(const struct frames *f, struct gsym_cursor c)
{
	uint8_t version = gsym_cursor_u8(&c), encoding = 0;
	const char *text = gsym_cursor_string(&c);

	if (c.failed || (version != 1 && version != 3))
		return UNKNOWN;
	gsym_cursor_uleb(&c); /* code alignment */
	gsym_cursor_sleb(&c); /* data alignment */
	if (version == 1)
		gsym_cursor_u8(&c); /* return address */
	else
		gsym_cursor_uleb(&c);
	/* Only old compilers have a text without z, "eh". */
	if (*text && *text != 'z')
		return UNKNOWN;
	if (*text++)
		gsym_cursor_uleb(&c);
	else
		return c.failed ? UNKNOWN : encoding;
	for (; *text && !c.failed; text++) {
		if (*text == 'R')
			return gsym_cursor_u8(&c);
		if (*text == 'L')
			gsym_cursor_u8(&c);
		else if (*text == 'P')
			read_number(f, &c, gsym_cursor_u8(&c));
		else if (*text != 'S' && *text != 'B' && *text != 'G')
			return UNKNOWN;
	}
	return c.failed ? UNKNOWN : encoding;
}

/* A cursor at OFFSET of the table, up to END of it. */
static struct gsym_cursor piece(const struct frames *f, size_t offset,
				size_t end)
{
	struct gsym_cursor c = f->table;

	c.end = c.start + end;
	gsym_cursor_seek(&c, offset);
	return c;
}

/* Set the encoding to that of the CIE at OFFSET. */
static void find_cie(struct frames *f, size_t offset)
{
	size_t size = (size_t)(f->table.end - f->table.start), end;
	struct gsym_cursor c;

	if (f->cie == offset)
		return;
	f->cie = offset;
	f->encoding = UNKNOWN;
	end = size - offset < CIE_SIZE ? size : offset + CIE_SIZE;
	c = piece(f, offset, end);
	if (gsym_cursor_u32(&c) == UINT32_MAX)
		gsym_cursor_skip(&c, 8);
	if (!gsym_cursor_u32(&c) && !c.failed)
		f->encoding = read_cie(f, c);
}

/* Set RET to the range of the FDE at C, after its length and its CIE.  False if
 * it is unknown or empty. */
static bool read_range(const struct frames *f, struct gsym_cursor c,
		       struct gsym_range *ret)
{
	const struct gsym_container *program = f->container;
	uint64_t mask = program->address_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t place = f->address + gsym_cursor_offset(&c), size;

	if (f->encoding & INDIRECT)
		return false;
	ret->start = read_number(f, &c, f->encoding);
	size = read_number(f, &c, f->encoding & FORM) & mask;
	if ((f->encoding & COUNTS_FROM) == FROM_ITSELF)
		ret->start += place;
	else if ((f->encoding & COUNTS_FROM) != FROM_ZERO)
		return false;
	ret->start &= mask;
	if (program->code_bit0)
		ret->start &= ~UINT64_C(1);
	ret->end = ret->start + size;
	/* Records have at most 4 GiB. */
	return !c.failed && size && size <= UINT32_MAX &&
	       size <= mask - ret->start;
}

/* Whether RANGE begins in code; it is cut where that ends. */
static bool is_in_code(const struct frames *f, struct gsym_range *range)
{
	const struct gsym_range *at =
		gsym_ranges_at(f->code.items, f->code.count, range->start);

	if (at && range->end > at->end)
		range->end = at->end;
	return at;
}

/* Read the next entry, and note its range if it is that of a function.  False
 * at the end of the table, or without memory, in which case *MEMORY becomes
 * false. */
static bool read_entry(struct frames *f, bool *memory)
{
	uint64_t length = gsym_cursor_u32(&f->table);
	struct gsym_range range;
	struct gsym_cursor entry;
	size_t at;
	uint32_t id;

	if (length == UINT32_MAX)
		length = gsym_cursor_u64(&f->table);
	/* An entry of length 0 ends the table. */
	if (!length || length > gsym_cursor_left(&f->table))
		return false;
	at = gsym_cursor_offset(&f->table);
	entry = piece(f, at, at + (size_t)length);
	gsym_cursor_skip(&f->table, length);
	id = gsym_cursor_u32(&entry);
	if (!id || id > at || entry.failed)
		return true;
	find_cie(f, at - id);
	if (f->encoding == UNKNOWN || !read_range(f, entry, &range) ||
	    !is_in_code(f, &range))
		return true;
	*memory = gsym_vec_add(
		&f->found,
		(struct gsym_sort_item){
			range.start, (uint32_t)(range.end - range.start), 0 });
	return *memory;
}

/* ---- the table ----------------------------------------------------------- */

/* Fill in the ranges of code but PLTs: one FDE covers all stubs of a PLT.
 * False without memory. */
static bool find_code(struct frames *f)
{
	const struct gsym_container *c = f->container;

	if (!gsym_vec_reserve(&f->code, c->sections.count))
		return false;
	for (size_t i = 0; i < c->sections.count; i++)
		f->code.count +=
			!gsym_elf_is_plt(&c->sections.items[i]) &&
			gsym_container_range(&c->sections.items[i], true,
					     &f->code.items[f->code.count]);
	gsym_range_set_join(&f->code);
	return true;
}

/* Sort the functions, and append them to those of C.  Of those that begin at
 * one address the shortest stays; each ends where the next one begins at the
 * latest.  False without memory. */
static bool sort_functions(struct frames *f, struct gsym_container *c)
{
	struct gsym_sort_item *items = f->found.items;
	size_t count = f->found.count;
	struct gsym_range *last = NULL;

	if (!gsym_sort_items(items, count) ||
	    !gsym_vec_reserve(&c->functions, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t start = items[i].key, end = start + items[i].index;

		if (last && last->start == start) {
			last->end = end < last->end ? end : last->end;
			continue;
		}
		if (last && last->end > start)
			last->end = start;
		last = &c->functions.items[c->functions.count++];
		*last = (struct gsym_range){ start, end };
	}
	return true;
}

bool gsym_elf_read_frames(struct elf_file *file)
{
	/* After so many bytes their pages are given back. */
	enum { STEP = 1 << 20 };
	struct gsym_container *c = file->container;
	const struct gsym_container_section *s =
		gsym_container_section(c, ".eh_frame");
	struct frames f = { .container = c, .cie = SIZE_MAX };
	size_t released = 0;
	bool memory;

	if (c->relocatable || !s || !s->loaded || !s->data)
		return true;
	f.address = s->address;
	f.table = gsym_container_cursor(c, s);
	memory = find_code(&f);
	while (memory && read_entry(&f, &memory)) {
		size_t at = gsym_cursor_offset(&f.table);

		if (!file->mapped || at - released < STEP)
			continue;
		gsym_pages_release(s->data + released, at - released);
		released = at;
	}
	memory = memory && sort_functions(&f, c);
	gsym_vec_fini(&f.code);
	gsym_vec_fini(&f.found);
	return memory;
}
