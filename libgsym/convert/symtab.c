/* SPDX-License-Identifier: MIT */
/* Makes records of the code symbols of a container. */
#include "convert/convert.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"

#include <inttypes.h>
#include <stdio.h>

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
	if (options->warn)
		options->warn(options->context, GSYM_WARN_WORK_LIMIT,
			      "names of symbols take many times the size of "
			      "the symbol tables: the symbols that follow are "
			      "left out");
	return false;
}

static void warn(const struct gsym_convert_options *options,
		 const struct gsym_symbol *symbol, enum gsym_warning kind,
		 const char *problem)
{
	char text[GSYM_ERROR_MESSAGE_SIZE];

	if (!options->warn)
		return;
	snprintf(text, sizeof(text), "symbol %.100s at 0x%" PRIx64 ": %s",
		 symbol->name, symbol->value, problem);
	options->warn(options->context, kind, text);
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
		if (symbol->limit > symbol->value &&
		    symbol->limit < record->limit)
			record->limit = symbol->limit;
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
	struct gsym_near sections = { 0 };
	bool found = !gsym_unnamed_sections(c, &sections);

	for (size_t i = 0; i < options->address_count && !found; i++) {
		uint64_t address = options->addresses[i];

		found = gsym_near_has(&sections,
				      (struct gsym_range){ address,
							   address + 1 });
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
		      struct gsym_near *near)
{
	if (!gsym_vec_reserve(near, options->address_count))
		return false;
	for (size_t i = 0; i < options->address_count; i++)
		near->items[near->count++] = around(c, options->addresses[i]);
	near->count = gsym_sort_join(near->items, near->count);
	return true;
}

bool gsym_symtab_near_widen(const struct gsym_near *near,
			    const struct gsym_overlay *functions,
			    struct gsym_near *ret)
{
	if (!gsym_vec_reserve(ret, near->count + functions->ranges.count))
		return false;
	for (size_t i = 0; i < near->count; i++)
		ret->items[ret->count++] = near->items[i];
	for (size_t i = 0; i < functions->ranges.count; i++)
		if (gsym_near_has(near, functions->ranges.items[i]))
			ret->items[ret->count++] = functions->ranges.items[i];
	ret->count = gsym_sort_join(ret->items, ret->count);
	return true;
}

/* Whether NEAR leaves SYMBOL out.  A symbol at the end of a range of NEAR
 * counts: it ends labels. */
static bool is_distant(const struct gsym_near *near,
		       const struct gsym_symbol *symbol)
{
	uint64_t size = symbol->size ? symbol->size : 1;
	struct gsym_range range = {
		.start = symbol->value ? symbol->value - 1 : 0,
		.end = size < UINT64_MAX - symbol->value ? symbol->value + size
							 : UINT64_MAX,
	};

	return !gsym_near_has(near, range);
}

/* Append the symbols of C that NEAR does not leave out to RET, which is empty.
 * False without memory. */
static bool choose(const struct gsym_container *c, const struct gsym_near *near,
		   struct gsym_symbol_list *ret)
{
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];
		struct gsym_symbol *chosen;

		if (is_distant(near, s) || !gsym_symtab_section(c, s))
			continue;
		chosen = gsym_vec_push(ret);
		if (!chosen)
			return false;
		*chosen = *s;
	}
	return true;
}

/* ---- batches ------------------------------------------------------------- */

enum {
	/* Symbols whose names are handed to the sink in one call: the builder
	 * is faster with many names at once. */
	BATCH = 256,
	/* A name is prefetched so many symbols before it is read: names of
	 * neighbours may lie far apart. */
	AHEAD = 16,
};

struct conversion {
	const struct gsym_container *container;
	const struct gsym_convert_options *options;
	const struct gsym_labels *labels;
	const struct gsym_sink *sink;
	struct gsym_error *error;
	struct gsym_budget budget;
	/* The batch: COUNT symbols, their records without names, and names. */
	size_t count;
	const struct gsym_symbol *symbols[BATCH];
	struct gsym_record records[BATCH];
	struct gsym_text names[BATCH];
	uint32_t numbers[BATCH];
};

/* Add SYMBOL to the batch, which has room for it, unless it becomes no record.
 * False if its name exceeds the budget. */
static bool add_symbol(struct conversion *v, const struct gsym_symbol *symbol)
{
	const struct gsym_container_section *s =
		gsym_symtab_section(v->container, symbol);
	struct gsym_record *record = &v->records[v->count];
	uint64_t size;
	size_t length;

	if (!s)
		return true;
	*record = (struct gsym_record){ .rank = GSYM_RANK_LABEL };
	size = gsym_labels_size(v->labels, symbol);
	if (!set_range(symbol, size, s, v->options, record))
		return true;
	record->name_kind = gsym_symtab_name_kind(symbol);
	length = strlen(symbol->name);
	if (!gsym_symtab_take_name(&v->budget, length, v->options))
		return false;
	v->names[v->count] = (struct gsym_text){ symbol->name, length };
	v->symbols[v->count++] = symbol;
	return true;
}

/* Hand the names of the batch to the sink. */
static enum gsym_status number_names(struct conversion *v)
{
	const struct gsym_sink *sink = v->sink;
	enum gsym_status status = GSYM_OK;

	if (sink->strings)
		return sink->strings(sink->self, v->names, v->count,
				     v->numbers);
	for (size_t i = 0; i < v->count && status == GSYM_OK; i++)
		status = sink->string(sink->self, v->names[i].bytes,
				      v->names[i].length, &v->numbers[i]);
	return status;
}

/* Push the records of the batch, and empty it. */
static enum gsym_status put_batch(struct conversion *v)
{
	enum gsym_status status = number_names(v);

	if (status != GSYM_OK)
		return gsym_fail(v->error, status, 0, "names of symbols: %s",
				 gsym_status_text(status));
	for (size_t i = 0; i < v->count; i++) {
		const struct gsym_symbol *symbol = v->symbols[i];

		v->records[i].name = v->numbers[i];
		status = gsym_sink_record(v->sink, &v->records[i]);
		if (status != GSYM_OK)
			return gsym_fail(v->error, status, 0,
					 "symbol %.100s at 0x%" PRIx64 ": %s",
					 symbol->name, symbol->value,
					 gsym_status_text(status));
	}
	v->count = 0;
	return GSYM_OK;
}

/* gsym_symtab_convert, for SYMBOLS alone. */
static enum gsym_status convert(const struct gsym_container *c,
				const struct gsym_symbol_list *symbols,
				const struct gsym_convert_options *options,
				const struct gsym_sink *sink,
				struct gsym_error *error)
{
	struct gsym_labels labels;
	struct conversion v = {
		.container = c,
		.options = options,
		.labels = &labels,
		.sink = sink,
		.error = error,
		.budget = gsym_symtab_budget(c),
	};
	enum gsym_status status = GSYM_OK;

	if (!gsym_labels_init(&labels, c, symbols))
		status = gsym_fail_memory(error);
	for (size_t i = 0; i < symbols->count && status == GSYM_OK; i++) {
		if (i + AHEAD < symbols->count)
			gsym_prefetch_text(symbols->items[i + AHEAD].name);
		if (!add_symbol(&v, &symbols->items[i]))
			break;
		if (v.count == BATCH)
			status = put_batch(&v);
	}
	if (status == GSYM_OK)
		status = put_batch(&v);
	gsym_labels_fini(&labels);
	return status;
}

enum gsym_status gsym_symtab_convert(const struct gsym_container *c,
				     const struct gsym_convert_options *options,
				     const struct gsym_near *near,
				     const struct gsym_sink *sink,
				     struct gsym_convert_facts *facts,
				     struct gsym_error *error)
{
	struct gsym_symbol_list chosen = { 0 };
	enum gsym_status status;

	facts->input_bytes += c->symbol_bytes;
	if (near && !choose(c, near, &chosen))
		status = gsym_fail_memory(error);
	else
		status = convert(c, near ? &chosen : &c->symbols, options, sink,
				 error);
	gsym_vec_fini(&chosen);
	return status;
}
