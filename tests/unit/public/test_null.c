/* SPDX-License-Identifier: MIT */
/*
 * Every exported function with NULL for each of its pointers that may not be
 * NULL, one at a time: the rule of gsym/types.h.  With TOP as its argument, the
 * program also compares the functions that it called with those that the
 * version scripts in TOP/libgsym name, so that no function is forgotten.
 */
#include <gsym/batch.h>
#include <gsym/builder.h>
#ifdef WITH_CONVERT
#include <gsym/convert.h>
#endif
#include <gsym/markup.h>
#include <gsym/demangle.h>
#include <gsym/names.h>
#include <gsym/process.h>
#include <gsym/program.h>
#include <gsym/store.h>
#ifdef WITH_XRAY
#include <gsym/xray.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned failures;

/* The functions that were called, as calls: "gsym_open(NULL, ...". */
static const char *calls[1024];
static size_t call_count;

static void note(const char *call, bool passed)
{
	calls[call_count++] = call;
	if (!passed) {
		printf("%s: another result\n", call);
		failures++;
	}
}

/* CALL breaks the rule and returns GSYM_ERR_ARGUMENT. */
#define BAD(call) note(#call, (call) == GSYM_ERR_ARGUMENT)
/* CALL breaks the rule and returns 0, NULL or false. */
#define NIL(call) note(#call, !(call))
/* CALL breaks the rule and does nothing. */
#define NOTHING(call) ((call), note(#call, true))
/* FUNCTION takes no pointer that has to be there. */
#define NONE(function) note(#function, (function) != NULL)
/* CALL is sound. */
#define NEED(call)                                            \
	do {                                                  \
		if (!(call)) {                                \
			printf("%s: failed\n", #call);        \
			exit(1);                              \
		}                                             \
	} while (0)

/* ---- samples ------------------------------------------------------------ */

static uint8_t *bytes;
static size_t size;

static void add_sample(struct gsym_builder *b)
{
	struct gsym_row row = { 0, 0, 7 };
	struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION, .start = 0x1000, .size = 16,
		.rows = &row, .row_count = 1,
	};
	uint32_t file;

	NEED(gsym_builder_string(b, "f", 1, &record.name) == GSYM_OK);
	NEED(gsym_builder_file(b, 0, record.name, &file) == GSYM_OK);
	row.file = file;
	NEED(gsym_builder_record(b, &record) == GSYM_OK);
	NEED(gsym_builder_set_uuid(b, (const uint8_t *)"\1\2\3\4\5\6\7\10", 8)
	     == GSYM_OK);
}

static void make_sample(void)
{
	struct gsym_builder *b = gsym_builder_new();

	NEED(b);
	add_sample(b);
	NEED(gsym_builder_finish(b, NULL, &bytes, &size, NULL, NULL) ==
	     GSYM_OK);
	gsym_builder_free(b);
}

/* ---- the headers -------------------------------------------------------- */

static void check_types(void)
{
	NONE(gsym_status_text);
	NONE(gsym_version);
}

static void check_open(void)
{
	struct gsym_reader *r;

	BAD(gsym_open(NULL, &r, NULL));
	BAD(gsym_open("x", NULL, NULL));
	BAD(gsym_open_copy(NULL, &r, NULL));
	BAD(gsym_open_copy("x", NULL, NULL));
	BAD(gsym_open_fd(0, NULL, NULL));
	BAD(gsym_open_memory(NULL, 1, &r, NULL));
	BAD(gsym_open_memory("", 0, NULL, NULL));
	BAD(gsym_map_paths(NULL, NULL, 0, NULL));
	NEED(gsym_open_memory(bytes, size, &r, NULL) == GSYM_OK);
	BAD(gsym_map_paths(r, NULL, 1, NULL));
	BAD(gsym_map_paths(r, &(const char *){ "=x" }, 1, NULL));
	NEED(gsym_map_paths(r, &(const char *){ "f=x" }, 1, NULL) == GSYM_OK);
	NEED(gsym_map_paths(r, NULL, 0, NULL) == GSYM_OK);
	gsym_close(r);
	note("gsym_join_path", gsym_join_path(NULL, NULL, NULL, 0) == 0);
	NOTHING(gsym_close(NULL));
}

static void check_lookup(const struct gsym_reader *r)
{
	uint64_t address = 0x1000;
	struct gsym_frame frame;
	struct gsym_match match, other;
	uint32_t first[2];
	size_t done;

	BAD(gsym_lookup(NULL, address, 0, &frame, 1, &match, NULL));
	BAD(gsym_lookup(r, address, 0, NULL, 1, &match, NULL));
	NEED(gsym_lookup(r, address, 0, NULL, 0, NULL, NULL) == GSYM_OK);
	NEED(gsym_lookup(r, address, 0, &frame, 1, &match, NULL) == GSYM_OK);
	BAD(gsym_lookup_merged(NULL, &match, 0, 0, &frame, 1, &other, NULL));
	BAD(gsym_lookup_merged(r, NULL, 0, 0, &frame, 1, &other, NULL));
	BAD(gsym_lookup_merged(r, &match, 0, 0, NULL, 1, &other, NULL));
	BAD(gsym_lookup_many(NULL, &address, 1, 0, &frame, 1, first, &done));
	BAD(gsym_lookup_many(r, NULL, 1, 0, &frame, 1, first, &done));
	BAD(gsym_lookup_many(r, &address, 1, 0, NULL, 1, first, &done));
	BAD(gsym_lookup_many(r, &address, 1, 0, &frame, 1, NULL, &done));
	NEED(gsym_lookup_many(r, NULL, 0, 0, NULL, 0, first, NULL) == GSYM_OK);
	BAD(gsym_lookup_stack(NULL, 1, NULL, NULL));
	NEED(gsym_lookup_stack(NULL, 0, NULL, NULL) == GSYM_OK);
	BAD(gsym_stack_frames(NULL, 0, &frame, 1, &match, NULL));
}

static void check_batch(void)
{
	struct gsym_store *store = gsym_store_new();
	const uint8_t id[1] = { 0 };
	const uint64_t address = 0;
	struct gsym_batch *batch;
	struct ArrowSchema schema;
	struct ArrowArray array;

	NEED(store);
	NIL(gsym_batch_new(NULL, 0));
	NIL(gsym_batch_new(store, 1u << 31));
	NEED(batch = gsym_batch_new(store, GSYM_BATCH_LEAF));
	BAD(gsym_batch_add(NULL, id, 1, &address, 1));
	BAD(gsym_batch_add(batch, NULL, 1, &address, 1));
	BAD(gsym_batch_add(batch, id, 1, NULL, 1));
	NEED(gsym_batch_add(batch, NULL, 0, NULL, 0) == GSYM_OK);
	BAD(gsym_batch_finish(NULL, &array, &schema, NULL));
	BAD(gsym_batch_finish(batch, NULL, &schema, NULL));
	BAD(gsym_batch_finish(batch, &array, NULL, NULL));
	NOTHING(gsym_batch_free(NULL));
	gsym_batch_free(batch);
	gsym_store_free(store);
}

static void check_names(const struct gsym_reader *r)
{
	struct gsym_name_index *names;
	uint32_t index;

	BAD(gsym_name_index_new(NULL, &names, NULL));
	BAD(gsym_name_index_new(r, NULL, NULL));
	NEED(gsym_name_index_new(r, &names, NULL) == GSYM_OK);
	BAD(gsym_name_index_find(NULL, "f", 1, 0, &index));
	BAD(gsym_name_index_find(names, NULL, 1, 0, &index));
	BAD(gsym_name_index_find(names, "f", 1, 0, NULL));
	NEED(gsym_name_index_find(names, NULL, 0, 0, &index) ==
	     GSYM_NOT_FOUND);
	NOTHING(gsym_name_index_free(NULL));
	gsym_name_index_free(names);
}

static void check_demangle(void)
{
	struct gsym_demangler *d, *other;
	const char *name;
	char *copy;

	BAD(gsym_demangler_new(0, NULL));
	BAD(gsym_demangler_new(~0u, &d));
	NEED(gsym_demangler_new(0, &d) == GSYM_OK);
	BAD(gsym_demangler_share(NULL, &other));
	BAD(gsym_demangler_share(d, NULL));
	BAD(gsym_demangle(NULL, "f", &name));
	BAD(gsym_demangle(d, NULL, &name));
	BAD(gsym_demangle(d, "f", NULL));
	BAD(gsym_demangler_forget(NULL));
	BAD(gsym_demangle_copy(0, NULL, &copy));
	BAD(gsym_demangle_copy(0, "f", NULL));
	BAD(gsym_demangle_copy(~0u, "f", &copy));
	NOTHING(gsym_demangler_free(NULL));
	gsym_demangler_free(d);
}

static void check_functions(const struct gsym_reader *r)
{
	struct gsym_function f, other;
	struct gsym_line_iter rows;
	struct gsym_inline_iter nodes;
	struct gsym_inline node;
	struct gsym_call_site site;
	struct gsym_range range;
	struct gsym_line row;
	uint32_t index;

	NIL(gsym_function_count(NULL));
	BAD(gsym_function_at(NULL, 0, &f, NULL));
	BAD(gsym_function_at(r, 0, NULL, NULL));
	NEED(gsym_function_at(r, 0, &f, NULL) == GSYM_OK);
	BAD(gsym_find_function(NULL, "f", 0, &index));
	BAD(gsym_find_function(r, NULL, 0, &index));
	BAD(gsym_find_function(r, "f", 0, NULL));
	BAD(gsym_lines(NULL, &rows, NULL));
	BAD(gsym_lines(&f, NULL, NULL));
	NEED(gsym_lines(&f, &rows, NULL) == GSYM_OK);
	BAD(gsym_line_next(NULL, &row, NULL));
	BAD(gsym_line_next(&rows, NULL, NULL));
	BAD(gsym_inlines(NULL, &nodes, NULL));
	BAD(gsym_inlines(&f, NULL, NULL));
	NEED(gsym_inlines(&f, &nodes, NULL) == GSYM_OK);
	BAD(gsym_inline_next(NULL, &node, NULL));
	BAD(gsym_inline_next(&nodes, NULL, NULL));
	memset(&node, 0, sizeof(node));
	BAD(gsym_inline_range(NULL, 0, &range));
	BAD(gsym_inline_range(&node, 0, NULL));
	BAD(gsym_merged_at(NULL, 0, &other, NULL));
	BAD(gsym_merged_at(&f, 0, NULL, NULL));
	BAD(gsym_call_site_at(NULL, 0, &site, NULL));
	BAD(gsym_call_site_at(&f, 0, NULL, NULL));
	BAD(gsym_call_site_find(NULL, 0, &site, NULL));
	BAD(gsym_call_site_find(&f, 0, NULL, NULL));
	NIL(gsym_call_site_pattern(NULL, 0));
}

static void check_tables(const struct gsym_reader *r)
{
	const char *directory, *basename;
	const uint8_t id[8] = { 0 };
	struct gsym_header header;

	BAD(gsym_get_header(NULL, &header));
	BAD(gsym_get_header(r, NULL));
	NIL(gsym_address_at(NULL, 0));
	BAD(gsym_file_at(NULL, 0, &directory, &basename));
	BAD(gsym_file_at(r, 0, NULL, &basename));
	BAD(gsym_file_at(r, 0, &directory, NULL));
	NIL(gsym_string_at(NULL, 0));
	NIL(gsym_uuid_matches(NULL, 8, id, 8));
	NIL(gsym_uuid_matches(id, 8, NULL, 8));
	BAD(gsym_verify(NULL, NULL, NULL));
	BAD(gsym_checksum(NULL, NULL));
}

static enum gsym_status put_piece(void *context, uint64_t offset,
				  const uint8_t *piece, size_t piece_size)
{
	(void)context;
	(void)offset;
	(void)piece;
	(void)piece_size;
	return GSYM_OK;
}

static void check_builder(void)
{
	struct gsym_contradiction contradiction;
	struct gsym_builder *b = gsym_builder_new();
	const struct gsym_call call = { 1, 0, 0, 1 }, bare = { 1, 0, 0, 0 };
	struct gsym_record record = { .name = 1, .start = 1, .size = 8,
				      .rank = GSYM_RANK_FUNCTION };
	struct gsym_range range = { 1, 2 };
	uint32_t number, patterns[1] = { 0 };
	uint64_t written;
	uint8_t *out;
	size_t out_size;

	NEED(b);
	note("gsym_builder_new", true);
	NOTHING(gsym_builder_free(NULL));
	BAD(gsym_builder_string(NULL, "f", 1, &number));
	BAD(gsym_builder_string(b, NULL, 3, &number));
	BAD(gsym_builder_string(b, "f", 1, NULL));
	NEED(gsym_builder_string(b, NULL, 0, &number) == GSYM_OK);
	NEED(gsym_builder_string(b, "f", 1, &number) == GSYM_OK);
	BAD(gsym_builder_file(NULL, 0, 0, &number));
	BAD(gsym_builder_file(b, 0, 0, NULL));
	BAD(gsym_builder_map_paths(NULL, NULL, 0));
	BAD(gsym_builder_map_paths(b, NULL, 1));
	NEED(gsym_builder_map_paths(b, NULL, 0) == GSYM_OK);
	BAD(gsym_builder_record(NULL, &record));
	BAD(gsym_builder_record(b, NULL));
	record.row_count = 1;
	BAD(gsym_builder_record(b, &record));
	record.row_count = 0;
	record.inline_count = 1;
	BAD(gsym_builder_record(b, &record));
	record.inline_count = 0;
	record.call_count = 1;
	BAD(gsym_builder_record(b, &record));
	record.calls = &call;
	BAD(gsym_builder_record(b, &record));
	record.call_count = 0;
	record.merged_count = 1;
	BAD(gsym_builder_record(b, &record));
	BAD(gsym_builder_loose_rows(NULL, range, NULL, 0));
	BAD(gsym_builder_loose_rows(b, range, NULL, 1));
	BAD(gsym_builder_call_site(NULL, number, &bare, patterns));
	BAD(gsym_builder_call_site(b, number, NULL, patterns));
	BAD(gsym_builder_call_site(b, number, &call, NULL));
	NIL(gsym_builder_sink(NULL).record);
	BAD(gsym_builder_set_uuid(NULL, NULL, 0));
	BAD(gsym_builder_set_uuid(b, NULL, 1));
	NOTHING(gsym_builder_set_base(NULL, 0));
	NOTHING(gsym_builder_keep(NULL));
	NOTHING(gsym_builder_take_back(NULL));
	NIL(gsym_builder_contradiction(NULL, &contradiction));
	NIL(gsym_builder_contradiction(b, NULL));
	BAD(gsym_builder_set_temporary_directory(NULL, "/", NULL));
	BAD(gsym_builder_finish(NULL, NULL, &out, &out_size, NULL, NULL));
	BAD(gsym_builder_finish(b, NULL, NULL, &out_size, NULL, NULL));
	BAD(gsym_builder_finish(b, NULL, &out, NULL, NULL, NULL));
	BAD(gsym_builder_write(NULL, NULL, put_piece, NULL, &written, NULL,
			       NULL));
	BAD(gsym_builder_write(b, NULL, NULL, NULL, &written, NULL, NULL));
	BAD(gsym_builder_write(b, NULL, put_piece, NULL, NULL, NULL, NULL));
	BAD(gsym_builder_finish_segments(NULL, NULL, 0, put_piece, NULL, NULL,
					 NULL));
	BAD(gsym_builder_finish_segments(b, NULL, 0, NULL, NULL, NULL, NULL));
	/* None of these calls used the builder up. */
	add_sample(b);
	NEED(gsym_builder_finish(b, NULL, &out, &out_size, NULL, NULL) ==
	     GSYM_OK);
	free(out);
	gsym_builder_free(b);
}

/* A store of a folder with the sample in it; FOLDER is its name. */
static struct gsym_store *make_store(const char *folder)
{
	struct gsym_store *store = gsym_store_new();
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/02030405060708.debug.gsym", folder);
	file = fopen(path, "wb");
	NEED(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
	NEED(gsym_store_add_gsym_directory(store, folder) == GSYM_OK);
	return store;
}

static void check_store(void)
{
	const uint8_t id[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	char folder[] = "/tmp/gsym-null-XXXXXX", path[64];
	const struct gsym_store_entry *entry;
	struct gsym_store_symbol symbol;
	struct gsym_store *store;
	uint64_t address;
	size_t count;
	uint8_t own[64];

	NEED(mkdtemp(folder));
	store = make_store(folder);
	NONE(gsym_store_new);
	NOTHING(gsym_store_free(NULL));
	BAD(gsym_store_add_gsym_directory(NULL, "x"));
	BAD(gsym_store_add_gsym_directory(store, NULL));
	BAD(gsym_store_add_debug_directory(NULL, "x"));
	BAD(gsym_store_add_debug_directory(store, NULL));
	BAD(gsym_store_set_cache(NULL, "x"));
	NOTHING(gsym_store_accept_any(NULL, true));
	NOTHING(gsym_store_set_report(NULL, NULL, NULL));
	NOTHING(gsym_store_set_trace(NULL, NULL, NULL));
	BAD(gsym_store_find(NULL, id, 8, &entry, NULL));
	BAD(gsym_store_find(store, NULL, 8, &entry, NULL));
	BAD(gsym_store_find(store, id, 8, NULL, NULL));
	BAD(gsym_store_find_symbols(NULL, id, 8, &entry, NULL));
	BAD(gsym_store_find_symbols(store, NULL, 8, &entry, NULL));
	BAD(gsym_store_find_symbols(store, id, 8, NULL, NULL));
	NOTHING(gsym_store_release(NULL));
	NOTHING(gsym_store_set_limit(NULL, 1));
	NOTHING(gsym_store_retry(NULL));
	NOTHING(gsym_store_check(NULL, true));
	NOTHING(gsym_store_copy(NULL, true));
	BAD(gsym_store_map_paths(NULL, NULL, 0));
	BAD(gsym_store_map_paths(store, NULL, 1));
	NEED(gsym_store_map_paths(store, NULL, 0) == GSYM_OK);
	NIL(gsym_store_reader(NULL));
	NIL(gsym_store_path(NULL));
	NEED(gsym_store_find(store, id, 8, &entry, NULL) == GSYM_OK);
	BAD(gsym_store_symbol_at(NULL, 0, 0, &symbol));
	BAD(gsym_store_symbol_at(entry, 0, 0, NULL));
	BAD(gsym_store_symbol_named(NULL, "a", 1, 0, &symbol));
	BAD(gsym_store_symbol_named(entry, NULL, 1, 0, &symbol));
	BAD(gsym_store_symbol_named(entry, "a", 1, 0, NULL));
	BAD(gsym_store_address_of(NULL, 0, &address, NULL));
	BAD(gsym_store_address_of(entry, 0, NULL, NULL));
	BAD(gsym_store_addresses_of(NULL, &address, 1, &address, NULL));
	BAD(gsym_store_addresses_of(entry, NULL, 1, &address, NULL));
	BAD(gsym_store_addresses_of(entry, &address, 1, NULL, NULL));
	NEED(gsym_store_addresses_of(entry, NULL, 0, NULL, NULL) ==
	     GSYM_ERR_UNSUPPORTED);
	BAD(gsym_store_read_id(NULL, own, sizeof(own), &count, NULL));
	BAD(gsym_store_read_id("x", NULL, sizeof(own), &count, NULL));
	BAD(gsym_store_read_id("x", own, sizeof(own), NULL, NULL));
	BAD(gsym_store_read_release(NULL, path, sizeof(path), NULL));
	BAD(gsym_store_read_release("x", NULL, sizeof(path), NULL));
	BAD(gsym_store_read_release("x", path, 0, NULL));
	snprintf(path, sizeof(path), "%s", gsym_store_path(entry));
	gsym_store_free(store);
	unlink(path);
	rmdir(folder);
}

static void check_module(const char *program)
{
	struct gsym_module *m;
	struct gsym_module_facts facts;
	uint64_t address;
	struct gsym_module_section section;
	struct gsym_store_symbol symbol;
	const char *file;

	BAD(gsym_module_open(NULL, &m, NULL));
	BAD(gsym_module_open(program, NULL, NULL));
	NOTHING(gsym_module_close(NULL));
	NEED(gsym_module_open(program, &m, NULL) == GSYM_OK);
	BAD(gsym_module_get_facts(NULL, &facts));
	BAD(gsym_module_get_facts(m, NULL));
	BAD(gsym_module_address_of(NULL, 0, &address));
	BAD(gsym_module_address_of(m, 0, NULL));
	BAD(gsym_module_find_section(NULL, ".text", &section));
	BAD(gsym_module_find_section(m, NULL, &section));
	BAD(gsym_module_find_section(m, ".text", NULL));
	BAD(gsym_module_symbol_at(NULL, 0, 0, &symbol));
	BAD(gsym_module_symbol_at(m, 0, 0, NULL));
	BAD(gsym_module_file_at(NULL, 0, 0, &file));
	BAD(gsym_module_file_at(m, 0, 0, NULL));
	gsym_module_close(m);
}

static void check_process(void)
{
	struct gsym_process *p;
	struct gsym_process_module module;
	struct gsym_process_place place;
	struct gsym_match match;
	struct gsym_frame frame;
	uint64_t address = (uintptr_t)check_process;
	uint32_t first[2];

	BAD(gsym_process_open(1, NULL, NULL));
	BAD(gsym_process_open_kernel(NULL, &p, NULL));
	BAD(gsym_process_open_kernel("", NULL, NULL));
	BAD(gsym_process_open_maps(NULL, 1, NULL, &p, NULL));
	BAD(gsym_process_open_maps("", 0, NULL, NULL, NULL));
	BAD(gsym_process_open_self(NULL, NULL));
	NEED(gsym_process_open_self(&p, NULL) == GSYM_OK);
	NOTHING(gsym_process_close(NULL));
	NIL(gsym_process_module_count(NULL));
	BAD(gsym_process_get_module(NULL, 0, &module));
	BAD(gsym_process_get_module(p, 0, NULL));
	BAD(gsym_process_find(NULL, address, &place));
	BAD(gsym_process_find(p, address, NULL));
	BAD(gsym_process_load(NULL, NULL, NULL));
	BAD(gsym_process_lookup(NULL, address, 0, &frame, 1, &match, NULL));
	BAD(gsym_process_lookup(p, address, 0, NULL, 1, &match, NULL));
	BAD(gsym_process_lookup_many(NULL, &address, 1, 0, &frame, 1, first,
				     NULL));
	BAD(gsym_process_lookup_many(p, NULL, 1, 0, &frame, 1, first, NULL));
	BAD(gsym_process_lookup_many(p, &address, 1, 0, NULL, 1, first, NULL));
	BAD(gsym_process_lookup_many(p, &address, 1, 0, &frame, 1, NULL,
				     NULL));
	gsym_process_close(p);
}

static void check_markup(void)
{
	struct gsym_markup_module module = { .name_size = 1 };
	struct gsym_markup_segment segment = { .last = 1 };
	struct gsym_markup *filter;

	BAD(gsym_markup_new(NULL, NULL, NULL, NULL));
	NEED(gsym_markup_new(NULL, NULL, &filter, NULL) == GSYM_OK);
	NOTHING(gsym_markup_free(NULL));
	BAD(gsym_markup_feed(NULL, "", 0));
	BAD(gsym_markup_feed(filter, NULL, 1));
	NOTHING(gsym_markup_flush(NULL));
	NIL(gsym_markup_clock(NULL, 0));
	BAD(gsym_markup_finish(NULL));
	NOTHING(gsym_markup_retry(NULL));
	NIL(gsym_markup_log_counts(NULL, NULL, 0));
	NONE(gsym_markup_log_name);
	BAD(gsym_markup_add(filter, &module, &segment));
	module.name_size = 0;
	BAD(gsym_markup_add(NULL, &module, &segment));
	BAD(gsym_markup_add(filter, NULL, &segment));
	BAD(gsym_markup_add(filter, &module, NULL));
	gsym_markup_free(filter);
}

#ifdef WITH_XRAY

static bool take_record(void *context, const struct gsym_xray_record *record)
{
	(void)context;
	(void)record;
	return true;
}

static void check_trace(void)
{
	/* The header of a basic log of version 3. */
	const uint8_t trace[32] = { 3 };
	struct gsym_xray_options options = { 0 };
	struct gsym_xray_header header;
	struct gsym_xray_thread thread;
	struct gsym_xray_event event;
	struct gsym_xray_block block;
	struct gsym_xray_iter *iter;
	struct gsym_xray_log *log;
	uint64_t first, last;

	NONE(gsym_xray_damage_name);
	NONE(gsym_xray_nanoseconds);
	BAD(gsym_xray_open(NULL, 1, NULL, &log, NULL));
	BAD(gsym_xray_open(trace, sizeof(trace), NULL, NULL, NULL));
	NEED(gsym_xray_open(trace, sizeof(trace), NULL, &log, NULL) ==
	     GSYM_OK);
	NOTHING(gsym_xray_close(NULL));
	BAD(gsym_xray_get_header(NULL, &header));
	BAD(gsym_xray_get_header(log, NULL));
	NIL(gsym_xray_span(NULL, &first, &last));
	NIL(gsym_xray_span(log, NULL, &last));
	NIL(gsym_xray_span(log, &first, NULL));
	NIL(gsym_xray_thread_count(NULL));
	BAD(gsym_xray_thread_at(NULL, 0, &thread));
	BAD(gsym_xray_thread_at(log, 0, NULL));
	BAD(gsym_xray_events(NULL, 0, &iter, NULL));
	BAD(gsym_xray_events(log, 0, NULL, NULL));
	BAD(gsym_xray_timeline(NULL, &iter, NULL));
	BAD(gsym_xray_timeline(log, NULL, NULL));
	NEED(gsym_xray_timeline(log, &iter, NULL) == GSYM_OK);
	NIL(gsym_xray_next(NULL, &event));
	NIL(gsym_xray_next(iter, NULL));
	NOTHING(gsym_xray_iter_free(NULL));
	NIL(gsym_xray_block_count(NULL));
	BAD(gsym_xray_block_at(NULL, 0, &block));
	BAD(gsym_xray_block_at(log, 0, NULL));
	BAD(gsym_xray_records(NULL, take_record, NULL, NULL));
	BAD(gsym_xray_records(log, NULL, NULL, NULL));
	BAD(gsym_xray_check(NULL, &options, NULL));
	BAD(gsym_xray_check(log, NULL, NULL));
	gsym_xray_iter_free(iter);
	gsym_xray_close(log);
}

static void check_calls(void)
{
	struct gsym_xray_stack *stack = gsym_xray_stack_new(NULL, NULL, NULL);
	struct gsym_xray_account *account = gsym_xray_account_new(0);
	struct gsym_xray_tree *tree = gsym_xray_tree_new(0);
	const struct gsym_xray_event event = { .function = 1 };
	const struct gsym_xray_call call = { .function = 1 };
	struct gsym_xray_repairs repairs;
	struct gsym_xray_account_row row;
	struct gsym_xray_node node;

	NEED(stack && account && tree);
	NONE(gsym_xray_stack_new);
	NONE(gsym_xray_account_new);
	NONE(gsym_xray_tree_new);
	NOTHING(gsym_xray_stack_free(NULL));
	BAD(gsym_xray_stack_event(NULL, &event));
	BAD(gsym_xray_stack_event(stack, NULL));
	BAD(gsym_xray_stack_end(NULL));
	BAD(gsym_xray_stack_repairs(NULL, &repairs));
	BAD(gsym_xray_stack_repairs(stack, NULL));
	NOTHING(gsym_xray_tree_free(NULL));
	NIL(gsym_xray_tree_root(NULL, 1));
	NIL(gsym_xray_tree_enter(NULL, &event, 0));
	NIL(gsym_xray_tree_enter(tree, NULL, 0));
	NIL(gsym_xray_tree_leave(NULL, &call));
	NIL(gsym_xray_tree_leave(tree, NULL));
	NIL(gsym_xray_tree_add(NULL, tree, 0));
	NIL(gsym_xray_tree_add(tree, NULL, 0));
	BAD(gsym_xray_tree_sort(NULL));
	NIL(gsym_xray_tree_count(NULL));
	BAD(gsym_xray_tree_node(NULL, 0, &node));
	BAD(gsym_xray_tree_node(tree, 0, NULL));
	NOTHING(gsym_xray_account_free(NULL));
	BAD(gsym_xray_account_event(NULL, &event));
	BAD(gsym_xray_account_event(account, NULL));
	BAD(gsym_xray_account_end(NULL));
	BAD(gsym_xray_account_repairs(NULL, &repairs));
	BAD(gsym_xray_account_repairs(account, NULL));
	NIL(gsym_xray_account_count(NULL));
	BAD(gsym_xray_account_get_row(NULL, 0, &row));
	BAD(gsym_xray_account_get_row(account, 0, NULL));
	gsym_xray_stack_free(stack);
	gsym_xray_account_free(account);
	gsym_xray_tree_free(tree);
}

static void check_maps(void)
{
	struct gsym_xray_section bare = { .size = 16, .word = 8 };
	struct gsym_xray_section section = { .word = 8 };
	struct gsym_xray_map *map;
	struct gsym_xray_sled sled;
	uint64_t address;
	unsigned kinds;

	BAD(gsym_xray_map_open(NULL, 1, &map, NULL));
	BAD(gsym_xray_map_open(&bare, 1, &map, NULL));
	BAD(gsym_xray_map_open(&section, 1, NULL, NULL));
	BAD(gsym_xray_map_parse(NULL, 1, &map, NULL));
	BAD(gsym_xray_map_parse("", 0, NULL, NULL));
	NEED(gsym_xray_map_open(NULL, 0, &map, NULL) == GSYM_OK);
	BAD(gsym_xray_map_check_index(NULL, &section, &section, NULL));
	BAD(gsym_xray_map_check_index(map, NULL, &section, NULL));
	BAD(gsym_xray_map_check_index(map, &section, NULL, NULL));
	BAD(gsym_xray_map_check_index(map, &section, &bare, NULL));
	NOTHING(gsym_xray_map_close(NULL));
	NIL(gsym_xray_map_functions(NULL));
	BAD(gsym_xray_map_sled_at(NULL, 0, &sled));
	BAD(gsym_xray_map_sled_at(map, 0, NULL));
	/* The one function whose value for "nothing" is not 0. */
	NIL(gsym_xray_map_index(NULL, 1) != GSYM_XRAY_NO_INDEX);
	BAD(gsym_xray_map_function(NULL, 1, &address, &kinds));
	BAD(gsym_xray_map_function(map, 1, NULL, &kinds));
	BAD(gsym_xray_map_function(map, 1, &address, NULL));
	NIL(gsym_xray_map_name(NULL, 1));
	gsym_xray_map_close(map);
}

static void check_xray(void)
{
	check_trace();
	check_calls();
	check_maps();
}

#else

static void check_xray(void)
{
}

#endif

#ifdef WITH_CONVERT

static void check_convert(const struct gsym_reader *r)
{
	struct gsym_builder *b = gsym_builder_new();
	struct gsym_architecture architecture = { .name = "x86_64" };
	struct gsym_convert_options options = { 0 };
	uint8_t id[64];
	size_t count;

	NONE(gsym_format_name);
	NONE(gsym_warning_name);
	NIL(gsym_architecture_matches(NULL, "x86_64"));
	NIL(gsym_architecture_matches(&architecture, NULL));
	BAD(gsym_convert_file(NULL, &options, b, NULL, NULL));
	BAD(gsym_convert_file("x", NULL, b, NULL, NULL));
	BAD(gsym_convert_file("x", &options, NULL, NULL, NULL));
	options.section_base_count = 1;
	BAD(gsym_convert_file("x", &options, b, NULL, NULL));
	options.section_base_count = 0;
	options.debug_directory_count = 1;
	BAD(gsym_convert_file("x", &options, b, NULL, NULL));
	options.debug_directory_count = 0;
	BAD(gsym_convert_architectures(NULL, &architecture, 1, &count, NULL));
	BAD(gsym_convert_architectures("x", NULL, 1, &count, NULL));
	BAD(gsym_convert_architectures("x", &architecture, 1, NULL, NULL));
	NIL(gsym_convert_knows(NULL, 8));
	BAD(gsym_breakpad_identity(NULL, GSYM_FROM_BEST, id, &count));
	BAD(gsym_breakpad_identity("x", GSYM_FROM_BEST, NULL, &count));
	BAD(gsym_breakpad_identity("x", GSYM_FROM_BEST, id, NULL));
	BAD(gsym_convert_reader(NULL, &options, b, NULL, NULL));
	BAD(gsym_convert_reader(r, NULL, b, NULL, NULL));
	BAD(gsym_convert_reader(r, &options, NULL, NULL, NULL));
	gsym_builder_free(b);
}

static void check_elf(const uint8_t *elf, size_t elf_size)
{
	const uint8_t *id;
	uint8_t *out;
	size_t out_size;

	BAD(gsym_elf_embed(NULL, 1, bytes, size, &out, &out_size, NULL));
	BAD(gsym_elf_embed(elf, elf_size, NULL, size, &out, &out_size, NULL));
	BAD(gsym_elf_embed(elf, elf_size, bytes, size, NULL, &out_size, NULL));
	BAD(gsym_elf_embed(elf, elf_size, bytes, size, &out, NULL, NULL));
	BAD(gsym_elf_stub(NULL, 1, elf, elf_size, &out, &out_size, NULL));
	BAD(gsym_elf_stub(elf, elf_size, NULL, 1, &out, &out_size, NULL));
	BAD(gsym_elf_stub(elf, elf_size, elf, elf_size, NULL, &out_size, NULL));
	BAD(gsym_elf_stub(elf, elf_size, elf, elf_size, &out, NULL, NULL));
	NIL(gsym_elf_is_program(NULL, 0));
	NIL(gsym_elf_is_stub(NULL, 0));
	BAD(gsym_elf_bare_stub(NULL, bytes, 8, &out, &out_size, NULL));
	BAD(gsym_elf_bare_stub("x86_64", NULL, 8, &out, &out_size, NULL));
	BAD(gsym_elf_bare_stub("x86_64", bytes, 8, NULL, &out_size, NULL));
	BAD(gsym_elf_bare_stub("x86_64", bytes, 8, &out, NULL, NULL));
	BAD(gsym_elf_build_id(NULL, 1, &id, &out_size, NULL));
	BAD(gsym_elf_build_id(elf, elf_size, NULL, &out_size, NULL));
	BAD(gsym_elf_build_id(elf, elf_size, &id, NULL, NULL));
	NIL(gsym_elf_has_section(NULL, 1, ".text"));
	NIL(gsym_elf_has_section(elf, elf_size, NULL));
}

static void check_program(const uint8_t *elf, size_t elf_size)
{
	struct gsym_program *p;
	struct gsym_program_facts facts;
	struct gsym_program_section section;
	uint64_t address, left;
	uint8_t copy[8];
	size_t at = 0;

	BAD(gsym_program_open(NULL, 1, 0, &p, NULL));
	BAD(gsym_program_open(elf, elf_size, 0, NULL, NULL));
	NEED(gsym_program_open(elf, elf_size, 0, &p, NULL) == GSYM_OK);
	NOTHING(gsym_program_close(NULL));
	BAD(gsym_program_get_facts(NULL, &facts));
	BAD(gsym_program_get_facts(p, NULL));
	BAD(gsym_program_find_section(NULL, ".text", &at, &section));
	BAD(gsym_program_find_section(p, NULL, &at, &section));
	BAD(gsym_program_find_section(p, ".text", NULL, &section));
	BAD(gsym_program_find_section(p, ".text", &at, NULL));
	BAD(gsym_program_symbol(NULL, "main", &address));
	BAD(gsym_program_symbol(p, NULL, &address));
	BAD(gsym_program_symbol(p, "main", NULL));
	NIL(gsym_program_bytes(NULL, 0, &left));
	NIL(gsym_program_bytes(p, 0, NULL));
	NOTHING(gsym_program_fill_pointers(NULL, 0, copy, sizeof(copy)));
	NOTHING(gsym_program_fill_pointers(p, 0, NULL, sizeof(copy)));
	gsym_program_close(p);
}

/* The contents of this program's own file. */
static uint8_t *read_self(size_t *ret_size)
{
	FILE *file = fopen("/proc/self/exe", "rb");
	struct stat st;
	uint8_t *self;

	NEED(file && fstat(fileno(file), &st) == 0);
	self = malloc((size_t)st.st_size);
	NEED(self);
	*ret_size = fread(self, 1, (size_t)st.st_size, file);
	fclose(file);
	return self;
}

static void check_programs(const struct gsym_reader *r)
{
	size_t self_size;
	uint8_t *self = read_self(&self_size);

	check_convert(r);
	check_elf(self, self_size);
	check_program(self, self_size);
	free(self);
}

#else

static void check_programs(const struct gsym_reader *r)
{
	(void)r;
}

#endif

/* ---- all of them -------------------------------------------------------- */

static bool was_called(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < call_count; i++)
		if (!strncmp(calls[i], name, length) &&
		    (!calls[i][length] || calls[i][length] == '('))
			return true;
	return false;
}

/* Report the functions in the version script TOP/libgsym/NAME.map that were not
 * called. */
static void compare(const char *top, const char *name, unsigned least)
{
	char path[4096], line[256], function[256];
	unsigned count = 0;
	FILE *map;

	snprintf(path, sizeof(path), "%s/libgsym/%s.map", top, name);
	map = fopen(path, "r");
	NEED(map);
	while (fgets(line, sizeof(line), map)) {
		if (sscanf(line, " %255[a-z0-9_];", function) != 1 ||
		    strncmp(function, "gsym_", 5) != 0)
			continue;
		count++;
		if (!was_called(function)) {
			printf("%s is not tested\n", function);
			failures++;
		}
	}
	fclose(map);
	NEED(count >= least);
}

int main(int argc, char **argv)
{
	const char *top = argc > 1 ? argv[1] : getenv("top_srcdir");
	struct gsym_reader *r;

	make_sample();
	NEED(gsym_open_memory(bytes, size, &r, NULL) == GSYM_OK);
	check_types();
	check_open();
	check_lookup(r);
	check_functions(r);
	check_names(r);
	check_batch();
	check_demangle();
	check_tables(r);
	check_builder();
	check_store();
	check_module("/proc/self/exe");
	check_process();
	check_markup();
	check_xray();
	check_programs(r);
	gsym_close(r);
	free(bytes);
	NEED(top);
	compare(top, "libgsym", 100);
	compare(top, "libgsym-demangle", 6);
#ifdef WITH_XRAY
	compare(top, "libgsym-xray", 40);
#endif
#ifdef WITH_CONVERT
	compare(top, "libgsym-convert", 10);
#endif
	printf("%zu calls, %u failures\n", call_count, failures);
	return failures ? 1 : 0;
}
