/* SPDX-License-Identifier: MIT */
/*
 * Reads the addresses that units claim, from .debug_aranges or from the ranges
 * of unit DIEs.
 */
#include "dwarf/claims.h"

/* The state of reading the claims of all units. */
struct claiming {
	const struct dw_reader *reader;
	void *self; /* from READER->open */
	struct dw_work *work;
	struct dw_claims *claims;
	struct dw_unit *notes;	 /* warnings, and the budget of one unit */
	struct dw_ranges ranges; /* ranges of one unit DIE */
};

static bool add_claims(struct claiming *c, uint32_t unit)
{
	if (!gsym_vec_reserve(c->claims, c->ranges.count))
		return false;
	for (size_t i = 0; i < c->ranges.count; i++)
		c->claims->items[c->claims->count++] =
			(struct dw_claim){ c->ranges.items[i], unit };
	return true;
}

/* Claim the ranges of the DIE of UNIT. */
static enum gsym_status claim_unit(struct claiming *c, uint32_t unit)
{
	uint64_t size = c->reader->unit_size(c->self, unit);
	enum gsym_status status;

	c->ranges.count = 0;
	c->notes->offset = c->reader->unit_offset(c->self, unit);
	c->notes->cuts = 0;
	gsym_dw_work_grant(c->work, c->notes, size, 1);
	status = c->reader->unit_ranges(c->self, unit, &c->ranges, c->notes);
	if (status == GSYM_OK &&
	    dw_unit_take(c->notes, DW_CUT_CLAIMS,
			 c->ranges.count * DW_COST_CLAIM) &&
	    !add_claims(c, unit))
		status = GSYM_ERR_MEMORY;
	gsym_dw_work_settle(c->work, c->notes, size);
	return status;
}

/* A unit claims the ranges in its sets of .debug_aranges; without a set, the
 * ranges of its DIE. */
enum gsym_status gsym_dw_claims_read(const struct dw_reader *reader, void *self,
				     struct dw_work *work,
				     struct dw_claims *claims,
				     struct dw_unit *notes)
{
	struct claiming c = { reader, self, work, claims, notes, { 0 } };
	size_t count = reader->unit_count(self);
	bool *has_set = calloc(count + 1, sizeof(*has_set));
	enum gsym_status status;

	if (!has_set)
		return GSYM_ERR_MEMORY;
	gsym_dw_work_grant(work, notes, 0, 1);
	status = reader->aranges(self, claims, has_set, notes);
	for (uint32_t i = 0; status == GSYM_OK && i < count; i++)
		if (!has_set[i])
			status = claim_unit(&c, i);
	gsym_vec_fini(&c.ranges);
	free(has_set);
	return status;
}
