/* SPDX-License-Identifier: MIT */
/* Batches: the columns that they hand over, who owns them, and what happens
 * without memory. */
#include <criterion/criterion.h>
#include <gsym/batch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/batch.h"
#include "support/gsym_bytes.h"
#include "support/mapped.h"

/* The program is linked with --wrap for these functions.  LIVE is the number
 * of pieces that were allocated and not freed.  The allocation that makes
 * COUNTDOWN 0 fails. */
static long live, countdown;
/* Called instead of that failure. */
static void (*on_countdown)(void);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static void *note(void *piece)
{
	live += piece != NULL;
	return piece;
}

static bool fails(void)
{
	if (!countdown || --countdown)
		return false;
	if (on_countdown)
		on_countdown();
	return !on_countdown;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : note(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	if (fails())
		return NULL;
	return old ? __real_realloc(old, size)
		   : note(__real_realloc(NULL, size));
}

void __wrap_free(void *old)
{
	live -= old != NULL;
	__real_free(old);
}

enum { COLUMNS = GSYM_BATCH_FRAMES | GSYM_BATCH_FOLDED | GSYM_BATCH_LEAF };

static const uint8_t id_a[] = { 0xaa, 1, 2, 3, 4, 5, 6, 7, 8 },
		     id_b[] = { 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
		     id_none[] = { 0xcc, 1, 2, 3, 4, 5, 6, 7 };
static char root[64];

/* Write the file that B makes, with the build ID of SIZE bytes at ID, where a
 * store finds it. */
static void put_file(struct gb *b, const uint8_t *id, size_t size)
{
	char path[256];
	int used = snprintf(path, sizeof(path), "%s/", root);
	size_t length;
	uint8_t *bytes;
	FILE *file;

	b->uuid = id;
	b->uuid_size = size;
	bytes = gb_finish(b, &length);
	for (size_t i = 1; i < size; i++)
		used += snprintf(path + used, 3, "%02x", id[i]);
	strcpy(path + used, ".debug.gsym");
	file = fopen(path, "wb");
	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes, 1, length, file), length);
	fclose(file);
	free(bytes);
}

/* Two inlined calls in "outer" of program A, from 0x1000 on. */
static void put_inlines(struct gb *b)
{
	uint32_t file = gb_file(b, "/src", "a.c"),
		 other = gb_file(b, "c:\\src", "b.h");
	struct gsym_emit *e = gb_record(b, 0x1000, 0x40, "outer");
	uint64_t inner = gb_string(b, "in;ner\\\n\xff"),
		 root_name = gb_string(b, "outer");
	size_t tuple;

	gb_lines(b, (struct gb_row[]){ { 0, file, 5 }, { 8, other, 7 } }, 2);
	tuple = gb_tuple(b, 2);
	gb_node(b, 0, 0x40, true, root_name, 0, 0);
	gb_node(b, 8, 8, false, inner, file, 12);
	gsym_emit_u8(e, 0);
	gb_tuple_end(b, tuple);
	gb_record_end(b);
}

/* A store with the programs A and B; the folder is gone after end. */
static struct gsym_store *begin(void)
{
	struct gsym_store *store = gsym_store_new();
	struct gb b;

	snprintf(root, sizeof(root), "/tmp/gsym-batch-XXXXXX");
	cr_assert_not_null(mkdtemp(root));
	gsym_store_add_gsym_directory(store, root);
	gb_init(&b, 1, false, 4, 0x1000);
	put_inlines(&b);
	put_file(&b, id_a, sizeof(id_a));
	gb_init(&b, 2, true, 8, 0);
	gb_plain(&b, 0x1000, 0x20, "other");
	gb_plain(&b, UINT64_MAX - 0xff, 0x20, "\xc3\xa9\xe2\x82\xac\xed\xa0");
	put_file(&b, id_b, sizeof(id_b));
	return store;
}

static void end(struct gsym_store *store)
{
	char command[128];

	gsym_store_free(store);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	cr_expect(system(command) == 0);
}

static void add(struct gsym_batch *batch, const uint8_t *id, size_t size,
		uint64_t address)
{
	cr_assert_eq(gsym_batch_add(batch, id, size, &address, 1), GSYM_OK);
}

/* Two programs in turn, with each status but that of damage. */
static struct gsym_batch *mixed(struct gsym_store *store, unsigned flags)
{
	struct gsym_batch *batch = gsym_batch_new(store, flags);

	cr_assert_not_null(batch);
	add(batch, id_b, sizeof(id_b), 0x1004);
	add(batch, id_a, sizeof(id_a), 0x1009);
	add(batch, id_a, sizeof(id_a), 0x9000);
	add(batch, id_none, sizeof(id_none), 0x1000);
	add(batch, id_b, sizeof(id_b), UINT64_MAX - 0xf0);
	add(batch, NULL, 0, 0x1000);
	add(batch, id_a, sizeof(id_a), 0x1004);
	return batch;
}

static void check_text(const struct ArrowArray *array, int64_t which,
		       const char *text)
{
	const int32_t *offsets = array->buffers[1];
	int length = offsets[which + 1] - offsets[which];
	const char *at = (const char *)array->buffers[2] + offsets[which];

	cr_expect(length == (int)strlen(text) &&
			  !memcmp(at, text, (size_t)length),
		  "%d: '%.*s' and not '%s'", (int)which, length, at, text);
}

static void check_field(const struct ArrowSchema *schema, const char *format,
			const char *name, int64_t flags, int64_t children)
{
	cr_expect_str_eq(schema->format, format);
	cr_expect_str_eq(schema->name, name);
	cr_expect_eq(schema->flags, flags);
	cr_expect_eq(schema->n_children, children);
	cr_expect_null(schema->metadata);
	cr_expect_null(schema->dictionary);
	cr_expect_not_null(schema->release);
}

static void check_schema(const struct ArrowSchema *schema)
{
	const struct ArrowSchema *item = schema->children[1]->children[0];

	check_field(schema, "+s", "", 0, 4);
	check_field(schema->children[0], "c", "status", 0, 0);
	check_field(schema->children[1], "+l", "frames", 0, 1);
	check_field(schema->children[2], "u", "folded", ARROW_FLAG_NULLABLE, 0);
	check_field(schema->children[3], "u", "leaf", ARROW_FLAG_NULLABLE, 0);
	check_field(item, "+s", "item", 0, 5);
	check_field(item->children[0], "u", "function", 0, 0);
	check_field(item->children[1], "u", "file", 0, 0);
	check_field(item->children[2], "i", "line", 0, 0);
	check_field(item->children[3], "l", "offset", 0, 0);
	check_field(item->children[4], "b", "inlined", 0, 0);
}

static void check_shape(const struct ArrowArray *array, int64_t length,
			int64_t nulls, int64_t buffers, int64_t children)
{
	cr_expect_eq(array->length, length);
	cr_expect_eq(array->null_count, nulls);
	cr_expect_eq(array->offset, 0);
	cr_expect_eq(array->n_buffers, buffers);
	cr_expect_eq(array->n_children, children);
	cr_expect_null(array->dictionary);
	cr_expect_not_null(array->release);
}

static void check_frames(const struct ArrowArray *frames)
{
	static const int32_t offsets[] = { 0, 1, 3, 3, 3, 4, 4, 5 },
			     lines[] = { 0, 7, 12, 0, 5 };
	static const int64_t starts[] = { 4, 1, 9, 15, 4 };
	static const char *const functions[] = {
		"other", "in;ner\\\n\xef\xbf\xbd", "outer",
		"\xc3\xa9\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd", "outer"
	};
	static const char *const files[] = { "", "c:\\src\\b.h", "/src/a.c", "",
					     "/src/a.c" };
	struct ArrowArray *const *members = frames->children[0]->children;

	check_shape(frames, 7, 0, 2, 1);
	check_shape(frames->children[0], 5, 0, 1, 5);
	cr_expect(!memcmp(frames->buffers[1], offsets, sizeof(offsets)));
	for (int i = 0; i < 5; i++) {
		check_shape(members[i], 5, 0, i < 2 ? 3 : 2, 0);
		check_text(members[0], i, functions[i]);
		check_text(members[1], i, files[i]);
	}
	cr_expect(!memcmp(members[2]->buffers[1], lines, sizeof(lines)));
	cr_expect(!memcmp(members[3]->buffers[1], starts, sizeof(starts)));
	cr_expect_eq(*(const uint8_t *)members[4]->buffers[1], 1 << 1);
}

static void check_array(const struct ArrowArray *array)
{
	static const int8_t statuses[] = { 0, 0, 1, 2, 0, 4, 0 };
	struct ArrowArray *const *columns = array->children;

	check_shape(array, 7, 0, 1, 4);
	check_shape(columns[0], 7, 0, 2, 0);
	cr_expect(!memcmp(columns[0]->buffers[1], statuses, sizeof(statuses)));
	check_frames(columns[1]);
	for (int i = 2; i < 4; i++) {
		check_shape(columns[i], 7, 3, 3, 0);
		cr_expect_eq(*(const uint8_t *)columns[i]->buffers[0], 0x53);
		check_text(columns[i], 0, "other");
		check_text(columns[i], 2, "");
		check_text(columns[i], 6, "outer");
	}
	check_text(columns[2], 1, "outer;in:ner\\\\\\n\xef\xbf\xbd");
	check_text(columns[3], 1, "in:ner\\\\\\n\xef\xbf\xbd");
}

/* Finish BATCH, which has no rows. */
static void check_empty(struct gsym_batch *batch)
{
	struct ArrowSchema schema;
	struct ArrowArray array;

	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	check_schema(&schema);
	check_shape(&array, 0, 0, 1, 4);
	for (int i = 0; i < 4; i++)
		cr_expect_eq(array.children[i]->length, 0);
	cr_expect_eq(*(const int32_t *)array.children[1]->buffers[1], 0);
	array.release(&array);
	schema.release(&schema);
}

Test(batch, columns_of_several_programs)
{
	struct gsym_store *store = begin();
	struct gsym_batch *batch = mixed(store, COLUMNS);
	struct ArrowSchema schema;
	struct ArrowArray array;

	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	check_schema(&schema);
	check_array(&array);
	array.release(&array);
	schema.release(&schema);
	/* The batch is empty and can be used again. */
	check_empty(batch);
	gsym_batch_free(batch);
	end(store);
}

Test(batch, each_flag_alone)
{
	static const char *const names[] = { "frames", "folded", "leaf" };
	struct gsym_store *store = begin();

	for (int i = -1; i < 3; i++) {
		struct gsym_batch *batch = mixed(store, i < 0 ? 0 : 1u << i);
		struct ArrowSchema schema;
		struct ArrowArray array;

		cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL),
			     GSYM_OK);
		check_shape(&array, 7, 0, 1, i < 0 ? 1 : 2);
		cr_assert_eq(schema.n_children, array.n_children);
		if (i >= 0)
			cr_expect_str_eq(schema.children[1]->name, names[i]);
		array.release(&array);
		schema.release(&schema);
		gsym_batch_free(batch);
	}
	cr_expect_null(gsym_batch_new(store, 8));
	end(store);
}

/* A consumer may move a child, release the parent, and use the child. */
Test(batch, each_piece_is_freed_once)
{
	struct gsym_store *store = begin();
	struct gsym_batch *batch = mixed(store, COLUMNS);
	struct ArrowSchema schema, field;
	struct ArrowArray array, column;
	long before, with_store;

	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	array.release(&array);
	schema.release(&schema);
	cr_expect_null(array.release);
	cr_expect_null(schema.release);
	gsym_batch_free(batch);

	before = live;
	batch = mixed(store, COLUMNS);
	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	gsym_batch_free(batch);
	with_store = live;
	end(store);
	before -= with_store - live;
	field = *schema.children[1];
	schema.children[1]->release = NULL;
	schema.release(&schema);
	column = *array.children[1];
	array.children[1]->release = NULL;
	array.release(&array);
	check_field(&field, "+l", "frames", 0, 1);
	check_field(field.children[0]->children[4], "b", "inlined", 0, 0);
	check_frames(&column);
	field.release(&field);
	column.release(&column);
	cr_expect_eq(before, live);
}

Test(batch, without_memory)
{
	struct gsym_store *store = begin();
	struct gsym_batch *batch = mixed(store, COLUMNS);
	struct ArrowSchema schema = { 0 };
	struct ArrowArray array = { 0 };
	enum gsym_status status;
	long before, at = 0;

	/* The store has its files open from now on. */
	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	array.release(&array);
	schema.release(&schema);
	gsym_batch_free(batch);

	before = live;
	batch = mixed(store, COLUMNS);
	do {
		struct gsym_error error = { 0 };
		long live_now = live;

		memset(&array, 0, sizeof(array));
		memset(&schema, 0, sizeof(schema));
		countdown = ++at;
		status = gsym_batch_finish(batch, &array, &schema, &error);
		if (status == GSYM_OK)
			break;
		cr_assert_eq(status, GSYM_ERR_MEMORY);
		cr_expect_eq(error.code, GSYM_ERR_MEMORY);
		cr_expect_eq(live, live_now, "allocation %ld", at);
		cr_expect_null(array.release);
		cr_expect_null(schema.release);
	} while (at < 1000);
	countdown = 0;
	cr_assert_eq(status, GSYM_OK);
	cr_expect_gt(at, 30);
	check_array(&array);
	check_schema(&schema);
	array.release(&array);
	schema.release(&schema);
	gsym_batch_free(batch);
	cr_expect_eq(live, before);
	end(store);
}

/* A failed gsym_batch_add adds nothing. */
Test(batch, adding_without_memory)
{
	struct gsym_store *store = begin();
	uint64_t addresses[4] = { 0x1000, 0x1001, 0x1002, 0x1003 };
	struct gsym_batch *batch;
	struct ArrowSchema schema;
	struct ArrowArray array;
	enum gsym_status status;
	long at = 0;

	countdown = 1;
	cr_expect_null(gsym_batch_new(store, 0));
	do {
		batch = gsym_batch_new(store, 0);
		countdown = ++at;
		status = gsym_batch_add(batch, id_a, 9, addresses, 4);
		countdown = 0;
		if (status == GSYM_OK)
			break;
		cr_assert_eq(status, GSYM_ERR_MEMORY);
		cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL),
			     GSYM_OK);
		cr_expect_eq(array.length, 0);
		array.release(&array);
		schema.release(&schema);
		gsym_batch_free(batch);
	} while (at < 100);
	cr_expect_eq(at, 4);
	cr_expect_eq(gsym_batch_add(batch, id_a, 9, addresses, INT32_MAX),
		     GSYM_ERR_LIMIT);
	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	cr_expect_eq(array.length, 4);
	array.release(&array);
	schema.release(&schema);
	cr_assert_eq(gsym_batch_add(batch, id_a, 9, addresses, 4), GSYM_OK);
	gsym_batch_free(batch);
	end(store);
}

/* Compare row ROW of ARRAY with the answer of gsym_lookup to ADDRESS.  Returns
 * the number of frames. */
static size_t check_row(const struct ArrowArray *array, size_t row,
			const struct gsym_reader *reader, uint64_t address)
{
	const struct ArrowArray *list = array->children[1];
	struct ArrowArray *const *members = list->children[0]->children;
	const int32_t *at = (const int32_t *)list->buffers[1] + row;
	struct gsym_frame frames[16];
	struct gsym_match match = { 0 };
	enum gsym_status status =
		gsym_lookup(reader, address, 0, frames, 16, &match, NULL);
	size_t count = status == GSYM_OK ? match.frame_count : 0;

	cr_expect_eq(((const int8_t *)array->children[0]->buffers[1])[row],
		     status != GSYM_OK);
	cr_assert_eq((size_t)(at[1] - at[0]), count);
	for (size_t i = 0; i < count; i++) {
		int32_t which = at[0] + (int32_t)i;
		char file[512];

		snprintf(file, sizeof(file), "%s%s%s", frames[i].directory,
			 frames[i].directory[0] ? "/" : "", frames[i].basename);
		check_text(members[0], which, frames[i].function);
		check_text(members[1], which, file);
		cr_expect_eq(((const uint32_t *)members[2]->buffers[1])[which],
			     frames[i].line);
		cr_expect_eq(((const uint64_t *)members[3]->buffers[1])[which],
			     frames[i].offset);
		cr_expect_eq(
			((const uint8_t *)members[4]->buffers[1])[which / 8] >>
					which % 8 &
				1,
			frames[i].inlined);
	}
	return count;
}

/* Every address of the file NAME of testdata/gsym, in descending order.
 * Returns the number of frames. */
static size_t check_fixture(struct gsym_store *store, const char *name,
			    uint64_t start, uint64_t end)
{
	static const uint8_t id[] = { 0xdd, 1, 2, 3, 4, 5, 6, 7 };
	struct gsym_batch *batch = gsym_batch_new(store, GSYM_BATCH_FRAMES);
	const char *top = getenv("top_srcdir");
	const struct gsym_store_entry *entry;
	char from[4096], to[256], *real;
	struct ArrowSchema schema;
	struct ArrowArray array;
	size_t frames = 0;

	snprintf(from, sizeof(from), "%s/testdata/gsym/%s.gsym",
		 top ? top : ".", name);
	snprintf(to, sizeof(to), "%s/01020304050607.debug.gsym", root);
	real = realpath(from, NULL);
	cr_assert(real && symlink(real, to) == 0, "%s", from);
	gsym_store_accept_any(store, true);
	for (uint64_t address = end; address-- > start;)
		add(batch, id, sizeof(id), address);
	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	cr_assert_eq((uint64_t)array.length, end - start);
	cr_assert_eq(gsym_store_find(store, id, sizeof(id), &entry, NULL),
		     GSYM_OK);
	for (size_t row = 0; row < end - start; row++)
		frames += check_row(&array, row, gsym_store_reader(entry),
				    end - 1 - row);
	array.release(&array);
	schema.release(&schema);
	gsym_batch_free(batch);
	free(real);
	return frames;
}

Test(batch, every_address_of_files)
{
	static const struct {
		const char *name;
		uint64_t start, end, code_bytes;
	} files[] = {
		{ "little", 0x400ff0, 0x401120, 257 },
		{ "big", 0x400ff0, 0x4011f0, 464 },
		{ "merged", 0x401140, 0x401260, 246 },
	};

	for (int i = 0; i < 3; i++) {
		struct gsym_store *store = begin();

		/* Inlined calls make more frames than functions have bytes. */
		cr_expect_gt(check_fixture(store, files[i].name, files[i].start,
					   files[i].end),
			     files[i].code_bytes);
		end(store);
	}
}

Test(batch, no_rows)
{
	struct gsym_store *store = begin();
	struct gsym_batch *batch = gsym_batch_new(store, COLUMNS);

	check_empty(batch);
	gsym_batch_free(batch);
	end(store);
}

/* More addresses than are looked up together, and a store that keeps one file
 * open. */
Test(batch, many_addresses)
{
	enum { COUNT = 200000 };
	struct gsym_store *store = begin();
	struct gsym_batch *batch = gsym_batch_new(store, GSYM_BATCH_LEAF);
	uint64_t *addresses = malloc(COUNT * sizeof(*addresses));
	struct ArrowSchema schema;
	struct ArrowArray array;
	const int8_t *statuses;

	gsym_store_set_limit(store, 1);
	for (size_t i = 0; i < COUNT; i++)
		addresses[i] = 0x1000 + i * 7919 % 0x80;
	for (size_t i = 0; i < COUNT; i += COUNT / 4)
		cr_assert_eq(gsym_batch_add(batch, i % 3 ? id_a : id_b,
					    i % 3 ? sizeof(id_a) : sizeof(id_b),
					    addresses + i, COUNT / 4),
			     GSYM_OK);
	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	/* The batch released the files that it found. */
	cr_expect_eq(count_mapped(root), 1);
	cr_assert_eq(array.length, COUNT);
	statuses = array.children[0]->buffers[1];
	for (size_t i = 0; i < COUNT; i++) {
		bool is_a = i / (COUNT / 4) * (COUNT / 4) % 3;

		cr_assert_eq(statuses[i],
			     addresses[i] >= (is_a ? 0x1040 : 0x1020));
	}
	array.release(&array);
	schema.release(&schema);
	gsym_batch_free(batch);
	free(addresses);
	end(store);
}

/* The batch "mixed" with the columns COLUMNS has the result STATUS if the texts
 * of a column have MOST bytes at most. */
static void check_limit(unsigned columns, size_t most, enum gsym_status status)
{
	struct gsym_store *store = begin();
	struct gsym_batch *batch = mixed(store, columns);
	struct gsym_error error = { 0 };
	struct ArrowSchema schema = { 0 };
	struct ArrowArray array = { 0 };

	cr_assert_eq(batch->most_text, INT32_MAX);
	batch->most_text = most;
	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, &error), status,
		     "%u: %zu", columns, most);
	cr_expect_eq(error.code, status);
	cr_expect_eq(!array.release, status != GSYM_OK);
	cr_expect_eq(!schema.release, status != GSYM_OK);
	if (status == GSYM_OK) {
		array.release(&array);
		schema.release(&schema);
	}
	gsym_batch_free(batch);
	end(store);
}

/* A column of texts is refused if it has more bytes than are allowed, however
 * few these are. */
Test(batch, too_much_text)
{
	/* Functions: 5 + 11 + 5 + 11 + 5. */
	check_limit(GSYM_BATCH_FRAMES, 37, GSYM_OK);
	/* 5 + 19, with escapes, + 11 + 5 */
	check_limit(GSYM_BATCH_FOLDED, 40, GSYM_OK);
	check_limit(GSYM_BATCH_LEAF, 34, GSYM_OK);
	for (size_t most = 0; most < 37; most++)
		check_limit(GSYM_BATCH_FRAMES, most, GSYM_ERR_LIMIT);
	for (size_t most = 0; most < 40; most++)
		check_limit(GSYM_BATCH_FOLDED, most, GSYM_ERR_LIMIT);
	for (size_t most = 0; most < 34; most++)
		check_limit(GSYM_BATCH_LEAF, most, GSYM_ERR_LIMIT);
}

/* ---- files that change -------------------------------------------------- */

enum { LONG_NAME = 1 << 20 };

/* A file of which a byte is changed in the allocation that makes CHANGE 0. */
static struct {
	FILE *file;
	long at;
	int byte;
} changing;

static void change_byte(int byte)
{
	cr_assert_eq(fseek(changing.file, changing.at, SEEK_SET), 0);
	cr_assert_neq(fputc(byte, changing.file), EOF);
	cr_assert_eq(fflush(changing.file), 0);
}

static void change(void)
{
	change_byte(changing.byte);
}

/* Put a file with a function "f" into the store, whose next string has
 * LONG_NAME bytes.  Without the NUL after "f" both are one name. */
static void put_changing(const uint8_t *id, size_t size)
{
	char *name = malloc(LONG_NAME + 1), path[256];
	struct gb b;
	uint64_t place;
	uint8_t *bytes;
	size_t length;

	memset(name, 'x', LONG_NAME);
	name[LONG_NAME] = 0;
	gb_init(&b, 1, false, 4, 0x1000);
	gb_plain(&b, 0x1000, 0x20, "f");
	place = gb_string(&b, name);
	gb_plain(&b, 0x2000, 0x20, "g");
	put_file(&b, id, size);
	free(name);
	snprintf(path, sizeof(path), "%s/01020304050607.debug.gsym", root);
	changing.file = fopen(path, "r+b");
	cr_assert_not_null(changing.file);
	setvbuf(changing.file, NULL, _IONBF, 0);
	bytes = malloc(LONG_NAME + 4096);
	length = fread(bytes, 1, LONG_NAME + 4096, changing.file);
	for (size_t i = place; i < length && !changing.at; i++)
		if (!memcmp(bytes + i, "\0f\0xxxx", 7))
			changing.at = (long)i + 2;
	free(bytes);
	cr_assert(changing.at);
}

/* Each text of ARRAY, a column of texts, has a place in its buffer, and is
 * short or long. */
static void check_either(const struct ArrowArray *array)
{
	const int32_t *offsets = array->buffers[1];
	const char *text = array->buffers[2];

	cr_assert_eq(offsets[0], 0);
	for (int64_t i = 0; i < array->length; i++) {
		int32_t length = offsets[i + 1] - offsets[i];

		cr_assert(length == 1 || length == LONG_NAME + 2, "%d", length);
		cr_expect_eq(text[offsets[i]], 'f');
		cr_expect_eq(text[offsets[i + 1] - 1], length == 1 ? 'f' : 'x');
	}
}

/* The name of a function grows while a batch reads it: in each allocation of
 * gsym_batch_finish in turn. */
Test(batch, file_that_changes)
{
	static const uint8_t id[] = { 0xdd, 1, 2, 3, 4, 5, 6, 7 };
	struct gsym_store *store = begin();
	struct ArrowSchema schema;
	struct ArrowArray array;
	long at = 0;

	put_changing(id, sizeof(id));
	changing.byte = 'y';
	do {
		struct gsym_batch *batch = gsym_batch_new(store, COLUMNS);

		for (int i = 0; i < 3; i++)
			add(batch, id, sizeof(id), 0x1000);
		change_byte(0);
		at++;
		on_countdown = change;
		countdown = at;
		cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL),
			     GSYM_OK);
		on_countdown = NULL;
		check_either(array.children[1]->children[0]->children[0]);
		check_either(array.children[2]);
		check_either(array.children[3]);
		array.release(&array);
		schema.release(&schema);
		gsym_batch_free(batch);
	} while (!countdown);
	countdown = 0;
	cr_expect_gt(at, 30);
	fclose(changing.file);
	end(store);
}

/* A record whose name is beyond the string table. */
Test(batch, damage)
{
	struct gsym_store *store = begin();
	struct gsym_batch *batch = gsym_batch_new(store, COLUMNS);
	static const uint8_t id[] = { 0xee, 1, 2, 3, 4, 5, 6, 7 };
	struct ArrowSchema schema;
	struct ArrowArray array;
	struct gb b;

	gb_init(&b, 1, false, 4, 0x1000);
	gb_plain(&b, 0x1000, 0x20, "f");
	gsym_emit_patch_u32(&b.records, 4, 0x7fffffff);
	put_file(&b, id, sizeof(id));
	add(batch, id, sizeof(id), 0x1000);
	cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL), GSYM_OK);
	cr_expect_eq(*(const int8_t *)array.children[0]->buffers[1], 3);
	array.release(&array);
	schema.release(&schema);
	gsym_batch_free(batch);
	end(store);
}

/* A file that cannot be opened has a status of its own, and is found by the
 * next batch. */
Test(batch, unreadable_file)
{
	struct gsym_store *store = begin();
	struct rlimit before, none;
	struct ArrowSchema schema;
	struct ArrowArray array;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)next;
	for (int i = 0; i < 2; i++) {
		struct gsym_batch *batch = gsym_batch_new(store, COLUMNS);

		add(batch, id_a, sizeof(id_a), 0x1004);
		setrlimit(RLIMIT_NOFILE, i ? &before : &none);
		cr_assert_eq(gsym_batch_finish(batch, &array, &schema, NULL),
			     GSYM_OK);
		setrlimit(RLIMIT_NOFILE, &before);
		cr_expect_eq(*(const int8_t *)array.children[0]->buffers[1],
			     i ? 0 : 5);
		cr_expect_eq(array.children[2]->null_count, !i);
		array.release(&array);
		schema.release(&schema);
		gsym_batch_free(batch);
	}
	end(store);
}
