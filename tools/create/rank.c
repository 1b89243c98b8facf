/* SPDX-License-Identifier: MIT */
/* create/rank.c - which of two GSYM files of one program is the better one. */
#include "config.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <gsym/reader.h>

#include "common/file.h"
#include "common/report.h"
#include "create/create.h"

/* The records of a sound file lie beside each other.  In a hostile file all
 * functions can share one long record.  A file whose records have more than so
 * many times its bytes has no rank. */
#define RECORD_SHARE GSYM_LIMIT(64, 1)

/* A file with so many times the bytes that the file system keeps for it is
 * sparse, and has no rank: it could have any size. */
#define SPARSE_SHARE 64

enum { WITH_LINES, LINES, INLINED, FUNCTIONS, COUNTS };

void rank_hash(const uint8_t *bytes, size_t size, uint64_t ret[2])
{
	XXH128_hash_t hash = XXH3_128bits(bytes, size);

	ret[0] = hash.high64;
	ret[1] = hash.low64;
}

/* Add what the record of F holds to COUNTS. */
static void count_record(const struct gsym_function *f, uint64_t *counts)
{
	struct gsym_line_iter rows;
	struct gsym_line row;
	struct gsym_inline_iter nodes;
	struct gsym_inline node;
	uint64_t lines = counts[LINES];

	counts[FUNCTIONS]++;
	if (f->has_lines && gsym_lines(f, &rows, NULL) == GSYM_OK)
		while (gsym_line_next(&rows, &row, NULL) == GSYM_OK)
			counts[LINES]++;
	counts[WITH_LINES] += counts[LINES] > lines;
	if (f->has_inlines && gsym_inlines(f, &nodes, NULL) == GSYM_OK)
		while (gsym_inline_next(&nodes, &node, NULL) == GSYM_OK)
			counts[INLINED]++;
}

/* Add what all records of READER, which has SIZE bytes, hold to COUNTS.  False
 * if that is too much work for the size. */
static bool count_records(const struct gsym_reader *reader, size_t size,
			  uint64_t *counts)
{
	uint64_t left = (uint64_t)size * RECORD_SHARE;

	for (uint32_t i = 0; i < gsym_function_count(reader); i++) {
		struct gsym_function f = { 0 };
		enum gsym_status status = gsym_function_at(reader, i, &f, NULL);

		/* A damaged record has a size, too. */
		if (f.record_size > left)
			return false;
		left -= f.record_size;
		if (status == GSYM_OK)
			count_record(&f, counts);
	}
	return true;
}

struct rank rank_of(const uint8_t *bytes, size_t size, const uint8_t *id,
		    size_t id_size)
{
	struct rank rank = { 0 }, counted = { 0 };
	struct gsym_reader *reader;
	struct gsym_header header;
	enum gsym_status status;

	status = gsym_open_memory(bytes, size, &reader, NULL);
	must(status != GSYM_ERR_MEMORY);
	if (status != GSYM_OK)
		return rank;
	gsym_get_header(reader, &header);
	if (gsym_uuid_matches(header.uuid, header.uuid_size, id, id_size) &&
	    count_records(reader, size, counted.counts)) {
		rank = counted;
		rank_hash(bytes, size, rank.hash);
	}
	gsym_close(reader);
	return rank;
}

struct rank rank_of_file(int fd, const uint8_t *id, size_t id_size)
{
	const struct rank none = { 0 };
	struct rank rank;
	struct stat st;
	const uint8_t *bytes;
	size_t size;

	if (fstat(fd, &st) != 0 ||
	    (st.st_blocks && st.st_size / 512 / SPARSE_SHARE > st.st_blocks))
		return none;
	bytes = gsym_fd_map(fd, &size);
	must(bytes || errno != ENOMEM);
	if (!bytes)
		return none;
	rank = rank_of(bytes, size, id, id_size);
	munmap((void *)bytes, size);
	return rank;
}

bool rank_better(const struct rank *a, const struct rank *b)
{
	for (int i = 0; i < COUNTS; i++)
		if (a->counts[i] != b->counts[i])
			return a->counts[i] > b->counts[i];
	for (int i = 0; i < 2; i++)
		if (a->hash[i] != b->hash[i])
			return a->hash[i] > b->hash[i];
	return false;
}
