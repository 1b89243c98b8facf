/* SPDX-License-Identifier: MIT */
#include "convert/symtab.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

/* The names of all symbols together may take NAME_SHARE times the bytes of
 * the symbol tables, and SPARE_NAMES more.  In a hostile table every symbol
 * could have the same name of megabytes. */
enum { NAME_SHARE = 16, SPARE_NAMES = 1 << 28 };

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

enum gsym_status gsym_symtab_convert(const struct gsym_container *c,
				     const struct gsym_convert_options *options,
				     const struct gsym_sink *sink,
				     struct gsym_convert_facts *facts,
				     struct gsym_error *error)
{
	uint64_t left = c->symbol_bytes * NAME_SHARE + SPARE_NAMES;

	facts->input_bytes += c->symbol_bytes;
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *symbol = &c->symbols.items[i];
		const struct gsym_container_section *s =
			code_section(c, symbol);
		struct gsym_record record = { .rank = GSYM_RANK_LABEL };
		enum gsym_status status;
		size_t length;

		if (!s || !set_range(symbol, s, options, &record))
			continue;
		record.name_kind = gsym_symtab_name_kind(symbol);
		length = strlen(symbol->name);
		if (length > left)
			return gsym_fail(error, GSYM_ERR_LIMIT, 0,
					 "names of symbols take many times "
					 "the size of the symbol tables");
		left -= length;
		status = sink->string(sink->self, symbol->name, length,
				      &record.name);
		if (status == GSYM_OK)
			status = sink->record(sink->self, &record);
		if (status != GSYM_OK)
			return gsym_fail(error, status, 0,
					 "symbol %.100s at 0x%" PRIx64 ": %s",
					 symbol->name, symbol->value,
					 gsym_status_text(status));
	}
	return GSYM_OK;
}
