/* SPDX-License-Identifier: MIT */
/* The segments: a program's memory as its loader makes it. */
#include "elf/elf_file.h"

/* The relocation type that adds the load bias to an addend.  0: the machine
 * keeps such values in the segments' bytes. */
static uint32_t relative_type(unsigned machine)
{
	enum { EM_LOONGARCH_ = 258, R_LARCH_RELATIVE_ = 3 };

	switch (machine) {
	case EM_X86_64:
		return R_X86_64_RELATIVE;
	case EM_AARCH64:
		return R_AARCH64_RELATIVE;
	case EM_S390:
		return R_390_RELATIVE;
	case EM_PPC64:
		return R_PPC64_RELATIVE;
	case EM_RISCV:
		return R_RISCV_RELATIVE;
	case EM_LOONGARCH_:
		return R_LARCH_RELATIVE_;
	}
	return 0;
}

static bool add_segment(struct elf_file *file,
			const struct elfview_segment *from)
{
	struct gsym_container *c = file->container;

	if (!c->has_base) {
		c->has_base = true;
		c->base = from->address;
	}
	return gsym_container_add_segment(
		c,
		(struct gsym_segment){ .address = from->address,
				       .data_size = from->file_size,
				       .writable = from->flags & PF_W,
				       .executable = from->flags & PF_X },
		file->view.bytes, file->view.size, from->offset);
}

bool gsym_elf_read_segments(struct elf_file *file)
{
	struct gsym_container *c = file->container;
	struct elf_image *image = c->private_data;

	c->entry = file->view.entry;
	image->relative = relative_type(file->view.machine);
	for (size_t i = 0; i < file->view.segment_count; i++) {
		struct elfview_segment s = gsym_elfview_segment(&file->view, i);

		if (s.type == PT_LOAD && !add_segment(file, &s))
			return false;
		if (s.type == PT_DYNAMIC && s.file_size) {
			image->dynamic = s.address;
			image->dynamic_size = s.file_size;
			c->pointers = image->relative ? gsym_elf_each_pointer
						      : NULL;
		}
	}
	return true;
}
