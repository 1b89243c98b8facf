/* SPDX-License-Identifier: MIT */
/* Decides which of two records comes first (rule 1 of gsym/builder.h), and
 * which of the names (aliases) of one address a record gets (rule 2); makes
 * records of equal range the merged functions of the first one (rule 6).  The
 * numbers of strings and files depend on the order in which they were added, so
 * contents are compared. */
#include "writer/state.h"

#include "base/order.h"
#include "base/symbol_name.h"

#include <stdlib.h>

/* ---- which record ------------------------------------------------------- */

static int compare_files(const struct gsym_builder *b, uint32_t a, uint32_t c)
{
	struct w_file file_a, file_c;
	int order;

	if (a == c)
		return 0;
	file_a = w_file_of(b, a);
	file_c = w_file_of(b, c);
	order = w_compare_strings(b, file_a.directory, file_c.directory);
	return order ? order
		     : w_compare_strings(b, file_a.basename, file_c.basename);
}

int gsym_writer_compare_rows(const struct gsym_builder *b,
			     const struct gsym_row *a, const struct gsym_row *c,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int order = GSYM_ORDER(a[i].offset, c[i].offset);

		if (!order)
			order = GSYM_ORDER(a[i].line, c[i].line);
		if (!order)
			order = compare_files(b, a[i].file, c[i].file);
		if (order)
			return order;
	}
	return 0;
}

/* Bodies with as many rows, inlined calls and items of lists. */
struct pair {
	const struct gsym_builder *b;
	const struct gsym_shape_body *a;
	const struct gsym_shape_body *c;
	struct gsym_shape_view x;
	struct gsym_shape_view y;
};

/* Compare the numbers of the items I of ARRAY that have MEANING. */
static int compare_meaning(const struct pair *p,
			   const struct gsym_array_row *array, uint32_t i,
			   enum gsym_meaning meaning)
{
	int order = 0;

	for (unsigned k = array->first;
	     !order && k < (unsigned)array->first + array->columns; k++) {
		uint32_t a, c;

		if (gsym_columns[k].meaning != meaning)
			continue;
		a = gsym_shape_at(&p->x, k, i);
		c = gsym_shape_at(&p->y, k, i);
		order = meaning == GSYM_FILE	 ? compare_files(p->b, a, c)
			: meaning == GSYM_STRING ? w_compare_strings(p->b, a, c)
						 : GSYM_ORDER(a, c);
	}
	return order;
}

/* Compare item by item of ARRAY: numbers first, then strings, then files. */
static int compare_array(const struct pair *p, enum gsym_array array)
{
	const struct gsym_array_row *row = &gsym_arrays[array];
	int order = 0;

	for (uint32_t i = 0; !order && i < p->a->counts[array]; i++) {
		for (unsigned k = GSYM_NUMBER; !order && k <= GSYM_FILE; k++)
			order = compare_meaning(p, row, i, k);
	}
	return order;
}

/* Whether the arrays of A and C, which have the same counts, have the same
 * numbers. */
static bool is_same(const struct gsym_shape_body *a,
		    const struct gsym_shape_body *c)
{
	return a->widths == c->widths &&
	       !memcmp(a->bytes, c->bytes,
		       gsym_shape_bytes(a) - GSYM_SHAPE_SLACK);
}

static int compare_content(const struct gsym_builder *b,
			   const struct gsym_shape_body *a,
			   const struct gsym_shape_body *c)
{
	const struct pair p = { b, a, c, gsym_shape_look(a),
				gsym_shape_look(c) };
	int order = 0;

	if (!memcmp(a->counts, c->counts, sizeof(a->counts)) && is_same(a, c))
		return 0;
	for (unsigned i = 0; !order && i < GSYM_ARRAYS; i++) {
		if (i + 1 < GSYM_ARRAYS && gsym_arrays[i + 1].inner)
			order = GSYM_ORDER(a->counts[i + 1], c->counts[i + 1]);
		if (!order)
			order = compare_array(&p, i);
	}
	return order;
}

/* Compare two bodies, either of which may be NULL: the one that has more comes
 * first, then the one whose content sorts first. */
static int compare_bodies(const struct gsym_builder *b,
			  const struct gsym_shape_body *a,
			  const struct gsym_shape_body *c)
{
	int order;

	if (!a || !c)
		return !a - !c;
	order = GSYM_ORDER(c->counts[GSYM_INLINES], a->counts[GSYM_INLINES]);
	for (unsigned i = 0; !order && i < GSYM_ARRAYS; i++)
		if (!gsym_arrays[i].inner)
			order = GSYM_ORDER(c->counts[i], a->counts[i]);
	if (!order)
		order = GSYM_ORDER(c->merged_count, a->merged_count);
	if (!order)
		order = compare_content(b, a, c);
	/* Merged functions have none themselves, so the recursion ends. */
	for (uint32_t i = 0; !order && i < a->merged_count; i++)
		order = gsym_writer_compare_records(b, &a->merged[i],
						    &c->merged[i]);
	return order;
}

int gsym_writer_compare_records(const struct gsym_builder *b,
				const struct gsym_shape *a,
				const struct gsym_shape *c)
{
	int order = GSYM_ORDER(a->data, c->data);

	if (!order)
		order = GSYM_ORDER(c->rank, a->rank);
	if (!order)
		order = GSYM_ORDER(a->size, c->size);
	if (!order)
		order = GSYM_ORDER(a->unclaimed, c->unclaimed);
	if (!order)
		order = compare_bodies(b, a->body, c->body);
	if (!order)
		order = w_compare_strings(b, a->name, c->name);
	if (!order)
		order = GSYM_ORDER(c->name_kind, a->name_kind);
	if (!order)
		order = GSYM_ORDER(a->limit, c->limit);
	return order;
}

/* ---- which name --------------------------------------------------------- */

/* Whether SHAPE's name is from a symbol table, not from debug info. */
static bool is_symbol(const struct gsym_shape *shape)
{
	return shape->rank < GSYM_RANK_FUNCTION ||
	       shape->name_kind >= GSYM_NAME_SYMBOL_LOCAL;
}

/* Whether NAME is WHOLE and a suffix after a dot: "f.cold" for "f". */
static bool is_part(const char *name, const char *whole)
{
	size_t length = strlen(whole);

	return !strncmp(name, whole, length) && name[length] == '.' &&
	       name[length + 1];
}

/* Whether the symbol A has a better name than the symbol C: sized symbols
 * before labels, then global before weak before local, then without a version
 * (@) before with a version, then the name that sorts first. */
static bool is_better(const struct gsym_builder *b, const struct gsym_shape *a,
		      const struct gsym_shape *c)
{
	const char *name_a = w_text(b, a->name), *name_c = w_text(b, c->name);
	int order = GSYM_ORDER(a->rank == GSYM_RANK_LABEL,
			       c->rank == GSYM_RANK_LABEL);

	if (!order)
		order = GSYM_ORDER(c->name_kind, a->name_kind);
	if (!order)
		order = !!strchr(name_a, '@') - !!strchr(name_c, '@');
	if (!order)
		order = strcmp(name_a, name_c);
	return order < 0;
}

enum wanted {
	ANY,
	PART, /* a part of WHOLE, as is_part defines it */
	MANGLED,
};

/* The symbol of GROUP with the best name of the WANTED kind; NULL if there is
 * none.  WHOLE is for PART alone. */
static const struct gsym_shape *best_symbol(const struct gsym_builder *b,
					    struct gsym_shape *const *group,
					    size_t count, enum wanted wanted,
					    const char *whole)
{
	const struct gsym_shape *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct gsym_shape *shape = group[i];
		const char *name = w_text(b, shape->name);

		/* Labels do not name parts of functions: clang puts a label
		 * (f.__part.2) at each basic block that gets a section of its
		 * own. */
		if (!shape->name || !is_symbol(shape) ||
		    (wanted == PART && (shape->rank == GSYM_RANK_LABEL ||
					!is_part(name, whole))) ||
		    (wanted == MANGLED && !gsym_name_is_mangled(name)))
			continue;
		if (!found || is_better(b, shape, found))
			found = shape;
	}
	return found;
}

uint32_t gsym_writer_choose_name(const struct gsym_builder *b,
				 struct gsym_shape *const *group, size_t count)
{
	const struct gsym_shape *winner = group[0], *found = NULL;
	const char *name = w_text(b, winner->name);

	if (winner->rank == GSYM_RANK_FUNCTION && winner->name) {
		found = best_symbol(b, group, count, PART, name);
		if (!found && winner->name_kind != GSYM_NAME_LINKAGE &&
		    !gsym_name_is_mangled(name))
			found = best_symbol(b, group, count, MANGLED, NULL);
		return found ? found->name : winner->name;
	}
	found = best_symbol(b, group, count, ANY, NULL);
	if (found)
		return found->name;
	/* No symbol: take the name of the first other function, by rule 1. */
	for (size_t i = 1; i < count; i++)
		if (group[i]->name &&
		    (!found ||
		     gsym_writer_compare_records(b, group[i], found) < 0))
			found = group[i];
	return found ? found->name : 0;
}

/* Records of one start that are compared with each other. */
enum { MOST_COMPARED = 32 };

/* Whether SYMBOL stands for a function of GROUP. */
static bool explains(const struct gsym_builder *b,
		     struct gsym_shape *const *group, size_t count,
		     const char *symbol)
{
	for (size_t i = 0; i < count; i++)
		if (!is_symbol(group[i]) && group[i]->name &&
		    gsym_symbol_stands_for(symbol, w_text(b, group[i]->name)))
			return true;
	return false;
}

const struct gsym_shape *
gsym_writer_contradicting(const struct gsym_builder *b,
			  struct gsym_shape *const *group, size_t count)
{
	const struct gsym_shape *found = NULL;

	if (!group[0]->name || group[0]->data || is_symbol(group[0]) ||
	    count > MOST_COMPARED)
		return NULL;
	for (size_t i = 1; i < count; i++) {
		const struct gsym_shape *shape = group[i];

		if (shape->rank != GSYM_RANK_SYMBOL || shape->data ||
		    !shape->name)
			continue;
		if (explains(b, group, count, w_text(b, shape->name)))
			return NULL;
		if (!found || is_better(b, shape, found))
			found = shape;
	}
	return found;
}

/* ---- merging ------------------------------------------------------------ */

/* A record to be merged; qsort has no context, so the builder is here. */
struct candidate {
	const struct gsym_builder *b;
	struct gsym_shape *shape;
};

/* By size, then folded records after others, then by rule 1. */
static int by_size(const void *a, const void *c)
{
	const struct candidate *x = a, *y = c;
	int order = GSYM_ORDER(x->shape->size, y->shape->size);

	if (!order)
		order = GSYM_ORDER(x->shape->folded, y->shape->folded);
	return order ? order
		     : gsym_writer_compare_records(x->b, x->shape, y->shape);
}

/* By name, then by rule 1, so that a record without a body comes last. */
static int by_name(const void *a, const void *c)
{
	const struct candidate *x = a, *y = c;
	int order = w_compare_strings(x->b, x->shape->name, y->shape->name);

	return order ? order
		     : gsym_writer_compare_records(x->b, x->shape, y->shape);
}

/* Whether SHAPE has another name than OTHER, or a body that differs from
 * OTHER's. */
static bool adds_to(const struct gsym_builder *b,
		    const struct gsym_shape *shape,
		    const struct gsym_shape *other)
{
	return shape->name != other->name ||
	       (shape->body &&
		compare_bodies(b, shape->body, other->body) != 0);
}

/* A copy of BODY, or an empty body if it is NULL.  NULL without memory. */
static struct gsym_shape_body *copy_body(struct w_lane *lane,
					 const struct gsym_shape_body *body)
{
	const size_t head = offsetof(struct gsym_shape_body, bytes);
	size_t bytes = body ? gsym_shape_bytes(body) : GSYM_SHAPE_SLACK;
	struct gsym_shape_body *copy =
		gsym_arena_alloc(&lane->arena, head + bytes);

	if (copy && body)
		memcpy(copy, body, head + bytes);
	else if (copy)
		memset(copy, 0, head + bytes);
	return copy;
}

/* Make the COUNT candidates at FROM, which have OWNER's range, merged functions
 * of OWNER.  Candidates without a name are left out, and so are those that add
 * nothing to OWNER or to the merged function before them. */
static enum gsym_status merge(const struct gsym_builder *b, struct w_lane *lane,
			      struct gsym_shape *owner, struct candidate *from,
			      size_t count, uint64_t *merged)
{
	const struct gsym_shape_body *body = owner->body;
	struct gsym_shape_body *copy;
	const struct gsym_shape *last = owner;
	struct gsym_shape *out;
	uint32_t had = body ? body->merged_count : 0, all = had;

	if (!count || count > UINT32_MAX - had)
		return GSYM_OK;
	qsort(from, count, sizeof(*from), by_name);
	out = gsym_arena_alloc(&lane->arena, (had + count) * sizeof(*out));
	if (!out)
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < had; i++)
		out[i] = body->merged[i];
	for (size_t i = 0; i < count; i++) {
		struct gsym_shape *shape = from[i].shape;

		if (!shape->name || !adds_to(b, shape, owner) ||
		    !adds_to(b, shape, last))
			continue;
		*merged += !shape->folded;
		out[all] = *shape;
		last = &out[all++];
	}
	if (all == had)
		return GSYM_OK;
	copy = copy_body(lane, body);
	if (!copy)
		return GSYM_ERR_MEMORY;
	copy->merged = out;
	copy->merged_count = all;
	owner->body = copy;
	return GSYM_OK;
}

enum gsym_status gsym_writer_merge(const struct gsym_builder *b,
				   struct w_lane *lane,
				   const struct w_group *group,
				   const struct w_group *folded,
				   uint64_t *merged)
{
	size_t count = 0, next;
	struct candidate *all = malloc((group->count + folded->count) *
				       sizeof(*all));
	enum gsym_status status = GSYM_OK;

	if (!all)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < group->count; i++)
		if (group->items[i]->rank != GSYM_RANK_LABEL)
			all[count++] = (struct candidate){ b, group->items[i] };
	for (size_t i = 0; i < folded->count; i++)
		all[count++] = (struct candidate){ b, folded->items[i] };
	qsort(all, count, sizeof(*all), by_size);
	for (size_t i = 0; i < count && status == GSYM_OK; i = next) {
		struct gsym_shape *owner = all[i].shape;

		/* The first record of the group may have got the name of
		 * another one, which changes its place here. */
		for (next = i + 1;
		     next < count && all[next].shape->size == owner->size;
		     next++)
			if (all[next].shape == group->items[0]) {
				all[next].shape = owner;
				all[i].shape = owner = group->items[0];
			}
		/* A record without a name answers under another one's name,
		 * so it has no merged functions. */
		if (!owner->folded && owner->name)
			status = merge(b, lane, owner, all + i + 1,
				       next - i - 1, merged);
	}
	free(all);
	return status;
}
