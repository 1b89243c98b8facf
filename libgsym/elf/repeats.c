/* SPDX-License-Identifier: MIT */
/* A hash table of the symbols of the first symbol table. */
#include "elf/repeats.h"

#include "base/hash.h"
#include "base/pages.h"

#include <stdlib.h>

/* Slots that are tried for one symbol: in a hostile file all symbols may have
 * one address. */
enum { MOST_TRIES = 16 };

/* The hash has no secret: with a secret it would depend on the run which
 * symbols are found. */
static size_t first_slot(const struct elf_repeats *r, uint64_t value)
{
	return (size_t)gsym_hash_mix(value) & r->mask;
}

static void add(struct elf_repeats *r, uint64_t value, uint32_t number)
{
	size_t slot = first_slot(r, value);

	for (int i = 0; i < MOST_TRIES; i++, slot = (slot + 1) & r->mask)
		if (!r->slots[slot]) {
			r->slots[slot] = number;
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
	r->slots = gsym_pages_alloc(slots * sizeof(*r->slots));
	if (!r->slots)
		return;
	memset(r->slots, 0, slots * sizeof(*r->slots));
	r->mask = slots - 1;
	for (size_t i = 0; i < count; i++)
		if (container->symbols.items[i].section != SIZE_MAX)
			add(r, container->symbols.items[i].value,
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

bool gsym_elf_repeats_has(const struct elf_repeats *r,
			  const struct gsym_symbol *symbol)
{
	size_t slot;

	if (!r->slots || symbol->section == SIZE_MAX)
		return false;
	slot = first_slot(r, symbol->value);
	for (int i = 0; i < MOST_TRIES && r->slots[slot];
	     i++, slot = (slot + 1) & r->mask)
		if (is_same(symbol, &r->container->symbols
					     .items[r->slots[slot] - 1]))
			return true;
	return false;
}

void gsym_elf_repeats_prefetch(const struct elf_repeats *r, uint64_t value,
			       enum elf_repeats_step step)
{
	const struct gsym_symbol *symbol;
	const uint32_t *slot;

	if (!r->slots)
		return;
	slot = &r->slots[first_slot(r, value)];
	if (step == REPEATS_SLOT)
		__builtin_prefetch(slot);
	if (step == REPEATS_SLOT || !*slot)
		return;
	symbol = &r->container->symbols.items[*slot - 1];
	__builtin_prefetch(step == REPEATS_NAME ? symbol->name
						: (const void *)symbol);
}
