/* SPDX-License-Identifier: MIT */
/* Which addresses each unit claims, and whose line tables are read. */
#include "dwarf/second.h"

static bool add_claim(const struct second *s, struct dw_claims *claims,
		      const struct second_unit *u, uint64_t start,
		      uint64_t end)
{
	return gsym_dw_claim_add(claims, (uint32_t)(u - s->units.items),
				 second_code(s, u), start, end);
}

/* One pair of .debug_aranges.  HAS_SET is told which unit it is for. */
static bool claim_arange(struct second *s, Dwarf_Arange arange,
			 struct dw_claims *claims, bool *has_set)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned length;
	struct second_unit *u;
	Dwarf_Off offset;
	Dwarf_Addr start;

	if (gsym_second_checked(
		    s,
		    dwarf_get_arange_cu_header_offset(arange, &offset, &error),
		    &error) != DW_DLV_OK ||
	    gsym_second_checked(s,
				dwarf_get_arange_info_b(arange, NULL, NULL,
							&start, &length, NULL,
							&error),
				&error) != DW_DLV_OK)
		return true;
	u = gsym_second_unit_at(s, offset);
	if (!u || u->offset != offset)
		return true;
	has_set[u - s->units.items] = true;
	return add_claim(s, claims, u, start, start + length);
}

static bool claim_aranges(struct second *s, struct dw_claims *claims,
			  bool *has_set, struct dw_unit *warnings)
{
	Dwarf_Error error = NULL;
	Dwarf_Arange *aranges;
	Dwarf_Signed count;
	bool fine = true;

	if (gsym_second_warned(
		    s, dwarf_get_aranges(s->dbg, &aranges, &count, &error),
		    &error, warnings, GSYM_WARN_BAD_UNIT, ".debug_aranges",
		    0) != DW_DLV_OK)
		return true;
	for (Dwarf_Signed i = 0; i < count; i++) {
		fine = fine && claim_arange(s, aranges[i], claims, has_set);
		dwarf_dealloc(s->dbg, aranges[i], DW_DLA_ARANGE);
	}
	dwarf_dealloc(s->dbg, aranges, DW_DLA_LIST);
	return fine;
}

static bool claim_unit(struct second *s, struct second_unit *u,
		       struct dw_claims *claims, struct dw_unit *warnings)
{
	Dwarf_Die die = gsym_second_die_at(s, u, u->die);
	bool fine;

	if (!die)
		return true;
	s->ranges.count = 0;
	fine = gsym_second_read_ranges(s, u, die, &s->ranges, warnings);
	dwarf_dealloc_die(die);
	if (!gsym_dw_ranges_fit(claims->count, s->ranges.count, claims->max,
				warnings, u->die))
		return fine;
	for (size_t i = 0; fine && i < s->ranges.count; i++)
		fine = add_claim(s, claims, u, s->ranges.items[i].start,
				 s->ranges.items[i].end);
	return fine;
}

static void hand_on_warnings(const struct dw_unit *from, struct dw_unit *to)
{
	for (size_t i = 0; i < from->warnings.count; i++)
		gsym_dw_unit_warn(to, from->warnings.items[i].kind, "%s",
				  from->warnings.items[i].text);
}

/* Settle whose line tables are read. */
static bool share_lines(struct second *s, const struct dw_claims *made)
{
	struct dw_line_use *uses = calloc(s->units.count + 1, sizeof(*uses));

	if (!uses)
		return false;
	for (size_t i = 0; i < s->units.count; i++) {
		struct second_unit *u = &s->units.items[i];
		Dwarf_Die die = gsym_second_die_at(s, u, u->die);

		if (!die)
			continue;
		uses[i].has_lines = gsym_second_section_offset(
			s, die, DW_AT_stmt_list, &uses[i].offset);
		dwarf_dealloc_die(die);
	}
	gsym_dw_line_budget_share(
		gsym_container_cursor(s->container,
				      gsym_container_section(s->container,
							     ".debug_line")),
		made, uses, s->units.count);
	free(s->line_uses);
	s->line_uses = uses;
	return true;
}

enum gsym_status gsym_second_claims(void *self, struct dw_claims *ret,
				    struct dw_unit *warnings)
{
	struct second *s = self;
	bool *has_set, fine;

	hand_on_warnings(&s->warnings, warnings);
	if (!s->dbg)
		return GSYM_OK;
	has_set = calloc(s->units.count + 1, sizeof(*has_set));
	if (!has_set)
		return GSYM_ERR_MEMORY;
	fine = claim_aranges(s, ret, has_set, warnings);
	for (size_t i = 0; fine && i < s->units.count; i++)
		if (!has_set[i])
			fine = claim_unit(s, &s->units.items[i], ret,
					  warnings);
	fine = fine && share_lines(s, ret);
	free(has_set);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}
