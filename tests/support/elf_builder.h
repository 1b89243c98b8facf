/* SPDX-License-Identifier: MIT */
/*
 * tests/support/elf_builder.h - builds an ELF file in memory, of either class
 * and byte order, sound or damaged.  Knows nothing of DWARF, and of the code
 * under test only base/emit.h.
 *
 *	struct elfb *b = elfb_new(64, false, ET_EXEC, EM_X86_64);
 *	size_t text = elfb_section(b, ".text", SHT_PROGBITS,
 *				   SHF_ALLOC | SHF_EXECINSTR, 0x1000,
 *				   NULL, 32);
 *	elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0, info, info_size);
 *	elfb_symbol(b, &(struct elfb_symbol){ .name = "main",
 *		.value = 0x1000, .size = 32, .type = STT_FUNC,
 *		.binding = STB_GLOBAL, .section = text });
 *	elfb_segment(b, PT_LOAD, 0x1000, text);
 *	uint8_t *bytes = elfb_finish(b, &size);
 *	...
 *	free(bytes);
 *	elfb_free(b);
 *
 * Sections have the numbers that elfb_section returns, from 1 on.  After the
 * caller's sections come .symtab and .strtab, .dynsym and .dynstr (if there
 * are symbols for them) and .shstrtab.  The file is: header, program
 * headers, the bytes of the sections in order, and at the very end the
 * section headers.  Without memory all functions abort.
 */
#ifndef GSYM_TESTS_ELF_BUILDER_H
#define GSYM_TESTS_ELF_BUILDER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfb;

/** BITS is 32 or 64; TYPE is ET_*, MACHINE EM_*. */
struct elfb *elfb_new(unsigned bits, bool big_endian, unsigned type,
		      unsigned machine);
void elfb_free(struct elfb *b);

/** A section with SIZE bytes, copied from DATA (NULL: zeros; none in the
 *  file if TYPE is SHT_NOBITS).  Returns its number. */
size_t elfb_section(struct elfb *b, const char *name, unsigned type,
		    uint64_t flags, uint64_t address, const void *data,
		    size_t size);

/** Set more header fields of section NUMBER.  Their defaults are 0, and 1 for
 *  ALIGN. */
void elfb_section_fields(struct elfb *b, size_t number, uint32_t link,
			 uint32_t info, uint64_t align, uint64_t entsize);

/** A section with SHF_COMPRESSED: a compression header of TYPE
 *  (ELFCOMPRESS_*) that promises CLAIMED bytes, then the SIZE bytes at DATA. */
size_t elfb_compressed(struct elfb *b, const char *name, uint64_t flags,
		       unsigned type, uint64_t claimed, const void *data,
		       size_t size);

/** A SHT_NOTE section with one note.  OWNER is written with its NUL. */
size_t elfb_note(struct elfb *b, const char *name, const char *owner,
		 uint32_t type, const void *desc, size_t size);

struct elfb_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	unsigned type;    /**< STT_* */
	unsigned binding; /**< STB_* */
	/** A section's number, or SHN_ABS and the like. */
	size_t section;
	bool dynamic; /**< in .dynsym instead of .symtab */
};

void elfb_symbol(struct elfb *b, const struct elfb_symbol *symbol);

/** A program header for the bytes of section NUMBER (0: for none). */
void elfb_segment(struct elfb *b, unsigned type, uint64_t address,
		  size_t number);

/** Use extended numbering, as files with more than 65,279 sections do: section
 *  numbers are in section header 0 and in .symtab_shndx. */
void elfb_extended_numbers(struct elfb *b);

/** The file, malloc'ed. */
uint8_t *elfb_finish(struct elfb *b, size_t *size);

/** After elfb_finish: the offsets of the bytes and of the header of section
 *  NUMBER. */
size_t elfb_offset(const struct elfb *b, size_t number);
size_t elfb_header_offset(const struct elfb *b, size_t number);
/** The number of the section NAME; 0 if there is none. */
size_t elfb_number(const struct elfb *b, const char *name);

/** Write SIZE bytes to a new temporary file.  The path is malloc'ed; the
 *  caller unlinks it. */
char *elfb_save(const void *bytes, size_t size);

#endif
