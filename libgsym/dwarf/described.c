/* SPDX-License-Identifier: MIT */
/*
 * Whether a function is to be taken from a unit that does not own its code.
 *
 * A function claims what its DIE says, but copies of inline functions are
 * described by every unit that used them: a large C++ program has a copy for
 * every two functions.  So the ranges that units described so far are
 * remembered, and only functions that are not among them become records.
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
	for (size_t i = 0; d->owners->contested && i < result->records.count;
	     i++) {
		const struct dw_record *record = &result->records.items[i];
		uint32_t number;
		uint64_t *end;

		if (record->folded)
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

/* Fill D->owned and D->symbols.  False without memory. */
static bool prepare(struct dw_described *d)
{
	const struct dw_owners *o = d->owners;

	if (d->symbols.sorted)
		return true;
	if (!gsym_vec_reserve(&d->owned, o->pieces.count) ||
	    !gsym_dw_symbols_sort(&d->symbols, d->container))
		return false;
	for (size_t i = 0; i < o->pieces.count; i++)
		d->owned.items[d->owned.count++] = o->pieces.items[i];
	d->owned.count = gsym_sort_join(d->owned.items, d->owned.count);
	return true;
}

/* Linkers also take code of another function, of the same size, for that of a
 * dropped one: where another unit owns the code, symbols there must not name
 * other functions. */
bool gsym_dw_described_lacks(void *self, struct dw_unit *unit,
			     const struct dw_node *node,
			     struct gsym_range range, bool *lacks)
{
	struct dw_described *d = self;
	size_t at;

	*lacks = !has(d, range);
	if (!*lacks || d->container->relocatable)
		return true;
	if (!prepare(d))
		return false;
	at = GSYM_FIRST(i, 0, d->owned.count,
			d->owned.items[i].end > range.start);
	if (at < d->owned.count && d->owned.items[at].start <= range.start)
		*lacks = gsym_dw_symbols_ask(&d->symbols, unit, &node->name,
					     range) != DW_DEAD;
	return true;
}

void gsym_dw_described_fini(struct dw_described *d)
{
	gsym_keys_fini(&d->starts);
	gsym_vec_fini(&d->ends);
	gsym_vec_fini(&d->owned);
	gsym_vec_fini(&d->symbols);
}
