/* SPDX-License-Identifier: MIT */
/* Reads unit headers, abbreviation tables and unit DIEs of a file; walks over
 * the DIEs of a unit. */
#include "dwarf/scan.h"

#include "base/order.h"
#include "base/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gsym_dw_info_close(struct dw_info *info)
{
	for (size_t i = 0; i < info->tables.count; i++)
		gsym_dw_abbrevs_fini(&info->tables.items[i].abbrevs);
	gsym_vec_fini(&info->tables);
	gsym_vec_fini(&info->order);
	gsym_vec_fini(&info->signatures);
	gsym_vec_fini(&info->info.headers);
	gsym_vec_fini(&info->types.headers);
}

/* ---- unit headers ------------------------------------------------------- */

/* Read the fields of the header that only some kinds of units have. */
static void read_extra(struct gsym_cursor *c, struct dw_header *h)
{
	switch (h->unit_type) {
	case DW_UT_skeleton:
	case DW_UT_split_compile:
		h->has_id = true;
		h->id = gsym_cursor_u64(c);
		break;
	case DW_UT_type:
	case DW_UT_split_type:
		h->id = gsym_cursor_u64(c);
		h->type = h->offset +
			  gsym_cursor_uint(c, h->encoding.offset_size);
		break;
	}
}

bool gsym_dw_header_read(struct gsym_cursor *c, uint64_t offset, uint64_t left,
			 bool is_types, struct dw_header *h)
{
	uint64_t length;

	*h = (struct dw_header){ .offset = offset };
	length = dw_length_read(c, &h->encoding.offset_size);
	if (c->failed || length > left - gsym_cursor_offset(c)) {
		gsym_cursor_fail(c);
		return false;
	}
	h->end = offset + gsym_cursor_offset(c) + length;
	h->encoding.version = gsym_cursor_u16(c);
	if (h->encoding.version >= 5) {
		h->unit_type = gsym_cursor_u8(c);
		h->encoding.address_size = gsym_cursor_u8(c);
		h->abbrev_offset =
			gsym_cursor_uint(c, h->encoding.offset_size);
	} else {
		h->unit_type = is_types ? DW_UT_type : DW_UT_compile;
		h->abbrev_offset =
			gsym_cursor_uint(c, h->encoding.offset_size);
		h->encoding.address_size = gsym_cursor_u8(c);
	}
	read_extra(c, h);
	h->die = offset + gsym_cursor_offset(c);
	return !c->failed && h->encoding.version >= 2 &&
	       h->encoding.version <= 5 && h->die <= h->end &&
	       (h->encoding.address_size == 4 ||
		h->encoding.address_size == 8);
}

/* Read the headers of the units of PART, which lie in CONTAINER; NULL: in
 * memory of their own.  A conversion in part touches few of the many bytes
 * between them. */
static bool read_headers(struct dw_part *part, bool is_types,
			 const struct gsym_container *container,
			 struct dw_unit *outside)
{
	struct gsym_cursor c = part->sections.info;

	while (c.at < c.end) {
		size_t left = gsym_cursor_left(&c);
		size_t size =
			left < DW_LONGEST_HEADER ? left : DW_LONGEST_HEADER;
		uint8_t bytes[DW_LONGEST_HEADER];
		struct gsym_cursor head =
			gsym_cursor_init(bytes, size, c.swap);
		struct dw_header header;

		if (container)
			gsym_container_copy(container, c.at, bytes, size);
		else
			memcpy(bytes, c.at, size);
		if (!gsym_dw_header_read(&head, gsym_cursor_offset(&c), left,
					 is_types, &header)) {
			gsym_dw_unit_warn(outside, GSYM_WARN_BAD_UNIT,
					  "unit header at .debug_%s+0x%" PRIx64
					  " cannot be read",
					  is_types ? "types" : "info",
					  header.offset);
			if (head.failed)
				break;
			gsym_cursor_seek(&c, header.end);
			continue;
		}
		outside->offset = header.offset;
		if (!dw_unit_take(outside, DW_CUT_UNITS, DW_COST_UNIT))
			break;
		gsym_cursor_seek(&c, header.end);
		header.sections = &part->sections;
		if (!gsym_vec_add(&part->headers, header))
			return false;
	}
	return true;
}

/* ---- type units --------------------------------------------------------- */

static int by_signature(const void *a, const void *b)
{
	const struct dw_signature *x = a, *y = b;
	int order = GSYM_ORDER(x->signature, y->signature);

	if (!order)
		order = GSYM_ORDER(x->header->encoding.version,
				   y->header->encoding.version);
	return order ? order : GSYM_ORDER(x->header->offset, y->header->offset);
}

static bool add_signatures(struct dw_info *info, const struct dw_part *part)
{
	for (size_t i = 0; i < part->headers.count; i++) {
		const struct dw_header *header = &part->headers.items[i];

		if (header->type &&
		    !gsym_vec_add(&info->signatures,
				  (struct dw_signature){ header->id, header }))
			return false;
	}
	return true;
}

/* ---- abbreviation tables ------------------------------------------------ */

/* Compare the properties of units that their abbreviation table depends on. */
static int compare_tables(const struct dw_header *a, const struct dw_header *b)
{
	uint64_t x[4] = { a->abbrev_offset, a->encoding.version == 2,
			  a->encoding.address_size, a->encoding.offset_size };
	uint64_t y[4] = { b->abbrev_offset, b->encoding.version == 2,
			  b->encoding.address_size, b->encoding.offset_size };

	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return GSYM_ORDER(x[i], y[i]);
	return 0;
}

/* Units that share a table stay in the order of their section. */
static int by_table(const void *a, const void *b)
{
	const struct dw_header *x = *(struct dw_header *const *)a;
	const struct dw_header *y = *(struct dw_header *const *)b;
	int order = compare_tables(x, y);

	return order ? order : GSYM_ORDER(x, y);
}

/* Sort the units by table, and list the tables. */
static bool group_tables(struct dw_info *info)
{
	struct dw_part *parts[] = { &info->info, &info->types };

	for (int k = 0; k < 2; k++) {
		struct dw_headers *headers = &parts[k]->headers;

		if (!gsym_vec_reserve(&info->order, headers->count))
			return false;
		for (size_t i = 0; i < headers->count; i++)
			info->order.items[info->order.count++] =
				&headers->items[i];
	}
	gsym_vec_sort(&info->order, by_table);
	for (size_t i = 0; i < info->order.count; i++) {
		struct dw_header **order = info->order.items;

		if ((!i || compare_tables(order[i - 1], order[i])) &&
		    !gsym_vec_add(&info->tables,
				  (struct dw_table){ .first = i }))
			return false;
		info->tables.items[info->tables.count - 1].count++;
	}
	return true;
}

/* ---- unit DIEs ---------------------------------------------------------- */

bool gsym_dw_unit_die_read(const struct dw_header *header,
			   struct dw_attributes *ret)
{
	struct gsym_cursor c = header->sections->info;
	const struct dw_abbrev *abbrev;

	gsym_cursor_seek(&c, header->die);
	c.end = c.start + header->end;
	abbrev = dw_abbrev_find(header->abbrevs, gsym_cursor_uleb(&c));
	if (!abbrev)
		return false;
	memset(ret, 0, sizeof(*ret));
	gsym_dw_abbrev_read(header->abbrevs, abbrev, &c, header->encoding, ret);
	return !c.failed;
}

/* Note where the unit's parts of other sections begin. */
static void note_bases(struct dw_header *header, const struct dw_value *slots)
{
	bool v5 = header->encoding.version >= 5;
	uint64_t value = header->encoding.offset_size == 8 ? 16 : 8;

	/* Without the attribute it is the first table of a DWARF 5 section,
	 * which begins after the section's header. */
	header->str_offsets_base = v5 ? value : 0;
	header->addr_base = v5 ? value : 0;
	header->rnglists_base = header->encoding.offset_size == 8 ? 20 : 12;
	if (gsym_dw_value_offset(slots[DW_SLOT_STR_OFFSETS_BASE], &value))
		header->str_offsets_base = value;
	if (gsym_dw_value_offset(slots[DW_SLOT_ADDR_BASE], &value))
		header->addr_base = value;
	if (gsym_dw_value_offset(slots[DW_SLOT_RNGLISTS_BASE], &value))
		header->rnglists_base = value;
}

/* Note the attributes of the unit DIE that are needed to read the unit. */
static void note_unit_die(struct dw_header *header)
{
	struct dw_attributes attributes;
	const struct dw_value *slots = attributes.slots;
	uint64_t value;

	header->usable = gsym_dw_unit_die_read(header, &attributes);
	if (!header->usable)
		return;
	note_bases(header, slots);
	header->has_lines = gsym_dw_value_offset(slots[DW_SLOT_STMT_LIST],
						 &header->stmt_list);
	if (gsym_dw_value_constant(slots[DW_SLOT_LANGUAGE], &value) &&
	    value <= UINT16_MAX)
		header->language = (uint16_t)value;
	header->producer =
		gsym_dw_value_string(header, slots[DW_SLOT_PRODUCER]);
	if (!gsym_dw_value_address(header, slots[DW_SLOT_LOW_PC],
				   &header->low_pc) &&
	    !gsym_dw_value_address(header, slots[DW_SLOT_ENTRY_PC],
				   &header->low_pc))
		header->low_pc = 0;
	header->comp_dir =
		gsym_dw_value_string(header, slots[DW_SLOT_COMP_DIR]);
	header->split_name =
		gsym_dw_value_string(header, slots[DW_SLOT_SPLIT_NAME]);
	if (gsym_dw_value_offset(slots[DW_SLOT_SPLIT_ID], &value)) {
		header->has_id = true;
		header->id = value;
	}
	if (!gsym_dw_value_offset(slots[DW_SLOT_RANGES_BASE],
				  &header->ranges_base))
		header->ranges_base = 0;
}

/* Abbreviation tables do not overlap, unless offsets of units are damaged or
 * the file is hostile.  So a table ends at the start of the table this many
 * places after it: otherwise a table of a megabyte that begins at each of its
 * bytes would take a terabyte. */
enum { OVERLAPPING_TABLES = 16 };

static uint64_t table_end(const struct dw_info *info, size_t index)
{
	const struct dw_table *next = info->tables.items + index;

	if (info->tables.count - index <= OVERLAPPING_TABLES)
		return UINT64_MAX;
	next += OVERLAPPING_TABLES;
	return info->order.items[next->first]->abbrev_offset;
}

/* Compile a table, and read the unit DIEs of its users, but for those that wait
 * and those that were read before. */
static enum gsym_status prepare(void *context, size_t index, unsigned worker)
{
	struct dw_info *info = context;
	struct dw_table *table = &info->tables.items[index];
	struct dw_header **order = info->order.items + table->first;

	(void)worker;
	for (size_t i = 0; i < table->count; i++) {
		if (order[i]->waits || order[i]->abbrevs)
			continue;
		if (!table->read &&
		    !gsym_dw_abbrevs_read(&table->abbrevs, order[0]->sections,
					  order[0]->abbrev_offset,
					  table_end(info, index),
					  order[0]->encoding))
			return GSYM_ERR_MEMORY;
		table->read = true;
		order[i]->abbrevs = &table->abbrevs;
		note_unit_die(order[i]);
	}
	return GSYM_OK;
}

static void warn_unusable(struct dw_part *part, bool is_types,
			  struct dw_unit *outside)
{
	for (size_t i = 0; i < part->headers.count; i++) {
		struct dw_header *header = &part->headers.items[i];

		if (header->usable || header->waits || header->reported)
			continue;
		header->reported = true;
		gsym_dw_unit_warn(outside, GSYM_WARN_BAD_UNIT,
				  "unit DIE of the unit at .debug_%s+0x%" PRIx64
				  " cannot be read",
				  is_types ? "types" : "info", header->offset);
	}
}

/* ---- opening ------------------------------------------------------------ */

/* Complete the sections of .debug_info, and make those of .debug_types of
 * them. */
static void link_sections(struct dw_info *info, const struct dw_info *alternate,
			  struct gsym_cursor types)
{
	struct dw_sections *s = &info->info.sections;
	struct dw_sections *t = &info->types.sections;

	s->headers = &info->info.headers;
	s->global = s;
	s->signatures = &info->signatures;
	s->alternate = alternate ? &alternate->info.sections : NULL;
	*t = *s;
	t->info = types;
	t->headers = &info->types.headers;
}

bool gsym_dw_info_open_unit(struct dw_info *info,
			    const struct dw_sections *sections,
			    struct gsym_cursor unit, struct dw_unit *outside)
{
	info->info.sections = *sections;
	info->info.sections.info = unit;
	link_sections(info, NULL, gsym_cursor_init(NULL, 0, unit.swap));
	return read_headers(&info->info, false, NULL, outside) &&
	       group_tables(info) && gsym_dw_info_prepare(info, 1, outside);
}

bool gsym_dw_info_headers(struct dw_info *info,
			  const struct gsym_container *container,
			  const struct dw_info *alternate,
			  struct dw_unit *outside)
{
	gsym_dw_sections_init(&info->info.sections, container);
	link_sections(info, alternate,
		      gsym_container_named(container, ".debug_types"));
	if (!read_headers(&info->info, false, container, outside) ||
	    !read_headers(&info->types, true, container, outside) ||
	    !add_signatures(info, &info->info) ||
	    !add_signatures(info, &info->types) || !group_tables(info))
		return false;
	gsym_vec_sort(&info->signatures, by_signature);
	return true;
}

bool gsym_dw_info_prepare(struct dw_info *info, unsigned threads,
			  struct dw_unit *outside)
{
	if (gsym_pool_run(threads, info->tables.count, 0, prepare, NULL, NULL,
			  info) != GSYM_OK)
		return false;
	warn_unusable(&info->info, false, outside);
	warn_unusable(&info->types, true, outside);
	return true;
}

bool gsym_dw_info_open(struct dw_info *info,
		       const struct gsym_container *container,
		       const struct dw_info *alternate, unsigned threads,
		       struct dw_unit *outside)
{
	return gsym_dw_info_headers(info, container, alternate, outside) &&
	       gsym_dw_info_prepare(info, threads, outside);
}

/* ---- walks --------------------------------------------------------------- */

/* The abbreviation of the DIE at AT, whose code is returned to *CODE, with the
 * byte after the code.  NULL for code 0, and if there is no such abbreviation;
 * the byte is NULL if the code cannot be read. */
static inline const struct dw_abbrev *abbrev_at(const struct dw_abbrevs *table,
						const uint8_t **at,
						const uint8_t *end,
						uint64_t *code)
{
	if (**at < 0x80)
		*code = *(*at)++;
	else
		*at = gsym_uleb_read(*at, end, code);
	return *at && *code ? dw_abbrev_find(table, *code) : NULL;
}

/* Step over the attributes at AT of a DIE with ABBREV.  Returns the byte after
 * them; *SIBLING becomes the value of DW_AT_sibling, or 0. */
static inline const uint8_t *skip(struct dw_walk *w,
				  const struct dw_abbrev *abbrev,
				  const uint8_t *at, uint64_t *sibling)
{
	const uint8_t *end;

	*sibling = 0;
	end = dw_abbrev_step(abbrev, at, (size_t)(w->c.end - at), w->c.swap,
			     sibling);
	if (end)
		return end;
	w->c.at = at;
	gsym_dw_abbrev_skip(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, sibling);
	return w->c.at;
}

/* Go on to the next DIE of one of KINDS, or to the end of the children at depth
 * FLOOR.  Most DIEs of C++ are passed here: AT and NEXT are no members of W so
 * that they stay in registers. */
static const struct dw_abbrev *find(struct dw_walk *w, unsigned kinds,
				    uint32_t floor)
{
	const struct dw_abbrevs *table = w->header->abbrevs;
	const struct dw_abbrev *found = NULL;
	const uint8_t *at = w->c.at, *die = at, *end;
	uint32_t next = w->next, low = next;
	uint64_t code = 0, sibling;

	while (at < w->c.end) {
		const struct dw_abbrev *abbrev;

		die = at;
		abbrev = abbrev_at(table, &at, w->c.end, &code);
		if (!abbrev) {
			w->c.at = at ? at : die;
			if (!at || code)
				gsym_cursor_fail(&w->c);
			if (!at || code || next <= floor)
				goto out;
			next--;
			low = low < next ? low : next;
			continue;
		}
		if (abbrev->kinds & kinds) {
			found = abbrev;
			w->c.at = at;
			goto out;
		}
		at = skip(w, abbrev, at, &sibling);
		if (!abbrev->has_children) {
			if (!next)
				w->c.end = at; /* the DIE is the whole tree */
			continue;
		}
		end = NULL;
		if (abbrev->kinds & w->leave ||
		    (abbrev->kinds & w->leave_outside && low <= w->function))
			end = dw_walk_sibling(w, at, sibling);
		if (end && !w->c.failed)
			at = end;
		else
			next++;
	}
	w->c.at = at;
	/* The zero after the children of the first DIE may be missing. */
	if (!w->c.failed && next > 1)
		gsym_cursor_fail(&w->c);
out:
	w->die = (uint64_t)(die - w->c.start);
	w->next = w->depth = next;
	w->low = low;
	return found;
}

const struct dw_abbrev *gsym_dw_walk_find(struct dw_walk *w, unsigned kinds)
{
	return find(w, kinds, 1);
}

void gsym_dw_walk_leave(struct dw_walk *w)
{
	uint32_t depth = w->depth;

	if (w->next == depth)
		return;
	find(w, 0, depth + 1);
	w->depth = w->next = depth;
}
