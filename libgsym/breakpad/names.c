/* SPDX-License-Identifier: MIT */
/* What leaves the room: warnings, which a batch keeps until the merge;
 * progress; strings, and the maps of FILE and INLINE_ORIGIN records. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "breakpad/file.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/system.h"
#include "container/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- warnings and progress ----------------------------------------------- */

/* Memory of text is released in steps of so many bytes. */
enum { FORGET_BYTES = 4 << 20 };

void gsym_bp_warn(struct bp_file *file, enum gsym_warning kind, uint64_t line,
		  const char *text)
{
	if (line)
		gsym_container_tell(file->options, kind, "line %" PRIu64 ": %s",
				    line, text);
	else
		gsym_container_tell(file->options, kind, "%s", text);
}

void gsym_bp_warn_missing_file(struct bp_file *file, uint32_t id)
{
	char text[64];

	if (file->missing.count >= BP_MAX_MISSING)
		return;
	for (size_t i = 0; i < file->missing.count; i++)
		if (file->missing.items[i] == id)
			return;
	if (!gsym_vec_add(&file->missing, id))
		return;
	snprintf(text, sizeof(text), "FILE %" PRIu32 " is used and not defined",
		 id);
	gsym_bp_warn(file, GSYM_WARN_UNKNOWN_RECORD, 0, text);
}

/* Release the memory of the text before AT, the place that is being read, in
 * steps of 4 MiB. */
static void forget(struct bp_file *file, const char *at)
{
	bool back = at < file->forgotten;

	if (!back && (size_t)(at - file->forgotten) < FORGET_BYTES)
		return;
	/* The second pass starts at the front again: release the end of the
	 * text, too, because it is needed last. */
	gsym_pages_release(file->text.at,
			   (size_t)((back ? file->text.end : at) -
				    file->text.at));
	file->forgotten = at;
}

bool gsym_bp_progress(struct bp_file *file, const char *at, unsigned pass)
{
	uint64_t size = bp_length(file->text);

	forget(file, at);
	return !file->options->progress ||
	       file->options->progress(file->options->context,
				       (uint64_t)(at - file->text.at) +
					       (pass + file->copied) * size,
				       (2 + file->copied) * size);
}

/* ---- batches ------------------------------------------------------------- */

/* Warnings of a batch that are kept as text; further ones are counted by
 * kind. */
enum { MAX_WARNINGS = 4096 };

void gsym_bp_batch_fini(struct bp_batch *batch)
{
	gsym_vec_fini(&batch->items);
	gsym_vec_fini(&batch->rows);
	gsym_vec_fini(&batch->inlines);
	gsym_vec_fini(&batch->ranges);
	gsym_vec_fini(&batch->warnings);
	gsym_vec_fini(&batch->missing);
}

void gsym_bp_batch_warn(struct bp_batch *batch, enum gsym_warning kind,
			uint64_t line, const char *text, uint64_t count)
{
	if (!count)
		return;
	if (batch->warnings.count >= MAX_WARNINGS ||
	    !gsym_vec_add(&batch->warnings,
			  (struct bp_warning){ kind, line, text, count }))
		batch->more[kind] += count;
}

void gsym_bp_batch_missing(struct bp_batch *batch, int64_t id)
{
	if (id < 0 || batch->missing.count >= BP_MAX_MISSING)
		return;
	for (size_t i = 0; i < batch->missing.count; i++)
		if (batch->missing.items[i] == id)
			return;
	(void)gsym_vec_add(&batch->missing, (uint32_t)id);
}

/* ---- strings ------------------------------------------------------------- */

enum gsym_status gsym_bp_string(struct bp_file *file, struct bp_text text,
				uint32_t *ret)
{
	size_t length = bp_length(text);
	enum gsym_status status =
		file->sink.string(file->sink.self, text.at, length, ret);
	char *copy;

	/* The sink refuses strings with a NUL. */
	if (status != GSYM_ERR_ARGUMENT || !memchr(text.at, 0, length))
		return status;
	copy = malloc(length);
	if (!copy)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < length; i++)
		copy[i] = text.at[i] ? text.at[i] : '_';
	if (!file->told_of_nuls)
		gsym_bp_warn(file, GSYM_WARN_BAD_RECORD, 0,
			     "NUL bytes in a name; they become '_'");
	file->told_of_nuls = true;
	status = file->sink.string(file->sink.self, copy, length, ret);
	free(copy);
	return status;
}

enum gsym_status gsym_bp_strings(struct bp_file *file,
				 const struct bp_text *texts, size_t count,
				 uint32_t *numbers)
{
	struct gsym_text given[BP_TOGETHER];
	enum gsym_status status = GSYM_ERR_ARGUMENT;

	for (size_t i = 0; i < count; i++)
		given[i] =
			(struct gsym_text){ texts[i].at, bp_length(texts[i]) };
	if (file->sink.strings && count)
		status = file->sink.strings(file->sink.self, given, count,
					    numbers);
	if (status != GSYM_ERR_ARGUMENT)
		return status;
	/* A text has a NUL, or the sink takes no batches: add one at a time. */
	status = GSYM_OK;
	for (size_t i = 0; i < count && status == GSYM_OK; i++)
		status = gsym_bp_string(file, texts[i], &numbers[i]);
	return status;
}

static struct bp_text entry_text(const struct bp_map *map, uint32_t index)
{
	const struct bp_entry *entry = &map->entries.items[index];

	return (struct bp_text){ entry->at, entry->at + entry->length };
}

/* Sort the entries by id; entries of one id keep their order. */
static bool sort_entries(struct bp_map *map)
{
	struct bp_entry *entries = map->entries.items, *sorted;
	size_t count = map->entries.count, at = 1;
	struct gsym_sort_item *items;

	while (at < count && entries[at - 1].id <= entries[at].id)
		at++;
	if (at >= count)
		return true;
	items = calloc(count, 2 * sizeof(*items));
	sorted = malloc(count * sizeof(*sorted));
	if (items && sorted) {
		for (size_t i = 0; i < count; i++)
			items[i] = (struct gsym_sort_item){ entries[i].id,
							    (uint32_t)i, 0 };
		gsym_sort_by_key(items, count, items + count);
		for (size_t i = 0; i < count; i++)
			sorted[i] = entries[items[i].index];
		memcpy(entries, sorted, count * sizeof(*entries));
	}
	free(items);
	free(sorted);
	return items && sorted;
}

/* Make the array BY_ID, unless it would have more than four elements for each
 * entry. */
static bool index_ids(struct bp_map *map)
{
	size_t count = map->entries.count, i;
	uint64_t limit;

	if (!count)
		return true;
	limit = (uint64_t)map->entries.items[count - 1].id + 1;
	if (limit / 4 > count)
		return true;
	map->by_id = malloc((size_t)limit * sizeof(*map->by_id));
	if (!map->by_id)
		return false;
	map->limit = (size_t)limit;
	for (i = 0; i < limit; i++)
		map->by_id[i] = (uint32_t)count;
	for (i = 0; i < count; i++)
		map->by_id[map->entries.items[i].id] = (uint32_t)i;
	return true;
}

/* Sort the entries, keep the first of each id, and make the arrays.  NUMBERS
 * gets an element for each entry, one for ids without an entry, and EXTRA
 * more. */
static bool settle_map(struct bp_map *map, size_t extra)
{
	struct bp_entry *entries = map->entries.items;
	size_t kept = 0, numbers;

	/* struct gsym_sort_item has 32 bits for an index. */
	if (map->entries.count >= UINT32_MAX || !sort_entries(map))
		return false;
	for (size_t i = 0; i < map->entries.count; i++)
		if (!kept || entries[kept - 1].id != entries[i].id)
			entries[kept++] = entries[i];
	map->entries.count = kept;
	map->count = (uint32_t)kept;
	numbers = kept + 1 + extra;
	map->numbers = malloc(numbers * sizeof(*map->numbers));
	if (!map->numbers)
		return false;
	for (size_t i = 0; i < numbers; i++)
		map->numbers[i] = BP_NO_NUMBER;
	return index_ids(map);
}

void gsym_bp_map_fini(struct bp_map *map)
{
	gsym_vec_fini(&map->entries);
	free(map->numbers);
	free(map->files);
	free(map->by_id);
}

uint32_t gsym_bp_map_search(const struct bp_map *map, int64_t id)
{
	uint32_t found;

	/* BY_ID has every id of an entry, and no entry has a negative id. */
	if (map->limit || id < 0)
		return map->count;
	found = (uint32_t)GSYM_FIRST(i, 0, map->count,
				     map->entries.items[i].id >= id);
	return found < map->count && map->entries.items[found].id == id
		       ? found
		       : map->count;
}

/* INLINE_ORIGIN records of the old form have the id of a file before the name:
 * split them. */
static bool split_origins(struct bp_map *origins)
{
	origins->files = malloc(origins->count * sizeof(*origins->files) + 1);
	if (!origins->files)
		return false;
	for (uint32_t i = 0; i < origins->count; i++) {
		struct bp_entry *entry = &origins->entries.items[i];
		struct bp_text rest = entry_text(origins, i);

		origins->files[i] = -1;
		if (!bp_signed(&rest, &origins->files[i]))
			continue;
		rest = bp_rest(&rest);
		entry->at = rest.at;
		entry->length = (uint32_t)bp_length(rest);
	}
	return true;
}

/* The name of an origin that has none. */
static struct bp_text omitted_name(void)
{
	static const char omitted[] = "<name omitted>";

	return (struct bp_text){ omitted, omitted + sizeof(omitted) - 1 };
}

/* Hand the names of COUNT origins (at most BP_TOGETHER), from index FIRST on,
 * to the sink. */
static enum gsym_status number_some(struct bp_file *file, uint32_t first,
				    uint32_t count)
{
	struct bp_text names[BP_TOGETHER];

	for (uint32_t i = 0; i < count; i++) {
		names[i] = entry_text(&file->origins, first + i);
		if (!bp_length(names[i]))
			names[i] = omitted_name();
	}
	return gsym_bp_strings(file, names, count,
			       file->origins.numbers + first);
}

/* Hand the names of all origins to the sink, in the order of ids, which mostly
 * is that of the text.  The entries are freed if BY_ID replaces them. */
static enum gsym_status number_origins(struct bp_file *file)
{
	struct bp_map *origins = &file->origins;
	const char *before = file->text.at, *end;

	for (uint32_t i = 0; i < origins->count; i += BP_TOGETHER) {
		uint32_t count = origins->count - i < BP_TOGETHER
					 ? origins->count - i
					 : BP_TOGETHER;
		enum gsym_status status = number_some(file, i, count);

		if (status != GSYM_OK)
			return status;
		/* Release text only while names come in the order of the text;
		 * otherwise it would soon be read again. */
		end = entry_text(origins, i + count - 1).end;
		if (before && end >= before)
			forget(file, end);
		before = before && end >= before ? end : NULL;
	}
	if (origins->limit)
		gsym_vec_fini(&origins->entries);
	return GSYM_OK;
}

/* Returns true if PATH is empty or "??". */
static bool is_nameless(struct bp_text path)
{
	return path.at == path.end || bp_is(path, "??");
}

enum gsym_status gsym_bp_settle_names(struct bp_file *file)
{
	struct bp_map *files = &file->files;

	if (!settle_map(files, 1) || !settle_map(&file->origins, 0))
		return GSYM_ERR_MEMORY;
	file->old_inlines = file->inline_parity[1] > file->inline_parity[0];
	if (file->old_inlines && !split_origins(&file->origins))
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < files->count; i++)
		if (is_nameless(entry_text(files, i)))
			files->numbers[i] = GSYM_FILE_UNKNOWN;
	files->numbers[bp_unknown_file(file)] = GSYM_FILE_UNKNOWN;
	files->numbers[bp_no_source(file)] = GSYM_FILE_NOSRC;
	return number_origins(file);
}

/* Split PATH at its last separator, provided that readers of GSYM join the
 * parts to PATH again.  They join with '\\' if the directory has one and no
 * '/', else with '/'.  Any other path is a basename as a whole. */
static void split_path(struct bp_text path, struct bp_text *directory,
		       struct bp_text *basename)
{
	bool slash = memchr(path.at, '/', bp_length(path));
	bool backslash = memchr(path.at, '\\', bp_length(path));
	char separator = backslash && !slash ? '\\' : '/', joined;
	const char *at = memrchr(path.at, separator, bp_length(path));

	*directory = (struct bp_text){ path.at, path.at };
	*basename = path;
	/* Neither part may be empty: readers print no file without a
	 * basename. */
	if (!at || at == path.at || at + 1 == path.end)
		return;
	joined = memchr(path.at, '\\', (size_t)(at - path.at)) &&
				 !memchr(path.at, '/', (size_t)(at - path.at))
			 ? '\\'
			 : '/';
	if (joined != separator)
		return;
	directory->end = at;
	basename->at = at + 1;
}

enum gsym_status gsym_bp_file_number(struct bp_file *file, uint32_t index,
				     uint32_t *ret)
{
	uint32_t *number = &file->files.numbers[index];
	struct bp_text directory, basename;
	uint32_t strings[2];
	enum gsym_status status = GSYM_OK;

	if (*number == BP_NO_NUMBER) {
		split_path(entry_text(&file->files, index), &directory,
			   &basename);
		status = gsym_bp_string(file, directory, &strings[0]);
		if (status == GSYM_OK)
			status = gsym_bp_string(file, basename, &strings[1]);
		if (status == GSYM_OK)
			status = file->sink.file(file->sink.self, strings[0],
						 strings[1], number);
	}
	*ret = *number;
	return status;
}

enum gsym_status gsym_bp_origin_number(struct bp_file *file, uint32_t index,
				       uint32_t *ret)
{
	uint32_t *number = &file->origins.numbers[index];
	enum gsym_status status = GSYM_OK;

	if (*number == BP_NO_NUMBER)
		status = gsym_bp_string(file, omitted_name(), number);
	*ret = *number;
	return status;
}
