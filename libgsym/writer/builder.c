/* SPDX-License-Identifier: MIT */
/* Makes and frees a builder; adds strings, files and records; makes a sink of a
 * builder.  A record is checked against the rules of gsym/record.h and stored
 * in the compact form, without the rows that no lookup can reach. */
#include "writer/state.h"

#include "base/error.h"
#include "base/order.h"

#include <gsym/reader.h>

#include <stdlib.h>
#include <string.h>

static bool intern_file(struct gsym_builder *b, struct w_file file,
			uint32_t *number)
{
	char bytes[sizeof(file)];

	memcpy(bytes, &file, sizeof(file));
	return gsym_intern_add(&b->files, bytes, sizeof(bytes), number);
}

static void lane_fini(struct w_lane *lane)
{
	gsym_arena_fini(&lane->arena);
	gsym_vec_fini(&lane->records);
	gsym_vec_fini(&lane->loose);
	gsym_vec_fini(&lane->scratch);
	/* On Windows it holds memory outside of LANE. */
	pthread_mutex_destroy(&lane->lock);
}

struct gsym_builder *gsym_builder_new(void)
{
	struct gsym_builder *b = calloc(1, sizeof(*b));
	uint32_t number;

	if (!b)
		return NULL;
	for (size_t i = 0; i < W_LANES; i++)
		pthread_mutex_init(&b->lanes[i].lock, NULL);
	pthread_mutex_init(&b->string_lock, NULL);
	pthread_mutex_init(&b->file_lock, NULL);
	b->strings.lock = &b->string_lock;
	b->files.lock = &b->file_lock;
	b->limits = (struct w_limits){ UINT32_MAX, UINT32_MAX,
				       (uint64_t)1 << 30 };
	b->job = 4096;
	/* The first strings and files get the numbers W_STRING_* and
	 * W_FILE_*. */
	if (!gsym_intern_add(&b->strings, "", 0, &number) ||
	    !gsym_intern_add(&b->strings, "??", 2, &number) ||
	    !intern_file(b, (struct w_file){ 0, 0 }, &number) ||
	    !intern_file(b, (struct w_file){ 0, W_STRING_UNKNOWN }, &number)) {
		gsym_builder_free(b);
		return NULL;
	}
	return b;
}

void gsym_builder_free(struct gsym_builder *b)
{
	if (!b)
		return;
	gsym_intern_fini(&b->strings);
	gsym_intern_fini(&b->files);
	for (size_t i = 0; i < W_LANES; i++)
		lane_fini(&b->lanes[i]);
	pthread_mutex_destroy(&b->string_lock);
	pthread_mutex_destroy(&b->file_lock);
	gsym_vec_fini(&b->loose);
	gsym_vec_fini(&b->calls);
	if (b->spills)
		gsym_spill_close(&b->spill);
	gsym_path_map_fini(&b->paths);
	free(b->uuid);
	free(b);
}

enum gsym_status
gsym_builder_set_temporary_directory(struct gsym_builder *b, const char *path,
				     struct gsym_error *error)
{
	if (!b || !path || b->finished || b->spills)
		return gsym_fail_argument(error);
	/* "%m" prints the text of errno, and uses no shared buffer. */
	if (!gsym_spill_open(&b->spill, path))
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "cannot make a temporary file: %m");
	b->spills = true;
	b->strings.arena.spill = &b->spill;
	for (size_t i = 0; i < W_LANES; i++)
		b->lanes[i].arena.spill = &b->spill;
	return GSYM_OK;
}

enum gsym_status gsym_builder_string(struct gsym_builder *b, const char *bytes,
				     size_t length, uint32_t *number)
{
	if (!b || !number || b->finished || (length && !bytes))
		return GSYM_ERR_ARGUMENT;
	if (!gsym_intern_add(&b->strings, length ? bytes : "", length, number))
		return GSYM_ERR_MEMORY;
	/* Look at the copy: BYTES may change meanwhile.  Without a number the
	 * caller cannot use the string. */
	if (memchr(w_text(b, *number), 0, length))
		return GSYM_ERR_ARGUMENT;
	return GSYM_OK;
}

enum gsym_status gsym_builder_map_paths(struct gsym_builder *b,
					const char *const *maps, size_t count)
{
	if (!b || (!maps && count) || b->finished)
		return GSYM_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++)
		if (!maps[i] || !gsym_path_map_valid(maps[i]))
			return GSYM_ERR_ARGUMENT;
	return gsym_path_map_add(&b->paths, maps, count) ? GSYM_OK
							 : GSYM_ERR_MEMORY;
}

/* Map the path of FILE.  False without memory. */
static bool map_file(struct gsym_builder *b, struct w_file *file)
{
	struct gsym_path_mapped path;
	bool fine;

	if (file->basename == W_STRING_UNKNOWN && !file->directory)
		return true;
	fine = gsym_path_map_apply(&b->paths, w_text(b, file->directory),
				   w_text(b, file->basename), &path) &&
	       (!path.text ||
		(gsym_intern_add(&b->strings, path.directory,
				 strlen(path.directory), &file->directory) &&
		 gsym_intern_add(&b->strings, path.basename,
				 strlen(path.basename), &file->basename)));
	free(path.text);
	return fine;
}

enum gsym_status gsym_builder_file(struct gsym_builder *b, uint32_t directory,
				   uint32_t basename, uint32_t *number)
{
	struct w_file file = { directory, basename };

	if (!b || !number || b->finished ||
	    directory >= gsym_intern_count(&b->strings) ||
	    basename >= gsym_intern_count(&b->strings))
		return GSYM_ERR_ARGUMENT;
	if (!map_file(b, &file) || !intern_file(b, file, number))
		return GSYM_ERR_MEMORY;
	/* For callers the number of this file is GSYM_FILE_UNKNOWN. */
	if (*number == W_FILE_UNKNOWN)
		*number = GSYM_FILE_UNKNOWN;
	return GSYM_OK;
}

enum gsym_status gsym_builder_set_uuid(struct gsym_builder *b,
				       const uint8_t *uuid, size_t size)
{
	uint8_t *copy = NULL;

	if (!b || (!uuid && size))
		return GSYM_ERR_ARGUMENT;
	if (size) {
		copy = malloc(size);
		if (!copy)
			return GSYM_ERR_MEMORY;
		memcpy(copy, uuid, size);
	}
	free(b->uuid);
	b->uuid = copy;
	b->uuid_size = size;
	return GSYM_OK;
}

void gsym_builder_set_base(struct gsym_builder *b, uint64_t base)
{
	if (!b)
		return;
	b->base = base;
	b->has_base = true;
}

/* ---- records ------------------------------------------------------------ */

/* A record that is being copied to the scratch words of LANE. */
struct intake {
	const struct gsym_builder *b;
	struct w_lane *lane;
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
	if (file < gsym_intern_count(&b->files))
		return file;
	return file == GSYM_FILE_UNKNOWN ? W_FILE_UNKNOWN : UINT32_MAX;
}

/* Reserve scratch words for the whole record, so that the functions below
 * need not check for room.  Counts the patterns. */
static enum gsym_status make_room(struct intake *in)
{
	const struct gsym_record *record = in->record;
	uint64_t ranges = 0, patterns = 0, words;

	if (record->row_count > UINT32_MAX ||
	    record->inline_count > UINT32_MAX ||
	    record->call_count > UINT32_MAX ||
	    record->merged_count > UINT32_MAX)
		return GSYM_ERR_ARGUMENT;
	/* No sum overflows: there are fewer than 2^32 items. */
	for (size_t i = 0; i < record->inline_count; i++)
		ranges += record->inlines[i].range_count;
	for (size_t i = 0; i < record->call_count; i++)
		patterns += record->calls[i].pattern_count;
	if (ranges > UINT32_MAX || patterns > UINT32_MAX)
		return GSYM_ERR_ARGUMENT;
	in->head.counts[GSYM_PATTERNS] = (uint32_t)patterns;
	words = ((uint64_t)record->row_count + 1) * GSYM_SHAPE_ROW_WORDS +
		(uint64_t)record->inline_count * GSYM_SHAPE_INLINE_WORDS +
		ranges * GSYM_SHAPE_RANGE_WORDS +
		(uint64_t)record->call_count * GSYM_SHAPE_CALL_WORDS +
		patterns;
	if (words > SIZE_MAX / sizeof(uint32_t))
		return GSYM_ERR_MEMORY;
	in->lane->scratch.count = 0;
	return gsym_vec_reserve(&in->lane->scratch, words) ? GSYM_OK
							   : GSYM_ERR_MEMORY;
}

static enum gsym_status accept_rows(struct intake *in)
{
	const struct gsym_record *record = in->record;
	const struct gsym_row *from = record->rows;
	struct gsym_row *rows = (struct gsym_row *)in->lane->scratch.items;
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
	in->lane->scratch.count = count * GSYM_SHAPE_ROW_WORDS;
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
	struct gsym_shape_inline *nodes =
		(struct gsym_shape_inline *)(in->lane->scratch.items +
					     in->lane->scratch.count);
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
		    node->name >= gsym_intern_count(&in->b->strings) ||
		    file == UINT32_MAX)
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
	in->lane->scratch.count +=
		record->inline_count * GSYM_SHAPE_INLINE_WORDS +
		count * GSYM_SHAPE_RANGE_WORDS;
	return GSYM_OK;
}

static enum gsym_status accept_calls(struct intake *in)
{
	const struct gsym_record *record = in->record;
	struct gsym_shape_call *calls =
		(struct gsym_shape_call *)(in->lane->scratch.items +
					   in->lane->scratch.count);
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

			if (pattern >= gsym_intern_count(&in->b->strings))
				return GSYM_ERR_ARGUMENT;
			*patterns++ = pattern;
		}
	}
	in->head.counts[GSYM_CALLS] = (uint32_t)record->call_count;
	in->lane->scratch.count = (size_t)(patterns - in->lane->scratch.items);
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
	    record->name >= gsym_intern_count(&b->strings) ||
	    record->size > UINT32_MAX ||
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

static enum gsym_status accept_record(const struct gsym_builder *b,
				      struct w_lane *lane,
				      const struct gsym_record *record,
				      const struct gsym_shape_body *merged,
				      struct gsym_shape *ret);

/* Copy the merged functions of RECORD to the arena of LANE, and set HEAD's
 * merged functions.  A merged function without a name is dropped, as it cannot
 * be told from RECORD. */
static enum gsym_status accept_merged(const struct gsym_builder *b,
				      struct w_lane *lane,
				      const struct gsym_record *record,
				      struct gsym_shape_body *head)
{
	static const struct gsym_shape_body none;
	struct gsym_shape *merged;

	if (!record->merged_count)
		return GSYM_OK;
	if (record->merged_count > SIZE_MAX / sizeof(*merged))
		return GSYM_ERR_MEMORY;
	merged = gsym_arena_alloc(&lane->arena,
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
			status = accept_record(b, lane, other, &none, merged);
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
static enum gsym_status accept_record(const struct gsym_builder *b,
				      struct w_lane *lane,
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
		.unclaimed = record->unclaimed,
		.data = record->data,
	};
	if (!record->row_count && !record->inline_count &&
	    !record->call_count && !merged->merged_count)
		return GSYM_OK;
	/* No initializer: it would set all levels to 0. */
	in.b = b;
	in.lane = lane;
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
	return gsym_writer_pack_body(lane, &in.head, &ret->body);
}

/* Add RECORD, whose head was checked, to LANE. */
static enum gsym_status add_record(const struct gsym_builder *b,
				   struct w_lane *lane,
				   const struct gsym_record *record)
{
	struct gsym_shape_body merged = { 0 };
	struct gsym_shape shape;
	enum gsym_status status = accept_merged(b, lane, record, &merged);

	if (status == GSYM_OK)
		status = accept_record(b, lane, record, &merged, &shape);
	if (status != GSYM_OK)
		return status;
	/* struct gsym_sort_item has 32 bits for the index of a record. */
	if (lane->records.count >= UINT32_MAX)
		return GSYM_ERR_LIMIT;
	if (!gsym_vec_reserve(&lane->records, 1))
		return GSYM_ERR_MEMORY;
	lane->records.items[lane->records.count++] = shape;
	return GSYM_OK;
}

enum gsym_status gsym_builder_record(struct gsym_builder *b,
				     const struct gsym_record *record)
{
	enum gsym_status status;
	struct w_lane *lane;

	if (!b || !record || b->finished)
		return GSYM_ERR_ARGUMENT;
	status = check_head(b, record);
	if (status != GSYM_OK)
		return status;
	lane = w_take_lane(b);
	status = add_record(b, lane, record);
	pthread_mutex_unlock(&lane->lock);
	return status;
}

/* ---- the sink ----------------------------------------------------------- */

static enum gsym_status sink_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	return gsym_builder_string(self, bytes, length, number);
}

static enum gsym_status sink_strings(void *self, const struct gsym_text *texts,
				     size_t count, uint32_t *numbers)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < count && status == GSYM_OK; i++)
		status = gsym_builder_string(self, texts[i].bytes,
					     texts[i].length, &numbers[i]);
	return status;
}

static enum gsym_status sink_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	return gsym_builder_file(self, directory, basename, number);
}

static enum gsym_status sink_record(void *self,
				    const struct gsym_record *record)
{
	return gsym_builder_record(self, record);
}

static enum gsym_status sink_loose_rows(void *self, struct gsym_range range,
					const struct gsym_loose_row *rows,
					size_t count)
{
	return gsym_builder_loose_rows(self, range, rows, count);
}

void gsym_builder_keep(struct gsym_builder *b)
{
	for (size_t i = 0; b && i < W_LANES; i++) {
		struct w_lane *lane = &b->lanes[i];

		lane->kept_records = lane->records.count;
		lane->kept_loose = lane->loose.count;
	}
}

void gsym_builder_take_back(struct gsym_builder *b)
{
	for (size_t i = 0; b && !b->finished && i < W_LANES; i++) {
		struct w_lane *lane = &b->lanes[i];

		lane->records.count = lane->kept_records;
		lane->loose.count = lane->kept_loose;
	}
}

struct gsym_sink gsym_builder_sink(struct gsym_builder *b)
{
	if (!b)
		return (struct gsym_sink){ 0 };
	return (struct gsym_sink){ b, sink_string, sink_file, sink_record,
				   sink_loose_rows, sink_strings };
}
