/* SPDX-License-Identifier: MIT */
/* store/state.h - a store, its entries, and the search for their files. */
#ifndef GSYM_STORE_STATE_H
#define GSYM_STORE_STATE_H

#include <gsym/store.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/path_map.h"
#include "base/vec.h"
#include "object/object.h"

#include <pthread.h>

enum {
	LONGEST_ID = 256,
	/* The bytes of a build ID that was filled up with zeros, and the fewest
	 * that it may have had before. */
	PADDED = 20,
	SHORTEST_PADDED = 8,
};

/** A build ID that was asked for. */
struct gsym_store_entry {
	struct gsym_store_entry *next;
	struct gsym_store *store;
	uint8_t *id;
	size_t id_size;
	/** The GSYM file of this build ID, and its path.  Both are NULL if none
	 *  was found; READER alone is NULL while the file is closed because of
	 *  the limit.  While the entry is in use they may change from NULL
	 *  once, and to nothing else. */
	struct gsym_reader *reader;
	char *path;
	/** Opened by the first gsym_store_symbol_at; NULL: none were found. */
	struct gsym_module *symbols;
	bool symbols_tried;
	/** Calls that handed the entry out, minus calls of
	 *  gsym_store_release. */
	size_t uses;
	/** Neighbours in the store's list of idle entries; NULL if the entry
	 *  is not in the list. */
	struct gsym_store_entry *before, *after;
	/** The store's round in which the folders were last searched. */
	uint64_t searched;
	/** GSYM_OK, or why the search for GSYM data says nothing:
	 *  GSYM_ERR_MEMORY, or GSYM_ERR_IO for a file that cannot be opened.
	 *  The next search begins anew. */
	enum gsym_status trouble;
	/** The loaded segments of the program, once gsym_store_address_of found
	 *  them, and the store's round in which it last searched. */
	struct object_loads *loads;
	uint64_t loads_searched;
	/** Hashes of reports, each of which is made once. */
	GSYM_VEC_OF(uint64_t) reported;
};

struct directory {
	char *path;
	enum { GSYM_DIRECTORY, DEBUG_DIRECTORY } kind;
};

enum {
	BUCKETS = 1024,
	/* Entries without a file that are kept at most. */
	MOST_MISSING = 1 << 16,
};

struct gsym_store {
	GSYM_VEC_OF(struct directory) directories;
	char *cache;
	bool accept_any;
	bool check;
	bool copy;
	/** gsym_store_map_paths. */
	struct gsym_path_map paths;
	gsym_store_report_fn *report;
	void *context;
	/** gsym_store_set_trace. */
	gsym_store_report_fn *trace;
	void *trace_context;
	/** Held by each function that reads or changes an entry or the members
	 *  below. */
	pthread_mutex_t lock;
	/** The files that are open, of both kinds; at most LIMIT, unless more
	 *  are in use.  0: no limit. */
	size_t open, limit;
	/** The entries with open files that are not in use, a ring that begins
	 *  with the entry that was released first.  IDLE itself is no entry. */
	struct gsym_store_entry idle;
	/** Why a file of the entry that was searched last cannot be opened. */
	struct gsym_error error;
	/** Entries without a file. */
	size_t missing;
	/** Incremented by gsym_store_retry, so that missing files are searched
	 *  again. */
	uint64_t round;
	struct gsym_store_entry *buckets[BUCKETS];
};

/** Search all folders of STORE for the GSYM file of ENTRY and open it.  Returns
 *  false if there is none. */
bool gsym_store_search(struct gsym_store *store,
		       struct gsym_store_entry *entry);
/** Use the file PATH for ENTRY if it is GSYM data with the build ID of ENTRY.
 *  In that case PATH belongs to ENTRY, otherwise still to the caller.  A file
 *  that cannot be used is reported; with OPTIONAL an ELF file without a section
 *  ".gsym" is not.  A file that cannot be opened is the trouble of ENTRY. */
bool gsym_store_try_file(struct gsym_store *store,
			 struct gsym_store_entry *entry, char *path,
			 bool optional);
/** Open the symbols of ENTRY, unless an earlier call did so or found none.
 *  GSYM_NOT_FOUND: there are none.  GSYM_ERR_MEMORY, GSYM_ERR_IO: the next call
 *  tries again.  The lock is held. */
enum gsym_status gsym_store_open_symbols(struct gsym_store_entry *entry);

/** Append ENTRY to the idle entries, as the one that was released last. */
void gsym_store_idle_add(struct gsym_store_entry *entry);
/** Remove ENTRY from the idle entries, if it is there. */
void gsym_store_idle_remove(struct gsym_store_entry *entry);
/** Close files that are not in use, the one that was released first before
 *  others, until MORE files can be opened within the limit of STORE. */
void gsym_store_keep_limit(struct gsym_store *store, size_t more);

/* ---- module.c: a program's file ----------------------------------------- */

/** Map the regular file FD, which is closed, for gsym_fd_unmap.  *RET becomes
 *  its bytes, NULL for an empty file, and *SIZE their number.  With COPIED the
 *  bytes are read to memory instead, and the file may change later.
 *  GSYM_ERR_IO. */
enum gsym_status gsym_store_map_fd(int fd, bool copied, const uint8_t **ret,
				   size_t *size, struct gsym_error *error);

struct gsym_module {
	/** The file, if the module owns it; else NULL. */
	const uint8_t *bytes;
	size_t size;
	struct object object;
	/** The build ID; in ROOM if the file does not hold it as it is. */
	const uint8_t *id;
	size_t id_size;
	uint8_t room[PE_PDB_SIZE];
	/** The symbols were read, in the order of their table. */
	bool symbols_read;
	struct {
		GSYM_VEC(struct module_symbol {
			uint64_t start;
			uint64_t size; /**< 0: not known */
			const char *name;
			uint32_t section;
			/** An index of FILES, + 1; 0: none.  LOCAL, FIRST: see
			 *  struct object_symbol. */
			uint32_t file : 30;
			uint32_t local : 1;
			uint32_t first : 1;
		});
	} symbols;
	/** The source files of symbols. */
	GSYM_VEC_OF(const char *) files;
	/** Indexes of symbols, by start, then size, then place in the table. */
	struct module_order {
		GSYM_VEC(struct gsym_sort_item);
	} by_start;
	/** By the hash of their names, then as BY_START; empty until a name is
	 *  asked for. */
	struct module_order by_name;
	/** Names that do not end in the file. */
	struct gsym_arena arena;
};

/** gsym_module_open; COPIED as for gsym_store_map_fd. */
enum gsym_status gsym_module_open_file(const char *path, bool copied,
				       struct gsym_module **ret,
				       struct gsym_error *error);
/** Open the file of SIZE bytes at DATA, which have to outlive *RET, and read
 *  its symbols.  GSYM_NOT_FOUND: the file is damaged, of no known format, or
 *  has no symbols; GSYM_ERR_MEMORY.  *RET is NULL on failure. */
enum gsym_status gsym_module_of_memory(const uint8_t *data, size_t size,
				       struct gsym_module **ret);

/** Read the symbols of M, unless an earlier call did.  GSYM_NOT_FOUND: there
 *  are none.  GSYM_ERR_MEMORY: the next call tries again. */
enum gsym_status gsym_module_read_symbols(struct gsym_module *m);
/** Fill RET with the symbol that ADDRESS lies in; FLAGS as for
 *  gsym_store_symbol_at.  False if there is none.  The name lives as long as M,
 *  whose symbols were read. */
bool gsym_module_find_symbol(const struct gsym_module *m, uint64_t address,
			     unsigned flags, struct gsym_store_symbol *ret);
/** Sort the names of the symbols, unless they are; false without memory. */
bool gsym_module_sort_names(struct gsym_module *m);
/** Fill RET with the symbol whose name is the SIZE bytes at NAME, after SKIP
 *  others that have it.  False if there is none.  The names are sorted. */
bool gsym_module_named(const struct gsym_module *m, const char *name,
		       size_t size, size_t skip, struct gsym_store_symbol *ret);

#endif
