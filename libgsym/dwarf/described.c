/* SPDX-License-Identifier: MIT */
/*
 * Whether a function is to be taken from a unit that does not own its code.
 *
 * A function counts even outside the claims of its unit.  But every unit that
 * uses an inline function describes the linked copy: in large C++ programs
 * every second function has such a description.  So the ranges that units
 * described so far are remembered, and only a function whose range is new
 * becomes a record.
 */
#include "dwarf/resolve.h"

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
		uint64_t *end;

		/* Where no units claim each other's code, other units describe
		 * a function again only if nobody claims it. */
		if (record->folded ||
		    (!d->owners->contested && !record->unclaimed))
			continue;
		if (!gsym_keys_add(&d->starts, record->range.start, &number))
			return false;
		if (number < d->ends.count)
			continue;
		end = gsym_vec_push(&d->ends);
		if (!end)
			return false;
		*end = record->range.end;
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
	d->owned.count = gsym_sort_join(d->owned.items, d->owned.count);
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
