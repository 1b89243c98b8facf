/* SPDX-License-Identifier: MIT */
/* The file header, field by field: libelf is handed a file only after both
 * header tables are known to lie inside it. */
#include "base/error.h"
#include "elf/elf_file.h"

#include <stdio.h>


/* Where the file header is at fault, by the offset of the field. */
static enum gsym_status bad_header(struct gsym_error *error,
				   enum gsym_status code, uint64_t offset,
				   const char *what, uint64_t value)
{
	return gsym_fail(error, code, offset, "elf header: %s is %llu", what,
			 (unsigned long long)value);
}

static enum gsym_status read_ident(const uint8_t *bytes, size_t size,
				   struct elf_header *h,
				   struct gsym_error *error)
{
	if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0, "no elf file");
	if (size < EI_NIDENT)
		return gsym_fail(error, GSYM_ERR_CORRUPT, size,
				 "elf header: the file ends in it, at 0x%zx",
				 size);
	if (bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64)
		return bad_header(error, GSYM_ERR_UNSUPPORTED, EI_CLASS,
				  "the class", bytes[EI_CLASS]);
	if (bytes[EI_DATA] != ELFDATA2LSB && bytes[EI_DATA] != ELFDATA2MSB)
		return bad_header(error, GSYM_ERR_UNSUPPORTED, EI_DATA,
				  "the byte order", bytes[EI_DATA]);
	if (bytes[EI_VERSION] != EV_CURRENT)
		return bad_header(error, GSYM_ERR_UNSUPPORTED, EI_VERSION,
				  "the version", bytes[EI_VERSION]);
	h->wide = bytes[EI_CLASS] == ELFCLASS64;
	h->swap = (bytes[EI_DATA] == ELFDATA2MSB) != GSYM_HOST_BIG_ENDIAN;
	return GSYM_OK;
}

/* A header table of COUNT entries, each of SIZE bytes, as it should be. */
static enum gsym_status check_table(const char *what, uint64_t offset,
				    uint64_t count, unsigned size,
				    unsigned expected, size_t file_size,
				    struct gsym_error *error)
{
	if (count && size != expected)
		return gsym_fail(error, GSYM_ERR_CORRUPT, offset,
				 "%s: an entry has %u bytes instead of %u",
				 what, size, expected);
	/* libelf counts in int. */
	if (offset > file_size || count > INT32_MAX ||
	    count > (file_size - offset) / expected)
		return gsym_fail(error, GSYM_ERR_CORRUPT, offset,
				 "%s: %llu at 0x%llx reach beyond the end of "
				 "the file", what, (unsigned long long)count,
				 (unsigned long long)offset);
	return GSYM_OK;
}

/* Section 0 has the numbers that the header has no room for; false if it is
 * not there. */
static bool read_long_numbers(struct gsym_cursor c, struct elf_header *h,
			      uint64_t *sections, uint64_t *names,
			      uint64_t *segments)
{
	unsigned word = h->wide ? 8 : 4;
	uint64_t size;
	uint32_t link;
	uint32_t info;

	if (*sections && *names != SHN_XINDEX && *segments != PN_XNUM)
		return true;
	gsym_cursor_seek(&c, h->section_table);
	gsym_cursor_skip(&c, 8 + 3 * word);
	size = gsym_cursor_uint(&c, word);
	link = gsym_cursor_u32(&c);
	info = gsym_cursor_u32(&c);
	if (!*sections)
		*sections = size;
	if (*names == SHN_XINDEX)
		*names = link;
	if (*segments == PN_XNUM)
		*segments = info;
	return !c.failed;
}

enum gsym_status gsym_elf_read_header(const uint8_t *bytes, size_t size,
				 struct elf_header *h, struct gsym_error *error)
{
	enum gsym_status status = read_ident(bytes, size, h, error);
	struct gsym_cursor c;
	unsigned word = h->wide ? 8 : 4;
	unsigned segment_size;
	unsigned section_size;
	uint64_t segments;
	uint64_t sections;
	uint64_t names;

	if (status != GSYM_OK)
		return status;
	c = gsym_cursor_init(bytes, size, h->swap);
	gsym_cursor_skip(&c, EI_NIDENT);
	h->type = gsym_cursor_u16(&c);
	h->machine = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 4);
	h->entry = gsym_cursor_uint(&c, word);
	h->segment_table = gsym_cursor_uint(&c, word);
	h->section_table = gsym_cursor_uint(&c, word);
	gsym_cursor_skip(&c, 6);
	segment_size = gsym_cursor_u16(&c);
	segments = gsym_cursor_u16(&c);
	section_size = gsym_cursor_u16(&c);
	sections = gsym_cursor_u16(&c);
	names = gsym_cursor_u16(&c);
	if (c.failed)
		return gsym_fail(error, GSYM_ERR_CORRUPT, size,
				 "elf header: the file ends in it, at 0x%zx",
				 size);
	if (h->type != ET_EXEC && h->type != ET_DYN && h->type != ET_REL)
		return bad_header(error, GSYM_ERR_UNSUPPORTED, EI_NIDENT,
				  "the file type", h->type);
	if (!h->section_table)
		sections = 0;
	else if (!read_long_numbers(c, h, &sections, &names, &segments))
		return gsym_fail(error, GSYM_ERR_CORRUPT, h->section_table,
				 "section headers: the first one, at 0x%llx, "
				 "lies beyond the end of the file",
				 (unsigned long long)h->section_table);
	if (!h->segment_table)
		segments = 0;
	status = check_table("section headers", h->section_table, sections,
			     section_size, h->wide ? 64 : 40, size, error);
	if (status == GSYM_OK)
		status = check_table("program headers", h->segment_table,
				     segments, segment_size, h->wide ? 56 : 32,
				     size, error);
	h->section_count = (size_t)sections;
	h->segment_count = (size_t)segments;
	h->names = names < sections ? (size_t)names : 0;
	return status;
}

static const char *architecture_name(const struct elf_header *h)
{
	bool big = h->swap != GSYM_HOST_BIG_ENDIAN;

	switch (h->machine) {
	case EM_386:
		return "i386";
	case EM_X86_64:
		return "x86_64";
	case EM_ARM:
		return big ? "armeb" : "arm";
	case EM_AARCH64:
		return big ? "aarch64_be" : "aarch64";
	case EM_S390:
		return h->wide ? "s390x" : "s390";
	case EM_PPC:
		return big ? "powerpc" : "powerpcle";
	case EM_PPC64:
		return big ? "powerpc64" : "powerpc64le";
	case EM_RISCV:
		return h->wide ? "riscv64" : "riscv32";
	case EM_MIPS:
		if (h->wide)
			return big ? "mips64" : "mips64el";
		return big ? "mips" : "mipsel";
	}
	return NULL;
}

bool gsym_elf_header_for(const char *architecture, struct elf_header *ret)
{
	static const struct {
		uint16_t machine;
		bool wide, big;
	} known[] = {
		{ EM_386, false, false },    { EM_X86_64, true, false },
		{ EM_ARM, false, false },    { EM_ARM, false, true },
		{ EM_AARCH64, true, false }, { EM_AARCH64, true, true },
		{ EM_S390, true, true },     { EM_S390, false, true },
		{ EM_PPC, false, true },     { EM_PPC, false, false },
		{ EM_PPC64, true, true },    { EM_PPC64, true, false },
		{ EM_RISCV, true, false },   { EM_RISCV, false, false },
		{ EM_MIPS, true, true },     { EM_MIPS, true, false },
		{ EM_MIPS, false, true },    { EM_MIPS, false, false },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*ret = (struct elf_header){
			.wide = known[i].wide,
			.swap = known[i].big != GSYM_HOST_BIG_ENDIAN,
			.type = ET_DYN,
			.machine = known[i].machine,
		};
		if (!strcmp(architecture_name(ret), architecture))
			return true;
	}
	return false;
}

void gsym_elf_architecture(const struct elf_header *h, char *ret, size_t size)
{
	const char *name = architecture_name(h);

	if (name)
		snprintf(ret, size, "%s", name);
	else
		snprintf(ret, size, "machine %u", h->machine);
}
