/* SPDX-License-Identifier: MIT */
/* A copy of an ELF file with GSYM data as a section. */
#include "elf/edit.h"

#include "base/error.h"

#include <gsym/elf.h>

#include <stdlib.h>

static const char section_name[] = ".gsym";

/* What data of GSYM and section headers are aligned to. */
enum { ALIGN = 16 };

struct embed {
	const uint8_t *bytes;
	size_t size;
	struct elfview header;
	struct elf_edit_table table;
	size_t names;
	size_t gsym; /* the section; 0: there was none */
};

/* Sections 0 and names, for a file that has none. */
static enum gsym_status make_table(struct embed *e, struct gsym_error *error)
{
	static const struct elfview_section none;

	if (!gsym_vec_reserve(&e->table, 2))
		return gsym_fail_memory(error);
	e->table.items[0] = e->table.items[1] = none;
	e->table.items[1].type = SHT_STRTAB;
	e->table.items[1].align = 1;
	e->table.count = 2;
	e->names = 1;
	return GSYM_OK;
}

static enum gsym_status find_sections(struct embed *e, struct gsym_error *error)
{
	const struct elfview_section *names;

	if (!e->header.section_count)
		return make_table(e, error);
	if (!gsym_elf_edit_read(&e->header, &e->table))
		return gsym_fail_memory(error);
	e->names = e->header.names;
	names = &e->table.items[e->names];
	if (!e->names || !elfview_in_file(&e->header, names) ||
	    names->size > UINT32_MAX - 64)
		return gsym_fail(error, GSYM_ERR_CORRUPT,
				 e->header.section_table,
				 "section headers: no table of names");
	for (size_t i = 1; i < e->table.count && !e->gsym; i++) {
		uint32_t at = e->table.items[i].name;

		if (i != e->names && at < names->size &&
		    names->size - at >= sizeof(section_name) &&
		    !memcmp(e->bytes + names->offset + at, section_name,
			    sizeof(section_name)))
			e->gsym = i;
	}
	return GSYM_OK;
}

/* How much of the file stays.  What an earlier call of this put behind it,
 * and nothing else, goes. */
static size_t kept_size(const struct embed *e)
{
	const struct elfview_section *gsym = &e->table.items[e->gsym];
	const struct elfview_section *names = &e->table.items[e->names];
	uint64_t table_end = e->header.section_table +
			     e->table.count * (e->header.wide ? 64 : 40);

	if (!e->gsym || !elfview_in_file(&e->header, gsym) ||
	    table_end != e->size || gsym->offset % ALIGN ||
	    names->offset != gsym->offset + gsym->size ||
	    e->header.section_table < names->offset + names->size ||
	    e->header.section_table - names->offset - names->size >= ALIGN)
		return e->size;
	for (size_t i = 1; i < e->table.count; i++) {
		const struct elfview_section *s = &e->table.items[i];

		if (i != e->gsym && i != e->names &&
		    elfview_in_file(&e->header, s) &&
		    s->offset + s->size > gsym->offset)
			return e->size;
	}
	/* A file header has 64 bytes at most. */
	return gsym->offset < 64 ? e->size : (size_t)gsym->offset;
}

/* Append the names, with that of the new section if it is one. */
static bool put_names(struct embed *e, struct gsym_emit *out,
		      struct elfview_section *gsym)
{
	struct elfview_section *names = &e->table.items[e->names];
	uint64_t old = names->offset;

	names->offset = out->size;
	if (names->size)
		gsym_emit_bytes(out, e->bytes + old, (size_t)names->size);
	else
		gsym_emit_u8(out, 0);
	/* The old ones may lack their last NUL. */
	if (!out->failed && out->data[out->size - 1])
		gsym_emit_u8(out, 0);
	if (!names->name && e->names == 1 && !e->header.section_count) {
		names->name = (uint32_t)(out->size - names->offset);
		gsym_emit_bytes(out, ".shstrtab", sizeof(".shstrtab"));
	}
	if (!e->gsym) {
		gsym->name = (uint32_t)(out->size - names->offset);
		gsym_emit_bytes(out, section_name, sizeof(section_name));
	}
	names->size = out->size - names->offset;
	return !out->failed;
}

static enum gsym_status put_all(struct embed *e, struct gsym_emit *out,
				const uint8_t *gsym, size_t gsym_size,
				struct gsym_error *error)
{
	struct elfview_section new = { .type = SHT_PROGBITS, .align = ALIGN };

	gsym_emit_bytes(out, e->bytes, kept_size(e));
	gsym_emit_align(out, ALIGN);
	if (e->gsym)
		new.name = e->table.items[e->gsym].name;
	new.offset = out->size;
	new.size = gsym_size;
	gsym_emit_bytes(out, gsym, gsym_size);
	if (out->failed || !put_names(e, out, &new))
		return gsym_fail_memory(error);
	if (e->gsym) {
		e->table.items[e->gsym] = new;
	} else {
		struct elfview_section *place = gsym_vec_push(&e->table);

		if (!place)
			return gsym_fail_memory(error);
		*place = new;
	}
	return gsym_elf_edit_write(out, &e->header, &e->table, e->names,
				   error);
}

enum gsym_status gsym_elf_embed(const uint8_t *elf, size_t elf_size,
				const uint8_t *gsym, size_t gsym_size,
				uint8_t **ret, size_t *ret_size,
				struct gsym_error *error)
{
	struct embed e = { .bytes = elf, .size = elf_size };
	struct gsym_emit out = { 0 };
	enum gsym_status status;

	if (!elf || !gsym || !gsym_size || !ret || !ret_size)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "elf file, gsym data or result is missing");
	status = gsym_elf_read_header(elf, elf_size, &e.header, error);
	if (status == GSYM_OK)
		status = find_sections(&e, error);
	out.swap = e.header.swap;
	if (status == GSYM_OK)
		status = put_all(&e, &out, gsym, gsym_size, error);
	gsym_vec_fini(&e.table);
	if (status != GSYM_OK) {
		gsym_emit_fini(&out);
		return status;
	}
	*ret = out.data;
	*ret_size = out.size;
	return GSYM_OK;
}
