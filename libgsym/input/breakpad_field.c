/* SPDX-License-Identifier: MIT */
/* Numbers, names and the tables of numbered texts. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "input/breakpad_file.h"

#include <stdio.h>

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool bp_hex(struct bp_text field, uint64_t *ret)
{
	uint64_t value = 0;

	if (bp_length(field) > 2 && field.at[0] == '0' &&
	    (field.at[1] | 0x20) == 'x')
		field.at += 2;
	if (field.at == field.end)
		return false;
	for (; field.at < field.end; field.at++) {
		int digit = digit_of(*field.at);

		if (digit < 0 || value >> 60)
			return false;
		value = value << 4 | (unsigned)digit;
	}
	*ret = value;
	return value != UINT64_MAX;
}

bool bp_decimal(struct bp_text field, uint32_t *ret)
{
	uint64_t value = 0;

	if (field.at == field.end)
		return false;
	for (; field.at < field.end; field.at++) {
		if (*field.at < '0' || *field.at > '9')
			return false;
		value = value * 10 + (unsigned)(*field.at - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*ret = (uint32_t)value;
	return true;
}

bool bp_signed(struct bp_text field, int64_t *ret)
{
	bool negative = field.at < field.end && *field.at == '-';
	uint32_t value;

	if (negative)
		field.at++;
	if (!bp_decimal(field, &value))
		return false;
	*ret = negative ? -(int64_t)value : value;
	return true;
}

void bp_warn(struct bp_file *file, enum gsym_warning kind, uint64_t line,
	     const char *text)
{
	char message[256];

	if (!file->options->warn)
		return;
	if (line)
		snprintf(message, sizeof(message), "line %llu: %s",
			 (unsigned long long)line, text);
	else
		snprintf(message, sizeof(message), "%s", text);
	file->options->warn(file->options->context, kind, message);
}

enum gsym_status bp_string(struct bp_file *file, struct bp_text text,
			   uint32_t *ret)
{
	size_t length = bp_length(text);
	enum gsym_status status;
	char *copy;

	if (!memchr(text.at, 0, length))
		return file->sink.string(file->sink.self, text.at, length, ret);
	copy = malloc(length);
	if (!copy)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < length; i++)
		copy[i] = text.at[i] ? text.at[i] : '_';
	if (!file->told[GSYM_WARN_BAD_RECORD]++)
		bp_warn(file, GSYM_WARN_BAD_RECORD, 0,
			"NUL bytes in a name; they become '_'");
	status = file->sink.string(file->sink.self, copy, length, ret);
	free(copy);
	return status;
}

static int by_id(const void *a, const void *b)
{
	const struct bp_entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void bp_map_settle(struct bp_map *map)
{
	struct bp_entry *entries = map->entries.items;
	size_t kept = 0;

	if (map->entries.count)
		qsort(entries, map->entries.count, sizeof(*entries), by_id);
	for (size_t i = 0; i < map->entries.count; i++)
		if (!kept || entries[kept - 1].id != entries[i].id)
			entries[kept++] = entries[i];
	map->entries.count = kept;
}

struct bp_entry *bp_map_find(struct bp_map *map, int64_t id)
{
	size_t low = 0, high = map->entries.count;

	if (id < 0)
		return NULL;
	/* As a rule ids count from 0, or from 1. */
	for (int64_t at = id; at >= 0 && at >= id - 1; at--)
		if ((uint64_t)at < high &&
		    map->entries.items[at].id == (uint64_t)id)
			return &map->entries.items[at];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->entries.items[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < map->entries.count && map->entries.items[low].id == id ?
		       &map->entries.items[low] :
		       NULL;
}

/* A path in two parts, at its last separator, if a reader that joins them
 * gets it back: it takes '\\' if the directory has that and no '/'. */
static void split_path(struct bp_text path, struct bp_text *directory,
		       struct bp_text *basename)
{
	bool slash = memchr(path.at, '/', bp_length(path));
	bool backslash = memchr(path.at, '\\', bp_length(path));
	char separator = backslash && !slash ? '\\' : '/', joined;
	const char *at = memrchr(path.at, separator, bp_length(path));

	*directory = (struct bp_text){ path.at, path.at };
	*basename = path;
	/* Readers print no file without a last part. */
	if (!at || at == path.at || at + 1 == path.end)
		return;
	joined = memchr(path.at, '\\', (size_t)(at - path.at)) &&
				 !memchr(path.at, '/', (size_t)(at - path.at)) ?
			 '\\' :
			 '/';
	if (joined != separator)
		return;
	directory->end = at;
	basename->at = at + 1;
}

static enum gsym_status number_file(struct bp_file *file,
				    struct bp_entry *entry)
{
	struct bp_text directory, basename;
	uint32_t strings[2];
	enum gsym_status status;

	split_path(entry->text, &directory, &basename);
	status = bp_string(file, directory, &strings[0]);
	if (status == GSYM_OK)
		status = bp_string(file, basename, &strings[1]);
	if (status == GSYM_OK)
		status = file->sink.file(file->sink.self, strings[0],
					 strings[1], &entry->number);
	return status;
}

/* Tell once of each of the first files that are used and not defined. */
static void note_missing(struct bp_file *file, int64_t id)
{
	enum { MOST = 64 };
	char text[64];
	uint32_t *added;

	if (id < 0 || file->missing.count >= MOST)
		return;
	for (size_t i = 0; i < file->missing.count; i++)
		if (file->missing.items[i] == id)
			return;
	added = gsym_vec_push(&file->missing);
	if (!added)
		return;
	*added = (uint32_t)id;
	snprintf(text, sizeof(text), "FILE %lu is used and not defined",
		 (unsigned long)id);
	bp_warn(file, GSYM_WARN_UNKNOWN_RECORD, 0, text);
}

enum gsym_status bp_source(struct bp_file *file, int64_t id, uint32_t *ret)
{
	struct bp_entry *entry = bp_map_find(&file->files, id);
	enum gsym_status status = GSYM_OK;

	*ret = GSYM_FILE_UNKNOWN;
	if (!entry)
		note_missing(file, id);
	if (!entry || entry->text.at == entry->text.end)
		return GSYM_OK;
	if (entry->number == BP_NO_NUMBER)
		status = number_file(file, entry);
	*ret = entry->number;
	return status;
}
