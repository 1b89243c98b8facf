/* SPDX-License-Identifier: MIT */
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

/* Numbers that the file header has no room for go to section 0. */
static void put_numbers(uint8_t *header, const struct elfview *h,
			struct elf_edit_table *table, size_t names)
{
	size_t at = h->wide ? 58 : 46;
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
	gsym_store_u16(header + at, h->wide ? 64 : 40, h->swap);
	gsym_store_u16(header + at + 2, count, h->swap);
	gsym_store_u16(header + at + 4, name, h->swap);
}

enum gsym_status gsym_elf_edit_write(struct gsym_emit *out,
				     const struct elfview *h,
				     struct elf_edit_table *table, size_t names,
				     struct gsym_error *error)
{
	unsigned word = h->wide ? 8 : 4;
	uint64_t at;

	gsym_emit_align(out, word);
	at = out->size;
	if (out->failed)
		return gsym_fail_memory(error);
	if (!h->wide && at + table->count * 40 > UINT32_MAX)
		return gsym_fail(error, GSYM_ERR_LIMIT, 0,
				 "a 32-bit file of more than 4 GiB");
	put_numbers(out->data, h, table, names);
	if (h->wide)
		gsym_store_u64(out->data + 40, at, h->swap);
	else
		gsym_store_u32(out->data + 32, (uint32_t)at, h->swap);
	for (size_t i = 0; i < table->count; i++) {
		const struct elfview_section *s = &table->items[i];

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
	return out->failed ? gsym_fail_memory(error) : GSYM_OK;
}
