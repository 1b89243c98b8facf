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
#include "base/pool.h"
#include "dwarf/lines.h"
#include "dwarf/nodes.h"
#include "dwarf/policy.h"
#include "dwarf/ranges.h"
#include "dwarf/unit.h"

#include <stdlib.h>

/* An abbreviation table and the units that use it, next to each other in
 * the order of ORDER. */
struct table {
	struct dw_abbrevs abbrevs;
	uint32_t first;
	uint32_t count;
};

struct scan {
	struct dw_sections sections;
	struct dw_headers headers;
	/* Indexes of the headers whose units may have code. */
	struct { GSYM_VEC(uint32_t); } units;
	/* Indexes of all headers, by abbreviation table. */
	struct { GSYM_VEC(uint32_t); } order;
	struct { GSYM_VEC(struct table); } tables;
	/* Collects the warnings that come up on opening. */
	struct dw_unit notes;
};

static void scan_close(void *self)
{
	struct scan *scan = self;

	for (size_t i = 0; i < scan->tables.count; i++)
		dw_abbrevs_fini(&scan->tables.items[i].abbrevs);
	gsym_vec_fini(&scan->tables);
	gsym_vec_fini(&scan->order);
	gsym_vec_fini(&scan->units);
	gsym_vec_fini(&scan->headers);
	dw_unit_fini(&scan->notes);
	free(scan);
}

/* ---- unit headers ------------------------------------------------------- */

/* Read the header at the cursor, which ends behind the unit afterwards.
 * False if the unit cannot be used; the cursor has failed if nothing behind
 * it can be either. */
static bool read_header(struct gsym_cursor *c, struct dw_header *h)
{
	uint64_t length, header_end;

	*h = (struct dw_header){ .offset = gsym_cursor_offset(c) };
	h->encoding.offset_size = 4;
	length = gsym_cursor_u32(c);
	if (length == UINT32_MAX) {
		length = gsym_cursor_u64(c);
		h->encoding.offset_size = 8;
	}
	if (!gsym_cursor_need(c, length))
		return false;
	h->end = gsym_cursor_offset(c) + length;
	h->encoding.version = gsym_cursor_u16(c);
	if (h->encoding.version >= 5) {
		h->unit_type = gsym_cursor_u8(c);
		h->encoding.address_size = gsym_cursor_u8(c);
		h->abbrev_offset =
			gsym_cursor_uint(c, h->encoding.offset_size);
	} else {
		h->unit_type = DW_UT_compile;
		h->abbrev_offset =
			gsym_cursor_uint(c, h->encoding.offset_size);
		h->encoding.address_size = gsym_cursor_u8(c);
	}
	if (h->unit_type == DW_UT_skeleton ||
	    h->unit_type == DW_UT_split_compile)
		gsym_cursor_u64(c); /* the id of the .dwo file */
	if (h->unit_type == DW_UT_type || h->unit_type == DW_UT_split_type) {
		gsym_cursor_u64(c); /* signature, offset of the type */
		gsym_cursor_uint(c, h->encoding.offset_size);
	}
	h->die = header_end = gsym_cursor_offset(c);
	return !c->failed && h->encoding.version >= 2 &&
	       h->encoding.version <= 5 && header_end <= h->end &&
	       (h->encoding.address_size == 4 ||
		h->encoding.address_size == 8);
}

static bool has_code(const struct dw_header *h)
{
	return h->unit_type == DW_UT_compile ||
	       h->unit_type == DW_UT_partial || h->unit_type == DW_UT_skeleton;
}

static bool read_headers(struct scan *scan)
{
	struct gsym_cursor c = scan->sections.info;

	while (c.at < c.end) {
		struct dw_header header;
		uint32_t *unit;

		if (!read_header(&c, &header)) {
			dw_unit_warn(&scan->notes, GSYM_WARN_BAD_UNIT,
				     "unit header at .debug_info+0x%llx cannot "
				     "be read",
				     (unsigned long long)header.offset);
			if (c.failed)
				break;
			gsym_cursor_seek(&c, header.end);
			continue;
		}
		gsym_cursor_seek(&c, header.end);
		if (has_code(&header)) {
			unit = gsym_vec_push(&scan->units);
			if (!unit)
				return false;
			*unit = (uint32_t)scan->headers.count;
		}
		if (!gsym_vec_reserve(&scan->headers, 1))
			return false;
		scan->headers.items[scan->headers.count++] = header;
	}
	return true;
}

/* ---- abbreviation tables ------------------------------------------------ */

/* What a table depends on. */
static int compare_tables(const struct dw_header *a, const struct dw_header *b)
{
	uint64_t x[4] = { a->abbrev_offset, a->encoding.version == 2,
			  a->encoding.address_size, a->encoding.offset_size };
	uint64_t y[4] = { b->abbrev_offset, b->encoding.version == 2,
			  b->encoding.address_size, b->encoding.offset_size };

	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

struct sort_key {
	const struct dw_header *header;
	uint32_t index;
};

static int by_table(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	int order = compare_tables(x->header, y->header);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Put the units that share a table together. */
static bool group_tables(struct scan *scan)
{
	size_t count = scan->headers.count;
	struct sort_key *keys = calloc(count + 1, sizeof(*keys));
	bool ok = keys && gsym_vec_reserve(&scan->order, count);

	for (size_t i = 0; ok && i < count; i++)
		keys[i] = (struct sort_key){ &scan->headers.items[i],
					     (uint32_t)i };
	if (ok && count)
		qsort(keys, count, sizeof(*keys), by_table);
	for (size_t i = 0; ok && i < count; i++) {
		struct table *table;

		scan->order.items[i] = keys[i].index;
		if (!i || compare_tables(keys[i - 1].header, keys[i].header)) {
			table = gsym_vec_push(&scan->tables);
			ok = table;
			if (ok)
				*table = (struct table){ .first = (uint32_t)i };
		}
		if (ok)
			scan->tables.items[scan->tables.count - 1].count++;
	}
	scan->order.count = ok ? count : 0;
	free(keys);
	return ok;
}

/* The unit DIE of HEADER. */
static bool read_unit_die(const struct scan *scan,
			  const struct dw_header *header,
			  struct dw_attributes *ret)
{
	struct gsym_cursor c = scan->sections.info;
	const struct dw_abbrev *abbrev;

	gsym_cursor_seek(&c, header->die);
	c.end = c.start + header->end;
	abbrev = dw_abbrev_find(header->abbrevs, gsym_cursor_uleb(&c));
	if (!abbrev)
		return false;
	dw_abbrev_read(header->abbrevs, abbrev, &c, header->encoding, ret);
	return !c.failed;
}

/* Take over what the unit DIE says about reading the unit. */
static void note_unit_die(const struct scan *scan, struct dw_header *header)
{
	const struct dw_sections *s = &scan->sections;
	bool v5 = header->encoding.version >= 5;
	struct dw_attributes attributes;
	const struct dw_value *slots = attributes.slots;
	uint64_t value;

	header->usable = read_unit_die(scan, header, &attributes);
	if (!header->usable)
		return;
	/* Without an attribute a DWARF 5 table starts behind its header. */
	value = header->encoding.offset_size == 8 ? 16 : 8;
	header->str_offsets_base = v5 ? value : 0;
	header->addr_base = v5 ? value : 0;
	header->rnglists_base = header->encoding.offset_size == 8 ? 20 : 12;
	if (dw_value_offset(slots[DW_SLOT_STR_OFFSETS_BASE], &value))
		header->str_offsets_base = value;
	if (dw_value_offset(slots[DW_SLOT_ADDR_BASE], &value))
		header->addr_base = value;
	if (dw_value_offset(slots[DW_SLOT_RNGLISTS_BASE], &value))
		header->rnglists_base = value;
	header->has_lines =
		dw_value_offset(slots[DW_SLOT_STMT_LIST], &header->stmt_list);
	if (dw_value_constant(slots[DW_SLOT_LANGUAGE], &value) &&
	    value <= UINT16_MAX)
		header->language = (uint16_t)value;
	if (!dw_value_address(s, header, slots[DW_SLOT_LOW_PC],
			      &header->low_pc))
		header->low_pc = 0;
	header->comp_dir =
		dw_value_string(s, header, slots[DW_SLOT_COMP_DIR]);
}

/* Compile a table and read the unit DIEs that use it. */
static enum gsym_status prepare(void *context, size_t index, unsigned worker)
{
	struct scan *scan = context;
	struct table *table = &scan->tables.items[index];
	const struct dw_header *first =
		&scan->headers.items[scan->order.items[table->first]];

	(void)worker;
	if (!dw_abbrevs_read(&table->abbrevs, &scan->sections,
			     first->abbrev_offset, first->encoding))
		return GSYM_ERR_MEMORY;
	for (uint32_t i = 0; i < table->count; i++) {
		struct dw_header *header =
			&scan->headers.items[scan->order
						     .items[table->first + i]];

		header->abbrevs = &table->abbrevs;
		note_unit_die(scan, header);
	}
	return GSYM_OK;
}

static enum gsym_status scan_open(const struct gsym_container *container,
				  unsigned threads, void **self,
				  struct gsym_error *error)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	enum gsym_status status = GSYM_ERR_MEMORY;

	if (!scan)
		return gsym_fail_memory(error);
	dw_sections_init(&scan->sections, container);
	if (read_headers(scan) && group_tables(scan))
		status = gsym_pool_run(threads, scan->tables.count, 0, prepare,
				       NULL, scan);
	if (status != GSYM_OK) {
		scan_close(scan);
		return gsym_fail_memory(error);
	}
	for (size_t i = 0; i < scan->headers.count; i++)
		if (!scan->headers.items[i].usable)
			dw_unit_warn(
				&scan->notes, GSYM_WARN_BAD_UNIT,
				"unit DIE of the unit at .debug_info+0x%llx "
				"cannot be read",
				(unsigned long long)scan->headers.items[i]
					.offset);
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
	return &scan->headers.items[scan->units.items[index]];
}

static uint64_t scan_unit_size(void *self, size_t index)
{
	const struct dw_header *header = unit_header(self, index);

	return header->end - header->offset;
}

/* ---- claims -------------------------------------------------------------- */

static bool add_claim(struct dw_claims *claims, struct gsym_range range,
		      uint32_t unit)
{
	struct dw_claim *claim = gsym_vec_push(claims);

	if (claim)
		*claim = (struct dw_claim){ range, unit };
	return claim;
}

/* The index of the unit at OFFSET; UINT32_MAX if none with code is there. */
static uint32_t find_unit(const struct scan *scan, uint64_t offset)
{
	size_t low = 0, high = scan->units.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit_header(scan, middle)->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < scan->units.count &&
			       unit_header(scan, low)->offset == offset ?
		       (uint32_t)low :
		       UINT32_MAX;
}

/* A set of .debug_aranges.  The cursor ends behind it, and fails if nothing
 * behind it can be read. */
static bool read_set(const struct scan *scan, struct gsym_cursor *c,
		     bool *has_set, struct dw_claims *claims)
{
	size_t start = gsym_cursor_offset(c);
	unsigned offset_size = 4, size;
	uint64_t length = gsym_cursor_u32(c), end, pair;
	uint64_t mask = ~(uint64_t)scan->sections.code_bit0;
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
	pair = 2 * (uint64_t)size;
	gsym_cursor_skip(c, (pair - (gsym_cursor_offset(c) - start) % pair) %
				    pair);
	if (unit != UINT32_MAX)
		has_set[unit] = true;
	while (!c->failed && gsym_cursor_offset(c) + pair <= end) {
		struct gsym_range range;

		range.start = gsym_cursor_uint(c, size);
		range.end = range.start + gsym_cursor_uint(c, size);
		if (size == 4)
			range.end &= UINT32_MAX;
		range.start &= mask;
		range.end &= mask;
		if (unit != UINT32_MAX &&
		    dw_range_is_real(range.start, range.end, size) &&
		    !add_claim(claims, range, unit))
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
	struct dw_attributes attributes;

	if (!header->usable || !read_unit_die(scan, header, &attributes))
		return true;
	ranges->count = 0;
	switch (dw_ranges_read(&scan->sections, header, &attributes, ranges)) {
	case DW_RANGES_MEMORY:
		return false;
	case DW_RANGES_BAD:
		dw_unit_warn(&scan->notes, GSYM_WARN_BAD_RANGES,
			     "ranges of the unit at .debug_info+0x%llx break "
			     "off",
			     (unsigned long long)header->offset);
		break;
	case DW_RANGES_OK:
		break;
	}
	for (size_t i = 0; i < ranges->count; i++)
		if (!add_claim(claims, ranges->items[i], unit))
			return false;
	return true;
}

static bool read_claims(struct scan *scan, bool *has_set,
			struct dw_claims *claims)
{
	struct gsym_cursor c = scan->sections.aranges;
	struct dw_ranges ranges = { 0 };
	bool ok = true;

	while (ok && c.at < c.end)
		ok = read_set(scan, &c, has_set, claims);
	if (c.failed)
		dw_unit_warn(&scan->notes, GSYM_WARN_BAD_UNIT,
			     ".debug_aranges cannot be read at +0x%llx",
			     (unsigned long long)gsym_cursor_offset(&c));
	for (uint32_t i = 0; ok && i < scan->units.count; i++)
		if (!has_set[i])
			ok = claim_unit(scan, i, &ranges, claims);
	gsym_vec_fini(&ranges);
	return ok;
}

static enum gsym_status scan_claims(void *self, struct dw_claims *claims,
				    struct dw_unit *warnings)
{
	struct scan *scan = self;
	bool *has_set = calloc(scan->units.count + 1, sizeof(*has_set));
	bool ok = has_set && read_claims(scan, has_set, claims);

	free(has_set);
	for (size_t i = 0; i < scan->notes.warnings.count; i++)
		dw_unit_warn(warnings, scan->notes.warnings.items[i].kind, "%s",
			     scan->notes.warnings.items[i].text);
	scan->notes.warnings.count = 0;
	return ok ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* ---- units ---------------------------------------------------------------- */

static enum gsym_status scan_read_unit(void *self, size_t index,
				       struct dw_unit *unit)
{
	const struct scan *scan = self;
	const struct dw_header *header = unit_header(scan, index);
	struct dw_line_tables tables = { 0 };
	bool ok;

	unit->offset = header->offset;
	if (!header->usable)
		return GSYM_OK;
	ok = dw_nodes_read(&scan->sections, &scan->headers, header, unit) &&
	     dw_lines_read(&scan->sections, header, &tables, unit) &&
	     dw_lines_name_files(header, &tables, unit);
	dw_line_tables_fini(&tables);
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
