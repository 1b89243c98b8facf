/* SPDX-License-Identifier: MIT */
/* A copy of an ELF file with GSYM data in a section, and the section headers of
 * files that are made from others. */
#include "elf/elf.h"

#include "base/error.h"

#include <gsym/program.h>

static const char section_name[] = ".gsym";

/* Alignment of the section .gsym and of the tables after it. */
enum { ALIGN = 16 };

struct embed {
	struct elfview view;
	struct elf_edit_table table;
	size_t names; /* number of the section with the sections' names */
	size_t gsym;  /* number of the section .gsym; 0: there is none yet */
};

bool gsym_elf_has_section(const uint8_t *elf, size_t elf_size, const char *name)
{
	struct elfview_strings names;
	struct elfview v;

	if (!elf || !name ||
	    gsym_elf_read_header(elf, elf_size, &v, NULL) != GSYM_OK)
		return false;
	names = elfview_names(&v);
	for (size_t i = 1; i < v.section_count; i++) {
		struct elfview_section s = gsym_elfview_section(&v, i);
		const char *its_name = elfview_string(&names, s.name);

		if (its_name && !strcmp(its_name, name) &&
		    elfview_in_file(&v, &s))
			return true;
	}
	return false;
}

/* Make section header 0 and that of the names, for a file without sections. */
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
	const struct elfview *v = &e->view;
	const struct elfview_section *names;
	struct elfview_strings strings;

	if (!v->section_count)
		return make_table(e, error);
	if (!gsym_elf_edit_read(v, &e->table))
		return gsym_fail_memory(error);
	e->names = v->names;
	names = &e->table.items[e->names];
	if (!e->names || !elfview_in_file(v, names) ||
	    names->size > UINT32_MAX - 64)
		return gsym_fail(error, GSYM_ERR_CORRUPT, v->section_table,
				 "section headers: no table of names");
	strings = elfview_names(v);
	for (size_t i = 1; i < e->table.count && !e->gsym; i++) {
		const char *name =
			elfview_string(&strings, e->table.items[i].name);

		if (i != e->names && name && !strcmp(name, section_name))
			e->gsym = i;
	}
	return GSYM_OK;
}

/* How many bytes of the file are copied: all, but for the section .gsym, the
 * names and the section headers at its end if an earlier gsym_elf_embed
 * appended them and nothing else uses their bytes. */
static size_t kept_size(const struct embed *e)
{
	const struct elfview *v = &e->view;
	const struct elfview_section *gsym = &e->table.items[e->gsym];
	const struct elfview_section *names = &e->table.items[e->names];
	uint64_t table_end =
		v->section_table + e->table.count * elfview_section_size(v);

	if (!e->gsym || !elfview_in_file(v, gsym) || table_end != v->size ||
	    gsym->offset % ALIGN ||
	    names->offset != gsym->offset + gsym->size ||
	    v->section_table < names->offset + names->size ||
	    v->section_table - names->offset - names->size >= ALIGN)
		return v->size;
	for (size_t i = 1; i < e->table.count; i++) {
		const struct elfview_section *s = &e->table.items[i];

		if (i != e->gsym && i != e->names && elfview_in_file(v, s) &&
		    s->offset + s->size > gsym->offset)
			return v->size;
	}
	/* Never cut the file header, which has up to 64 bytes. */
	return gsym->offset < 64 ? v->size : (size_t)gsym->offset;
}

/* Append the sections' names, with that of GSYM if the file had no such
 * section; false without memory. */
static bool put_names(struct embed *e, struct gsym_emit *out,
		      struct elfview_section *gsym)
{
	struct elfview_section *names = &e->table.items[e->names];
	uint64_t old = names->offset;

	names->offset = out->size;
	if (names->size)
		gsym_emit_bytes(out, e->view.bytes + old, (size_t)names->size);
	else
		gsym_emit_u8(out, 0);
	/* The last of the old names may lack its NUL. */
	if (!out->failed && out->data[out->size - 1])
		gsym_emit_u8(out, 0);
	if (!e->view.section_count) {
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

	gsym_emit_bytes(out, e->view.bytes, kept_size(e));
	gsym_emit_align(out, ALIGN);
	if (e->gsym)
		new.name = e->table.items[e->gsym].name;
	new.offset = out->size;
	new.size = gsym_size;
	gsym_emit_bytes(out, gsym, gsym_size);
	if (out->failed || !put_names(e, out, &new))
		return gsym_fail_memory(error);
	if (e->gsym)
		e->table.items[e->gsym] = new;
	else if (!gsym_vec_add(&e->table, new))
		return gsym_fail_memory(error);
	return gsym_elf_edit_write(out, &e->view, &e->table, e->names, error);
}

enum gsym_status gsym_elf_embed(const uint8_t *elf, size_t elf_size,
				const uint8_t *gsym, size_t gsym_size,
				uint8_t **ret, size_t *ret_size,
				struct gsym_error *error)
{
	struct embed e = { .gsym = 0 };
	struct gsym_emit out = { 0 };
	enum gsym_status status;

	if (!elf || !gsym || !gsym_size || !ret || !ret_size)
		return gsym_fail_argument(error);
	status = gsym_elf_read_header(elf, elf_size, &e.view, error);
	if (status == GSYM_OK)
		status = find_sections(&e, error);
	out.swap = e.view.swap;
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

/* ---- section headers ---------------------------------------------------- */

bool gsym_elf_edit_read(const struct elfview *view, struct elf_edit_table *ret)
{
	if (!gsym_vec_reserve(ret, view->section_count))
		return false;
	for (size_t i = 0; i < view->section_count; i++)
		*gsym_vec_push(ret) = gsym_elfview_section(view, i);
	return true;
}

/* Store the fields of HEADER, a file header, that describe TABLE.  Numbers
 * that do not fit go to section header 0. */
static void put_numbers(uint8_t *header, const struct elfview *v,
			struct elf_edit_table *table, size_t names)
{
	size_t at = v->wide ? 58 : 46; /* of e_shentsize */
	uint16_t count = (uint16_t)table->count, name = (uint16_t)names;

	table->items[0].size = 0;
	table->items[0].link = 0;
	if (table->count >= ELFVIEW_RESERVED) {
		table->items[0].size = table->count;
		count = 0;
	}
	if (names >= ELFVIEW_RESERVED) {
		table->items[0].link = (uint32_t)names;
		name = ELFVIEW_EXTENDED;
	}
	gsym_store_u16(header + at, (uint16_t)elfview_section_size(v), v->swap);
	gsym_store_u16(header + at + 2, count, v->swap);
	gsym_store_u16(header + at + 4, name, v->swap);
}

static void put_section(struct gsym_emit *out, unsigned word,
			const struct elfview_section *s)
{
	gsym_emit_u32(out, s->name);
	gsym_emit_u32(out, s->type);
	gsym_emit_uint(out, s->flags, word);
	gsym_emit_uint(out, s->address, word);
	gsym_emit_uint(out, s->offset, word);
	gsym_emit_uint(out, s->size, word);
	gsym_emit_u32(out, s->link);
	gsym_emit_u32(out, s->info);
	gsym_emit_uint(out, s->align, word);
	gsym_emit_uint(out, s->entry_size, word);
}

enum gsym_status gsym_elf_edit_write(struct gsym_emit *out,
				     const struct elfview *v,
				     struct elf_edit_table *table, size_t names,
				     struct gsym_error *error)
{
	uint64_t at;

	gsym_emit_align(out, elfview_word(v));
	at = out->size;
	if (out->failed)
		return gsym_fail_memory(error);
	if (!v->wide &&
	    at + table->count * elfview_section_size(v) > UINT32_MAX)
		return gsym_fail(error, GSYM_ERR_LIMIT, 0,
				 "a 32-bit file of more than 4 GiB");
	put_numbers(out->data, v, table, names);
	if (v->wide)
		gsym_store_u64(out->data + 40, at, v->swap);
	else
		gsym_store_u32(out->data + 32, (uint32_t)at, v->swap);
	for (size_t i = 0; i < table->count; i++)
		put_section(out, elfview_word(v), &table->items[i]);
	return out->failed ? gsym_fail_memory(error) : GSYM_OK;
}
