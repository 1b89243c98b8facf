/* SPDX-License-Identifier: MIT */
/* Calls every function of gsym/reader.h on one reader, and aborts if an answer
 * breaks a promise of that header. */
#ifndef GSYM_TESTS_USE_ALL_H
#define GSYM_TESTS_USE_ALL_H

#include <gsym/reader.h>
#include <stdlib.h>
#include <string.h>

static inline void use_string(const char *s)
{
	if (!s)
		abort();
	/* Read to its end, so that a sanitizer sees a missing NUL. */
	if (strlen(s) > UINT32_MAX)
		abort();
}

static inline void use_lookup(const struct gsym_reader *reader,
			      uint64_t address)
{
	struct gsym_frame frames[3];
	struct gsym_match match, other;

	for (unsigned flags = 0; flags < 2; flags++) {
		if (gsym_lookup(reader, address, flags, frames, 3, &match,
				NULL) != GSYM_OK)
			continue;
		if (!match.frame_count || match.address != address ||
		    match.index >= gsym_function_count(reader) ||
		    match.frame_count > 1 + GSYM_MAX_INLINE_DEPTH)
			abort();
		for (uint32_t i = 0; i < match.frame_count && i < 3; i++) {
			use_string(frames[i].function);
			use_string(frames[i].directory);
			use_string(frames[i].basename);
			if (frames[i].inlined == (i + 1 == match.frame_count))
				abort();
		}
		for (uint32_t i = 0; i < match.merged_count && i < 5; i++)
			gsym_lookup_merged(reader, &match, i, flags, frames, 3,
					   &other, NULL);
	}
}

static inline void use_walks(const struct gsym_function *f)
{
	static _Thread_local struct gsym_inline_iter nodes;
	struct gsym_line_iter rows;
	struct gsym_inline node;
	struct gsym_range range;
	struct gsym_line row;
	uint64_t before = f->start;

	if (gsym_lines(f, &rows, NULL) == GSYM_OK)
		while (gsym_line_next(&rows, &row, NULL) == GSYM_OK) {
			if (row.address < before)
				abort();
			before = row.address;
		}
	if (gsym_inlines(f, &nodes, NULL) != GSYM_OK)
		abort();
	while (gsym_inline_next(&nodes, &node, NULL) == GSYM_OK) {
		use_string(node.name);
		if (node.depth > GSYM_MAX_INLINE_DEPTH)
			abort();
		for (uint32_t i = 0; i < node.range_count; i++)
			if (gsym_inline_range(&node, i, &range) != GSYM_OK)
				abort();
	}
}

static inline void use_function(struct gsym_function *f)
{
	struct gsym_function merged;
	struct gsym_call_site site;

	use_string(f->name);
	use_walks(f);
	for (uint32_t i = 0; i < f->merged_count; i++) {
		if (gsym_merged_at(f, i, &merged, NULL) != GSYM_OK)
			break;
		use_string(merged.name);
		use_walks(&merged);
	}
	for (uint32_t i = 0; i < f->call_site_count; i++) {
		if (gsym_call_site_at(f, i, &site, NULL) != GSYM_OK)
			break;
		for (uint32_t k = 0; k < site.pattern_count; k++)
			use_string(gsym_call_site_pattern(&site, k));
	}
	gsym_call_site_find(f, f->start + 0x17, &site, NULL);
}

/* Look up many addresses at once, unsorted ones and sorted ones. */
static inline void use_many(const struct gsym_reader *reader)
{
	static _Thread_local struct gsym_frame frames[300];
	uint32_t count = gsym_function_count(reader), first[101];
	uint64_t addresses[100];
	size_t done;

	for (uint32_t i = 0; i < 100; i++)
		addresses[i] = i / 9 + gsym_address_at(reader,
						       i * 37 % (count | 1));
	for (size_t room = 1; room <= 300; room += 299) {
		if (gsym_lookup_many(reader, addresses, 100, 0, frames, room,
				     first, &done) != GSYM_OK)
			continue;
		for (size_t i = 0; i < done; i++)
			for (uint32_t k = first[i]; k < first[i + 1]; k++)
				use_string(frames[k].function);
		if (done > 100 || first[done] > room)
			abort();
	}
}

static inline bool count_problem(void *context,
				 const struct gsym_error *problem)
{
	use_string(problem->message);
	return ++*(unsigned *)context < 100000;
}

static inline void use_all(const struct gsym_reader *reader)
{
	uint32_t count = gsym_function_count(reader), index;
	const char *directory, *basename;
	struct gsym_function f;
	struct gsym_error error;
	struct gsym_header h;
	unsigned problems = 0;

	gsym_get_header(reader, &h);
	for (size_t i = 0; i < h.uuid_size; i++)
		index = h.uuid[i];
	for (uint32_t i = 0; i <= count && i < 300; i++) {
		uint64_t start = gsym_address_at(reader, i);

		use_lookup(reader, start);
		use_lookup(reader, start + 6);
		use_lookup(reader, start + 24);
		use_lookup(reader, start - 1);
		if (gsym_function_at(reader, i, &f, &error) != GSYM_NOT_FOUND)
			use_function(&f);
	}
	use_lookup(reader, UINT64_MAX);
	use_lookup(reader, 0);
	use_many(reader);
	for (uint32_t i = 0; i <= h.file_count && i < 300; i++) {
		gsym_file_at(reader, i, &directory, &basename);
		use_string(directory);
		use_string(basename);
	}
	gsym_find_function(reader, "last", 0, &index);
	gsym_verify(reader, count_problem, &problems);
}

#endif
