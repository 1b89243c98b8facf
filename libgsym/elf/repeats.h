/* SPDX-License-Identifier: MIT */
/*
 * elf/repeats.h - finds the symbols of a second symbol table that the first one
 * has, too.  As a rule every symbol of .dynsym is in .symtab; such a symbol
 * would cost memory and time again, and change nothing.
 */
#ifndef GSYM_ELF_REPEATS_H
#define GSYM_ELF_REPEATS_H

#include "container/container.h"

/** The symbols of CONTAINER at the time of gsym_elf_repeats_init, by
 *  address. */
struct elf_repeats {
	const struct gsym_container *container;
	/** Hash table; 0: a free slot.  The bits of NUMBER_MASK are the index
	 *  of the symbol + 1.  The other bits are those of the hash of its
	 *  address: a symbol whose bits differ need not be read.  NULL: there
	 *  is no table, and no symbol is repeated. */
	uint32_t *slots;
	size_t mask;
	uint32_t number_mask;
};

/** Fill R with the symbols of CONTAINER.  Without memory R stays empty. */
void gsym_elf_repeats_init(struct elf_repeats *r,
			   const struct gsym_container *container);
void gsym_elf_repeats_fini(struct elf_repeats *r);

/** Whether R has a symbol that is equal to SYMBOL in everything.  If very many
 *  symbols have one address, R knows only some of them. */
bool gsym_elf_repeats_has(const struct elf_repeats *r,
			  const struct gsym_symbol *symbol);

/** What gsym_elf_repeats_has reads for a symbol, in this order. */
enum elf_repeats_step {
	REPEATS_SLOT,	/**< the slot of the symbol's address */
	REPEATS_SYMBOL, /**< the symbol in that slot */
	REPEATS_NAME,	/**< the name of that symbol */
};

/** The hash of a symbol at the address VALUE. */
uint64_t gsym_elf_repeats_hash(uint64_t value);

/** Prefetch STEP of R for a symbol whose address has HASH.  The steps before
 *  have to be in the cache. */
void gsym_elf_repeats_prefetch(const struct elf_repeats *r, uint64_t hash,
			       enum elf_repeats_step step);

#endif
