/* SPDX-License-Identifier: MIT */
/* Reads and writes section headers. */
#include "elf/edit.h"

#include "base/error.h"

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
	if (table->count >= SHN_LORESERVE) {
		table->items[0].size = table->count;
		count = 0;
	}
	if (names >= SHN_LORESERVE) {
		table->items[0].link = (uint32_t)names;
		name = SHN_XINDEX;
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
