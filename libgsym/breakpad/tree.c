/* SPDX-License-Identifier: MIT */
/*
 * Some producers write INLINE records depth first.  Others sort them by
 * address, join ranges that touch, and write one record for several parents.
 * In both cases each range has the right address and level, so the tree is made
 * from these alone.  Ranges are taken in the order of start and level.  The
 * parent of a range is the node that is open one level above.
 */
#include "breakpad/tree.h"

#include "base/heap.h"

#include <gsym/reader.h>

#include <string.h>

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
static bool before(const struct bp_inline_range *a,
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

static struct bp_inline_range pop(struct bp_tree *t)
{
	struct bp_inline_range top = t->heap.items[0];

	GSYM_HEAP_POP(&t->heap, a, b, before(a, b));
	return top;
}

static bool push(struct bp_tree *t, struct bp_inline_range range)
{
	return GSYM_HEAP_PUSH(&t->heap, range, a, b, before(a, b));
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
static bool take(struct bp_tree *t, size_t *next, struct bp_inline_range *ret)
{
	const struct bp_inline_range *given = NULL;

	if (*next < t->order.count)
		given = &t->given.items[t->order.items[*next].index];
	if (t->heap.count && (!given || before(&t->heap.items[0], given))) {
		*ret = pop(t);
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
static uint32_t child_of(struct bp_tree *t, uint32_t parent, uint32_t record)
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
	uint32_t node = child_of(t, parent, range.record), *open;
	struct bp_node_range *piece;
	uint64_t *end;

	if (!node)
		return false;
	piece = gsym_vec_push(&t->ranges);
	open = gsym_vec_push(&t->stack);
	end = gsym_vec_push(&t->ends);
	if (!piece || !open || !end)
		return false;
	*piece = (struct bp_node_range){ { range.start, range.end }, node };
	*open = node;
	*end = range.end;
	return true;
}

/* Place RANGE: add it to a node, cut it, or count it as an orphan, an overlap
 * or cut. *LEFT is how many pieces may still be made. */
static bool place(struct bp_tree *t, struct bp_inline_range range, size_t *left)
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
		return push(t, range);
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
		else if (!push(t, rest))
			return false;
		else
			--*left;
	}
	return open_range(t, range);
}

static bool begin(struct bp_tree *t, struct gsym_range range, size_t records)
{
	struct bp_node *root;
	uint32_t *open;
	uint64_t *end;

	t->nodes.count = t->ranges.count = t->stack.count = t->ends.count = 0;
	t->made.count = t->heap.count = 0;
	t->orphans = t->overlaps = t->cut = 0;
	root = gsym_vec_push(&t->nodes);
	open = gsym_vec_push(&t->stack);
	end = gsym_vec_push(&t->ends);
	if (!root || !open || !end || !gsym_vec_reserve(&t->made, records) ||
	    t->given.count > UINT32_MAX || !order_ranges(t, range.start))
		return false;
	*root = (struct bp_node){ 0 };
	*open = 0;
	*end = range.end;
	if (records)
		memset(t->made.items, 0, records * sizeof(*t->made.items));
	return true;
}

bool gsym_bp_tree_build(struct bp_tree *t, struct gsym_range range,
			size_t records)
{
	size_t left = PIECES_ALL + PIECES_EACH * t->given.count, next = 0;
	struct bp_inline_range taken;

	if (!begin(t, range, records))
		return false;
	while (take(t, &next, &taken)) {
		if (taken.level >= MAX_LEVELS)
			t->cut++;
		else if (!place(t, taken, &left))
			return false;
	}
	return true;
}
