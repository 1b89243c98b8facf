/* SPDX-License-Identifier: MIT */
/* A cache of the texts that were written for addresses. */
#include "markup/memo.h"

enum {
	SLOT_BITS = 16,
	/* When the text has this many bytes, all entries are dropped. */
	MOST_TEXT = 4 << 20,
	/* The most bytes of an entry.  Longer entries are rare and would take
	 * room from others. */
	LONGEST = 4096,
	MOST_LEVELS = 32,
	/* Entries start at multiples of a word. */
	WORD = 8,
	WORD_BITS = 20,
};
_Static_assert(MOST_TEXT / WORD < 1 << WORD_BITS, "a slot holds any place");

/* An entry in the text: this struct, the sizes of its levels, and then name
 * and place of each level. */
struct entry {
	void *symbols;
	uint64_t address;
	uint32_t count;
};

struct sizes {
	uint16_t name, place;
};

struct gsym_mk_memo {
	struct gsym_mk_text text;
	/** A slot has WORD_BITS low bits for the start of an entry, in words,
	 *  and bits of the hash of its key above; 0: a free slot. */
	uint32_t slots[1 << SLOT_BITS];
	/** START of the entry that is being written, and MARK, the start of its
	 *  last name or place. */
	size_t start, mark;
	struct entry entry;
	struct sizes sizes[MOST_LEVELS];
};

static uint64_t hash_of(const void *symbols, uint64_t address)
{
	return (address ^ (uint64_t)(uintptr_t)symbols << 7) *
	       0x9e3779b97f4a7c15u;
}

/* The preferred slot of a key.  The only other slot that may hold the key is
 * slot_of(HASH) ^ 1. */
static size_t slot_of(uint64_t hash)
{
	return hash >> (64 - SLOT_BITS);
}

/* An entry never starts at 0, so no slot in use is 0. */
static uint32_t slot_value(uint64_t hash, size_t start)
{
	return (uint32_t)(hash >> 20) << WORD_BITS | (uint32_t)(start / WORD);
}

/* If slot NUMBER leads to the entry with this key, copy the entry's struct to
 * RET and return the bytes after the struct.  Otherwise NULL. */
static const char *entry_at(const struct gsym_mk_memo *memo, size_t number,
			    uint64_t hash, const void *symbols,
			    uint64_t address, struct entry *ret)
{
	const uint32_t start_bits = ((uint32_t)1 << WORD_BITS) - 1;
	uint32_t slot = memo->slots[number];

	/* Reading an entry costs a cache miss, so the hash is compared
	 * first. */
	if (!slot || (slot ^ slot_value(hash, 0)) & ~start_bits)
		return NULL;
	const char *at = memo->text.items + (size_t)(slot & start_bits) * WORD;

	memcpy(ret, at, sizeof(*ret));
	return ret->symbols == symbols && ret->address == address
		       ? at + sizeof(*ret)
		       : NULL;
}

bool gsym_mk_memo_find(const struct gsym_mk_memo *memo, const void *symbols,
		       uint64_t address, struct gsym_mk_levels *ret)
{
	struct entry entry;
	struct sizes sizes[MOST_LEVELS];
	uint64_t hash = hash_of(symbols, address);
	size_t slot = slot_of(hash);

	if (!memo)
		return false;
	const char *at = entry_at(memo, slot, hash, symbols, address, &entry);

	if (!at)
		at = entry_at(memo, slot ^ 1, hash, symbols, address, &entry);
	if (!at)
		return false;
	memcpy(sizes, at, entry.count * sizeof(*sizes));
	at += entry.count * sizeof(*sizes);
	for (size_t i = 0; i < entry.count; i++) {
		ret->items[i].name = (struct gsym_mk_slice){ at,
							     sizes[i].name };
		at += sizes[i].name;
		ret->items[i].place = (struct gsym_mk_slice){ at,
							      sizes[i].place };
		at += sizes[i].place;
	}
	ret->count = entry.count;
	return true;
}

/* Make room for an entry, which starts at a multiple of WORD; false without
 * memory. */
static bool make_room(struct gsym_mk_memo *memo)
{
	if (memo->text.count > MOST_TEXT - LONGEST - WORD) {
		memset(memo->slots, 0, sizeof(memo->slots));
		memo->text.count = 0;
	}
	if (!gsym_vec_reserve(&memo->text, LONGEST + WORD))
		return false;
	memo->text.count = (memo->text.count / WORD + 1) * WORD;
	return true;
}

struct gsym_mk_text *gsym_mk_memo_begin(struct gsym_mk_memo **made,
					void *symbols, uint64_t address,
					size_t levels)
{
	struct gsym_mk_memo *memo = *made;

	if (levels > MOST_LEVELS)
		return NULL;
	if (!memo)
		memo = *made = calloc(1, sizeof(*memo));
	if (!memo || !make_room(memo))
		return NULL;
	memo->start = memo->text.count;
	memo->entry = (struct entry){ symbols, address, 0 };
	memo->text.count += sizeof(memo->entry) +
			    levels * sizeof(*memo->sizes);
	memo->mark = memo->text.count;
	return &memo->text;
}

/* The number of bytes that were written since the last mark.  If it does not
 * fit into 16 bits, the entry is too long and will be dropped. */
static uint16_t since_mark(struct gsym_mk_memo *memo)
{
	size_t size = memo->text.count - memo->mark;

	memo->mark = memo->text.count;
	return (uint16_t)(size < UINT16_MAX ? size : UINT16_MAX);
}

void gsym_mk_memo_name(struct gsym_mk_memo *memo)
{
	memo->sizes[memo->entry.count].name = since_mark(memo);
}

void gsym_mk_memo_place(struct gsym_mk_memo *memo)
{
	memo->sizes[memo->entry.count++].place = since_mark(memo);
}

bool gsym_mk_memo_end(struct gsym_mk_memo *memo, bool intact,
		      struct gsym_mk_levels *ret)
{
	const struct entry *entry = &memo->entry;
	char *at = memo->text.items + memo->start;

	if (!intact || memo->text.count - memo->start > LONGEST) {
		memo->text.count = memo->start;
		return false;
	}
	memcpy(at, entry, sizeof(*entry));
	memcpy(at + sizeof(*entry), memo->sizes,
	       entry->count * sizeof(*memo->sizes));

	uint64_t hash = hash_of(entry->symbols, entry->address);
	uint32_t *slot = &memo->slots[slot_of(hash)];

	/* Both slots are in use: drop the older entry. */
	if (*slot)
		memo->slots[slot_of(hash) ^ 1] = *slot;
	*slot = slot_value(hash, memo->start);
	return gsym_mk_memo_find(memo, entry->symbols, entry->address, ret);
}

void gsym_mk_memo_free(struct gsym_mk_memo *memo)
{
	if (memo)
		gsym_vec_fini(&memo->text);
	free(memo);
}
