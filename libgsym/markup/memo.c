/* SPDX-License-Identifier: MIT */
/* A cache of the host's answers, and of the texts that were made of them. */
#include "markup/memo.h"

enum {
	/* Log2 of the buckets, each of which has WAYS slots. */
	BUCKET_BITS = 14,
	WAYS = 8,
	/* When the entries have this many bytes, all are dropped.  Pages of
	 * memory that no entry has used yet cost nothing. */
	MOST = 16 << 20,
	/* The most bytes of an entry.  Longer entries are rare and would take
	 * room from others. */
	LONGEST = 8192,
	/* Entries start at multiples of a unit. */
	UNIT = 16,
	START_BITS = 20,
};
_Static_assert(MOST / UNIT <= 1 << START_BITS, "a slot holds any start");

/* An entry; its bytes follow. */
struct entry {
	struct gsym_mk_memo_key key;
	size_t size;
};

struct gsym_mk_memo {
	/** A slot has START_BITS low bits for the start of an entry, in units,
	 *  and bits of the hash of its key above.  Slots of newer entries are
	 *  first; free ones, which are 0, are last. */
	uint32_t slots[1 << BUCKET_BITS][WAYS];
	/** Where the next entry starts in BYTES; never 0. */
	size_t next;
	_Alignas(UNIT) char bytes[MOST];
};

static uint64_t hash_of(const struct gsym_mk_memo_key *key)
{
	const uint64_t factor = 0x9e3779b97f4a7c15u;
	uint64_t object = (uintptr_t)key->object + (uint64_t)key->kind;

	return (object * factor ^ key->number) * factor;
}

static size_t bucket_of(uint64_t hash)
{
	return hash >> (64 - BUCKET_BITS);
}

static uint32_t slot_value(uint64_t hash, size_t start)
{
	return (uint32_t)(hash >> 20) << START_BITS | (uint32_t)(start / UNIT);
}

/* The next entry of the bucket SLOTS whose key may have HASH, from slot *I on;
 * NULL if there is none.  Reading the entry costs a cache miss. */
static const struct entry *next_entry(const struct gsym_mk_memo *memo,
				      const uint32_t *slots, uint64_t hash,
				      int *i)
{
	const uint32_t start_bits = ((uint32_t)1 << START_BITS) - 1;

	while (*i < WAYS && slots[*i]) {
		uint32_t slot = slots[(*i)++];
		size_t start = (size_t)(slot & start_bits) * UNIT;

		if (!((slot ^ slot_value(hash, 0)) & ~start_bits))
			return (const void *)(memo->bytes + start);
	}
	return NULL;
}

bool gsym_mk_memo_find(const struct gsym_mk_memo *memo,
		       const struct gsym_mk_memo_key *key,
		       struct gsym_mk_slice *ret)
{
	const uint64_t hash = hash_of(key);
	const struct entry *e;
	int i = 0;

	if (!memo)
		return false;
	while ((e = next_entry(memo, memo->slots[bucket_of(hash)], hash, &i)))
		if (e->key.object == key->object &&
		    e->key.number == key->number && e->key.kind == key->kind) {
			*ret = (struct gsym_mk_slice){ (const char *)(e + 1),
						       e->size };
			return true;
		}
	return false;
}

void gsym_mk_memo_prefetch(const struct gsym_mk_memo *memo,
			   const struct gsym_mk_memo_key *keys, size_t count)
{
	for (size_t i = 0; memo && i < count; i++)
		__builtin_prefetch(memo->slots[bucket_of(hash_of(&keys[i]))]);
	for (size_t i = 0; memo && i < count; i++) {
		uint64_t hash = hash_of(&keys[i]);
		int slot = 0;

		__builtin_prefetch(next_entry(
			memo, memo->slots[bucket_of(hash)], hash, &slot));
	}
}

void gsym_mk_memo_add(struct gsym_mk_memo **made,
		      const struct gsym_mk_memo_key *key,
		      struct gsym_mk_slice bytes)
{
	struct gsym_mk_memo *memo = *made;
	const struct entry entry = { .key = *key, .size = bytes.size };
	uint64_t hash = hash_of(key);

	if (bytes.size > LONGEST)
		return;
	if (!memo) {
		memo = *made = calloc(1, sizeof(*memo));
		if (!memo)
			return;
		memo->next = UNIT;
	}
	if (memo->next > MOST - LONGEST - sizeof(entry) - UNIT) {
		memset(memo->slots, 0, sizeof(memo->slots));
		memo->next = UNIT;
	}
	memcpy(memo->bytes + memo->next, &entry, sizeof(entry));
	if (bytes.size)
		memcpy(memo->bytes + memo->next + sizeof(entry), bytes.at,
		       bytes.size);

	uint32_t *slots = memo->slots[bucket_of(hash)];

	memmove(slots + 1, slots, (WAYS - 1) * sizeof(*slots));
	slots[0] = slot_value(hash, memo->next);
	memo->next += (sizeof(entry) + bytes.size + UNIT - 1) / UNIT * UNIT;
}
