/* SPDX-License-Identifier: MIT */
/* A hash table of the symbols of the first symbol table. */
#include "elf/repeats.h"

#include "base/hash.h"
#include "base/pages.h"
#include "base/prefetch.h"

#include <stdlib.h>

/* Slots that are tried for one symbol: in a hostile file all symbols may have
 * one address. */
enum { MOST_TRIES = 16 };

/* The hash has no secret: with a secret it would depend on the run which
 * symbols are found. */
uint64_t gsym_elf_repeats_hash(uint64_t value)
{
	return gsym_hash_mix(value);
}

/* The upper bits of the slot of a symbol with HASH. */
static uint32_t slot_tag(const struct elf_repeats *r, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & ~r->number_mask;
}

static void add(struct elf_repeats *r, uint64_t hash, uint32_t number)
{
	size_t slot = hash & r->mask;

	for (int i = 0; i < MOST_TRIES; i++, slot = (slot + 1) & r->mask)
		if (!r->slots[slot]) {
			r->slots[slot] = slot_tag(r, hash) | number;
			return;
		}
}

void gsym_elf_repeats_init(struct elf_repeats *r,
			   const struct gsym_container *container)
{
	size_t count = container->symbols.count, slots = 64;

	*r = (struct elf_repeats){ .container = container };
	if (!count || count >= UINT32_MAX / 4)
		return;
	while (slots < 2 * count)
		slots *= 2;
	/* Numbers are at most COUNT, which is at most half of SLOTS. */
	r->number_mask = (uint32_t)(slots - 1);
	r->slots = gsym_pages_alloc(slots * sizeof(*r->slots));
	if (!r->slots)
		return;
	memset(r->slots, 0, slots * sizeof(*r->slots));
	r->mask = slots - 1;
	for (size_t i = 0; i < count; i++)
		if (container->symbols.items[i].section != SIZE_MAX)
			add(r,
			    gsym_elf_repeats_hash(
				    container->symbols.items[i].value),
			    (uint32_t)i + 1);
}

void gsym_elf_repeats_fini(struct elf_repeats *r)
{
	free(r->slots);
	r->slots = NULL;
}

static bool is_same(const struct gsym_symbol *a, const struct gsym_symbol *b)
{
	return a->value == b->value && a->size == b->size &&
	       a->limit == b->limit && a->section == b->section &&
	       a->type == b->type && a->binding == b->binding &&
	       !strcmp(a->name, b->name);
}

/* The first symbol in a slot from *SLOT on that may have the address of HASH,
 * among the first *TRIES slots; NULL if there is none.  *SLOT and *TRIES become
 * those of a search for the next one. */
static const struct gsym_symbol *find(const struct elf_repeats *r,
				      uint64_t hash, size_t *slot, int *tries)
{
	uint32_t tag = slot_tag(r, hash), entry;

	for (; *tries && (entry = r->slots[*slot]) != 0; --*tries) {
		*slot = (*slot + 1) & r->mask;
		if ((entry & ~r->number_mask) == tag) {
			--*tries;
			return &r->container->symbols
					.items[(entry & r->number_mask) - 1];
		}
	}
	return NULL;
}

bool gsym_elf_repeats_has(const struct elf_repeats *r,
			  const struct gsym_symbol *symbol)
{
	uint64_t hash = gsym_elf_repeats_hash(symbol->value);
	const struct gsym_symbol *found;
	int tries = MOST_TRIES;
	size_t slot = hash & r->mask;

	if (!r->slots || symbol->section == SIZE_MAX)
		return false;
	while ((found = find(r, hash, &slot, &tries)) != NULL)
		if (is_same(symbol, found))
			return true;
	return false;
}

void gsym_elf_repeats_prefetch(const struct elf_repeats *r, uint64_t hash,
			       enum elf_repeats_step step)
{
	const struct gsym_symbol *symbol;
	int tries = MOST_TRIES;
	size_t slot = hash & r->mask;

	if (!r->slots)
		return;
	if (step == REPEATS_SLOT) {
		__builtin_prefetch(&r->slots[slot]);
		return;
	}
	symbol = find(r, hash, &slot, &tries);
	if (!symbol)
		return;
	if (step == REPEATS_NAME)
		gsym_prefetch_text(symbol->name);
	else
		gsym_prefetch_object(symbol, sizeof(*symbol));
}
