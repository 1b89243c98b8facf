/* SPDX-License-Identifier: MIT */
/* The table of formats of programs' files, and what is the same for all. */
#include "object/object.h"

#include "base/error.h"

#include <stdlib.h>

static const struct object_kind *const kinds[] = {
#define ROW(name) &gsym_object_##name,
	OBJECT_KINDS(ROW)
#undef ROW
};

enum gsym_status gsym_object_open(const uint8_t *bytes, size_t size,
				  struct object *ret, struct gsym_error *error)
{
	*ret = (struct object){ 0 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i]->matches(bytes, size)) {
			ret->kind = kinds[i];
			return kinds[i]->open(bytes, size, ret, error);
		}
	return gsym_fail(error, GSYM_ERR_FORMAT, 0,
			 "no program of a known format");
}

bool gsym_object_place(struct object *o)
{
	if (!o->relocatable || o->places)
		return true;
	o->places = calloc(o->elf.section_count + 1, sizeof(*o->places));
	if (o->places)
		gsym_elfview_place(&o->elf, NULL, 0, o->places);
	return o->places;
}

const uint8_t *gsym_object_id(const struct object *o, uint8_t room[PE_PDB_SIZE],
			      size_t *size)
{
	const uint8_t *id;

	*size = 0;
	id = o->kind->id(o, room, size);
	return *size ? id : NULL;
}

bool gsym_object_symbol(const struct object *o, struct object_walk *walk,
			struct object_symbol *ret)
{
	if (!walk->begun && !o->kind->begin(o, walk))
		return false;
	walk->begun = true;
	return o->kind->symbol(o, walk, ret);
}

/* ---- offsets ------------------------------------------------------------ */

bool gsym_object_loads(const struct object *o, struct object_loads *ret)
{
	struct object_segment s;

	ret->count = 0;
	for (uint64_t i = 0; gsym_object_segment(o, i, &s); i++) {
		if (!s.loaded || !s.file_size)
			continue;
		if (ret->count == ELFVIEW_MOST_LOADS)
			return false;
		ret->items[ret->count++] = s;
	}
	return o->kind->is_program(o);
}

bool gsym_object_linked(const struct object_loads *loads, uint64_t offset,
			uint64_t *address)
{
	bool found = false, code = false, same = true;

	for (size_t i = 0; i < loads->count; i++) {
		const struct object_segment *s = &loads->items[i];
		uint64_t at = offset - s->offset + s->address;

		if (offset < s->offset || offset - s->offset >= s->file_size ||
		    (code && !s->executable))
			continue;
		same = !found || (s->executable && !code) ||
		       (same && at == *address);
		found = true;
		code |= s->executable;
		*address = at;
	}
	return found && same;
}
