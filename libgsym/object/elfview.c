/* SPDX-License-Identifier: MIT */
/* Reads ELF headers (of the file, of sections and of segments) and symbol
 * tables. */
#include "object/elfview.h"

#include "base/error.h"

/* Offsets of fields in the file header, and values of these fields. */
enum {
	CLASS = 4,
	CLASS_32 = 1,
	CLASS_64 = 2,
	BYTE_ORDER = 5,
	LITTLE = 1,
	BIG = 2,
	IDENT_SIZE = 16,
};

/* The number of program headers is in section header 0. */
enum { SEGMENTS_EXTENDED = 0xffff };

/* ---- tables ------------------------------------------------------------- */

/* Read section header NUMBER to RET; false if it lies beyond the file. */
static bool read_section(const struct elfview *v, uint64_t number,
			 struct elfview_section *ret)
{
	struct gsym_cursor c = gsym_cursor_init(v->bytes, v->size, v->swap);
	unsigned word = elfview_word(v);

	gsym_cursor_seek(&c, v->section_table);
	gsym_cursor_skip(&c, number * v->section_stride);
	ret->name = gsym_cursor_u32(&c);
	ret->type = gsym_cursor_u32(&c);
	ret->flags = gsym_cursor_uint(&c, word);
	ret->address = gsym_cursor_uint(&c, word);
	ret->offset = gsym_cursor_uint(&c, word);
	ret->size = gsym_cursor_uint(&c, word);
	ret->link = gsym_cursor_u32(&c);
	ret->info = gsym_cursor_u32(&c);
	ret->align = gsym_cursor_uint(&c, word);
	ret->entry_size = gsym_cursor_uint(&c, word);
	return !c.failed;
}

struct elfview_section gsym_elfview_section(const struct elfview *v,
					    uint64_t number)
{
	static const struct elfview_section none;
	struct elfview_section s;

	return read_section(v, number, &s) ? s : none;
}

struct elfview_segment gsym_elfview_segment(const struct elfview *v,
					    uint64_t number)
{
	static const struct elfview_segment none;
	struct gsym_cursor c = gsym_cursor_init(v->bytes, v->size, v->swap);
	unsigned word = elfview_word(v);
	struct elfview_segment s = { 0 };

	gsym_cursor_seek(&c, v->segment_table);
	gsym_cursor_skip(&c, number * v->segment_stride);
	s.type = gsym_cursor_u32(&c);
	if (v->wide)
		s.flags = gsym_cursor_u32(&c);
	s.offset = gsym_cursor_uint(&c, word);
	s.address = gsym_cursor_uint(&c, word);
	gsym_cursor_skip(&c, word); /* the physical address */
	s.file_size = gsym_cursor_uint(&c, word);
	s.memory_size = gsym_cursor_uint(&c, word);
	if (!v->wide)
		s.flags = gsym_cursor_u32(&c);
	s.align = gsym_cursor_uint(&c, word);
	return c.failed ? none : s;
}

struct elfview_strings gsym_elfview_strings(const uint8_t *bytes, uint64_t size)
{
	struct elfview_strings ret = { (const char *)bytes, bytes ? size : 0 };

	while (ret.limit && ret.bytes[ret.limit - 1])
		ret.limit--;
	return ret;
}

/* ---- the file header ---------------------------------------------------- */

bool gsym_elfview_matches(const uint8_t *bytes, size_t size)
{
	return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

/* The first 16 bytes, which say how to read the rest. */
static enum gsym_status read_ident(struct elfview *v, struct gsym_error *error)
{
	const uint8_t *bytes = v->bytes;

	if (!gsym_elfview_matches(bytes, v->size))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0, "not an ELF file");
	if (v->size < IDENT_SIZE)
		return gsym_fail(error, GSYM_ERR_CORRUPT, v->size,
				 "elf header: the file ends within it, "
				 "at 0x%zx",
				 v->size);
	if (bytes[CLASS] != CLASS_32 && bytes[CLASS] != CLASS_64)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, CLASS,
				 "elf header: the class is %u", bytes[CLASS]);
	if (bytes[BYTE_ORDER] != LITTLE && bytes[BYTE_ORDER] != BIG)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, BYTE_ORDER,
				 "elf header: the byte order is %u",
				 bytes[BYTE_ORDER]);
	v->wide = bytes[CLASS] == CLASS_64;
	v->swap = (bytes[BYTE_ORDER] == BIG) != GSYM_HOST_BIG_ENDIAN;
	return GSYM_OK;
}

/* Section header 0 has the numbers that the file header has no room for. */
static void read_long_numbers(struct elfview *v)
{
	struct elfview_section first;

	if (v->section_count && v->names != ELFVIEW_EXTENDED &&
	    v->segment_count != SEGMENTS_EXTENDED)
		return;
	if (!read_section(v, 0, &first)) {
		v->numbers_lost = true;
		v->section_count = 0;
		return;
	}
	if (!v->section_count)
		v->section_count = first.size;
	if (v->names == ELFVIEW_EXTENDED)
		v->names = first.link;
	if (v->segment_count == SEGMENTS_EXTENDED)
		v->segment_count = first.info;
}

enum gsym_status gsym_elfview_header(const uint8_t *bytes, size_t size,
				     struct elfview *v,
				     struct gsym_error *error)
{
	enum gsym_status status;
	struct gsym_cursor c;
	unsigned word;

	*v = (struct elfview){ .bytes = bytes, .size = size };
	status = read_ident(v, error);
	if (status != GSYM_OK)
		return status;
	word = elfview_word(v);
	c = gsym_cursor_init(bytes, size, v->swap);
	gsym_cursor_skip(&c, IDENT_SIZE);
	v->type = gsym_cursor_u16(&c);
	v->machine = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 4); /* version */
	v->entry = gsym_cursor_uint(&c, word);
	v->segment_table = gsym_cursor_uint(&c, word);
	v->section_table = gsym_cursor_uint(&c, word);
	gsym_cursor_skip(&c, 4 + 2); /* flags, size of this header */
	v->segment_stride = gsym_cursor_u16(&c);
	v->segment_count = gsym_cursor_u16(&c);
	v->section_stride = gsym_cursor_u16(&c);
	v->section_count = gsym_cursor_u16(&c);
	v->names = gsym_cursor_u16(&c);
	if (c.failed)
		return gsym_fail(error, GSYM_ERR_CORRUPT, size,
				 "elf header: the file ends within it, "
				 "at 0x%zx",
				 size);
	if (v->section_table)
		read_long_numbers(v);
	else
		v->section_count = 0;
	if (!v->segment_table)
		v->segment_count = 0;
	return GSYM_OK;
}

/* How many of COUNT headers of LEAST bytes, STRIDE bytes apart, lie inside
 * the file. */
static uint64_t count_inside(const struct elfview *v, uint64_t table,
			     uint64_t count, unsigned stride, unsigned least)
{
	uint64_t room;

	if (table > v->size || stride < least)
		return 0;
	room = (v->size - table) / stride;
	return count < room ? count : room;
}

enum gsym_status gsym_elfview_open(const uint8_t *bytes, size_t size,
				   struct elfview *v, struct gsym_error *error)
{
	enum gsym_status status = gsym_elfview_header(bytes, size, v, error);

	if (status != GSYM_OK)
		return status;
	v->section_count =
		count_inside(v, v->section_table, v->section_count,
			     v->section_stride, elfview_section_size(v));
	v->segment_count =
		count_inside(v, v->segment_table, v->segment_count,
			     v->segment_stride, elfview_segment_size(v));
	return GSYM_OK;
}

/* Whether the bytes of S are in the file. */
static bool has_bytes(const struct elfview *v, const struct elfview_segment *s)
{
	return s->file_size && s->offset <= v->size &&
	       s->file_size <= v->size - s->offset;
}

/* Whether V has a section of code without its bytes, as a debug file. */
static bool lacks_code(const struct elfview *v)
{
	for (uint64_t i = 1; i < v->section_count; i++) {
		struct elfview_section s = gsym_elfview_section(v, i);

		if (s.flags & ELFVIEW_CODE && s.flags & ELFVIEW_ALLOC &&
		    s.type == ELFVIEW_NOBITS && s.size)
			return true;
	}
	return false;
}

bool gsym_elfview_is_program(const struct elfview *v)
{
	bool code = false, stub = false;
	size_t loads = 0;

	for (uint64_t i = 0; i < v->segment_count; i++) {
		struct elfview_segment s = gsym_elfview_segment(v, i);

		stub |= s.type == ELFVIEW_OF_PROGRAM;
		if (s.type != ELFVIEW_LOAD || !s.file_size)
			continue;
		if (++loads > ELFVIEW_MOST_LOADS)
			return false;
		code |= s.flags & ELFVIEW_SEGMENT_CODE && has_bytes(v, &s);
	}
	return stub || (code && !lacks_code(v));
}

/* ---- symbol tables ------------------------------------------------------- */

size_t gsym_elfview_find(const struct elfview *v, uint32_t type, size_t link)
{
	for (size_t i = 1; i < v->section_count; i++) {
		struct elfview_section s = gsym_elfview_section(v, i);

		if (s.type == type && (!link || s.link == link))
			return i;
	}
	return 0;
}

/* The bytes of section NUMBER as a cursor; empty if they are not in the file,
 * or compressed. */
static struct gsym_cursor contents(const struct elfview *v, size_t number)
{
	struct elfview_section s = gsym_elfview_section(v, number);
	bool found = number && number < v->section_count &&
		     !(s.flags & ELFVIEW_COMPRESSED) && elfview_in_file(v, &s);

	return gsym_cursor_init(found ? v->bytes + s.offset : NULL,
				found ? (size_t)s.size : 0, v->swap);
}

bool gsym_elfview_table(const struct elfview *v, uint32_t type,
			struct elfview_table *ret)
{
	size_t number = gsym_elfview_find(v, type, 0);
	struct gsym_cursor symbols = contents(v, number), strings;
	uint64_t each = gsym_elfview_section(v, number).entry_size;

	if (!gsym_cursor_left(&symbols) || each < elfview_symbol_size(v))
		return false;
	strings = contents(v, gsym_elfview_section(v, number).link);
	*ret = (struct elfview_table){
		.bytes = symbols.at,
		.entry_size = (size_t)each,
		.count = (size_t)(gsym_cursor_left(&symbols) / each),
		.strings = gsym_elfview_strings(strings.at,
						gsym_cursor_left(&strings)),
		.long_numbers = contents(
			v, gsym_elfview_find(v, ELFVIEW_SYMTAB_NUMBERS,
					     number)),
	};
	return true;
}

bool gsym_elfview_is_made(const char *name)
{
	/* Many symbols of a hostile file may share one name of megabytes. */
	enum { MOST_DIGITS = 10 };
	size_t end = 1;

	if (name[0] != 'L')
		return name[0] == '.' && name[1] == 'L';
	while (end <= MOST_DIGITS && name[end] >= '0' && name[end] <= '9')
		end++;
	/* GNU as: "L0^A" for its own labels, "L1^B7" for the label "1:". */
	return end > 1 && (name[end] == 1 || name[end] == 2 ||
			   (!name[end] && name[1] == '0' && end == 2));
}

/* ---- relocatable objects ------------------------------------------------- */

/* Round *ADDRESS up to ALIGN.  Returns whether SIZE bytes fit there, below the
 * address LIMIT. */
static bool fit(uint64_t *address, uint64_t size, uint64_t align,
		uint64_t limit)
{
	uint64_t start = *address;

	if (align && !(align & (align - 1))) {
		if (start > UINT64_MAX - (align - 1))
			return false;
		start = (start + align - 1) & ~(align - 1);
	}
	*address = start;
	return start <= limit && size <= limit - start;
}

/* Move *ADDRESS, that of section S, after the COUNT sections in NAMED that S
 * would overlap.  False if S does not fit there. */
static bool step_aside(const struct elfview *v,
		       const struct elfview_named *named, size_t count,
		       const struct elfview_section *s, uint64_t *address)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t start = named[i].address;
		uint64_t end = start +
			       gsym_elfview_section(v, named[i].section).size;

		if (*address >= end || start >= *address + s->size)
			continue;
		*address = end;
		if (!fit(address, s->size, s->align, elfview_limit(v)))
			return false;
		/* S may overlap a section that was compared before: start
		 * again.  This ends, as S passes one more section each time. */
		i = SIZE_MAX;
	}
	return true;
}

void gsym_elfview_place(const struct elfview *v,
			const struct elfview_named *named, size_t count,
			uint64_t *ret)
{
	uint64_t position = 0, limit = elfview_limit(v);

	for (uint64_t i = 0; i < 2 * v->section_count; i++) {
		uint64_t number = i % v->section_count, address = position;
		struct elfview_section s = gsym_elfview_section(v, number);
		bool code = s.flags & ELFVIEW_CODE, found = false, fits;

		if (i < v->section_count)
			ret[number] = 0;
		if (!number || !(s.flags & ELFVIEW_ALLOC) ||
		    code != (i < v->section_count))
			continue;
		fits = fit(&address, s.size, s.align, limit);
		for (size_t k = 0; k < count && !found; k++) {
			found = named[k].section == number;
			ret[number] = named[k].address;
		}
		/* Sections after a named one go where they would go if it had
		 * no name. */
		if (fits && !found)
			fits = step_aside(v, named, count, &s, &address);
		if (!found)
			ret[number] = fits ? address : UINT64_MAX;
		if (fits)
			position = address + s.size;
	}
}
