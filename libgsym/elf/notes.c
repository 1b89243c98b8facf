/* SPDX-License-Identifier: MIT */
/* The build ID among the notes. */
#include "elf/elf_file.h"

bool gsym_elf_search_notes(const uint8_t *data, uint64_t size, uint64_t align,
			   bool swap, const uint8_t **id, size_t *id_size)
{
	struct gsym_cursor c = gsym_cursor_init(data, (size_t)size, swap);
	/* Notes of alignment 8 exist (properties); any other means 4. */
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
		if (type == NT_GNU_BUILD_ID && name_size == 4 && desc_size &&
		    !memcmp(name, "GNU", 4)) {
			*id = desc;
			*id_size = desc_size;
			return true;
		}
		gsym_cursor_skip(&c, -gsym_cursor_offset(&c) & mask);
	}
	return false;
}

/* Take the first build ID of the notes at DATA. */
static bool search_notes(struct elf_file *file, const uint8_t *data,
			 uint64_t size, uint64_t align)
{
	return gsym_elf_search_notes(data, size, align, file->header.swap,
				     &file->container->uuid,
				     &file->container->uuid_size);
}

void gsym_elf_read_build_id(struct elf_file *file)
{
	const struct elfview *h = &file->header;

	for (size_t i = 1; i < h->section_count; i++) {
		const struct gsym_container_section *s =
			&file->container->sections.items[i];
		GElf_Shdr shdr;

		if (s->data && gelf_getshdr(elf_getscn(file->elf, i), &shdr) &&
		    shdr.sh_type == SHT_NOTE &&
		    search_notes(file, s->data, s->data_size,
				 shdr.sh_addralign))
			return;
	}
	for (size_t i = 0; i < h->segment_count; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(file->elf, (int)i, &phdr) &&
		    phdr.p_type == PT_NOTE && phdr.p_offset <= file->size &&
		    phdr.p_filesz <= file->size - phdr.p_offset &&
		    search_notes(file, file->bytes + phdr.p_offset,
				 phdr.p_filesz, phdr.p_align))
			return;
	}
}
