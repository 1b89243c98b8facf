/* SPDX-License-Identifier: MIT */
/* The Arrow arrays of the answers, and their schema.  Texts of columns are
 * names, paths and folded stacks, as UTF-8. */
#include "base/path_map.h"
#include "batch/batch.h"

#include "base/emit.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

/* ---- texts -------------------------------------------------------------- */

/* Where texts go.  A mapped file may change at any time, so each string of a
 * file is read once: to OWN, and from there to TEXT. */
struct batch_out {
	/* The texts so far, MOST bytes at most. */
	struct gsym_emit text;
	size_t most;
	/* TEXT would have become longer than MOST; it is incomplete. */
	bool full;
	/* The string that is being written, ended by NUL. */
	struct gsym_emit own;
};

/* Append to OUT a text of the COUNT frames at FRAMES, nothing if COUNT is 0. */
typedef void put_fn(struct batch_out *out, const struct gsym_frame *frames,
		    size_t count);

static void put_bytes(struct batch_out *out, const char *bytes, size_t size)
{
	out->full |= size > out->most - out->text.size;
	if (!out->full)
		gsym_emit_bytes(&out->text, bytes, size);
}

/* Copy TEXT, a string of a file, to OUT->own.  Returns the copy; "" without
 * memory. */
static const char *copy_text(struct batch_out *out, const char *text)
{
	out->own.size = 0;
	gsym_emit_bytes(&out->own, text, strlen(text));
	gsym_emit_u8(&out->own, 0);
	return out->own.failed ? "" : (const char *)out->own.data;
}

/* Append TEXT, which take returned, with U+FFFD for each byte that is not
 * UTF-8. */
static void put_text(struct batch_out *out, const char *text)
{
	const char *at = text;

	while (*at) {
		size_t length = gsym_utf8_length(at, 4);

		if (length) {
			at += length;
			continue;
		}
		put_bytes(out, text, (size_t)(at - text));
		put_bytes(out, "\xef\xbf\xbd", 3);
		text = ++at;
	}
	put_bytes(out, text, (size_t)(at - text));
}

/* The name of the function of the first frame. */
static void put_function(struct batch_out *out, const struct gsym_frame *frames,
			 size_t count)
{
	if (count)
		put_text(out, copy_text(out, frames->function));
}

/* The path of the file of the first frame. */
static void put_file(struct batch_out *out, const struct gsym_frame *frames,
		     size_t count)
{
	const char *directory, *separator;

	if (!count)
		return;
	directory = copy_text(out, frames->directory);
	separator = gsym_path_separator(directory);
	put_text(out, directory);
	put_text(out, separator);
	put_text(out, copy_text(out, frames->basename));
}

/* Append the character at AT, of LENGTH bytes (0: the byte is not UTF-8), so
 * that it separates neither frames nor lines. */
static void put_escaped(struct batch_out *out, const char *at, size_t length)
{
	unsigned char c = (unsigned char)*at;
	char hex[5] = "\\x";

	if (!length)
		put_bytes(out, "\xef\xbf\xbd", 3);
	else if (c == ';')
		put_bytes(out, ":", 1);
	else if (c == '\\')
		put_bytes(out, "\\\\", 2);
	else if (c == '\t')
		put_bytes(out, "\\t", 2);
	else if (c == '\n')
		put_bytes(out, "\\n", 2);
	else if (c == '\r')
		put_bytes(out, "\\r", 2);
	else if (gsym_utf8_harmful(at, length))
		for (size_t i = 0; i < length; i++) {
			gsym_digits(hex + 2, 3, (const uint8_t *)&at[i], 1);
			put_bytes(out, hex, 4);
		}
	else
		put_bytes(out, at, length);
}

/* The functions of all frames in the form of folded stacks, the outermost
 * first. */
static void put_folded(struct batch_out *out, const struct gsym_frame *frames,
		       size_t count)
{
	while (count-- > 0) {
		const char *name = copy_text(out, frames[count].function);

		if (!*name)
			name = "??";
		while (*name) {
			size_t length = gsym_utf8_length(name, 4);

			put_escaped(out, name, length);
			name += length ? length : 1;
		}
		if (count)
			put_bytes(out, ";", 1);
	}
}

/* As put_folded, of the first frame alone. */
static void put_leaf(struct batch_out *out, const struct gsym_frame *frames,
		     size_t count)
{
	put_folded(out, frames, count ? 1 : 0);
}

/* ---- arrays ------------------------------------------------------------- */

/* What an array owns: its buffers, which are malloc'ed, and its children. */
struct owned {
	const void *buffers[3];
	struct ArrowArray *pointers[5];
	struct ArrowArray structs[5];
};

/* A consumer may have moved a child elsewhere: its release is NULL then. */
static void release(struct ArrowArray *array)
{
	struct owned *owned = array->private_data;

	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
	for (int64_t i = 0; i < array->n_buffers; i++)
		free((void *)owned->buffers[i]);
	free(owned);
	array->release = NULL;
}

/* Set ARRAY to LENGTH elements without nulls, with BUFFERS buffers, which are
 * NULL so far, and CHILDREN children, which are released so far.  False
 * without memory, with ARRAY released. */
static bool make(struct ArrowArray *array, size_t length, int64_t buffers,
		 int64_t children)
{
	struct owned *owned = calloc(1, sizeof(*owned));

	*array = (struct ArrowArray){ 0 };
	if (!owned)
		return false;
	for (size_t i = 0; i < 5; i++)
		owned->pointers[i] = &owned->structs[i];
	array->length = (int64_t)length;
	array->n_buffers = buffers;
	array->n_children = children;
	array->buffers = owned->buffers;
	array->children = children ? owned->pointers : NULL;
	array->release = release;
	array->private_data = owned;
	return true;
}

/* A buffer of COUNT elements of SIZE bytes, all 0, which becomes buffer WHICH
 * of ARRAY; NULL without memory. */
static void *make_buffer(struct ArrowArray *array, int which, size_t count,
			 size_t size)
{
	void *buffer = calloc(count + !count, size);

	array->buffers[which] = buffer;
	return buffer;
}

static void set_bit(uint8_t *bits, size_t which)
{
	bits[which / 8] |= (uint8_t)(1 << which % 8);
}

/* Let PUT append the texts of ANSWERS to OUT, one for each frame if EACH_FRAME
 * and one for each row if not.  The place of each text goes to OFFSETS, and the
 * end of the last one. */
static void put_texts(struct batch_out *out, int32_t *offsets,
		      const struct batch_answers *answers,
		      put_fn *put, bool each_frame)
{
	size_t text = 0;

	for (size_t i = 0; i < answers->count && !out->full; i++) {
		const struct batch_row *row = &answers->rows[i];
		const struct gsym_frame *frames =
			gsym_vec_from(&answers->frames, row->first);
		size_t texts = each_frame ? row->count : 1;

		for (size_t j = 0; j < texts; j++) {
			offsets[text++] = (int32_t)out->text.size;
			put(out, each_frame ? &frames[j] : frames,
			    each_frame ? 1 : row->count);
		}
	}
	offsets[text] = (int32_t)out->text.size;
}

/* Let the bytes of TEXT, without what was allocated in advance, be buffer WHICH
 * of ARRAY.  False without memory. */
static bool hand_over(struct ArrowArray *array, int which,
		      const struct gsym_emit *text)
{
	uint8_t *less = realloc(text->data, text->size + !text->size);

	array->buffers[which] = less ? less : text->data;
	return less && !text->failed;
}

/* Set ARRAY to the LENGTH texts that put_texts makes of the other arguments. */
static enum gsym_status make_texts(struct ArrowArray *array, size_t length,
				   const struct batch_answers *answers,
				   put_fn *put, bool each_frame)
{
	struct batch_out out = { .most = answers->most_text };
	enum gsym_status status;
	int32_t *offsets;

	if (!make(array, length, 3, 0))
		return GSYM_ERR_MEMORY;
	offsets = make_buffer(array, 1, length + 1, sizeof(*offsets));
	if (!offsets || !gsym_emit_grow(&out.text, 1))
		return GSYM_ERR_MEMORY;
	put_texts(&out, offsets, answers, put, each_frame);
	status = out.full ? GSYM_ERR_LIMIT : GSYM_OK;
	if (!hand_over(array, 2, &out.text) || out.own.failed)
		status = GSYM_ERR_MEMORY;
	gsym_emit_fini(&out.own);
	return status;
}

/* Set ARRAY to a text for each row, null without frames. */
static enum gsym_status make_row_texts(struct ArrowArray *array,
				       const struct batch_answers *answers,
				       put_fn *put)
{
	enum gsym_status status =
		make_texts(array, answers->count, answers, put, false);
	uint8_t *valid;

	if (status != GSYM_OK)
		return status;
	valid = make_buffer(array, 0, (answers->count + 7) / 8, 1);
	if (!valid)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < answers->count; i++) {
		if (answers->rows[i].count)
			set_bit(valid, i);
		else
			array->null_count++;
	}
	return GSYM_OK;
}

/* Set ARRAY to the structs of all frames, in the order of the rows. */
static enum gsym_status make_structs(struct ArrowArray *array,
				     const struct batch_answers *answers)
{
	size_t count = answers->frames.count, at = 0;
	enum gsym_status status;
	int32_t *lines;
	int64_t *offsets;
	uint8_t *inlined;

	if (!make(array, count, 1, 5))
		return GSYM_ERR_MEMORY;
	status = make_texts(array->children[0], count, answers,
			    put_function, true);
	if (status == GSYM_OK)
		status = make_texts(array->children[1], count, answers,
				    put_file, true);
	if (status != GSYM_OK)
		return status;
	for (int i = 2; i < 5; i++)
		if (!make(array->children[i], count, 2, 0))
			return GSYM_ERR_MEMORY;
	lines = make_buffer(array->children[2], 1, count, sizeof(*lines));
	offsets = make_buffer(array->children[3], 1, count, sizeof(*offsets));
	inlined = make_buffer(array->children[4], 1, (count + 7) / 8, 1);
	if (!lines || !offsets || !inlined)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < answers->count; i++)
		for (size_t j = 0; j < answers->rows[i].count; j++, at++) {
			const struct gsym_frame *f =
				&answers->frames
					 .items[answers->rows[i].first + j];

			lines[at] = f->line <= INT32_MAX ? (int32_t)f->line : 0;
			offsets[at] = (int64_t)f->offset;
			if (f->inlined)
				set_bit(inlined, at);
		}
	return GSYM_OK;
}

/* Set ARRAY to the list of frames of each row. */
static enum gsym_status make_lists(struct ArrowArray *array,
				   const struct batch_answers *answers)
{
	int32_t *offsets;

	if (!make(array, answers->count, 2, 1))
		return GSYM_ERR_MEMORY;
	offsets = make_buffer(array, 1, answers->count + 1, sizeof(*offsets));
	if (!offsets)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < answers->count; i++)
		offsets[i + 1] = offsets[i] + (int32_t)answers->rows[i].count;
	return make_structs(array->children[0], answers);
}

static enum gsym_status make_statuses(struct ArrowArray *array,
				      const struct batch_answers *answers)
{
	int8_t *statuses;

	if (!make(array, answers->count, 2, 0))
		return GSYM_ERR_MEMORY;
	statuses = make_buffer(array, 1, answers->count, 1);
	if (!statuses)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < answers->count; i++)
		statuses[i] = (int8_t)answers->rows[i].status;
	return GSYM_OK;
}

/* Set the children of ROOT to the columns FLAGS. */
static enum gsym_status make_columns(struct ArrowArray *root, unsigned flags,
				     const struct batch_answers *answers)
{
	struct ArrowArray **next = root->children;
	enum gsym_status status = make_statuses(*next++, answers);

	if (status == GSYM_OK && flags & GSYM_BATCH_FRAMES)
		status = make_lists(*next++, answers);
	if (status == GSYM_OK && flags & GSYM_BATCH_FOLDED)
		status =
			make_row_texts(*next++, answers, put_folded);
	if (status == GSYM_OK && flags & GSYM_BATCH_LEAF)
		status = make_row_texts(*next++, answers, put_leaf);
	return status;
}

enum gsym_status gsym_batch_make_array(struct ArrowArray *ret, unsigned flags,
				       const struct batch_answers *answers,
				       struct gsym_error *error)
{
	int64_t columns = 1 + !!(flags & GSYM_BATCH_FRAMES) +
			  !!(flags & GSYM_BATCH_FOLDED) +
			  !!(flags & GSYM_BATCH_LEAF);
	struct ArrowArray root;
	enum gsym_status status;

	if (!make(&root, answers->count, 1, columns))
		return gsym_fail_memory(error);
	status = make_columns(&root, flags, answers);
	if (status == GSYM_OK) {
		*ret = root;
		return GSYM_OK;
	}
	root.release(&root);
	if (status == GSYM_ERR_MEMORY)
		return gsym_fail_memory(error);
	return gsym_fail(error, status, 0,
			 "the texts of a column have more than 2^31-1 bytes");
}

/* ---- the schema --------------------------------------------------------- */

/* A field: its format string, its name, whether it may be null, and its COUNT
 * (up to 5) children. */
struct field {
	const char *format;
	const char *name;
	bool nullable;
	const struct field *children;
	int64_t count;
};

/* The children of a schema: pointers to them, and the structs. */
struct children {
	struct ArrowSchema *pointers[5];
	struct ArrowSchema structs[5];
};

/* A consumer may have moved a child elsewhere: its release is NULL then. */
static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
	free(schema->private_data);
	schema->release = NULL;
}

/* Set SCHEMA to FIELD; false without memory, with a SCHEMA that may be released
 * all the same. */
static bool make_schema(struct ArrowSchema *schema, const struct field *field)
{
	struct children *children;
	bool good = true;

	*schema = (struct ArrowSchema){
		.format = field->format,
		.name = field->name,
		.flags = field->nullable ? ARROW_FLAG_NULLABLE : 0,
		.release = release_schema,
	};
	if (!field->count)
		return true;
	children = calloc(1, sizeof(*children));
	if (!children)
		return false;
	schema->private_data = children;
	schema->children = children->pointers;
	schema->n_children = field->count;
	for (int64_t i = 0; i < field->count; i++) {
		children->pointers[i] = &children->structs[i];
		good &= make_schema(&children->structs[i], &field->children[i]);
	}
	return good;
}

bool gsym_batch_make_schema(struct ArrowSchema *ret, unsigned flags)
{
	static const struct field members[] = {
		{ "u", "function", false, NULL, 0 },
		{ "u", "file", false, NULL, 0 },
		{ "i", "line", false, NULL, 0 },
		{ "l", "offset", false, NULL, 0 },
		{ "b", "inlined", false, NULL, 0 },
	};
	static const struct field frame = { "+s", "item", false, members, 5 };
	struct field columns[4] = { { "c", "status", false, NULL, 0 } };
	struct field root = { "+s", "", false, columns, 1 };

	if (flags & GSYM_BATCH_FRAMES)
		columns[root.count++] =
			(struct field){ "+l", "frames", false, &frame, 1 };
	if (flags & GSYM_BATCH_FOLDED)
		columns[root.count++] =
			(struct field){ "u", "folded", true, NULL, 0 };
	if (flags & GSYM_BATCH_LEAF)
		columns[root.count++] =
			(struct field){ "u", "leaf", true, NULL, 0 };
	if (make_schema(ret, &root))
		return true;
	ret->release(ret);
	return false;
}
