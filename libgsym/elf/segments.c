/* SPDX-License-Identifier: MIT */
/* The segments: a program's memory as its loader makes it. */
#include "elf/elf_file.h"

/* Set the relocation types that fill pointers on MACHINE, by the numbers of its
 * psABI. */
static void set_pointer_types(struct elf_image *image, unsigned machine)
{
	static const struct {
		uint16_t machine, relative, absolute;
	} types[] = {
		{ EM_X86_64, R_X86_64_RELATIVE, R_X86_64_64 },
		{ EM_AARCH64, R_AARCH64_RELATIVE, R_AARCH64_ABS64 },
		{ EM_ARM, R_ARM_RELATIVE, R_ARM_ABS32 },
		{ EM_S390, R_390_RELATIVE, R_390_64 },
		{ EM_PPC64, R_PPC64_RELATIVE, R_PPC64_ADDR64 },
		{ EM_RISCV, R_RISCV_RELATIVE, R_RISCV_64 },
		/* LoongArch, which old <elf.h> lack. */
		{ 258, 3, 2 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].machine == machine) {
			image->relative = types[i].relative;
			image->absolute = types[i].absolute;
		}
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
	image->file_size = file->view.size;
	set_pointer_types(image, file->view.machine);
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
