/* SPDX-License-Identifier: MIT */
/* The segments: what a program's memory looks like, and the pointers in it
 * that are in relocations alone. */
#include "elf/elf_file.h"

enum { RELA_BYTES_64 = 24, RELA_BYTES_32 = 12 };

/* The type of relocation that is a pointer into the program and no symbol.
 * Machines whose files keep such values in place need none here. */
static uint32_t relative_type(unsigned machine)
{
	enum { LOONGARCH = 258 };

	switch (machine) {
	case EM_X86_64:
		return 8;
	case EM_AARCH64:
		return 1027;
	case EM_S390:
		return 12;
	case EM_PPC64:
		return 22;
	case EM_RISCV:
	case LOONGARCH:
		return 3;
	}
	return 0;
}

/* Where the dynamic section says that relocations with addends are. */
static const uint8_t *find_rela(const struct gsym_container *c, uint64_t *size)
{
	const struct elf_image *image = c->private_data;
	bool swap = c->big_endian != GSYM_HOST_BIG_ENDIAN;
	uint64_t address = 0;
	uint64_t claimed = 0;
	uint64_t left = 0;
	const uint8_t *bytes = gsym_container_bytes(c, image->dynamic, &left);
	struct gsym_cursor cursor;

	if (!bytes)
		return NULL;
	if (left > image->dynamic_size)
		left = image->dynamic_size;
	cursor = gsym_cursor_init(bytes, (size_t)left, swap);
	while (gsym_cursor_left(&cursor) >= 2u * c->address_size) {
		uint64_t tag = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t value = gsym_cursor_uint(&cursor, c->address_size);

		if (tag == DT_NULL)
			break;
		if (tag == DT_RELA)
			address = value;
		else if (tag == DT_RELASZ)
			claimed = value;
	}
	bytes = claimed ? gsym_container_bytes(c, address, size) : NULL;
	if (bytes && *size > claimed)
		*size = claimed;
	return bytes;
}

/*
 * Relocations without addends (REL, RELR) have theirs in place, so for a
 * program that is loaded where it was linked nothing changes by them.
 */
static void each_pointer(const struct gsym_container *c, gsym_pointer_fn *take,
			 void *context)
{
	const struct elf_image *image = c->private_data;
	bool wide = c->address_size == 8;
	uint64_t size = 0;
	const uint8_t *bytes = find_rela(c, &size);
	struct gsym_cursor cursor = gsym_cursor_init(
		bytes, bytes ? (size_t)size : 0,
		c->big_endian != GSYM_HOST_BIG_ENDIAN);

	while (gsym_cursor_left(&cursor) >=
	       (wide ? RELA_BYTES_64 : RELA_BYTES_32)) {
		uint64_t place = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t info = gsym_cursor_uint(&cursor, c->address_size);
		uint64_t addend = gsym_cursor_uint(&cursor, c->address_size);

		if ((wide ? (uint32_t)info : (uint32_t)(info & 0xff)) ==
			    image->relative &&
		    !take(context, place, addend))
			return;
	}
}

static bool add_segment(struct elf_file *file, const GElf_Phdr *phdr)
{
	struct gsym_container *c = file->container;
	struct gsym_segment *s;
	uint64_t size = phdr->p_filesz;

	if (!c->has_base) {
		c->has_base = true;
		c->base = phdr->p_vaddr;
	}
	/* Of debug files and of cut ones there is less than this says. */
	if (phdr->p_offset >= file->size)
		return true;
	if (size > file->size - phdr->p_offset)
		size = file->size - phdr->p_offset;
	if (!size || size > UINT64_MAX - phdr->p_vaddr)
		return true;
	s = gsym_vec_push(&c->segments);
	if (!s)
		return false;
	*s = (struct gsym_segment){
		.address = phdr->p_vaddr,
		.data = file->bytes + phdr->p_offset,
		.data_size = size,
		.writable = phdr->p_flags & PF_W,
		.executable = phdr->p_flags & PF_X,
	};
	return true;
}

bool gsym_elf_read_segments(struct elf_file *file)
{
	struct gsym_container *c = file->container;
	struct elf_image *image = c->private_data;

	c->entry = file->header.entry;
	image->relative = relative_type(file->header.machine);
	for (size_t i = 0; i < file->header.segment_count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file->elf, (int)i, &phdr))
			continue;
		if (phdr.p_type == PT_LOAD && !add_segment(file, &phdr))
			return false;
		if (phdr.p_type == PT_DYNAMIC && phdr.p_filesz) {
			image->dynamic = phdr.p_vaddr;
			image->dynamic_size = phdr.p_filesz;
			c->pointers = image->relative ? each_pointer : NULL;
		}
	}
	return true;
}
