/* SPDX-License-Identifier: MIT */
/* A cache of the host's answers, and of the texts that were made of them. */
#include "config.h"

#include "markup/memo.h"

#include "base/hash.h"
#include "base/prefetch.h"

enum {
	FIRST_SLOTS = 1024,
	/* Entries start at multiples of a unit. */
	UNIT = 16,
	PLACE_BITS = 20,
};
/* The most bytes of all entries, of which a slot holds any place.  Pages of
 * memory that no entry has used yet cost nothing. */
#define MOST GSYM_LIMIT((unsigned)UNIT << PLACE_BITS, 4096)
/* The most bytes of an entry.  Longer entries are rare and would take room from
 * others. */
#define LONGEST GSYM_LIMIT(8192u, 128)
/* All entries are dropped when less room is left. */
#define LITTLE (16 * LONGEST)

/* An entry; its bytes follow. */
struct entry {
	_Alignas(8) const void *object;
	uint64_t number;
	uint32_t kind, size;
};

/* Keys come from the log.  Its author does not know the addresses of objects,
 * so that he cannot choose keys of one slot. */
static uint64_t hash_of(const void *object, uint64_t number, uint32_t kind)
{
	return gsym_hash_mix(gsym_hash_mix((uintptr_t)object + kind) ^ number);
}

static struct entry *entry_at(const struct gsym_mk_memo *memo,
			      gsym_mk_memo_place place)
{
	return (void *)(memo->bytes + (size_t)place * UNIT);
}

/* A slot has PLACE_BITS low bits for the place of an entry, and bits of the
 * hash of its key above. */
static uint32_t slot_value(uint64_t hash, gsym_mk_memo_place place)
{
	return (uint32_t)(hash >> 44) << PLACE_BITS | place;
}

/* ---- finding ------------------------------------------------------------ */

gsym_mk_memo_place gsym_mk_memo_find(const struct gsym_mk_memo *memo,
				     const struct gsym_mk_memo_key *key)
{
	const uint32_t place_mask = ((uint32_t)1 << PLACE_BITS) - 1;
	const uint64_t hash = hash_of(key->object, key->number, key->kind);
	const uint32_t wanted = slot_value(hash, 0);

	if (!memo->slot_count)
		return 0;
	for (size_t i = hash & (memo->slot_count - 1); memo->slots[i];
	     i = (i + 1) & (memo->slot_count - 1)) {
		uint32_t slot = memo->slots[i];

		/* Reading the entry costs a cache miss. */
		if ((slot & ~place_mask) != wanted)
			continue;
		const struct entry *e = entry_at(memo, slot & place_mask);

		if (e->object == key->object && e->number == key->number &&
		    e->kind == key->kind)
			return slot & place_mask;
	}
	return 0;
}

void *gsym_mk_memo_at(const struct gsym_mk_memo *memo, gsym_mk_memo_place place,
		      size_t *size)
{
	struct entry *e = entry_at(memo, place);

	*size = e->size;
	return e + 1;
}

void gsym_mk_memo_prefetch(const struct gsym_mk_memo *memo,
			   gsym_mk_memo_place place)
{
	if (place)
		gsym_prefetch_text(entry_at(memo, place));
}

/* ---- adding ------------------------------------------------------------- */

static void put_slot(struct gsym_mk_memo *memo, const struct entry *e)
{
	uint64_t hash = hash_of(e->object, e->number, e->kind);
	size_t i = hash & (memo->slot_count - 1);
	size_t place = (size_t)((const char *)e - memo->bytes) / UNIT;

	while (memo->slots[i])
		i = (i + 1) & (memo->slot_count - 1);
	memo->slots[i] = slot_value(hash, (gsym_mk_memo_place)place);
	memo->used++;
}

/* The bytes of an entry whose content has SIZE bytes. */
static size_t entry_size(size_t size)
{
	return (sizeof(struct entry) + size + UNIT - 1) / UNIT * UNIT;
}

/* Make sure that a quarter of the slots is free after one more is used; false
 * without memory. */
static bool grow(struct gsym_mk_memo *memo)
{
	size_t count = memo->slot_count ? 2 * memo->slot_count : FIRST_SLOTS;
	uint32_t *slots;

	if (memo->used < memo->slot_count / 4 * 3)
		return true;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return false;
	free(memo->slots);
	memo->slots = slots;
	memo->slot_count = count;
	memo->used = 0;
	for (size_t at = UNIT; at < memo->next;) {
		const struct entry *e = (void *)(memo->bytes + at);

		put_slot(memo, e);
		at += entry_size(e->size);
	}
	return true;
}

gsym_mk_memo_place gsym_mk_memo_add(struct gsym_mk_memo *memo,
				    const struct gsym_mk_memo_key *key,
				    const void *bytes, size_t size)
{
	size_t at;
	struct entry *e;

	if (!memo->bytes && (memo->bytes = malloc(MOST)))
		/* Place 0 is none. */
		memo->next = UNIT;
	if (!memo->bytes || size > LONGEST ||
	    entry_size(size) > MOST - memo->next || !grow(memo))
		return 0;
	at = memo->next;
	e = (void *)(memo->bytes + at);
	*e = (struct entry){ key->object, key->number, key->kind,
			     (uint32_t)size };
	if (size)
		memcpy(e + 1, bytes, size);
	memo->next += entry_size(size);
	put_slot(memo, e);
	return (gsym_mk_memo_place)(at / UNIT);
}

bool gsym_mk_memo_tidy(struct gsym_mk_memo *memo)
{
	if (memo->next <= MOST - LITTLE)
		return false;
	memset(memo->slots, 0, memo->slot_count * sizeof(*memo->slots));
	memo->used = 0;
	memo->next = UNIT;
	return true;
}

void gsym_mk_memo_fini(struct gsym_mk_memo *memo)
{
	free(memo->slots);
	free(memo->bytes);
	*memo = (struct gsym_mk_memo){ 0 };
}
