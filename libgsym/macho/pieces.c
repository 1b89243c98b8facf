/* SPDX-License-Identifier: MIT */
/* Reads the pieces of a file that load commands name, and entries of the symbol
 * table. */
#include "macho/macho_file.h"

#include <inttypes.h>

struct gsym_cursor gsym_macho_piece(const struct macho_file *file,
				    struct macho_piece piece, size_t size,
				    const char *name)
{
	uint64_t bytes = (uint64_t)piece.count * size;

	if (piece.offset > file->size || bytes > file->size - piece.offset) {
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "%s: 0x%" PRIx64
				    " bytes at 0x%x reach beyond the end of "
				    "the file",
				    name, bytes, piece.offset);
		return gsym_cursor_init(NULL, 0, file->swap);
	}
	return gsym_cursor_init(file->bytes + piece.offset, (size_t)bytes,
				file->swap);
}

struct macho_symbol gsym_macho_symbol(const struct macho_symbols *symbols,
				      size_t number)
{
	struct gsym_cursor c = symbols->table;
	struct macho_symbol s = { 0 };
	uint32_t name;

	gsym_cursor_seek(&c, (uint64_t)number * (symbols->wide ? 16 : 12));
	name = gsym_cursor_u32(&c);
	s.type = gsym_cursor_u8(&c);
	s.section = gsym_cursor_u8(&c);
	s.description = gsym_cursor_u16(&c);
	s.value = gsym_cursor_uint(&c, symbols->wide ? 8 : 4);
	if (!c.failed && name < symbols->limit)
		s.name = (const char *)symbols->strings.start + name;
	return s;
}
