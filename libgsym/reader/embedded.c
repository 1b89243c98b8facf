/* SPDX-License-Identifier: MIT */
#include "reader/embedded.h"

#include "base/cursor.h"
#include "base/error.h"

#include <inttypes.h>

/* The few constants of the System V ABI that we need; <elf.h> is not
 * everywhere. */
enum {
	ELF_CLASS_64 = 2,
	ELF_DATA_LITTLE = 1,
	ELF_DATA_BIG = 2,
	ELF_NOBITS = 8,
	ELF_COMPRESSED = 0x800,
	ELF_INDEX_EXTENDED = 0xffff,
};

struct elf {
	const uint8_t *data;
	uint64_t size;
	bool swap;
	/* Bytes of an address or offset. */
	unsigned word;
	/* The section headers. */
	uint64_t table;
	uint64_t count;
	unsigned entry_size;
	uint32_t names;
};

struct section {
	uint32_t name;
	uint32_t type;
	uint64_t flags;
	struct gsym_extent extent;
	uint32_t link;
};

/* INDEX is below the count, or 0 where the table is known to have room. */
static struct section read_section(const struct elf *elf, uint64_t index)
{
	uint64_t at = elf->table + index * elf->entry_size;
	struct gsym_cursor c = gsym_cursor_init(elf->data + at,
						elf->entry_size, elf->swap);
	struct section s = { 0 };

	s.name = gsym_cursor_u32(&c);
	s.type = gsym_cursor_u32(&c);
	s.flags = gsym_cursor_uint(&c, elf->word);
	gsym_cursor_skip(&c, elf->word);
	s.extent.offset = gsym_cursor_uint(&c, elf->word);
	s.extent.size = gsym_cursor_uint(&c, elf->word);
	s.link = gsym_cursor_u32(&c);
	return s;
}

/* Read the ELF header; false if there is none, or no section table that
 * lies within the file. */
static bool read_header(const uint8_t *data, uint64_t size, struct elf *elf)
{
	struct gsym_cursor c;
	struct section first;
	uint64_t room;

	if (size < 16 || memcmp(data, "\177ELF", 4) != 0 ||
	    data[4] < 1 || data[4] > ELF_CLASS_64 ||
	    data[5] < ELF_DATA_LITTLE || data[5] > ELF_DATA_BIG)
		return false;
	elf->data = data;
	elf->size = size;
	elf->swap = (data[5] == ELF_DATA_BIG) != GSYM_HOST_BIG_ENDIAN;
	elf->word = data[4] == ELF_CLASS_64 ? 8 : 4;
	c = gsym_cursor_init(data, (size_t)size, elf->swap);
	/* Type, machine, version, entry, program headers. */
	gsym_cursor_skip(&c, 16 + 2 + 2 + 4 + 2 * elf->word);
	elf->table = gsym_cursor_uint(&c, elf->word);
	/* Flags, header size, the size and number of program headers. */
	gsym_cursor_skip(&c, 4 + 2 + 2 + 2);
	elf->entry_size = gsym_cursor_u16(&c);
	elf->count = gsym_cursor_u16(&c);
	elf->names = gsym_cursor_u16(&c);
	if (c.failed || !elf->table || elf->table > size ||
	    elf->entry_size < 16 + 6 * elf->word)
		return false;
	room = (size - elf->table) / elf->entry_size;
	if (!room)
		return false;
	/* Numbers that do not fit stand in the otherwise unused first
	 * section header. */
	first = read_section(elf, 0);
	if (!elf->count)
		elf->count = first.extent.size;
	if (elf->names == ELF_INDEX_EXTENDED)
		elf->names = first.link;
	if (elf->count > room)
		elf->count = room;
	return true;
}

/* Whether the name at OFFSET of the names is ".gsym". */
static bool has_name(const struct elf *elf, const struct gsym_extent *names,
		     uint32_t offset)
{
	static const char wanted[] = ".gsym";

	return offset < names->size &&
	       names->size - offset >= sizeof(wanted) &&
	       !memcmp(elf->data + names->offset + offset, wanted,
		       sizeof(wanted));
}

static bool inside(const struct elf *elf, const struct gsym_extent *e)
{
	return e->offset <= elf->size && e->size <= elf->size - e->offset;
}

enum gsym_status gsym_embedded_find(const uint8_t *data, uint64_t size,
				    struct gsym_extent *ret,
				    struct gsym_error *error)
{
	struct section names;
	struct elf elf;

	if (!read_header(data, size, &elf))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "neither gsym data nor an elf file with "
				 "sections");
	if (elf.names >= elf.count)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "elf file has no section names");
	names = read_section(&elf, elf.names);
	if (names.type == ELF_NOBITS || !inside(&elf, &names.extent))
		return gsym_fail(error, GSYM_ERR_CORRUPT, elf.table,
				 "elf section names reach beyond the file");
	for (uint64_t i = 0; i < elf.count; i++) {
		struct section s = read_section(&elf, i);
		uint64_t at = elf.table + i * elf.entry_size;

		if (s.type == ELF_NOBITS ||
		    !has_name(&elf, &names.extent, s.name))
			continue;
		if (!inside(&elf, &s.extent))
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "elf section .gsym at offset 0x%" PRIx64
					 " reaches beyond the file",
					 s.extent.offset);
		if (s.flags & ELF_COMPRESSED)
			return gsym_fail(error, GSYM_ERR_UNSUPPORTED, at,
					 "elf section .gsym is compressed");
		*ret = s.extent;
		return GSYM_OK;
	}
	return gsym_fail(error, GSYM_ERR_FORMAT, 0,
			 "elf file has no section .gsym");
}
