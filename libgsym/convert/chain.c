/* SPDX-License-Identifier: MIT */
/*
 * convert/chain.c - sinks that pass on to another sink what they get: all of
 * it; without the records that another reader covers; or with records of code
 * that has lines and no function.
 */
#include "convert/convert.h"

#include "base/order.h"

#include <stdlib.h>

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
	return gsym_sink_strings(inner_of(self), texts, count, numbers);
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
	return (struct gsym_sink){ .self = relay,
				   .string = pass_string,
				   .file = pass_file,
				   .record = pass_record,
				   .loose_rows = pass_rows,
				   .strings = pass_strings };
}

/* ---- one reader over another --------------------------------------------- */

void gsym_overlay_cover(void *self, struct gsym_range range)
{
	struct gsym_overlay *o = self;

	if (!gsym_vec_add(&o->ranges, range))
		o->failed = true;
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
	return gsym_ranges_at(o->ranges.items, o->ranges.count, record->start)
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
		gsym_range_set_join(&o->ranges);
	o->sorted = true;
	lower.record = lower_record;
	return lower;
}

/* ---- addresses that are covered ------------------------------------------ */

static enum gsym_status watch_record(void *self,
				     const struct gsym_record *record)
{
	struct gsym_watch *p = self;

	for (size_t i = 0; i < p->count && !record->folded; i++)
		if (p->addresses[i] - record->start < record->size &&
		    record->start >= p->starts[i])
			p->starts[i] = record->start + 1;
	return gsym_sink_record(p->relay.inner, record);
}

static enum gsym_status watch_rows(void *self, struct gsym_range range,
				   const struct gsym_loose_row *rows,
				   size_t count)
{
	struct gsym_watch *p = self;
	const struct gsym_sink *inner = p->relay.inner;

	for (size_t i = 0; i < p->count; i++)
		p->rows[i] |= range.start <= p->addresses[i] &&
			      p->addresses[i] < range.end;
	return inner->loose_rows(inner->self, range, rows, count);
}

struct gsym_sink gsym_watch_sink(struct gsym_watch *p,
				 const struct gsym_sink *inner)
{
	struct gsym_sink sink = gsym_relay_to(&p->relay, inner);

	sink.record = watch_record;
	sink.loose_rows = watch_rows;
	return sink;
}

/* ---- code that has lines and no function --------------------------------- */

/* The kernel's .altinstr_aux has pieces of many functions, none of which the
 * debug info or the symbol table describes.  Rows between two functions are
 * padding as a rule.  So only rows in sections without any function or symbol
 * become records. */

bool gsym_unnamed_sections(const struct gsym_container *c,
			   struct gsym_range_set *ret)
{
	bool *named = calloc(c->sections.count + 1, sizeof(*named));
	bool memory = named && gsym_vec_reserve(ret, c->sections.count);

	for (size_t i = 0; memory && i < c->symbols.count; i++)
		if (gsym_symtab_section(c, &c->symbols.items[i]))
			named[c->symbols.items[i].section] = true;
	for (size_t i = 0; memory && i < c->sections.count; i++)
		ret->count += !named[i] &&
			      gsym_container_range(&c->sections.items[i], true,
						   &ret->items[ret->count]);
	free(named);
	gsym_range_set_join(ret);
	return memory;
}

/* The index in U->sections of the section at ADDRESS; their number if there is
 * none. */
static size_t section_at(const struct gsym_unnamed *u, uint64_t address)
{
	const struct gsym_range_set *s = &u->sections;
	const struct gsym_range *at =
		gsym_ranges_at(s->items, s->count, address);

	return at ? (size_t)(at - s->items) : s->count;
}

static enum gsym_status note_record(void *self,
				    const struct gsym_record *record)
{
	struct gsym_unnamed *u = self;
	size_t at = section_at(u, record->start);

	if (at < u->sections.count) {
		pthread_mutex_lock(&u->lock);
		u->named[at] = true;
		pthread_mutex_unlock(&u->lock);
	}
	return gsym_sink_record(u->relay.inner, record);
}

static enum gsym_status note_rows(void *self, struct gsym_range range,
				  const struct gsym_loose_row *rows,
				  size_t count)
{
	struct gsym_unnamed *u = self;
	const struct gsym_sink *inner = u->relay.inner;

	if (section_at(u, range.start) < u->sections.count) {
		bool added;

		pthread_mutex_lock(&u->lock);
		added = gsym_vec_add(&u->rows, range);
		pthread_mutex_unlock(&u->lock);
		if (!added)
			return GSYM_ERR_MEMORY;
	}
	return inner->loose_rows(inner->self, range, rows, count);
}

bool gsym_unnamed_init(struct gsym_unnamed *u, const struct gsym_container *c,
		       const struct gsym_sink *inner, struct gsym_sink *ret)
{
	*u = (struct gsym_unnamed){ .lock = PTHREAD_MUTEX_INITIALIZER };
	*ret = gsym_relay_to(&u->relay, inner);
	ret->record = note_record;
	ret->loose_rows = note_rows;
	if (!gsym_unnamed_sections(c, &u->sections))
		return false;
	u->named = calloc(u->sections.count + 1, sizeof(*u->named));
	return u->named;
}

void gsym_unnamed_fini(struct gsym_unnamed *u)
{
	gsym_vec_fini(&u->sections);
	gsym_vec_fini(&u->rows);
	free(u->named);
	pthread_mutex_destroy(&u->lock);
}

enum gsym_status gsym_unnamed_convert(struct gsym_unnamed *u)
{
	struct gsym_record record = { .rank = GSYM_RANK_LABEL,
				      .name_kind = GSYM_NAME_SYMBOL_LOCAL };
	const struct gsym_sink *inner = u->relay.inner;
	enum gsym_status status = GSYM_OK;

	gsym_range_set_join(&u->rows);
	for (size_t i = 0; i < u->rows.count && status == GSYM_OK; i++) {
		const struct gsym_range *r = &u->rows.items[i];
		size_t at = section_at(u, r->start);
		uint64_t end = u->sections.items[at].end;

		if (u->named[at])
			continue;
		status = inner->string(inner->self, "??", 2, &record.name);
		record.start = r->start;
		/* Damaged rows may reach beyond the section. */
		record.limit = r->end < end ? r->end : end;
		if (status == GSYM_OK)
			status = gsym_sink_record(inner, &record);
	}
	return status;
}
