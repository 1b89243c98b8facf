/* SPDX-License-Identifier: MIT */
/* Finds GSYM files by build ID in folders.  Knows the names of files, not the
 * contents of GSYM data or how to make them. */
#include "store/entry.h"

#include "base/digit.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

bool gsym_store_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool gsym_store_try_file(struct gsym_store *store,
			 struct gsym_store_entry *entry, char *path,
			 bool optional)
{
	struct gsym_reader *reader;
	struct gsym_header header;
	struct gsym_error error = { 0 };
	enum gsym_status status;

	if (!gsym_store_is_file(path))
		return false;
	gsym_store_keep_limit(store, 1);
	status = store->copy ? gsym_open_copy(path, &reader, &error)
			     : gsym_open(path, &reader, &error);
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

char *gsym_store_path_in(const char *directory,
			 const struct gsym_store_entry *entry, bool tree,
			 const char *suffix)
{
	char digits[2 * LONGEST_ID + 1], *path;
	size_t size = strlen(directory) + sizeof(digits) + 64;

	gsym_digits(digits, sizeof(digits), entry->id, entry->id_size);
	path = malloc(size);
	if (path && tree)
		snprintf(path, size, "%s/.build-id/%.2s/%s%s", directory,
			 digits, digits + 2, suffix);
	else if (path)
		snprintf(path, size, "%s/%s%s", directory, digits + 2, suffix);
	return path;
}

/* gsym_store_try_file for the path in DIRECTORY. */
static bool try_path(struct gsym_store *store, struct gsym_store_entry *entry,
		     const char *directory, bool tree, const char *suffix,
		     bool optional)
{
	char *path = gsym_store_path_in(directory, entry, tree, suffix);

	entry->out_of_memory |= !path;
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
