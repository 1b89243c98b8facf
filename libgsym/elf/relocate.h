/* SPDX-License-Identifier: MIT */
/*
 * elf/relocate.h - the relocations of a relocatable object's debug
 * sections.  Knows where symbols lie and how the types of each machine
 * change a place; never what the bytes mean.
 *
 * One relocator serves a file.  It is made on one thread, before the first
 * section is relocated; sections are then relocated on any threads.
 */
#ifndef GSYM_ELF_RELOCATE_H
#define GSYM_ELF_RELOCATE_H

#include "elf/elf_file.h"

enum elf_relocation_action {
	ELF_RELOC_UNKNOWN,
	ELF_RELOC_NONE,     /**< changes nothing (that we read) */
	ELF_RELOC_ABSOLUTE, /**< symbol + addend */
	ELF_RELOC_RELATIVE, /**< symbol + addend - place */
	ELF_RELOC_ADD,      /**< what is there + symbol + addend */
	ELF_RELOC_SUBTRACT, /**< what is there - symbol - addend */
};

enum {
	/** Widths that are no number of bytes. */
	ELF_WIDTH_6_BITS = 6,
	ELF_WIDTH_ULEB = 0,
	/** Types below it have an entry of their own. */
	ELF_RELOC_TYPES = 1040,
};

struct elf_relocation_kind {
	uint8_t action;
	uint8_t width; /**< 1, 2, 4, 8, or one of the above */
};

/** Fill KINDS (zeros before), ELF_RELOC_TYPES of them, for MACHINE. */
void gsym_elf_relocation_kinds(unsigned machine,
			       struct elf_relocation_kind *kinds);

/** A section of relocations. */
struct elf_relocation_table {
	size_t target;        /**< the section that it changes */
	const uint8_t *bytes; /**< the entries */
	size_t count;
	size_t size;    /**< of BYTES, if COMPACT */
	bool compact;   /**< differences, behind a header (SHT_CREL) */
	bool addends;   /**< in the entries, not in the places */
	uint32_t next;  /**< of the same target, + 1; 0: none */
};

struct elf_relocator {
	bool swap;
	bool wide;
	/** 64-bit little-endian MIPS has its own order of a symbol's number
	 *  and type. */
	bool mips64el;
	struct { GSYM_VEC(struct elf_relocation_table); } tables;
	/** By section: its first table, + 1; NULL without tables. */
	uint32_t *first;
	/** Where the symbols of .symtab lie. */
	uint64_t *symbols;
	size_t symbol_count;
	struct elf_relocation_kind kinds[ELF_RELOC_TYPES];
};

/** What was wrong with the relocations of a section. */
struct elf_relocation_problems {
	struct elf_relocation_problem {
		uint64_t count;
		/** The first one: its place and its type or symbol. */
		uint64_t place;
		uint64_t value;
	} types, symbols, places;
};

/** Find the tables that change debug sections; false without memory. */
bool gsym_elf_relocator_init(struct elf_relocator *r, struct elf_file *file);
void gsym_elf_relocator_fini(struct elf_relocator *r);

/** Learn where the symbols are, once sections have their places; false
 *  without memory. */
bool gsym_elf_relocator_learn(struct elf_relocator *r, struct elf_file *file);

/** Whether there are relocations for section NUMBER. */
static inline bool gsym_elf_is_relocated(const struct elf_relocator *r,
					 size_t number)
{
	return r->first && r->first[number];
}

/** Apply the relocations of section NUMBER, which lies at ADDRESS, to its
 *  SIZE bytes at BYTES.  What cannot be applied leaves its place as it is,
 *  and is counted in PROBLEMS. */
void gsym_elf_relocate(const struct elf_relocator *r, size_t number,
		       uint64_t address, uint8_t *bytes, size_t size,
		       struct elf_relocation_problems *problems);

/** Note PROBLEMS of section NUMBER as warnings. */
void gsym_elf_warn_relocations(struct gsym_container *container, size_t number,
			       const struct elf_relocation_problems *problems);

#endif
