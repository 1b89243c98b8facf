/* SPDX-License-Identifier: MIT */
/* Finds GSYM files by build ID in folders, and closes files that are not in
 * use, so that no more are open than the limit.  Knows the names of files, not
 * the contents of GSYM data or how to make them. */
#include "store/entry.h"

#include "base/debug_path.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
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
	gsym_symbols_close(oldest->symbols);
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
	uint64_t *to;

	tell(store, path, why);
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

enum gsym_status gsym_store_look(const char *path, struct gsym_error *error)
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

void gsym_store_fail(struct gsym_store *store, enum gsym_status status,
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
	gsym_store_fail(entry->store, status, path, why);
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

	status = gsym_store_look(path, &error);
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
