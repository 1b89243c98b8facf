/* SPDX-License-Identifier: MIT */
/* Finds the GSYM files and program files of build IDs in folders, and closes
 * files that are not in use, so that no more are open than the limit.  Knows
 * the names of files, not the contents of GSYM data or how to make them. */
#include "store/state.h"

#include <gsym/program.h>

#include "base/debug_path.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the limit of open files -------------------------------------------- */

void gsym_store_idle_add(struct gsym_store_entry *entry)
{
	struct gsym_store_entry *ring = &entry->store->idle;

	entry->before = ring->before;
	entry->after = ring;
	ring->before->after = entry;
	ring->before = entry;
}

void gsym_store_idle_remove(struct gsym_store_entry *entry)
{
	if (!entry->after)
		return;
	entry->before->after = entry->after;
	entry->after->before = entry->before;
	entry->before = entry->after = NULL;
}

/* Close the files of the entry that was not in use for the longest time.
 * Returns false if all entries with open files are in use. */
static bool close_oldest(struct gsym_store *store)
{
	struct gsym_store_entry *oldest = store->idle.after;

	if (oldest == &store->idle)
		return false;
	gsym_store_idle_remove(oldest);
	store->open -= (size_t)(oldest->reader != NULL) +
		       (size_t)(oldest->symbols != NULL);
	gsym_close(oldest->reader);
	gsym_module_close(oldest->symbols);
	oldest->reader = NULL;
	oldest->symbols = NULL;
	oldest->symbols_tried = false;
	return true;
}

void gsym_store_keep_limit(struct gsym_store *store, size_t more)
{
	while (store->limit && store->open + more > store->limit &&
	       close_oldest(store))
		;
}

/* ---- the folders -------------------------------------------------------- */

/* Tell the trace of the file PATH. */
static void tell(const struct gsym_store *store, const char *path,
		 const char *why)
{
	if (store->trace)
		store->trace(store->trace_context, path, why);
}

/* Report that the file PATH cannot be used for ENTRY and WHY, unless that was
 * reported before. */
static void report(const struct gsym_store *store,
		   struct gsym_store_entry *entry, const char *path,
		   const char *why)
{
	uint64_t hash = gsym_hash_bytes((uintptr_t)store, path, strlen(path));

	tell(store, path, why);
	hash = gsym_hash_bytes(hash, why, strlen(why));
	for (size_t i = 0; i < entry->reported.count; i++)
		if (entry->reported.items[i] == hash)
			return;
	(void)gsym_vec_add(&entry->reported, hash);
	if (store->report)
		store->report(store->context, path, why);
}

/* Whether there is a regular file PATH: GSYM_OK, GSYM_NOT_FOUND, or GSYM_ERR_IO
 * with ERROR set if the system does not tell. */
static enum gsym_status look(const char *path, struct gsym_error *error)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode) ? GSYM_OK : GSYM_NOT_FOUND;
	/* "%m" prints the text of errno, and unlike strerror uses no buffer
	 * that threads share. */
	return gsym_fd_is_absent(errno)
		       ? GSYM_NOT_FOUND
		       : gsym_fail(error, GSYM_ERR_IO, 0,
				   "cannot open the file: %m");
}

/* Let STATUS be the error of STORE, because of the file PATH and WHY. */
static void set_error(struct gsym_store *store, enum gsym_status status,
		      const char *path, const char *why)
{
	gsym_fail(&store->error, status, 0, "'%.160s': %s", path, why);
}

/* Let STATUS, GSYM_ERR_MEMORY or GSYM_ERR_IO, be the trouble of ENTRY, because
 * of the file PATH and WHY. */
static void set_trouble(struct gsym_store_entry *entry, enum gsym_status status,
			const char *path, const char *why)
{
	if (entry->trouble)
		return;
	entry->trouble = status;
	set_error(entry->store, status, path, why);
}

/* The file PATH for ENTRY was not opened, for the reason STATUS and ERROR.
 * With OPTIONAL it need not be a GSYM file. */
static void fail(const struct gsym_store *store, struct gsym_store_entry *entry,
		 const char *path, enum gsym_status status,
		 const struct gsym_error *error, bool optional)
{
	const char *why = error->message[0] ? error->message
					    : gsym_status_text(status);

	if (status == GSYM_ERR_MEMORY || status == GSYM_ERR_IO)
		set_trouble(entry, status, path, why);
	if (status != GSYM_ERR_MEMORY &&
	    (!optional || status != GSYM_ERR_FORMAT))
		report(store, entry, path, why);
	else
		tell(store, path, why);
}

/* Whether PATH is an alias of the file with the build ID of HEADER: a symbolic
 * link to the path of that build ID in the same tree. */
static bool is_alias(const char *path, const struct gsym_header *header)
{
	static const char up[] = "../../.build-id/", suffix[] = ".debug.gsym";
	const size_t frame = sizeof(up) - 1 + sizeof(suffix) - 1 + 1;
	char target[2 * LONGEST_ID + 64];
	ssize_t length = readlink(path, target, sizeof(target));
	char *digits = target + sizeof(up) - 1;
	uint8_t id[LONGEST_ID];
	size_t count;

	if (length < (ssize_t)frame + 4 || (size_t)length == sizeof(target) ||
	    memcmp(target, up, sizeof(up) - 1) != 0 ||
	    memcmp(target + length - (sizeof(suffix) - 1), suffix,
		   sizeof(suffix) - 1) != 0 ||
	    digits[2] != '/')
		return false;
	count = (size_t)length - frame;
	/* The digits together, without the slash after the first two. */
	memmove(digits + 2, digits + 3, count - 2);
	return count % 2 == 0 && count / 2 <= LONGEST_ID &&
	       gsym_digits_read(id, digits, count / 2) &&
	       gsym_uuid_matches(header->uuid, header->uuid_size, id,
				 count / 2);
}

bool gsym_store_try_file(struct gsym_store *store,
			 struct gsym_store_entry *entry, char *path,
			 bool optional)
{
	struct gsym_reader *reader;
	struct gsym_header header;
	struct gsym_error error = { 0 };
	enum gsym_status status;

	status = look(path, &error);
	if (status == GSYM_NOT_FOUND) {
		tell(store, path, "there is no such file");
		return false;
	}
	gsym_store_keep_limit(store, 1);
	if (status == GSYM_OK)
		status = store->copy ? gsym_open_copy(path, &reader, &error)
				     : gsym_open(path, &reader, &error);
	if (status != GSYM_OK) {
		fail(store, entry, path, status, &error, optional);
		return false;
	}
	gsym_get_header(reader, &header);
	if (!store->accept_any &&
	    !gsym_uuid_matches(header.uuid, header.uuid_size, entry->id,
			       entry->id_size) &&
	    !is_alias(path, &header)) {
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
	if (gsym_map_paths(reader, (const char *const *)store->paths.items,
			   store->paths.count, &error) != GSYM_OK) {
		report(store, entry, path, error.message);
		gsym_close(reader);
		return false;
	}
	tell(store, path, NULL);
	entry->reader = reader;
	entry->path = path;
	return true;
}

/* DIRECTORY/RESTSUFFIX, as gsym_debug_path_of_id. */
static char *path_without_tree(const char *directory,
			       const struct gsym_store_entry *entry,
			       const char *suffix)
{
	char digits[2 * LONGEST_ID + 1];

	gsym_digits(digits, sizeof(digits), entry->id, entry->id_size);
	return gsym_path_print("%s/%s%s", directory, digits + 2, suffix);
}

/* gsym_store_try_file for the path in DIRECTORY. */
static bool try_path(struct gsym_store *store, struct gsym_store_entry *entry,
		     const char *directory, bool tree, const char *suffix,
		     bool optional)
{
	char *path = tree ? gsym_debug_path_of_id(directory, entry->id,
						  entry->id_size, suffix)
			  : path_without_tree(directory, entry, suffix);

	if (!path)
		set_trouble(entry, GSYM_ERR_MEMORY, directory,
			    gsym_status_text(GSYM_ERR_MEMORY));
	if (path && gsym_store_try_file(store, entry, path, optional))
		return true;
	free(path);
	return false;
}

bool gsym_store_search(struct gsym_store *store, struct gsym_store_entry *entry)
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

/* ---- program files ------------------------------------------------------- */

/* The program files that belong to the GSYM file of an entry have symbols, and
 * the program headers of the program. */

/* Take what is wanted for ENTRY from the file PATH, which is there.
 * GSYM_NOT_FOUND: the file does not have it. */
typedef enum gsym_status take_fn(struct gsym_store_entry *entry,
				 const char *path, struct gsym_error *error);

/* Call TAKE for the file PATH, which is freed; NULL: there is no memory.
 * GSYM_NOT_FOUND: there is no such file.  GSYM_ERR_IO is the error of the
 * store. */
static enum gsym_status take_from(struct gsym_store_entry *entry, char *path,
				  take_fn *take)
{
	struct gsym_error error = { 0 };
	enum gsym_status status = path ? look(path, &error) : GSYM_ERR_MEMORY;

	if (status == GSYM_OK)
		status = take(entry, path, &error);
	if (status == GSYM_ERR_IO)
		set_error(entry->store, status, path, error.message);
	free(path);
	return status;
}

/* The path of the program file beside the GSYM file PATH: PATH without ".gsym",
 * or PATH itself, which then is an ELF file with a section ".gsym".  NULL
 * without memory. */
static char *path_beside(const char *path)
{
	return strndup(path, gsym_cut_end(path, strlen(path), ".gsym"));
}

/* Call TAKE for the files that ENTRY may have until one has what is wanted:
 * the one beside its GSYM file, then those of the debug folders.  GSYM_ERR_IO:
 * none has it, and one cannot be opened. */
static enum gsym_status try_each(struct gsym_store_entry *entry, take_fn *take)
{
	const struct gsym_store *store = entry->store;
	enum gsym_status status = GSYM_NOT_FOUND, trouble = GSYM_NOT_FOUND;

	if (entry->path)
		status = take_from(entry, path_beside(entry->path), take);
	for (size_t i = 0; i < store->directories.count &&
			   (status == GSYM_NOT_FOUND || status == GSYM_ERR_IO);
	     i++) {
		const struct directory *d = &store->directories.items[i];

		if (status == GSYM_ERR_IO)
			trouble = status;
		if (d->kind == DEBUG_DIRECTORY)
			status = take_from(entry,
					   gsym_debug_path_of_id(
						   d->path, entry->id,
						   entry->id_size, ".debug"),
					   take);
	}
	return status == GSYM_NOT_FOUND ? trouble : status;
}

/* Open the file PATH.  GSYM_NOT_FOUND: it is damaged, or of no known format. */
static enum gsym_status open_file(const struct gsym_store_entry *entry,
				  const char *path, struct gsym_module **ret,
				  struct gsym_error *error)
{
	enum gsym_status status = gsym_module_open_file(
		path, entry->store->copy, ret, error);

	return status == GSYM_OK || status == GSYM_ERR_IO ||
			       status == GSYM_ERR_MEMORY
		       ? status
		       : GSYM_NOT_FOUND;
}

/* ---- symbols ----------------------------------------------------------- */

static enum gsym_status take_symbols(struct gsym_store_entry *entry,
				     const char *path, struct gsym_error *error)
{
	struct gsym_module *m = NULL;
	enum gsym_status status;

	gsym_store_keep_limit(entry->store, 1);
	status = open_file(entry, path, &m, error);
	if (status == GSYM_OK)
		status = gsym_module_read_symbols(m);
	if (status == GSYM_OK)
		entry->symbols = m;
	else
		gsym_module_close(m);
	return status;
}

enum gsym_status gsym_store_open_symbols(struct gsym_store_entry *entry)
{
	enum gsym_status status;

	if (entry->symbols)
		return GSYM_OK;
	if (entry->symbols_tried)
		return GSYM_NOT_FOUND;
	status = try_each(entry, take_symbols);
	entry->symbols_tried = status == GSYM_OK || status == GSYM_NOT_FOUND;
	entry->store->open += status == GSYM_OK;
	return status;
}

/* As gsym_store_open_symbols, for ENTRY, which the caller uses: its symbols
 * stay open after the lock is released.  NAMED: sort the names, too. */
static enum gsym_status use_symbols(const struct gsym_store_entry *entry,
				    bool named)
{
	enum gsym_status status;

	pthread_mutex_lock(&entry->store->lock);
	/* The entry is the store's, so it may be written to. */
	status = gsym_store_open_symbols((struct gsym_store_entry *)entry);
	if (status == GSYM_OK && named &&
	    !gsym_module_sort_names(entry->symbols))
		status = GSYM_ERR_MEMORY;
	pthread_mutex_unlock(&entry->store->lock);
	return status;
}

enum gsym_status gsym_store_symbol_at(const struct gsym_store_entry *entry,
				      uint64_t address, unsigned flags,
				      struct gsym_store_symbol *ret)
{
	enum gsym_status status;

	if (!entry || !ret || flags & ~(unsigned)GSYM_STORE_FAR)
		return GSYM_ERR_ARGUMENT;
	status = use_symbols(entry, false);
	if (status != GSYM_OK)
		return status;
	if (!gsym_module_find_symbol(entry->symbols, address, flags, ret))
		return GSYM_NOT_FOUND;
	return GSYM_OK;
}

enum gsym_status gsym_store_symbol_named(const struct gsym_store_entry *entry,
					 const char *name, size_t size,
					 size_t skip,
					 struct gsym_store_symbol *ret)
{
	enum gsym_status status;

	if (!entry || !name || !ret)
		return GSYM_ERR_ARGUMENT;
	status = use_symbols(entry, true);
	if (status != GSYM_OK)
		return status;
	if (!gsym_module_named(entry->symbols, name, size, skip, ret))
		return GSYM_NOT_FOUND;
	return GSYM_OK;
}

/* ---- offsets in the program's file -------------------------------------- */

/* Whether the ID_SIZE bytes at ID are the build ID of ENTRY, or the one of its
 * GSYM data, which an alias led to. */
static bool is_of(const struct gsym_store_entry *entry, const uint8_t *id,
		  size_t id_size)
{
	struct gsym_header header = { 0 };

	if (entry->reader)
		gsym_get_header(entry->reader, &header);
	return gsym_uuid_matches(id, id_size, entry->id, entry->id_size) ||
	       gsym_uuid_matches(id, id_size, header.uuid, header.uuid_size);
}

/* Find the loaded segments in the file PATH, if they are those of the program
 * of ENTRY. */
static enum gsym_status take_loads(struct gsym_store_entry *entry,
				   const char *path, struct gsym_error *error)
{
	struct object_loads loads;
	struct gsym_module *m;
	enum gsym_status status = open_file(entry, path, &m, error);

	if (status != GSYM_OK)
		return status;
	if (!is_of(entry, m->id, m->id_size) ||
	    !gsym_object_loads(&m->object, &loads))
		status = GSYM_NOT_FOUND;
	else if (!(entry->loads = malloc(sizeof(loads))))
		status = GSYM_ERR_MEMORY;
	else
		*entry->loads = loads;
	gsym_module_close(m);
	return status;
}

/* Find the loaded segments of ENTRY, unless an earlier call did so or found
 * none.  The lock is held. */
static enum gsym_status open_loads(struct gsym_store_entry *entry)
{
	enum gsym_status status;

	if (entry->loads)
		return GSYM_OK;
	if (entry->loads_searched == entry->store->round)
		return GSYM_NOT_FOUND;
	status = try_each(entry, take_loads);
	if (status == GSYM_NOT_FOUND)
		entry->loads_searched = entry->store->round;
	return status;
}

/* Read the loaded segments of ENTRY, which is in use, if that was not done yet.
 * GSYM_ERR_UNSUPPORTED: no program headers are known. */
static enum gsym_status use_loads(const struct gsym_store_entry *entry,
				  struct gsym_error *error)
{
	struct gsym_store *store = entry->store;
	enum gsym_status status;

	pthread_mutex_lock(&store->lock);
	status = open_loads((struct gsym_store_entry *)entry);
	if (status == GSYM_ERR_IO && error)
		*error = store->error;
	pthread_mutex_unlock(&store->lock);
	if (status == GSYM_ERR_MEMORY)
		return gsym_fail_memory(error);
	if (status == GSYM_NOT_FOUND)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "the program headers are not known: install "
				 "the program, not its debug file alone");
	return status;
}

enum gsym_status gsym_store_address_of(const struct gsym_store_entry *entry,
				       uint64_t offset, uint64_t *address,
				       struct gsym_error *error)
{
	enum gsym_status status;

	if (!entry || !address)
		return gsym_fail_argument(error);
	status = use_loads(entry, error);
	if (status != GSYM_OK)
		return status;
	return gsym_object_linked(entry->loads, offset, address)
		       ? GSYM_OK
		       : GSYM_NOT_FOUND;
}

enum gsym_status gsym_store_addresses_of(const struct gsym_store_entry *entry,
					 const uint64_t *offsets, size_t count,
					 uint64_t *addresses,
					 struct gsym_error *error)
{
	enum gsym_status status;

	if (!entry || (count && (!offsets || !addresses)))
		return gsym_fail_argument(error);
	status = use_loads(entry, error);
	if (status != GSYM_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		uint64_t address;

		if (!gsym_object_linked(entry->loads, offsets[i], &address))
			address = UINT64_MAX;
		addresses[i] = address;
	}
	return GSYM_OK;
}
