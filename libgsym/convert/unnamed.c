/* SPDX-License-Identifier: MIT */
/*
 * convert/unnamed.c - code that has lines and no function.
 *
 * The kernel's .altinstr_aux has pieces of many functions, none of which the
 * debug info or the symbol table describes.  Rows between two functions are
 * padding as a rule.  So only rows in sections without any function or symbol
 * become records.
 */
#include "convert/convert.h"

#include "base/error.h"
#include "base/order.h"

bool gsym_unnamed_sections(const struct gsym_container *c,
			   struct gsym_near *ret)
{
	bool *named = calloc(c->sections.count + 1, sizeof(*named));
	bool memory = named && gsym_vec_reserve(ret, c->sections.count);

	for (size_t i = 0; memory && i < c->symbols.count; i++)
		if (gsym_symtab_section(c, &c->symbols.items[i]))
			named[c->symbols.items[i].section] = true;
	for (size_t i = 0; memory && i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];

		if (!named[i] && s->loaded && s->executable && s->size &&
		    s->size <= UINT64_MAX - s->address)
			ret->items[ret->count++] = (struct gsym_range){
				s->address, s->address + s->size
			};
	}
	free(named);
	ret->count = gsym_sort_join(ret->items, ret->count);
	return memory;
}

/* The index in U->sections of the section at ADDRESS; their number if there is
 * none. */
static size_t section_at(const struct gsym_unnamed *u, uint64_t address)
{
	const struct gsym_near *s = &u->sections;
	size_t at = GSYM_FIRST(i, 0, s->count, s->items[i].end > address);

	return at < s->count && s->items[at].start <= address ? at : s->count;
}

static enum gsym_status note_record(void *self,
				    const struct gsym_record *record)
{
	struct gsym_unnamed *u = self;
	size_t at = section_at(u, record->start);

	if (at < u->sections.count)
		u->named[at] = true;
	return gsym_sink_record(u->relay.inner, record);
}

static enum gsym_status note_rows(void *self, struct gsym_range range,
				  const struct gsym_loose_row *rows,
				  size_t count)
{
	struct gsym_unnamed *u = self;
	const struct gsym_sink *inner = u->relay.inner;

	if (section_at(u, range.start) < u->sections.count) {
		struct gsym_range *place = gsym_vec_push(&u->rows);

		if (!place)
			return GSYM_ERR_MEMORY;
		*place = range;
	}
	return inner->loose_rows(inner->self, range, rows, count);
}

bool gsym_unnamed_init(struct gsym_unnamed *u, const struct gsym_container *c,
		       const struct gsym_sink *inner, struct gsym_sink *ret)
{
	*u = (struct gsym_unnamed){ 0 };
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
}

enum gsym_status gsym_unnamed_convert(struct gsym_unnamed *u)
{
	struct gsym_record record = { .rank = GSYM_RANK_LABEL,
				      .name_kind = GSYM_NAME_SYMBOL_LOCAL };
	const struct gsym_sink *inner = u->relay.inner;
	enum gsym_status status = GSYM_OK;

	u->rows.count = gsym_sort_join(u->rows.items, u->rows.count);
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
