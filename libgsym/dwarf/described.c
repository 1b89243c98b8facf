/* SPDX-License-Identifier: MIT */
/*
 * Whether a function is to be taken from a unit that does not own its code, and
 * what the symbols of a program say of functions in the debug info.
 *
 * A function counts even outside the claims of its unit.  But every unit that
 * uses an inline function describes the linked copy: in large C++ programs
 * every second function has such a description.  So the ranges that units
 * described so far are remembered, and only a function whose range is new
 * becomes a record.
 */
#include "dwarf/resolve.h"

#include "base/order.h"
#include "base/symbol_name.h"

/* ---- symbols ------------------------------------------------------------- */

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
	size_t i =
		GSYM_FIRST(k, 0, symbols->count, items[k].key >= range.start);
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

bool gsym_dw_symbols_has(const struct dw_symbols *symbols, struct dw_unit *unit,
			 struct gsym_range range)
{
	const struct gsym_sort_item *items = symbols->items;
	const struct gsym_container *c = symbols->container;
	size_t i =
		GSYM_FIRST(k, 0, symbols->count, items[k].key >= range.start);

	for (; i < symbols->count && items[i].key == range.start &&
	       dw_unit_take(unit, DW_CUT_NODES, DW_COST_LOOK);
	     i++)
		if (c->symbols.items[items[i].index].size ==
		    range.end - range.start)
			return true;
	return false;
}

/* ---- functions of units that do not own their code ----------------------- */

static bool has(const struct dw_described *d, struct gsym_range range)
{
	uint32_t number;

	return gsym_keys_find(&d->starts, range.start, &number) &&
	       d->ends.items[number] == range.end;
}

bool gsym_dw_described_note(struct dw_described *d,
			    const struct dw_result *result)
{
	for (size_t i = 0; i < result->records.count; i++) {
		const struct dw_record *record = &result->records.items[i];
		uint32_t number;

		/* Where no units claim each other's code, other units describe
		 * a function again only if nobody claims it. */
		if (record->folded ||
		    (!d->owners->contested && !record->unclaimed))
			continue;
		if (!gsym_keys_add(&d->starts, record->range.start, &number))
			return false;
		if (number < d->ends.count)
			continue;
		if (!gsym_vec_add(&d->ends, record->range.end))
			return false;
	}
	return true;
}

/* Fill D->owned, and *SYMBOLS.  False without memory. */
static bool prepare(struct dw_described *d, const struct dw_symbols **symbols)
{
	const struct dw_owners *o = d->owners;

	*symbols = d->live->symbols.sorted ? &d->live->symbols : &d->symbols;
	if (!(*symbols)->sorted &&
	    !gsym_dw_symbols_sort(&d->symbols, d->live->container))
		return false;
	if (d->owned.count)
		return true;
	if (!gsym_vec_reserve(&d->owned, o->pieces.count))
		return false;
	for (size_t i = 0; i < o->pieces.count; i++)
		d->owned.items[d->owned.count++] = o->pieces.items[i];
	gsym_range_set_join(&d->owned);
	return true;
}

/* Linkers also take code of another function, of the same size, for that of a
 * dropped one: where another unit owns the code, a symbol has to name the
 * function, if there are symbols of functions. */
bool gsym_dw_described_lacks(void *self, struct dw_unit *unit,
			     const struct dw_name *name,
			     struct gsym_range range, bool *lacks)
{
	const struct gsym_range start = { range.start, range.start + 1 };
	const struct dw_symbols *symbols;
	struct dw_described *d = self;
	enum dw_verdict verdict;

	*lacks = !has(d, range);
	if (!*lacks || d->live->container->relocatable)
		return true;
	if (!prepare(d, &symbols))
		return false;
	if (!gsym_ranges_hold(d->owned.items, d->owned.count, start))
		return true;
	verdict = gsym_dw_symbols_ask(symbols, unit, name, range);
	*lacks = verdict == DW_ALIVE ||
		 (verdict == DW_UNKNOWN && !symbols->has_functions);
	return true;
}

void gsym_dw_described_fini(struct dw_described *d)
{
	gsym_keys_fini(&d->starts);
	gsym_vec_fini(&d->ends);
	gsym_vec_fini(&d->owned);
	gsym_vec_fini(&d->symbols);
}
