/* SPDX-License-Identifier: MIT */
/* Keeps the GSYM files of build IDs open, for any number of threads.  Does not
 * know where the files are, what is in them or how to make them. */
#include "store/state.h"

#include <gsym/program.h>

#include "base/error.h"
#include "base/hash.h"

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
	gsym_module_close(entry->symbols);
	gsym_vec_fini(&entry->reported);
	free(entry->loads);
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
	gsym_path_map_fini(&store->paths);
	free(store->cache);
	free(store);
}

static enum gsym_status add_directory(struct gsym_store *store,
				      const char *path, int kind)
{
	char *copy;

	if (!store || !path)
		return GSYM_ERR_ARGUMENT;
	copy = strdup(path);
	if (copy &&
	    gsym_vec_add(&store->directories, (struct directory){ copy, kind }))
		return GSYM_OK;
	free(copy);
	return GSYM_ERR_MEMORY;
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

enum gsym_status gsym_store_map_paths(struct gsym_store *store,
				      const char *const *maps, size_t count)
{
	struct gsym_path_map paths = { 0 };

	if (!store || (!maps && count))
		return GSYM_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++)
		if (!maps[i] || !gsym_path_map_valid(maps[i]))
			return GSYM_ERR_ARGUMENT;
	if (!gsym_path_map_add(&paths, maps, count)) {
		gsym_path_map_fini(&paths);
		return GSYM_ERR_MEMORY;
	}
	gsym_path_map_fini(&store->paths);
	store->paths = paths;
	return GSYM_OK;
}

void gsym_store_set_report(struct gsym_store *store,
			   gsym_store_report_fn *report, void *context)
{
	if (!store)
		return;
	store->report = report;
	store->context = context;
}

void gsym_store_set_trace(struct gsym_store *store,
			  gsym_store_report_fn *trace, void *context)
{
	if (!store)
		return;
	store->trace = trace;
	store->trace_context = context;
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
	    (entry->searched == store->round && !entry->trouble))
		return;
	entry->searched = store->round;
	entry->trouble = GSYM_OK;
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

/* What a search for ENTRY found; with SYMBOLS those alone will do. */
static enum gsym_status result_of(struct gsym_store_entry *entry, bool symbols)
{
	enum gsym_status status = GSYM_NOT_FOUND;

	if (entry->reader)
		return GSYM_OK;
	if (symbols && entry->trouble != GSYM_ERR_MEMORY)
		status = gsym_store_open_symbols(entry);
	return status == GSYM_NOT_FOUND && entry->trouble ? entry->trouble
							  : status;
}

/* Set *RET to the entry of the SIZE bytes of build ID at ID, whose files are
 * searched for.  Returns what result_of says. */
static enum gsym_status find_one(struct gsym_store *store, const uint8_t *id,
				 size_t size, bool symbols,
				 struct gsym_store_entry **ret)
{
	*ret = entry_of(store, id, size);
	if (!*ret)
		return GSYM_ERR_MEMORY;
	open_entry(store, *ret);
	return result_of(*ret, symbols);
}

/* As find_one, for a build ID that nothing is known of, but that may have been
 * filled up with zeros: Android's simpleperf, perf before Linux 5.12 and
 * servers of symbols make all build IDs as long as SHA-1.  Zeros at the end may
 * belong to the build ID, so that each length is tried. */
static enum gsym_status find_shorter(struct gsym_store *store,
				     const uint8_t *id, size_t size,
				     bool symbols,
				     struct gsym_store_entry **ret)
{
	enum gsym_status status = GSYM_NOT_FOUND;
	size_t shorter = size;

	while (shorter > SHORTEST_PADDED && !id[shorter - 1])
		shorter--;
	for (; status == GSYM_NOT_FOUND && shorter < size; shorter++)
		status = find_one(store, id, shorter, symbols, ret);
	return status;
}

/* gsym_store_find, or with SYMBOLS gsym_store_find_symbols. */
static enum gsym_status find(struct gsym_store *store, const uint8_t *id,
			     size_t size, bool symbols,
			     const struct gsym_store_entry **ret,
			     struct gsym_error *error)
{
	struct gsym_store_entry *entry;
	enum gsym_status status;

	if (!store || !ret)
		return gsym_fail_argument(error);
	if (!id || !size || size > LONGEST_ID)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "not a build id");
	pthread_mutex_lock(&store->lock);
	status = find_one(store, id, size, symbols, &entry);
	if (status == GSYM_NOT_FOUND && size == PADDED)
		status = find_shorter(store, id, size, symbols, &entry);
	if (status == GSYM_OK) {
		gsym_store_idle_remove(entry);
		entry->uses++;
	}
	if (status == GSYM_ERR_IO && error)
		*error = store->error;
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
