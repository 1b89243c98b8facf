/* SPDX-License-Identifier: MIT */
/*
 * gsym/store.h - from a build ID to open GSYM data.
 *
 *	struct gsym_store *store = gsym_store_new();
 *	const struct gsym_store_entry *entry;
 *
 *	gsym_store_add_debug_directory(store, "/usr/lib/debug");
 *	if (gsym_store_find(store, id, 20, &entry, NULL) == GSYM_OK)
 *		gsym_lookup(gsym_store_reader(entry), ...);
 *	gsym_store_free(store);
 *
 * Of the build ID "abcdef..." NN is "ab" and REST "cdef...".  The first of
 * these that is GSYM data with that build ID is the one:
 *
 *   1. in each GSYM folder G: G/.build-id/NN/REST.debug.gsym, then
 *      G/REST.debug.gsym;
 *   2. in each debug folder D: D/.build-id/NN/REST.debug.gsym, then
 *      D/.build-id/NN/REST.debug if it has a section ".gsym";
 *   3. in the cache C: C/.build-id/NN/REST.debug.gsym.
 *
 * Files stay open until the store is freed.  What is missing is remembered
 * until gsym_store_retry.  Nothing is converted and nothing fetched.  A store
 * belongs to one thread at a time; its readers may be used by any number.
 */
#ifndef GSYM_STORE_H
#define GSYM_STORE_H

#include <gsym/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsym_store;
struct gsym_store_entry;

/** An empty store; NULL without memory. */
GSYM_API struct gsym_store *gsym_store_new(void);
GSYM_API void gsym_store_free(struct gsym_store *store);

/* Folders, searched in the order in which they were added.  The paths are
 * copied.  A store has one cache; NULL takes it away. */
GSYM_API enum gsym_status gsym_store_add_gsym_directory(struct gsym_store *store,
						       const char *path);
GSYM_API enum gsym_status
gsym_store_add_debug_directory(struct gsym_store *store, const char *path);
GSYM_API enum gsym_status gsym_store_set_cache(struct gsym_store *store,
					       const char *path);

/** Take files whose build ID is not the one asked for. */
GSYM_API void gsym_store_accept_any(struct gsym_store *store, bool accept);

/** Told about each file that is there but cannot be used: it cannot be read,
 *  or has another build ID.  Once, also if it is met again after
 *  gsym_store_retry. */
typedef void gsym_store_report_fn(void *context, const char *path,
				  const char *why);
GSYM_API void gsym_store_set_report(struct gsym_store *store,
				    gsym_store_report_fn *report,
				    void *context);

/** The data of the program with the SIZE bytes of build ID at ID.  *RET
 *  lives as long as the store.  GSYM_NOT_FOUND if there are none. */
GSYM_API enum gsym_status gsym_store_find(struct gsym_store *store,
					  const uint8_t *id, size_t size,
					  const struct gsym_store_entry **ret,
					  struct gsym_error *error);
/** Forget what was missing, so that the next gsym_store_find looks again. */
GSYM_API void gsym_store_retry(struct gsym_store *store);

GSYM_API const struct gsym_reader *
gsym_store_reader(const struct gsym_store_entry *entry);
/** The file that the data are in. */
GSYM_API const char *gsym_store_path(const struct gsym_store_entry *entry);

/** What lies at an address, by a symbol table. */
struct gsym_store_symbol {
	const char *name;
	uint64_t start;
	/** 0: not known. */
	uint64_t size;
};

/** Flags of gsym_store_symbol_at. */
enum {
	/** Symbols without size reach up to the next one, however far. */
	GSYM_STORE_FAR = 1 << 0,
};

/**
 * The symbol that ADDRESS lies in, by the symbol table of the ELF file that
 * stands beside the GSYM file: the same path without ".gsym", or the file
 * itself; else of D/.build-id/NN/REST.debug in the first debug folder D that
 * has one.  A symbol without size reaches up to the next symbol or the end of
 * its section, and 64 KiB at most.  GSYM_NOT_FOUND.  The table is read at the
 * first call; the name lives as long as the store.
 */
GSYM_API enum gsym_status
gsym_store_symbol_at(const struct gsym_store_entry *entry, uint64_t address,
		     unsigned flags, struct gsym_store_symbol *ret);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_STORE_H */
