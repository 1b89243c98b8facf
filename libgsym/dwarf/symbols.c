/* SPDX-License-Identifier: MIT */
/* What the symbols of a program say of functions in the debug info. */
#include "dwarf/resolve.h"

#include "base/order.h"
#include "base/symbol_name.h"

bool gsym_dw_symbols_sort(struct dw_symbols *symbols,
			  const struct gsym_container *c)
{
	struct gsym_sort_item *items;
	size_t count = 0;

	symbols->sorted = true;
	symbols->container = c;
	if (!c->symbols.count)
		return true;
	if (c->symbols.count > UINT32_MAX ||
	    !gsym_vec_reserve(symbols, 2 * c->symbols.count))
		return false;
	items = symbols->items;
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (s->section >= c->sections.count || !s->name[0] ||
		    !c->sections.items[s->section].executable ||
		    (s->type != GSYM_SYMBOL_FUNCTION &&
		     s->type != GSYM_SYMBOL_NONE))
			continue;
		symbols->has_functions |= s->type == GSYM_SYMBOL_FUNCTION;
		items[count++] =
			(struct gsym_sort_item){ s->value, (uint32_t)i, 0 };
	}
	gsym_sort_by_key(items, count, items + c->symbols.count);
	symbols->count = count;
	return true;
}

enum dw_verdict gsym_dw_symbols_ask(const struct dw_symbols *symbols,
				    struct dw_unit *unit,
				    const struct dw_name *name,
				    struct gsym_range range)
{
	const struct gsym_sort_item *items = symbols->items;
	size_t i = GSYM_FIRST(k, 0, symbols->count,
			      items[k].key >= range.start);
	bool function = false;

	for (; i < symbols->count && items[i].key == range.start; i++) {
		const struct gsym_symbol *s =
			&symbols->container->symbols.items[items[i].index];

		/* Any number of functions may begin at an address, and any
		 * number of symbols. */
		if (!dw_unit_take(unit, DW_CUT_NODES, DW_COST_LOOK) ||
		    !gsym_dw_unit_take_text(unit, s->name))
			return DW_DEAD;
		if (name->text && gsym_symbol_stands_for(s->name, name->text) &&
		    (!s->size || range.end - range.start <= s->size))
			return DW_ALIVE;
		function |= s->type == GSYM_SYMBOL_FUNCTION;
	}
	return function ? DW_DEAD : DW_UNKNOWN;
}

bool gsym_dw_symbols_has(const struct dw_symbols *symbols,
			 struct dw_unit *unit, struct gsym_range range)
{
	const struct gsym_sort_item *items = symbols->items;
	const struct gsym_container *c = symbols->container;
	size_t i = GSYM_FIRST(k, 0, symbols->count,
			      items[k].key >= range.start);

	for (; i < symbols->count && items[i].key == range.start &&
	       dw_unit_take(unit, DW_CUT_NODES, DW_COST_LOOK);
	     i++)
		if (c->symbols.items[items[i].index].size ==
		    range.end - range.start)
			return true;
	return false;
}
