/* SPDX-License-Identifier: MIT */
/*
 * reader/names.c - an index from names of functions to their records: a
 * table of buckets, in which each entry has a hash and the index of a record.
 *
 * The entries of all buckets are one array, in the order of the buckets and,
 * within a bucket, of the records.  So many functions of one name, which are
 * common in files of Go and of C++, cost no more than as many different names:
 * they are never compared with each other, and a binary search in the bucket
 * finds the next one.
 */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/order.h"
#include "reader/reader.h"

#include <gsym/names.h>

#include <stdlib.h>

/* The number of bytes of a name that are hashed.  Strings may overlap in a
 * file, so the names of a hostile file may have far more bytes than the file
 * has: the hashes of all of them must not depend on their length. */
enum { HASHED = 1024 };

struct entry {
	uint32_t hash;
	uint32_t index;
};

struct gsym_name_index {
	const struct gsym_reader *reader;
	/* A hash belongs to the bucket hash >> shift. */
	unsigned shift;
	struct entry *entries;
	/* Bucket B is entries[starts[B]] up to entries[starts[B + 1]]. */
	uint32_t *starts;
};

/* The hash of NAME, of SIZE bytes.  The address of NAMES is the secret. */
static uint32_t hash_of(const struct gsym_name_index *names, const char *name,
			size_t size)
{
	return (uint32_t)gsym_hash_bytes((uintptr_t)names, name,
					 size < HASHED ? size : HASHED);
}

/* The name of record INDEX; NULL if the record has none.  *LEFT becomes the
 * number of bytes up to the last NUL of the string table. */
static const char *name_at(const struct gsym_reader *reader, uint32_t index,
			   uint64_t *left)
{
	uint64_t offset = gsym_reader_name(reader, index);

	if (!offset)
		return NULL;
	*left = reader->layout.strings_size - 1 - offset;
	return gsym_layout_string(&reader->layout, offset);
}

/* Write an entry for each record with a name to RET, in their order.  Returns
 * the number of entries.  Neighbours have names far from each other in the
 * string table: those of BATCH records are fetched before they are hashed. */
static uint32_t hash_names(const struct gsym_name_index *names,
			   struct entry *ret)
{
	enum { BATCH = 64 };
	uint32_t records = names->reader->layout.count, count = 0, n;

	for (uint32_t first = 0; first < records; first += n) {
		const char *name[BATCH];
		uint64_t left[BATCH];

		n = records - first < BATCH ? records - first : BATCH;
		for (uint32_t i = 0; i < n; i++) {
			name[i] = name_at(names->reader, first + i, &left[i]);
			__builtin_prefetch(name[i]);
		}
		for (uint32_t i = 0; i < n; i++) {
			size_t size;

			if (!name[i])
				continue;
			size = left[i] < HASHED ? (size_t)left[i] : HASHED;
			size = strnlen(name[i], size);
			ret[count++] = (struct entry){
				hash_of(names, name[i], size), first + i
			};
		}
	}
	return count;
}

/* Fill the buckets with the COUNT entries at HASHED_NAMES, which keep their
 * order within a bucket. */
static void fill_buckets(struct gsym_name_index *names,
			 const struct entry *hashed_names, uint32_t count)
{
	uint32_t buckets = UINT32_MAX >> names->shift;
	uint32_t *starts = names->starts;

	/* First starts[B + 1] counts bucket B, then it is the start of bucket
	 * B, and moves to the end of the bucket, the start of the next one. */
	starts[0] = 0;
	for (uint32_t i = 0; i < count; i++)
		starts[(hashed_names[i].hash >> names->shift) + 1]++;
	for (uint32_t b = 0, sum = 0; b <= buckets; b++) {
		uint32_t size = starts[b + 1];

		starts[b + 1] = sum;
		sum += size;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t bucket = hashed_names[i].hash >> names->shift;

		names->entries[starts[bucket + 1]++] = hashed_names[i];
	}
}

enum gsym_status gsym_name_index_new(const struct gsym_reader *reader,
				     struct gsym_name_index **ret,
				     struct gsym_error *error)
{
	struct gsym_name_index *names;
	struct entry *hashed_names;
	uint32_t count, bits = 1;

	if (!reader || !ret)
		return gsym_fail_argument(error);
	names = calloc(1, sizeof(*names));
	/* One entry more: the memory for 0 entries may be NULL. */
	hashed_names = calloc((size_t)reader->layout.count + 1,
			      sizeof(*hashed_names));
	if (!names || !hashed_names)
		goto no_memory;
	names->reader = reader;
	count = hash_names(names, hashed_names);
	while (bits < 31 && UINT32_C(1) << bits < count)
		bits++;
	names->shift = 32 - bits;
	names->entries = gsym_pages_alloc(((size_t)count + 1) *
					  sizeof(*names->entries));
	names->starts = calloc(((size_t)1 << bits) + 1,
			       sizeof(*names->starts));
	if (!names->entries || !names->starts)
		goto no_memory;
	fill_buckets(names, hashed_names, count);
	free(hashed_names);
	*ret = names;
	return GSYM_OK;
no_memory:
	free(hashed_names);
	gsym_name_index_free(names);
	return gsym_fail_memory(error);
}

void gsym_name_index_free(struct gsym_name_index *names)
{
	if (!names)
		return;
	free(names->entries);
	free(names->starts);
	free(names);
}

enum gsym_status gsym_name_index_find(const struct gsym_name_index *names,
				      const char *name, size_t size,
				      uint32_t from, uint32_t *index)
{
	const struct entry *entries;
	uint32_t hash;
	size_t at, end;

	if (!names || (!name && size) || !index)
		return GSYM_ERR_ARGUMENT;
	if (!size)
		name = "";
	/* No name in the file has a NUL. */
	if (memchr(name, 0, size))
		return GSYM_NOT_FOUND;
	entries = names->entries;
	hash = hash_of(names, name, size);
	at = names->starts[hash >> names->shift];
	end = names->starts[(hash >> names->shift) + 1];
	if (from)
		at = GSYM_FIRST(i, at, end, entries[i].index >= from);
	for (; at < end; at++) {
		uint64_t left = 0;
		const char *found;

		if (entries[at].hash != hash)
			continue;
		found = name_at(names->reader, entries[at].index, &left);
		/* FOUND is followed by LEFT bytes and a NUL. */
		if (size <= left && !memcmp(found, name, size) &&
		    !found[size]) {
			*index = entries[at].index;
			return GSYM_OK;
		}
	}
	return GSYM_NOT_FOUND;
}
