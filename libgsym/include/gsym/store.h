/* SPDX-License-Identifier: MIT */
/*
 * gsym/store.h - find GSYM files by build ID in folders, and keep them open.
 *
 *	struct gsym_store *store = gsym_store_new();
 *	const struct gsym_store_entry *entry;
 *
 *	gsym_store_add_debug_directory(store, "/usr/lib/debug");
 *	if (gsym_store_find(store, id, 20, &entry, NULL) == GSYM_OK)
 *		gsym_lookup(gsym_store_reader(entry), ...);
 *	gsym_store_free(store);
 *
 * A build ID is written in lower-case hexadecimal.  NN is its first byte and
 * REST all others: of "abcdef", NN is "ab" and REST "cdef".  The store uses the
 * first of these files that is GSYM data with the build ID:
 *
 *   1. in each GSYM folder G: G/.build-id/NN/REST.debug.gsym, then
 *      G/REST.debug.gsym;
 *   2. in each debug folder D: D/.build-id/NN/REST.debug.gsym, then
 *      D/.build-id/NN/REST.debug, an ELF file with a section ".gsym";
 *   3. in the cache C: C/.build-id/NN/REST.debug.gsym.
 *
 * Folders of one kind are searched in the order in which they were added.
 * debuginfod's servers, GDB and LLVM's symbolizers use the same layout of
 * .build-id.
 *
 * A file has to have the build ID of its path.  A path of .build-id may be an
 * alias: a symbolic link "../../.build-id/hh/rest.debug.gsym".  Then the file
 * has to have the build ID of the link's target.  gsym-create --install makes
 * aliases for other IDs that programs are known by.
 *
 * A store opens files, but converts none and fetches none.  Files that were
 * found stay open until the store is freed, or, after gsym_store_set_limit,
 * while they are in use.  That a build ID was not found is
 * remembered, too, until gsym_store_retry.
 *
 * Threads: any number of threads may use a store and its entries at once, but
 * for the functions under "the folders" and gsym_store_free: no other thread
 * may use the store during these.  A thread that searches folders or reads
 * symbols makes others wait.  The callbacks of gsym_store_set_report and
 * gsym_store_set_trace are called by one thread at a time, and must not use the
 * store.
 */
#ifndef GSYM_STORE_H
#define GSYM_STORE_H

#include <gsym/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Folders, and the files that were found in them.  Made by gsym_store_new,
 *  freed by gsym_store_free. */
struct gsym_store;
/** A build ID that a store found files for.  It belongs to the store. */
struct gsym_store_entry;

/* ---- the folders -------------------------------------------------------- */

/** A new store without folders; NULL without memory. */
GSYM_API struct gsym_store *gsym_store_new(void);
/** Close all files of STORE, which may be NULL, and free it.  Its entries,
 *  their readers and all their strings become invalid. */
GSYM_API void gsym_store_free(struct gsym_store *store);

/** Add the GSYM folder PATH, which need not exist.  The path is copied.
 *  Build IDs that were not found are searched in it after
 *  gsym_store_retry.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status
gsym_store_add_gsym_directory(struct gsym_store *store, const char *path);
/** As gsym_store_add_gsym_directory, for a folder with debug files, such as
 *  /usr/lib/debug. */
GSYM_API enum gsym_status
gsym_store_add_debug_directory(struct gsym_store *store, const char *path);
/** Make PATH, which is copied, the cache: the folder that is searched last.  A
 *  store has one cache or none; NULL removes it.  The store only reads the
 *  folder.  GSYM_ERR_MEMORY: the cache is unchanged. */
GSYM_API enum gsym_status gsym_store_set_cache(struct gsym_store *store,
					       const char *path);

/** Let gsym_store_find accept, or refuse, files that have another build ID or
 *  none.  A new store refuses them: such a file may belong to another program,
 *  and then answers are wrong. */
GSYM_API void gsym_store_accept_any(struct gsym_store *store, bool accept);

/** Whether gsym_store_find compares the checksum of each file that it opens
 *  with the data (gsym_checksum), and does not use a file whose checksum is
 *  wrong; at first it does not, because the whole file has to be read.  Files
 *  without a checksum are used all the same. */
GSYM_API void gsym_store_check(struct gsym_store *store, bool check);

/** Whether gsym_store_find opens files with gsym_open_copy, so that no file has
 *  to stay as it is while it is open; at first it uses gsym_open.  The same
 *  holds for ELF files with symbols or program headers. */
GSYM_API void gsym_store_copy(struct gsym_store *store, bool copy);

/** Map the paths of source files in each file that gsym_store_find opens from
 *  now on, as gsym_map_paths does.  GSYM_ERR_ARGUMENT: as there, and the maps
 *  are unchanged; GSYM_ERR_MEMORY: the same. */
GSYM_API enum gsym_status gsym_store_map_paths(struct gsym_store *store,
					       const char *const *maps,
					       size_t count);

/**
 * Called for each file that has the name of a build ID but cannot be used: it
 * cannot be read, has another build ID, or a wrong checksum.  WHY is a line of
 * text without a full stop.  PATH and WHY are valid during the call only.  Each
 * reason is reported once for a file and a build ID, also after
 * gsym_store_retry.
 */
typedef void gsym_store_report_fn(void *context, const char *path,
				  const char *why);
/** Let gsym_store_find call REPORT, with CONTEXT; NULL: nothing is
 *  reported. */
GSYM_API void gsym_store_set_report(struct gsym_store *store,
				    gsym_store_report_fn *report,
				    void *context);

/** Let gsym_store_find call TRACE, with CONTEXT, for each path where it looks
 *  for GSYM data, in its order.  WHY says why the data are not there, or not
 *  used; NULL: they are used.  As for gsym_store_report_fn, the texts are valid
 *  during the call only.  TRACE is NULL at first: nothing is told. */
GSYM_API void gsym_store_set_trace(struct gsym_store *store,
				   gsym_store_report_fn *trace, void *context);

/** Let STORE keep at most FILES files open, GSYM files and ELF files with
 *  symbols counted alike; 0, as at first: no limit.  The files that were not
 *  in use for the longest time are closed, and opened again when they are
 *  found again.  Files that are in use are never closed, even if they are more
 *  than FILES: callers have to call gsym_store_release. */
GSYM_API void gsym_store_set_limit(struct gsym_store *store, size_t files);

/* ---- finding ------------------------------------------------------------ */

/**
 * Find the GSYM data of the program whose build ID is the SIZE (1 to 256) bytes
 * at ID.  *RET is the entry, which is in use from now on; a second call with
 * the same build ID returns the same entry without looking at any folder.  If
 * no folder has a file for 20 bytes that end with zeros, the build ID without
 * zeros at its end is searched for, of 8 bytes or more: perf before Linux 5.12
 * and Android's simpleperf fill build IDs up.
 *
 * An entry that is in use, its reader, and all strings of both stay valid.
 * gsym_store_release ends the use; each successful call counts.  Without
 * gsym_store_set_limit entries need not be released: they stay valid as long as
 * STORE.
 *
 * GSYM_NOT_FOUND: no folder has a file that can be used; *RET is NULL then.
 * GSYM_ERR_IO: no folder has one, but one of the files cannot be opened, for
 * want of file descriptors or permission for example; ERROR has its path.  The
 * next call searches again, as after GSYM_ERR_MEMORY.  GSYM_ERR_ARGUMENT: ID is
 * NULL or SIZE out of range.
 */
GSYM_API enum gsym_status gsym_store_find(struct gsym_store *store,
					  const uint8_t *id, size_t size,
					  const struct gsym_store_entry **ret,
					  struct gsym_error *error);
/** As gsym_store_find, but also find a build ID that has no GSYM data, only an
 *  ELF file with symbols in a debug folder: for gsym_store_symbol_at.  The
 *  reader and the path of such an entry are NULL.  GSYM_NOT_FOUND: there is
 *  neither. */
GSYM_API enum gsym_status
gsym_store_find_symbols(struct gsym_store *store, const uint8_t *id,
			size_t size, const struct gsym_store_entry **ret,
			struct gsym_error *error);
/** End a use of ENTRY, which may be NULL.  After as many calls as the entry was
 *  found, the store may close its files; nothing of the entry must be used
 *  then. */
GSYM_API void gsym_store_release(const struct gsym_store_entry *entry);
/** Forget which build IDs were not found: the next gsym_store_find of one
 *  searches the folders again.  For after new files were put there. */
GSYM_API void gsym_store_retry(struct gsym_store *store);

/** The open GSYM data of ENTRY, which is in use; NULL if it has symbols alone.
 *  They belong to the store: do not close them. */
GSYM_API const struct gsym_reader *
gsym_store_reader(const struct gsym_store_entry *entry);
/** The path of the file of ENTRY: a folder as it was added, "/", and the name.
 *  NULL if the entry has symbols alone. */
GSYM_API const char *gsym_store_path(const struct gsym_store_entry *entry);

/* ---- symbols ------------------------------------------------------------ */

/** A symbol of an ELF symbol table. */
struct gsym_store_symbol {
	/** As it is in the symbol table, not demangled.  Valid as long as the
	 *  entry is in use. */
	const char *name;
	/** The address that the program was linked to have it at. */
	uint64_t start;
	/** Bytes; 0 if the symbol table does not say. */
	uint64_t size;
};

/** Flags of gsym_store_symbol_at, combined with |. */
enum {
	/** A symbol without size reaches up to the next symbol, however far
	 *  that is, and across sections. */
	GSYM_STORE_FAR = 1 << 0,
};

/**
 * Find the symbol that ADDRESS, an address that the program was linked to, lies
 * in: functions, data and all else that GSYM data may lack.  A symbol without
 * size reaches up to the next symbol, the end of its section, or 64 KiB,
 * whichever comes first; FLAGS may change that.
 *
 * The symbols are those of the ELF file beside the GSYM file: the same path
 * without ".gsym", or the file itself if it is an ELF file.  If there is none,
 * they are those of D/.build-id/NN/REST.debug in the first debug folder D that
 * has it.  That file is read at the first call for ENTRY and stays open; its
 * build ID is not checked.  Its symbol table is .symtab, or .dynsym without it.
 * Of several symbols at one start the largest counts.
 *
 * GSYM_NOT_FOUND: no symbol lies there, or there are no symbols.
 * GSYM_ERR_MEMORY, GSYM_ERR_IO (the file cannot be opened): the next call reads
 * the symbols again.
 */
GSYM_API enum gsym_status
gsym_store_symbol_at(const struct gsym_store_entry *entry, uint64_t address,
		     unsigned flags, struct gsym_store_symbol *ret);

/**
 * Find a symbol whose name is the SIZE bytes at NAME, in the symbol table that
 * gsym_store_symbol_at reads: a second name of a function, for example, of
 * which GSYM data have one.  Several symbols may have the name: SKIP of them,
 * in the order of their addresses, are left out.  Names of more than 1024 bytes
 * are not found.  NAME needs no NUL at its end.  The first call for an entry
 * sorts the names, and calls of other threads for the store wait meanwhile.
 * Time grows with SKIP.
 *
 * GSYM_NOT_FOUND: there are not more than SKIP such symbols, or there are no
 * symbols.  GSYM_ERR_MEMORY, GSYM_ERR_IO: the next call tries again.
 * GSYM_ERR_ARGUMENT: ENTRY, NAME or RET is NULL.
 */
GSYM_API enum gsym_status
gsym_store_symbol_named(const struct gsym_store_entry *entry, const char *name,
			size_t size, size_t skip,
			struct gsym_store_symbol *ret);

/* ---- offsets in the program's file -------------------------------------- */

/**
 * Set *ADDRESS to the address that the program of ENTRY was linked to have the
 * byte at OFFSET of its file at.  Profilers know the file offset of a sample:
 * the run-time address minus the start of the mapping plus the file offset of
 * the mapping.
 *
 * The program headers are those of the ELF file beside the GSYM file, else
 * those of D/.build-id/NN/REST.debug in a debug folder D.  The file has to be
 * the program itself or a stub of the program (gsym_elf_is_program): a debug
 * file has other offsets.  Its build ID has to be that of ENTRY, or, if an
 * alias led to the GSYM data, that of these data.  Of several segments with the
 * byte those with code count.
 *
 * GSYM_NOT_FOUND: no loaded segment has the byte, or several have it at
 * different addresses.  GSYM_ERR_UNSUPPORTED: the program headers are not
 * known; they are searched again after gsym_store_retry.  GSYM_ERR_IO,
 * GSYM_ERR_MEMORY: the next call searches again.  GSYM_ERR_ARGUMENT: ENTRY or
 * ADDRESS is NULL.
 */
GSYM_API enum gsym_status
gsym_store_address_of(const struct gsym_store_entry *entry, uint64_t offset,
		      uint64_t *address, struct gsym_error *error);

/**
 * As gsym_store_address_of, for the COUNT offsets at OFFSETS: ADDRESSES[I]
 * becomes the address of OFFSETS[I], or UINT64_MAX where gsym_store_address_of
 * returns GSYM_NOT_FOUND.  Do not look UINT64_MAX up: a last function without a
 * size covers all addresses behind its start.  ADDRESSES may be OFFSETS.
 *
 * GSYM_ERR_UNSUPPORTED, GSYM_ERR_IO, GSYM_ERR_MEMORY: as there, and ADDRESSES
 * are unchanged.  GSYM_ERR_ARGUMENT: ENTRY is NULL, or OFFSETS or ADDRESSES is
 * NULL although COUNT is not 0.
 */
GSYM_API enum gsym_status
gsym_store_addresses_of(const struct gsym_store_entry *entry,
			const uint64_t *offsets, size_t count,
			uint64_t *addresses, struct gsym_error *error);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_STORE_H */
