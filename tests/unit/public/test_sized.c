/* SPDX-License-Identifier: MIT */
/*
 * Callers that were compiled for another release: every exported function whose
 * name ends in "_sized", with a size that is too small, with the size of this
 * release, and with a larger one.  gsym/types.h has the rules.
 */
#include <gsym/builder.h>
#ifdef WITH_CONVERT
#include <gsym/program.h>
#endif
#include <gsym/markup.h>
#include <gsym/module.h>
#include <gsym/process.h>
#include <gsym/store.h>
#include <gsym/xray.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned failures;

static void expect(bool condition, const char *text)
{
	if (condition)
		return;
	printf("not so: %s\n", text);
	failures++;
}

#define EXPECT(condition) expect(condition, #condition)

/* More than any struct has, and the byte that the library must not touch. */
enum { ROOM = 8192, FILL = 0xa5 };

static union {
	uint64_t align;
	uint8_t bytes[ROOM];
} room;

/* Fill the room, so that a byte that is written is seen. */
static void *fresh(void)
{
	memset(room.bytes, FILL, ROOM);
	return room.bytes;
}

static bool all_are(const uint8_t *bytes, size_t count, uint8_t value)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

/* Whether the library wrote SIZE bytes of the room, of which those from KNOWN
 * on are 0, and no more. */
static bool wrote(size_t known, size_t size)
{
	return !all_are(room.bytes, known, FILL) &&
	       all_are(room.bytes + known, size - known, 0) &&
	       all_are(room.bytes + size, ROOM - size, FILL);
}

/*
 * CALL fills in a struct of TYPE at TO with AT_SIZE bytes and returns a status.
 * A caller of a later release has 64 bytes more; a caller of the first release
 * less than half cannot exist.
 */
#define OUTPUT(type, call)                                            \
	do {                                                          \
		type *to = fresh();                                   \
		size_t at_size = sizeof(type);                        \
								      \
		EXPECT((call) == GSYM_OK && "the size of now" &&      \
		       wrote(at_size, at_size) && #call);             \
		to = fresh();                                         \
		at_size += 64;                                        \
		EXPECT((call) == GSYM_OK && "a larger size" &&        \
		       wrote(at_size - 64, at_size) && #call);        \
		to = fresh();                                         \
		at_size = sizeof(type) / 2;                           \
		EXPECT((call) == GSYM_ERR_ARGUMENT && "too small" &&  \
		       wrote_nothing() && #call);                     \
	} while (0)

static bool wrote_nothing(void)
{
	return all_are(room.bytes, ROOM, FILL);
}

/* ---- a sample ----------------------------------------------------------- */

static uint8_t *bytes;
static size_t size;

/* Make a file with a function "f" with a row, an inlined call of "g", a call
 * site and a merged function "h". */
static void make_sample(void)
{
	struct gsym_builder *b = gsym_builder_new();
	struct gsym_row rows[] = { { 0, 0, 7 }, { 8, 0, 3 } };
	struct gsym_range range = { 0x1008, 0x1010 };
	struct gsym_inline_node node = { .depth = 1, .call_line = 8,
					 .range_count = 1 };
	struct gsym_call call = { 8, GSYM_CALL_INTERNAL, 0, 1 };
	struct gsym_record merged = { .rank = GSYM_RANK_FUNCTION,
				      .start = 0x1000, .size = 16 };
	struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION, .start = 0x1000, .size = 16,
		.rows = rows, .row_count = 2, .inlines = &node,
		.inline_count = 1, .inline_ranges = &range, .calls = &call,
		.call_count = 1, .merged = &merged, .merged_count = 1,
	};
	struct gsym_build_options options = { .merge = true };
	uint32_t file, directory;

	gsym_builder_string(b, "f", 1, &record.name);
	gsym_builder_string(b, "g", 1, &node.name);
	gsym_builder_string(b, "h", 1, &merged.name);
	gsym_builder_string(b, "/src", 4, &directory);
	gsym_builder_file(b, directory, record.name, &file);
	rows[0].file = rows[1].file = node.call_file = file;
	merged.rows = rows;
	merged.row_count = 2;
	record.call_patterns = &node.name;
	EXPECT(gsym_builder_record(b, &record) == GSYM_OK);
	gsym_builder_set_uuid(b, (const uint8_t *)"\1\2\3\4\5\6\7\10", 8);
	EXPECT(gsym_builder_finish(b, &options, &bytes, &size, NULL, NULL) ==
	       GSYM_OK);
	gsym_builder_free(b);
}

/* ---- the reader --------------------------------------------------------- */

/* A struct gsym_frame of a later release. */
struct later_frame {
	struct gsym_frame known;
	uint64_t more[3];
};

static void check_frames(const struct gsym_reader *r)
{
	struct later_frame frames[3];
	struct gsym_frame plain[2];
	struct gsym_match match;
	const struct gsym_frame *f = &frames[0].known;
	uint64_t address = 0x1009;
	uint32_t first[2];

	memset(frames, FILL, sizeof(frames));
	EXPECT(gsym_lookup_sized(r, 0x1009, 0, &frames[0].known,
				 sizeof(frames[0]), 2, &match, sizeof(match),
				 NULL) == GSYM_OK);
	EXPECT(match.frame_count == 2 && match.merged_count == 1);
	EXPECT(!strcmp(f->function, "g") && f->inlined && f->line == 3);
	EXPECT(!strcmp(gsym_string_at(r, f->function_string), "g"));
	EXPECT(!strcmp(f->directory, "/src") && !strcmp(f->basename, "f"));
	EXPECT(f->file && frames[1].known.file == f->file);
	EXPECT(!frames[0].more[0] && !frames[0].more[2] && !frames[1].more[1]);
	EXPECT(!strcmp(frames[1].known.function, "f") &&
	       frames[1].known.line == 8);
	EXPECT(all_are((const uint8_t *)&frames[2], sizeof(frames[2]), FILL));
	/* The innermost frame remains where there is room for one. */
	EXPECT(gsym_lookup_sized(r, 0x1009, 0, &frames[0].known,
				 sizeof(frames[0]), 1, NULL, sizeof(match),
				 NULL) == GSYM_OK);
	EXPECT(!strcmp(f->function, "g"));
	EXPECT(gsym_lookup_merged_sized(r, &match, 0, 0, &frames[0].known,
					sizeof(frames[0]), 2, NULL,
					sizeof(match), NULL) == GSYM_OK);
	EXPECT(!strcmp(f->function, "h") && !frames[0].more[0]);
	EXPECT(gsym_lookup_many_sized(r, &address, 1, 0, &frames[0].known,
				      sizeof(frames[0]), 2, first, NULL) ==
	       GSYM_OK);
	EXPECT(first[1] == 2 && !strcmp(f->function, "g") && f->line == 3 &&
	       !frames[0].more[0] && !frames[1].more[2]);
	EXPECT(gsym_lookup_many_sized(r, &address, 1, 0, plain,
				      sizeof(plain[0]) - 8, 2, first, NULL) ==
	       GSYM_ERR_ARGUMENT);
	/* Sizes of elements that cannot be. */
	EXPECT(gsym_lookup_sized(r, 0x1009, 0, plain, sizeof(plain[0]) - 8, 2,
				 NULL, sizeof(match), NULL) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_lookup_sized(r, 0x1009, 0, plain, sizeof(plain[0]) + 1, 1,
				 NULL, sizeof(match), NULL) ==
	       GSYM_ERR_ARGUMENT);
}

static void check_flags(const struct gsym_reader *r)
{
	struct gsym_frame frames[2];
	struct gsym_match match, other;
	uint64_t address = 0x1009;
	uint32_t first[2];

	for (unsigned bit = 0; bit < 32; bit++) {
		bool known = 1u << bit == GSYM_LOOKUP_NO_INLINES ||
			     1u << bit == GSYM_LOOKUP_NO_LINES ||
			     1u << bit == GSYM_LOOKUP_NO_DIRECTORIES;
		enum gsym_status expected = known ? GSYM_OK : GSYM_ERR_ARGUMENT;

		EXPECT(gsym_lookup(r, 0x1009, 0, frames, 2, &match, NULL) ==
		       GSYM_OK);
		EXPECT(gsym_lookup(r, 0x1009, 1u << bit, frames, 2, &match,
				   NULL) == expected);
		EXPECT(gsym_lookup_many(r, &address, 1, 1u << bit, frames, 2,
					first, NULL) == expected);
		EXPECT(gsym_lookup_merged(r, &match, 0, 1u << bit, frames, 2,
					  &other, NULL) == expected);
	}
	EXPECT(gsym_lookup(r, 0x1009, GSYM_LOOKUP_NO_LINES, frames, 2, &match,
			   NULL) == GSYM_OK);
	EXPECT(match.frame_count == 2 && !frames[0].line && !frames[1].line &&
	       !frames[0].file && !*frames[0].basename &&
	       !*frames[1].directory);
	EXPECT(gsym_lookup(r, 0x1009, GSYM_LOOKUP_NO_DIRECTORIES, frames, 2,
			   &match, NULL) == GSYM_OK);
	EXPECT(frames[0].line == 3 && frames[0].file &&
	       !strcmp(frames[0].basename, "f") && !*frames[0].directory &&
	       !*frames[1].directory);
}

static void check_walks(const struct gsym_reader *r)
{
	struct gsym_match match;
	struct gsym_function f;
	struct gsym_line_iter rows;
	struct gsym_inline_iter nodes;

	OUTPUT(struct gsym_match,
	       gsym_lookup_sized(r, 0x1000, 0, NULL,
				 sizeof(struct gsym_frame), 0, to, at_size,
				 NULL));
	gsym_lookup(r, 0x1000, 0, NULL, 0, &match, NULL);
	OUTPUT(struct gsym_match,
	       gsym_lookup_merged_sized(r, &match, 0, 0, NULL,
					sizeof(struct gsym_frame), 0, to,
					at_size, NULL));
	OUTPUT(struct gsym_header, gsym_get_header_sized(r, to, at_size));
	OUTPUT(struct gsym_function,
	       gsym_function_at_sized(r, 0, to, at_size, NULL));
	EXPECT(gsym_function_at(r, 0, &f, NULL) == GSYM_OK);
	OUTPUT(struct gsym_function,
	       gsym_merged_at_sized(&f, 0, to, at_size, NULL));
	OUTPUT(struct gsym_call_site,
	       gsym_call_site_at_sized(&f, 0, to, at_size, NULL));
	OUTPUT(struct gsym_call_site,
	       gsym_call_site_find_sized(&f, 0x1008, to, at_size, NULL));
	OUTPUT(struct gsym_line, (gsym_lines(&f, &rows, NULL),
				  gsym_line_next_sized(&rows, to, at_size,
						       NULL)));
	OUTPUT(struct gsym_inline, (gsym_inlines(&f, &nodes, NULL),
				    gsym_inline_next_sized(&nodes, to, at_size,
							   NULL)));
}

/* ---- the writer --------------------------------------------------------- */

static struct gsym_builder *builder_with_record(void)
{
	struct gsym_builder *b = gsym_builder_new();
	struct gsym_record record = { .rank = GSYM_RANK_FUNCTION,
				      .start = 1, .size = 8 };

	gsym_builder_string(b, "f", 1, &record.name);
	EXPECT(gsym_builder_record(b, &record) == GSYM_OK);
	return b;
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

/* Write a file with OPTIONS of OPTIONS_SIZE bytes and a summary, TO, of
 * AT_SIZE. */
static enum gsym_status finish(const struct gsym_build_options *options,
			       size_t options_size,
			       struct gsym_build_summary *to, size_t at_size)
{
	struct gsym_builder *b = builder_with_record();
	enum gsym_status status;
	uint64_t written;
	uint8_t *out;
	size_t out_size;

	status = gsym_builder_write_sized(b, options, options_size, put_piece,
					  NULL, &written, to, at_size, NULL);
	gsym_builder_free(b);
	b = builder_with_record();
	EXPECT(gsym_builder_finish_segments_sized(b, options, options_size, 0,
						  put_piece, NULL, to, at_size,
						  NULL) == status);
	gsym_builder_free(b);
	b = builder_with_record();
	EXPECT(gsym_builder_finish_sized(b, options, options_size, &out,
					 &out_size, to, at_size, NULL) ==
	       status);
	if (status == GSYM_OK)
		free(out);
	gsym_builder_free(b);
	return status;
}

/* A struct gsym_record of a later release. */
struct later_record {
	struct gsym_record known;
	uint64_t more;
};

static void check_records(void)
{
	struct gsym_builder *b = gsym_builder_new();
	struct later_record merged[2], record;
	struct gsym_build_options options = { .merge = true };
	struct gsym_build_summary summary;
	struct gsym_row row = { 0, 0, 7 };
	uint32_t names[3];
	uint8_t *out;
	size_t out_size;

	memset(&record, 0, sizeof(record));
	record.known = (struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					     .start = 1, .size = 8 };
	record.more = UINT64_MAX;
	merged[0] = merged[1] = record;
	for (unsigned i = 0; i < 3; i++)
		gsym_builder_string(b, &"abc"[i], 1, &names[i]);
	gsym_builder_file(b, 0, names[0], &row.file);
	record.known.name = names[0];
	record.known.merged = &merged[0].known;
	record.known.merged_count = 2;
	for (unsigned i = 0; i < 2; i++) {
		merged[i].known.name = names[i + 1];
		merged[i].known.rows = &row;
		merged[i].known.row_count = 1;
	}
	EXPECT(gsym_builder_record_sized(b, &record.known,
					 sizeof(record.known) / 2) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_builder_record_sized(b, &record.known, sizeof(record)) ==
	       GSYM_OK);
	EXPECT(gsym_builder_finish(b, &options, &out, &out_size, &summary,
				   NULL) == GSYM_OK);
	EXPECT(summary.functions == 1 && summary.merged == 2);
	free(out);
	gsym_builder_free(b);
}

static void check_writer(void)
{
	struct gsym_builder *b = gsym_builder_new();
	struct {
		struct gsym_build_options known;
		uint64_t more;
	} options = { { .version = 2 }, UINT64_MAX };

	OUTPUT(struct gsym_sink, gsym_builder_sink_sized(b, to, at_size));
	gsym_builder_free(b);
	OUTPUT(struct gsym_build_summary,
	       finish(NULL, sizeof(options.known), to, at_size));
	EXPECT(finish(&options.known, sizeof(options), NULL,
		      sizeof(struct gsym_build_summary)) == GSYM_OK);
	EXPECT(finish(&options.known, 4, NULL,
		      sizeof(struct gsym_build_summary)) ==
	       GSYM_ERR_ARGUMENT);
	check_records();
}

/* ---- stores, modules, logs, traces -------------------------------------- */

static void check_store(void)
{
	const uint8_t id[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	char folder[] = "/tmp/gsym-sized-XXXXXX", path[64];
	const struct gsym_store_entry *entry;
	struct gsym_store *store = gsym_store_new();
	struct gsym_store_symbol symbol;
	FILE *file;

	EXPECT(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/02030405060708.debug.gsym", folder);
	file = fopen(path, "wb");
	EXPECT(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
	gsym_store_add_gsym_directory(store, folder);
	EXPECT(gsym_store_find(store, id, 8, &entry, NULL) == GSYM_OK);
	EXPECT(gsym_store_symbol_at_sized(entry, 0, 0, &symbol, 8) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_store_symbol_at(entry, 0, 1u << 31, &symbol) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_store_symbol_at_sized(entry, 0, 0, &symbol,
					  sizeof(symbol) + 64) ==
	       GSYM_NOT_FOUND);
	EXPECT(gsym_store_symbol_named_sized(entry, "a", 1, 0, &symbol, 8) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_store_symbol_named_sized(entry, "a", 1, 0, &symbol,
					     sizeof(symbol) + 64) ==
	       GSYM_NOT_FOUND);
	gsym_store_free(store);
	unlink(path);
	rmdir(folder);
}

static void check_modules(void)
{
	struct gsym_store_symbol symbol;
	struct gsym_module *m;

	EXPECT(gsym_module_open("/proc/self/exe", &m, NULL) == GSYM_OK);
	OUTPUT(struct gsym_module_facts,
	       gsym_module_get_facts_sized(m, to, at_size));
	OUTPUT(struct gsym_module_section,
	       gsym_module_find_section_sized(m, ".text", to, at_size));
	EXPECT(gsym_module_symbol_at_sized(m, 0, 0, &symbol, 8) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_module_symbol_at(m, 0, 1u << 31, &symbol) ==
	       GSYM_ERR_ARGUMENT);
	gsym_module_close(m);
}

static void check_process(void)
{
	struct later_frame frame;
	uint64_t address = (uintptr_t)check_process;
	struct gsym_process *p;
	uint32_t first[2];

	EXPECT(gsym_process_open_self(&p, NULL) == GSYM_OK);
	OUTPUT(struct gsym_process_module,
	       gsym_process_get_module_sized(p, 0, to, at_size));
	OUTPUT(struct gsym_process_place,
	       gsym_process_find_sized(p, address, to, at_size));
	EXPECT(gsym_process_lookup_sized(p, address, 0, &frame.known, 8, 1,
					 NULL, sizeof(struct gsym_match),
					 NULL) == GSYM_ERR_ARGUMENT);
	EXPECT(gsym_process_lookup_many_sized(p, &address, 1, 0, &frame.known,
					      8, 1, first, NULL) ==
	       GSYM_ERR_ARGUMENT);
	gsym_process_close(p);
}

static void check_markup(void)
{
	struct {
		struct gsym_markup_host known;
		uint64_t more;
	} host = { { NULL }, UINT64_MAX };
	struct {
		struct gsym_markup_options known;
		uint64_t more;
	} options = { { .html = true }, UINT64_MAX };
	struct gsym_markup *filter;

	EXPECT(gsym_markup_new_sized(&host.known, sizeof(host), &options.known,
				     sizeof(options), &filter, NULL) ==
	       GSYM_OK);
	gsym_markup_free(filter);
	EXPECT(gsym_markup_new_sized(&host.known, 8, NULL,
				     sizeof(options.known), &filter, NULL) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_markup_new_sized(NULL, sizeof(host.known), &options.known,
				     8, &filter, NULL) == GSYM_ERR_ARGUMENT);
}

static void check_traces(void)
{
	const uint8_t trace[32] = { 3 };
	/* A sled of version 2: relative addresses, kind, flags, version. */
	const uint8_t sleds[32] = { [18] = 2 };
	struct gsym_xray_section section = { .data = sleds,
					     .size = sizeof(sleds),
					     .word = 8 };
	struct gsym_xray_stack *stack = gsym_xray_stack_new(NULL, NULL, NULL);
	struct gsym_xray_account *account = gsym_xray_account_new(0);
	struct gsym_xray_tree *tree = gsym_xray_tree_new(0);
	const struct gsym_xray_event event = { .function = 1 };
	struct {
		struct gsym_xray_options known;
		uint64_t more;
	} options = { { .strict = true }, UINT64_MAX };
	struct gsym_xray_log *log;
	struct gsym_xray_map *map;

	EXPECT(gsym_xray_open_sized(trace, sizeof(trace), &options.known, 8,
				    &log, NULL) == GSYM_ERR_ARGUMENT);
	EXPECT(gsym_xray_open_sized(trace, sizeof(trace), &options.known,
				    sizeof(options), &log, NULL) == GSYM_OK);
	EXPECT(gsym_xray_check_sized(log, &options.known, 8, NULL) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_xray_check_sized(log, &options.known, sizeof(options),
				     NULL) == GSYM_OK);
	OUTPUT(struct gsym_xray_header,
	       gsym_xray_get_header_sized(log, to, at_size));
	EXPECT(gsym_xray_thread_at_sized(log, 0, fresh(), 8) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_xray_block_at_sized(log, 0, fresh(), 8) ==
	       GSYM_ERR_ARGUMENT);
	gsym_xray_close(log);
	OUTPUT(struct gsym_xray_repairs,
	       gsym_xray_stack_repairs_sized(stack, to, at_size));
	EXPECT(gsym_xray_account_event(account, &event) == GSYM_OK);
	OUTPUT(struct gsym_xray_repairs,
	       gsym_xray_account_repairs_sized(account, to, at_size));
	OUTPUT(struct gsym_xray_account_row,
	       gsym_xray_account_get_row_sized(account, 0, to, at_size));
	OUTPUT(struct gsym_xray_node,
	       gsym_xray_tree_node_sized(tree, 0, to, at_size));
	EXPECT(gsym_xray_map_open(&section, 1, &map, NULL) == GSYM_OK);
	OUTPUT(struct gsym_xray_sled,
	       gsym_xray_map_sled_at_sized(map, 0, to, at_size));
	gsym_xray_map_close(map);
	gsym_xray_stack_free(stack);
	gsym_xray_account_free(account);
	gsym_xray_tree_free(tree);
}

/* ---- converting --------------------------------------------------------- */

#ifdef WITH_CONVERT

/* gsym_convert_reader_sized of the sample. */
static enum gsym_status convert(const struct gsym_reader *r,
				const struct gsym_convert_options *options,
				size_t options_size,
				struct gsym_convert_facts *to, size_t at_size)
{
	struct gsym_builder *b = gsym_builder_new();
	enum gsym_status status = gsym_convert_reader_sized(
		r, options, options_size, b, to, at_size, NULL);

	gsym_builder_free(b);
	return status;
}

static void check_convert(const struct gsym_reader *r)
{
	struct {
		struct gsym_convert_options known;
		uint64_t more;
	} options = { { .threads = 1 }, UINT64_MAX };
	struct gsym_builder *b = gsym_builder_new();

	OUTPUT(struct gsym_convert_facts,
	       convert(r, &options.known, sizeof(options), to, at_size));
	EXPECT(convert(r, &options.known, sizeof(options.known) / 2, NULL,
		       sizeof(struct gsym_convert_facts)) ==
	       GSYM_ERR_ARGUMENT);
	EXPECT(gsym_convert_file_sized("/nothing", &options.known, 8, b, NULL,
				       sizeof(struct gsym_convert_facts),
				       NULL) == GSYM_ERR_ARGUMENT);
	EXPECT(gsym_convert_file_sized("/nothing", &options.known,
				       sizeof(options), b, NULL,
				       sizeof(struct gsym_convert_facts),
				       NULL) == GSYM_ERR_IO);
	gsym_builder_free(b);
}

static void check_program(void)
{
	static uint8_t self[8 << 20];
	FILE *file = fopen("/proc/self/exe", "rb");
	size_t self_size = fread(self, 1, sizeof(self), file);
	struct gsym_program *p;
	size_t at;

	fclose(file);
	EXPECT(gsym_program_open(self, self_size, 0, &p, NULL) == GSYM_OK);
	OUTPUT(struct gsym_program_facts,
	       gsym_program_get_facts_sized(p, to, at_size));
	OUTPUT(struct gsym_program_section,
	       (at = 0, gsym_program_find_section_sized(p, ".text", &at, to,
							at_size)));
	gsym_program_close(p);
}

#else

static void check_program(void)
{
}

static void check_convert(const struct gsym_reader *r)
{
	(void)r;
}

#endif

int main(void)
{
	struct gsym_reader *r;

	make_sample();
	EXPECT(gsym_open_memory(bytes, size, &r, NULL) == GSYM_OK);
	check_frames(r);
	check_flags(r);
	check_walks(r);
	check_writer();
	check_store();
	check_modules();
	check_process();
	check_markup();
	check_traces();
	check_convert(r);
	check_program();
	gsym_close(r);
	free(bytes);
	printf("%u failures\n", failures);
	return failures ? 1 : 0;
}
