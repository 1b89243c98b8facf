/* SPDX-License-Identifier: MIT */
/* Check a record against the rules of gsym/record.h and store a compact copy,
 * without the rows that no lookup can reach. */
#include "writer/state.h"

#include "base/order.h"

#include <gsym/reader.h>

/* A record that is being copied to the scratch words of B. */
struct intake {
	struct gsym_builder *b;
	const struct gsym_record *record;
	/* The ranges of the latest node at each level of the inline tree, as
	 * indexes of the ranges in the scratch words.  Level 0, the function
	 * itself, has none. */
	struct level {
		size_t first;
		size_t count;
	} levels[GSYM_MAX_INLINE_DEPTH + 1];
	/* The counts of what was copied so far.  This member is the last one
	 * because it ends in a flexible array. */
	struct gsym_shape_body head;
};

/* The builder's number of FILE, a file number of the caller; UINT32_MAX if
 * there is no such file. */
static uint32_t file_number(const struct gsym_builder *b, uint32_t file)
{
	if (file < b->files.count)
		return file;
	return file == GSYM_FILE_UNKNOWN ? W_FILE_UNKNOWN : UINT32_MAX;
}

/* Reserve scratch words for the whole record, so that the functions below
 * need not check for room.  Counts the patterns. */
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
		if (in->head.counts[GSYM_PATTERNS] + part > UINT32_MAX)
			return GSYM_ERR_ARGUMENT;
		in->head.counts[GSYM_PATTERNS] += (uint32_t)part;
		words += part;
	}
	words += ((uint64_t)record->row_count + 1) * GSYM_SHAPE_ROW_WORDS +
		 (uint64_t)record->inline_count * GSYM_SHAPE_INLINE_WORDS +
		 (uint64_t)record->call_count * GSYM_SHAPE_CALL_WORDS;
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
	uint32_t last = 0;

	for (size_t i = 0; i < row_count; i++) {
		struct gsym_row row = from[i];

		row.file = file_number(in->b, row.file);
		if (row.file == UINT32_MAX || row.offset < last)
			return GSYM_ERR_ARGUMENT;
		last = row.offset;
		/* The last row of an offset counts. */
		if (i + 1 < row_count && from[i + 1].offset == row.offset)
			continue;
		if (row.file == W_FILE_NOSRC)
			row.line = 0;
		count = w_append_row(rows, count, row);
	}
	if (row_count && last >= record->size)
		return GSYM_ERR_ARGUMENT;
	count = gsym_writer_complete_rows(rows, count, record->inline_count);
	in->head.counts[GSYM_ROWS] = (uint32_t)count;
	in->b->scratch.count = count * GSYM_SHAPE_ROW_WORDS;
	return GSYM_OK;
}

/* Whether [START, END), in bytes from the function's start, lies in a single
 * range of LEVEL. */
static bool is_contained(const struct intake *in, const struct level *level,
			 const struct gsym_shape_range *ranges, uint64_t start,
			 uint64_t end)
{
	size_t after;

	if (level == in->levels)
		return end <= in->record->size;
	after = GSYM_FIRST(i, level->first, level->first + level->count,
			   ranges[i].start > start);
	return after > level->first &&
	       end <= (uint64_t)ranges[after - 1].start +
			       ranges[after - 1].size;
}

/* Append the ranges of NODE, touching ones joined, to the COUNT at RANGES.
 * Returns the new count; 0 if the ranges break a rule. */
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
		    !is_contained(in, level - 1, ranges, start, end))
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
			.range_count = (uint32_t)(count - before),
			.call_line = node->call_line,
			.name = node->name,
			/* Readers show a call only if it has a file, so a
			 * call without a source gets "??". */
			.call_file =
				file == W_FILE_NOSRC ? W_FILE_UNKNOWN : file,
		};
	}
	in->head.counts[GSYM_INLINES] = (uint32_t)record->inline_count;
	in->head.counts[GSYM_RANGES] = (uint32_t)count;
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

		if (call->return_offset > record->size ||
		    (!record->call_patterns && call->pattern_count))
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
	in->head.counts[GSYM_CALLS] = (uint32_t)record->call_count;
	in->b->scratch.count = (size_t)(patterns - in->b->scratch.items);
	return GSYM_OK;
}

/* Check all of RECORD but its rows, inlined calls, call sites and merged
 * functions. */
static enum gsym_status check_head(const struct gsym_builder *b,
				   const struct gsym_record *record)
{
	if ((!record->rows && record->row_count) ||
	    (!record->inlines && record->inline_count) ||
	    (!record->inline_ranges && record->inline_count) ||
	    (!record->calls && record->call_count) ||
	    (!record->merged && record->merged_count))
		return GSYM_ERR_ARGUMENT;
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
	/* No bytes have neither rows nor calls. */
	if (!record->size && !bare)
		return GSYM_ERR_ARGUMENT;
	return GSYM_OK;
}

static enum gsym_status accept_record(struct gsym_builder *b,
				      const struct gsym_record *record,
				      const struct gsym_shape_body *merged,
				      struct gsym_shape *ret);

/* Copy the merged functions of RECORD to the arena, and set HEAD's merged
 * functions.  A merged function without a name is
 * dropped, as it cannot be told from RECORD. */
static enum gsym_status accept_merged(struct gsym_builder *b,
				      const struct gsym_record *record,
				      struct gsym_shape_body *head)
{
	static const struct gsym_shape_body none;
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
		status = check_head(b, other);
		if (status == GSYM_OK)
			status = accept_record(b, other, &none, merged);
		if (status != GSYM_OK)
			return status;
		if (other->name) {
			merged++;
			head->merged_count++;
		}
	}
	return GSYM_OK;
}

/* Fill RET with RECORD, after check_head, and with the merged functions of
 * MERGED, whose other members are 0. */
static enum gsym_status accept_record(struct gsym_builder *b,
				      const struct gsym_record *record,
				      const struct gsym_shape_body *merged,
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
	    !record->call_count && !merged->merged_count)
		return GSYM_OK;
	/* No initializer: it would set all levels to 0. */
	in.b = b;
	in.record = record;
	in.head = *merged;
	status = make_room(&in);
	if (status == GSYM_OK)
		status = accept_rows(&in);
	if (status == GSYM_OK && record->inline_count)
		status = accept_inlines(&in);
	if (status == GSYM_OK && record->call_count)
		status = accept_calls(&in);
	if (status != GSYM_OK)
		return status;
	return gsym_writer_pack_body(b, &in.head, &ret->body);
}

enum gsym_status gsym_builder_record(struct gsym_builder *b,
				     const struct gsym_record *record)
{
	struct gsym_shape_body merged = { 0 };
	struct gsym_shape shape;
	enum gsym_status status;

	if (!b || !record || b->finished)
		return GSYM_ERR_ARGUMENT;
	status = check_head(b, record);
	if (status == GSYM_OK)
		status = accept_merged(b, record, &merged);
	if (status == GSYM_OK)
		status = accept_record(b, record, &merged, &shape);
	if (status != GSYM_OK)
		return status;
	/* struct gsym_sort_item has 32 bits for the index of a record. */
	if (b->records.count >= UINT32_MAX)
		return GSYM_ERR_LIMIT;
	if (!gsym_vec_reserve(&b->records, 1))
		return GSYM_ERR_MEMORY;
	b->records.items[b->records.count++] = shape;
	return GSYM_OK;
}
