/* SPDX-License-Identifier: MIT */
/* Finds the tables that PT_DYNAMIC points to. */
#include "elf/dynamic.h"

enum {
	DT_PACKED_RELA = 0x60000011, /* DT_ANDROID_RELA */
	DT_PACKED_RELA_SIZE = 0x60000012,
};

struct gsym_cursor gsym_elf_dynamic_cursor(const struct gsym_container *c,
					   struct elf_dynamic_table table)
{
	uint64_t left = 0;
	const uint8_t *bytes =
		table.size ? gsym_container_bytes(c, table.address, &left)
			   : NULL;

	if (left > table.size)
		left = table.size;
	return gsym_cursor_init(bytes, bytes ? (size_t)left : 0,
				c->big_endian != GSYM_HOST_BIG_ENDIAN);
}

static void take_tag(struct elf_dynamic *d, uint64_t tag, uint64_t value)
{
	switch (tag) {
	case DT_RELA:
		d->rela.address = value;
		break;
	case DT_RELASZ:
		d->rela.size = value;
		break;
	case DT_REL:
		d->rel.address = value;
		break;
	case DT_RELSZ:
		d->rel.size = value;
		break;
	case DT_PACKED_RELA:
		d->packed.address = value;
		break;
	case DT_PACKED_RELA_SIZE:
		d->packed.size = value;
		break;
	case DT_SYMTAB:
		d->symbols.address = value;
		break;
	case DT_STRTAB:
		d->strings.address = value;
		break;
	case DT_STRSZ:
		d->strings.size = value;
		break;
	}
}

struct elf_dynamic gsym_elf_dynamic(const struct gsym_container *c)
{
	const struct elf_image *image = c->private_data;
	struct elf_dynamic_table section = { image->dynamic,
					     image->dynamic_size };
	struct gsym_cursor cursor = gsym_elf_dynamic_cursor(c, section);
	struct elf_dynamic d = { 0 };

	while (gsym_cursor_left(&cursor) >= 2u * c->address_size) {
		uint64_t tag = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t value = gsym_cursor_uint(&cursor, c->address_size);

		if (tag == DT_NULL)
			break;
		take_tag(&d, tag, value);
	}
	if (d.symbols.address < d.strings.address)
		d.symbols.size = d.strings.address - d.symbols.address;
	return d;
}
