/* SPDX-License-Identifier: MIT */
/* An ELF file as an object. */
#include "object/object.h"

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

/* Whether the symbol S, called NAME, is code, data or a label, and no mapping
 * symbol ("$x"). */
static bool elf_is_wanted(const struct elfview_symbol *s, const char *name)
{
	unsigned type = s->info & 15;

	return (type == ELFVIEW_NOTYPE || type == ELFVIEW_OBJECT ||
		type == ELFVIEW_FUNCTION || type == ELFVIEW_IFUNC) &&
	       name && *name && *name != '$';
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

		if (!home || !elf_is_wanted(&s, name))
			continue;
		*ret = (struct object_symbol){
			.name = object_name_of(name),
			.address = s.value + (o->places ? o->places[home] : 0),
			.size = s.size,
			.section = home,
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
