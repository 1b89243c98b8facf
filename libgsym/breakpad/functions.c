/* SPDX-License-Identifier: MIT */
/*
 * Decides which FUNC records become records of the sink.  Of functions that
 * overlap the first in the file counts, as in Breakpad's own processor.
 */
#include "breakpad/file.h"

#include "base/order.h"

#include <stdlib.h>

/* A function, to be sorted by start. */
struct order {
	uint64_t start;
	uint32_t index;
};

static int by_start(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

bool gsym_bp_add_public(struct bp_file *file, uint64_t address,
			struct bp_text name, uint64_t line)
{
	struct bp_public *added;

	if (file->clears_bit0)
		address &= ~(uint64_t)1;
	/* PUBLIC records at 0, which some system libraries have, mean
	 * nothing. */
	if (!address)
		return true;
	added = gsym_vec_push(&file->publics);
	if (added)
		*added = (struct bp_public){ address, name, line };
	return added;
}

static bool sort_functions(const struct bp_file *file, struct order **ret)
{
	size_t count = file->functions.count;
	struct order *order = calloc(count + 1, sizeof(*order));

	*ret = order;
	if (!order)
		return false;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct order){ file->functions.items[i].start,
					   (uint32_t)i };
	for (size_t i = 1; i < count; i++)
		if (order[i - 1].start > order[i].start) {
			qsort(order, count, sizeof(*order), by_start);
			break;
		}
	return true;
}

/* Give F, which has no size, the size of its line records.  They end at NEXT,
 * the start of the next function, at the latest.  A function without line
 * records becomes a PUBLIC.  False without memory. */
static bool size_function(struct bp_file *file, struct bp_function *f,
			  uint64_t next)
{
	uint64_t end = gsym_bp_lines_end(file, f);

	if (end > next)
		end = next;
	if (end > f->start && end - f->start <= UINT32_MAX &&
	    end <= UINT64_MAX - file->base) {
		f->size = end - f->start;
		return true;
	}
	f->dropped = true;
	return gsym_bp_add_public(file, f->start, f->name, f->line);
}

static bool size_functions(struct bp_file *file, const struct order *order)
{
	size_t count = file->functions.count;
	uint64_t next = UINT64_MAX;

	for (size_t i = count; i-- > 0;) {
		struct bp_function *f = &file->functions.items[order[i].index];

		if (i + 1 < count && order[i + 1].start > order[i].start)
			next = order[i + 1].start;
		if (!f->dropped && !f->size && !size_function(file, f, next))
			return false;
	}
	return true;
}

/* The highest end of the accepted functions among the first COUNT places of the
 * order.  ENDS is a Fenwick tree of maxima over these ends.  Accepted functions
 * do not overlap, so it is the end of the last one there. */
static uint64_t highest_end(const uint64_t *ends, size_t count)
{
	uint64_t highest = 0;

	for (; count; count &= count - 1)
		if (ends[count] > highest)
			highest = ends[count];
	return highest;
}

/* Set the end of the function at place AT of the order. */
static void accept(uint64_t *ends, size_t total, size_t at, uint64_t end)
{
	for (at++; at <= total; at += at & -at)
		if (ends[at] < end)
			ends[at] = end;
}

/* How many functions in the order start below ADDRESS. */
static size_t below(const struct order *order, size_t count, uint64_t address)
{
	return GSYM_FIRST(i, 0, count, order[i].start >= address);
}

/* Drop F, which overlaps an accepted function.  SAME: both have the same
 * range. */
static void lose(struct bp_file *file, struct bp_function *f, bool same)
{
	f->folded = same && file->options->merged_functions;
	f->dropped = !f->folded;
	gsym_bp_warn(file, GSYM_WARN_CONFLICT, f->line,
		     same ? "a function with the range of an earlier one"
			  : "a function that overlaps an earlier one");
}

/* Go over the functions as the file has them, and drop those that overlap an
 * accepted one.  ENDS is for highest_end.  OWN has, for the first place of each
 * start in the order, the end of the accepted function of that start. */
static void drop_overlaps(struct bp_file *file, const struct order *order,
			  uint64_t *ends, uint64_t *own)
{
	size_t count = file->functions.count;

	for (size_t i = 0; i < count; i++) {
		struct bp_function *f = &file->functions.items[i];
		uint64_t end = f->start + f->size;
		size_t at;

		if (f->dropped)
			continue;
		at = below(order, count, f->start);
		if (highest_end(ends, below(order, count, end)) > f->start) {
			lose(file, f, own[at] == end);
			continue;
		}
		accept(ends, count, at, end);
		own[at] = end;
	}
}

/* Returns true if all functions have a size, ascend and do not overlap.  That
 * is true of most files; nothing has to be decided then. */
static bool are_settled(const struct bp_file *file)
{
	uint64_t end = 0;

	for (size_t i = 0; i < file->functions.count; i++) {
		const struct bp_function *f = &file->functions.items[i];

		if (f->dropped || !f->size || f->start < end)
			return false;
		end = f->start + f->size;
	}
	return true;
}

bool gsym_bp_settle_functions(struct bp_file *file)
{
	size_t count = file->functions.count;
	struct order *order = NULL;
	uint64_t *ends;
	bool ok;

	if (are_settled(file))
		return true;
	ends = calloc(2 * count + 2, sizeof(*ends));
	ok = ends && sort_functions(file, &order) &&
	     size_functions(file, order);
	if (ok)
		drop_overlaps(file, order, ends, ends + count + 1);
	free(order);
	free(ends);
	return ok;
}
