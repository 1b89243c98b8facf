/* SPDX-License-Identifier: MIT */
/*
 * elf/relocate.h - the relocations of a relocatable object's debug sections.
 * Knows where symbols lie and how each relocation type of each machine changes
 * a place; knows nothing of the content of sections.
 *
 * One relocator serves a file.  It is made on one thread, before the first
 * section is relocated; then any threads may relocate sections.
 */
#ifndef GSYM_ELF_RELOCATE_H
#define GSYM_ELF_RELOCATE_H

#include "elf/elf_file.h"

enum elf_relocation_action {
	ELF_RELOC_UNKNOWN,
	ELF_RELOC_NONE,	    /**< changes nothing in debug sections */
	ELF_RELOC_ABSOLUTE, /**< symbol + addend */
	ELF_RELOC_RELATIVE, /**< symbol + addend - address of the place */
	ELF_RELOC_ADD,	    /**< old value + symbol + addend */
	ELF_RELOC_SUBTRACT, /**< old value - symbol - addend */
};

enum {
	/** Widths of a place that are no number of bytes. */
	ELF_WIDTH_6_BITS = 6,
	ELF_WIDTH_ULEB = 0,
	/** Types from here on are unknown. */
	ELF_RELOC_TYPES = 1040,
};

struct elf_relocation_kind {
	uint8_t action; /**< enum elf_relocation_action */
	uint8_t width;	/**< of the place: 1, 2, 4 or 8 bytes, or ELF_WIDTH_* */
};

/** Fill the ELF_RELOC_TYPES entries of KINDS, which are zeros before, for
 *  MACHINE (EM_*). */
void gsym_elf_relocation_kinds(unsigned machine,
			       struct elf_relocation_kind *kinds);

/** A section of relocations. */
struct elf_relocation_table {
	size_t target; /**< number of the section to relocate */
	const uint8_t *bytes;
	size_t count;  /**< entries, unless COMPACT */
	size_t size;   /**< of BYTES, if COMPACT */
	bool compact;  /**< of type SHT_CREL: a header, then differences */
	bool addends;  /**< entries have addends; else the places have them */
	uint32_t next; /**< next table for TARGET, + 1; 0: none */
};

struct elf_relocator {
	bool swap;
	bool wide;
	/** 64-bit little-endian MIPS: symbol number and type have an order of
	 *  their own. */
	bool mips64el;
	struct {
		GSYM_VEC(struct elf_relocation_table);
	} tables;
	/** For each section its first table, + 1; 0: none.  NULL if there are
	 *  no tables. */
	uint32_t *first;
	/** Addresses of the symbols of .symtab, by number. */
	uint64_t *symbols;
	size_t symbol_count;
	struct elf_relocation_kind kinds[ELF_RELOC_TYPES];
};

/** Relocations of one section that could not be applied. */
struct elf_relocation_problems {
	struct elf_relocation_problem {
		uint64_t count;
		/** The place of the first such relocation, and its type or the
		 *  number of its symbol. */
		uint64_t place;
		uint64_t value;
	} types, symbols, places;
};

/** Find the tables that relocate debug sections of FILE.  Tables that cannot be
 *  used are noted as warnings.  False without memory. */
bool gsym_elf_relocator_init(struct elf_relocator *r, struct elf_file *file);
void gsym_elf_relocator_fini(struct elf_relocator *r);

/** Compute the symbols' addresses, once FILE's sections have theirs; false
 *  without memory. */
bool gsym_elf_relocator_learn(struct elf_relocator *r,
			      const struct elf_file *file);

/** Whether there are relocations for section NUMBER. */
static inline bool elf_is_relocated(const struct elf_relocator *r,
				    size_t number)
{
	return r->first && r->first[number];
}

/** Apply the relocations of section NUMBER, whose address is ADDRESS, to its
 *  SIZE bytes at BYTES.  A relocation that cannot be applied leaves its place
 *  unchanged, and is counted in PROBLEMS. */
void gsym_elf_relocate(const struct elf_relocator *r, size_t number,
		       uint64_t address, uint8_t *bytes, size_t size,
		       struct elf_relocation_problems *problems);

/** Note PROBLEMS of section NUMBER as warnings. */
void gsym_elf_warn_relocations(struct gsym_container *container, size_t number,
			       const struct elf_relocation_problems *problems);

#endif
