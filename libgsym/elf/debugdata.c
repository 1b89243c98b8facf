/* SPDX-License-Identifier: MIT */
/* Mini debug info: .gnu_debugdata is an ELF file, compressed with xz, with a
 * symbol table of the functions that are not in .dynsym. */
#include "elf/elf_file.h"

void gsym_elf_unpack_debugdata(struct elf_file *file, uint8_t **ret,
			       size_t *ret_size)
{
	struct gsym_container *c = file->container;
	const struct gsym_container_section *s =
		gsym_container_section(c, ".gnu_debugdata");
	struct elfview_table symtab;
	const char *problem;

	*ret = NULL;
	if (!s || !s->data ||
	    gsym_elfview_table(&file->view, ELFVIEW_SYMTAB, &symtab))
		return;
	problem = gsym_elf_unxz(s->data, (size_t)s->data_size, ret, ret_size);
	if (problem)
		gsym_container_warn_section(c, s, problem);
}
