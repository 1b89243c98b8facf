/* SPDX-License-Identifier: MIT */
/* The frames of a flame graph: a tree of calls without its smallest nodes. */
#include "config.h"

#include <stdlib.h>

#include "common/report.h"
#include "xray/flame.h"

static int descending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x > *y ? -1 : *x < *y;
}

void flame_tree_init(struct flame_tree *f, struct gsym_xray_tree *tree,
		     uint32_t budget)
{
	uint32_t count = gsym_xray_tree_count(tree);
	struct gsym_xray_node n;
	*f = (struct flame_tree){ .tree = tree };
	f->sums = calloc(count, sizeof(*f->sums));
	f->offsets = calloc(count, sizeof(*f->offsets));
	if (!f->sums || !f->offsets ||
	    gsym_xray_tree_sort(tree) != GSYM_OK)
		die("out of memory");
	/* Callers have lower numbers than their callees. */
	for (uint32_t i = count; i--;) {
		gsym_xray_tree_node(tree, i, &n);
		f->sums[i] += n.self;
		if (i)
			f->sums[n.caller] += f->sums[i];
	}
	if (count <= budget)
		return;
	/* The array of offsets is free until the first walk: sort a copy of
	 * the sums in it. */
	for (uint32_t i = 0; i < count; i++)
		f->offsets[i] = f->sums[i];
	qsort(f->offsets, count, sizeof(*f->offsets), descending);
	f->least = f->offsets[budget] + 1;
	f->offsets[0] = 0;
}

void flame_tree_fini(struct flame_tree *f)
{
	free(f->sums);
	free(f->offsets);
}

void flame_walk_init(struct flame_walk *w, struct flame_tree *f,
		     uint32_t root)
{
	*w = (struct flame_walk){ .f = f, .root = root, .index = root };
	f->offsets[root] = 0;
}

/* INDEX if that node is not hidden, else the first of its next siblings that is
 * not; 0 if all are hidden. */
static uint32_t shown(const struct flame_tree *f, uint32_t index)
{
	struct gsym_xray_node n;
	for (; index && f->sums[index] < f->least; index = n.sibling)
		gsym_xray_tree_node(f->tree, index, &n);
	return index;
}

/* Set RET to the frame for the hidden callees of CALLER; RET's CALLEES is 0 if
 * none are hidden.  Returns the number of callees that are not hidden. */
static uint32_t left_out(const struct flame_tree *f, uint32_t caller,
			 struct flame_step *ret)
{
	struct gsym_xray_node n;
	uint32_t kept = 0;
	*ret = (struct flame_step){ 0 };
	gsym_xray_tree_node(f->tree, caller, &n);
	for (uint32_t i = n.callee; i; i = n.sibling) {
		gsym_xray_tree_node(f->tree, i, &n);
		if (f->sums[i] >= f->least) {
			ret->offset = f->offsets[i] + f->sums[i];
			kept++;
			continue;
		}
		ret->callees++;
		ret->sum += f->sums[i];
		ret->node.calls += n.calls;
	}
	if (!kept)
		ret->offset = f->offsets[caller];
	return kept;
}

/* Set RET to the frame of node INDEX at OFFSET, and go there. */
static bool step_to(struct flame_walk *w, uint32_t index, uint64_t offset,
		    struct flame_step *ret)
{
	struct flame_tree *f = w->f;
	struct flame_step rest;
	f->offsets[index] = offset;
	uint32_t kept = left_out(f, index, &rest);
	*ret = (struct flame_step){ .index = index,
				    .depth = w->depth,
				    .callees = kept + (rest.callees > 0),
				    .offset = offset,
				    .sum = f->sums[index] };
	gsym_xray_tree_node(f->tree, index, &ret->node);
	w->index = index;
	w->up = false;
	return true;
}

bool flame_walk_next(struct flame_walk *w, struct flame_step *ret)
{
	struct flame_tree *f = w->f;
	struct gsym_xray_node n;
	uint32_t next;
	gsym_xray_tree_node(f->tree, w->index, &n);
	if (!w->up) {
		next = shown(f, n.callee);
		w->depth++;
		if (next)
			return step_to(w, next, f->offsets[w->index], ret);
		w->up = true;
		left_out(f, w->index, ret);
		if (ret->callees) {
			ret->depth = w->depth--;
			return true;
		}
		w->depth--;
	}
	while (w->index != w->root) {
		gsym_xray_tree_node(f->tree, w->index, &n);
		next = shown(f, n.sibling);
		if (next)
			return step_to(w, next, f->offsets[w->index] +
						f->sums[w->index], ret);
		w->index = n.caller;
		left_out(f, w->index, ret);
		if (ret->callees) {
			ret->depth = w->depth--;
			return true;
		}
		w->depth--;
	}
	return false;
}
