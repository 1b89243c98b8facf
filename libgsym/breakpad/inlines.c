/* SPDX-License-Identifier: MIT */
/*
 * Reads INLINE records, and makes an inline tree of those of a function.
 *
 * Some producers write INLINE records depth first.  Others sort them by
 * address, join ranges that touch, and write one record for several parents.
 * In both cases each range has the right address and level, so the tree is made
 * from these alone.  Ranges are taken in the order of start and level.  The
 * parent of a range is the node that is open one level above.
 */
#include "breakpad/file.h"

#include "base/order.h"

#include <gsym/reader.h>

#include <string.h>

/* ---- the tree ------------------------------------------------------------ */

enum {
	MAX_LEVELS = GSYM_MAX_INLINE_DEPTH - 1,
	/* A range is cut into pieces where its parent or a sibling before it
	 * ends.  A piece takes far more memory than its range takes text, so
	 * the cuts of a function are limited: PIECES_ALL, and PIECES_EACH for
	 * each of its ranges.  Real functions have a hundredth of that. */
	PIECES_EACH = 4,
	PIECES_ALL = 100000,
	/* The most siblings that are searched for an earlier piece of the same
	 * record. */
	MAX_SEARCH = 64,
};

void gsym_bp_tree_fini(struct bp_tree *t)
{
	gsym_vec_fini(&t->given);
	gsym_vec_fini(&t->order);
	gsym_vec_fini(&t->heap);
	gsym_vec_fini(&t->nodes);
	gsym_vec_fini(&t->ranges);
	gsym_vec_fini(&t->made);
	gsym_vec_fini(&t->stack);
	gsym_vec_fini(&t->ends);
}

/* Whether A comes before B: by start, then level, then record, then end. */
static bool comes_before(const struct bp_inline_range *a,
		   const struct bp_inline_range *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	if (a->level != b->level)
		return a->level < b->level;
	if (a->record != b->record)
		return a->record < b->record;
	return a->end < b->end;
}

static struct bp_inline_range pop_rest(struct bp_tree *t)
{
	struct bp_inline_range top = t->heap.items[0];

	GSYM_HEAP_POP(&t->heap, a, b, comes_before(a, b));
	return top;
}

static bool push_rest(struct bp_tree *t, struct bp_inline_range range)
{
	return GSYM_HEAP_PUSH(&t->heap, range, a, b, comes_before(a, b));
}

/* Sort the given ranges into T->order: by start, then level; ranges that have
 * both in common keep their order.  START is the function's. */
static bool order_ranges(struct bp_tree *t, uint64_t start)
{
	size_t count = t->given.count;
	struct gsym_sort_item *items;
	uint64_t levels = 0; /* 64 bits: they are shifted by up to 32 */
	unsigned bits = 0;

	t->order.count = 0;
	if (!gsym_vec_reserve(&t->order, 2 * count))
		return false;
	items = t->order.items;
	for (size_t i = 0; i < count; i++)
		levels |= t->given.items[i].level;
	/* Keys are sorted in fewer passes if they are short. */
	while (levels >> bits)
		bits++;
	for (size_t i = 0; i < count; i++) {
		const struct bp_inline_range *range = &t->given.items[i];

		items[i] = (struct gsym_sort_item){
			(range->start - start) << bits | range->level,
			(uint32_t)i, 0
		};
	}
	gsym_sort_by_key(items, count, items + count);
	t->order.count = count;
	return true;
}

/* Set *RET to the next range: number *NEXT of the order, or the first rest of a
 * range that was cut.  False after the last one. */
static bool next_range(struct bp_tree *t, size_t *next,
		       struct bp_inline_range *ret)
{
	const struct bp_inline_range *given = NULL;

	if (*next < t->order.count)
		given = &t->given.items[t->order.items[*next].index];
	if (t->heap.count &&
	    (!given || comes_before(&t->heap.items[0], given))) {
		*ret = pop_rest(t);
		return true;
	}
	if (!given)
		return false;
	*ret = *given;
	++*next;
	return true;
}

/* The newest child of PARENT that was made for RECORD, else a new one; 0
 * without memory. */
static uint32_t child_for(struct bp_tree *t, uint32_t parent, uint32_t record)
{
	uint32_t at = t->made.items[record];
	unsigned looked_at = 0;
	struct bp_node *node;

	if (at && t->nodes.items[at].parent == parent)
		return at;
	/* MADE has a newer node, below another parent.  The pieces of a call
	 * lie close to each other, so a short search finds nearly all; where it
	 * does not, two nodes for one call are not wrong. */
	if (at)
		at = t->nodes.items[parent].last_child;
	for (; at && looked_at < MAX_SEARCH; at = t->nodes.items[at].previous) {
		if (t->nodes.items[at].record == record)
			return at;
		looked_at++;
	}
	node = gsym_vec_push(&t->nodes);
	if (!node)
		return 0;
	at = (uint32_t)t->nodes.count - 1;
	*node = (struct bp_node){
		.record = record,
		.parent = parent,
		.previous = t->nodes.items[parent].last_child,
		.depth = t->nodes.items[parent].depth + 1,
	};
	t->nodes.items[parent].last_child = at;
	t->made.items[record] = at;
	return at;
}

/* Open RANGE below the innermost open node. */
static bool open_range(struct bp_tree *t, struct bp_inline_range range)
{
	uint32_t parent = t->stack.items[t->stack.count - 1];
	uint32_t node = child_for(t, parent, range.record);

	return node &&
	       gsym_vec_add(&t->ranges,
			    (struct bp_node_range){ { range.start, range.end },
						    node }) &&
	       gsym_vec_add(&t->stack, node) &&
	       gsym_vec_add(&t->ends, range.end);
}

/* Place RANGE: add it to a node, cut it, or count it as an orphan, an overlap
 * or cut. *LEFT is how many pieces may still be made. */
static bool place_range(struct bp_tree *t, struct bp_inline_range range,
			size_t *left)
{
	size_t open;
	uint64_t end;

	while (t->ends.items[t->ends.count - 1] <= range.start &&
	       t->stack.count > 1) {
		t->stack.count--;
		t->ends.count--;
	}
	open = t->stack.count - 1;
	if (open > range.level) { /* a range of this level is still open */
		end = t->ends.items[range.level + 1];
		t->overlaps++;
		if (range.end <= end)
			return true;
		if (!*left) {
			t->cut++;
			return true;
		}
		--*left;
		range.start = end;
		return push_rest(t, range);
	}
	if (open < range.level) {
		t->orphans++;
		return true;
	}
	end = t->ends.items[open];
	if (range.end > end) {
		struct bp_inline_range rest = range;

		rest.start = range.end = end;
		if (!*left)
			t->cut++;
		else if (!push_rest(t, rest))
			return false;
		else
			--*left;
	}
	return open_range(t, range);
}

static bool begin_tree(struct bp_tree *t, struct gsym_range range,
		       size_t records)
{
	t->nodes.count = t->ranges.count = t->stack.count = t->ends.count = 0;
	t->made.count = t->heap.count = 0;
	t->orphans = t->overlaps = t->cut = 0;
	if (!gsym_vec_add(&t->nodes, (struct bp_node){ 0 }) ||
	    !gsym_vec_add(&t->stack, 0) || !gsym_vec_add(&t->ends, range.end) ||
	    !gsym_vec_reserve(&t->made, records) ||
	    t->given.count > UINT32_MAX || !order_ranges(t, range.start))
		return false;
	if (records)
		memset(t->made.items, 0, records * sizeof(*t->made.items));
	return true;
}

/* Make the tree of the function RANGE from T->given, which are ranges of
 * RECORDS records.  A range's parent is found by its address and level, never
 * by the order of records: producers disagree about that.  False without
 * memory. */
static bool build_tree(struct bp_tree *t, struct gsym_range range,
		       size_t records)
{
	size_t left = PIECES_ALL + PIECES_EACH * t->given.count, next = 0;
	struct bp_inline_range taken;

	if (!begin_tree(t, range, records))
		return false;
	while (next_range(t, &next, &taken)) {
		if (taken.level >= MAX_LEVELS)
			t->cut++;
		else if (!place_range(t, taken, &left))
			return false;
	}
	return true;
}

/* ---- INLINE records ------------------------------------------------------ */

/* Add a range of the record that is added next.  The range is cut to the
 * function, as GSYM has no inlined calls outside their function. */
static inline void add_range(struct bp_body *b, uint32_t level, uint64_t start,
			     uint64_t end, bool *ok)
{
	const struct bp_function *f = b->function;

	if (start < f->start)
		start = f->start;
	if (end > f->start + f->size)
		end = f->start + f->size;
	if (start >= end)
		return;
	*ok &= gsym_vec_add(
		&b->tree.given,
		(struct bp_inline_range){ start, end, level,
					  (uint32_t)b->inlines.count });
}

static inline void add_record(struct bp_body *b, uint32_t line, int64_t source,
			      uint32_t origin, bool *ok)
{
	*ok &= gsym_vec_add(&b->inlines,
			    (struct bp_inline_record){
				    line, bp_file_index(b, source),
				    bp_map_index(&b->file->origins, origin) });
}

static bool add_ranges(struct bp_body *b, struct bp_text *text, uint32_t level,
		       bool *ok)
{
	for (; !bp_at_end(*text); bp_skip_blanks(text)) {
		uint64_t start, size, end;

		if (!bp_hex(text, &start) || !bp_hex(text, &size) ||
		    __builtin_add_overflow(start, size, &end))
			return false;
		add_range(b, level, start, end, ok);
	}
	return true;
}

bool gsym_bp_read_inline(struct bp_body *b, struct bp_text *text, bool *ok)
{
	size_t first = b->tree.given.count;
	uint32_t level, origin;
	int64_t line, source = -1;

	if (!bp_decimal(text, &level) || !bp_signed(text, &line) ||
	    (!b->file->old_inlines && !bp_signed(text, &source)) ||
	    !bp_decimal(text, &origin))
		return false;
	bp_skip_blanks(text);
	if (bp_at_end(*text))
		return false;
	if (!add_ranges(b, text, level, ok)) {
		b->tree.given.count = first;
		return false;
	}
	/* No source has negative lines: 0 says that the line is not known. */
	add_record(b, line < 0 ? 0 : (uint32_t)line, source, origin, ok);
	return true;
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
	if (!build_tree(&b->tree,
			(struct gsym_range){ f->start, f->start + f->size },
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
