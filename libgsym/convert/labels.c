/* SPDX-License-Identifier: MIT */
/*
 * convert/labels.c - where symbols within routines of assembly end.
 *
 * Assembly often leaves out the type of a routine and gives its size.  Such a
 * routine has symbols inside that backtraces name, in the kernel
 * entry_SYSCALL_64_after_hwframe within entry_SYSCALL_64.  A label in a
 * function with a type is not shown.
 */
#include "convert/convert.h"

#include "base/order.h"

/* An edge is an address at which a label ends.  EXTRA of its item has these
 * bits, and INDEX the number of the next edge with STARTS. */
enum {
	STARTS = 1, /* a symbol begins there */
	SIZED = 2,  /* one with a size */
};

/* Append the range of each of the SYMBOLS of TYPE with a size to RET, and join
 * them.  Symbols outside WITHIN, unless that is NULL, are left out.  False
 * without memory. */
static bool find_ranges(const struct gsym_container *c,
			const struct gsym_symbol_list *symbols,
			enum gsym_symbol_type type,
			const struct gsym_near *within, struct gsym_near *ret)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct gsym_symbol *s = &symbols->items[i];
		struct gsym_range *range, of;

		if (s->type != type || !s->size ||
		    s->size > UINT64_MAX - s->value ||
		    !gsym_symtab_section(c, s))
			continue;
		of = (struct gsym_range){ s->value, s->value + s->size };
		if (within && !gsym_near_has(within, of))
			continue;
		range = gsym_vec_push(ret);
		if (!range)
			return false;
		*range = of;
	}
	ret->count = gsym_sort_join(ret->items, ret->count);
	return true;
}

static bool has(const struct gsym_near *ranges, uint64_t address)
{
	return gsym_near_has(ranges,
			     (struct gsym_range){ address, address + 1 });
}

static bool add_edge(struct gsym_labels *l, uint64_t address, uint32_t bits)
{
	struct gsym_sort_item *edge = gsym_vec_push(&l->edges);

	if (edge)
		*edge = (struct gsym_sort_item){ address, 0, bits };
	return edge && l->edges.count <= UINT32_MAX;
}

/* Append the edges of the SYMBOLS that begin in a routine. */
static bool find_edges(const struct gsym_container *c,
		       const struct gsym_symbol_list *symbols,
		       struct gsym_labels *l)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct gsym_symbol *s = &symbols->items[i];

		if (s->value == UINT64_MAX || !gsym_symtab_section(c, s) ||
		    !has(&l->routines, s->value))
			continue;
		if (!add_edge(l, s->value, s->size ? STARTS | SIZED : STARTS) ||
		    (s->size && s->size <= UINT64_MAX - s->value &&
		     !add_edge(l, s->value + s->size, 0)))
			return false;
	}
	return true;
}

/* Sort the edges, keep one of those at one address, and fill in INDEX. */
static bool sort_edges(struct gsym_labels *l)
{
	struct gsym_sort_item *scratch, *items = l->edges.items;
	size_t kept = 0, next;

	if (!l->edges.count)
		return true;
	scratch = calloc(l->edges.count, sizeof(*scratch));
	if (!scratch)
		return false;
	gsym_sort_by_key(items, l->edges.count, scratch);
	free(scratch);
	for (size_t i = 0; i < l->edges.count; i++) {
		if (!kept || items[kept - 1].key != items[i].key)
			items[kept++] = items[i];
		else
			items[kept - 1].extra |= items[i].extra;
	}
	l->edges.count = next = kept;
	for (size_t i = kept; i-- > 0;) {
		items[i].index = (uint32_t)next;
		if (items[i].extra & STARTS)
			next = i;
	}
	return true;
}

bool gsym_labels_init(struct gsym_labels *l, const struct gsym_container *c,
		      const struct gsym_symbol_list *symbols)
{
	*l = (struct gsym_labels){ 0 };
	if (!find_ranges(c, symbols, GSYM_SYMBOL_NONE, NULL, &l->routines))
		return false;
	if (!l->routines.count)
		return true;
	return find_ranges(c, symbols, GSYM_SYMBOL_FUNCTION, &l->routines,
			   &l->functions) &&
	       find_edges(c, symbols, l) && sort_edges(l);
}

void gsym_labels_fini(struct gsym_labels *l)
{
	gsym_vec_fini(&l->routines);
	gsym_vec_fini(&l->functions);
	gsym_vec_fini(&l->edges);
}

/* The bytes from the edge AT to the edge NEXT; 0 if there is no such edge. */
static uint64_t distance(const struct gsym_labels *l, size_t at, size_t next)
{
	return next < l->edges.count
		       ? l->edges.items[next].key - l->edges.items[at].key
		       : 0;
}

uint64_t gsym_labels_size(const struct gsym_labels *l,
			  const struct gsym_symbol *symbol)
{
	uint64_t address = symbol->value, left;
	size_t at;

	if (symbol->type == GSYM_SYMBOL_FUNCTION && symbol->size)
		return symbol->size;
	if (address == UINT64_MAX || !has(&l->routines, address) ||
	    has(&l->functions, address))
		return symbol->size;
	at = GSYM_FIRST(i, 0, l->edges.count,
			l->edges.items[i].key >= address);
	if (at == l->edges.count || l->edges.items[at].key > address)
		return symbol->size;
	if (symbol->size) {
		left = distance(l, at, l->edges.items[at].index);
		return left && left < symbol->size ? left : symbol->size;
	}
	/* A symbol with a size that begins there answers. */
	return l->edges.items[at].extra & SIZED ? 0 : distance(l, at, at + 1);
}
