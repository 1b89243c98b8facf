/* SPDX-License-Identifier: MIT */
/*
 * markup/memo.h - what the host answered for an address, and the text that was
 * made of a name or a path, are kept, as logs repeat themselves.
 *
 * Keys are addresses of what the host handed out, which lives as long as the
 * filter.  So no reset and no other load address makes an entry wrong.  Knows
 * no filter.
 */
#ifndef GSYM_MARKUP_MEMO_H
#define GSYM_MARKUP_MEMO_H

#include <gsym/markup.h>

#include "markup/text.h"

/** Entries.  A zeroed struct is empty. */
struct gsym_mk_memo {
	/** A hash table of SLOT_COUNT slots, a power of two or 0, of which
	 *  USED are not 0. */
	uint32_t *slots;
	size_t slot_count, used;
	/** The entries, of which the next one starts at NEXT; NULL: none. */
	char *bytes;
	size_t next;
};

/** What an entry holds, and what its key is. */
enum gsym_mk_memo_kind {
	/** The levels of a code address: symbols, address in the module. */
	GSYM_MK_MEMO_LEVELS,
	/** The readable form of a name, with a NUL: the name, 0. */
	GSYM_MK_MEMO_READABLE,
	/** A function as it is shown: its name, 0. */
	GSYM_MK_MEMO_FUNCTION,
	/** A file as it is shown: its folder, the address of its base name. */
	GSYM_MK_MEMO_FILE,
};

struct gsym_mk_memo_key {
	enum gsym_mk_memo_kind kind;
	const void *object;
	uint64_t number;
};

/** The place of an entry in the memo; 0: none.  It is valid until
 *  gsym_mk_memo_tidy drops the entry. */
typedef uint32_t gsym_mk_memo_place;

/** The place of the entry of KEY; 0 if there is none. */
gsym_mk_memo_place gsym_mk_memo_find(const struct gsym_mk_memo *memo,
				     const struct gsym_mk_memo_key *key);

/** Keep SIZE BYTES for KEY, which has no entry.  Returns the place; 0 without
 *  memory or room, and if BYTES are too many. */
gsym_mk_memo_place gsym_mk_memo_add(struct gsym_mk_memo *memo,
				    const struct gsym_mk_memo_key *key,
				    const void *bytes, size_t size);

/** The *SIZE bytes of the entry at PLACE, which is not 0.  They are at a
 *  multiple of 8. */
void *gsym_mk_memo_at(const struct gsym_mk_memo *memo, gsym_mk_memo_place place,
		      size_t *size);

/** Let the processor fetch the start of the entry at PLACE, if it is not 0. */
void gsym_mk_memo_prefetch(const struct gsym_mk_memo *memo,
			   gsym_mk_memo_place place);

/** Drop all entries if there is little room for others; returns whether they
 *  were dropped.  Called between lines: see gsym_mk_tidy. */
bool gsym_mk_memo_tidy(struct gsym_mk_memo *memo);

void gsym_mk_memo_fini(struct gsym_mk_memo *memo);

#endif
