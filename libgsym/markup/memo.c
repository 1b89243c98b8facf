/* SPDX-License-Identifier: MIT */
/* What was written for an address before.  Logs repeat themselves, and so do
 * processes that are loaded at other addresses: the key is the host's symbols
 * and the address within the module, so no reset and no mapping makes an
 * entry wrong. */
#include "config.h"

#include "markup/filter.h"

enum {
	SLOT_BITS = 16,
	/* All is forgotten when the text is full. */
	MOST_TEXT = 4 << 20,
	/* Longer ones are rare, and not worth the room. */
	LONGEST = 4096,
	MOST_LEVELS = 32,
};

/* What the text of an entry starts with; the sizes of its levels follow, and
 * then name and place of each. */
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
	/** Of a key that is known, some bits of its hash and then where its
	 *  entry starts, in words; 0: free. */
	uint32_t slots[1 << SLOT_BITS];
	/** What is being written, if anything is. */
	size_t start, mark;
	struct entry entry;
	struct sizes sizes[MOST_LEVELS];
	struct gsym_mk_text *out;
};

enum { WORD = 8, WORD_BITS = 20 };
_Static_assert(MOST_TEXT / WORD < 1 << WORD_BITS, "a slot holds any place");

static uint64_t hash_of(const void *symbols, uint64_t address)
{
	return (address ^ (uint64_t)(uintptr_t)symbols << 7) *
	       0x9e3779b97f4a7c15u;
}

/* Two slots beside each other may hold a key; this is one of them. */
static size_t slot_of(uint64_t hash)
{
	return hash >> (64 - SLOT_BITS);
}

/* An entry never starts at 0, so no slot in use is 0. */
static uint32_t slot_value(uint64_t hash, size_t start)
{
	return (uint32_t)(hash >> 20) << WORD_BITS | (uint32_t)(start / WORD);
}

/* The text of the entry that slot NUMBER leads to, if it is the one. */
static const char *entry_at(const struct gsym_mk_memo *memo, size_t number,
			    uint64_t hash, const void *symbols,
			    uint64_t address, struct entry *ret)
{
	const uint32_t start_bits = ((uint32_t)1 << WORD_BITS) - 1;
	uint32_t slot = memo->slots[number];

	/* Going to look costs more than all the rest. */
	if (!slot || (slot ^ slot_value(hash, 0)) & ~start_bits)
		return NULL;
	const char *at = memo->text.items + (size_t)(slot & start_bits) * WORD;

	memcpy(ret, at, sizeof(*ret));
	return ret->symbols == symbols && ret->address == address
		       ? at + sizeof(*ret)
		       : NULL;
}

bool gsym_mk_recall(struct gsym_markup *f, void *symbols, uint64_t address,
		    struct gsym_mk_levels *ret)
{
	struct gsym_mk_memo *memo = f->memo;
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

/* Room for an entry at a word; false without memory. */
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

bool gsym_mk_memo_begin(struct gsym_markup *f, void *symbols,
			uint64_t address, size_t levels)
{
	struct gsym_mk_memo *memo = f->memo;

	if (f->options.html || f->options.colour || levels > MOST_LEVELS)
		return false;
	if (!memo)
		memo = f->memo = calloc(1, sizeof(*memo));
	if (!memo || !make_room(memo))
		return false;
	memo->start = memo->text.count;
	memo->entry = (struct entry){ symbols, address, 0 };
	memo->text.count += sizeof(memo->entry) +
			    levels * sizeof(*memo->sizes);
	memo->mark = memo->text.count;
	memo->out = f->out;
	f->out = &memo->text;
	return true;
}

/* What was written since the last mark.  Too much of it shows in the end. */
static uint16_t since_mark(struct gsym_mk_memo *memo)
{
	size_t size = memo->text.count - memo->mark;

	memo->mark = memo->text.count;
	return (uint16_t)(size < UINT16_MAX ? size : UINT16_MAX);
}

void gsym_mk_memo_name(struct gsym_markup *f)
{
	struct gsym_mk_memo *memo = f->memo;

	memo->sizes[memo->entry.count].name = since_mark(memo);
}

void gsym_mk_memo_place(struct gsym_markup *f)
{
	struct gsym_mk_memo *memo = f->memo;

	memo->sizes[memo->entry.count++].place = since_mark(memo);
}

bool gsym_mk_memo_end(struct gsym_markup *f, struct gsym_mk_levels *ret)
{
	struct gsym_mk_memo *memo = f->memo;
	const struct entry *entry = &memo->entry;
	char *at = memo->text.items + memo->start;

	f->out = memo->out;
	if (f->out_of_memory || memo->text.count - memo->start > LONGEST) {
		memo->text.count = memo->start;
		return false;
	}
	memcpy(at, entry, sizeof(*entry));
	memcpy(at + sizeof(*entry), memo->sizes,
	       entry->count * sizeof(*memo->sizes));

	uint64_t hash = hash_of(entry->symbols, entry->address);
	uint32_t *slot = &memo->slots[slot_of(hash)];

	/* The older one of the two gives way. */
	if (*slot)
		memo->slots[slot_of(hash) ^ 1] = *slot;
	*slot = slot_value(hash, memo->start);
	return gsym_mk_recall(f, entry->symbols, entry->address, ret);
}

void gsym_mk_memo_free(struct gsym_mk_memo *memo)
{
	if (memo)
		gsym_vec_fini(&memo->text);
	free(memo);
}
