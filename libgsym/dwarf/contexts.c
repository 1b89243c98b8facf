/* SPDX-License-Identifier: MIT */
/* Notes the scopes of a unit, and finds the scope around a DIE. */
#include "dwarf/contexts.h"

#include "base/search.h"
#include "dwarf/policy.h"

enum { NO_CONTEXT = UINT32_MAX };

/* Close the contexts that a DIE at offset DIE and DEPTH is outside of. */
static void close_contexts(struct dw_contexts *contexts, uint64_t die,
			   unsigned depth)
{
	while (contexts->open.count) {
		const struct dw_open_context *innermost =
			&contexts->open.items[contexts->open.count - 1];

		if (innermost->depth < depth)
			break;
		contexts->items[innermost->context].end = die;
		contexts->open.count--;
	}
}

bool gsym_dw_contexts_enter(struct dw_contexts *contexts, uint64_t die,
			    unsigned depth, unsigned tag, bool has_children)
{
	uint32_t parent = NO_CONTEXT;
	struct dw_open_context *open;
	struct dw_context *context;

	close_contexts(contexts, die, depth);
	/* A DIE without children is the context of no other. */
	if (!has_children || !gsym_dw_is_context(tag) || depth >= DW_MAX_DEPTH)
		return true;
	if (contexts->open.count)
		parent = contexts->open.items[contexts->open.count - 1].context;
	context = gsym_vec_push(contexts);
	open = context ? gsym_vec_push(&contexts->open) : NULL;
	if (!open)
		return false;
	*context = (struct dw_context){ .die = die, .parent = parent };
	*open = (struct dw_open_context){ (uint32_t)contexts->count - 1,
					  depth };
	return true;
}

void gsym_dw_contexts_end(struct dw_contexts *contexts, uint64_t end)
{
	close_contexts(contexts, end, 0);
	gsym_vec_fini(&contexts->open);
}

void gsym_dw_contexts_fini(struct dw_contexts *contexts)
{
	gsym_vec_fini(&contexts->open);
	gsym_vec_fini(contexts);
}

uint64_t gsym_dw_contexts_find(const struct dw_contexts *contexts, uint64_t die)
{
	size_t after = GSYM_FIRST(i, 0, contexts->count,
				  contexts->items[i].die >= die);
	uint32_t at = after ? (uint32_t)after - 1 : NO_CONTEXT;

	/* A context that has ended leads to the context around it. */
	while (at != NO_CONTEXT && contexts->items[at].end <= die)
		at = contexts->items[at].parent;
	return at != NO_CONTEXT ? contexts->items[at].die : 0;
}
