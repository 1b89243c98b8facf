/* SPDX-License-Identifier: MIT */
/*
 * names.h - functions of a GSYM file by their names.  The first few names are
 * searched one record after the other, because making an index takes as long as
 * a few such searches; for more names an index is made.  Readable names have an
 * index of their own.  They are made by a demangler, which ends the tool if
 * memory runs out.
 */
#ifndef TOOLS_COMMON_NAMES_H
#define TOOLS_COMMON_NAMES_H

#include <gsym/demangle.h>
#include <gsym/names.h>

#include "base/order.h"
#include "base/vec.h"
#include "common/must.h"

/** The names of one file; for one thread.  All members are 0 at first. */
struct names {
	/** NULL: there is none yet. */
	struct gsym_name_index *index;
	/** The number of names that were searched without it. */
	unsigned searched;
	/** Set by the caller: many names will follow, so the index is made for
	 *  the first one. */
	bool many;
	/** Hashes of the readable names, with and without parameters, of
	 *  functions whose name is mangled; by hash, then by index.  READ is
	 *  true if they were made. */
	struct {
		GSYM_VEC(struct gsym_sort_item);
	} readable;
	bool read;
};

/** Set *INDEX to the index of the first function of READER, from FROM on, that
 *  has the SIZE bytes at NAME as its name.  Returns false if there is none.
 *  READER has to be the same in all calls with NAMES.  Dies if memory runs
 *  out. */
bool names_find(struct names *names, const struct gsym_reader *reader,
		const char *name, size_t size, uint32_t from, uint32_t *index);
/** As names_find, for the readable form of a mangled name: shop::buy(int), or
 *  shop::buy.  The first call demangles all names of READER, once.  NAMES and
 *  TEXT have to stay where they are. */
bool names_find_readable(struct names *names, const struct gsym_reader *reader,
			 const char *text, size_t size, uint32_t from,
			 uint32_t *index);
/** Whether fewer than *CHANGES characters, inserted, deleted, replaced, or
 *  swapped with their neighbours, make NAME of the LENGTH bytes at TEXT.  If
 *  so, *CHANGES becomes their number. */
bool names_nearer(const char *text, size_t length, const char *name,
		  size_t *changes);
/** The most names that names_near finds, and bytes of its text. */
enum { NAMES_NEAR = 3, NAMES_NEAR_SIZE = 512 };
/** Write up to NAMES_NEAR readable names of functions that differ from the SIZE
 *  bytes at NAME in few characters, scopes and parameters left out, to TEXT:
 *  "shop::buy(int), shop::bye()".  Returns false if there are none. */
bool names_near(const struct gsym_reader *reader, const char *name, size_t size,
		char text[NAMES_NEAR_SIZE]);
/** Write the base name of the readable name TEXT, as debug info has it, to TO,
 *  which has room for all of TEXT: without scopes, the type that it returns,
 *  parameters, ABI tags and suffixes of compilers, but with the arguments of
 *  templates: "t<int>" of "int n::S::t<int>(int) (.isra.0)". */
void names_base(const char *text, char *to);
/** The length of NAME without what compilers append to the names of copies of a
 *  function, which differ from build to build: " [clone .isra.0]",
 *  ".constprop.0", ".llvm.1234". */
size_t names_stem(const char *name);
/** Free what NAMES has allocated. */
void names_fini(struct names *names);

/* ---- readable names ------------------------------------------------------ */

/** A new demangler with FLAGS of gsym/demangle.h. */
static inline struct gsym_demangler *demangler_new(unsigned flags)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_new(flags, &ret) == GSYM_OK);
	return ret;
}

/** A demangler for another thread, with the cache of OTHER. */
static inline struct gsym_demangler *
demangler_share(struct gsym_demangler *other)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_share(other, &ret) == GSYM_OK);
	return ret;
}

/** The demangled form of NAME, or NAME if it is not mangled, as gsym_demangle
 *  has it. */
static inline const char *demangle(struct gsym_demangler *demangler,
				   const char *name)
{
	const char *ret = name;
	must(gsym_demangle(demangler, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}

/** The demangled form of NAME, spelled by FLAGS, malloc'ed; NULL if NAME is not
 *  mangled. */
static inline char *demangle_copy(unsigned flags, const char *name)
{
	char *ret = NULL;
	must(gsym_demangle_copy(flags, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}

#endif /* TOOLS_COMMON_NAMES_H */
