/* SPDX-License-Identifier: MIT */
/* Finds pieces of a PE file by offset, by address and by data directory. */
#include "pe/pe_file.h"

struct gsym_cursor gsym_pe_cursor(const struct pe_file *file, uint64_t offset)
{
	struct gsym_cursor c =
		gsym_cursor_init(file->bytes, file->size, GSYM_HOST_BIG_ENDIAN);

	gsym_cursor_seek(&c, offset);
	return c;
}

struct gsym_cursor gsym_pe_memory(const struct pe_file *file, uint64_t rva)
{
	uint64_t left = 0;
	const uint8_t *bytes = gsym_container_bytes(file->container,
						    file->base + rva, &left);

	return gsym_cursor_init(bytes, bytes ? (size_t)left : 0,
				GSYM_HOST_BIG_ENDIAN);
}

struct pe_directory gsym_pe_directory(const struct pe_file *file,
				      unsigned number)
{
	/* Offset of the number of data directories; the directories follow
	 * it. */
	unsigned place = file->container->address_size == 8 ? 108 : 92;
	struct gsym_cursor c =
		gsym_pe_cursor(file, file->optional + place);
	struct pe_directory d = { 0 };

	if (file->optional_size < place + 4 + 8 * (number + 1) ||
	    gsym_cursor_u32(&c) <= number)
		return d;
	gsym_cursor_skip(&c, 8 * (uint64_t)number);
	d.rva = gsym_cursor_u32(&c);
	d.size = gsym_cursor_u32(&c);
	if (c.failed || !d.rva)
		d.size = 0;
	return d;
}
