/* SPDX-License-Identifier: MIT */
#include "dwarf/claims.h"

/* Claim the ranges of the DIE of UNIT. */
static enum gsym_status claim_unit(const struct dw_reader *reader, void *self,
				   uint32_t unit, struct dw_ranges *ranges,
				   struct dw_claims *claims,
				   struct dw_unit *notes)
{
	enum gsym_status status;

	ranges->count = 0;
	status = reader->unit_ranges(self, unit, ranges, notes);
	if (status != GSYM_OK ||
	    !gsym_dw_ranges_fit(claims->count, ranges->count, claims->max,
				notes, reader->unit_die(self, unit)))
		return status;
	for (size_t i = 0; i < ranges->count; i++) {
		struct dw_claim *claim = gsym_vec_push(claims);

		if (!claim)
			return GSYM_ERR_MEMORY;
		*claim = (struct dw_claim){ ranges->items[i], unit };
	}
	return GSYM_OK;
}

/* A unit claims what its sets of .debug_aranges say; without one, the ranges
 * of its DIE. */
enum gsym_status gsym_dw_claims_read(const struct dw_reader *reader, void *self,
				     struct dw_claims *claims,
				     struct dw_unit *notes)
{
	size_t count = reader->unit_count(self);
	bool *has_set = calloc(count + 1, sizeof(*has_set));
	struct dw_ranges ranges = { 0 };
	enum gsym_status status;

	if (!has_set)
		return GSYM_ERR_MEMORY;
	status = reader->aranges(self, claims, has_set, notes);
	for (uint32_t i = 0; status == GSYM_OK && i < count; i++)
		if (!has_set[i])
			status = claim_unit(reader, self, i, &ranges, claims,
					    notes);
	gsym_vec_fini(&ranges);
	free(has_set);
	return status;
}
