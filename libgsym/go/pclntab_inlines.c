/* SPDX-License-Identifier: MIT */
/*
 * Makes nested nodes with ranges of a function's inline tree.  A pc-value table
 * has the innermost inlined call of each range of code, and the tree has the
 * parent of each call.  A node gets all ranges of its own code and of the calls
 * inside of it.
 */
#include "go/go.h"

/* Levels of inlined calls; Go's compiler makes far fewer. */
enum { DEPTH_MAX = 256 };

/* The state of making the nodes of one function. */
struct unwinding {
	struct pclntab_inlines *in;
	struct pclntab_strings *strings;
	const struct pclntab_function *function;
	struct gsym_cursor tree;
	uint32_t size;
	/** Steps that are left: bounds the time for a hostile tree. */
	uint64_t steps;
	/** The file value of the function's own code; looked up once. */
	bool has_own_file;
	int32_t own_file;
	/** The first and last outermost call: indexes + 1. */
	uint32_t root, last_root;
};

void gsym_pclntab_inlines_fini(struct pclntab_inlines *in)
{
	gsym_vec_fini(&in->lines);
	gsym_vec_fini(&in->files);
	gsym_vec_fini(&in->indexes);
	gsym_vec_fini(&in->nodes);
	gsym_vec_fini(&in->ranges);
	gsym_vec_fini(&in->calls);
	gsym_vec_fini(&in->pieces);
	gsym_vec_fini(&in->by_index);
}

/* The element of BY_INDEX for tree index INDEX; NULL without memory. */
static uint32_t *slot_of(struct pclntab_inlines *in, uint32_t index)
{
	size_t more = index + (size_t)1;

	if (index >= in->by_index.count) {
		more -= in->by_index.count;
		if (!gsym_vec_reserve(&in->by_index, more))
			return NULL;
		memset(in->by_index.items + in->by_index.count, 0,
		       more * sizeof(*in->by_index.items));
		in->by_index.count += more;
	}
	return &in->by_index.items[index];
}

/* The file value of code that is not inlined. */
static int32_t own_file(const struct pclntab_inlines *in)
{
	uint32_t at = 0;

	for (size_t i = 0; i < in->indexes.count; i++) {
		if (in->indexes.items[i].value < 0)
			return gsym_pclntab_value(&in->files, at);
		at = in->indexes.items[i].end;
	}
	/* If all spans are inlined, take the file of the first instruction. */
	return gsym_pclntab_value(&in->files, 0);
}

/* The place of CALL, entry INDEX of the tree: *PARENT is the index of the call
 * around it (-1: none), *FILE the file value. */
static void place_call(struct unwinding *u, uint32_t index,
		       const struct pclntab_call *call, int32_t *parent,
		       int32_t *file, uint32_t *line)
{
	struct pclntab_inlines *in = u->in;
	int32_t found;

	if (u->strings->table->tree != PCLNTAB_TREE_C) {
		*parent = call->parent;
		*file = (int32_t)call->file;
		*line = call->line;
		return;
	}
	*parent = gsym_pclntab_value(&in->indexes, call->pc);
	*file = gsym_pclntab_value(&in->files, call->pc);
	found = gsym_pclntab_value(&in->lines, call->pc);
	*line = found < 0 ? 0 : (uint32_t)found;
	/* The compiler removed the instruction at CALL->pc: treat the call as
	 * one in the function's own code, at its start line. */
	if (*parent >= 0 && (uint32_t)*parent >= index) {
		if (!u->has_own_file)
			u->own_file = own_file(in);
		u->has_own_file = true;
		*parent = -1;
		*file = u->own_file;
		*line = u->function->start_line;
	}
}

/* Append CALL, entry INDEX of the tree, to CALLS, as the last child of PARENT
 * (an index + 1). */
static enum gsym_status add_call(struct unwinding *u, uint32_t index,
				 uint32_t parent,
				 const struct pclntab_call *call, int32_t file,
				 uint32_t line)
{
	struct pclntab_inlines *in = u->in;
	struct pclntab_node *node = gsym_vec_push(&in->calls);
	enum gsym_status status;
	uint32_t *child, *last;

	if (!node)
		return GSYM_ERR_MEMORY;
	*node = (struct pclntab_node){
		.index = index, .line = line, .parent = parent, .depth = 1
	};
	in->by_index.items[index] = (uint32_t)in->calls.count;
	child = parent ? &in->calls.items[parent - 1].child : &u->root;
	last = parent ? &in->calls.items[parent - 1].last_child : &u->last_root;
	if (parent)
		node->depth = in->calls.items[parent - 1].depth + 1;
	if (*last)
		in->calls.items[*last - 1].sibling = (uint32_t)in->calls.count;
	else
		*child = (uint32_t)in->calls.count;
	*last = (uint32_t)in->calls.count;
	status = gsym_pclntab_take_name(u->strings, call->name, &node->name);
	if (status == GSYM_OK)
		status = gsym_pclntab_take_file(u->strings, u->function->unit,
						file, &node->file);
	return status;
}

/* Add entry INDEX and its parents to CALLS, unless they are there already.
 * *NUMBER becomes the call's index + 1; 0: the tree is damaged. */
static enum gsym_status find_call(struct unwinding *u, uint32_t index,
				  uint32_t *number)
{
	struct link {
		struct pclntab_call call;
		uint32_t index;
		int32_t file;
		uint32_t line;
	} chain[DEPTH_MAX];
	uint32_t parent = 0;
	size_t count = 0;

	*number = 0;
	for (int32_t at = (int32_t)index; at >= 0;) {
		struct link *link = &chain[count];
		uint32_t *slot;

		if (count == DEPTH_MAX || !u->steps--)
			return GSYM_OK;
		/* Check that it exists before allocating memory for it. */
		if (!gsym_pclntab_call(u->strings->table, u->tree, (uint32_t)at,
				       u->size, &link->call))
			return GSYM_OK;
		slot = slot_of(u->in, (uint32_t)at);
		if (!slot)
			return GSYM_ERR_MEMORY;
		parent = *slot;
		if (parent)
			break;
		link->index = (uint32_t)at;
		place_call(u, link->index, &link->call, &at, &link->file,
			   &link->line);
		count++;
	}
	while (count) {
		struct link *link = &chain[--count];
		enum gsym_status status;

		if (parent && u->in->calls.items[parent - 1].depth >= DEPTH_MAX)
			return GSYM_OK;
		status = add_call(u, link->index, parent, &link->call,
				  link->file, link->line);
		if (status != GSYM_OK)
			return status;
		parent = (uint32_t)u->in->calls.count;
	}
	*number = parent;
	return GSYM_OK;
}

/* Append [START, END) to the ranges of the call with index NUMBER - 1. */
static bool add_range(struct pclntab_inlines *in, uint32_t number,
		      uint32_t start, uint32_t end)
{
	struct pclntab_node *node = &in->calls.items[number - 1];
	struct pclntab_piece *piece;

	if (node->last_piece) {
		piece = &in->pieces.items[node->last_piece - 1];
		if (piece->end == start) {
			piece->end = end;
			return true;
		}
	}
	piece = gsym_vec_push(&in->pieces);
	if (!piece)
		return false;
	*piece = (struct pclntab_piece){ start, end, 0 };
	if (node->last_piece)
		in->pieces.items[node->last_piece - 1].next =
			(uint32_t)in->pieces.count;
	else
		node->piece = (uint32_t)in->pieces.count;
	node->last_piece = (uint32_t)in->pieces.count;
	return true;
}

/* Give each range of inlined code to its innermost call and all parents of that
 * call.  *DAMAGED: the tree cannot be read. */
static enum gsym_status add_all_ranges(struct unwinding *u, bool *damaged)
{
	struct pclntab_inlines *in = u->in;
	uint32_t start = 0;

	for (size_t i = 0; i < in->indexes.count; i++) {
		struct pclntab_span span = in->indexes.items[i];
		enum gsym_status status;
		uint32_t number;

		if (span.end > u->size)
			span.end = u->size;
		if (span.value >= 0 && start < span.end) {
			status = find_call(u, (uint32_t)span.value, &number);
			if (status != GSYM_OK)
				return status;
			*damaged = !number;
			for (; number && !*damaged;
			     number = in->calls.items[number - 1].parent) {
				if (!u->steps--)
					*damaged = true;
				else if (!add_range(in, number, start,
						    span.end))
					return GSYM_ERR_MEMORY;
			}
			if (*damaged)
				return GSYM_OK;
		}
		start = span.end;
	}
	return GSYM_OK;
}

/* Append a node for the call with index NUMBER - 1. */
static bool put_node(struct unwinding *u, uint32_t number)
{
	struct pclntab_inlines *in = u->in;
	const struct pclntab_node *call = &in->calls.items[number - 1];
	struct gsym_inline_node *node = gsym_vec_push(&in->nodes);
	uint32_t first = (uint32_t)in->ranges.count;

	if (!node)
		return false;
	for (uint32_t k = call->piece; k; k = in->pieces.items[k - 1].next) {
		struct gsym_range *range = gsym_vec_push(&in->ranges);

		if (!range)
			return false;
		range->start =
			u->function->start + in->pieces.items[k - 1].start;
		range->end = u->function->start + in->pieces.items[k - 1].end;
	}
	*node = (struct gsym_inline_node){
		.depth = call->depth,
		.name = call->name,
		.call_file = call->file,
		.call_line = call->line,
		.first_range = first,
		.range_count = (uint32_t)in->ranges.count - first,
	};
	return true;
}

/* Append nodes for all calls: parents before children, siblings in the order of
 * their code. */
static bool put_nodes(struct unwinding *u)
{
	const struct pclntab_inlines *in = u->in;

	for (uint32_t at = u->root; at;) {
		const struct pclntab_node *node = &in->calls.items[at - 1];

		if (!put_node(u, at))
			return false;
		if (node->child) {
			at = node->child;
			continue;
		}
		while (at && !in->calls.items[at - 1].sibling)
			at = in->calls.items[at - 1].parent;
		if (at)
			at = in->calls.items[at - 1].sibling;
	}
	return true;
}

enum gsym_status gsym_pclntab_make_inlines(
	struct pclntab_inlines *in, struct pclntab_strings *strings,
	const struct pclntab_function *function, uint32_t size, bool *damaged)
{
	struct unwinding u = {
		.in = in,
		.strings = strings,
		.function = function,
		.tree = gsym_pclntab_tree(strings->table, function),
		.size = size,
		.steps = 64 * (uint64_t)in->indexes.count + 4096,
	};
	enum gsym_status status;

	in->nodes.count = in->ranges.count = 0;
	in->calls.count = in->pieces.count = 0;
	*damaged = false;
	status = add_all_ranges(&u, damaged);
	if (status == GSYM_OK && !*damaged && !put_nodes(&u))
		status = GSYM_ERR_MEMORY;
	for (size_t i = 0; i < in->calls.count; i++)
		in->by_index.items[in->calls.items[i].index] = 0;
	return status;
}
