/* SPDX-License-Identifier: MIT */
/* Records in: checked against the rules of gsym/record.h, and copied in
 * their compact form.  Rows that no lookup can reach go right here. */
#include "writer/state.h"

#include <gsym/reader.h>

#include <string.h>

/* A record on its way in. */
struct intake {
	struct gsym_builder *b;
	const struct gsym_record *record;
	/* The ranges of the node at each level, among those that came in so
	 * far; level 0 is the function. */
	struct level {
		size_t first;
		size_t count;
	} levels[GSYM_MAX_INLINE_DEPTH + 1];
	/* Counts, as they become known.  Last, for it ends in an array of no
	 * fixed size. */
	struct gsym_shape_body head;
};

size_t gsym_writer_end_rows(struct gsym_row *rows, size_t count,
			    size_t inline_count)
{
	if (!count && inline_count)
		rows[count++] = (struct gsym_row){ 0, W_FILE_NOSRC, 0 };
	else if (!inline_count && count == 1 && rows->file == W_FILE_NOSRC)
		count = 0;
	return count;
}

enum gsym_status gsym_writer_make_body(struct gsym_builder *b,
				       const struct gsym_shape_body *head,
				       const struct gsym_shape_body **ret)
{
	struct gsym_shape_body measured = *head, *body;

	*ret = NULL;
	if (!b->scratch.count && !head->merged_count)
		return GSYM_OK;
	gsym_shape_measure(&measured, b->scratch.items);
	body = gsym_arena_alloc(&b->arena, offsetof(struct gsym_shape_body,
						    bytes) +
						   gsym_shape_bytes(&measured));
	if (!body)
		return GSYM_ERR_MEMORY;
	memcpy(body, &measured, offsetof(struct gsym_shape_body, bytes));
	gsym_shape_pack(body, b->scratch.items, body->bytes);
	*ret = body;
	return GSYM_OK;
}

/* A file number of the caller's as one of ours; UINT32_MAX if it is none. */
static uint32_t file_number(const struct gsym_builder *b, uint32_t file)
{
	if (file < b->files.count)
		return file;
	return file == GSYM_FILE_UNKNOWN ? W_FILE_UNKNOWN : UINT32_MAX;
}

/* Room for all that the record has, so that nothing below can run out. */
static enum gsym_status make_room(struct intake *in)
{
	const struct gsym_record *record = in->record;
	uint64_t words = 0, part;

	if (record->row_count > UINT32_MAX ||
	    record->inline_count > UINT32_MAX ||
	    record->call_count > UINT32_MAX ||
	    record->merged_count > UINT32_MAX)
		return GSYM_ERR_ARGUMENT;
	for (size_t i = 0; i < record->inline_count; i++) {
		words += (uint64_t)record->inlines[i].range_count *
			 GSYM_SHAPE_RANGE_WORDS;
		if (words > (uint64_t)UINT32_MAX * GSYM_SHAPE_RANGE_WORDS)
			return GSYM_ERR_ARGUMENT;
	}
	for (size_t i = 0; i < record->call_count; i++) {
		part = record->calls[i].pattern_count;
		if (in->head.pattern_count + part > UINT32_MAX)
			return GSYM_ERR_ARGUMENT;
		in->head.pattern_count += (uint32_t)part;
		words += part;
	}
	words += (record->row_count + 2) * GSYM_SHAPE_ROW_WORDS +
		 record->inline_count * GSYM_SHAPE_INLINE_WORDS +
		 record->call_count * GSYM_SHAPE_CALL_WORDS;
	if (words > SIZE_MAX / sizeof(uint32_t))
		return GSYM_ERR_MEMORY;
	in->b->scratch.count = 0;
	return gsym_vec_reserve(&in->b->scratch, words) ? GSYM_OK
							: GSYM_ERR_MEMORY;
}

static enum gsym_status accept_rows(struct intake *in)
{
	const struct gsym_record *record = in->record;
	const struct gsym_row *from = record->rows;
	struct gsym_row *rows = (struct gsym_row *)in->b->scratch.items;
	size_t row_count = record->row_count, count = 0;
	uint32_t file_count = (uint32_t)in->b->files.count, last = 0;

	for (size_t i = 0; i < row_count; i++) {
		struct gsym_row row = from[i];

		if (row.file >= file_count) {
			if (row.file != GSYM_FILE_UNKNOWN)
				return GSYM_ERR_ARGUMENT;
			row.file = W_FILE_UNKNOWN;
		}
		if (row.offset < last)
			return GSYM_ERR_ARGUMENT;
		last = row.offset;
		/* The next one of this offset takes its place. */
		if (i + 1 < row_count && from[i + 1].offset == row.offset)
			continue;
		if (row.file == W_FILE_NOSRC)
			row.line = 0;
		count = w_put_row(rows, count, row);
	}
	if (row_count && last >= record->size)
		return GSYM_ERR_ARGUMENT;
	count = gsym_writer_end_rows(rows, count, record->inline_count);
	in->head.row_count = (uint32_t)count;
	in->b->scratch.count = count * GSYM_SHAPE_ROW_WORDS;
	return GSYM_OK;
}

/* Whether [START, END), from the function's start, is in one range of
 * LEVEL. */
static bool contained(const struct intake *in, const struct level *level,
		      const struct gsym_shape_range *ranges, uint64_t start,
		      uint64_t end)
{
	size_t low = level->first, high = low + level->count;

	if (level == in->levels)
		return end <= in->record->size;
	/* The last range that begins at or before START. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low > level->first &&
	       end <= (uint64_t)ranges[low - 1].start + ranges[low - 1].size;
}

/* The ranges of NODE, touching ones joined, behind the COUNT that are at
 * RANGES already.  0 if they break a rule, else the new count. */
static size_t accept_ranges(struct intake *in,
			    const struct gsym_inline_node *node,
			    struct gsym_shape_range *ranges, size_t count)
{
	const struct gsym_range *from =
		in->record->inline_ranges + node->first_range;
	struct level *level = &in->levels[node->depth];
	uint64_t last = 0;

	*level = (struct level){ count, 0 };
	for (uint32_t i = 0; i < node->range_count; i++) {
		uint64_t start = from[i].start - in->record->start;
		uint64_t end = from[i].end - in->record->start;

		if (from[i].start < in->record->start ||
		    from[i].end <= from[i].start || start < last ||
		    !contained(in, level - 1, ranges, start, end))
			return 0;
		if (level->count && start == last) {
			ranges[count - 1].size += (uint32_t)(end - start);
		} else {
			ranges[count++] = (struct gsym_shape_range){
				(uint32_t)start, (uint32_t)(end - start)
			};
			level->count++;
		}
		last = end;
	}
	return level->count ? count : 0;
}

static enum gsym_status accept_inlines(struct intake *in)
{
	const struct gsym_record *record = in->record;
	struct gsym_shape_inline *nodes = (struct gsym_shape_inline *)
		(in->b->scratch.items + in->b->scratch.count);
	struct gsym_shape_range *ranges =
		(struct gsym_shape_range *)(nodes + record->inline_count);
	size_t count = 0;
	uint32_t depth = 0;

	for (size_t i = 0; i < record->inline_count; i++) {
		const struct gsym_inline_node *node = &record->inlines[i];
		uint32_t file = file_number(in->b, node->call_file);
		size_t before = count;

		if (!node->depth || node->depth > depth + 1 ||
		    node->depth > GSYM_MAX_INLINE_DEPTH ||
		    node->name >= in->b->strings.count || file == UINT32_MAX)
			return GSYM_ERR_ARGUMENT;
		depth = node->depth;
		count = accept_ranges(in, node, ranges, count);
		if (!count)
			return GSYM_ERR_ARGUMENT;
		nodes[i] = (struct gsym_shape_inline){
			.depth = depth,
			.name = node->name,
			/* A call from nowhere is one from a place that is
			 * not known: readers need a file to show it. */
			.call_file = file == W_FILE_NOSRC ? W_FILE_UNKNOWN
							  : file,
			.call_line = node->call_line,
			.range_count = (uint32_t)(count - before),
		};
	}
	in->head.inline_count = (uint32_t)record->inline_count;
	in->head.range_count = (uint32_t)count;
	in->b->scratch.count +=
		record->inline_count * GSYM_SHAPE_INLINE_WORDS +
		count * GSYM_SHAPE_RANGE_WORDS;
	return GSYM_OK;
}

static enum gsym_status accept_calls(struct intake *in)
{
	const struct gsym_record *record = in->record;
	struct gsym_shape_call *calls = (struct gsym_shape_call *)
		(in->b->scratch.items + in->b->scratch.count);
	uint32_t *patterns = (uint32_t *)(calls + record->call_count);

	for (size_t i = 0; i < record->call_count; i++) {
		const struct gsym_call *call = &record->calls[i];

		if (call->return_offset > record->size)
			return GSYM_ERR_ARGUMENT;
		calls[i] = (struct gsym_shape_call){
			(uint32_t)call->return_offset, call->flags,
			call->pattern_count
		};
		for (uint32_t k = 0; k < call->pattern_count; k++) {
			uint32_t pattern =
				record->call_patterns[call->first_pattern + k];

			if (pattern >= in->b->strings.count)
				return GSYM_ERR_ARGUMENT;
			*patterns++ = pattern;
		}
	}
	in->head.call_count = (uint32_t)record->call_count;
	in->b->scratch.count += record->call_count * GSYM_SHAPE_CALL_WORDS +
				in->head.pattern_count;
	return GSYM_OK;
}

static enum gsym_status check_frame(const struct gsym_builder *b,
				    const struct gsym_record *record)
{
	bool bare = !record->row_count && !record->inline_count &&
		    !record->call_count && !record->merged_count;

	if ((unsigned)record->rank > GSYM_RANK_FUNCTION ||
	    (unsigned)record->name_kind > GSYM_NAME_SYMBOL_GLOBAL ||
	    record->name >= b->strings.count || record->size > UINT32_MAX ||
	    record->start > UINT64_MAX - record->size)
		return GSYM_ERR_ARGUMENT;
	if (record->rank == GSYM_RANK_LABEL && record->size)
		return GSYM_ERR_ARGUMENT;
	if (record->folded &&
	    (!record->size || record->rank == GSYM_RANK_LABEL))
		return GSYM_ERR_ARGUMENT;
	/* Nothing can lie in no bytes. */
	if (!record->size && !bare)
		return GSYM_ERR_ARGUMENT;
	return GSYM_OK;
}

static enum gsym_status accept_record(struct gsym_builder *b,
				      const struct gsym_record *record,
				      struct gsym_shape_body head,
				      struct gsym_shape *ret);

/* The functions folded into RECORD.  One without a name cannot be told from
 * it, so it goes. */
static enum gsym_status accept_merged(struct gsym_builder *b,
				      const struct gsym_record *record,
				      struct gsym_shape_body *head)
{
	struct gsym_shape *merged;

	if (!record->merged_count)
		return GSYM_OK;
	if (record->merged_count > SIZE_MAX / sizeof(*merged))
		return GSYM_ERR_MEMORY;
	merged = gsym_arena_alloc(&b->arena,
				  record->merged_count * sizeof(*merged));
	if (!merged)
		return GSYM_ERR_MEMORY;
	head->merged = merged;
	for (size_t i = 0; i < record->merged_count; i++) {
		const struct gsym_record *other = &record->merged[i];
		enum gsym_status status;

		if (other->merged_count || other->start != record->start ||
		    other->size != record->size)
			return GSYM_ERR_ARGUMENT;
		status = check_frame(b, other);
		if (status == GSYM_OK)
			status = accept_record(b, other,
					       (struct gsym_shape_body){ 0 },
					       merged);
		if (status != GSYM_OK)
			return status;
		if (other->name) {
			merged++;
			head->merged_count++;
		}
	}
	return GSYM_OK;
}

/* A record whose frame was checked; HEAD has its merged functions. */
static enum gsym_status accept_record(struct gsym_builder *b,
				      const struct gsym_record *record,
				      struct gsym_shape_body head,
				      struct gsym_shape *ret)
{
	struct intake in;
	enum gsym_status status;

	*ret = (struct gsym_shape){
		.start = record->start,
		.limit = record->limit ? record->limit : UINT64_MAX,
		.size = (uint32_t)record->size,
		.name = record->name,
		.rank = record->size ? (uint8_t)record->rank : GSYM_RANK_LABEL,
		.name_kind = (uint8_t)record->name_kind,
		.folded = record->folded,
		.data = record->data,
	};
	if (!record->row_count && !record->inline_count &&
	    !record->call_count && !head.merged_count)
		return GSYM_OK;
	/* Field by field: the levels need no zeroing. */
	in.b = b;
	in.record = record;
	in.head = head;
	status = make_room(&in);
	if (status == GSYM_OK)
		status = accept_rows(&in);
	if (status == GSYM_OK && record->inline_count)
		status = accept_inlines(&in);
	if (status == GSYM_OK && record->call_count)
		status = accept_calls(&in);
	if (status != GSYM_OK)
		return status;
	return gsym_writer_make_body(b, &in.head, &ret->body);
}

enum gsym_status gsym_builder_record(struct gsym_builder *b,
				     const struct gsym_record *record)
{
	struct gsym_shape_body head = { 0 };
	struct gsym_shape shape;
	enum gsym_status status;

	if (b->finished)
		return GSYM_ERR_ARGUMENT;
	status = check_frame(b, record);
	if (status == GSYM_OK)
		status = accept_merged(b, record, &head);
	if (status == GSYM_OK)
		status = accept_record(b, record, head, &shape);
	if (status != GSYM_OK)
		return status;
	/* The sort counts records in 32 bits. */
	if (b->records.count >= UINT32_MAX)
		return GSYM_ERR_LIMIT;
	if (!gsym_vec_reserve(&b->records, 1))
		return GSYM_ERR_MEMORY;
	b->records.items[b->records.count++] = shape;
	return GSYM_OK;
}
