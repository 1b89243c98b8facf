/* SPDX-License-Identifier: MIT */
/*
 * Hands all units of a program to a sink.  Units are read and resolved by
 * several threads at once.  What depends on the units before is decided in the
 * order of .debug_info.  Then names, files and records are handed over, by
 * several threads at once if the sink allows it.
 */
#include "dwarf/dwarf.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "dwarf/resolve.h"
#include "dwarf/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A unit that is being read, resolved and handed over.  There are fewer slots
 * than units: a slot is used again when its unit was handed over. */
struct slot {
	struct dw_unit unit;
	/* The memory that the unit was read with; NULL: CONTENTS is PACKED,
	 * whose memory is BLOCK. */
	struct dw_reading *reading;
	struct dw_contents *contents;
	struct dw_contents packed;
	void *block;
	/* The sink's numbers of the unit's names and files.  Until a file has
	 * its number, it is FILE_USED, or GSYM_FILE_UNKNOWN, which it remains
	 * if nothing uses the file. */
	GSYM_VEC_OF(uint32_t) names;
	GSYM_VEC_OF(uint32_t) files;
	/* Rows and inlined calls whose file the line table does not have. */
	size_t missing_rows, missing_calls;
	GSYM_VEC_OF(struct gsym_loose_row) loose_rows;
	/* The number of the unit that was handed over last, from 1 on. */
	_Atomic size_t over;
};

enum { FILE_USED = GSYM_FILE_UNKNOWN - 1 };

struct conversion {
	const struct gsym_container *container;
	const struct gsym_convert_options *options;
	const struct gsym_range_set *near; /* NULL: all units are read */
	const struct gsym_sink *sink;
	bool at_once; /* several threads may call SINK at once */
	struct gsym_variables *variables;
	const struct dw_reader *reader;
	void *self; /* from READER->open */
	struct dw_live live;
	struct dw_owners owners;
	struct dw_described described; /* by the units handed over */
	bool *needed; /* by unit; NULL: all are */
	bool *claims; /* by unit: whether it claims addresses */
	/* Most units claim nothing.  They keep the memory for reading until
	 * their merge, where most of their functions are wanted. */
	bool keeps;
	struct slot *slots;
	size_t slot_count;
	struct dw_reading **idle; /* by worker: what no slot has, or NULL */
	_Atomic size_t turn;	  /* the unit that is merged next */
	size_t over;		  /* units before this one were handed over */
	unsigned wants; /* enum dw_want */
	struct dw_work work;
	uint64_t total;	     /* bytes of all units, for progress */
	uint64_t done;	     /* bytes of the units handed over */
};

bool gsym_dwarf_present(const struct gsym_container *container)
{
	return gsym_container_has(container, ".debug_info") &&
	       gsym_container_section(container, ".debug_abbrev");
}

static void slot_fini(struct slot *slot)
{
	gsym_dw_unit_fini(&slot->unit);
	gsym_dw_reading_free(slot->reading);
	free(slot->block);
	gsym_vec_fini(&slot->names);
	gsym_vec_fini(&slot->files);
	gsym_vec_fini(&slot->loose_rows);
}

/* Measure the names of the unit.  False without memory. */
static bool measure_names(struct dw_contents *contents)
{
	/* A name is prefetched so many names before it is measured. */
	enum { AHEAD = 8 };
	const struct dw_name *names = contents->result.names.items;
	size_t count = contents->result.names.count;

	contents->texts.count = 0;
	if (!gsym_vec_reserve(&contents->texts, count))
		return false;
	for (size_t i = 1; i < count; i++) {
		if (i + AHEAD < count)
			gsym_prefetch_text(names[i + AHEAD].text);
		contents->texts.items[i] =
			(struct gsym_text){ names[i].text,
					    strlen(names[i].text) };
	}
	contents->texts.count = count;
	return true;
}

/* Note that file INDEX of the unit is used.  False if the line table lacks the
 * file, and INDEX says that there is one. */
static bool use_file(struct slot *slot, uint32_t index)
{
	if (index >= slot->files.count)
		return index == DW_NO_FILE;
	if (slot->unit.files.items[index].basename)
		slot->files.items[index] = FILE_USED;
	return true;
}

/* Note which files of the unit are used.  False without memory. */
static bool use_files(struct slot *slot)
{
	const struct dw_result *r = &slot->contents->result;
	const struct dw_unit *unit = &slot->unit;

	slot->files.count = 0;
	if (!gsym_vec_reserve(&slot->files, unit->files.count))
		return false;
	slot->files.count = unit->files.count;
	slot->missing_rows = slot->missing_calls = 0;
	for (size_t i = 0; i < slot->files.count; i++)
		slot->files.items[i] = GSYM_FILE_UNKNOWN;
	for (size_t i = 0; i < r->rows.count; i++)
		slot->missing_rows += !use_file(slot, r->rows.items[i].file);
	for (size_t i = 0; i < r->inlines.count; i++)
		slot->missing_calls +=
			!use_file(slot, r->inlines.items[i].call_file);
	for (size_t i = 0; i < unit->variables.count; i++)
		use_file(slot, unit->variables.items[i].declared.file);
	return true;
}

/* Prepare what the sink gets of the resolved unit.  False without memory. */
static bool prepare(struct slot *slot)
{
	return measure_names(slot->contents) && use_files(slot);
}

/* Whether unit INDEX may describe functions with code. */
static bool has_code(const struct conversion *c, size_t index)
{
	return !c->reader->has_code || c->reader->has_code(c->self, index);
}

/* Give the unit in SLOT the memory for reading it, that of WORKER.  False
 * without memory. */
static bool take_reading(struct conversion *c, struct slot *slot,
			 unsigned worker)
{
	if (slot->reading)
		return true;
	slot->reading = c->idle[worker] ? c->idle[worker]
					: gsym_dw_reading_new();
	c->idle[worker] = NULL;
	if (!slot->reading)
		return false;
	gsym_dw_reading_swap(slot->reading, &slot->unit);
	slot->contents = &slot->reading->contents;
	free(slot->block);
	slot->block = NULL;
	return true;
}

/* Take the memory for reading back from the unit in SLOT. */
static void return_reading(struct conversion *c, struct slot *slot,
			   unsigned worker)
{
	struct dw_reading *reading = slot->reading;

	gsym_dw_reading_swap(reading, &slot->unit);
	slot->reading = NULL;
	if (c->idle[worker])
		gsym_dw_reading_free(reading);
	else
		c->idle[worker] = reading;
}

/* Read and resolve unit INDEX.  It may use one of PARTS equal parts of the work
 * that is left in the pool. */
static enum gsym_status read_unit(struct conversion *c, size_t index,
				  size_t parts, unsigned worker)
{
	struct slot *slot = &c->slots[index % c->slot_count];
	uint32_t first = c->owners.first[index];
	uint32_t count = c->owners.first[index + 1] - first;
	const struct gsym_range *owned =
		count ? c->owners.pieces.items + first : NULL;
	enum gsym_status status = GSYM_OK;

	if (!take_reading(c, slot, worker))
		return GSYM_ERR_MEMORY;
	gsym_dw_unit_clear(&slot->unit);
	slot->unit.wants = c->wants;
	slot->unit.live = &c->live;
	slot->unit.index = (uint32_t)index;
	gsym_dw_work_grant(&c->work, &slot->unit,
			   dw_unit_bytes(c->reader->unit(c->self, index)),
			   parts);
	if ((!c->needed || c->needed[index]) &&
	    (c->claims[index] || c->wants & (DW_WANT_FOLDED | DW_WANT_DATA) ||
	     has_code(c, index)))
		status = c->reader->read_unit(c->self, index, &slot->unit);
	if (status != GSYM_OK)
		return status;
	return gsym_dw_resolve(slot->reading->resolver, &slot->unit, owned,
			       count, &slot->contents->result) &&
			       prepare(slot)
		       ? GSYM_OK
		       : GSYM_ERR_MEMORY;
}

/* A unit that waits for its merge keeps what it hands over, and no more. */
static enum gsym_status work(void *context, size_t index, unsigned worker)
{
	struct conversion *c = context;
	struct slot *slot = &c->slots[index % c->slot_count];
	enum gsym_status status = read_unit(c, index, c->slot_count, worker);

	if (status != GSYM_OK || index == c->turn ||
	    (c->keeps && !c->claims[index]))
		return status;
	slot->block = gsym_dw_contents_pack(slot->reading, &slot->packed);
	if (!slot->block)
		return GSYM_ERR_MEMORY;
	slot->contents = &slot->packed;
	return_reading(c, slot, worker);
	if (c->reader->unit_read)
		c->reader->unit_read(c->self, index);
	return GSYM_OK;
}

/* ---- into the sink ------------------------------------------------------ */

static enum gsym_status put_string(struct conversion *c, const char *text,
				   uint32_t *ret)
{
	return c->sink->string(c->sink->self, text, strlen(text), ret);
}

static enum gsym_status number_names(struct conversion *c, struct slot *slot)
{
	const struct gsym_text *texts = slot->contents->texts.items;
	size_t count = slot->contents->texts.count;

	slot->names.count = 0;
	if (!gsym_vec_reserve(&slot->names, count))
		return GSYM_ERR_MEMORY;
	slot->names.count = count;
	slot->names.items[0] = 0;
	return gsym_sink_strings(c->sink, texts + 1, count - 1,
				 slot->names.items + 1);
}

/* Files that are handed over together. */
enum { TOGETHER = 64 };

struct file_batch {
	uint32_t *files[TOGETHER];
	struct gsym_text texts[2 * TOGETHER];
	size_t count;
};

/* Hand the files of BATCH over, and set their numbers. */
static enum gsym_status put_files(struct conversion *c,
				  struct file_batch *batch)
{
	uint32_t strings[2 * TOGETHER];
	enum gsym_status status = gsym_sink_strings(c->sink, batch->texts,
						    2 * batch->count, strings);

	for (size_t i = 0; i < batch->count && status == GSYM_OK; i++)
		status = c->sink->file(c->sink->self, strings[2 * i],
				       strings[2 * i + 1], batch->files[i]);
	batch->count = 0;
	return status;
}

/* Hand the used files of the unit over. */
static enum gsym_status number_files(struct conversion *c, struct slot *slot)
{
	enum gsym_status status = GSYM_OK;
	struct file_batch batch;

	batch.count = 0;
	for (size_t i = 0; i < slot->files.count && status == GSYM_OK; i++) {
		const struct dw_file *file = &slot->unit.files.items[i];
		const char *folder = file->directory ? file->directory : "";
		struct gsym_text *texts = &batch.texts[2 * batch.count];

		if (slot->files.items[i] != FILE_USED)
			continue;
		texts[0] = (struct gsym_text){ folder, strlen(folder) };
		texts[1] = (struct gsym_text){ file->basename,
					       strlen(file->basename) };
		batch.files[batch.count++] = &slot->files.items[i];
		if (batch.count == TOGETHER)
			status = put_files(c, &batch);
	}
	return status == GSYM_OK ? put_files(c, &batch) : status;
}

/* Give the names and files of the unit in SLOT their numbers. */
static enum gsym_status number(struct conversion *c, struct slot *slot)
{
	enum gsym_status status = number_names(c, slot);

	return status == GSYM_OK ? number_files(c, slot) : status;
}

/* Warn of COUNT file numbers of WHAT that the line table does not have. */
static void warn_missing(struct slot *slot, size_t count, const char *what)
{
	if (count)
		gsym_dw_unit_warn(&slot->unit, GSYM_WARN_BAD_FILE_INDEX,
				  "unit at .debug_info+0x%" PRIx64 ": the line "
				  "table lacks the files of %zu %s",
				  slot->unit.offset, count, what);
}

/* The sink's number of file INDEX of the unit; GSYM_FILE_UNKNOWN if the line
 * table has no such file. */
static uint32_t file_number(const struct slot *slot, uint32_t index)
{
	return index < slot->files.count ? slot->files.items[index]
					 : GSYM_FILE_UNKNOWN;
}

/* Replace the unit's numbers of names and files by numbers of the sink. */
static void renumber(struct slot *slot)
{
	struct dw_result *r = &slot->contents->result;

	for (size_t i = 0; i < r->rows.count; i++) {
		struct gsym_row *row = &r->rows.items[i];

		row->file = row->file == DW_NO_FILE
				    ? GSYM_FILE_NOSRC
				    : file_number(slot, row->file);
	}
	for (size_t i = 0; i < r->callees.count; i++)
		r->callees.items[i] = slot->names.items[r->callees.items[i]];
	for (size_t i = 0; i < r->inlines.count; i++) {
		struct gsym_inline_node *node = &r->inlines.items[i];

		node->name = slot->names.items[node->name];
		node->call_file = file_number(slot, node->call_file);
	}
}

static enum gsym_status put_records(struct conversion *c, struct slot *slot)
{
	const struct dw_result *r = &slot->contents->result;

	for (size_t i = 0; i < r->records.count; i++) {
		const struct dw_record *from = &r->records.items[i];
		bool linkage = r->names.items[from->name].linkage;
		struct gsym_record record = {
			.rank = GSYM_RANK_FUNCTION,
			.name_kind = linkage ? GSYM_NAME_LINKAGE :
					       GSYM_NAME_SOURCE,
			.start = from->range.start,
			.size = from->range.end - from->range.start,
			.limit = UINT64_MAX,
			.name = slot->names.items[from->name],
			.folded = from->folded,
			.unclaimed = from->unclaimed,
			.rows = gsym_vec_from(&r->rows, from->first_row),
			.row_count = from->row_count,
			.inlines = gsym_vec_from(&r->inlines,
						 from->first_inline),
			.inline_count = from->inline_count,
			.inline_ranges = gsym_vec_from(&r->ranges,
						       from->first_range),
			.calls = gsym_vec_from(&r->calls, from->first_call),
			.call_count = from->call_count,
			.call_patterns = r->callees.items,
		};
		enum gsym_status status =
			gsym_sink_record(c->sink, &record);

		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

static enum gsym_status put_loose(struct conversion *c, struct slot *slot)
{
	const struct dw_result *r = &slot->contents->result;

	for (size_t i = 0; i < r->loose.count; i++) {
		const struct dw_loose *from = &r->loose.items[i];
		enum gsym_status status;

		slot->loose_rows.count = 0;
		if (!gsym_vec_reserve(&slot->loose_rows, from->row_count))
			return GSYM_ERR_MEMORY;
		for (uint32_t k = 0; k < from->row_count; k++) {
			const struct gsym_row *row =
				&r->rows.items[from->first_row + k];

			slot->loose_rows.items[k] = (struct gsym_loose_row){
				from->range.start + row->offset, row->file,
				row->line
			};
		}
		status = c->sink->loose_rows(c->sink->self, from->range,
					     slot->loose_rows.items,
					     from->row_count);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

static enum gsym_status put_warnings(struct conversion *c,
				     const struct dw_unit *unit)
{
	if (c->reader->in_passing && unit->warnings.count)
		return GSYM_NOT_FOUND;
	for (size_t i = 0; i < unit->warnings.count; i++)
		gsym_container_tell(c->options, unit->warnings.items[i].kind,
				    "%s", unit->warnings.items[i].text);
	return GSYM_OK;
}

static enum gsym_status put_variables(struct conversion *c, struct slot *slot)
{
	const struct dw_unit *unit = &slot->unit;
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < unit->variables.count && status == GSYM_OK;
	     i++) {
		const struct dw_variable *from = &unit->variables.items[i];
		struct gsym_variable *to = gsym_vec_push(c->variables);

		if (!to)
			return GSYM_ERR_MEMORY;
		*to = (struct gsym_variable){
			.address = from->address,
			.linkage = from->name.linkage,
			.line = from->declared.line,
		};
		if (from->name.text)
			status = put_string(c, from->name.text, &to->name);
		to->file = file_number(slot, from->declared.file);
	}
	return status;
}

/* Set *WANTED to whether some function of the packed unit in SLOT is one that
 * other units claim, and that no unit before it has. */
static enum gsym_status wants_unclaimed(struct conversion *c, struct slot *slot,
					bool *wanted)
{
	const struct dw_unclaimed_list *list = &slot->contents->unclaimed;

	*wanted = false;
	for (size_t i = 0; i < list->count && !*wanted; i++)
		if (!gsym_dw_described_lacks(&c->described, &slot->unit,
					     &list->items[i].name,
					     list->items[i].range, wanted))
			return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

/* Add the functions of unit INDEX that other units claim, and that no unit
 * before it has.  They are rare: a packed unit is read again for them. */
static enum gsym_status resolve_unclaimed(struct conversion *c,
					  struct slot *slot, size_t index,
					  unsigned worker)
{
	enum gsym_status status = GSYM_OK;
	const struct dw_result *r;
	bool wanted = true;
	size_t count;

	if (!slot->reading) {
		status = wants_unclaimed(c, slot, &wanted);
		if (status == GSYM_OK && wanted)
			status = read_unit(c, index, 1, worker);
	}
	if (status != GSYM_OK || !wanted)
		return status;
	r = &slot->contents->result;
	count = r->records.count;
	if (!gsym_dw_unclaimed_resolve(slot->reading->resolver,
				       gsym_dw_described_lacks, &c->described))
		return GSYM_ERR_MEMORY;
	return r->records.count == count || prepare(slot) ? GSYM_OK
							  : GSYM_ERR_MEMORY;
}

/* Complete the unit in SLOT with all that depends on the units before it. */
static enum gsym_status settle_unit(struct conversion *c, struct slot *slot,
				    size_t index, uint64_t size,
				    unsigned worker)
{
	enum gsym_status status = resolve_unclaimed(c, slot, index, worker);

	if (status != GSYM_OK ||
	    gsym_dw_work_settle(&c->work, &slot->unit, size))
		return status;
	status = read_unit(c, index, 1, worker);
	if (status == GSYM_OK)
		status = resolve_unclaimed(c, slot, index, worker);
	if (status == GSYM_OK)
		gsym_dw_work_settle(&c->work, &slot->unit, size);
	return status;
}

/* Hand unit INDEX over, whose slot is empty then. */
static enum gsym_status hand_over(void *context, size_t index, unsigned worker)
{
	struct conversion *c = context;
	struct slot *slot = &c->slots[index % c->slot_count];
	/* Variables are kept in the order of units, with these numbers: with
	 * variables the merge has numbered the names and files. */
	enum gsym_status status = c->variables ? GSYM_OK : number(c, slot);

	if (status == GSYM_OK) {
		renumber(slot);
		status = put_records(c, slot);
	}
	if (status == GSYM_OK)
		status = put_loose(c, slot);
	if (slot->reading)
		return_reading(c, slot, worker);
	free(slot->block);
	slot->block = NULL;
	slot->over = index + 1;
	return status;
}

/* Give the memory of units back that were handed over with all units before
 * them.  Until then their names and files are read. */
static void release_units(struct conversion *c)
{
	size_t over = c->over;

	while (c->slots[over % c->slot_count].over == over + 1)
		over++;
	if (c->reader->unit_done && over > c->over)
		c->reader->unit_done(c->self, over - 1);
	c->over = over;
}

static enum gsym_status merge(void *context, size_t index, unsigned worker)
{
	struct conversion *c = context;
	struct slot *slot = &c->slots[index % c->slot_count];
	uint64_t size = dw_unit_bytes(c->reader->unit(c->self, index));
	enum gsym_status status = settle_unit(c, slot, index, size, worker);

	if (status == GSYM_OK &&
	    !gsym_dw_described_note(&c->described, &slot->contents->result))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_OK && c->variables)
		status = number(c, slot);
	if (status != GSYM_OK)
		return status;
	warn_missing(slot, slot->missing_rows, "rows");
	/* Without any file there is no line table. */
	if (slot->files.count)
		warn_missing(slot, slot->missing_calls, "inlined calls");
	status = put_warnings(c, &slot->unit);
	if (status == GSYM_OK)
		status = put_variables(c, slot);
	if (status == GSYM_OK && !c->at_once)
		status = hand_over(c, index, worker);
	c->done += size;
	c->turn = index + 1;
	release_units(c);
	if (status == GSYM_OK && c->options->progress &&
	    !c->options->progress(c->options->context, c->done, c->total))
		status = GSYM_ERR_CANCELLED;
	return status;
}

/* ---- units that are near ------------------------------------------------- */

static bool is_owned(const struct conversion *c, uint64_t address)
{
	const struct dw_owners *o = &c->owners;
	bool found = false;

	for (size_t i = 0; i < o->pieces.count && !found; i++) {
		struct gsym_range piece = o->pieces.items[i];

		found = address >= piece.start && address < piece.end;
	}
	return found;
}

/* Whether some unit owns each address that will be looked up. */
static bool owns_addresses(const struct conversion *c)
{
	const struct gsym_convert_options *o = c->options;
	bool owned = true;

	for (size_t i = 0; i < o->address_count && owned; i++)
		owned = is_owned(c, o->addresses[i]);
	return owned;
}

/* Leave the units out that claim addresses but own nothing of C->near, and make
 * the others usable.  GSYM_NOT_FOUND: a unit that claims nothing in
 * .debug_aranges may describe an address, and is found if all are inflated. */
static enum gsym_status choose_units(struct conversion *c, size_t unit_count,
				     struct dw_unit *outside)
{
	const struct dw_owners *o = &c->owners;

	if (c->reader->in_passing && !owns_addresses(c))
		return GSYM_NOT_FOUND;
	c->needed = calloc(unit_count + 1, sizeof(*c->needed));
	if (!c->needed)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < unit_count; i++) {
		/* The functions of a unit without claims may be anywhere. */
		c->needed[i] = !c->claims[i] && has_code(c, i);
		for (uint32_t k = o->first[i];
		     k < o->first[i + 1] && !c->needed[i]; k++)
			c->needed[i] =
				gsym_range_set_has(c->near, o->pieces.items[k]);
	}
	return c->reader->need ? c->reader->need(c->self, c->needed, outside)
			       : GSYM_OK;
}

/* ---- conversion --------------------------------------------------------- */

static enum gsym_status settle_owners(struct conversion *c, size_t unit_count,
				      struct dw_unit *outside)
{
	struct dw_claims claims = { 0 };
	enum gsym_status status;

	c->claims = calloc(unit_count + 1, sizeof(*c->claims));
	if (!c->claims)
		return GSYM_ERR_MEMORY;
	status = gsym_dw_claims_read(c->reader, c->self, &c->work, &claims,
				     outside);
	if (status == GSYM_OK &&
	    (!gsym_dw_live_init(&c->live, c->container, unit_count, &claims) ||
	     !gsym_dw_owners_settle(&claims, unit_count, c->container,
				    &c->owners)))
		status = GSYM_ERR_MEMORY;
	for (size_t i = 0; i < claims.count; i++)
		c->claims[claims.items[i].unit] = true;
	if (status == GSYM_OK && c->near)
		status = choose_units(c, unit_count, outside);
	gsym_vec_fini(&claims);
	return status == GSYM_OK ? put_warnings(c, outside) : status;
}

/* The number of units in memory at once.  While a large one is read, the others
 * wait for it.  Split units keep their files open, and units without claims all
 * that was read.  Units that are inflated while they are read come one after
 * the other, however many threads wait. */
static size_t window(const struct conversion *c, unsigned threads, bool split)
{
	enum { LEAST = 8 };

	if (threads < 2)
		return 1;
	if (c->reader->in_passing)
		return threads < LEAST ? LEAST : threads;
	return (size_t)threads * (split || c->keeps ? 4 : 16);
}

static enum gsym_status convert_units(struct conversion *c, unsigned threads,
				      size_t unit_count)
{
	enum gsym_status status = GSYM_ERR_MEMORY;
	size_t bare = 0;
	bool split = false;

	for (size_t i = 0; i < unit_count; i++) {
		const struct dw_header *header = c->reader->unit(c->self, i);

		c->total += dw_unit_bytes(header);
		split |= header->split_name != NULL;
		bare += !c->reader->in_passing && !c->claims[i] &&
			has_code(c, i);
	}
	c->keeps = bare > unit_count / 2;
	threads = gsym_pool_threads(threads, unit_count);
	c->slot_count = window(c, threads, split);
	c->slots = calloc(c->slot_count, sizeof(*c->slots));
	c->idle = calloc(threads, sizeof(*c->idle));
	if (c->slots && c->idle)
		status = gsym_pool_run(threads, unit_count, c->slot_count, work,
				       merge, c->at_once ? hand_over : NULL, c);
	for (size_t i = 0; c->slots && i < c->slot_count; i++)
		slot_fini(&c->slots[i]);
	for (unsigned i = 0; c->idle && i < threads; i++)
		gsym_dw_reading_free(c->idle[i]);
	free(c->slots);
	free(c->idle);
	return status;
}

/* Begin the budget of the debug info of CONTAINER, its supplementary file and
 * its package. */
static void begin_work(struct dw_work *work,
		       const struct gsym_container *container)
{
	const struct gsym_container *all[] = { container, container->alternate,
					       container->package };
	uint64_t bytes = 0, stored = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i])
			bytes += gsym_dw_debug_bytes(all[i], &stored);
	gsym_dw_work_init(work, bytes, stored);
}

static enum gsym_status fail(enum gsym_status status, struct gsym_error *error)
{
	switch (status) {
	case GSYM_OK:
	case GSYM_NOT_FOUND:
		return status;
	case GSYM_ERR_MEMORY:
		return gsym_fail_memory(error);
	case GSYM_ERR_CANCELLED:
		return gsym_fail(error, status, 0, "cancelled");
	default:
		return gsym_fail(error, status, 0,
				 "cannot keep what the debug info says of a "
				 "function");
	}
}

enum gsym_status gsym_dwarf_convert(const struct gsym_container *container,
				    const struct dw_reader *second,
				    const struct gsym_convert_options *options,
				    const struct gsym_range_set *near,
				    const struct gsym_sink *sink, bool at_once,
				    struct gsym_variables *variables,
				    struct gsym_convert_facts *facts,
				    struct gsym_error *error)
{
	struct conversion c = {
		.container = container,
		.options = options,
		.near = near,
		.sink = sink,
		.at_once = at_once,
		.variables = variables,
		.reader = second	       ? second
			  : container->passing ? &gsym_dwarf_passing
					       : &gsym_dwarf_scan,
	};
	c.described.live = &c.live;
	c.described.owners = &c.owners;
	c.wants = (options->merged_functions ? DW_WANT_FOLDED : 0u) |
		  (options->call_sites ? DW_WANT_CALLS : 0u) |
		  (variables ? DW_WANT_DATA : 0u);
	unsigned threads = !second && options->threads ? options->threads : 1;
	uint64_t stored = 0, bytes = gsym_dw_debug_bytes(container, &stored);
	struct dw_unit outside = { 0 };
	enum gsym_status status;
	size_t unit_count;

	begin_work(&c.work, container);
	gsym_dw_work_grant(&c.work, &outside, 0, 1);
	status = c.reader->open(container, near, threads, &outside, &c.self,
				error);
	if (status != GSYM_OK) {
		gsym_dw_unit_fini(&outside);
		return status;
	}
	unit_count = c.reader->unit_count(c.self);
	status = settle_owners(&c, unit_count, &outside);
	gsym_dw_unit_fini(&outside);
	if (status == GSYM_OK && options->compiled_in)
		gsym_dw_tell_directory(c.reader, c.self, unit_count, options);
	if (status == GSYM_OK)
		status = convert_units(&c, threads, unit_count);
	facts->units += unit_count;
	facts->input_bytes += bytes;
	gsym_dw_owners_fini(&c.owners);
	gsym_dw_live_fini(&c.live);
	gsym_dw_described_fini(&c.described);
	free(c.needed);
	free(c.claims);
	c.reader->close(c.self);
	return fail(status, error);
}
