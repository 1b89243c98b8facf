/* SPDX-License-Identifier: MIT */
/*
 * The production reader of DWARF, on plain section bytes.
 *
 * Opening it reads all unit headers, abbreviation tables and unit DIEs.  These
 * do not change after that, so any number of threads may read units at once
 * and follow references into each other's units.  Knows nothing of libdwarf,
 * ELF or GSYM.
 */
#include "base/error.h"
#include "base/order.h"
#include "dwarf/scan.h"
#include "dwarf/policy.h"
#include "dwarf/unit.h"

#include <inttypes.h>
#include <stdlib.h>

struct scan {
	const struct gsym_container *container;
	struct dw_info main;
	/* The supplementary file (dwz); empty if there is none. */
	struct dw_info alternate;
	/* By unit: the index of its header in MAIN. */
	GSYM_VEC_OF(uint32_t) units;
	/* From this unit on, no unit needs the bytes of units before itself. */
	size_t lone;
	/* The bytes of .debug_info up to this offset were given back. */
	uint64_t released;
	/* Units of MAIN wait until they are needed. */
	bool few;
};

static void scan_close(void *self)
{
	struct scan *scan = self;

	gsym_dw_info_close(&scan->main);
	gsym_dw_info_close(&scan->alternate);
	gsym_vec_fini(&scan->units);
	free(scan);
}

/* Whether H is of a unit that may have code, or whose split unit may. */
static bool has_code(const struct dw_header *h)
{
	return h->unit_type == DW_UT_compile ||
	       h->unit_type == DW_UT_partial || h->unit_type == DW_UT_skeleton;
}

static bool list_units(struct scan *scan)
{
	const struct dw_headers *headers = &scan->main.info.headers;

	for (size_t i = 0; i < headers->count; i++) {
		if (!has_code(&headers->items[i]))
			continue;
		if (!gsym_vec_add(&scan->units, (uint32_t)i))
			return false;
	}
	return true;
}

/* Whether unit INDEX, which is usable, may need any other unit. */
static bool refers_out(const struct scan *scan, size_t index)
{
	const struct dw_header *h =
		&scan->main.info.headers.items[scan->units.items[index]];

	return h->abbrevs->refers_out || h->split_name;
}

/* Lower SCAN->lone, which counts all units.  Units need others if they refer to
 * them.  The name of a .dwo file is compared with that of the next unit (struct
 * dw_held). */
static void find_lone_units(struct scan *scan)
{
	while (scan->lone && !refers_out(scan, scan->lone - 1))
		scan->lone--;
}

static int by_id(const void *a, const void *b)
{
	const struct dw_header *x = *(struct dw_header *const *)a;
	const struct dw_header *y = *(struct dw_header *const *)b;

	return x->id != y->id ? GSYM_ORDER(x->id, y->id) : GSYM_ORDER(x, y);
}

/* Note which skeletons have the ID of an earlier one, or the file of the one
 * before.  False without memory. */
static bool compare_skeletons(struct scan *scan)
{
	struct dw_headers *headers = &scan->main.info.headers;
	struct dw_header **skeletons;
	size_t count = 0;

	skeletons = malloc((headers->count + 1) * sizeof(*skeletons));
	if (!skeletons)
		return false;
	for (size_t i = 0; i < headers->count; i++) {
		struct dw_header *h = &headers->items[i], *last;

		if (!h->usable || !h->split_name)
			continue;
		last = count ? skeletons[count - 1] : NULL;
		h->follows = last &&
			     dw_same_text(last->split_name, h->split_name) &&
			     dw_same_text(last->comp_dir, h->comp_dir);
		skeletons[count++] = h;
	}
	if (count)
		qsort(skeletons, count, sizeof(*skeletons), by_id);
	for (size_t i = 1; i < count; i++)
		skeletons[i]->repeated = skeletons[i]->id ==
					 skeletons[i - 1]->id;
	free(skeletons);
	return true;
}

/* Let all units of .debug_info wait, or none. */
static void set_waits(struct scan *scan, bool waits)
{
	struct dw_headers *headers = &scan->main.info.headers;

	for (size_t i = 0; i < scan->units.count; i++)
		headers->items[scan->units.items[i]].waits = waits;
}

/* Make the units usable that do not wait. */
static bool prepare_units(struct scan *scan, unsigned threads,
			  struct dw_unit *outside)
{
	return gsym_dw_info_prepare(&scan->main, threads, outside) &&
	       compare_skeletons(scan);
}

static enum gsym_status scan_open(const struct gsym_container *container,
				  bool few, unsigned threads,
				  struct dw_unit *outside, void **self,
				  struct gsym_error *error)
{
	const struct gsym_container *other = container->alternate;
	struct scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return gsym_fail_memory(error);
	scan->container = container;
	scan->few = few;
	if ((other && !gsym_dw_info_open(&scan->alternate, other, NULL, threads,
					 outside)) ||
	    !gsym_dw_info_headers(&scan->main, container,
				  other ? &scan->alternate : NULL, outside) ||
	    !list_units(scan)) {
		scan_close(scan);
		return gsym_fail_memory(error);
	}
	set_waits(scan, few);
	if (!prepare_units(scan, threads, outside)) {
		scan_close(scan);
		return gsym_fail_memory(error);
	}
	scan->lone = scan->units.count;
	if (!few)
		find_lone_units(scan);
	*self = scan;
	return GSYM_OK;
}

/* If units wait: make those usable for which FLAGS, by unit, is NEEDED, and
 * those that they refer to. */
static enum gsym_status wake_units(struct scan *scan, const bool *flags,
				   bool needed, struct dw_unit *outside)
{
	struct dw_headers *headers = &scan->main.info.headers;
	bool all = false;

	if (!scan->few)
		return GSYM_OK;
	for (size_t i = 0; i < scan->units.count; i++)
		if (flags[i] == needed)
			headers->items[scan->units.items[i]].waits = false;
	if (!prepare_units(scan, 1, outside))
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < scan->units.count && !all; i++)
		all = flags[i] == needed && refers_out(scan, i);
	if (!all)
		return GSYM_OK;
	set_waits(scan, false);
	return prepare_units(scan, 1, outside) ? GSYM_OK : GSYM_ERR_MEMORY;
}

static enum gsym_status scan_need(void *self, const bool *needed,
				  struct dw_unit *outside)
{
	return wake_units(self, needed, true, outside);
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

static const struct dw_header *scan_unit(void *self, size_t index)
{
	return unit_header(self, index);
}

/* ---- claims ------------------------------------------------------------- */

/* The index of the unit whose header is at OFFSET; UINT32_MAX: none. */
static uint32_t find_unit(const struct scan *scan, uint64_t offset)
{
	size_t at = GSYM_FIRST(i, 0, scan->units.count,
			       unit_header(scan, i)->offset >= offset);

	return at < scan->units.count && unit_header(scan, at)->offset == offset
		       ? (uint32_t)at
		       : UINT32_MAX;
}

static enum gsym_status scan_aranges(void *self, struct dw_claims *claims,
				     bool *has_set, struct dw_unit *outside)
{
	struct scan *scan = self;
	struct gsym_cursor c = scan->main.info.sections.aranges;
	bool cut = false;
	struct dw_set set;

	while (!cut && c.at < c.end && gsym_dw_set_read(&c, &set)) {
		uint32_t unit = find_unit(scan, set.unit);

		if (unit == UINT32_MAX)
			continue;
		has_set[unit] = true;
		if (!gsym_dw_set_claim(&set, unit,
				       scan->main.info.sections.code_bit0,
				       claims, outside, &cut))
			return GSYM_ERR_MEMORY;
	}
	if (c.failed)
		gsym_dw_unit_warn(outside, GSYM_WARN_BAD_UNIT,
				  ".debug_aranges cannot be read at +0x%zx",
				  gsym_cursor_offset(&c));
	return wake_units(scan, has_set, false, outside);
}

static enum gsym_status scan_unit_ranges(void *self, size_t index,
					 struct gsym_range_set *ranges,
					 struct dw_unit *outside)
{
	const struct dw_header *header = unit_header(self, index);
	struct dw_attributes attributes;

	if (!header->usable || !gsym_dw_unit_die_read(header, &attributes))
		return GSYM_OK;
	switch (gsym_dw_ranges_read(header, &attributes, false, ranges,
				    outside)) {
	case DW_RANGES_MEMORY:
		return GSYM_ERR_MEMORY;
	case DW_RANGES_BAD:
		gsym_dw_unit_warn(outside, GSYM_WARN_BAD_RANGES,
				  "ranges of the unit at .debug_info+0x%" PRIx64
				  " break off",
				  header->offset);
		break;
	case DW_RANGES_OK:
	case DW_RANGES_CUT:
		break;
	}
	return GSYM_OK;
}

/* ---- units -------------------------------------------------------------- */

/* The split unit with ID in INFO; NULL: none. */
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

/* A type unit of a package. */
struct type_unit {
	const struct dw_header *header; /* NULL: its file does not have it */
	struct dw_info info;
};

static void close_type(void *unit)
{
	struct type_unit *type = unit;

	if (type)
		gsym_dw_info_close(&type->info);
	free(type);
}

static const struct dw_header *find_type(void *context, uint64_t signature);

/* Read the units of TYPE, and find the type unit among them.  Their references
 * lead to type units of PACKAGE, too.  False without memory. */
static bool read_type(struct dw_package *package, struct dw_package_type *type)
{
	struct type_unit *unit = type->unit = calloc(1, sizeof(*unit));
	struct dw_unit outside = { 0 };
	bool ok = unit && gsym_dw_info_open(&unit->info, &type->split.container,
					    package->alternate, 1, &outside);

	gsym_dw_unit_fini(&outside);
	if (!ok)
		return false;
	unit->header = gsym_dw_signatures_find(&unit->info.signatures,
					       type->signature);
	unit->info.signatures.find = find_type;
	unit->info.signatures.context = package;
	return true;
}

static const struct dw_header *find_type(void *context, uint64_t signature)
{
	struct dw_package *package = context;
	bool added;
	struct dw_package_type *type =
		gsym_dw_package_type(package, signature, &added);
	const struct type_unit *unit;

	if (added && !read_type(package, type))
		package->no_memory = true;
	unit = type ? type->unit : NULL;
	return unit ? unit->header : NULL;
}

/* Read the nodes of the skeleton's split unit, if SPLIT holds it. */
static bool read_candidate(void *context, const struct dw_header *skeleton,
			   struct dw_split *split, struct dw_unit *unit,
			   bool *found)
{
	const struct scan *scan = context;
	struct dw_package package = {
		.main = scan->container,
		.skeleton = skeleton,
		.alternate =
			scan->container->alternate ? &scan->alternate : NULL,
	};
	struct dw_info info = { 0 };
	struct dw_unit outside = { 0 };
	struct dw_header *header;
	bool ok = gsym_dw_info_open(&info, &split->container, package.alternate,
				    1, &outside);

	split->price += info.info.headers.count * (uint64_t)DW_COST_SIBLING;
	header = ok ? find_split(&info, skeleton->id) : NULL;
	*found = header;
	if (header && gsym_dw_split_pay(skeleton, split, unit,
					dw_unit_bytes(header))) {
		header->low_pc = skeleton->low_pc;
		/* A .dwo file has its type units itself. */
		if (!split->file) {
			info.signatures.find = find_type;
			info.signatures.context = &package;
		}
		ok = gsym_dw_nodes_read(header, unit) && !package.no_memory;
	}
	gsym_dw_unit_fini(&outside);
	gsym_dw_package_close(&package, close_type);
	gsym_dw_info_close(&info);
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
		ok = gsym_dw_split_read(scan->container, header, read_candidate,
					self, unit, &found);
	/* A skeleton whose .dwo file is missing has DIEs of its own. */
	if (!found)
		ok = ok && gsym_dw_nodes_read(header, unit);
	ok = ok && gsym_dw_lines_read(header, unit);
	return ok ? GSYM_OK : GSYM_ERR_MEMORY;
}

static bool scan_has_code(void *self, size_t index)
{
	const struct dw_header *h = unit_header(self, index);

	return h->usable && (h->split_name || h->abbrevs->has_code);
}

static void scan_unit_read(void *self, size_t index)
{
	/* Small units cost less memory than their calls take time. */
	enum { LEAST = 1 << 18 };
	const struct scan *scan = self;
	const struct dw_header *h = unit_header(scan, index);

	if (index + 1 >= scan->lone && dw_unit_bytes(h) >= LEAST)
		gsym_container_unload(scan->container,
				      gsym_container_section(scan->container,
							     ".debug_info"),
				      h->offset, h->end);
}

/* Give the bytes of .debug_info up to the end of unit INDEX back, if no later
 * unit needs them.  Large programs have hundreds of megabytes. */
static void scan_unit_done(void *self, size_t index)
{
	enum { STEP = 1 << 20 };
	struct scan *scan = self;
	uint64_t end = unit_header(scan, index)->end;

	if (index + 1 < scan->lone || end - scan->released < STEP)
		return;
	gsym_container_release(scan->container,
			       gsym_container_section(scan->container,
						      ".debug_info"),
			       scan->released, end);
	scan->released = end;
}

const struct dw_reader gsym_dwarf_scan = {
	.open = scan_open,
	.close = scan_close,
	.unit_count = scan_unit_count,
	.unit = scan_unit,
	.aranges = scan_aranges,
	.unit_ranges = scan_unit_ranges,
	.read_unit = scan_read_unit,
	.has_code = scan_has_code,
	.need = scan_need,
	.unit_read = scan_unit_read,
	.unit_done = scan_unit_done,
};
