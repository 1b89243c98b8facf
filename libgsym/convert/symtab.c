/* SPDX-License-Identifier: MIT */
/* Makes records of the code symbols of a container. */
#include "convert/symtab.h"

#include "base/error.h"
#include "base/prefetch.h"

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

/* The executable section of SYMBOL; NULL if SYMBOL becomes no record. */
static const struct gsym_container_section *
code_section(const struct gsym_container *c, const struct gsym_symbol *symbol)
{
	const struct gsym_container_section *s;

	if (symbol->section >= c->sections.count || !symbol->name[0])
		return NULL;
	if (symbol->type != GSYM_SYMBOL_FUNCTION &&
	    (symbol->type != GSYM_SYMBOL_NONE || symbol->name[0] == '$'))
		return NULL;
	s = &c->sections.items[symbol->section];
	return s->loaded && s->executable ? s : NULL;
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

/* Fill in RECORD's rank and range for SYMBOL in section S.  False if SYMBOL
 * names no byte of S. */
static bool set_range(const struct gsym_symbol *symbol,
		      const struct gsym_container_section *s,
		      const struct gsym_convert_options *options,
		      struct gsym_record *record)
{
	uint64_t offset = symbol->value - s->address;
	bool sized = symbol->type == GSYM_SYMBOL_FUNCTION && symbol->size;

	if (s->size > UINT64_MAX - s->address || symbol->value < s->address ||
	    offset > s->size || (sized && offset == s->size)) {
		warn(options, symbol, GSYM_WARN_BAD_SYMBOL,
		     "it lies outside its section");
		return false;
	}
	/* Linker scripts define such labels for the end of a section. */
	if (offset == s->size)
		return false;
	record->start = symbol->value;
	record->limit = s->address + s->size;
	if (!sized) {
		if (symbol->limit > symbol->value &&
		    symbol->limit < record->limit)
			record->limit = symbol->limit;
		return true;
	}
	record->rank = GSYM_RANK_SYMBOL;
	record->size = symbol->size;
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
		code_section(v->container, symbol);
	struct gsym_record *record = &v->records[v->count];
	size_t length;

	*record = (struct gsym_record){ .rank = GSYM_RANK_LABEL };
	if (!s || !set_range(symbol, s, v->options, record))
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

enum gsym_status gsym_symtab_convert(const struct gsym_container *c,
				     const struct gsym_convert_options *options,
				     const struct gsym_sink *sink,
				     struct gsym_convert_facts *facts,
				     struct gsym_error *error)
{
	struct conversion v = {
		.container = c,
		.options = options,
		.sink = sink,
		.error = error,
		.budget = gsym_symtab_budget(c),
	};
	enum gsym_status status = GSYM_OK;

	facts->input_bytes += c->symbol_bytes;
	for (size_t i = 0; i < c->symbols.count && status == GSYM_OK; i++) {
		if (i + AHEAD < c->symbols.count)
			gsym_prefetch_text(c->symbols.items[i + AHEAD].name);
		if (!add_symbol(&v, &c->symbols.items[i]))
			break;
		if (v.count == BATCH)
			status = put_batch(&v);
	}
	if (status == GSYM_OK)
		status = put_batch(&v);
	return status;
}
