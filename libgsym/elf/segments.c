/* SPDX-License-Identifier: MIT */
/* The segments: what a program's memory looks like. */
#include "elf/elf_file.h"

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
			c->pointers = image->relative ? gsym_elf_each_pointer
						      : NULL;
		}
	}
	return true;
}
