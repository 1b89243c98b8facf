/* SPDX-License-Identifier: MIT */
/* convert/relay.c - passes what a sink gets on to another sink, without the
 * records that another reader covers. */
#include "convert/convert.h"

#include "base/order.h"

static const struct gsym_sink *inner_of(void *self)
{
	return ((struct gsym_relay *)self)->inner;
}

static enum gsym_status pass_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->string(inner->self, bytes, length, number);
}

static enum gsym_status pass_strings(void *self, const struct gsym_text *texts,
				     size_t count, uint32_t *numbers)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->strings(inner->self, texts, count, numbers);
}

static enum gsym_status pass_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->file(inner->self, directory, basename, number);
}

static enum gsym_status pass_record(void *self,
				    const struct gsym_record *record)
{
	return gsym_sink_record(inner_of(self), record);
}

static enum gsym_status pass_rows(void *self, struct gsym_range range,
				  const struct gsym_loose_row *rows,
				  size_t count)
{
	const struct gsym_sink *inner = inner_of(self);

	return inner->loose_rows(inner->self, range, rows, count);
}

struct gsym_sink gsym_relay_to(struct gsym_relay *relay,
			       const struct gsym_sink *inner)
{
	relay->inner = inner;
	return (struct gsym_sink){ relay, pass_string, pass_file, pass_record,
				   pass_rows,
				   inner->strings ? pass_strings : NULL };
}

/* ---- one reader over another --------------------------------------------- */

void gsym_overlay_cover(void *self, struct gsym_range range)
{
	struct gsym_overlay *o = self;
	struct gsym_range *place = gsym_vec_push(&o->ranges);

	if (place)
		*place = range;
	else
		o->failed = true;
}

/* Sort the ranges and join those that touch or overlap. */
static void sort(struct gsym_overlay *o)
{
	o->sorted = true;
	o->ranges.count = gsym_sort_join(o->ranges.items, o->ranges.count);
}

static bool is_covered(const struct gsym_overlay *o, uint64_t address)
{
	size_t found = GSYM_FIRST(i, 0, o->ranges.count,
				  address < o->ranges.items[i].end);

	return found < o->ranges.count &&
	       address >= o->ranges.items[found].start;
}

static enum gsym_status upper_record(void *self,
				     const struct gsym_record *record)
{
	struct gsym_overlay *o = self;

	if (record->rank == GSYM_RANK_FUNCTION && record->size &&
	    !record->folded)
		gsym_overlay_cover(
			o, (struct gsym_range){ record->start,
						record->start + record->size });
	return o->failed ? GSYM_ERR_MEMORY
			 : gsym_sink_record(o->relay.inner, record);
}

static enum gsym_status lower_record(void *self,
				     const struct gsym_record *record)
{
	struct gsym_overlay *o = self;

	if (o->failed)
		return GSYM_ERR_MEMORY;
	return is_covered(o, record->start)
		       ? GSYM_OK
		       : gsym_sink_record(o->relay.inner, record);
}

struct gsym_sink gsym_overlay_upper(struct gsym_overlay *o,
				    const struct gsym_sink *inner)
{
	struct gsym_sink upper = gsym_relay_to(&o->relay, inner);

	upper.record = upper_record;
	return upper;
}

struct gsym_sink gsym_overlay_lower(struct gsym_overlay *o,
				    const struct gsym_sink *inner)
{
	struct gsym_sink lower = gsym_relay_to(&o->relay, inner);

	if (!o->sorted)
		sort(o);
	lower.record = lower_record;
	return lower;
}
