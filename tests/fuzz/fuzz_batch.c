/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: addresses, eight bytes each, and GSYM data in which a batch
 * looks them up.  The columns have to keep the rules of Apache Arrow, and to
 * say what gsym_lookup says.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/parts.h"
#include "support/gsym_bytes.h"

#include <gsym/batch.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_ADDRESSES = 64, FRAMES = GSYM_MAX_INLINE_DEPTH + 2 };
enum { COLUMNS = GSYM_BATCH_FRAMES | GSYM_BATCH_FOLDED | GSYM_BATCH_LEAF };

static const uint8_t id[] = { 0xaa, 1, 2, 3 };
#define STORED "batch/.build-id/aa/010203.debug.gsym"

/* ---- the rules of Arrow -------------------------------------------------- */

/* Whether the SIZE bytes at TEXT are UTF-8. */
static bool is_utf8(const uint8_t *text, size_t size)
{
	for (size_t i = 0; i < size;) {
		uint32_t c = text[i++];
		unsigned more = (c >= 0x80) + (c >= 0xe0) + (c >= 0xf0);
		static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };

		if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || more > size - i)
			return false;
		c &= 0x7fu >> (more ? more + 1 : 0);
		for (unsigned k = 0; k < more; k++, i++) {
			if ((text[i] & 0xc0) != 0x80)
				return false;
			c = c << 6 | (text[i] & 0x3f);
		}
		if (c < least[more] || c > 0x10ffff ||
		    (c >= 0xd800 && c < 0xe000))
			return false;
	}
	return true;
}

static bool is_valid(const struct ArrowArray *a, int64_t row)
{
	const uint8_t *bits = a->n_buffers ? a->buffers[0] : NULL;

	return !bits || bits[row / 8] >> row % 8 & 1;
}

static void check_offsets(const int32_t *offsets, int64_t rows)
{
	fuzz_require(offsets[0] == 0);
	for (int64_t i = 0; i < rows; i++)
		fuzz_require(offsets[i] <= offsets[i + 1]);
}

/* Check the array A of the type S. */
static void check_array(const struct ArrowArray *a,
			const struct ArrowSchema *s, int64_t rows)
{
	int64_t nulls = 0;

	fuzz_require(a->length == rows && !a->offset && a->release);
	fuzz_require(a->n_children == s->n_children && !a->dictionary);
	for (int64_t i = 0; i < rows; i++)
		nulls += !is_valid(a, i);
	fuzz_require(a->null_count == nulls);
	fuzz_require(!nulls || s->flags & ARROW_FLAG_NULLABLE);
	if (!strcmp(s->format, "u")) {
		const int32_t *offsets = a->buffers[1];
		const uint8_t *text = a->buffers[2];

		fuzz_require(a->n_buffers == 3);
		check_offsets(offsets, rows);
		for (int64_t i = 0; i < rows; i++)
			fuzz_require(is_utf8(text + offsets[i],
					     (size_t)(offsets[i + 1] -
						      offsets[i])));
	} else if (!strcmp(s->format, "+l")) {
		const int32_t *offsets = a->buffers[1];

		check_offsets(offsets, rows);
		check_array(a->children[0], s->children[0], offsets[rows]);
	} else if (!strcmp(s->format, "+s")) {
		for (int64_t i = 0; i < a->n_children; i++)
			check_array(a->children[i], s->children[i], rows);
	} else {
		fuzz_require(strchr("cilb", *s->format) && a->n_buffers == 2);
	}
}

/* ---- the answers --------------------------------------------------------- */

/* Compare row ROW with the lookup of ADDRESS in READER. */
static void check_row(const struct ArrowArray *a, int64_t row,
		      const struct gsym_reader *reader, uint64_t address)
{
	static struct gsym_frame frames[FRAMES];
	int8_t status = ((const int8_t *)a->children[0]->buffers[1])[row];
	const int32_t *lists = a->children[1]->buffers[1];
	int32_t first = lists[row], count = lists[row + 1] - first;
	const struct ArrowArray *items = a->children[1]->children[0];
	struct gsym_match match = { 0 };
	enum gsym_status wanted = GSYM_NOT_FOUND;

	if (reader)
		wanted = gsym_lookup(reader, address, 0, frames, FRAMES, &match,
				     NULL);
	else
		fuzz_require(status == 2);
	fuzz_require((wanted == GSYM_OK) == !status);
	fuzz_require(is_valid(a->children[2], row) == !status);
	fuzz_require(is_valid(a->children[3], row) == !status);
	if (wanted == GSYM_OK)
		fuzz_require(count == (int32_t)match.frame_count);
	else
		fuzz_require(!count);
	for (int32_t i = 0; i < count; i++) {
		const int32_t *lines = items->children[2]->buffers[1];
		const int64_t *offsets = items->children[3]->buffers[1];

		fuzz_require(lines[first + i] ==
			     (frames[i].line > INT32_MAX
				      ? 0 : (int32_t)frames[i].line));
		fuzz_require(offsets[first + i] == (int64_t)frames[i].offset);
	}
}

/* Look the COUNT ADDRESSES up, with the columns FLAGS. */
static void run(struct gsym_store *store, const uint64_t *addresses,
		size_t count, unsigned flags, const struct gsym_reader *reader)
{
	static const uint8_t long_id[257], none[] = { 0xbb, 0 };
	struct gsym_batch *batch = gsym_batch_new(store, flags);
	struct ArrowSchema schema;
	struct ArrowArray array;

	fuzz_require(batch);
	for (size_t i = 0; i < count; i++)
		fuzz_require(gsym_batch_add(batch, id, sizeof(id),
					    &addresses[i], 1) == GSYM_OK);
	gsym_batch_add(batch, long_id, sizeof(long_id), addresses, count);
	gsym_batch_add(batch, none, sizeof(none), addresses, count);
	fuzz_require(gsym_batch_finish(batch, &array, &schema, NULL) ==
		     GSYM_OK);
	gsym_batch_free(batch);
	fuzz_require(!strcmp(schema.format, "+s"));
	check_array(&array, &schema, (int64_t)(3 * count));
	for (size_t i = 0; i < count && flags == COLUMNS; i++)
		check_row(&array, (int64_t)i, reader, addresses[i]);
	array.release(&array);
	schema.release(&schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_store *store = gsym_store_new();
	const struct gsym_store_entry *entry = NULL;
	uint64_t addresses[MOST_ADDRESSES];
	struct fuzz_part parts[2];
	char folder[256];
	size_t count;

	fuzz_divide(data, size, parts, 2);
	count = parts[0].size / 8;
	if (count > MOST_ADDRESSES)
		count = MOST_ADDRESSES;
	if (count)
		memcpy(addresses, parts[0].bytes, 8 * count);
	strcpy(folder, fuzz_write(STORED, parts[1]));
	*strstr(folder, "/.build-id") = '\0';
	fuzz_require(store);
	gsym_store_accept_any(store, true);
	gsym_store_add_gsym_directory(store, folder);
	gsym_store_find(store, id, sizeof(id), &entry, NULL);
	run(store, addresses, count, COLUMNS,
	    entry ? gsym_store_reader(entry) : NULL);
	run(store, addresses, count, size % COLUMNS, NULL);
	gsym_store_free(store);
	return 0;
}

#ifdef GSYM_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	return fuzz_mutate_part(data, size, most, seed, 2, NULL);
}
#endif

/* Functions whose names are no UTF-8, with an inlined call. */
static uint8_t *odd(size_t *size)
{
	struct gsym_emit *e;
	struct gb b;
	uint32_t file;
	uint64_t inner, outer;
	size_t tuple;

	gb_init(&b, 1, false, 4, 0x1000);
	file = gb_file(&b, "c:\\src", "\xe2\x82.h");
	e = gb_record(&b, 0x1000, 0x40, "outer");
	inner = gb_string(&b, "in;ner\\\n\xff");
	outer = gb_string(&b, "outer\x1b");
	gb_lines(&b, (struct gb_row[]){ { 0, file, 5 }, { 8, file, 7 } }, 2);
	tuple = gb_tuple(&b, 2);
	gb_node(&b, 0, 0x40, true, outer, 0, 0);
	gb_node(&b, 8, 8, false, inner, file, 12);
	gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	gb_plain(&b, 0x1100, 0x20, "\xc3\xa9\xe2\x82\xac\xed\xa0");
	gb_plain(&b, 0x1120, 0x20, "");
	return gb_finish(&b, size);
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	struct fuzz_part parts[2] = { { 0 } };
	uint64_t addresses[32];
	struct gsym_reader *reader;
	uint8_t *file, *bytes;

	if (number >= 6)
		return NULL;
	if (number < 4)
		file = gb_rich(1 + number / 2, number % 2, &parts[1].size);
	else if (number == 4)
		file = odd(&parts[1].size);
	else
		file = fuzz_testdata("gsym/little.gsym", &parts[1].size);
	fuzz_require(gsym_open_memory(file, parts[1].size, &reader, NULL) ==
		     GSYM_OK);
	for (uint32_t i = 0; i < 32; i++)
		addresses[i] = i < 24 && gsym_function_count(reader)
				       ? gsym_address_at(
						 reader,
						 i % gsym_function_count(
							     reader)) + i % 9
				       : 0x1000 + 2 * i;
	gsym_close(reader);
	parts[0] = (struct fuzz_part){ (uint8_t *)addresses,
				       sizeof(addresses) };
	parts[1].bytes = file;
	bytes = fuzz_join(parts, 2, size);
	free(file);
	return bytes;
}
