/* SPDX-License-Identifier: MIT */
/* Reads ELF headers (of the file, of sections and of segments), symbol tables
 * and notes: the build ID, and the release of a Linux kernel, which may stand
 * in its data as well. */
#include "object/object.h"

#include "base/error.h"

#include <string.h>

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
	const uint64_t sections = v->section_count;

	if (status != GSYM_OK)
		return status;
	v->section_count =
		count_inside(v, v->section_table, v->section_count,
			     v->section_stride, elfview_section_size(v));
	v->cut_off = v->numbers_lost || v->section_count < sections;
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

/* ---- notes --------------------------------------------------------------- */

static const struct elfview_note build_id = { "GNU", 3 };

/* In a hostile file many headers name the same notes.  Bytes of notes that are
 * read together are at most so many times those of the file. */
enum { MOST_READS = 4 };

/* Find the first note that is WANTED in the SIZE bytes of notes at DATA, as
 * gsym_elfview_search_notes does. */
static bool search(const struct elfview_note *wanted, const uint8_t *data,
		   uint64_t size, uint64_t align, bool swap,
		   const uint8_t **ret, size_t *ret_size)
{
	struct gsym_cursor c = gsym_cursor_init(data, (size_t)size, swap);
	/* Property notes are aligned to 8 bytes.  All other alignments, also
	 * wrong ones, mean 4. */
	size_t mask = align == 8 ? 7 : 3;

	while (gsym_cursor_left(&c) >= 12) {
		uint32_t name_size = gsym_cursor_u32(&c);
		uint32_t desc_size = gsym_cursor_u32(&c);
		uint32_t type = gsym_cursor_u32(&c);
		const uint8_t *name = gsym_cursor_bytes(&c, name_size);
		const uint8_t *desc;

		gsym_cursor_skip(&c, -gsym_cursor_offset(&c) & mask);
		desc = gsym_cursor_bytes(&c, desc_size);
		if (!desc)
			return false;
		if (type == wanted->type && desc_size &&
		    name_size == strlen(wanted->owner) + 1 &&
		    !memcmp(name, wanted->owner, name_size)) {
			*ret = desc;
			*ret_size = desc_size;
			return true;
		}
		gsym_cursor_skip(&c, -gsym_cursor_offset(&c) & mask);
	}
	return false;
}

bool gsym_elfview_search_notes(const uint8_t *data, uint64_t size,
			       uint64_t align, bool swap, const uint8_t **id,
			       size_t *id_size)
{
	return search(&build_id, data, size, align, swap, id, id_size);
}

/* Find the note that is WANTED, as gsym_elfview_build_id does. */
static bool find_note(const struct elfview *view,
		      const struct elfview_note *wanted, const uint8_t **ret,
		      size_t *ret_size)
{
	struct gsym_budget budget = {
		.limit = MOST_READS * (uint64_t)view->size,
	};

	for (size_t i = 1; i < view->section_count; i++) {
		struct elfview_section s = gsym_elfview_section(view, i);

		if (s.type == ELFVIEW_NOTE && elfview_in_file(view, &s) &&
		    gsym_budget_take(&budget, s.size) &&
		    search(wanted, view->bytes + s.offset, s.size, s.align,
			   view->swap, ret, ret_size))
			return true;
	}
	for (size_t i = 0; i < view->segment_count; i++) {
		struct elfview_segment s = gsym_elfview_segment(view, i);

		if (s.type == ELFVIEW_NOTES && s.offset <= view->size &&
		    s.file_size <= view->size - s.offset &&
		    gsym_budget_take(&budget, s.file_size) &&
		    search(wanted, view->bytes + s.offset, s.file_size, s.align,
			   view->swap, ret, ret_size))
			return true;
	}
	return false;
}

bool gsym_elfview_build_id(const struct elfview *view, const uint8_t **ret,
			   size_t *ret_size)
{
	return find_note(view, &build_id, ret, ret_size);
}

/* ---- the release of a kernel --------------------------------------------- */

enum { LONGEST = 64 };

/* The build salt (CONFIG_BUILD_SALT), which makes build IDs differ. */
static const struct elfview_note salt = { "Linux", 0x100 };

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* The number of bytes of the release at the start of the SIZE bytes at AT: two
 * numbers with a dot between, and all up to a blank or NUL.  0: no release. */
static size_t release_size(const uint8_t *at, size_t size)
{
	size_t count = 0, digits = 0;

	while (count < size && at[count] > ' ' && at[count] < 0x7f)
		count++;
	while (digits < count && is_digit(at[digits]))
		digits++;
	return digits && count <= LONGEST && digits + 1 < count &&
			       at[digits] == '.' && is_digit(at[digits + 1])
		       ? count
		       : 0;
}

static bool note_release(const struct elfview *view,
			 const struct elfview_note *note, const uint8_t **ret,
			 size_t *ret_size)
{
	size_t size;

	if (!find_note(view, note, ret, &size))
		return false;
	*ret_size = release_size(*ret, size);
	return *ret_size > 0;
}

/* Find the symbol NAME, which is in a section, in the symbol table of VIEW. */
static bool find_symbol(const struct elfview *view, const char *name,
			struct elfview_symbol *ret, size_t *section)
{
	struct elfview_table t;

	if (!gsym_elfview_table(view, ELFVIEW_SYMTAB, &t))
		return false;
	for (size_t i = 0; i < t.count; i++) {
		const char *found;

		*ret = elfview_entry(view, &t, i);
		found = elfview_string(&t.strings, ret->name);
		if (!found || strcmp(found, name) != 0)
			continue;
		*section = elfview_home(view, &t, ret, i);
		return *section != 0;
	}
	return false;
}

bool gsym_elfview_banner(const struct elfview *view, const uint8_t **ret,
			 size_t *ret_size)
{
	static const char start[] = "Linux version ";
	struct elfview_symbol symbol;
	struct elfview_section s;
	struct gsym_cursor c;
	const uint8_t *text;
	size_t number;

	if (!find_symbol(view, "linux_banner", &symbol, &number))
		return false;
	s = gsym_elfview_section(view, number);
	if (!elfview_in_file(view, &s) || s.flags & ELFVIEW_COMPRESSED)
		return false;
	c = gsym_cursor_init(view->bytes + s.offset, (size_t)s.size, false);
	gsym_cursor_seek(&c, symbol.value - s.address);
	text = gsym_cursor_bytes(&c, sizeof(start) - 1);
	if (!text || memcmp(text, start, sizeof(start) - 1) != 0)
		return false;
	*ret = c.at;
	*ret_size = release_size(c.at, gsym_cursor_left(&c));
	return *ret_size > 0;
}

bool gsym_elfview_release(const struct elfview *view, const uint8_t **ret,
			  size_t *ret_size)
{
	return gsym_elfview_banner(view, ret, ret_size) ||
	       note_release(view, &ELFVIEW_RELEASE, ret, ret_size) ||
	       note_release(view, &salt, ret, ret_size);
}

/* ---- as an object ------------------------------------------------------- */

static enum gsym_status elf_open(const uint8_t *bytes, size_t size,
				 struct object *ret, struct gsym_error *error)
{
	enum gsym_status status =
		gsym_elfview_open(bytes, size, &ret->elf, error);

	ret->address_size = (uint8_t)elfview_word(&ret->elf);
	ret->relocatable = ret->elf.type == ELFVIEW_RELOCATABLE;
	ret->machine = ret->elf.machine;
	ret->cut_off = ret->elf.cut_off;
	ret->header_count = ret->elf.section_count + ret->elf.segment_count;
	if (status == GSYM_OK)
		ret->names = elfview_names(&ret->elf);
	return status;
}

static const uint8_t *elf_id(const struct object *o, uint8_t room[PE_PDB_SIZE],
			     size_t *size)
{
	const uint8_t *id;

	(void)room;
	return gsym_elfview_build_id(&o->elf, &id, size) ? id : NULL;
}

static bool elf_section(const struct object *o, uint64_t number,
			struct object_section *ret)
{
	const struct elfview *v = &o->elf;
	struct elfview_section s = gsym_elfview_section(v, number);
	bool has_bytes = elfview_in_file(v, &s);

	if (number >= v->section_count)
		return false;
	*ret = (struct object_section){
		.name = object_name_of(elfview_string(&o->names, s.name)),
		.address = o->places ? o->places[number] : s.address,
		.size = s.size,
		.data = has_bytes ? v->bytes + s.offset : NULL,
		.data_size = has_bytes ? s.size : 0,
	};
	return true;
}

static bool elf_segment(const struct object *o, uint64_t number,
			struct object_segment *ret)
{
	struct elfview_segment s = gsym_elfview_segment(&o->elf, number);

	*ret = (struct object_segment){
		.address = s.address,
		.offset = s.offset,
		.file_size = s.file_size,
		.loaded = s.type == ELFVIEW_LOAD,
		.executable = s.flags & ELFVIEW_SEGMENT_CODE,
	};
	return number < o->elf.segment_count;
}

static bool elf_walk(const struct object *o, struct object_walk *walk)
{
	static const uint32_t tables[] = { ELFVIEW_SYMTAB, ELFVIEW_DYNSYM };

	/* Entry 0 stands for "no symbol". */
	walk->next = 1;
	return walk->table < 2 &&
	       gsym_elfview_table(&o->elf, tables[walk->table], &walk->elf);
}

/* Whether the symbol S, called NAME, is code, data or a label of the
 * program. */
static bool elf_is_wanted(const struct elfview_symbol *s, const char *name)
{
	unsigned type = s->info & 15;

	return (type == ELFVIEW_NOTYPE || type == ELFVIEW_OBJECT ||
		type == ELFVIEW_FUNCTION || type == ELFVIEW_IFUNC) &&
	       name && *name && !elfview_is_mark(s, name);
}

/* The address in the symbol S.  Of functions on ARM and MIPS bit 0 tells the
 * instruction set (Thumb, microMIPS). */
static uint64_t elf_value(const struct object *o,
			  const struct elfview_symbol *s)
{
	unsigned type = s->info & 15, machine = o->elf.machine;
	bool marked = (machine == ELFVIEW_ARM || machine == ELFVIEW_MIPS) &&
		      (type == ELFVIEW_FUNCTION || type == ELFVIEW_IFUNC);

	return marked ? s->value & ~UINT64_C(1) : s->value;
}

static bool elf_symbol(const struct object *o, struct object_walk *walk,
		       struct object_symbol *ret)
{
	const struct elfview_table *t = &walk->elf;

	while (walk->next < t->count) {
		size_t index = (size_t)walk->next++;
		struct elfview_symbol s = elfview_entry(&o->elf, t, index);
		const char *name = elfview_string(&t->strings, s.name);
		size_t home = elfview_home(&o->elf, t, &s, index);

		if ((s.info & 15) == ELFVIEW_FILE) {
			walk->file = name;
			walk->late = walk->late || walk->other;
			continue;
		}
		walk->other = true;
		if (!home || !elf_is_wanted(&s, name) ||
		    (o->places && o->places[home] == UINT64_MAX))
			continue;
		*ret = (struct object_symbol){
			.name = object_name_of(name),
			.address = elf_value(o, &s) +
				   (o->places ? o->places[home] : 0),
			.size = s.size,
			.section = home,
			.file = walk->file,
			.local = !(s.info >> 4),
			.first = !walk->late,
		};
		return true;
	}
	return false;
}

static bool elf_is_program(const struct object *o)
{
	return gsym_elfview_is_program(&o->elf);
}

const struct object_kind gsym_object_elf = {
	.matches = gsym_elfview_matches,
	.open = elf_open,
	.id = elf_id,
	.section = elf_section,
	.segment = elf_segment,
	.begin = elf_walk,
	.symbol = elf_symbol,
	.is_program = elf_is_program,
};
