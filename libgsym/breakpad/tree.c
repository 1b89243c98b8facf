/* SPDX-License-Identifier: MIT */
/*
 * The inline tree of a function, from ranges with levels.
 *
 * Some producers write a depth-first list, others sort by address, merge
 * touching ranges and share a record between several parents.  Both are
 * right about where a range of which level lies, so the tree is made of
 * that: intervals are taken in the order of their start and level, and each
 * belongs to whatever is open one level above it.
 */
#include "breakpad/file.h"

#include <gsym/reader.h>

enum {
	MAX_LEVELS = GSYM_MAX_INLINE_DEPTH - 1,
	/* How many more pieces than ranges a function may have: as many for
	 * each of its ranges, and for all of them together.  Real functions
	 * have a hundredth of that at most; a piece takes far more memory than
	 * its range takes text. */
	PIECES_EACH = 4,
	PIECES_ALL = 100000,
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

/* By start, then level, then the order of the records. */
static bool before(const struct bp_call_range *a, const struct bp_call_range *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	if (a->level != b->level)
		return a->level < b->level;
	if (a->record != b->record)
		return a->record < b->record;
	return a->end < b->end;
}

static void sift_down(struct bp_tree *t, size_t at)
{
	struct bp_call_range *heap = t->heap.items, range = heap[at];
	size_t count = t->heap.count;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &range))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = range;
}

static struct bp_call_range pop(struct bp_tree *t)
{
	struct bp_call_range top = t->heap.items[0];

	t->heap.items[0] = t->heap.items[--t->heap.count];
	if (t->heap.count)
		sift_down(t, 0);
	return top;
}

static bool push(struct bp_tree *t, struct bp_call_range range)
{
	struct bp_call_range *heap;
	size_t at;

	if (!gsym_vec_reserve(&t->heap, 1))
		return false;
	heap = t->heap.items;
	for (at = t->heap.count++; at && before(&range, &heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = range;
	return true;
}

/* The order in which the ranges are taken: by start, then level, then as
 * they are given. */
static bool order_ranges(struct bp_tree *t, uint64_t start)
{
	size_t count = t->given.count;
	struct gsym_sort_item *items;
	uint64_t levels = 0; /* not 32 bits, which can all be needed */
	unsigned bits = 0;

	t->order.count = 0;
	if (!gsym_vec_reserve(&t->order, 2 * count))
		return false;
	items = t->order.items;
	for (size_t i = 0; i < count; i++)
		levels |= t->given.items[i].level;
	/* A short key is sorted in few passes. */
	while (levels >> bits)
		bits++;
	for (size_t i = 0; i < count; i++) {
		const struct bp_call_range *range = &t->given.items[i];

		items[i] = (struct gsym_sort_item){
			(range->start - start) << bits | range->level,
			(uint32_t)i, 0
		};
	}
	gsym_sort_by_key(items, count, items + count);
	t->order.count = count;
	return true;
}

/* Take the next range: number *NEXT in the order, or what was cut off.
 * False behind the last. */
static bool take(struct bp_tree *t, size_t *next, struct bp_call_range *ret)
{
	const struct bp_call_range *given = NULL;

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

/* The child of PARENT that RECORD made, the newest first; a new one if
 * there is none.  0 without memory. */
static uint32_t child_of(struct bp_tree *t, uint32_t parent, uint32_t record)
{
	uint32_t at = t->made.items[record];
	unsigned looked_at = 0;
	struct bp_node *node;

	if (at && t->nodes.items[at].parent == parent)
		return at;
	/* The parts of a call that is cut in pieces follow each other
	 * closely; further away a new node says the same. */
	if (at)
		at = t->nodes.items[parent].last_child;
	for (; at && looked_at < 64; at = t->nodes.items[at].previous) {
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
static bool open_range(struct bp_tree *t, struct bp_call_range range)
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

/* Place one range: open it, or cut it, or leave it out. */
static bool place(struct bp_tree *t, struct bp_call_range range, size_t *left)
{
	size_t open;
	uint64_t end;

	while (t->ends.items[t->ends.count - 1] <= range.start &&
	       t->stack.count > 1) {
		t->stack.count--;
		t->ends.count--;
	}
	open = t->stack.count - 1;
	if (open > range.level) { /* a sibling is still open */
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
		struct bp_call_range rest = range;

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
	struct bp_call_range taken;

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
