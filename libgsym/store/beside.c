/* SPDX-License-Identifier: MIT */
/* The program files that belong to the GSYM file of an entry: their symbols,
 * and the program headers of the program. */
#include "store/entry.h"

#include "base/debug_path.h"
#include "base/error.h"

#include <string.h>

/* Take what is wanted for ENTRY from the file PATH, which is there.
 * GSYM_NOT_FOUND: the file does not have it. */
typedef enum gsym_status take_fn(struct gsym_store_entry *entry,
				 const char *path, struct gsym_error *error);

/* Call TAKE for the file PATH, which is freed; NULL: there is no memory.
 * GSYM_NOT_FOUND: there is no such file.  GSYM_ERR_IO is the error of the
 * store. */
static enum gsym_status try_path(struct gsym_store_entry *entry, char *path,
				 take_fn *take)
{
	struct gsym_error error = { 0 };
	enum gsym_status status = path ? gsym_store_look(path, &error)
				       : GSYM_ERR_MEMORY;

	if (status == GSYM_OK)
		status = take(entry, path, &error);
	if (status == GSYM_ERR_IO)
		gsym_store_fail(entry->store, status, path, error.message);
	free(path);
	return status;
}

/* The path of the program file beside the GSYM file PATH: PATH without ".gsym",
 * or PATH itself, which then is an ELF file with a section ".gsym".  NULL
 * without memory. */
static char *path_beside(const char *path)
{
	static const char suffix[] = ".gsym";
	size_t length = strlen(path);
	char *name = strdup(path);

	if (name && length > sizeof(suffix) &&
	    strcmp(path + length - sizeof(suffix) + 1, suffix) == 0)
		name[length - sizeof(suffix) + 1] = 0;
	return name;
}

/* Call TAKE for the files that ENTRY may have until one has what is wanted:
 * the one beside its GSYM file, then those of the debug folders.  GSYM_ERR_IO:
 * none has it, and one cannot be opened. */
static enum gsym_status try_each(struct gsym_store_entry *entry, take_fn *take)
{
	const struct gsym_store *store = entry->store;
	enum gsym_status status = GSYM_NOT_FOUND, trouble = GSYM_NOT_FOUND;

	if (entry->path)
		status = try_path(entry, path_beside(entry->path), take);
	for (size_t i = 0; i < store->directories.count &&
			   (status == GSYM_NOT_FOUND || status == GSYM_ERR_IO);
	     i++) {
		const struct directory *d = &store->directories.items[i];

		if (status == GSYM_ERR_IO)
			trouble = status;
		if (d->kind == DEBUG_DIRECTORY)
			status = try_path(entry,
					  gsym_debug_path_of_id(
						  d->path, entry->id,
						  entry->id_size, ".debug"),
					  take);
	}
	return status == GSYM_NOT_FOUND ? trouble : status;
}

/* ---- symbols ----------------------------------------------------------- */

static enum gsym_status take_symbols(struct gsym_store_entry *entry,
				     const char *path, struct gsym_error *error)
{
	gsym_store_keep_limit(entry->store, 1);
	return gsym_symbols_open(path, entry->store->copy, &entry->symbols,
				 error);
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
	    !gsym_symbols_sort_names(entry->symbols))
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
	if (!gsym_symbols_find(entry->symbols, address, flags, ret))
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
	if (!gsym_symbols_named(entry->symbols, name, size, skip, ret))
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

/* Set *RET to the loaded segments in the SIZE bytes of a file at BYTES, if
 * they are those of the program of ENTRY. */
static enum gsym_status read_loads(const struct gsym_store_entry *entry,
				   const uint8_t *bytes, size_t size,
				   struct object_loads **ret)
{
	uint8_t room[PE_PDB_SIZE];
	struct object_loads loads;
	struct object object;
	const uint8_t *id;
	size_t id_size;

	if (gsym_object_open(bytes, size, &object, NULL) != GSYM_OK)
		return GSYM_NOT_FOUND;
	id = gsym_object_id(&object, room, &id_size);
	if (!is_of(entry, id, id_size) ||
	    !gsym_object_loads(&object, &loads))
		return GSYM_NOT_FOUND;
	*ret = malloc(sizeof(**ret));
	if (!*ret)
		return GSYM_ERR_MEMORY;
	**ret = loads;
	return GSYM_OK;
}

static enum gsym_status take_loads(struct gsym_store_entry *entry,
				   const char *path, struct gsym_error *error)
{
	const uint8_t *bytes;
	size_t size;
	enum gsym_status status = gsym_mapped_open(path, entry->store->copy,
						   &bytes, &size, error);

	if (status != GSYM_OK)
		return status;
	status = read_loads(entry, bytes, size, &entry->loads);
	gsym_mapped_close(bytes, size);
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

enum gsym_status gsym_store_address_of(const struct gsym_store_entry *entry,
				       uint64_t offset, uint64_t *address,
				       struct gsym_error *error)
{
	struct gsym_store *store;
	enum gsym_status status;

	if (!entry || !address)
		return gsym_fail_argument(error);
	store = entry->store;
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
	if (status != GSYM_OK)
		return status;
	return gsym_object_linked(entry->loads, offset, address)
		       ? GSYM_OK
		       : GSYM_NOT_FOUND;
}
