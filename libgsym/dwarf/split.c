/* SPDX-License-Identifier: MIT */
/* Finds split units in .dwo files and in packages, and makes containers of
 * them; opens the type units of a package. */
#include "dwarf/unit.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COLUMNS = 16 }; /* more than there are kinds of sections */

void gsym_dw_split_close(struct dw_split *split)
{
	gsym_vec_fini(&split->container.sections);
	gsym_container_free(split->file);
	split->file = NULL;
}

/* ---- sections ----------------------------------------------------------- */

/* Add the SIZE bytes at OFFSET of SECTION (NULL: it is missing) as section NAME
 * of the split unit; nothing if they do not lie in SECTION.  False without
 * memory. */
static bool add_part(struct dw_split *split, const char *name,
		     const struct gsym_container_section *section,
		     uint64_t offset,
		     uint64_t size)
{
	if (!section || !section->data || offset > section->data_size ||
	    size > section->data_size - offset)
		return true;
	return gsym_vec_add(&split->container.sections,
			    (struct gsym_container_section){
				    .name = name,
				    .size = size,
				    .data = section->data + offset,
				    .data_size = size,
				    .file_offset =
					    section->file_offset + offset,
			    });
}

/* Add the bytes of SECTION from OFFSET on as section NAME.  False without
 * memory. */
static bool add_rest(struct dw_split *split, const char *name,
		     const struct gsym_container_section *section,
		     uint64_t offset)
{
	return !section || offset > section->data_size ||
	       add_part(split, name, section, offset,
			section->data_size - offset);
}

/* Add the split unit's part of .debug_addr and .debug_ranges, which are in the
 * program MAIN.  False without memory. */
static bool add_shared(struct dw_split *split,
		       const struct gsym_container *main,
		       const struct dw_header *skeleton)
{
	const struct gsym_container_section *addresses =
		gsym_container_section(main, ".debug_addr");
	const struct gsym_container_section *ranges =
		gsym_container_section(main, ".debug_ranges");
	/* From DWARF 5 on the base is after the section's header. */
	uint64_t header = skeleton->encoding.version < 5	     ? 0 :
			  skeleton->encoding.offset_size == 8 ? 16 :
						       8;

	if (skeleton->addr_base >= header &&
	    !add_rest(split, ".debug_addr", addresses,
		      skeleton->addr_base - header))
		return false;
	return skeleton->encoding.version >= 5 ||
	       add_rest(split, ".debug_ranges", ranges, skeleton->ranges_base);
}

/* Begin a container with the sections that are in the program MAIN.  False
 * without memory. */
static bool begin_container(struct dw_split *split,
			    const struct gsym_container *main,
			    const struct dw_header *skeleton)
{
	*split = (struct dw_split){
		.container = {
			.format = main->format,
			.big_endian = main->big_endian,
			.address_size = main->address_size,
			.code_bit0 = main->code_bit0,
		},
	};
	return add_shared(split, main, skeleton);
}

/* ---- .dwo files --------------------------------------------------------- */

static const struct {
	const char *plain, *split;
	/* DW_SECT_* of an index of version 2, and of 5; 0: the index has no
	 * column for the section, so all units share it. */
	uint8_t old, new;
} sections[] = {
	{ ".debug_info", ".debug_info.dwo", 1, 1 },
	{ ".debug_types", ".debug_types.dwo", 2, 2 },
	{ ".debug_abbrev", ".debug_abbrev.dwo", 3, 3 },
	{ ".debug_str_offsets", ".debug_str_offsets.dwo", 6, 6 },
	{ ".debug_rnglists", ".debug_rnglists.dwo", 0, 8 },
	{ ".debug_str", ".debug_str.dwo", 0, 0 },
};

enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

/* Make RET of FILE, a .dwo file that may be the one that SKELETON names.  FILE
 * is freed if that fails. */
static enum gsym_status use_file(const struct gsym_container *main,
				 const struct dw_header *skeleton,
				 struct gsym_container *file,
				 struct dw_split *ret)
{
	enum gsym_status status = GSYM_OK;

	if (file->big_endian != main->big_endian) {
		gsym_container_free(file);
		return GSYM_ERR_FORMAT;
	}
	if (!begin_container(ret, main, skeleton))
		status = GSYM_ERR_MEMORY;
	ret->file = file;
	for (size_t i = 0; status == GSYM_OK && i < SECTIONS; i++)
		if (!add_rest(ret, sections[i].plain,
			      gsym_container_section(file, sections[i].split),
			      0))
			status = GSYM_ERR_MEMORY;
	if (status != GSYM_OK)
		gsym_dw_split_close(ret);
	return status;
}

/* Open the Nth .dwo file that may be the one that SKELETON names. */
static enum gsym_status open_file(const struct gsym_container *main,
				  const struct dw_header *skeleton,
				  unsigned n, struct dw_split *ret)
{
	struct gsym_container *file = NULL;
	enum gsym_status status;

	if (!main->open_split)
		return GSYM_NOT_FOUND;
	status = main->open_split(main, skeleton->comp_dir,
				  skeleton->split_name, n, &file);
	return status == GSYM_OK ? use_file(main, skeleton, file, ret) : status;
}

/* ---- packages ----------------------------------------------------------- */

/* An index: a hash table from IDs to rows, and for each row the offsets and
 * sizes of the unit's parts of sections.  .debug_cu_index is for split units,
 * .debug_tu_index for type units. */
struct index {
	struct gsym_cursor c; /* the section */
	bool is_new;	      /* version 5, not 2 */
	uint32_t columns, units, slots;
	/* Where its tables begin in the section. */
	uint64_t hashes, rows, kinds, offsets, sizes;
};

/* Read the header; false if the tables do not fit into the section. */
static bool read_index(const struct gsym_container *package, const char *name,
		       struct index *x)
{
	uint32_t version;
	uint64_t cells;

	x->c = gsym_container_named(package, name);
	version = gsym_cursor_u32(&x->c);
	/* The version has 32 bits in version 2, and 16 in version 5. */
	if (version != 2) {
		gsym_cursor_seek(&x->c, 0);
		version = gsym_cursor_u16(&x->c);
		gsym_cursor_skip(&x->c, 2);
	}
	x->is_new = version == 5;
	x->columns = gsym_cursor_u32(&x->c);
	x->units = gsym_cursor_u32(&x->c);
	x->slots = gsym_cursor_u32(&x->c);
	if (x->c.failed || (version != 2 && version != 5) || !x->columns ||
	    x->columns > COLUMNS || !x->slots || (x->slots & (x->slots - 1)))
		return false;
	/* The counts have 32 bits, so that no sum exceeds 64 bits. */
	cells = (uint64_t)x->units * x->columns;
	x->hashes = gsym_cursor_offset(&x->c);
	x->rows = x->hashes + 8 * (uint64_t)x->slots;
	x->kinds = x->rows + 4 * (uint64_t)x->slots;
	x->offsets = x->kinds + 4 * (uint64_t)x->columns;
	x->sizes = x->offsets + 4 * cells;
	return gsym_cursor_need(&x->c, x->sizes + 4 * cells - x->hashes);
}

/* The number of SIZE bytes at offset AT. */
static uint64_t cell(const struct index *x, uint64_t at, unsigned size)
{
	struct gsym_cursor c = x->c;

	gsym_cursor_seek(&c, at);
	return gsym_cursor_uint(&c, size);
}

/* Find the row of the unit with ID, counted from 0; false if there is none.  A
 * third of the slots of an index is free, so that a search takes a few steps.
 * A hostile index may be full. */
static bool find_row(const struct index *x, uint64_t id, uint32_t *ret)
{
	enum { MOST_STEPS = 256 };
	uint32_t mask = x->slots - 1;
	uint32_t slot = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < x->slots && i < MOST_STEPS; i++) {
		uint64_t row = cell(x, x->rows + 4 * (uint64_t)slot, 4);

		if (!row)
			return false;
		if (cell(x, x->hashes + 8 * (uint64_t)slot, 8) == id) {
			*ret = (uint32_t)row - 1;
			return row <= x->units;
		}
		slot = (slot + step) & mask;
	}
	return false;
}

/* Add the parts of the unit in ROW.  False without memory. */
static bool add_row(struct dw_split *split, const struct gsym_container *file,
		    const struct index *x, uint32_t row)
{
	for (uint32_t k = 0; k < x->columns; k++) {
		uint64_t at = ((uint64_t)row * x->columns + k) * 4;
		uint64_t kind = cell(x, x->kinds + 4 * (uint64_t)k, 4);

		for (size_t i = 0; i < SECTIONS; i++) {
			unsigned number = x->is_new ? sections[i].new :
						      sections[i].old;

			if (!number || kind != number)
				continue;
			if (!add_part(split, sections[i].plain,
				      gsym_container_section(
					      file, sections[i].split),
				      cell(x, x->offsets + at, 4),
				      cell(x, x->sizes + at, 4)))
				return false;
		}
	}
	return add_rest(split, ".debug_str",
			gsym_container_section(file, ".debug_str.dwo"), 0);
}

/* Open the unit with ID of the package, by the index NAME. */
static enum gsym_status open_in_package(const struct gsym_container *main,
					const struct dw_header *skeleton,
					const char *name, uint64_t id,
					struct dw_split *ret)
{
	const struct gsym_container *package = main->package;
	struct index x;
	uint32_t row;

	if (!package || package->big_endian != main->big_endian ||
	    !read_index(package, name, &x) || !find_row(&x, id, &row))
		return GSYM_ERR_FORMAT;
	if (begin_container(ret, main, skeleton) &&
	    add_row(ret, package, &x, row))
		return GSYM_OK;
	gsym_dw_split_close(ret);
	return GSYM_ERR_MEMORY;
}

enum gsym_status gsym_dw_split_open(const struct gsym_container *main,
				    const struct dw_header *skeleton,
				    unsigned n, struct dw_split *ret)
{
	return n ? open_file(main, skeleton, n - 1, ret) :
		   open_in_package(main, skeleton, ".debug_cu_index",
				   skeleton->id, ret);
}

/* ---- candidates --------------------------------------------------------- */

/* Warn of a missing .dwo file, or (OTHER_ID) of files by its name that hold
 * other units. */
static void warn_missing(struct dw_unit *unit,
			 const struct dw_header *skeleton, bool other_id)
{
	gsym_dw_unit_warn(unit, GSYM_WARN_MISSING_FILE,
			  "split unit 0x%" PRIx64 " of the unit at "
			  ".debug_info+0x%" PRIx64 ": %.160s %s",
			  skeleton->id, skeleton->offset, skeleton->split_name,
			  other_id ? "holds another unit" : "was not found");
}

/* ---- work --------------------------------------------------------------- */

static uint64_t section_size(const struct dw_split *split, const char *name)
{
	const struct gsym_container_section *s =
		gsym_container_section(&split->container, name);

	return s ? s->data_size : 0;
}

/* The work of opening SPLIT, candidate N for SKELETON.  If the skeleton before
 * SKELETON names the same file, the first candidate is open already. */
static uint64_t price_of(const struct dw_header *skeleton,
			 const struct dw_split *split, unsigned n)
{
	uint64_t price =
		section_size(split, ".debug_abbrev") * DW_COST_ABBREV;
	uint64_t stored = 0;

	if (split->file && !(skeleton->follows && n == 1))
		price += gsym_dw_debug_bytes(split->file, &stored);
	return price;
}

/* Take the price of SPLIT; all that is left of the budget if the price exceeds
 * it, as the work was done. */
static bool pay(struct dw_split *split, struct dw_unit *unit)
{
	uint64_t price = split->price;

	split->price = 0;
	if (dw_unit_take(unit, DW_CUT_SPLIT, price))
		return true;
	unit->work.used = unit->work.limit;
	return false;
}

bool gsym_dw_split_pay(const struct dw_header *skeleton,
		       struct dw_split *split, struct dw_unit *unit,
		       uint64_t size)
{
	uint64_t info = section_size(split, ".debug_info");
	uint64_t stored = 0, bytes;

	/* The bytes of a package count for all units together. */
	if (!skeleton->repeated && split->file) {
		/* The other sections are shared in proportion to the units. */
		bytes = gsym_dw_debug_bytes(split->file, &stored);
		if (bytes / DW_WORK_PACKED > stored)
			bytes = stored * DW_WORK_PACKED;
		gsym_dw_work_extend(unit, size && size <= info
						  ? bytes / (info / size)
						  : 0);
	}
	return pay(split, unit);
}

/* ---- the right candidate ------------------------------------------------ */

static struct dw_held *held_of(struct dw_unit *unit, unsigned n)
{
	return &unit->held[n > 1];
}

/* Open candidate N, or take it from the files that UNIT holds. */
static enum gsym_status open_candidate(const struct gsym_container *main,
				       const struct dw_header *skeleton,
				       unsigned n, struct dw_unit *unit,
				       struct dw_split *ret)
{
	struct dw_held *held = held_of(unit, n);
	struct gsym_container *file = held->file;

	if (!n || !file || held->n != n ||
	    !dw_same_text(held->name, skeleton->split_name) ||
	    !dw_same_text(held->directory, skeleton->comp_dir))
		return gsym_dw_split_open(main, skeleton, n, ret);
	held->file = NULL;
	return use_file(main, skeleton, file, ret);
}

/* Whether UNIT may open a candidate; if so, take the work of searching it.  The
 * work of opening the candidate is known only when the candidate is open, and a
 * unit with too little left pays what it has (see pay).  Every unit has a share
 * of its own, so any number of units could open a large file for little.  So
 * only a unit that may use DW_COST_UNSEEN of the pool opens files. */
static bool may_open(struct dw_unit *unit)
{
	uint64_t own = unit->own_work + unit->split_work;

	if (unit->work.limit && unit->work.limit - own < DW_COST_UNSEEN)
		return dw_unit_refuse(unit, DW_CUT_SPLIT);
	return dw_unit_take(unit, DW_CUT_SPLIT, DW_COST_OPEN);
}

/* Let UNIT hold the file of SPLIT, candidate N. */
static void hold(struct dw_unit *unit, const struct dw_header *skeleton,
		 struct dw_split *split, unsigned n)
{
	struct dw_held *held = held_of(unit, n);

	if (!split->file)
		return;
	gsym_container_free(held->file);
	*held = (struct dw_held){ split->file, skeleton->split_name,
				  skeleton->comp_dir, n };
	split->file = NULL;
}

/* Call READ for candidate N.  *MORE tells whether to go on with the next
 * candidate, *OTHER_ID becomes true if the candidate is another unit.  False
 * without memory. */
static bool read_candidate(const struct gsym_container *main,
			   const struct dw_header *skeleton, unsigned n,
			   dw_split_read_fn *read, void *context,
			   struct dw_unit *unit, bool *found, bool *more,
			   bool *other_id)
{
	struct dw_split split;
	enum gsym_status status;
	bool ok = true;

	*more = false;
	if ((n || main->package) && !may_open(unit))
		return true;
	status = open_candidate(main, skeleton, n, unit, &split);
	if (status == GSYM_NOT_FOUND)
		return true;
	if (status == GSYM_ERR_MEMORY)
		return false;
	*more = true;
	if (status != GSYM_OK)
		return true;
	split.price = price_of(skeleton, &split, n);
	/* The work of other skeletons is paid when the unit was found. */
	if (skeleton->repeated && !pay(&split, unit))
		*more = false;
	else
		ok = read(context, skeleton, &split, unit, found);
	if (*more && !*found) {
		*other_id = true;
		*more = pay(&split, unit);
	}
	hold(unit, skeleton, &split, n);
	gsym_dw_split_close(&split);
	return ok;
}

bool gsym_dw_split_read(const struct gsym_container *main,
			const struct dw_header *skeleton,
			dw_split_read_fn *read, void *context,
			struct dw_unit *unit, bool *found)
{
	bool other_id = false, more = true, ok = true;

	*found = false;
	for (unsigned n = 0; ok && more && !*found; n++)
		ok = read_candidate(main, skeleton, n, read, context, unit,
				    found, &more, &other_id);
	if (ok && !*found && !(unit->cuts >> DW_CUT_SPLIT & 1))
		warn_missing(unit, skeleton, other_id);
	return ok;
}

/* ---- type units of a package --------------------------------------------- */

struct dw_package_type *gsym_dw_package_type(struct dw_package *package,
					     uint64_t signature, bool *added)
{
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct dw_package_type *type;

	*added = false;
	for (size_t i = 0; i < package->count; i++)
		if (package->types[i]->signature == signature)
			return package->types[i];
	if (package->count == DW_SPLIT_MAX_TYPES)
		return NULL;
	type = calloc(1, sizeof(*type));
	if (type)
		status = open_in_package(package->main, package->skeleton,
					 ".debug_tu_index", signature,
					 &type->split);
	if (status != GSYM_OK) {
		package->no_memory |= status == GSYM_ERR_MEMORY;
		free(type);
		return NULL;
	}
	type->signature = signature;
	*added = true;
	return package->types[package->count++] = type;
}

void gsym_dw_package_close(struct dw_package *package,
			   void (*close)(void *unit))
{
	for (size_t i = 0; i < package->count; i++) {
		close(package->types[i]->unit);
		gsym_dw_split_close(&package->types[i]->split);
		free(package->types[i]);
	}
}
