/* SPDX-License-Identifier: MIT */
/*
 * Pointers in a program's memory that are in relocations alone.
 *
 * Relocations without addends (REL, RELR) have theirs in place, so for a
 * program that is loaded where it was linked nothing changes by them.
 */
#include "elf/elf_file.h"

enum {
	RELA_BYTES_64 = 24,
	RELA_BYTES_32 = 12,
	DT_PACKED_RELA = 0x60000011, /* DT_ANDROID_RELA */
	DT_PACKED_RELA_SIZE = 0x60000012,
};

/* What a group of packed relocations has in common. */
enum {
	SAME_INFO = 1,
	SAME_DISTANCE = 2,
	SAME_ADDEND = 4,
	HAS_ADDEND = 8,
};

struct tables {
	uint64_t rela, rela_size;
	uint64_t packed, packed_size;
};

/* Where the dynamic section says that relocations with addends are. */
static struct tables find_tables(const struct gsym_container *c)
{
	const struct elf_image *image = c->private_data;
	struct tables tables = { 0 };
	uint64_t left = 0;
	const uint8_t *bytes = gsym_container_bytes(c, image->dynamic, &left);
	struct gsym_cursor cursor;

	if (left > image->dynamic_size)
		left = image->dynamic_size;
	cursor = gsym_cursor_init(bytes, bytes ? (size_t)left : 0,
				  c->big_endian != GSYM_HOST_BIG_ENDIAN);
	while (gsym_cursor_left(&cursor) >= 2u * c->address_size) {
		uint64_t tag = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t value = gsym_cursor_uint(&cursor, c->address_size);

		switch (tag) {
		case DT_NULL:
			return tables;
		case DT_RELA:
			tables.rela = value;
			break;
		case DT_RELASZ:
			tables.rela_size = value;
			break;
		case DT_PACKED_RELA:
			tables.packed = value;
			break;
		case DT_PACKED_RELA_SIZE:
			tables.packed_size = value;
			break;
		}
	}
	return tables;
}

/* A cursor over the table of SIZE bytes at ADDRESS, as far as it is there. */
static struct gsym_cursor table_cursor(const struct gsym_container *c,
				       uint64_t address, uint64_t size)
{
	uint64_t left = 0;
	const uint8_t *bytes =
		size ? gsym_container_bytes(c, address, &left) : NULL;

	if (left > size)
		left = size;
	return gsym_cursor_init(bytes, bytes ? (size_t)left : 0,
				c->big_endian != GSYM_HOST_BIG_ENDIAN);
}

static bool is_relative(const struct gsym_container *c, uint64_t info)
{
	const struct elf_image *image = c->private_data;

	return (c->address_size == 8 ? (uint32_t)info : (info & 0xff)) ==
	       image->relative;
}

/* ---- the plain table -------------------------------------------------- */

static bool each_plain(const struct gsym_container *c,
		       struct gsym_cursor cursor, gsym_pointer_fn *take,
		       void *context)
{
	bool wide = c->address_size == 8;

	while (gsym_cursor_left(&cursor) >=
	       (wide ? RELA_BYTES_64 : RELA_BYTES_32)) {
		uint64_t place = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t info = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t addend = gsym_cursor_uint(&cursor, c->address_size);

		if (is_relative(c, info) && !take(context, place, addend))
			return false;
	}
	return true;
}

/* ---- the packed table of Android -------------------------------------- */

struct packed {
	struct gsym_cursor cursor;
	uint64_t place, info, addend;
};

/* One group of relocations; *LEFT counts down. */
static bool each_of_group(const struct gsym_container *c, struct packed *p,
			  uint64_t *left, gsym_pointer_fn *take, void *context)
{
	struct gsym_cursor *cursor = &p->cursor;
	uint64_t mask = c->address_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t count = (uint64_t)gsym_cursor_sleb(cursor);
	uint64_t flags = (uint64_t)gsym_cursor_sleb(cursor);
	bool addends = flags & HAS_ADDEND;
	uint64_t distance = 0;

	if (!count || count > *left)
		return false;
	*left -= count;
	if (flags & SAME_DISTANCE)
		distance = (uint64_t)gsym_cursor_sleb(cursor);
	if (flags & SAME_INFO)
		p->info = (uint64_t)gsym_cursor_sleb(cursor);
	if (!addends)
		p->addend = 0;
	else if (flags & SAME_ADDEND)
		p->addend += (uint64_t)gsym_cursor_sleb(cursor);
	while (count-- && !cursor->failed) {
		p->place += flags & SAME_DISTANCE
				    ? distance
				    : (uint64_t)gsym_cursor_sleb(cursor);
		if (!(flags & SAME_INFO))
			p->info = (uint64_t)gsym_cursor_sleb(cursor);
		if (addends && !(flags & SAME_ADDEND))
			p->addend += (uint64_t)gsym_cursor_sleb(cursor);
		if (!cursor->failed && is_relative(c, p->info) &&
		    !take(context, p->place & mask, p->addend & mask))
			return false;
	}
	return !cursor->failed;
}

static void each_packed(const struct gsym_container *c,
			struct gsym_cursor cursor, gsym_pointer_fn *take,
			void *context)
{
	struct packed p = { .cursor = cursor };
	const uint8_t *magic = gsym_cursor_bytes(&p.cursor, 4);
	uint64_t room = 0;
	uint64_t left;

	if (!magic || memcmp(magic, "APS2", 4))
		return;
	/* A group can be of any length and take no bytes, but no two pointers
	 * are in one place. */
	for (size_t i = 0; i < c->segments.count; i++)
		room += c->segments.items[i].data_size;
	left = (uint64_t)gsym_cursor_sleb(&p.cursor);
	p.place = (uint64_t)gsym_cursor_sleb(&p.cursor);
	if (left > room / c->address_size)
		return;
	while (left && each_of_group(c, &p, &left, take, context))
		;
}

void gsym_elf_each_pointer(const struct gsym_container *c,
			   gsym_pointer_fn *take, void *context)
{
	struct tables t = find_tables(c);

	if (each_plain(c, table_cursor(c, t.rela, t.rela_size), take, context))
		each_packed(c, table_cursor(c, t.packed, t.packed_size), take,
			    context);
}
