/* SPDX-License-Identifier: MIT */
/* elf/notes.c - the build ID of an ELF file in memory. */
#include "elf/elf_file.h"

#include "base/error.h"

#include <gsym/elf.h>

enum gsym_status gsym_elf_build_id(const uint8_t *elf, size_t elf_size,
				   const uint8_t **ret, size_t *ret_size,
				   struct gsym_error *error)
{
	struct elfview view;
	enum gsym_status status;

	if (!elf || !ret || !ret_size)
		return gsym_fail_argument(error);
	status = gsym_elf_read_header(elf, elf_size, &view, error);
	if (status == GSYM_OK && !gsym_elfview_build_id(&view, ret, ret_size))
		status = GSYM_NOT_FOUND;
	return status;
}
