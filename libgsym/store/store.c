/* SPDX-License-Identifier: MIT */
/* Keeps the GSYM files of build IDs open, for any number of threads.  Does not
 * know where the files are, what is in them or how to make them. */
#include "store/entry.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/sized.h"

#include <string.h>

struct gsym_store *gsym_store_new(void)
{
	struct gsym_store *store = calloc(1, sizeof(*store));

	if (store && pthread_mutex_init(&store->lock, NULL) != 0) {
		free(store);
		return NULL;
	}
	if (store) {
		store->round = 1;
		store->idle.before = store->idle.after = &store->idle;
	}
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
	pthread_mutex_destroy(&store->lock);
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

void gsym_store_copy(struct gsym_store *store, bool copy)
{
	if (store)
		store->copy = copy;
}

void gsym_store_set_report(struct gsym_store *store,
			   gsym_store_report_fn *report, void *context)
{
	if (!store)
		return;
	store->report = report;
	store->context = context;
}

/* ---- entries ----------------------------------------------------------- */

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

static struct gsym_store_entry *entry_new(struct gsym_store *store,
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

/* Free the entries without a file that are not in use, and the reports about
 * them. */
static void forget_missing(struct gsym_store *store)
{
	store->missing = 0;
	for (size_t i = 0; i < BUCKETS; i++) {
		struct gsym_store_entry **at = &store->buckets[i];

		while (*at) {
			struct gsym_store_entry *entry = *at;

			if (entry->path || entry->uses) {
				store->missing += !entry->path;
				at = &entry->next;
				continue;
			}
			*at = entry->next;
			store->open -= entry->symbols != NULL;
			gsym_store_idle_remove(entry);
			entry_free(entry);
		}
	}
}

/* Open the file of ENTRY, which was found before and closed because of the
 * limit.  If it cannot be used any more, ENTRY is one without a file. */
static void open_again(struct gsym_store *store,
		       struct gsym_store_entry *entry)
{
	char *path = entry->path;

	entry->path = NULL;
	if (gsym_store_try_file(store, entry, path, false)) {
		store->open++;
		return;
	}
	free(path);
	store->missing++;
	entry->searched = 0;
}

/* Open the GSYM file of ENTRY if it has one. */
static void open_entry(struct gsym_store *store,
		       struct gsym_store_entry *entry)
{
	if (entry->path && !entry->reader)
		open_again(store, entry);
	if (entry->path ||
	    (entry->searched == store->round && !entry->out_of_memory))
		return;
	entry->searched = store->round;
	entry->out_of_memory = false;
	entry->symbols_tried = entry->symbols != NULL;
	if (gsym_store_search(store, entry)) {
		store->missing--;
		store->open++;
	}
}

/* The entry of the SIZE bytes of build ID at ID, which is made if there is
 * none; NULL without memory. */
static struct gsym_store_entry *entry_of(struct gsym_store *store,
					 const uint8_t *id, size_t size)
{
	struct gsym_store_entry **slot = slot_of(store, id, size);

	if (*slot)
		return *slot;
	if (store->missing >= MOST_MISSING) {
		forget_missing(store);
		slot = slot_of(store, id, size);
	}
	*slot = entry_new(store, id, size);
	if (*slot)
		store->missing++;
	return *slot;
}

static enum gsym_status open_symbols(struct gsym_store_entry *entry);

/* gsym_store_find, or with SYMBOLS gsym_store_find_symbols. */
static enum gsym_status find(struct gsym_store *store, const uint8_t *id,
			     size_t size, bool symbols,
			     const struct gsym_store_entry **ret,
			     struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct gsym_store_entry *entry;

	if (!store || !ret)
		return gsym_fail_argument(error);
	if (!id || !size || size > LONGEST_ID)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "not a build id");
	pthread_mutex_lock(&store->lock);
	entry = entry_of(store, id, size);
	if (entry)
		open_entry(store, entry);
	if (!entry || (!entry->reader && entry->out_of_memory))
		status = GSYM_ERR_MEMORY;
	else if (!entry->reader)
		status = symbols ? open_symbols(entry) : GSYM_NOT_FOUND;
	if (status == GSYM_OK) {
		gsym_store_idle_remove(entry);
		entry->uses++;
	}
	pthread_mutex_unlock(&store->lock);
	*ret = status == GSYM_OK ? entry : NULL;
	return status == GSYM_ERR_MEMORY ? gsym_fail_memory(error) : status;
}

enum gsym_status gsym_store_find(struct gsym_store *store, const uint8_t *id,
				 size_t size,
				 const struct gsym_store_entry **ret,
				 struct gsym_error *error)
{
	return find(store, id, size, false, ret, error);
}

enum gsym_status gsym_store_find_symbols(struct gsym_store *store,
					 const uint8_t *id, size_t size,
					 const struct gsym_store_entry **ret,
					 struct gsym_error *error)
{
	return find(store, id, size, true, ret, error);
}

void gsym_store_release(const struct gsym_store_entry *entry)
{
	/* The entry is the store's, so it may be written to. */
	struct gsym_store_entry *own = (struct gsym_store_entry *)entry;

	if (!entry)
		return;
	pthread_mutex_lock(&own->store->lock);
	if (own->uses && --own->uses == 0) {
		if (own->reader || own->symbols)
			gsym_store_idle_add(own);
		gsym_store_keep_limit(own->store, 0);
	}
	pthread_mutex_unlock(&own->store->lock);
}

void gsym_store_set_limit(struct gsym_store *store, size_t files)
{
	if (!store)
		return;
	pthread_mutex_lock(&store->lock);
	store->limit = files;
	gsym_store_keep_limit(store, 0);
	pthread_mutex_unlock(&store->lock);
}

void gsym_store_retry(struct gsym_store *store)
{
	if (!store)
		return;
	pthread_mutex_lock(&store->lock);
	store->round++;
	pthread_mutex_unlock(&store->lock);
}

const struct gsym_reader *
gsym_store_reader(const struct gsym_store_entry *entry)
{
	const struct gsym_reader *reader;

	if (!entry)
		return NULL;
	pthread_mutex_lock(&entry->store->lock);
	reader = entry->reader;
	pthread_mutex_unlock(&entry->store->lock);
	return reader;
}

const char *gsym_store_path(const struct gsym_store_entry *entry)
{
	const char *path;

	if (!entry)
		return NULL;
	pthread_mutex_lock(&entry->store->lock);
	path = entry->path;
	pthread_mutex_unlock(&entry->store->lock);
	return path;
}

/* ---- symbols ----------------------------------------------------------- */

/* gsym_symbols_open, within the limit. */
static enum gsym_status open_elf(struct gsym_store *store, const char *path,
				 struct gsym_symbols **ret)
{
	if (!gsym_store_is_file(path))
		return GSYM_NOT_FOUND;
	gsym_store_keep_limit(store, 1);
	return gsym_symbols_open(path, ret);
}

/* Open the symbols of the ELF file that PATH, the file of an entry, belongs to:
 * PATH without ".gsym", or PATH itself, which then is an ELF file with a
 * section ".gsym".  Returns as gsym_symbols_open. */
static enum gsym_status open_beside(struct gsym_store *store, const char *path,
				    struct gsym_symbols **ret)
{
	static const char suffix[] = ".gsym";
	enum gsym_status status;
	size_t length = strlen(path);
	char *name = strdup(path);

	if (!name)
		return GSYM_ERR_MEMORY;
	if (length > sizeof(suffix) &&
	    strcmp(path + length - sizeof(suffix) + 1, suffix) == 0)
		name[length - sizeof(suffix) + 1] = 0;
	status = open_elf(store, name, ret);
	free(name);
	return status;
}

static enum gsym_status open_in(struct gsym_store *store, const char *directory,
				const struct gsym_store_entry *entry,
				struct gsym_symbols **ret)
{
	char *path = gsym_store_path_in(directory, entry, true, ".debug");
	enum gsym_status status =
		path ? open_elf(store, path, ret) : GSYM_ERR_MEMORY;

	free(path);
	return status;
}

/* Open the symbols of ENTRY, unless an earlier call did so or found none.
 * GSYM_NOT_FOUND: there are none.  GSYM_ERR_MEMORY: the next call tries again.
 * The lock is held. */
static enum gsym_status open_symbols(struct gsym_store_entry *entry)
{
	struct gsym_store *store = entry->store;
	enum gsym_status status = GSYM_NOT_FOUND;

	if (entry->symbols)
		return GSYM_OK;
	if (entry->symbols_tried)
		return GSYM_NOT_FOUND;
	if (entry->path)
		status = open_beside(store, entry->path, &entry->symbols);
	for (size_t i = 0;
	     i < store->directories.count && status == GSYM_NOT_FOUND; i++)
		if (store->directories.items[i].kind == DEBUG_DIRECTORY)
			status =
				open_in(store, store->directories.items[i].path,
					entry, &entry->symbols);
	entry->symbols_tried = status != GSYM_ERR_MEMORY;
	store->open += status == GSYM_OK;
	return status;
}

/* As open_symbols, for ENTRY, which the caller uses: its symbols stay open
 * after the lock is released.  NAMED: sort the names, too. */
static enum gsym_status use_symbols(const struct gsym_store_entry *entry,
				    bool named)
{
	enum gsym_status status;

	pthread_mutex_lock(&entry->store->lock);
	/* The entry is the store's, so it may be written to. */
	status = open_symbols((struct gsym_store_entry *)entry);
	if (status == GSYM_OK && named &&
	    !gsym_symbols_sort_names(entry->symbols))
		status = GSYM_ERR_MEMORY;
	pthread_mutex_unlock(&entry->store->lock);
	return status;
}

enum gsym_status
gsym_store_symbol_at_sized(const struct gsym_store_entry *entry,
			   uint64_t address, unsigned flags,
			   struct gsym_store_symbol *ret, size_t ret_size)
{
	struct gsym_store_symbol found;
	enum gsym_status status;

	if (!entry || !ret || flags & ~(unsigned)GSYM_STORE_FAR ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_store_symbol, size))
		return GSYM_ERR_ARGUMENT;
	status = use_symbols(entry, false);
	if (status != GSYM_OK)
		return status;
	if (!gsym_symbols_find(entry->symbols, address, flags, &found))
		return GSYM_NOT_FOUND;
	gsym_sized_copy(ret, ret_size, &found, sizeof(found));
	return GSYM_OK;
}

enum gsym_status
gsym_store_symbol_named_sized(const struct gsym_store_entry *entry,
			      const char *name, size_t size, size_t skip,
			      struct gsym_store_symbol *ret, size_t ret_size)
{
	struct gsym_store_symbol found;
	enum gsym_status status;

	if (!entry || !name || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_store_symbol, size))
		return GSYM_ERR_ARGUMENT;
	status = use_symbols(entry, true);
	if (status != GSYM_OK)
		return status;
	if (!gsym_symbols_named(entry->symbols, name, size, skip, &found))
		return GSYM_NOT_FOUND;
	gsym_sized_copy(ret, ret_size, &found, sizeof(found));
	return GSYM_OK;
}
