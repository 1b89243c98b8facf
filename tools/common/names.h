/* SPDX-License-Identifier: MIT */
/*
 * names.h - functions of a GSYM file by their names.  The first few names are
 * searched one record after the other, because making an index takes as long as
 * a few such searches; for more names an index is made.
 */
#ifndef TOOLS_COMMON_NAMES_H
#define TOOLS_COMMON_NAMES_H

#include <gsym/names.h>

/** The names of one file; for one thread.  All members are 0 at first. */
struct names {
	/** NULL: there is none yet. */
	struct gsym_name_index *index;
	/** The number of names that were searched without it. */
	unsigned searched;
	/** Set by the caller: many names will follow, so the index is made for
	 *  the first one. */
	bool many;
};

/** Set *INDEX to the index of the first function of READER, from FROM on, that
 *  has the SIZE bytes at NAME as its name.  Returns false if there is none.
 *  READER has to be the same in all calls with NAMES.  Dies if memory runs
 *  out. */
bool names_find(struct names *names, const struct gsym_reader *reader,
		const char *name, size_t size, uint32_t from, uint32_t *index);
/** Free what NAMES has allocated. */
void names_fini(struct names *names);

#endif /* TOOLS_COMMON_NAMES_H */
