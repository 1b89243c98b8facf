/* SPDX-License-Identifier: MIT */
/* Mini debug info: .gnu_debugdata is an ELF file, compressed with xz, with a
 * symbol table of the functions that are not in .dynsym. */
#include "elf/elf_file.h"

#include "container/join.h"

static void warn(struct elf_file *file, const struct gsym_container_section *s,
		 const char *problem)
{
	gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
			    "%s at 0x%llx: %.150s", s->name,
			    (unsigned long long)s->file_offset, problem);
}

bool gsym_elf_read_debugdata(struct elf_file *file)
{
	struct gsym_container *c = file->container;
	const struct gsym_container_section *s =
		gsym_container_section(c, ".gnu_debugdata");
	size_t symtab = gsym_elf_symtab(file);
	struct gsym_container *inner;
	struct gsym_error error = { 0 };
	const char *problem;
	uint8_t *bytes;
	size_t size;

	if (!s || !s->data || (symtab && c->sections.items[symtab].data))
		return true;
	problem = gsym_elf_unxz(s->data, (size_t)s->data_size, &bytes, &size);
	if (problem) {
		warn(file, s, problem);
		return true;
	}
	if (gsym_elf_load_extent(bytes, size, ELF_SYMBOLS, NULL, &inner,
				 &error)) {
		warn(file, s, error.message);
		free(bytes);
		return error.code != GSYM_ERR_MEMORY;
	}
	if (!gsym_container_own(inner, bytes)) {
		gsym_container_free(inner);
		free(bytes);
		return false;
	}
	if (gsym_container_alike(c, inner))
		return gsym_container_join_symbols(c, inner);
	warn(file, s, "the file in it is of another architecture");
	gsym_container_free(inner);
	return true;
}
