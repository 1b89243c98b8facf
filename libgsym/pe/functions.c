/* SPDX-License-Identifier: MIT */
/*
 * The functions of .pdata, the table that unwinding goes by.
 *
 * x86-64: start, end and unwind information of a function, or of a further
 * part of one.  The unwind information of a further part names the part that
 * it continues (it is "chained").
 *
 * ARM64: start and either the RVA of a record in .xdata or packed data; both
 * have the length in words of four bytes.
 */
#include "pe/pe_file.h"

#include "base/sort.h"

enum {
	X86_64_SIZE = 12,
	ARM64_SIZE = 8,
	/* The unwind information is chained. */
	CHAINED = 4,
	/* ARM64: packed data of a function, and of a part without prologue. */
	PACKED = 1,
	PACKED_PART = 2,
};

/* An entry of the table. */
struct entry {
	uint32_t start, end;
	bool is_part;
	uint32_t continues; /* if IS_PART: the start of another part */
};

struct table {
	GSYM_VEC(struct entry);
};

/* ---- entries ------------------------------------------------------------ */

/* If E is a further part of a function, read from the unwind information at RVA
 * which part it continues. */
static void read_chain(const struct pe_file *file, uint32_t rva,
		       struct entry *e)
{
	struct gsym_cursor c;
	uint8_t flags, codes;

	/* The lowest bit means that RVA is the address of the other part's
	 * entry. */
	if (rva & 1) {
		c = gsym_pe_memory(file, rva & ~1u);
	} else {
		c = gsym_pe_memory(file, rva);
		flags = gsym_cursor_u8(&c) >> 3;
		gsym_cursor_skip(&c, 1);
		codes = gsym_cursor_u8(&c);
		gsym_cursor_skip(&c, 1 + 2 * ((codes + 1u) & ~1u));
		if (!(flags & CHAINED))
			return;
	}
	e->continues = gsym_cursor_u32(&c);
	e->is_part = !c.failed;
}

static struct entry read_x86_64(const struct pe_file *file,
				struct gsym_cursor *c)
{
	struct entry e = { .start = gsym_cursor_u32(c) };

	e.end = gsym_cursor_u32(c);
	read_chain(file, gsym_cursor_u32(c), &e);
	return e;
}

static struct entry read_arm64(const struct pe_file *file,
			       struct gsym_cursor *c)
{
	struct entry e = { .start = gsym_cursor_u32(c) };
	uint32_t data = gsym_cursor_u32(c), words = 0;
	struct gsym_cursor record;

	switch (data & 3) {
	case 0:
		record = gsym_pe_memory(file, data);
		words = gsym_cursor_u32(&record) & 0x3ffff;
		break;
	case PACKED_PART:
		/* This part continues the function of the entry before. */
		e.is_part = true;
		e.continues = e.start ? e.start - 1 : 0;
		/* fall through */
	case PACKED:
		words = data >> 2 & 0x7ff;
		break;
	}
	e.end = e.start + 4 * words;
	return e;
}

/* ---- functions ---------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	return x->start != y->start ? GSYM_ORDER(x->start, y->start)
				    : GSYM_ORDER(x->end, y->end);
}

static bool read_table(const struct pe_file *file, struct table *ret)
{
	bool wide = file->machine == PE_MACHINE_X86_64;
	unsigned size = wide ? X86_64_SIZE : ARM64_SIZE;
	struct pe_directory d =
		gsym_pe_directory(file, PE_EXCEPTION_DIRECTORY);
	struct gsym_cursor c = gsym_pe_memory(file, d.rva);
	size_t count = gsym_cursor_left(&c) / size;

	if (!wide && file->machine != PE_MACHINE_ARM64)
		return true;
	if (count > d.size / size)
		count = d.size / size;
	/* For each entry all segments are searched. Programs have some ten. */
	if (count > 16 * (uint64_t)file->size /
			    (file->container->segments.count + 1))
		return true;
	for (size_t i = 0; i < count; i++) {
		struct entry e = wide ? read_x86_64(file, &c)
				      : read_arm64(file, &c);
		struct entry *place = gsym_vec_push(ret);

		if (!place)
			return false;
		*place = e;
	}
	/* Linkers sort the table, but a damaged one may be unsorted. */
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), by_start);
	return true;
}

/* Append the function E, or join E, a further part, to its function. */
static bool add(const struct pe_file *file, const struct entry *e,
		struct pe_functions *ret)
{
	struct gsym_range range = { file->base + e->start,
				    file->base + e->end };
	struct gsym_range *last =
		ret->count ? &ret->items[ret->count - 1] : NULL;

	if (range.start >= range.end || (last && range.start < last->end))
		return true;
	if (last && e->is_part && range.start == last->end &&
	    file->base + e->continues >= last->start &&
	    file->base + e->continues < last->end) {
		last->end = range.end;
		return true;
	}
	last = gsym_vec_push(ret);
	if (last)
		*last = range;
	return last != NULL;
}

bool gsym_pe_read_functions(const struct pe_file *file,
			    struct pe_functions *ret)
{
	struct table table = { 0 };
	bool ok = read_table(file, &table);

	for (size_t i = 0; i < table.count && ok; i++)
		ok = add(file, &table.items[i], ret);
	gsym_vec_fini(&table);
	return ok;
}
