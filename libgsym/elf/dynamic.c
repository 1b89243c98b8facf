/* SPDX-License-Identifier: MIT */
/* What the loader makes of a program: the tables that PT_DYNAMIC points to,
 * segments, and pointers. */
#include "elf/elf.h"

/* ---- the dynamic section ------------------------------------------------ */

struct gsym_cursor gsym_elf_dynamic_cursor(const struct gsym_container *c,
					   struct elf_dynamic_table table)
{
	struct gsym_cursor at = gsym_container_at(c, table.address);

	if (gsym_cursor_left(&at) > table.size)
		at.end = at.start + table.size;
	return at;
}

/* Store VALUE if D has a member for TAG. */
static void take_tag(struct elf_dynamic *d, uint64_t tag, uint64_t value)
{
	const struct {
		uint64_t tag;
		uint64_t *place;
	} known[] = {
		{ 5, &d->strings.address },	    /* DT_STRTAB */
		{ 6, &d->symbols.address },	    /* DT_SYMTAB */
		{ 7, &d->rela.address },	    /* DT_RELA */
		{ 8, &d->rela.size },		    /* DT_RELASZ */
		{ 10, &d->strings.size },	    /* DT_STRSZ */
		{ 17, &d->rel.address },	    /* DT_REL */
		{ 18, &d->rel.size },		    /* DT_RELSZ */
		{ 0x60000011, &d->packed.address }, /* DT_ANDROID_RELA */
		{ 0x60000012, &d->packed.size },    /* DT_ANDROID_RELASZ */
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].tag == tag)
			*known[i].place = value;
}

struct elf_dynamic gsym_elf_dynamic(const struct gsym_container *c)
{
	const struct elf_file *file = c->private_data;
	struct elf_dynamic_table section = { file->dynamic,
					     file->dynamic_size };
	struct gsym_cursor cursor = gsym_elf_dynamic_cursor(c, section);
	struct elf_dynamic d = { 0 };

	while (gsym_cursor_left(&cursor) >= 2u * c->address_size) {
		uint64_t tag = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t value = gsym_cursor_uint(&cursor, c->address_size);

		if (!tag) /* DT_NULL */
			break;
		take_tag(&d, tag, value);
	}
	if (d.symbols.address < d.strings.address)
		d.symbols.size = d.strings.address - d.symbols.address;
	return d;
}

/* ---- pointers ----------------------------------------------------------- */

/* Pointers in a program's memory whose values are in relocations, and not in
 * the segments' bytes.
 *
 * Relative relocations without addends (REL, RELR) are left out: the segments'
 * bytes have their values, for a program that is loaded where it was linked. */

/* Flags of a group of packed relocations: the fields that all share. */
enum {
	SAME_INFO = 1,
	SAME_DISTANCE = 2,
	SAME_ADDEND = 4,
	HAS_ADDEND = 8,
};

struct walk {
	const struct gsym_container *container;
	const struct elf_file *file;
	struct gsym_cursor symbols; /* the dynamic symbol table */
	gsym_pointer_fn *take;
	void *context;
	/* Segments that may still be searched for addends in place. */
	uint64_t budget;
};

struct relocation {
	uint64_t place;
	uint64_t info; /* symbol and type */
	uint64_t addend;
};

/* ---- one relocation --------------------------------------------------- */

static uint32_t type_of(const struct walk *w, uint64_t info)
{
	return w->container->address_size == 8 ? (uint32_t)info
					       : (uint32_t)(info & 0xff);
}

/* Set *RET to the address of the symbol in INFO; false if the program does
 * not define the symbol. */
static bool symbol_address(const struct walk *w, uint64_t info, uint64_t *ret)
{
	const struct elfview view = {
		.wide = w->container->address_size == 8,
		.swap = w->symbols.swap,
	};
	uint64_t number = view.wide ? info >> 32 : info >> 8;
	size_t size = elfview_symbol_size(&view);
	struct elfview_symbol symbol;

	if (number >= gsym_cursor_left(&w->symbols) / size)
		return false;
	symbol = elfview_symbol(&view, w->symbols.at + number * size);
	*ret = symbol.value;
	return symbol.section != SHN_UNDEF;
}

/* Report the word that R fills, if it is a pointer; false to stop. */
static bool take_relocation(const struct walk *w, const struct relocation *r)
{
	uint64_t mask =
		w->container->address_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint32_t type = type_of(w, r->info);
	uint64_t symbol = 0;

	if (type != w->file->relative &&
	    (type != w->file->absolute || !symbol_address(w, r->info, &symbol)))
		return true;
	return w->take(w->context, r->place & mask,
		       (symbol + r->addend) & mask);
}

/* Read the addend of R from the word that R fills; false if the file has no
 * such word, or if the budget is used up. */
static bool addend_in_place(struct walk *w, struct relocation *r)
{
	const struct gsym_container *c = w->container;
	struct gsym_cursor cursor;

	if (w->budget < c->segments.count)
		return false;
	w->budget -= c->segments.count;
	cursor = gsym_container_at(c, r->place);
	r->addend = gsym_cursor_uint(&cursor, c->address_size);
	return !cursor.failed;
}

/* ---- plain tables ----------------------------------------------------- */

static bool each_with_addend(const struct walk *w, struct gsym_cursor cursor)
{
	unsigned word = w->container->address_size;

	while (gsym_cursor_left(&cursor) >= 3 * word) {
		struct relocation r = { 0 };

		r.place = gsym_cursor_uint(&cursor, word);
		r.info = gsym_cursor_uint(&cursor, word);
		r.addend = gsym_cursor_uint(&cursor, word);
		if (!take_relocation(w, &r))
			return false;
	}
	return true;
}

static bool each_without_addend(struct walk *w, struct gsym_cursor cursor)
{
	unsigned word = w->container->address_size;

	while (gsym_cursor_left(&cursor) >= 2 * word) {
		struct relocation r = { 0 };

		r.place = gsym_cursor_uint(&cursor, word);
		r.info = gsym_cursor_uint(&cursor, word);
		if (type_of(w, r.info) == w->file->absolute &&
		    addend_in_place(w, &r) && !take_relocation(w, &r))
			return false;
	}
	return true;
}

/* ---- the packed table of Android -------------------------------------- */

/* Report the pointers of the next group.  R is the relocation before it, and
 * becomes its last one; *LEFT is the number of relocations to come.  False at
 * the end, or to stop. */
static bool each_of_group(const struct walk *w, struct gsym_cursor *cursor,
			  struct relocation *r, uint64_t *left)
{
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
		r->info = (uint64_t)gsym_cursor_sleb(cursor);
	if (!addends)
		r->addend = 0;
	else if (flags & SAME_ADDEND)
		r->addend += (uint64_t)gsym_cursor_sleb(cursor);
	while (count-- && !cursor->failed) {
		r->place += flags & SAME_DISTANCE
				    ? distance
				    : (uint64_t)gsym_cursor_sleb(cursor);
		if (!(flags & SAME_INFO))
			r->info = (uint64_t)gsym_cursor_sleb(cursor);
		if (addends && !(flags & SAME_ADDEND))
			r->addend += (uint64_t)gsym_cursor_sleb(cursor);
		if (!cursor->failed && !take_relocation(w, r))
			return false;
	}
	return !cursor->failed;
}

static void each_packed(const struct walk *w, struct gsym_cursor cursor)
{
	const uint8_t *magic = gsym_cursor_bytes(&cursor, 4);
	struct relocation last = { 0 };
	uint64_t left;

	if (!magic || memcmp(magic, "APS2", 4))
		return;
	left = (uint64_t)gsym_cursor_sleb(&cursor);
	last.place = (uint64_t)gsym_cursor_sleb(&cursor);
	/* A group takes few bytes for any number of relocations.  But no two
	 * of them fill the same word of the file. */
	if (left > w->file->view.size / w->container->address_size)
		return;
	while (left && each_of_group(w, &cursor, &last, &left))
		;
}

/* The container's POINTERS. */
static void each_pointer(const struct gsym_container *c, gsym_pointer_fn *take,
			 void *context)
{
	const struct elf_file *file = c->private_data;
	struct elf_dynamic d = gsym_elf_dynamic(c);
	struct walk w = {
		.container = c,
		.file = file,
		.symbols = gsym_elf_dynamic_cursor(c, d.symbols),
		.take = take,
		.context = context,
		/* Programs have some ten segments, and relocations take at
		 * least eight bytes. */
		.budget = 16 * file->view.size,
	};

	if (each_with_addend(&w, gsym_elf_dynamic_cursor(c, d.rela)) &&
	    each_without_addend(&w, gsym_elf_dynamic_cursor(c, d.rel)))
		each_packed(&w, gsym_elf_dynamic_cursor(c, d.packed));
}

/* ---- segments ----------------------------------------------------------- */

/* A program's memory as its loader makes it. */

static bool add_segment(struct elf_file *file,
			const struct elfview_segment *from)
{
	struct gsym_container *c = file->container;

	if (!c->has_base) {
		c->has_base = true;
		c->base = from->address;
	}
	return gsym_container_add_segment(
		c,
		(struct gsym_segment){ .address = from->address,
				       .data_size = from->file_size,
				       .writable = from->flags & PF_W,
				       .executable = from->flags &
						     ELFVIEW_SEGMENT_CODE },
		file->view.bytes, file->view.size, from->offset);
}

bool gsym_elf_read_segments(struct elf_file *file)
{
	struct gsym_container *c = file->container;

	c->entry = file->view.entry;
	gsym_elf_pointer_types(file->view.machine, &file->relative,
			       &file->absolute);
	for (size_t i = 0; i < file->view.segment_count; i++) {
		struct elfview_segment s = gsym_elfview_segment(&file->view, i);

		if (s.type == ELFVIEW_LOAD && !add_segment(file, &s))
			return false;
		if (s.type == PT_DYNAMIC && s.file_size) {
			file->dynamic = s.address;
			file->dynamic_size = s.file_size;
			c->pointers = file->relative ? each_pointer : NULL;
		}
	}
	return true;
}
