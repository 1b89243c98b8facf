/* SPDX-License-Identifier: MIT */
/* Reads INLINE records, and makes an inline tree of those of a function. */
#include "breakpad/body.h"

#include "breakpad/numbers.h"

/* Add a range of the record that is added next.  The range is cut to the
 * function, as GSYM has no inlined calls outside their function. */
static inline void add_range(struct bp_body *b, uint32_t level, uint64_t start,
			     uint64_t end, bool *ok)
{
	const struct bp_function *f = b->function;
	struct bp_inline_range *added;

	if (start < f->start)
		start = f->start;
	if (end > f->start + f->size)
		end = f->start + f->size;
	if (start >= end)
		return;
	added = gsym_vec_push(&b->tree.given);
	*ok = *ok && added;
	if (added)
		*added = (struct bp_inline_range){ start, end, level,
						   (uint32_t)b->inlines.count };
}

static inline void add_record(struct bp_body *b, uint32_t line, int64_t source,
			      uint32_t origin, bool *ok)
{
	struct bp_inline_record *added = gsym_vec_push(&b->inlines);

	*ok = *ok && added;
	if (added)
		*added = (struct bp_inline_record){
			line, bp_file_index(b, source),
			bp_map_index(&b->file->origins, origin)
		};
}

static bool add_ranges(struct bp_body *b, struct bp_text text, uint32_t level,
		       bool *ok)
{
	for (; text.at < text.end; bp_skip_blanks(&text)) {
		uint64_t start, size, end;

		if (!gsym_bp_hex(bp_field(&text), &start) ||
		    !gsym_bp_hex(bp_field(&text), &size) ||
		    __builtin_add_overflow(start, size, &end))
			return false;
		add_range(b, level, start, end, ok);
	}
	return true;
}

bool gsym_bp_inline_carefully(struct bp_body *b, struct bp_text text, bool *ok)
{
	size_t first = b->tree.given.count;
	uint32_t level, origin;
	int64_t line, source = -1;

	if (!gsym_bp_decimal(bp_field(&text), &level) ||
	    !gsym_bp_signed(bp_field(&text), &line) ||
	    (!b->file->old_inlines &&
	     !gsym_bp_signed(bp_field(&text), &source)) ||
	    !gsym_bp_decimal(bp_field(&text), &origin))
		return false;
	bp_skip_blanks(&text);
	if (text.at == text.end)
		return false;
	if (!add_ranges(b, text, level, ok)) {
		b->tree.given.count = first;
		return false;
	}
	/* No source has negative lines: 0 says that the line is not known. */
	add_record(b, line < 0 ? 0 : (uint32_t)line, source, origin, ok);
	return true;
}

/* Read ranges up to the end of the line, in the form that producers write.
 * False if they have another form. */
static bool read_ranges(struct bp_body *b, struct bp_numbers *n, uint32_t level,
			bool *ok)
{
	bool good = true;
	char stop;

	do {
		uint64_t start, size;

		if (!bp_numbers_need(n, 2))
			return false;
		start = bp_next_hex(n, &good);
		good = good && bp_was_space(n);
		size = bp_next_hex(n, &good);
		stop = bp_last_stop(n);
		/* Numbers of 15 digits at most have no sum beyond 64 bits.
		 * Ranges of a line that is not GOOD are dropped later. */
		add_range(b, level, start, start + size, ok);
	} while (good && stop == ' ');
	return good && stop == '\n';
}

const char *gsym_bp_inline_quickly(struct bp_body *b, const char *at, bool *ok)
{
	size_t first = b->tree.given.count;
	uint32_t level, line, source = 0, origin;
	bool old = b->file->old_inlines, good = true;
	struct bp_numbers n;

	if (!bp_numbers_init(&n, at, b->file->text.end) ||
	    !bp_numbers_need(&n, 4))
		return NULL;
	level = bp_next_decimal(&n, &good);
	good = good && bp_was_space(&n);
	line = bp_next_decimal(&n, &good);
	good = good && bp_was_space(&n);
	if (!old) {
		source = bp_next_decimal(&n, &good);
		good = good && bp_was_space(&n);
	}
	origin = bp_next_decimal(&n, &good);
	/* All numbers so far are decimal and in one block, whose letters are
	 * looked for at once. */
	if (!good || !bp_was_space(&n) || bp_has_letters(&n, 0))
		return NULL;
	if (!read_ranges(b, &n, level, ok)) {
		b->tree.given.count = first;
		return NULL;
	}
	add_record(b, line, old ? -1 : (int64_t)source, origin, ok);
	return n.block + n.at;
}

/* The file of the function's own code: that of the first line record outside of
 * all inlined calls.  Calls of level 0 come from there. */
static uint32_t own_file(const struct bp_body *b)
{
	uint64_t end = 0; /* highest end of the ranges so far; they ascend */
	size_t k = 0;

	for (size_t i = 0; i < b->lines.count; i++) {
		uint64_t start = b->function->start + b->lines.items[i].start;

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
	return bp_unknown_file(b->file);
}

/* The index of the file that NODE was called from.  Records of the old form do
 * not have it: it is the file of the caller.  OWN is the file of the function's
 * own code. */
static uint32_t call_file(struct bp_body *b, const struct bp_node *node,
			  uint32_t own)
{
	const struct bp_node *parent = &b->tree.nodes.items[node->parent];
	const struct bp_map *origins = &b->file->origins;
	uint32_t origin;

	if (!b->file->old_inlines)
		return b->inlines.items[node->record].file;
	if (node->depth == 1)
		return own;
	origin = b->inlines.items[parent->record].origin;
	return origin < origins->count
		       ? bp_file_index(b, origins->files[origin])
		       : bp_unknown_file(b->file);
}

/* Fill B->order with the nodes, parents before children, siblings in order. */
static bool order_nodes(struct bp_body *b)
{
	const struct bp_node *nodes = b->tree.nodes.items;
	size_t open = 0;

	b->order.count = b->tree.stack.count = 0;
	if (!gsym_vec_reserve(&b->order, b->tree.nodes.count) ||
	    !gsym_vec_reserve(&b->tree.stack, b->tree.nodes.count))
		return false;
	b->tree.stack.items[open++] = 0;
	while (open) {
		uint32_t at = b->tree.stack.items[--open];

		b->order.items[b->order.count++] = at;
		/* Pushed last to first, children are popped first to last. */
		for (at = nodes[at].last_child; at; at = nodes[at].previous)
			b->tree.stack.items[open++] = at;
	}
	return true;
}

/* Copy the ranges to RANGES, grouped by node, and fill B->first.  Those of one
 * node keep their order, which ascends. */
static bool group_ranges(struct bp_body *b, struct gsym_range *ranges)
{
	size_t nodes = b->tree.nodes.count;
	uint32_t *first;

	b->first.count = 0;
	if (!gsym_vec_reserve(&b->first, nodes + 2))
		return false;
	/* Counts begin two entries later: after the sums FIRST[N + 1] is where
	 * the ranges of node N begin, and after copying, where they end. */
	first = b->first.items;
	memset(first, 0, (nodes + 2) * sizeof(*first));
	for (size_t i = 0; i < b->tree.ranges.count; i++)
		first[b->tree.ranges.items[i].node + 2]++;
	for (size_t i = 2; i < nodes + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < b->tree.ranges.count; i++) {
		const struct bp_node_range *range = &b->tree.ranges.items[i];

		ranges[first[range->node + 1]++] = range->range;
	}
	return true;
}

static void put_nodes(struct bp_body *b, struct gsym_inline_node *to)
{
	uint32_t own = b->file->old_inlines ? own_file(b) : 0;

	for (size_t i = 1; i < b->order.count; i++) {
		uint32_t at = b->order.items[i];
		const struct bp_node *node = &b->tree.nodes.items[at];

		*to++ = (struct gsym_inline_node){
			.depth = node->depth,
			.name = b->inlines.items[node->record].origin,
			.call_file = call_file(b, node, own),
			.call_line = b->inlines.items[node->record].line,
			.first_range = b->first.items[at],
			.range_count =
				b->first.items[at + 1] - b->first.items[at],
		};
	}
}

/* Warn of each range that could not be placed as a whole. */
static void note_ranges(struct bp_body *b)
{
	uint64_t line = b->function->line;

	gsym_bp_batch_warn(b->batch, GSYM_WARN_ORPHAN, line,
			   "an INLINE range outside of any caller",
			   b->tree.orphans);
	gsym_bp_batch_warn(b->batch, GSYM_WARN_CONFLICT, line,
			   "an INLINE range that overlaps one of its level",
			   b->tree.overlaps);
	gsym_bp_batch_warn(b->batch, GSYM_WARN_CONFLICT, line,
			   "an INLINE range too deep, or in too many pieces",
			   b->tree.cut);
}

bool gsym_bp_make_inlines(struct bp_body *b, struct bp_item *item)
{
	const struct bp_function *f = b->function;
	struct bp_batch *batch = b->batch;

	item->first_inline = batch->inlines.count;
	item->first_range = batch->ranges.count;
	if (!b->tree.given.count)
		return true;
	if (!gsym_bp_tree_build(&b->tree,
				(struct gsym_range){ f->start,
						     f->start + f->size },
				b->inlines.count) ||
	    !order_nodes(b) ||
	    !gsym_vec_reserve(&batch->ranges, b->tree.ranges.count) ||
	    !gsym_vec_reserve(&batch->inlines, b->order.count) ||
	    !group_ranges(b,
			  gsym_vec_from(&batch->ranges, batch->ranges.count)))
		return false;
	note_ranges(b);
	put_nodes(b, batch->inlines.items + batch->inlines.count);
	item->inline_count = b->order.count - 1;
	batch->inlines.count += item->inline_count;
	batch->ranges.count += b->tree.ranges.count;
	return true;
}
