/* SPDX-License-Identifier: MIT */
/* An ELF file as an object; its notes: the build ID, and the release of a Linux
 * kernel, which may stand in its data as well. */
#include "object/object.h"

#include "base/error.h"

#include <string.h>

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
		    search(wanted, view->bytes + s.offset, s.file_size,
			   s.align, view->swap, ret, ret_size))
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

static bool elf_begin(const struct object *o, struct object_walk *walk)
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
	.begin = elf_begin,
	.symbol = elf_symbol,
	.is_program = elf_is_program,
};
