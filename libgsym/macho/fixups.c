/* SPDX-License-Identifier: MIT */
/*
 * Chained fixups: the loader's work of relocating is in the pointers
 * themselves.  Each holds what it points at and how far it is to the next
 * one of its page; a table says where each page's chain begins.
 */
#include "macho/macho_file.h"

enum {
	NO_CHAIN = 0xffff,
	/* Several chains in a page, where distances of 5 bits are too short. */
	SEVERAL = 0x8000,
	LAST_CHAIN = 0x8000,
};

/* How pointers are written; by the number in the table. */
struct form {
	unsigned size;	       /* of a pointer; 0: not known */
	unsigned stride;       /* what distances count */
	unsigned target_bits;
	unsigned next_at, next_bits;
	bool from_base;	       /* targets count from the image's base */
	bool authenticated;    /* bit 63 says that targets have 32 bits */
	unsigned bind_at;      /* this bit says that it is another image's */
};

static const struct form *find_form(unsigned number)
{
	static const struct form forms[] = {
		[1] = { 8, 8, 43, 51, 11, false, true, 62 },  /* arm64e */
		[2] = { 8, 4, 36, 51, 12, false, false, 63 }, /* 64 bits */
		[3] = { 4, 4, 26, 26, 5, false, false, 31 },  /* 32 bits */
		[6] = { 8, 4, 36, 51, 12, true, false, 63 },
		[7] = { 8, 4, 43, 51, 11, true, true, 62 },  /* kernel */
		[9] = { 8, 8, 43, 51, 11, true, true, 62 },  /* userland */
		[10] = { 8, 4, 43, 51, 11, false, true, 62 }, /* firmware */
		[12] = { 8, 8, 43, 51, 11, true, true, 62 },
	};

	return number < sizeof(forms) / sizeof(forms[0]) && forms[number].size
		       ? &forms[number]
		       : NULL;
}

struct walk {
	const struct gsym_container *container;
	const struct form *form;
	gsym_pointer_fn *take;
	void *context;
	/** Larger values are no pointers (32 bits). */
	uint64_t most;
	/** Pointers, pages and segments that may still be looked at. */
	uint64_t budget;
};

static uint64_t bits(uint64_t word, unsigned at, unsigned count)
{
	return (word >> at) & (((uint64_t)1 << count) - 1);
}

/* Tell of the pointer WORD at PLACE; false to hear no more. */
static bool take_pointer(struct walk *w, uint64_t place, uint64_t word)
{
	const struct form *f = w->form;
	bool signed_one = f->authenticated && word >> 63;
	uint64_t target = bits(word, 0, signed_one ? 32 : f->target_bits);

	if (bits(word, f->bind_at, 1) || (f->size == 4 && target > w->most))
		return true;
	/* What is signed always counts from the base. */
	if (f->from_base || signed_one)
		target += w->container->base;
	return w->take(w->context, place, target);
}

/* One chain, from OFFSET of the page of SIZE bytes at PAGE on. */
static bool walk_chain(struct walk *w, uint64_t page, uint64_t size,
		       uint64_t offset)
{
	const struct form *f = w->form;
	bool swap = w->container->big_endian != GSYM_HOST_BIG_ENDIAN;
	size_t segments = w->container->segments.count;
	uint64_t left = 0;
	const uint8_t *bytes;
	uint64_t next = 1;

	if (w->budget < segments)
		return false;
	w->budget -= segments;
	bytes = gsym_container_bytes(w->container, page, &left);
	if (!bytes)
		return true;
	/* The last pointer of a page may reach into the one behind it. */
	while (next && offset < size && offset < left &&
	       left - offset >= f->size) {
		const uint8_t *p = bytes + offset;
		uint64_t word = f->size == 8 ? gsym_load_u64(p, swap)
					     : gsym_load_u32(p, swap);

		if (!w->budget-- || !take_pointer(w, page + offset, word))
			return false;
		next = bits(word, f->next_at, f->next_bits);
		offset += next * f->stride;
	}
	return true;
}

/* All pages of a segment, of which STARTS tells. */
static bool walk_segment(struct walk *w, struct gsym_cursor starts)
{
	uint16_t page_size;
	uint64_t page;
	uint16_t count;

	gsym_cursor_skip(&starts, 4); /* the size of all this */
	page_size = gsym_cursor_u16(&starts);
	w->form = find_form(gsym_cursor_u16(&starts));
	page = w->container->base + gsym_cursor_u64(&starts);
	w->most = gsym_cursor_u32(&starts);
	count = gsym_cursor_u16(&starts);
	for (uint16_t i = 0; i < count && w->form; i++, page += page_size) {
		struct gsym_cursor more = starts;
		uint16_t start = 0;

		gsym_cursor_skip(&more, 2 * (uint64_t)i);
		start = gsym_cursor_u16(&more);
		if (more.failed)
			return true;
		if (!w->budget--)
			return false;
		if (start == NO_CHAIN)
			continue;
		if (!(start & SEVERAL)) {
			if (!walk_chain(w, page, page_size, start))
				return false;
			continue;
		}
		more = starts;
		gsym_cursor_skip(&more, 2 * (uint64_t)(start & ~SEVERAL));
		do {
			start = gsym_cursor_u16(&more);
			if (!w->budget--)
				return false;
			if (!more.failed &&
			    !walk_chain(w, page, page_size,
					start & ~LAST_CHAIN))
				return false;
		} while (!more.failed && !(start & LAST_CHAIN));
	}
	return true;
}

void gsym_macho_each_pointer(const struct gsym_container *container,
			     gsym_pointer_fn *take, void *context)
{
	const struct macho_image *image = container->private_data;
	struct gsym_cursor c = image->fixups;
	/* Each pointer takes a place of its own, and the segments are searched
	 * once for each page. */
	struct walk w = { .container = container,
			  .take = take,
			  .context = context,
			  .budget = 64 + image->size };
	struct gsym_cursor table;
	uint32_t offset;
	uint32_t count;

	gsym_cursor_skip(&c, 4); /* version */
	offset = gsym_cursor_u32(&c);
	gsym_cursor_seek(&c, offset);
	table = gsym_cursor_init(c.at, c.failed ? 0 : gsym_cursor_left(&c),
				 c.swap);
	c = table;
	count = gsym_cursor_u32(&c);
	while (count-- && !c.failed && w.budget--) {
		struct gsym_cursor starts = table;

		offset = gsym_cursor_u32(&c);
		gsym_cursor_seek(&starts, offset);
		if (offset && !c.failed && !walk_segment(&w, starts))
			return;
	}
}
