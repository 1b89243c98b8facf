/* SPDX-License-Identifier: MIT */
/*
 * gsym/names.h - turn names of functions into their records: an index over the
 * names of a GSYM file.
 *
 *	struct gsym_name_index *names;
 *	uint32_t at;
 *
 *	if (gsym_name_index_new(reader, &names, NULL) != GSYM_OK)
 *		return;
 *	if (gsym_name_index_find(names, "main", 4, 0, &at) == GSYM_OK)
 *		printf("0x%" PRIx64 "\n", gsym_address_at(reader, at));
 *	gsym_name_index_free(names);
 *
 * gsym_find_function of gsym/reader.h needs no index, but reads the records one
 * after the other.  Making an index takes as long as four such searches through
 * the whole file: it is worth while for more than a handful of names.
 *
 * Indexed are the names that gsym_function_at hands out: one a record, as a
 * rule the linkage name.  Merged functions, inlined functions and second names
 * of an address are not indexed.
 *
 * Lifetime: an index reads the bytes of its reader, and must not be used after
 * gsym_close.
 *
 * Threads and signal handlers: an index never changes, so any number of threads
 * may search it at once, and gsym_name_index_find may be called in signal
 * handlers: it neither allocates nor locks.  It takes less than 1 KiB of stack.
 *
 * Hostile files: making an index takes time and memory in proportion to the
 * file, whatever the bytes are.  A search in a file that was made for the
 * purpose takes as long as gsym_find_function does, never longer.
 */
#ifndef GSYM_NAMES_H
#define GSYM_NAMES_H

#include <gsym/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An index over the names of the functions of a file.  Freed with
 *  gsym_name_index_free. */
struct gsym_name_index;

/**
 * Make an index over the names of READER, which has to stay open as long as the
 * index is used.  The index takes 12 to 16 bytes for each function.  The call
 * takes 8 more, which it frees.
 *
 * Functions whose record or name cannot be read are left out.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_name_index_new(const struct gsym_reader *reader,
		    struct gsym_name_index **ret, struct gsym_error *error);

/**
 * Find the first function with the SIZE bytes at NAME as its name, from index
 * FROM on, and write its index to *INDEX: for gsym_function_at and
 * gsym_address_at.  Functions of one name come in the order of their addresses;
 * for the next one, pass *INDEX + 1 as FROM.  NAME needs no NUL at its end.
 *
 * GSYM_NOT_FOUND: no function from FROM on has the name.
 */
GSYM_API enum gsym_status
gsym_name_index_find(const struct gsym_name_index *names, const char *name,
		     size_t size, uint32_t from, uint32_t *index);

/** Free NAMES, which may be NULL.  No other thread may be using it. */
GSYM_API void gsym_name_index_free(struct gsym_name_index *names);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_NAMES_H */
