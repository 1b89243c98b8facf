/* SPDX-License-Identifier: MIT */
/*
 * Converts the object files of a debug map, and moves their records to linked
 * addresses.
 *
 * Debug info of an object has the object's addresses.  The debug map says by
 * name where each function and variable of the object lies in the program.
 * Code in none of these functions was left out by the linker.  Of functions
 * of several objects at one address that of the first object answers; of
 * several in one object the last one, as with any debug info.
 */
#include "config.h"

#include "convert/convert.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/order.h"

#include <stdio.h>

/* A function or variable: [START, END) of the object lies at ADDRESS in the
 * program. */
struct piece {
	uint64_t start, end;
	uint64_t address;
	bool function;
	/* Another piece answers for the address: one of an earlier object, or
	 * a later one of this object. */
	bool folded;
};

/* The symbols of a container by name, and by stem those that ThinLTO gave a
 * suffix. */
struct names {
	GSYM_VEC_OF(const struct gsym_symbol *) names, stems;
};

struct job {
	struct gsym_relay relay;
	const struct gsym_container *program;
	const char *path;
	const struct dw_reader *second; /* NULL: the production reader */
	const struct gsym_convert_options *options;
	struct gsym_variables *variables;
	struct gsym_convert_facts *facts;
	struct gsym_error *error;
	/* The symbols of the program by name. */
	struct names names;
	/* By index of PROGRAM->linked: a function of an earlier object has the
	 * address. */
	bool *taken;
	/* The identities of the objects that were read so far. */
	struct gsym_intern known;
	/* The object that is being read, and its pieces, ascending by START,
	 * without overlaps. */
	const struct gsym_object *object;
	GSYM_VEC_OF(struct piece) pieces;
	/* Moved rows and ranges of one record. */
	GSYM_VEC_OF(struct gsym_loose_row) rows;
	struct gsym_range_set ranges;
};

bool gsym_objects_present(const struct gsym_container *program)
{
	return program->objects.count && program->open_object;
}

/* ---- symbols by the names that a debug map has for them ------------------ */

/* ThinLTO adds ".llvm." and digits to the names of local symbols that other
 * modules use.  Linkers leave this suffix out of the debug map, and dsymutil
 * looks for such a name among the symbols that have one. */

static int by_name(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;
	int order = strcmp(x->name, y->name);

	/* Of equal names, the name of the first symbol in the table comes
	 * first. */
	return order ? order : GSYM_ORDER(x, y);
}

/* The length of NAME without a suffix of ThinLTO; 0 if NAME has none. */
static size_t stem_length(const char *name)
{
	static const char suffix[] = ".llvm.";
	const size_t size = sizeof(suffix) - 1;
	size_t end = strlen(name), digits = end;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits == end || digits < size ||
	    memcmp(name + digits - size, suffix, size) != 0)
		return 0;
	return digits - size;
}

/* Compare the stem of SYMBOL, which has a suffix, with the LENGTH characters
 * of NAME. */
static int compare_stem(const struct gsym_symbol *symbol, const char *name,
			size_t length)
{
	size_t stem = stem_length(symbol->name);
	int order = memcmp(symbol->name, name, stem < length ? stem : length);

	return order ? order : GSYM_ORDER(stem, length);
}

static int by_stem(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;

	return compare_stem(x, y->name, stem_length(y->name));
}

/* Sort the symbols of C, which has to outlive B.  False without memory; B has
 * to be freed in either case. */
static bool names_init(struct names *b, const struct gsym_container *c)
{
	*b = (struct names){ 0 };
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (!gsym_vec_add(&b->names, s) ||
		    (stem_length(s->name) && !gsym_vec_add(&b->stems, s)))
			return false;
	}
	gsym_vec_sort(&b->names, by_name);
	gsym_vec_sort(&b->stems, by_stem);
	return true;
}

static void names_fini(struct names *b)
{
	gsym_vec_fini(&b->names);
	gsym_vec_fini(&b->stems);
}

/* The symbol with the stem NAME; NULL if there is none, or if there are
 * several, which the debug map does not tell apart. */
static const struct gsym_symbol *find_stem(const struct names *b,
					   const char *name)
{
	size_t length = strlen(name);
	size_t found =
		GSYM_FIRST(i, 0, b->stems.count,
			   compare_stem(b->stems.items[i], name, length) >= 0);
	size_t end = found;

	while (end < b->stems.count && end < found + 2 &&
	       !compare_stem(b->stems.items[end], name, length))
		end++;
	return end == found + 1 ? b->stems.items[found] : NULL;
}

/* The first symbol NAME.  If there is none, the symbol that is NAME with a
 * suffix of ThinLTO, if there is one such symbol alone; else NULL. */
static const struct gsym_symbol *find_name(const struct names *b,
					   const char *name)
{
	size_t found = GSYM_FIRST(i, 0, b->names.count,
				  strcmp(b->names.items[i]->name, name) >= 0);

	return found < b->names.count &&
			       !strcmp(b->names.items[found]->name, name)
		       ? b->names.items[found]
		       : find_stem(b, name);
}

/* ---- addresses that several claim --------------------------------------- */

/* One of several functions that claim an address of the program.  Those of one
 * address have an order. */
struct claim {
	uint64_t address;
	size_t order;
	size_t index;
};

static int by_address(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int order = GSYM_ORDER(x->address, y->address);

	return order ? order : GSYM_ORDER(x->order, y->order);
}

/* Fill in TAKEN.  False without memory. */
static bool find_taken(struct job *job)
{
	const struct gsym_container *p = job->program;
	struct claim *claims = calloc(p->linked.count + 1, sizeof(*claims));
	size_t count = 0, first = 0; /* the first claim to this address */

	job->taken = calloc(p->linked.count + 1, sizeof(*job->taken));
	for (size_t i = 0; claims && i < p->objects.count; i++) {
		const struct gsym_object *o = &p->objects.items[i];

		for (size_t k = o->first; k < o->first + o->count; k++)
			if (p->linked.items[k].function)
				claims[count++] = (struct claim){
					p->linked.items[k].address, i, k
				};
	}
	if (count)
		qsort(claims, count, sizeof(*claims), by_address);
	for (size_t i = 1; job->taken && i < count; i++) {
		if (claims[i].address != claims[first].address)
			first = i;
		else if (claims[i].order != claims[first].order)
			job->taken[claims[i].index] = true;
	}
	free(claims);
	return claims && job->taken;
}

/* Several functions of the object may have one address in the program.  Only
 * the last one answers, as the last of several DIEs at one address does.  False
 * without memory. */
static bool fold_twins(struct job *job)
{
	struct claim *twins = calloc(job->pieces.count + 1, sizeof(*twins));
	size_t count = 0;

	if (!twins)
		return false;
	for (size_t i = 0; i < job->pieces.count; i++)
		if (job->pieces.items[i].function)
			twins[count++] = (struct claim){
				job->pieces.items[i].address, i, i
			};
	qsort(twins, count, sizeof(*twins), by_address);
	for (size_t i = 1; i < count; i++)
		if (twins[i].address == twins[i - 1].address)
			job->pieces.items[twins[i - 1].index].folded = true;
	free(twins);
	return true;
}

/* ---- the pieces of an object -------------------------------------------- */

/* The symbols of an object, by name and by address. */
struct sorted {
	const struct gsym_container *container;
	struct names names;
	GSYM_VEC_OF(const struct gsym_symbol *) addresses;
};

static int by_value(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;

	return GSYM_ORDER(x->value, y->value);
}

/* Fill in O->addresses.  False without memory. */
static bool sort_addresses(struct sorted *o)
{
	const struct gsym_container *c = o->container;

	for (size_t i = 0; i < c->symbols.count; i++)
		if (!gsym_vec_add(&o->addresses, &c->symbols.items[i]))
			return false;
	gsym_vec_sort(&o->addresses, by_value);
	return true;
}

/* The highest end that SYMBOL, whose size is not known, can have: the start of
 * the next symbol, or the end of its section. */
static uint64_t end_of(const struct sorted *o, const struct gsym_symbol *symbol)
{
	const struct gsym_container *c = o->container;
	uint64_t end = UINT64_MAX;
	size_t next =
		GSYM_FIRST(i, 0, o->addresses.count,
			   o->addresses.items[i]->value > symbol->value);

	if (symbol->section < c->sections.count)
		end = c->sections.items[symbol->section].address +
		      c->sections.items[symbol->section].size;
	if (next < o->addresses.count && o->addresses.items[next]->value < end)
		end = o->addresses.items[next]->value;
	return end;
}

/* Add the piece of entry INDEX of PROGRAM->linked.  False without memory. */
static bool add_piece(struct job *job, size_t index, const struct sorted *o)
{
	const struct gsym_linked *linked = &job->program->linked.items[index];
	const struct gsym_symbol *from = find_name(&o->names, linked->name);
	const struct gsym_symbol *to = NULL;
	uint64_t address = linked->address;
	struct piece p;

	if (!address) {
		to = find_name(&job->names, linked->name);
		address = to ? to->value : 0;
	}
	/* Without a symbol in the object the debug info has no address for
	 * the piece. */
	if (!from || (!linked->address && !to) ||
	    (linked->function &&
	     !gsym_container_is_code(job->program, address)))
		return true;
	p = (struct piece){
		.start = from->value,
		.end = linked->size && linked->size <= UINT64_MAX - from->value
			       ? from->value + linked->size
			       : end_of(o, from),
		.address = address,
		.function = linked->function,
		.folded = job->taken[index],
	};
	return gsym_vec_add(&job->pieces, p);
}

static int by_start(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* Of several names for one piece prefer the name that is not folded,
	 * then the one with the lower address in the program. */
	if (x->folded != y->folded)
		return x->folded ? 1 : -1;
	return GSYM_ORDER(x->address, y->address);
}

/* Keep the first piece of each start, and end each where the next begins. */
static void settle(struct job *job)
{
	struct piece *items = job->pieces.items;
	size_t count = 0;

	gsym_vec_sort(&job->pieces, by_start);
	for (size_t i = 0; i < job->pieces.count; i++) {
		struct piece p = items[i];

		if (count && items[count - 1].start == p.start)
			continue;
		if (count && items[count - 1].end > p.start)
			items[count - 1].end = p.start;
		items[count++] = p;
	}
	job->pieces.count = count;
}

/* Fill in the pieces of the job's object, which is loaded as OBJECT.  False
 * without memory. */
static bool find_pieces(struct job *job, const struct gsym_container *object)
{
	struct sorted o = { .container = object };
	bool ok = names_init(&o.names, object) && sort_addresses(&o);

	job->pieces.count = 0;
	for (size_t i = 0; ok && i < job->object->count; i++)
		ok = add_piece(job, job->object->first + i, &o);
	names_fini(&o.names);
	gsym_vec_fini(&o.addresses);
	if (!ok)
		return false;
	settle(job);
	return fold_twins(job);
}

/* The index of the first piece that ends after ADDRESS; the count of pieces if
 * none does. */
static size_t piece_after(const struct job *job, uint64_t address)
{
	return GSYM_FIRST(i, 0, job->pieces.count,
			  job->pieces.items[i].end > address);
}

/* The piece that holds ADDRESS of the object; NULL if none does. */
static const struct piece *piece_at(const struct job *job, uint64_t address)
{
	size_t i = piece_after(job, address);

	return i < job->pieces.count && job->pieces.items[i].start <= address
		       ? &job->pieces.items[i] : NULL;
}

/* ---- records ------------------------------------------------------------ */

/* Let RECORD's inline ranges point to copies that are moved up by BY. */
static bool move_ranges(struct job *job, struct gsym_record *record,
			uint64_t by)
{
	size_t count = 0;

	for (size_t i = 0; i < record->inline_count; i++) {
		const struct gsym_inline_node *n = &record->inlines[i];

		if (n->first_range + n->range_count > count)
			count = n->first_range + n->range_count;
	}
	job->ranges.count = 0;
	if (!gsym_vec_reserve(&job->ranges, count))
		return false;
	for (size_t i = 0; i < count; i++)
		job->ranges.items[i] = (struct gsym_range){
			record->inline_ranges[i].start + by,
			record->inline_ranges[i].end + by,
		};
	record->inline_ranges = job->ranges.items;
	return true;
}

static enum gsym_status put_record(void *self,
				   const struct gsym_record *record)
{
	struct job *job = self;
	const struct piece *m = piece_at(job, record->start);
	struct gsym_record moved = *record;

	if (!m || !m->function ||
	    (m->folded && !job->options->merged_functions))
		return GSYM_OK;
	moved.start = m->address + (record->start - m->start);
	moved.folded = record->folded || m->folded;
	if (moved.start < m->address ||
	    moved.size > UINT64_MAX - moved.start)
		return GSYM_OK;
	if (!move_ranges(job, &moved, moved.start - record->start))
		return GSYM_ERR_MEMORY;
	return gsym_sink_record(job->relay.inner, &moved);
}

/* The index of the last row at or below ADDRESS; 0 if there is none. */
static size_t row_at(const struct gsym_loose_row *rows, size_t count,
		     uint64_t address)
{
	size_t next = GSYM_FIRST(i, 0, count, rows[i].address > address);

	return next ? next - 1 : 0;
}

/* Push the rows in piece M, of the COUNT ROWS of RANGE. */
static enum gsym_status put_rows(struct job *job, const struct piece *m,
				 struct gsym_range range,
				 const struct gsym_loose_row *rows,
				 size_t count)
{
	uint64_t start = range.start > m->start ? range.start : m->start;
	uint64_t end = range.end < m->end ? range.end : m->end;
	uint64_t by = m->address - m->start;
	const struct gsym_sink *inner = job->relay.inner;

	job->rows.count = 0;
	for (size_t i = row_at(rows, count, start);
	     i < count && rows[i].address < end; i++) {
		struct gsym_loose_row *row = gsym_vec_push(&job->rows);

		if (!row)
			return GSYM_ERR_MEMORY;
		*row = rows[i];
		if (row->address < start)
			row->address = start;
		row->address += by;
	}
	if (!job->rows.count || end + by < start + by)
		return GSYM_OK;
	return inner->loose_rows(
		inner->self, (struct gsym_range){ start + by, end + by },
		job->rows.items, job->rows.count);
}

static enum gsym_status put_loose(void *self, struct gsym_range range,
				  const struct gsym_loose_row *rows,
				  size_t count)
{
	struct job *job = self;
	enum gsym_status status = GSYM_OK;

	for (size_t i = piece_after(job, range.start);
	     i < job->pieces.count && status == GSYM_OK; i++) {
		const struct piece *m = &job->pieces.items[i];

		if (m->start >= range.end)
			break;
		if (m->function && !m->folded)
			status = put_rows(job, m, range, rows, count);
	}
	return status;
}

/* Give the variables from index FIRST on their addresses in the program, and
 * drop variables that are not in the program. */
static void move_variables(struct job *job, size_t first)
{
	struct gsym_variables *all = job->variables;
	size_t count = first;

	for (size_t i = first; i < all->count; i++) {
		struct gsym_variable v = all->items[i];
		const struct piece *m = piece_at(job, v.address);

		if (!m || m->function)
			continue;
		v.address = m->address + (v.address - m->start);
		all->items[count++] = v;
	}
	all->count = count;
}

/* ---- objects ------------------------------------------------------------ */

/* The readers' warnings do not name the file: put the object's path first. */
static void warn_in_object(void *context, enum gsym_warning kind,
			   const char *text)
{
	const struct job *job = context;

	gsym_container_tell(job->options, kind, "%.100s: %s", job->object->path,
			    text);
}

static enum gsym_status convert_object(struct job *job,
				       const struct gsym_container *object)
{
	struct gsym_sink sink = gsym_relay_to(&job->relay, job->relay.inner);
	struct gsym_convert_options options = *job->options;
	size_t first = job->variables ? job->variables->count : 0;
	enum gsym_status status;

	sink.record = put_record;
	sink.loose_rows = put_loose;
	options.warn = warn_in_object;
	options.context = job;
	options.progress = NULL;
	for (size_t i = 0; i < object->warnings.count; i++)
		warn_in_object(job, object->warnings.items[i].kind,
			       object->warnings.items[i].text);
	if (!gsym_dwarf_present(object))
		return GSYM_OK;
	if (!find_pieces(job, object))
		return gsym_fail_memory(job->error);
	status = gsym_dwarf_convert(object, job->second, &options, NULL, &sink,
				    false, job->variables, job->facts,
				    job->error);
	if (status == GSYM_OK && job->variables)
		move_variables(job, first);
	return status;
}

/* Whether an object with IDENTITY was read before.  Without memory *STATUS is
 * set, and the result is true. */
static bool is_known(struct job *job, const uint64_t identity[3],
		     enum gsym_status *status)
{
	size_t count = job->known.count;
	uint32_t number;

	if (!gsym_intern_add(&job->known, (const char *)identity,
			     3 * sizeof(*identity), &number)) {
		*status = gsym_fail_memory(job->error);
		return true;
	}
	return number < count;
}

/* Open the object at PATH and read it.  False if it cannot be used; WHY has the
 * reason, and another path may be tried.  If true, *STATUS is the result. */
static bool try_object(struct job *job, const char *path,
		       enum gsym_status *status, struct gsym_error *why)
{
	const struct gsym_convert_options *o = job->options;
	struct gsym_container *object = NULL;
	uint64_t identity[3] = { 0 };

	*status = job->program->open_object(job->program, job->object, path,
					    identity, &object, why);
	if (o->file)
		o->file(o->context, GSYM_FILE_OBJECT, path,
			*status == GSYM_OK ? NULL : why->message);
	if (*status == GSYM_ERR_MEMORY) {
		gsym_fail_memory(job->error);
		return true;
	}
	if (*status != GSYM_OK)
		return false;
	if (!is_known(job, identity, status))
		*status = convert_object(job, object);
	gsym_container_free(object);
	return true;
}

/* Find the object where the debug map says.  A relative path (of reproducible
 * builds) is tried in the program's folder, then in the current one. */
static enum gsym_status find_object(struct job *job)
{
	const char *name = job->object->path;
	const char *prefix = job->options->object_prefix;
	const char *slash = strrchr(job->path, '/');
	struct gsym_error why = { 0 }, last = { 0 };
	enum gsym_status status;
	char *other = NULL;
	bool done;

	if (prefix ? asprintf(&other, "%s/%s", prefix, name) < 0
		   : *name != '/' && slash &&
		     asprintf(&other, "%.*s/%s", (int)(slash - job->path),
			      job->path, name) < 0)
		return gsym_fail_memory(job->error);
	done = other && try_object(job, other, &status, &why);
	if (!done && !prefix) {
		done = try_object(job, name, &status, &last);
		/* Report the file that is wrong, rather than the one that does
		 * not exist. */
		if (!other || why.code == GSYM_ERR_IO)
			why = last;
	}
	free(other);
	if (done)
		return status;
	gsym_container_tell(job->options, GSYM_WARN_MISSING_FILE,
			    "'%.150s', an object with debug info: %s", name,
			    why.message);
	return GSYM_OK;
}

enum gsym_status
gsym_objects_convert(const struct gsym_container *program, const char *path,
		     const struct dw_reader *second,
		     const struct gsym_convert_options *options,
		     const struct gsym_sink *sink,
		     struct gsym_variables *variables,
		     struct gsym_convert_facts *facts, struct gsym_error *error)
{
	struct job job = { .program = program,
			   .path = path,
			   .second = second,
			   .options = options,
			   .relay = { sink },
			   .variables = variables,
			   .facts = facts,
			   .error = error };
	size_t count = program->objects.count;
	enum gsym_status status = GSYM_OK;

	if (!names_init(&job.names, program) || !find_taken(&job))
		status = gsym_fail_memory(error);
	for (size_t i = 0; i < count && status == GSYM_OK; i++) {
		job.object = &program->objects.items[i];
		/* The linker used nothing of an object without pieces. */
		if (job.object->count)
			status = find_object(&job);
		if (status == GSYM_OK && options->progress &&
		    !options->progress(options->context, i + 1, count))
			status = gsym_fail(error, GSYM_ERR_CANCELLED, 0,
					   "cancelled");
	}
	names_fini(&job.names);
	free(job.taken);
	gsym_intern_fini(&job.known);
	gsym_vec_fini(&job.pieces);
	gsym_vec_fini(&job.rows);
	gsym_vec_fini(&job.ranges);
	return status;
}
