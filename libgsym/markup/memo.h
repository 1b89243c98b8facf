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

struct gsym_mk_memo;

/** What an entry holds, and what its key is. */
enum gsym_mk_memo_kind {
	/** The frames of a code address: symbols, address in the module. */
	GSYM_MK_MEMO_FRAMES,
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

/** Set RET to the bytes of the entry of KEY; false if there is none.  They are
 *  valid until the next gsym_mk_memo_add.  MEMO may be NULL. */
bool gsym_mk_memo_find(const struct gsym_mk_memo *memo,
		       const struct gsym_mk_memo_key *key,
		       struct gsym_mk_slice *ret);

/** Let the processor fetch the entries of the COUNT KEYS, all at once, before
 *  gsym_mk_memo_find asks for one after the other.  MEMO may be NULL. */
void gsym_mk_memo_prefetch(const struct gsym_mk_memo *memo,
			   const struct gsym_mk_memo_key *keys, size_t count);

/** Keep BYTES for KEY, which has no entry.  *MADE is allocated if it is NULL.
 *  Without memory, and if BYTES are too many, nothing is kept. */
void gsym_mk_memo_add(struct gsym_mk_memo **made,
		      const struct gsym_mk_memo_key *key,
		      struct gsym_mk_slice bytes);

#endif
