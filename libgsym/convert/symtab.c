/* SPDX-License-Identifier: MIT */
/* Makes records of the code symbols of a container, and of the functions that
 * no symbol names. */
#include "convert/convert.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/pool.h"

#include <inttypes.h>
#include <stdlib.h>

/* The names of all symbols together may take NAME_SHARE times the bytes of
 * the symbol tables, and SPARE_NAMES more. */
enum { NAME_SHARE = 16, SPARE_NAMES = 1 << 24 };

struct gsym_budget gsym_symtab_budget(const struct gsym_container *c)
{
	return (struct gsym_budget){
		.limit = c->symbol_bytes * NAME_SHARE + SPARE_NAMES,
	};
}

bool gsym_symtab_take_name(struct gsym_budget *budget, size_t length,
			   const struct gsym_convert_options *options)
{
	if (gsym_budget_take(budget, length))
		return true;
	gsym_container_tell(options, GSYM_WARN_WORK_LIMIT,
			    "names of symbols take many times the size of the "
			    "symbol tables: the symbols that follow are left "
			    "out");
	return false;
}

static void warn(const struct gsym_convert_options *options,
		 const struct gsym_symbol *symbol, enum gsym_warning kind,
		 const char *problem)
{
	gsym_container_tell(options, kind, "symbol %.100s at 0x%" PRIx64 ": %s",
			    symbol->name, symbol->value, problem);
}

enum gsym_name_kind gsym_symtab_name_kind(const struct gsym_symbol *symbol)
{
	switch (symbol->binding) {
	case GSYM_SYMBOL_GLOBAL:
		return GSYM_NAME_SYMBOL_GLOBAL;
	case GSYM_SYMBOL_WEAK:
		return GSYM_NAME_SYMBOL_WEAK;
	case GSYM_SYMBOL_LOCAL:
		break;
	}
	return GSYM_NAME_SYMBOL_LOCAL;
}

/* The address at which code at ADDRESS, of a symbol without size, ends by the
 * table for unwinding: with its function, or before the next one.  UINT64_MAX
 * if that is not known. */
static uint64_t function_end(const struct gsym_container *c, uint64_t address)
{
	const struct gsym_range *items = c->functions.items;
	size_t at = GSYM_FIRST(i, 0, c->functions.count,
			       items[i].end > address);

	if (at == c->functions.count)
		return UINT64_MAX;
	return items[at].start > address ? items[at].start : items[at].end;
}

/* Fill in RECORD's rank and range for SYMBOL of SIZE bytes in section S.  False
 * if SYMBOL names no byte of S. */
static bool set_range(const struct gsym_symbol *symbol, uint64_t size,
		      const struct gsym_container_section *s,
		      const struct gsym_convert_options *options,
		      struct gsym_record *record)
{
	uint64_t offset = symbol->value - s->address;

	if (s->size > UINT64_MAX - s->address || symbol->value < s->address ||
	    offset > s->size ||
	    (symbol->type == GSYM_SYMBOL_FUNCTION && size &&
	     offset == s->size)) {
		warn(options, symbol, GSYM_WARN_BAD_SYMBOL,
		     "it lies outside its section");
		return false;
	}
	/* Linker scripts define such labels for the end of a section. */
	if (offset == s->size)
		return false;
	record->start = symbol->value;
	record->limit = s->address + s->size;
	if (!size) {
		if (symbol->reach && symbol->reach < s->size - offset)
			record->limit = symbol->value + symbol->reach;
		return true;
	}
	record->rank = GSYM_RANK_SYMBOL;
	record->size = size;
	if (record->size > s->size - offset) {
		warn(options, symbol, GSYM_WARN_BAD_SYMBOL,
		     "it reaches beyond its section");
		record->size = s->size - offset;
	}
	if (record->size > UINT32_MAX) {
		warn(options, symbol, GSYM_WARN_SIZE_LIMIT,
		     "cut at 4 GiB");
		record->size = UINT32_MAX;
	}
	return true;
}

/* ---- conversions in part ------------------------------------------------- */

/* Whether one of the addresses is in a section without symbols, where the
 * answer depends on all functions of the section. */
static bool in_unnamed_section(const struct gsym_container *c,
			       const struct gsym_convert_options *options)
{
	struct gsym_range_set sections = { 0 };
	bool found = !gsym_unnamed_sections(c, &sections);

	for (size_t i = 0; i < options->address_count && !found; i++) {
		uint64_t address = options->addresses[i];

		found = gsym_range_set_has(
			&sections, (struct gsym_range){ address, address + 1 });
	}
	gsym_vec_fini(&sections);
	return found;
}

/* Whether the whole conversion has room for the names of all symbols.  Symbols
 * without room give no answer, and those before them decide which they are. */
static bool has_room_for_names(const struct gsym_container *c)
{
	struct gsym_budget budget = gsym_symtab_budget(c);

	for (size_t i = 0; i < c->symbols.count; i++)
		if (gsym_symtab_section(c, &c->symbols.items[i]) &&
		    !gsym_budget_take(&budget,
				      strlen(c->symbols.items[i].name)))
			return false;
	return true;
}

bool gsym_symtab_near_serves(const struct gsym_container *c,
			     const struct gsym_convert_options *options)
{
	if (!options->addresses || !options->address_count ||
	    options->address_count > GSYM_CONVERT_ADDRESSES ||
	    options->merged_functions || !gsym_dwarf_present(c))
		return false;
	for (size_t i = 0; i < options->address_count; i++)
		if (!c->text.count ||
		    !gsym_container_is_code(c, options->addresses[i]))
			return false;
	return !in_unnamed_section(c, options) && has_room_for_names(c);
}

/* Whether SYMBOL is in its section, as set_range wants it. */
static bool becomes_record(const struct gsym_container *c,
			   const struct gsym_symbol *symbol)
{
	const struct gsym_container_section *s =
		gsym_symtab_section(c, symbol);

	return s && s->size <= UINT64_MAX - s->address &&
	       symbol->value >= s->address &&
	       symbol->value - s->address < s->size;
}

/* The range that decides the answer for ADDRESS.  A symbol without size reaches
 * to the next symbol. */
static struct gsym_range around(const struct gsym_container *c,
				uint64_t address)
{
	struct gsym_range range = { address, address };
	uint64_t before = 0, after = UINT64_MAX;
	bool found = false;

	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (!becomes_record(c, s))
			continue;
		if (s->value > address) {
			after = s->value < after ? s->value : after;
			continue;
		}
		found = true;
		before = s->value > before ? s->value : before;
		if (address - s->value >= s->size)
			continue;
		range.start = s->value < range.start ? s->value : range.start;
		if (s->size > range.end - s->value)
			range.end = s->size < UINT64_MAX - s->value
					    ? s->value + s->size
					    : UINT64_MAX;
	}
	if (found && before < range.start)
		range.start = before;
	if (found && after > range.end)
		range.end = after;
	if (range.end == address && address < UINT64_MAX)
		range.end++;
	return range;
}

bool gsym_symtab_near(const struct gsym_container *c,
		      const struct gsym_convert_options *options,
		      struct gsym_range_set *near)
{
	if (!gsym_vec_reserve(near, options->address_count))
		return false;
	for (size_t i = 0; i < options->address_count; i++)
		near->items[near->count++] = around(c, options->addresses[i]);
	gsym_range_set_join(near);
	return true;
}

bool gsym_symtab_near_widen(const struct gsym_range_set *near,
			    const struct gsym_overlay *functions,
			    struct gsym_range_set *ret)
{
	if (!gsym_vec_reserve(ret, near->count + functions->ranges.count))
		return false;
	for (size_t i = 0; i < near->count; i++)
		ret->items[ret->count++] = near->items[i];
	for (size_t i = 0; i < functions->ranges.count; i++)
		if (gsym_range_set_has(near, functions->ranges.items[i]))
			ret->items[ret->count++] = functions->ranges.items[i];
	gsym_range_set_join(ret);
	return true;
}

/* Whether NEAR leaves SYMBOL out.  A symbol at the end of a range of NEAR
 * counts: it ends labels. */
static bool is_distant(const struct gsym_range_set *near,
		       const struct gsym_symbol *symbol)
{
	uint64_t size = symbol->size ? symbol->size : 1;
	struct gsym_range range = {
		.start = symbol->value ? symbol->value - 1 : 0,
		.end = size < UINT64_MAX - symbol->value ? symbol->value + size
							 : UINT64_MAX,
	};

	return !gsym_range_set_has(near, range);
}

/* Whether the names of SYMBOL's program are complete: it has a local symbol. */
static bool is_local(const struct gsym_symbol *symbol)
{
	return symbol->binding == GSYM_SYMBOL_LOCAL && symbol->size;
}

/* Append the symbols of C that NEAR does not leave out to RET, which is empty,
 * and one with local binding, if any has: the sink compares names only where
 * local symbols were not removed.  False without memory. */
static bool choose(const struct gsym_container *c,
		   const struct gsym_range_set *near,
		   struct gsym_symbol_list *ret)
{
	bool has_local = false;

	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (!gsym_symtab_section(c, s) ||
		    (is_distant(near, s) && (has_local || !is_local(s))))
			continue;
		has_local |= is_local(s);
		if (!gsym_vec_add(ret, *s))
			return false;
	}
	return true;
}

/* ---- labels in routines of assembly -------------------------------------- */

/*
 * Assembly often leaves out the type of a routine and gives its size.  Such a
 * routine, an untyped symbol with a size, has symbols inside that backtraces
 * name, in the kernel entry_SYSCALL_64_after_hwframe within entry_SYSCALL_64.
 * The routine and the symbols in it end at the next symbol, a label also where
 * a symbol with a size ends.  As in llvm-symbolizer nothing answers between a
 * symbol with a size and the next symbol, even in a routine.  A label in a
 * function with a type is not shown.
 */
struct labels {
	/* Ranges of untyped symbols and of functions, joined. */
	struct gsym_range_set routines;
	struct gsym_range_set functions;
	GSYM_VEC_OF(struct gsym_sort_item) edges;
};

/* An edge is an address at which a label ends.  EXTRA of its item has these
 * bits, and INDEX the number of the next edge with STARTS. */
enum {
	STARTS = 1, /* a symbol begins there */
	SIZED = 2,  /* one with a size */
};

/* Append the range of each of the SYMBOLS of TYPE with a size to RET, and join
 * them.  Symbols outside WITHIN, unless that is NULL, are left out.  False
 * without memory. */
static bool find_ranges(const struct gsym_container *c,
			const struct gsym_symbol_list *symbols,
			enum gsym_symbol_type type,
			const struct gsym_range_set *within,
			struct gsym_range_set *ret)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct gsym_symbol *s = &symbols->items[i];
		struct gsym_range range;

		if (s->type != type || !s->size ||
		    s->size > UINT64_MAX - s->value ||
		    !gsym_symtab_section(c, s))
			continue;
		range = (struct gsym_range){ s->value, s->value + s->size };
		if (within && !gsym_range_set_has(within, range))
			continue;
		if (!gsym_vec_add(ret, range))
			return false;
	}
	gsym_range_set_join(ret);
	return true;
}

static bool has(const struct gsym_range_set *ranges, uint64_t address)
{
	return gsym_range_set_has(ranges,
				  (struct gsym_range){ address, address + 1 });
}

static bool add_edge(struct labels *l, uint64_t address, uint32_t bits)
{
	return gsym_vec_add(&l->edges,
			    (struct gsym_sort_item){ address, 0, bits }) &&
	       l->edges.count <= UINT32_MAX;
}

/* Append the edges of the SYMBOLS that begin in a routine. */
static bool find_edges(const struct gsym_container *c,
		       const struct gsym_symbol_list *symbols,
		       struct labels *l)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct gsym_symbol *s = &symbols->items[i];

		if (s->value == UINT64_MAX || !gsym_symtab_section(c, s) ||
		    !has(&l->routines, s->value))
			continue;
		if (!add_edge(l, s->value, s->size ? STARTS | SIZED : STARTS) ||
		    (s->size && s->size <= UINT64_MAX - s->value &&
		     !add_edge(l, s->value + s->size, 0)))
			return false;
	}
	return true;
}

/* Sort the edges, keep one of those at one address, and fill in INDEX. */
static bool sort_edges(struct labels *l)
{
	struct gsym_sort_item *items = l->edges.items;
	size_t kept = 0, next;

	if (!gsym_sort_items(items, l->edges.count))
		return false;
	for (size_t i = 0; i < l->edges.count; i++) {
		if (!kept || items[kept - 1].key != items[i].key)
			items[kept++] = items[i];
		else
			items[kept - 1].extra |= items[i].extra;
	}
	l->edges.count = next = kept;
	for (size_t i = kept; i-- > 0;) {
		items[i].index = (uint32_t)next;
		if (items[i].extra & STARTS)
			next = i;
	}
	return true;
}

/* Find the routines among SYMBOLS of C.  False without memory; L has to be
 * freed in either case. */
static bool find_labels(struct labels *l, const struct gsym_container *c,
			const struct gsym_symbol_list *symbols)
{
	*l = (struct labels){ 0 };
	if (!find_ranges(c, symbols, GSYM_SYMBOL_NONE, NULL, &l->routines))
		return false;
	if (!l->routines.count)
		return true;
	return find_ranges(c, symbols, GSYM_SYMBOL_FUNCTION, &l->routines,
			   &l->functions) &&
	       find_edges(c, symbols, l) && sort_edges(l);
}

static void free_labels(struct labels *l)
{
	gsym_vec_fini(&l->routines);
	gsym_vec_fini(&l->functions);
	gsym_vec_fini(&l->edges);
}

/* The bytes from the edge AT to the edge NEXT; 0 if there is no such edge. */
static uint64_t distance(const struct labels *l, size_t at, size_t next)
{
	return next < l->edges.count
		       ? l->edges.items[next].key - l->edges.items[at].key
		       : 0;
}

/* The bytes for which SYMBOL answers; 0 for a label outside of all routines, in
 * a function, or where a symbol with a size begins. */
static uint64_t size_of(const struct labels *l,
			const struct gsym_symbol *symbol)
{
	uint64_t address = symbol->value, left;
	size_t at;

	if (symbol->type == GSYM_SYMBOL_FUNCTION && symbol->size)
		return symbol->size;
	if (address == UINT64_MAX || !has(&l->routines, address) ||
	    has(&l->functions, address))
		return symbol->size;
	at = GSYM_FIRST(i, 0, l->edges.count,
			l->edges.items[i].key >= address);
	if (at == l->edges.count || l->edges.items[at].key > address)
		return symbol->size;
	if (symbol->size) {
		left = distance(l, at, l->edges.items[at].index);
		return left && left < symbol->size ? left : symbol->size;
	}
	/* A symbol with a size that begins there answers. */
	return l->edges.items[at].extra & SIZED ? 0 : distance(l, at, at + 1);
}

/* ---- records ------------------------------------------------------------- */

enum {
	/* Symbols that are handed over together. */
	TOGETHER = 256,
	/* Names of so many bytes and more are measured while there is room for
	 * names: many symbols may have one long name. */
	LONG_NAME = 1024,
};

/* TOGETHER symbols, or fewer at the end of the table. */
struct batch {
	const struct gsym_symbol *symbols;
	size_t symbol_count;
	uint64_t sizes[TOGETHER]; /* of the symbols */
	/* Of the symbols, at most LONG_NAME bytes; once the records are chosen,
	 * of the records. */
	struct gsym_text names[TOGETHER];
	struct gsym_record records[TOGETHER];
	uint32_t numbers[TOGETHER]; /* of the names of the records */
	size_t count;		    /* records */
	/* The record that the sink did not take; NULL: none. */
	const struct gsym_record *refused;
};

struct conversion {
	const struct gsym_container *container;
	const struct gsym_convert_options *options;
	const struct gsym_symbol_list *symbols;
	struct labels labels;
	const struct gsym_sink *sink;
	bool at_once; /* several threads may call SINK at once */
	struct gsym_budget budget;
	bool full; /* a name exceeded the budget: no more records */
	struct batch *batches;
	size_t batch_count;
};

/* Measure the symbols of batch INDEX, and their names. */
static enum gsym_status measure(void *context, size_t index, unsigned worker)
{
	/* A name is fetched into the cache so many symbols before it is read:
	 * names of neighbours may lie far apart. */
	enum { AHEAD = 16 };
	struct conversion *v = context;
	struct batch *batch = &v->batches[index % v->batch_count];
	size_t count = v->symbols->count - index * TOGETHER;

	(void)worker;
	count = count < TOGETHER ? count : TOGETHER;
	batch->symbols = v->symbols->items + index * TOGETHER;
	batch->symbol_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct gsym_symbol *symbol = &batch->symbols[i];

		if (i + AHEAD < count)
			gsym_prefetch_text(symbol[AHEAD].name);
		if (!gsym_symtab_section(v->container, symbol))
			continue;
		batch->sizes[i] = size_of(&v->labels, symbol);
		batch->names[i] =
			(struct gsym_text){ symbol->name,
					    strnlen(symbol->name, LONG_NAME) };
	}
	return GSYM_OK;
}

/* Set RECORD to the record of SYMBOL, of SIZE bytes.  False if it becomes
 * none. */
static bool make_record(const struct conversion *v,
			const struct gsym_symbol *symbol, uint64_t size,
			struct gsym_record *record)
{
	const struct gsym_container_section *s =
		gsym_symtab_section(v->container, symbol);
	uint64_t end;

	*record = (struct gsym_record){
		.rank = GSYM_RANK_LABEL,
		.name_kind = gsym_symtab_name_kind(symbol),
	};
	if (!s || !set_range(symbol, size, s, v->options, record))
		return false;
	if (record->limit && record->rank == GSYM_RANK_LABEL) {
		end = function_end(v->container, record->start);
		record->limit = end < record->limit ? end : record->limit;
	}
	return true;
}

/* Hand the records of batch INDEX over.  A name that is not taken counts as
 * that of the first record. */
static enum gsym_status hand_over(void *context, size_t index, unsigned worker)
{
	struct conversion *v = context;
	struct batch *batch = &v->batches[index % v->batch_count];
	struct gsym_record *record = batch->records;
	enum gsym_status status = gsym_sink_strings(
		v->sink, batch->names, batch->count, batch->numbers);

	(void)worker;
	for (size_t i = 0; i < batch->count && status == GSYM_OK; i++) {
		record = &batch->records[i];
		record->name = batch->numbers[i];
		status = gsym_sink_record(v->sink, record);
	}
	if (status != GSYM_OK)
		batch->refused = record;
	return status;
}

/* Leave the symbols of batch INDEX out that become no record: in the order of
 * the symbols, because of the warnings and the budget. */
static enum gsym_status choose_records(void *context, size_t index,
				       unsigned worker)
{
	struct conversion *v = context;
	struct batch *batch = &v->batches[index % v->batch_count];

	batch->count = 0;
	for (size_t i = 0; i < batch->symbol_count && !v->full; i++) {
		struct gsym_text name = batch->names[i];

		if (!make_record(v, &batch->symbols[i], batch->sizes[i],
				 &batch->records[batch->count]))
			continue;
		if (name.length == LONG_NAME)
			name.length += strlen(name.bytes + LONG_NAME);
		v->full = !gsym_symtab_take_name(&v->budget, name.length,
						 v->options);
		if (!v->full)
			batch->names[batch->count++] = name;
	}
	return v->at_once ? GSYM_OK : hand_over(v, index, worker);
}

/* Say which symbol STATUS comes from: the first one, in the order of the
 * symbols, whose record was not taken.  If all were taken, there was no
 * memory. */
static void tell_refused(const struct conversion *v, enum gsym_status status,
			 struct gsym_error *error)
{
	const struct batch *first = NULL;

	for (size_t i = 0; v->batches && i < v->batch_count; i++)
		if (v->batches[i].refused &&
		    (!first || v->batches[i].symbols < first->symbols))
			first = &v->batches[i];
	if (first)
		gsym_fail(error, status, 0,
			  "symbol %.100s at 0x%" PRIx64 ": %s",
			  first->names[first->refused - first->records].bytes,
			  first->refused->start, gsym_status_text(status));
	else
		gsym_fail_memory(error);
}

static enum gsym_status convert(struct conversion *v, struct gsym_error *error)
{
	size_t count = (v->symbols->count + TOGETHER - 1) / TOGETHER;
	unsigned threads = gsym_pool_threads(v->options->threads, count);
	enum gsym_status status = GSYM_ERR_MEMORY;

	v->batch_count = threads > 1 ? (size_t)threads * 2 : 1;
	v->batches = calloc(v->batch_count, sizeof(*v->batches));
	if (v->batches && find_labels(&v->labels, v->container, v->symbols))
		status = gsym_pool_run(threads, count, v->batch_count, measure,
				       choose_records,
				       v->at_once ? hand_over : NULL, v);
	if (status != GSYM_OK)
		tell_refused(v, status, error);
	free_labels(&v->labels);
	free(v->batches);
	return status;
}

/* The number of symbols of code in C that are no stubs. */
static uint32_t count_functions(const struct gsym_container *c)
{
	uint32_t count = 0;

	for (size_t i = 0; i < c->symbols.count; i++)
		count += count < UINT32_MAX && !c->symbols.items[i].stub &&
			 gsym_symtab_section(c, &c->symbols.items[i]);
	return count;
}

enum gsym_status gsym_symtab_convert(const struct gsym_container *c,
				     const struct gsym_convert_options *options,
				     const struct gsym_range_set *near,
				     bool stubs, const struct gsym_sink *sink,
				     bool at_once,
				     struct gsym_convert_facts *facts,
				     struct gsym_error *error)
{
	struct gsym_symbol_list chosen = { 0 };
	struct conversion v = {
		.container = c,
		.options = options,
		.symbols = near ? &chosen : &c->symbols,
		.sink = sink,
		.at_once = at_once,
		.budget = gsym_symtab_budget(c),
	};
	enum gsym_status status = GSYM_OK;

	facts->input_bytes += c->symbol_bytes;
	facts->symbols = count_functions(c);
	if (!stubs && !facts->symbols)
		return GSYM_OK;
	if (near && !choose(c, near, &chosen))
		status = gsym_fail_memory(error);
	else
		status = convert(&v, error);
	gsym_vec_fini(&chosen);
	return status;
}

/* ---- functions without a name -------------------------------------------- */

/* The table for unwinding has them, and no symbol names a byte of them. */

/* Functions of the table, as numbers, from FIRST up to END. */
struct numbers {
	size_t first, end;
};

/* The functions of C that have a byte that SYMBOL names.  A symbol without size
 * names code of the function that it lies in. */
static struct numbers named_by(const struct gsym_container *c,
			       const struct gsym_symbol *symbol)
{
	const struct gsym_range *items = c->functions.items;
	uint64_t size = symbol->size ? symbol->size : 1;
	uint64_t end = size < UINT64_MAX - symbol->value ? symbol->value + size
							 : UINT64_MAX;
	size_t first = GSYM_FIRST(i, 0, c->functions.count,
				  items[i].end > symbol->value);

	return (struct numbers){
		first,
		GSYM_FIRST(i, first, c->functions.count, items[i].start >= end),
	};
}

/* For each function of C the number of symbols that begin to name at it, less
 * those that end before it; with another entry at the end.  NULL without
 * memory. */
static int64_t *count_names(const struct gsym_container *c)
{
	int64_t *changes = calloc(c->functions.count + 1, sizeof(*changes));

	for (size_t i = 0; changes && i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];
		struct numbers n;

		if (!gsym_symtab_section(c, s))
			continue;
		n = named_by(c, s);
		changes[n.first]++;
		changes[n.end]--;
	}
	return changes;
}

enum gsym_status gsym_nameless_convert(const struct gsym_container *c,
				       const struct gsym_sink *sink,
				       struct gsym_error *error)
{
	struct gsym_record record = { .rank = GSYM_RANK_LABEL,
				      .name_kind = GSYM_NAME_SYMBOL_LOCAL };
	enum gsym_status status;
	int64_t *changes, names = 0;

	if (!c->functions.count)
		return GSYM_OK;
	changes = count_names(c);
	if (!changes)
		return gsym_fail_memory(error);
	status = sink->string(sink->self, "??", 2, &record.name);
	for (size_t i = 0; i < c->functions.count && status == GSYM_OK; i++) {
		names += changes[i];
		record.start = c->functions.items[i].start;
		record.limit = c->functions.items[i].end;
		if (!names)
			status = gsym_sink_record(sink, &record);
	}
	free(changes);
	return status == GSYM_OK
		       ? GSYM_OK
		       : gsym_fail(error, status, 0,
				   "cannot add functions without a name: %s",
				   gsym_status_text(status));
}
