/* SPDX-License-Identifier: MIT */
/*
 * dwarf/scan.c - the production reader of DWARF: plain section bytes in,
 * units out, several at once.
 *
 * When it is opened it reads all unit headers, compiles all abbreviation
 * tables and reads all unit DIEs; nothing changes from then on, so workers
 * share no state but those read-only tables, and can follow references into
 * each other's units.  Knows nothing of libdwarf, ELF or GSYM.
 */
#include "base/error.h"
#include "base/search.h"
#include "dwarf/info.h"
#include "dwarf/line_budget.h"
#include "dwarf/lines.h"
#include "dwarf/nodes.h"
#include "dwarf/packed.h"
#include "dwarf/policy.h"
#include "dwarf/ranges.h"
#include "dwarf/split.h"
#include "dwarf/unit.h"

#include <stdlib.h>

struct scan {
	const struct gsym_container *container;
	struct dw_info main;
	/* The file that it refers to (dwz); empty if there is none. */
	struct dw_info alternate;
	/* Indexes of the headers whose units may have code. */
	struct { GSYM_VEC(uint32_t); } units;
	/* By unit, once the claims are known; NULL: every table is read. */
	struct dw_line_use *line_uses;
	/* Collects the warnings that come up on opening. */
	struct dw_unit notes;
};

static void scan_close(void *self)
{
	struct scan *scan = self;

	gsym_dw_info_close(&scan->main);
	gsym_dw_info_close(&scan->alternate);
	gsym_vec_fini(&scan->units);
	free(scan->line_uses);
	gsym_dw_unit_fini(&scan->notes);
	free(scan);
}

static bool has_code(const struct dw_header *h)
{
	return h->unit_type == DW_UT_compile ||
	       h->unit_type == DW_UT_partial || h->unit_type == DW_UT_skeleton;
}

static bool list_units(struct scan *scan)
{
	const struct dw_headers *headers = &scan->main.info.headers;

	for (size_t i = 0; i < headers->count; i++) {
		uint32_t *unit;

		if (!has_code(&headers->items[i]))
			continue;
		unit = gsym_vec_push(&scan->units);
		if (!unit)
			return false;
		*unit = (uint32_t)i;
	}
	return true;
}

static enum gsym_status scan_open(const struct gsym_container *container,
				  unsigned threads, void **self,
				  struct gsym_error *error)
{
	const struct gsym_container *other = container->alternate;
	struct scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return gsym_fail_memory(error);
	scan->container = container;
	if ((other && !gsym_dw_info_open(&scan->alternate, other, NULL, threads,
					 &scan->notes)) ||
	    !gsym_dw_info_open(&scan->main, container,
			       other ? &scan->alternate : NULL, threads,
			       &scan->notes) ||
	    !list_units(scan)) {
		scan_close(scan);
		return gsym_fail_memory(error);
	}
	*self = scan;
	return GSYM_OK;
}

static size_t scan_unit_count(void *self)
{
	return ((struct scan *)self)->units.count;
}

static const struct dw_header *unit_header(const struct scan *scan,
					   size_t index)
{
	return &scan->main.info.headers.items[scan->units.items[index]];
}

static uint64_t scan_unit_size(void *self, size_t index)
{
	const struct dw_header *header = unit_header(self, index);

	return header->end - header->offset;
}

/* ---- claims -------------------------------------------------------------- */

/* The index of the unit at OFFSET; UINT32_MAX if none with code is there. */
static uint32_t find_unit(const struct scan *scan, uint64_t offset)
{
	size_t at = GSYM_FIRST(i, 0, scan->units.count,
			       unit_header(scan, i)->offset >= offset);

	return at < scan->units.count && unit_header(scan, at)->offset == offset
		       ? (uint32_t)at
		       : UINT32_MAX;
}

/* A set of .debug_aranges.  The cursor ends behind it, and fails if nothing
 * behind it can be read. */
static bool read_set(const struct scan *scan, struct gsym_cursor *c,
		     bool *has_set, struct dw_claims *claims)
{
	size_t start = gsym_cursor_offset(c);
	unsigned offset_size = 4, size;
	uint64_t length = gsym_cursor_u32(c), end, pair;
	uint32_t unit;

	if (length == UINT32_MAX) {
		length = gsym_cursor_u64(c);
		offset_size = 8;
	}
	if (!gsym_cursor_need(c, length))
		return true;
	end = gsym_cursor_offset(c) + length;
	if (gsym_cursor_u16(c) != 2)
		gsym_cursor_fail(c);
	unit = find_unit(scan, gsym_cursor_uint(c, offset_size));
	size = gsym_cursor_u8(c);
	if (gsym_cursor_u8(c) || (size != 4 && size != 8))
		gsym_cursor_fail(c); /* segments */
	if (c->failed)
		return true;
	struct dw_code code = { (uint8_t)size,
				scan->main.info.sections.code_bit0 };
	pair = 2 * (uint64_t)size;
	gsym_cursor_skip(c, (pair - (gsym_cursor_offset(c) - start) % pair) %
				    pair);
	if (unit != UINT32_MAX)
		has_set[unit] = true;
	while (!c->failed && gsym_cursor_offset(c) + pair <= end) {
		uint64_t address = gsym_cursor_uint(c, size);
		uint64_t size_claimed = gsym_cursor_uint(c, size);

		if (unit != UINT32_MAX &&
		    !gsym_dw_claim_add(claims, unit, code, address,
				       address + size_claimed))
			return false;
	}
	gsym_cursor_seek(c, end);
	return true;
}

/* The ranges of unit DIEs, for units that have no set. */
static bool claim_unit(struct scan *scan, uint32_t unit,
		       struct dw_ranges *ranges, struct dw_claims *claims)
{
	const struct dw_header *header = unit_header(scan, unit);
	struct dw_code code = { header->encoding.address_size, false };
	struct dw_attributes attributes;

	if (!header->usable || !gsym_dw_unit_die_read(header, &attributes))
		return true;
	ranges->count = 0;
	switch (gsym_dw_ranges_read(header->sections, header, &attributes,
				    ranges)) {
	case DW_RANGES_MEMORY:
		return false;
	case DW_RANGES_BAD:
		gsym_dw_unit_warn(
			&scan->notes, GSYM_WARN_BAD_RANGES,
			"ranges of the unit at .debug_info+0x%llx break "
			"off",
			(unsigned long long)header->offset);
		break;
	case DW_RANGES_OK:
		break;
	}
	if (!gsym_dw_ranges_fit(claims->count, ranges->count, claims->max,
				&scan->notes, header->die))
		return true;
	for (size_t i = 0; i < ranges->count; i++)
		if (!gsym_dw_claim_add(claims, unit, code,
				       ranges->items[i].start,
				       ranges->items[i].end))
			return false;
	return true;
}

static bool read_claims(struct scan *scan, bool *has_set,
			struct dw_claims *claims)
{
	struct gsym_cursor c = scan->main.info.sections.aranges;
	struct dw_ranges ranges = { 0 };
	bool ok = true;

	while (ok && c.at < c.end)
		ok = read_set(scan, &c, has_set, claims);
	if (c.failed)
		gsym_dw_unit_warn(&scan->notes, GSYM_WARN_BAD_UNIT,
				  ".debug_aranges cannot be read at +0x%llx",
				  (unsigned long long)gsym_cursor_offset(&c));
	for (uint32_t i = 0; ok && i < scan->units.count; i++)
		if (!has_set[i])
			ok = claim_unit(scan, i, &ranges, claims);
	gsym_vec_fini(&ranges);
	return ok;
}

/* Settle whose line tables are read. */
static bool share_lines(struct scan *scan, const struct dw_claims *claims)
{
	size_t count = scan->units.count;
	struct dw_line_use *uses = calloc(count + 1, sizeof(*uses));

	if (!uses)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct dw_header *header = unit_header(scan, i);

		uses[i].has_lines = header->usable && header->has_lines;
		uses[i].offset = header->stmt_list;
	}
	gsym_dw_line_budget_share(scan->main.info.sections.line, claims, uses,
				  count);
	free(scan->line_uses);
	scan->line_uses = uses;
	return true;
}

static enum gsym_status scan_claims(void *self, struct dw_claims *claims,
				    struct dw_unit *warnings)
{
	struct scan *scan = self;
	bool *has_set = calloc(scan->units.count + 1, sizeof(*has_set));
	bool ok = has_set && read_claims(scan, has_set, claims) &&
		  share_lines(scan, claims);

	free(has_set);
	for (size_t i = 0; i < scan->notes.warnings.count; i++)
		gsym_dw_unit_warn(warnings, scan->notes.warnings.items[i].kind,
				  "%s", scan->notes.warnings.items[i].text);
	scan->notes.warnings.count = 0;
	return ok ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* ---- units ---------------------------------------------------------------- */

/* The unit ID among those of INFO. */
static struct dw_header *find_split(struct dw_info *info, uint64_t id)
{
	for (size_t i = 0; i < info->info.headers.count; i++) {
		struct dw_header *h = &info->info.headers.items[i];

		if (h->usable && h->has_id && h->id == id &&
		    h->unit_type != DW_UT_skeleton)
			return h;
	}
	return NULL;
}

/* Read the nodes of the split unit of SKELETON, which says WHAT, if SPLIT has
 * it. */
static bool read_candidate(const struct scan *scan,
			   const struct dw_header *skeleton,
			   const struct dw_skeleton *what,
			   struct dw_split *split, struct dw_unit *unit,
			   bool *found)
{
	struct dw_packed packed = {
		.main = scan->container,
		.skeleton = what,
		.alternate = scan->container->alternate ? &scan->alternate :
							  NULL,
	};
	struct dw_info info = { 0 };
	struct dw_unit notes = { 0 };
	struct dw_header *header;
	bool ok = gsym_dw_info_open(&info, &split->container, packed.alternate,
				    1, &notes);

	header = ok ? find_split(&info, skeleton->id) : NULL;
	*found = header;
	if (header) {
		header->low_pc = skeleton->low_pc;
		/* Types of a file are in that file. */
		if (!split->file)
			gsym_dw_packed_attach(&packed, &info);
		ok = gsym_dw_nodes_read(header, unit) && !packed.no_memory;
		unit->held = split->file;
		split->file = NULL;
	}
	gsym_dw_unit_fini(&notes);
	gsym_dw_packed_close(&packed);
	gsym_dw_info_close(&info);
	return ok;
}

/* The same, wherever it is. */
static bool read_split(const struct scan *scan, const struct dw_header *h,
		       struct dw_unit *unit, bool *found)
{
	struct dw_skeleton skeleton = {
		.name = h->split_name,
		.directory = h->comp_dir,
		.offset = h->offset,
		.id = h->id,
		.version = h->encoding.version,
		.offset_size = h->encoding.offset_size,
		.addr_base = h->addr_base,
		.ranges_base = h->ranges_base,
	};
	bool other_id = false;

	*found = false;
	for (unsigned n = 0;; n++) {
		struct dw_split split;
		enum gsym_status status = gsym_dw_split_open(
			scan->container, &skeleton, n, &split);
		bool ok;

		if (status == GSYM_NOT_FOUND)
			break;
		if (status == GSYM_ERR_MEMORY)
			return false;
		if (status != GSYM_OK)
			continue;
		ok = read_candidate(scan, h, &skeleton, &split, unit, found);
		gsym_dw_split_close(&split);
		if (!ok || *found)
			return ok;
		other_id = true;
	}
	gsym_dw_split_warn(unit, &skeleton, other_id);
	return true;
}

static bool read_lines(const struct scan *scan, size_t index,
		       struct dw_unit *unit)
{
	const struct dw_header *header = unit_header(scan, index);
	struct dw_line_tables tables = { 0 };
	bool ok;

	if (scan->line_uses && scan->line_uses[index].refused) {
		gsym_dw_line_budget_warn(unit, &scan->line_uses[index]);
		return true;
	}
	ok = gsym_dw_lines_read(header->sections, header, &tables, unit) &&
	     gsym_dw_lines_name_files(header, &tables, unit);
	gsym_dw_line_tables_fini(&tables);
	return ok;
}

static enum gsym_status scan_read_unit(void *self, size_t index,
				       struct dw_unit *unit)
{
	const struct scan *scan = self;
	const struct dw_header *header = unit_header(scan, index);
	bool ok = true, found = false;

	unit->offset = header->offset;
	if (!header->usable)
		return GSYM_OK;
	if (header->split_name)
		ok = read_split(scan, header, unit, &found);
	/* Without it the skeleton's own DIEs are better than nothing. */
	if (!found)
		ok = ok && gsym_dw_nodes_read(header, unit);
	ok = ok && read_lines(scan, index, unit);
	return ok ? GSYM_OK : GSYM_ERR_MEMORY;
}

const struct dw_reader gsym_dwarf_scan = {
	.parallel = true,
	.open = scan_open,
	.close = scan_close,
	.unit_count = scan_unit_count,
	.unit_size = scan_unit_size,
	.claims = scan_claims,
	.read_unit = scan_read_unit,
};
