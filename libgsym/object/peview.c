/* SPDX-License-Identifier: MIT */
/* Reads headers, symbol entries and the identity of PE files, and the headers
 * of COFF object files. */
#include "object/object.h"

#include "base/error.h"

#include <string.h>

enum {
	/* Offset of the field with the offset of the PE header. */
	DOS_PE_OFFSET = 0x3c,
	OPTIONAL_32 = 0x10b,
	OPTIONAL_64 = 0x20b,
	/* Offset of the image's size in the optional header. */
	IMAGE_SIZE = 56,
	/* An entry of the debug directory, and one of its types. */
	DEBUG_SIZE = 28,
	DEBUG_CODEVIEW = 2,
	CODEVIEW_PDB = 0x53445352, /* RSDS */
};

bool gsym_peview_matches(const uint8_t *bytes, size_t size)
{
	return size >= DOS_PE_OFFSET + 4 && bytes[0] == 'M' && bytes[1] == 'Z';
}

struct gsym_cursor gsym_peview_cursor(const struct peview *v, uint64_t offset)
{
	struct gsym_cursor c =
		gsym_cursor_init(v->bytes, v->size, GSYM_HOST_BIG_ENDIAN);

	gsym_cursor_seek(&c, offset);
	return c;
}

/* ---- headers ------------------------------------------------------------ */

/* Find the strings: they follow the symbols, and begin with their size. */
static void find_strings(struct peview *v)
{
	uint64_t at = v->symbols + (uint64_t)v->symbol_count * PE_SYMBOL_SIZE;
	struct gsym_cursor c = gsym_peview_cursor(v, at);
	uint32_t size = v->symbols ? gsym_cursor_u32(&c) : 0;

	v->strings = gsym_cursor_init(NULL, 0, GSYM_HOST_BIG_ENDIAN);
	if (c.failed || size < 4)
		return;
	if (size > v->size - at)
		size = (uint32_t)(v->size - at);
	v->strings = gsym_cursor_init(v->bytes + at, size,
				      GSYM_HOST_BIG_ENDIAN);
}

enum gsym_status gsym_peview_open(const uint8_t *bytes, size_t size,
				  struct peview *v, struct gsym_error *error)
{
	struct gsym_cursor c;
	uint16_t magic;

	*v = (struct peview){ .bytes = bytes, .size = size };
	c = gsym_peview_cursor(v, DOS_PE_OFFSET);
	v->header = gsym_cursor_u32(&c);
	c = gsym_peview_cursor(v, v->header);
	if (!gsym_peview_matches(bytes, size) || gsym_cursor_u32(&c) != 0x4550)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "it has no PE header: it is cut off, or a "
				 "program for DOS");
	v->machine = gsym_cursor_u16(&c);
	v->section_count = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 4);
	v->symbols = gsym_cursor_u32(&c);
	v->symbol_count = gsym_cursor_u32(&c);
	v->optional_size = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 2);
	v->optional = gsym_cursor_offset(&c);
	v->section_table = v->optional + v->optional_size;
	magic = gsym_cursor_u16(&c);
	v->wide = magic == OPTIONAL_64;
	gsym_cursor_skip(&c, 14);
	v->entry = gsym_cursor_u32(&c);
	gsym_cursor_skip(&c, v->wide ? 4 : 8);
	v->base = gsym_cursor_uint(&c, v->wide ? 8 : 4);
	if (c.failed)
		return gsym_fail(error, GSYM_ERR_CORRUPT, v->header,
				 "pe header: the file ends within it");
	if (magic != OPTIONAL_32 && magic != OPTIONAL_64)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, v->header,
				 "pe header: the optional header is of kind "
				 "0x%x",
				 magic);
	find_strings(v);
	return GSYM_OK;
}

enum gsym_status gsym_peview_open_object(const uint8_t *bytes, size_t size,
					 struct peview *v,
					 struct gsym_error *error)
{
	struct gsym_cursor c;

	*v = (struct peview){ .bytes = bytes, .size = size };
	c = gsym_peview_cursor(v, 0);
	v->machine = gsym_cursor_u16(&c);
	v->section_count = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 4);
	v->symbols = gsym_cursor_u32(&c);
	v->symbol_count = gsym_cursor_u32(&c);
	v->section_table = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 2);
	v->section_table += gsym_cursor_offset(&c);
	/* Objects of more than 65,279 sections have another header. */
	if (c.failed || !v->machine || v->section_count >= 0xff00)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "it is no COFF object file");
	find_strings(v);
	return GSYM_OK;
}

/* ---- names, sections and symbols ---------------------------------------- */

/* The most bytes of the name of a section, and of a symbol, among the strings,
 * the NUL included: many may share one long name. */
enum { SECTION_NAME = 256, SYMBOL_NAME = 65536 };

/* The string at OFFSET of the string table; NULL if there is none. */
static struct object_name long_name(const struct peview *v, uint64_t offset,
				    size_t longest)
{
	struct gsym_cursor c = v->strings;
	size_t most, size;

	/* A file without symbols has no strings either. */
	if (offset < 4 || !gsym_cursor_left(&c))
		return (struct object_name){ 0 };
	gsym_cursor_seek(&c, offset);
	most = gsym_cursor_left(&c) < longest ? gsym_cursor_left(&c) : longest;
	size = strnlen((const char *)c.at, most);
	return c.failed || size == most
		       ? (struct object_name){ 0 }
		       : (struct object_name){ (const char *)c.at, size, true };
}

/* The name in the PE_NAME bytes at BYTES. */
static struct object_name short_name(const uint8_t *bytes)
{
	size_t size = strnlen((const char *)bytes, PE_NAME);

	return (struct object_name){ (const char *)bytes, size,
				     size < PE_NAME };
}

/* The name of a section.  BYTES in its header are the name itself, or "/" and
 * the decimal offset of a longer name among the strings. */
static struct object_name section_name(const struct peview *v,
				       const uint8_t *bytes)
{
	struct object_name name;
	uint64_t offset = 0;

	if (bytes[0] != '/')
		return short_name(bytes);
	for (size_t i = 1; i < PE_NAME && bytes[i]; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return short_name(bytes);
		offset = 10 * offset + (bytes[i] - '0');
	}
	name = long_name(v, offset, SECTION_NAME);
	return name.bytes ? name : short_name(bytes);
}

struct peview_section gsym_peview_section(const struct peview *v,
					  unsigned number)
{
	struct gsym_cursor c = gsym_peview_cursor(
		v, v->section_table + (uint64_t)number * PE_SECTION_SIZE);
	const uint8_t *name = gsym_cursor_bytes(&c, PE_NAME);
	struct peview_section s = { .size = gsym_cursor_u32(&c) };

	s.rva = gsym_cursor_u32(&c);
	s.stored = gsym_cursor_u32(&c);
	s.offset = gsym_cursor_u32(&c);
	gsym_cursor_skip(&c, 12);
	s.flags = gsym_cursor_u32(&c);
	if (c.failed)
		return (struct peview_section){ .name = { "", 0, true } };
	s.name = section_name(v, name);
	/* Bytes beyond the size in memory only align the next section. */
	if (!s.size)
		s.size = s.stored;
	if (s.stored > s.size)
		s.stored = s.size;
	if (s.flags & PE_HAS_NO_BYTES || !s.offset)
		s.stored = 0;
	return s;
}

/* Read the COFF symbol at C; the name is NULL if it is not in the strings. */
static struct peview_symbol read_symbol(const struct peview *v,
					struct gsym_cursor *c)
{
	struct peview_symbol s = { 0 };
	const uint8_t *name = gsym_cursor_bytes(c, PE_NAME);

	s.value = gsym_cursor_u32(c);
	s.section = gsym_cursor_u16(c);
	s.type = gsym_cursor_u16(c);
	s.class = gsym_cursor_u8(c);
	s.more = gsym_cursor_u8(c);
	if (name)
		s.name = gsym_load_u32(name, false)
				 ? short_name(name)
				 : long_name(v, gsym_load_u32(
							name + 4,
							GSYM_HOST_BIG_ENDIAN),
					     SYMBOL_NAME);
	return s;
}

static bool is_place(const struct peview *v, const struct peview_symbol *s)
{
	/* A static symbol with auxiliary records is a section, unless it is a
	 * function. */
	return s->section && s->section <= v->section_count && s->name.bytes &&
	       (s->class != PE_CLASS_STATIC || !s->more ||
		s->type == PE_TYPE_FUNCTION) &&
	       (s->class == PE_CLASS_EXTERNAL || s->class == PE_CLASS_STATIC ||
		s->class == PE_CLASS_LABEL || s->class == PE_CLASS_WEAK);
}

struct peview_walk gsym_peview_walk(const struct peview *v)
{
	return (struct peview_walk){
		.at = gsym_peview_cursor(v, v->symbols),
		.left = v->symbols ? v->symbol_count : 0,
	};
}

bool gsym_peview_symbol(const struct peview *v, struct peview_walk *walk,
			struct peview_symbol *ret)
{
	while (walk->left) {
		uint32_t more;

		*ret = read_symbol(v, &walk->at);
		walk->left--;
		more = ret->more < walk->left ? ret->more : walk->left;
		walk->left -= more;
		gsym_cursor_skip(&walk->at, more * (uint64_t)PE_SYMBOL_SIZE);
		if (walk->at.failed)
			return false;
		if (is_place(v, ret))
			return true;
	}
	return false;
}

/* ---- identity ----------------------------------------------------------- */

struct pe_directory gsym_peview_directory(const struct peview *v,
					  unsigned number)
{
	/* Offset of the number of data directories; the directories follow
	 * it. */
	unsigned place = v->wide ? 108 : 92;
	struct gsym_cursor c = gsym_peview_cursor(v, v->optional + place);
	struct pe_directory d = { 0 };

	if (v->optional_size < place + 4 + 8 * (number + 1) ||
	    gsym_cursor_u32(&c) <= number)
		return d;
	gsym_cursor_skip(&c, 8 * (uint64_t)number);
	d.rva = gsym_cursor_u32(&c);
	d.size = gsym_cursor_u32(&c);
	if (c.failed || !d.rva)
		d.size = 0;
	return d;
}

/* A cursor over the bytes that the file has at RVA, to the end of their
 * section; empty if it has none. */
static struct gsym_cursor memory(const struct peview *v, uint32_t rva)
{
	for (unsigned i = 0; i < v->section_count; i++) {
		struct peview_section s = gsym_peview_section(v, i);
		const uint8_t *bytes = peview_bytes(v, &s);

		if (bytes && rva >= s.rva && rva - s.rva < s.stored)
			return gsym_cursor_init(bytes + (rva - s.rva),
						s.stored - (rva - s.rva),
						GSYM_HOST_BIG_ENDIAN);
	}
	return gsym_cursor_init(NULL, 0, GSYM_HOST_BIG_ENDIAN);
}

/* Read the identity of the PDB from the SIZE bytes of CodeView data at OFFSET.
 * Returns its size, or 0.  NAMED: a path follows. */
static size_t read_pdb(const struct peview *v, uint32_t offset, uint32_t size,
		       uint8_t ret[PE_PDB_SIZE], bool *named)
{
	/* The bytes of a GUID in the order of its text: its first fields are
	 * little-endian numbers. */
	static const uint8_t order[16] = { 3, 2, 1, 0,	5,  4,	7,  6,
					   8, 9, 10, 11, 12, 13, 14, 15 };
	struct gsym_cursor c = gsym_peview_cursor(v, offset);
	const uint8_t *guid;
	uint32_t age;

	if (size < 24 || gsym_cursor_u32(&c) != CODEVIEW_PDB)
		return 0;
	guid = gsym_cursor_bytes(&c, 16);
	age = gsym_cursor_u32(&c);
	if (c.failed)
		return 0;
	*named = size > 24 && gsym_cursor_left(&c) && *c.at;
	for (size_t i = 0; i < 16; i++)
		ret[i] = guid[order[i]];
	for (size_t i = 0; i < 4; i++)
		ret[16 + i] = (uint8_t)(age >> (24 - 8 * i));
	return age ? PE_PDB_SIZE : PE_PDB_SIZE - 4;
}

size_t gsym_peview_pdb(const struct peview *v, uint8_t ret[PE_PDB_SIZE],
		       bool *named)
{
	struct pe_directory d = gsym_peview_directory(v, PE_DEBUG_DIRECTORY);
	struct gsym_cursor c = memory(v, d.rva);
	size_t found = 0;

	*named = false;
	if (v->optional_size < IMAGE_SIZE + 4)
		return 0;
	for (uint32_t left = d.size;
	     !found && left >= DEBUG_SIZE && gsym_cursor_left(&c) >= DEBUG_SIZE;
	     left -= DEBUG_SIZE) {
		uint32_t type, size, offset;

		gsym_cursor_skip(&c, 12);
		type = gsym_cursor_u32(&c);
		size = gsym_cursor_u32(&c);
		gsym_cursor_skip(&c, 4); /* its address */
		offset = gsym_cursor_u32(&c);
		if (type == DEBUG_CODEVIEW)
			found = read_pdb(v, offset, size, ret, named);
	}
	return found;
}

void gsym_peview_stamps(const struct peview *v, uint32_t *time_stamp,
			uint32_t *image_size)
{
	struct gsym_cursor stamp = gsym_peview_cursor(v, v->header + 8);
	struct gsym_cursor size =
		gsym_peview_cursor(v, v->optional + IMAGE_SIZE);
	bool known = v->optional_size >= IMAGE_SIZE + 4;

	*time_stamp = known ? gsym_cursor_u32(&stamp) : 0;
	*image_size = known ? gsym_cursor_u32(&size) : 0;
}

/* ---- as an object ------------------------------------------------------- */

static enum gsym_status pe_open(const uint8_t *bytes, size_t size,
				struct object *ret, struct gsym_error *error)
{
	enum gsym_status status =
		gsym_peview_open(bytes, size, &ret->pe, error);

	ret->address_size = ret->pe.wide ? 8 : 4;
	ret->base = ret->pe.base;
	ret->header_count = ret->pe.section_count;
	return status;
}

static const uint8_t *pe_id(const struct object *o, uint8_t room[PE_PDB_SIZE],
			    size_t *size)
{
	bool named;

	*size = gsym_peview_pdb(&o->pe, room, &named);
	return room;
}

static bool pe_section(const struct object *o, uint64_t number,
		       struct object_section *ret)
{
	const struct peview *v = &o->pe;
	struct peview_section s;

	if (number >= v->section_count)
		return false;
	s = gsym_peview_section(v, (unsigned)number);
	*ret = (struct object_section){
		.name = s.name,
		.address = v->base + s.rva,
		.size = s.size,
		.data = peview_bytes(v, &s),
		.data_size = peview_bytes(v, &s) ? s.stored : 0,
	};
	return true;
}

static bool pe_segment(const struct object *o, uint64_t number,
		       struct object_segment *ret)
{
	const struct peview *v = &o->pe;
	struct peview_section s;

	*ret = (struct object_segment){
		.address = v->base,
		.file_size = v->section_table +
			     (uint64_t)v->section_count * PE_SECTION_SIZE,
		.loaded = true,
	};
	if (!number)
		return true;
	if (number > v->section_count)
		return false;
	s = gsym_peview_section(v, (unsigned)number - 1);
	ret->address = v->base + s.rva;
	ret->offset = s.offset;
	ret->file_size = s.stored;
	ret->executable = s.flags & PE_EXECUTABLE;
	return true;
}

static bool pe_begin(const struct object *o, struct object_walk *walk)
{
	walk->pe = gsym_peview_walk(&o->pe);
	return !walk->table;
}

static bool pe_symbol(const struct object *o, struct object_walk *walk,
		      struct object_symbol *ret)
{
	const struct peview *v = &o->pe;
	struct peview_symbol s;

	while (gsym_peview_symbol(v, &walk->pe, &s)) {
		if (!s.name.size)
			continue;
		*ret = (struct object_symbol){
			.name = s.name,
			.address = v->base + s.value +
				   gsym_peview_section(v, s.section - 1u).rva,
			.section = s.section - 1u,
		};
		return true;
	}
	return false;
}

/* Whether a section of code has its bytes. */
static bool pe_is_program(const struct object *o)
{
	for (unsigned i = 0; i < o->pe.section_count; i++) {
		struct peview_section s = gsym_peview_section(&o->pe, i);

		if (s.flags & PE_EXECUTABLE && peview_bytes(&o->pe, &s))
			return true;
	}
	return false;
}

const struct object_kind gsym_object_pe = {
	.matches = gsym_peview_matches,
	.open = pe_open,
	.id = pe_id,
	.section = pe_section,
	.segment = pe_segment,
	.begin = pe_begin,
	.symbol = pe_symbol,
	.is_program = pe_is_program,
};
