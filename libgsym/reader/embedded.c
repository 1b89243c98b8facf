/* SPDX-License-Identifier: MIT */
/* Finds the section ".gsym" in an ELF file. */
#include "reader/embedded.h"

#include "base/error.h"
#include "elfview/elfview.h"

#include <inttypes.h>

enum gsym_status gsym_embedded_find(const uint8_t *data, uint64_t size,
				    struct gsym_extent *ret,
				    struct gsym_error *error)
{
	struct elfview_strings strings;
	struct elfview_section names;
	struct elfview elf;

	if (gsym_elfview_open(data, (size_t)size, &elf, NULL) != GSYM_OK ||
	    !elf.section_count)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "neither gsym data nor an elf file with "
				 "sections");
	if (!elf.names || elf.names >= elf.section_count)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "elf file has no section names");
	names = gsym_elfview_section(&elf, elf.names);
	if (!elfview_in_file(&elf, &names))
		return gsym_fail(error, GSYM_ERR_CORRUPT, elf.section_table,
				 "elf section names reach beyond the file");
	strings = gsym_elfview_strings(data + names.offset, names.size);
	for (uint64_t i = 1; i < elf.section_count; i++) {
		struct elfview_section s = gsym_elfview_section(&elf, i);
		uint64_t at = elf.section_table + i * elf.section_stride;
		const char *name = elfview_string(&strings, s.name);

		if (!elfview_has_bytes(&s) || !name ||
		    strcmp(name, ".gsym") != 0)
			continue;
		if (!elfview_in_file(&elf, &s))
			return gsym_fail(
				error, GSYM_ERR_CORRUPT, at,
				"elf section .gsym at offset 0x%" PRIx64
				" reaches beyond the file",
				s.offset);
		if (s.flags & ELFVIEW_COMPRESSED)
			return gsym_fail(error, GSYM_ERR_UNSUPPORTED, at,
					 "elf section .gsym is compressed");
		*ret = (struct gsym_extent){ .offset = s.offset,
					     .size = s.size };
		return GSYM_OK;
	}
	return gsym_fail(error, GSYM_ERR_FORMAT, 0,
			 "elf file has no section .gsym");
}
