/* SPDX-License-Identifier: MIT */
/*
 * markup/memo.h - the text that was written for an address is kept, as logs
 * repeat themselves.
 *
 * The key is the host's symbols and the address within the module.  So no
 * reset and no other load address makes an entry wrong.  Knows no filter.
 */
#ifndef GSYM_MARKUP_MEMO_H
#define GSYM_MARKUP_MEMO_H

#include <gsym/markup.h>

#include "markup/text.h"

struct gsym_mk_memo;

/** The texts of the inline levels of a code address, innermost first. */
struct gsym_mk_levels {
	size_t count;
	struct {
		/** Function, and place in the source; "" if unknown. */
		struct gsym_mk_slice name, place;
	} items[GSYM_MARKUP_MAX_FRAMES];
};

/** Find the entry for ADDRESS within the module of SYMBOLS; false if there is
 *  none.  Its texts are valid until the next gsym_mk_memo_begin.  MEMO may be
 *  NULL. */
bool gsym_mk_memo_find(const struct gsym_mk_memo *memo, const void *symbols,
		       uint64_t address, struct gsym_mk_levels *ret);

/** Begin an entry; *MADE is allocated if it is NULL.  Returns the text to
 *  append to: for each of LEVELS levels a name, then gsym_mk_memo_name, a
 *  place, then gsym_mk_memo_place; gsym_mk_memo_end is last.  NULL without
 *  memory, or if the levels are too many. */
struct gsym_mk_text *gsym_mk_memo_begin(struct gsym_mk_memo **made,
					void *symbols, uint64_t address,
					size_t levels);
void gsym_mk_memo_name(struct gsym_mk_memo *memo);
void gsym_mk_memo_place(struct gsym_mk_memo *memo);
/** End the entry and set RET to it.  Drops the entry and returns false if it
 *  is too long or not INTACT. */
bool gsym_mk_memo_end(struct gsym_mk_memo *memo, bool intact,
		      struct gsym_mk_levels *ret);

void gsym_mk_memo_free(struct gsym_mk_memo *memo);

#endif
