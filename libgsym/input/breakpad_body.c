/* SPDX-License-Identifier: MIT */
/*
 * The body of a function: line records and INLINE records become rows and an
 * inline tree.
 *
 * A line record has an end, a GSYM row holds until the next one, so what no
 * record covers is written as a row without a source.
 */
#include "input/breakpad_file.h"

/* A line record, cut to its function. */
struct line {
	uint64_t start;
	uint64_t end;
	int64_t file;
	uint32_t line;
	uint32_t order;
};

enum { KNOWN = 256 };

struct bp_body {
	struct { GSYM_VEC(struct line); } lines;
	struct { GSYM_VEC(struct gsym_row); } rows;
	struct { GSYM_VEC(struct bp_call_record); } calls;
	struct { GSYM_VEC(struct gsym_inline_node); } inlines;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	struct { GSYM_VEC(uint32_t); } order; /* nodes, parents first */
	struct { GSYM_VEC(uint32_t); } first; /* by node: its ranges */
	struct bp_tree tree;
	/* Files that were asked for lately, and their numbers, by the low
	 * bits of the id. */
	struct {
		int64_t id;
		uint32_t number;
	} known[KNOWN];
	uint32_t number; /* of the one that was asked for last */
};

void bp_body_free(struct bp_body *b)
{
	if (!b)
		return;
	gsym_vec_fini(&b->lines);
	gsym_vec_fini(&b->rows);
	gsym_vec_fini(&b->calls);
	gsym_vec_fini(&b->inlines);
	gsym_vec_fini(&b->ranges);
	gsym_vec_fini(&b->order);
	gsym_vec_fini(&b->first);
	bp_tree_fini(&b->tree);
	free(b);
}

static struct bp_body *body_of(struct bp_file *file)
{
	if (file->body)
		return file->body;
	file->body = calloc(1, sizeof(*file->body));
	for (int i = 0; file->body && i < KNOWN; i++)
		file->body->known[i].id = INT64_MIN;
	return file->body;
}

static bool hex_start(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* Whether a line of a body, blanks taken off, can be a line record.  The
 * first pass has dealt with all else. */
static bool is_line_record(struct bp_text line)
{
	struct bp_text rest = line, field;

	if (line.at == line.end || !hex_start(*line.at))
		return false;
	if (*line.at < 'A' || *line.at > 'F')
		return true;
	/* FILE, FUNC and unknown keywords start like numbers. */
	field = bp_field(&rest);
	for (; field.at < field.end; field.at++)
		if (!hex_start(*field.at))
			return false;
	return true;
}

/* Hexadecimal digits, one more than their value; 0 for all else. */
static const uint8_t digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* A number that is followed by one blank, up to which AT moves.  False if
 * it is written in any other way than producers do. */
static inline bool quick_number(struct bp_text *text, unsigned base,
				unsigned most, uint64_t *ret)
{
	const char *at = text->at;
	uint64_t value = 0;
	unsigned digit;

	while (at < text->end && (digit = digits[(uint8_t)*at]) &&
	       digit <= base) {
		value = value * base + digit - 1;
		at++;
	}
	if (at == text->at || (size_t)(at - text->at) > most)
		return false;
	if (at < text->end) {
		if (*at != ' ')
			return false;
		at++;
	}
	text->at = at;
	*ret = value;
	return true;
}

/* A line record as producers write it: this is nearly all of a file. */
static bool parse_quickly(struct bp_text text, struct line *ret)
{
	uint64_t size, line, file;

	if (!quick_number(&text, 16, 15, &ret->start) ||
	    !quick_number(&text, 16, 15, &size) ||
	    !quick_number(&text, 10, 9, &line) ||
	    !quick_number(&text, 10, 9, &file))
		return false;
	ret->end = ret->start + size;
	ret->line = (uint32_t)line;
	ret->file = (int64_t)file;
	return true;
}

static bool parse_line(struct bp_text text, struct line *ret)
{
	uint64_t size;
	int64_t line;

	if (parse_quickly(text, ret))
		return true;
	if (!bp_hex(bp_field(&text), &ret->start) ||
	    !bp_hex(bp_field(&text), &size) ||
	    !bp_signed(bp_field(&text), &line) ||
	    !bp_signed(bp_field(&text), &ret->file) ||
	    __builtin_add_overflow(ret->start, size, &ret->end))
		return false;
	ret->line = line < 0 ? 0 : (uint32_t)line;
	return true;
}

uint64_t bp_last_end(struct bp_file *file, const struct bp_function *function)
{
	struct bp_text body = function->body, text;
	uint64_t end = 0;
	struct line line;

	while (bp_next_line(&body, &text, file->has_carriages)) {
		bp_skip_blanks(&text);
		if (is_line_record(text) && parse_line(text, &line) &&
		    line.start >= function->start && line.end > end)
			end = line.end;
	}
	return end > function->start ? end : 0;
}

/* ---- reading --------------------------------------------------------------- */

/* Take a line record; those outside the function and empty ones say
 * nothing. */
static bool add_line(struct bp_body *b, const struct bp_function *f,
		     struct line line)
{
	struct line *added;
	uint64_t end = f->start + f->size;

	if (line.start == line.end || line.start < f->start ||
	    line.start >= end)
		return true;
	if (line.end > end)
		line.end = end;
	line.order = (uint32_t)b->lines.count;
	added = gsym_vec_push(&b->lines);
	if (added)
		*added = line;
	return added;
}

/* An INLINE record behind its keyword.  False if it cannot be read; *OK is
 * cleared without memory. */
static bool add_call(struct bp_file *file, struct bp_body *b,
		     const struct bp_function *f, struct bp_text text, bool *ok)
{
	struct bp_call_record record = { .file = -1 }, *added;
	size_t first = b->tree.heap.count;
	uint32_t level;
	int64_t line;

	if (!bp_decimal(bp_field(&text), &level) ||
	    !bp_signed(bp_field(&text), &line) ||
	    (!file->old_inlines && !bp_signed(bp_field(&text), &record.file)) ||
	    !bp_decimal(bp_field(&text), &record.origin))
		return false;
	bp_skip_blanks(&text);
	if (text.at == text.end)
		return false;
	record.line = line < 0 ? 0 : (uint32_t)line;
	for (; text.at < text.end; bp_skip_blanks(&text)) {
		struct bp_call_range range = {
			.level = level, .record = (uint32_t)b->calls.count
		}, *r;
		uint64_t size;

		if (!bp_hex(bp_field(&text), &range.start) ||
		    !bp_hex(bp_field(&text), &size) ||
		    __builtin_add_overflow(range.start, size, &range.end)) {
			b->tree.heap.count = first;
			return false;
		}
		if (range.start < f->start)
			range.start = f->start;
		if (range.end > f->start + f->size)
			range.end = f->start + f->size;
		if (range.start >= range.end)
			continue;
		r = gsym_vec_push(&b->tree.heap);
		*ok = *ok && r;
		if (r)
			*r = range;
	}
	added = gsym_vec_push(&b->calls);
	*ok = *ok && added;
	if (added)
		*added = record;
	return true;
}

/* Read the body of F into lines and ranges. */
static bool read_body(struct bp_file *file, struct bp_body *b,
		      const struct bp_function *f)
{
	struct bp_text body = f->body, text, rest;
	uint64_t number = f->line;
	bool ok = true;

	b->lines.count = b->calls.count = b->tree.heap.count = 0;
	while (ok && bp_next_line(&body, &text, file->has_carriages)) {
		struct line line;

		number++;
		bp_skip_blanks(&text);
		if (text.at == text.end)
			continue;
		if (is_line_record(text)) {
			if (parse_line(text, &line))
				ok = add_line(b, f, line);
			else
				bp_warn(file, GSYM_WARN_BAD_RECORD, number,
					"a line record that cannot be read");
			continue;
		}
		rest = text;
		if (*text.at == 'I' && bp_is(bp_field(&rest), "INLINE") &&
		    !add_call(file, b, f, rest, &ok))
			bp_warn(file, GSYM_WARN_BAD_RECORD, number,
				"an INLINE record that cannot be read");
	}
	return ok;
}

/* ---- rows ------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void sort_lines(struct bp_body *b)
{
	for (size_t i = 1; i < b->lines.count; i++)
		if (by_start(&b->lines.items[i - 1], &b->lines.items[i]) > 0) {
			qsort(b->lines.items, b->lines.count,
			      sizeof(*b->lines.items), by_start);
			return;
		}
}

static bool add_row(struct bp_body *b, uint64_t offset, uint32_t file,
		    uint32_t line)
{
	struct gsym_row *row = gsym_vec_push(&b->rows);

	if (row)
		*row = (struct gsym_row){ (uint32_t)offset, file, line };
	return row;
}

static enum gsym_status number_of(struct bp_file *file, struct bp_body *b,
				  int64_t id)
{
	size_t at = (uint64_t)id % KNOWN;
	enum gsym_status status = GSYM_OK;

	if (b->known[at].id != id)
		status = bp_source(file, id, &b->known[at].number);
	if (status == GSYM_OK)
		b->known[at].id = id;
	b->number = b->known[at].number;
	return status;
}

static enum gsym_status make_rows(struct bp_file *file, struct bp_body *b,
				  const struct bp_function *f)
{
	uint64_t at = f->start;

	b->rows.count = 0;
	sort_lines(b);
	for (size_t i = 0; i < b->lines.count; i++) {
		struct line *line = &b->lines.items[i];
		enum gsym_status status;
		uint32_t number;

		if (line->start < at) { /* the first record wins */
			bp_warn(file, GSYM_WARN_CONFLICT, f->line,
				"line records over each other in a function");
			if (line->end <= at)
				continue;
			line->start = at;
		}
		if (line->start > at &&
		    !add_row(b, at - f->start, GSYM_FILE_NOSRC, 0))
			return GSYM_ERR_MEMORY;
		status = number_of(file, b, line->file);
		if (status != GSYM_OK)
			return status;
		number = b->number;
		if (number == GSYM_FILE_UNKNOWN && !line->line)
			number = GSYM_FILE_NOSRC;
		if (!add_row(b, line->start - f->start, number, line->line))
			return GSYM_ERR_MEMORY;
		at = line->end;
	}
	if (b->rows.count && at < f->start + f->size &&
	    !add_row(b, at - f->start, GSYM_FILE_NOSRC, 0))
		return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

/* ---- inlined calls --------------------------------------------------------- */

/* The file of the first line record that no call covers: where an old
 * record of level 0 was called from. */
static int64_t own_file(const struct bp_body *b)
{
	uint64_t end = 0; /* of the ranges so far, which come by start */
	size_t k = 0;

	for (size_t i = 0; i < b->lines.count; i++) {
		uint64_t start = b->lines.items[i].start;

		for (; k < b->tree.ranges.count; k++) {
			const struct gsym_range *range =
				&b->tree.ranges.items[k].range;

			if (range->start > start)
				break;
			if (range->end > end)
				end = range->end;
		}
		if (start >= end)
			return b->lines.items[i].file;
	}
	return -1;
}

/* The file that NODE was called from.  Old records do not say it: it is that
 * of the function around it. */
static int64_t call_file(struct bp_file *file, const struct bp_body *b,
			 const struct bp_node *node, int64_t own)
{
	const struct bp_node *parent = &b->tree.nodes.items[node->parent];
	struct bp_entry *origin;

	if (!file->old_inlines)
		return b->calls.items[node->record].file;
	if (node->depth == 1)
		return own;
	origin = bp_map_find(&file->origins,
			     b->calls.items[parent->record].origin);
	return origin ? origin->file : -1;
}

static enum gsym_status origin_name(struct bp_file *file, uint32_t id,
				    uint32_t *ret)
{
	static const char omitted[] = "<name omitted>";
	struct bp_entry *origin = bp_map_find(&file->origins, id);
	enum gsym_status status;

	if (!origin || origin->text.at == origin->text.end)
		return file->sink.string(file->sink.self, omitted,
					 sizeof(omitted) - 1, ret);
	status = GSYM_OK;
	if (origin->number == BP_NO_NUMBER)
		status = bp_string(file, origin->text, &origin->number);
	*ret = origin->number;
	return status;
}

/* The nodes, parents before children and siblings in order. */
static bool order_nodes(struct bp_body *b)
{
	const struct bp_node *nodes = b->tree.nodes.items;
	size_t open = 0;

	b->order.count = 0;
	if (!gsym_vec_reserve(&b->order, b->tree.nodes.count) ||
	    !gsym_vec_reserve(&b->tree.stack, b->tree.nodes.count))
		return false;
	b->tree.stack.items[open++] = 0;
	while (open) {
		uint32_t at = b->tree.stack.items[--open];

		b->order.items[b->order.count++] = at;
		/* The last child goes down first and comes up last. */
		for (at = nodes[at].last_child; at; at = nodes[at].previous)
			b->tree.stack.items[open++] = at;
	}
	return true;
}

/* Put the ranges of each node together; a node's own ascend already. */
static bool group_ranges(struct bp_body *b)
{
	size_t nodes = b->tree.nodes.count;
	uint32_t *first;

	if (!gsym_vec_reserve(&b->first, nodes + 2) ||
	    !gsym_vec_reserve(&b->ranges, b->tree.ranges.count))
		return false;
	first = b->first.items;
	memset(first, 0, (nodes + 2) * sizeof(*first));
	for (size_t i = 0; i < b->tree.ranges.count; i++)
		first[b->tree.ranges.items[i].node + 2]++;
	for (size_t i = 2; i < nodes + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < b->tree.ranges.count; i++) {
		const struct bp_node_range *range = &b->tree.ranges.items[i];

		b->ranges.items[first[range->node + 1]++] = range->range;
	}
	b->ranges.count = b->tree.ranges.count;
	return true;
}

/* One warning for each range that could not be placed. */
static void warn_ranges(struct bp_file *file, const struct bp_body *b,
			const struct bp_function *f)
{
	for (uint64_t i = 0; i < b->tree.orphans; i++)
		bp_warn(file, GSYM_WARN_ORPHAN, f->line,
			"an INLINE range outside of any caller");
	for (uint64_t i = 0; i < b->tree.overlaps; i++)
		bp_warn(file, GSYM_WARN_CONFLICT, f->line,
			"an INLINE range over another of its level");
	for (uint64_t i = 0; i < b->tree.cut; i++)
		bp_warn(file, GSYM_WARN_CONFLICT, f->line,
			"an INLINE range too deep, or in too many pieces");
}

static enum gsym_status make_inlines(struct bp_file *file, struct bp_body *b,
				     const struct bp_function *f)
{
	int64_t own;

	b->inlines.count = 0;
	if (!b->tree.heap.count)
		return GSYM_OK;
	if (!bp_tree_build(&b->tree, (struct gsym_range){
				f->start, f->start + f->size }) ||
	    !order_nodes(b) || !group_ranges(b) ||
	    !gsym_vec_reserve(&b->inlines, b->order.count))
		return GSYM_ERR_MEMORY;
	warn_ranges(file, b, f);
	own = file->old_inlines ? own_file(b) : -1;
	for (size_t i = 1; i < b->order.count; i++) {
		uint32_t at = b->order.items[i];
		const struct bp_node *node = &b->tree.nodes.items[at];
		struct gsym_inline_node *to =
			&b->inlines.items[b->inlines.count++];
		enum gsym_status status;

		*to = (struct gsym_inline_node){
			.depth = node->depth,
			.call_line = b->calls.items[node->record].line,
			.first_range = b->first.items[at],
			.range_count = b->first.items[at + 1] -
				       b->first.items[at],
		};
		status = number_of(file, b, call_file(file, b, node, own));
		to->call_file = b->number;
		if (status == GSYM_OK)
			status = origin_name(
				file, b->calls.items[node->record].origin,
				&to->name);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* ---- the whole ------------------------------------------------------------- */

enum gsym_status bp_push_function(struct bp_file *file,
				  const struct bp_function *f)
{
	struct bp_body *b = body_of(file);
	struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION,
		.name_kind = GSYM_NAME_LINKAGE,
		.start = f->start + file->base,
		.size = f->size,
		.limit = UINT64_MAX,
		.folded = f->folded,
	};
	enum gsym_status status;

	if (!b || !read_body(file, b, f))
		return GSYM_ERR_MEMORY;
	status = make_rows(file, b, f);
	if (status == GSYM_OK)
		status = make_inlines(file, b, f);
	if (status == GSYM_OK)
		status = bp_string(file, f->name, &record.name);
	if (status != GSYM_OK)
		return status;
	for (size_t i = 0; file->base && i < b->ranges.count; i++) {
		b->ranges.items[i].start += file->base;
		b->ranges.items[i].end += file->base;
	}
	record.rows = b->rows.items;
	record.row_count = b->rows.count;
	record.inlines = b->inlines.items;
	record.inline_count = b->inlines.count;
	record.inline_ranges = b->ranges.items;
	return file->sink.record(file->sink.self, &record);
}
