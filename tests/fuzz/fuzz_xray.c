/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a trace, as a section of sleds and as text.  Every
 * kind of walk runs over each trace that can be read.  All walks must agree,
 * and strict reading must fail exactly where damage was reported.
 */
#include "fuzz/fuzz.h"

#include <gsym/xray.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	uint64_t damages, events, records, size;
	unsigned sum;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void note_damage(void *context, enum gsym_xray_damage damage,
			uint64_t offset, const char *text)
{
	struct seen *seen = context;

	require(gsym_xray_damage_name(damage) && *text &&
		offset <= seen->size);
	seen->damages++;
}

static void touch(struct seen *seen, const uint8_t *data, uint32_t size)
{
	for (uint32_t i = 0; data && i < size; i++)
		seen->sum += data[i];
}

static bool note_record(void *context, const struct gsym_xray_record *r)
{
	struct seen *seen = context;

	require(r->offset < seen->size);
	touch(seen, r->data, r->size);
	seen->records++;
	return true;
}

/* Walk over one thread after the other, with an account of hardly any
 * memory. */
static void walk_threads(const struct gsym_xray_log *log, struct seen *seen)
{
	struct gsym_xray_account *account = gsym_xray_account_new(512);
	struct gsym_xray_account_row row;
	struct gsym_xray_thread thread;
	struct gsym_xray_event event;
	struct gsym_xray_iter *iter;
	uint64_t calls = 0;

	require(account);
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		uint64_t events = 0;

		gsym_xray_thread_at(log, i, &thread);
		require(gsym_xray_events(log, i, &iter, NULL) == GSYM_OK);
		while (gsym_xray_next(iter, &event)) {
			events++;
			touch(seen, event.data, event.size);
			for (uint32_t k = 0; k < event.argument_count; k++)
				seen->sum += (unsigned)event.arguments[k];
			require(event.tid == thread.tid &&
				event.pid == thread.pid);
			gsym_xray_account_event(account, &event);
		}
		gsym_xray_iter_free(iter);
		gsym_xray_account_end(account);
		require(events == thread.events);
		seen->events += events;
	}
	for (uint32_t i = 0; i < gsym_xray_account_count(account); i++) {
		gsym_xray_account_get_row(account, i, &row);
		calls += row.calls + row.unfinished;
		require(row.inferred <= row.calls && row.min <= row.max);
	}
	require(calls <= seen->events);
	gsym_xray_account_free(account);
}

static void walk_timeline(const struct gsym_xray_log *log, struct seen *seen)
{
	struct gsym_xray_event event;
	struct gsym_xray_iter *iter;
	uint64_t events = 0;

	require(gsym_xray_timeline(log, &iter, NULL) == GSYM_OK);
	while (gsym_xray_next(iter, &event))
		events++;
	gsym_xray_iter_free(iter);
	require(events == seen->events);
}

static void read_trace(const uint8_t *data, size_t size)
{
	struct seen seen = { .size = size };
	struct gsym_xray_options options = { .damage = note_damage,
					     .context = &seen };
	struct gsym_xray_options strict = { .strict = true };
	struct gsym_xray_log *log, *again = NULL;
	struct gsym_xray_block block;

	if (gsym_xray_open(data, size, &options, &log, NULL) != GSYM_OK)
		return;
	walk_threads(log, &seen);
	walk_timeline(log, &seen);
	gsym_xray_records(log, note_record, &seen, NULL);
	require(seen.records >= seen.events);
	for (uint32_t i = 0; i < gsym_xray_block_count(log); i++) {
		gsym_xray_block_at(log, i, &block);
		require(block.start <= block.end && block.end <= size);
	}
	require((gsym_xray_open(data, size, &strict, &again, NULL) ==
		 GSYM_OK) == !seen.damages);
	gsym_xray_close(again);
	seen.damages = 0;
	require(gsym_xray_check(log, &options, NULL) == GSYM_OK);
	require((gsym_xray_check(log, &strict, NULL) == GSYM_OK) ==
		!seen.damages);
	gsym_xray_close(log);
}

static void read_sleds(const uint8_t *data, size_t size)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned word = i & 1 ? 4 : 8;
		struct gsym_xray_section section = {
			.data = data,
			.size = size - size % (4 * word),
			.address = 0x1001,
			.word = word,
			.big_endian = i & 2,
		};
		struct gsym_xray_map *map;
		uint64_t address;
		unsigned kinds;

		if (gsym_xray_map_open(&section, 1, &map, NULL) != GSYM_OK)
			continue;
		for (uint32_t f = 0; f <= gsym_xray_map_functions(map) + 1; f++)
			require((gsym_xray_map_function(map, f, &address,
							&kinds) == GSYM_OK) ==
				(f && f <= gsym_xray_map_functions(map)));
		gsym_xray_map_check_index(map, &section, &section, NULL);
		gsym_xray_map_close(map);
	}
}

static void read_text(const uint8_t *data, size_t size)
{
	struct gsym_xray_map *map;
	struct gsym_xray_sled sled, before = { 0 };

	if (gsym_xray_map_parse((const char *)data, size, &map, NULL) !=
	    GSYM_OK)
		return;
	for (uint32_t i = 0; gsym_xray_map_sled_at(map, i, &sled) == GSYM_OK;
	     i++) {
		require(sled.function >= before.function);
		require(!sled.name || strlen(sled.name) < size);
		before = sled;
	}
	gsym_xray_map_close(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_trace(data, size);
	read_sleds(data, size);
	read_text(data, size);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	static const char *const names[] = {
		"maps/shapes.llvm-extract.yaml",
		"synthetic/syn-fdr-v1-le.xray", "synthetic/syn-fdr-v2-be.xray",
		"synthetic/syn-fdr-v3-typed-le.xray",
		"synthetic/syn-fdr-v4-typed-be.xray",
		"synthetic/syn-fdr-v5-le.xray",
		"synthetic/syn-basic-v3-le.xray",
		"synthetic/bad-junk-between.xray",
		"synthetic/bad-extents-short.xray",
		"traces/shapes-wrap.xray", "traces/events-short.xray",
		"traces/calls-fdr-threshold.xray",
	};
	const char *top = getenv("top_srcdir");
	uint8_t *bytes;
	char path[4096];
	FILE *f;

	if (number >= sizeof(names) / sizeof(names[0]))
		return NULL;
	snprintf(path, sizeof(path), "%s/testdata/xray/%s",
		 top ? top : ".", names[number]);
	f = fopen(path, "rb");
	bytes = malloc(65536);
	if (!f || !bytes) {
		perror(path);
		exit(2);
	}
	*size = fread(bytes, 1, 65536, f);
	fclose(f);
	return bytes;
}
