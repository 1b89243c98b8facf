/* SPDX-License-Identifier: MIT */
/* Finds GSYM files by build ID in folders, and keeps them open.  Knows the
 * names of files, not the contents of GSYM data or how to make them. */
#include "gsym/store.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/sized.h"
#include "base/vec.h"
#include "store/symbols.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_ID = 256 };

/** A build ID that was asked for. */
struct gsym_store_entry {
	struct gsym_store_entry *next;
	const struct gsym_store *store;
	uint8_t *id;
	size_t id_size;
	/** The GSYM file of this build ID; NULL: none was found. */
	struct gsym_reader *reader;
	char *path;
	/** Opened by the first gsym_store_symbol_at; NULL: none were found. */
	struct gsym_symbols *symbols;
	bool symbols_tried;
	/** The store's round in which the folders were last searched. */
	uint64_t searched;
	/** The search ended without memory: the file may be there. */
	bool out_of_memory;
	/** Hashes of reports, each of which is made once. */
	struct {
		GSYM_VEC(uint64_t);
	} reported;
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
	struct {
		GSYM_VEC(struct directory);
	} directories;
	char *cache;
	bool accept_any;
	bool check;
	gsym_store_report_fn *report;
	void *context;
	/** Entries without a file. */
	size_t missing;
	/** Incremented by gsym_store_retry, so that missing files are searched
	 *  again. */
	uint64_t round;
	struct gsym_store_entry *buckets[BUCKETS];
};

struct gsym_store *gsym_store_new(void)
{
	struct gsym_store *store = calloc(1, sizeof(*store));

	if (store)
		store->round = 1;
	return store;
}

static void entry_free(struct gsym_store_entry *entry)
{
	gsym_close(entry->reader);
	gsym_symbols_close(entry->symbols);
	gsym_vec_fini(&entry->reported);
	free(entry->path);
	free(entry->id);
	free(entry);
}

void gsym_store_free(struct gsym_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (store->buckets[i]) {
			struct gsym_store_entry *next =
				store->buckets[i]->next;

			entry_free(store->buckets[i]);
			store->buckets[i] = next;
		}
	for (size_t i = 0; i < store->directories.count; i++)
		free(store->directories.items[i].path);
	gsym_vec_fini(&store->directories);
	free(store->cache);
	free(store);
}

static enum gsym_status add_directory(struct gsym_store *store,
				      const char *path, int kind)
{
	struct directory *to;
	char *copy;

	if (!store || !path)
		return GSYM_ERR_ARGUMENT;
	copy = strdup(path);
	if (!copy || !(to = gsym_vec_push(&store->directories))) {
		free(copy);
		return GSYM_ERR_MEMORY;
	}
	to->path = copy;
	to->kind = kind;
	return GSYM_OK;
}

enum gsym_status gsym_store_add_gsym_directory(struct gsym_store *store,
					       const char *path)
{
	return add_directory(store, path, GSYM_DIRECTORY);
}

enum gsym_status gsym_store_add_debug_directory(struct gsym_store *store,
						const char *path)
{
	return add_directory(store, path, DEBUG_DIRECTORY);
}

enum gsym_status gsym_store_set_cache(struct gsym_store *store,
				      const char *path)
{
	char *copy = path ? strdup(path) : NULL;

	if (!store) {
		free(copy);
		return GSYM_ERR_ARGUMENT;
	}
	if (path && !copy)
		return GSYM_ERR_MEMORY;
	free(store->cache);
	store->cache = copy;
	return GSYM_OK;
}

void gsym_store_accept_any(struct gsym_store *store, bool accept)
{
	if (store)
		store->accept_any = accept;
}

void gsym_store_check(struct gsym_store *store, bool check)
{
	if (store)
		store->check = check;
}

void gsym_store_set_report(struct gsym_store *store,
			   gsym_store_report_fn *report, void *context)
{
	if (!store)
		return;
	store->report = report;
	store->context = context;
}

/* ---- searching --------------------------------------------------------- */

/* Report that the file PATH cannot be used for ENTRY and WHY, unless that was
 * reported before. */
static void report(const struct gsym_store *store,
		   struct gsym_store_entry *entry, const char *path,
		   const char *why)
{
	uint64_t hash = gsym_hash_bytes((uintptr_t)store, path, strlen(path));
	uint64_t *to;

	hash = gsym_hash_bytes(hash, why, strlen(why));
	for (size_t i = 0; i < entry->reported.count; i++)
		if (entry->reported.items[i] == hash)
			return;
	to = gsym_vec_push(&entry->reported);
	if (to)
		*to = hash;
	if (store->report)
		store->report(store->context, path, why);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Use the file PATH for ENTRY if it is GSYM data with the build ID of ENTRY.
 * In that case PATH belongs to ENTRY, otherwise still to the caller.  A file
 * that cannot be used is reported; with OPTIONAL an ELF file without a section
 * ".gsym" is not. */
static bool try_file(const struct gsym_store *store,
		     struct gsym_store_entry *entry, char *path,
		     bool optional)
{
	struct gsym_reader *reader;
	struct gsym_header header;
	struct gsym_error error = { 0 };
	enum gsym_status status;

	if (!is_file(path))
		return false;
	status = gsym_open(path, &reader, &error);
	if (status == GSYM_ERR_MEMORY) {
		entry->out_of_memory = true;
		return false;
	}
	if (status != GSYM_OK) {
		if (!optional || status != GSYM_ERR_FORMAT)
			report(store, entry, path,
			       error.message[0] ? error.message
						: gsym_status_text(status));
		return false;
	}
	gsym_get_header(reader, &header);
	if (!store->accept_any &&
	    !gsym_uuid_matches(header.uuid, header.uuid_size, entry->id,
			       entry->id_size)) {
		report(store, entry, path,
		       header.uuid_size ? "it has another build id"
					: "it has no build id");
		gsym_close(reader);
		return false;
	}
	if (store->check && gsym_checksum(reader, &error) == GSYM_ERR_CORRUPT) {
		report(store, entry, path, error.message);
		gsym_close(reader);
		return false;
	}
	entry->reader = reader;
	entry->path = path;
	return true;
}

/* The path of the build ID of ENTRY in DIRECTORY, to be freed by the caller:
 * with TREE .build-id/NN/REST, else REST (gsym/store.h), then SUFFIX.  NULL
 * without memory. */
static char *path_in(const char *directory,
		     const struct gsym_store_entry *entry, bool tree,
		     const char *suffix)
{
	char digits[2 * LONGEST_ID + 1], *path;
	size_t size = strlen(directory) + sizeof(digits) + 64;

	for (size_t i = 0; i < entry->id_size; i++)
		snprintf(digits + 2 * i, 3, "%02x", entry->id[i]);
	path = malloc(size);
	if (path && tree)
		snprintf(path, size, "%s/.build-id/%.2s/%s%s", directory,
			 digits, digits + 2, suffix);
	else if (path)
		snprintf(path, size, "%s/%s%s", directory, digits + 2, suffix);
	return path;
}

/* try_file for the path_in DIRECTORY. */
static bool try_path(const struct gsym_store *store,
		     struct gsym_store_entry *entry, const char *directory,
		     bool tree, const char *suffix, bool optional)
{
	char *path = path_in(directory, entry, tree, suffix);

	entry->out_of_memory |= !path;
	if (path && try_file(store, entry, path, optional))
		return true;
	free(path);
	return false;
}

/* Search all folders for the file of ENTRY. */
static bool search(const struct gsym_store *store,
		   struct gsym_store_entry *entry)
{
	for (int kind = GSYM_DIRECTORY; kind <= DEBUG_DIRECTORY; kind++)
		for (size_t i = 0; i < store->directories.count; i++) {
			const struct directory *d =
				&store->directories.items[i];

			if ((int)d->kind != kind)
				continue;
			if (try_path(store, entry, d->path, true,
				     ".debug.gsym", false))
				return true;
			if (kind == GSYM_DIRECTORY
				    ? try_path(store, entry, d->path, false,
					       ".debug.gsym", false)
				    : try_path(store, entry, d->path, true,
					       ".debug", true))
				return true;
		}
	return store->cache && try_path(store, entry, store->cache, true,
					".debug.gsym", false);
}

/* The link to the entry with the SIZE bytes of build ID at ID.  If there is no
 * such entry, the link is NULL, and a new entry is to be stored there. */
static struct gsym_store_entry **slot_of(struct gsym_store *store,
					 const uint8_t *id, size_t size)
{
	struct gsym_store_entry **at =
		&store->buckets[gsym_hash_bytes((uintptr_t)store, id, size) %
				BUCKETS];

	while (*at && ((*at)->id_size != size ||
		       memcmp((*at)->id, id, size) != 0))
		at = &(*at)->next;
	return at;
}

static struct gsym_store_entry *entry_new(const struct gsym_store *store,
					  const uint8_t *id, size_t size)
{
	struct gsym_store_entry *entry = calloc(1, sizeof(*entry));

	if (!entry || !(entry->id = malloc(size))) {
		free(entry);
		return NULL;
	}
	memcpy(entry->id, id, size);
	entry->id_size = size;
	entry->store = store;
	return entry;
}

/* Free the entries without a file, and the reports about them. */
static void forget_missing(struct gsym_store *store)
{
	store->missing = 0;
	for (size_t i = 0; i < BUCKETS; i++) {
		struct gsym_store_entry **at = &store->buckets[i];

		while (*at) {
			struct gsym_store_entry *entry = *at;

			if (entry->reader) {
				at = &entry->next;
				continue;
			}
			*at = entry->next;
			entry_free(entry);
		}
	}
}

enum gsym_status gsym_store_find(struct gsym_store *store, const uint8_t *id,
				 size_t size,
				 const struct gsym_store_entry **ret,
				 struct gsym_error *error)
{
	struct gsym_store_entry **slot, *entry;

	if (!store || !ret)
		return gsym_fail_argument(error);
	if (!id || !size || size > LONGEST_ID)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "not a build id");
	slot = slot_of(store, id, size);
	if (!*slot) {
		if (store->missing >= MOST_MISSING) {
			forget_missing(store);
			slot = slot_of(store, id, size);
		}
		*slot = entry_new(store, id, size);
		if (!*slot)
			return gsym_fail_memory(error);
		store->missing++;
	}
	*ret = entry = *slot;
	if (!entry->reader && entry->searched != store->round) {
		entry->searched = store->round;
		entry->out_of_memory = false;
		store->missing -= search(store, entry);
	}
	if (entry->reader)
		return GSYM_OK;
	return entry->out_of_memory ? gsym_fail_memory(error)
				    : GSYM_NOT_FOUND;
}

void gsym_store_retry(struct gsym_store *store)
{
	if (store)
		store->round++;
}

const struct gsym_reader *
gsym_store_reader(const struct gsym_store_entry *entry)
{
	return entry ? entry->reader : NULL;
}

const char *gsym_store_path(const struct gsym_store_entry *entry)
{
	return entry ? entry->path : NULL;
}

/* ---- symbols ----------------------------------------------------------- */

/* The symbols of the ELF file that PATH, the file of an entry, belongs to:
 * PATH without ".gsym", or PATH itself, which then is an ELF file with a
 * section ".gsym".  NULL if there are none. */
static struct gsym_symbols *open_beside(const char *path)
{
	static const char suffix[] = ".gsym";
	struct gsym_symbols *symbols;
	size_t length = strlen(path);
	char *name = strdup(path);

	if (!name)
		return NULL;
	if (length > sizeof(suffix) &&
	    strcmp(path + length - sizeof(suffix) + 1, suffix) == 0)
		name[length - sizeof(suffix) + 1] = 0;
	symbols = gsym_symbols_open(name);
	free(name);
	return symbols;
}

static struct gsym_symbols *open_in(const char *directory,
				    const struct gsym_store_entry *entry)
{
	char *path = path_in(directory, entry, true, ".debug");
	struct gsym_symbols *symbols = path ? gsym_symbols_open(path) : NULL;

	free(path);
	return symbols;
}

/* The symbols of ENTRY, which are opened by the first call; NULL if there are
 * none. */
static const struct gsym_symbols *symbols_of(struct gsym_store_entry *entry)
{
	const struct gsym_store *store = entry->store;

	if (entry->symbols_tried || !entry->path)
		return entry->symbols;
	entry->symbols_tried = true;
	entry->symbols = open_beside(entry->path);
	for (size_t i = 0; i < store->directories.count && !entry->symbols; i++)
		if (store->directories.items[i].kind == DEBUG_DIRECTORY)
			entry->symbols = open_in(
				store->directories.items[i].path, entry);
	return entry->symbols;
}

enum gsym_status
gsym_store_symbol_at_sized(const struct gsym_store_entry *entry,
			   uint64_t address, unsigned flags,
			   struct gsym_store_symbol *ret, size_t ret_size)
{
	const struct gsym_symbols *symbols;
	struct gsym_store_symbol found;

	if (!entry || !ret || flags & ~(unsigned)GSYM_STORE_FAR ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_store_symbol, size))
		return GSYM_ERR_ARGUMENT;
	/* The entry is the store's, so it may be written to. */
	symbols = symbols_of((struct gsym_store_entry *)entry);
	if (!symbols || !gsym_symbols_find(symbols, address, flags, &found))
		return GSYM_NOT_FOUND;
	gsym_sized_copy(ret, ret_size, &found, sizeof(found));
	return GSYM_OK;
}
