/* SPDX-License-Identifier: MIT */
/* Makes records of data symbols and variables. */
#include "convert/convert.h"

#include "base/error.h"
#include "base/order.h"

#include <stdlib.h>

/* A symbol or variable. */
struct item {
	uint64_t start;
	uint64_t size;	/* 0: becomes no record */
	uint64_t limit; /* the end of its section */
	const struct gsym_variable *variable; /* has the declaration; NULL */
	uint32_t name;
	/* Of a symbol: NAME without the ".1" that gcc appends to the names of
	 * static variables in functions.  Else NAME. */
	uint32_t plain_name;
	enum gsym_rank rank;
	enum gsym_name_kind kind;
	/* Its own size is 0. */
	bool empty;
	size_t order; /* of arrival */
};

struct data {
	const struct gsym_container *container;
	/* Sections that hold data, by address. */
	struct gsym_range_set sections;
	GSYM_VEC_OF(struct item) items;
};

static int by_start(const void *a, const void *b)
{
	const struct gsym_range *x = a, *y = b;

	return GSYM_ORDER(x->start, y->start);
}

static bool find_sections(struct data *d)
{
	const struct gsym_container *c = d->container;

	if (!gsym_vec_reserve(&d->sections, c->sections.count))
		return false;
	for (size_t i = 0; i < c->sections.count; i++) {
		struct gsym_range *range =
			&d->sections.items[d->sections.count];

		d->sections.count += gsym_container_range(
			&c->sections.items[i], false, range) &&
			(!c->has_base || range->start >= c->base);
	}
	gsym_vec_sort(&d->sections, by_start);
	return true;
}

/* The end of the data section that holds ADDRESS; 0 if none does, or if
 * ADDRESS is code. */
static uint64_t section_end(const struct data *d, uint64_t address)
{
	const struct gsym_container *c = d->container;
	size_t next = GSYM_FIRST(i, 0, d->sections.count,
				 d->sections.items[i].start > address);

	if (!next || d->sections.items[next - 1].end <= address ||
	    (c->text.count && gsym_container_is_code(c, address)))
		return 0;
	return d->sections.items[next - 1].end;
}

static enum gsym_status add_item(struct data *d, struct item item)
{
	item.limit = section_end(d, item.start);
	if (!item.limit || !item.name)
		return GSYM_OK;
	if (item.size > item.limit - item.start)
		item.size = item.limit - item.start;
	item.order = d->items.count;
	return gsym_vec_add(&d->items, item) ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* The length of NAME without a dot and digits at its end. */
static size_t plain_length(const char *name)
{
	size_t length = strlen(name), digits = length;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	return digits > 1 && digits < length && name[digits - 1] == '.'
		       ? digits - 1
		       : length;
}

static enum gsym_status add_symbols(struct data *d,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink)
{
	const struct gsym_container *c = d->container;
	struct gsym_budget budget = gsym_symtab_budget(c);
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < c->symbols.count && status == GSYM_OK; i++) {
		const struct gsym_symbol *symbol = &c->symbols.items[i];
		struct item item = {
			.start = symbol->value,
			.size = symbol->size,
			.rank = GSYM_RANK_SYMBOL,
			.kind = gsym_symtab_name_kind(symbol),
			.empty = !symbol->size,
		};
		size_t length;

		if (symbol->type != GSYM_SYMBOL_OBJECT ||
		    symbol->section >= c->sections.count || !symbol->name[0])
			continue;
		length = strlen(symbol->name);
		if (!gsym_symtab_take_name(&budget, length, options))
			break;
		status = sink->string(sink->self, symbol->name, length,
				      &item.name);
		if (status == GSYM_OK)
			status = sink->string(sink->self, symbol->name,
					      plain_length(symbol->name),
					      &item.plain_name);
		if (status == GSYM_OK)
			status = add_item(d, item);
	}
	return status;
}

static enum gsym_status add_variables(struct data *d,
				      const struct gsym_variables *variables)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < variables->count && status == GSYM_OK; i++) {
		const struct gsym_variable *variable = &variables->items[i];

		status = add_item(d, (struct item){
					     .start = variable->address,
					     .variable = variable,
					     .name = variable->name,
					     .plain_name = variable->name,
					     .rank = GSYM_RANK_FUNCTION,
					     .kind = variable->linkage
							     ? GSYM_NAME_LINKAGE
							     : GSYM_NAME_SOURCE,
				     });
	}
	return status;
}

/* By address; of one address variables before symbols. */
static int by_address(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = GSYM_ORDER(x->start, y->start);

	if (!order)
		order = GSYM_ORDER(y->rank, x->rank);
	return order ? order : GSYM_ORDER(x->order, y->order);
}

/* Of one address, so many variables are compared with so many symbols: a
 * hostile file cannot make that take long. */
enum { MAX_GROUP = 256 };

static bool is_named(const struct item *symbol, const struct item *variable)
{
	return symbol->name == variable->name ||
	       symbol->plain_name == variable->name;
}

/* Fill in the size of VARIABLE from the symbols at its address, ITEMS from
 * FIRST to END: the size of the symbol with its name, else the largest; without
 * any sized symbol VARIABLE reaches to NEXT.  If the symbol with its name has
 * size 0, VARIABLE is empty. */
static void size_variable(struct item *variable, const struct item *items,
			  size_t first, size_t end, uint64_t next)
{
	uint64_t size = 0;

	for (size_t i = first; i < end; i++) {
		if (!is_named(&items[i], variable)) {
			if (items[i].size > size)
				size = items[i].size;
			continue;
		}
		size = items[i].size;
		variable->empty = !size;
		if (size)
			break;
	}
	if (!size)
		size = (next < variable->limit ? next : variable->limit) -
		       variable->start;
	variable->size = size;
}

/* Give symbols their declarations and variables their sizes, among the COUNT
 * ITEMS of one address: VARIABLES variables, then symbols.  NEXT is the next
 * higher address of an item that is no empty symbol. */
static void join(struct item *items, size_t variables, size_t count,
		 uint64_t next)
{
	size_t most = count < MAX_GROUP ? count : MAX_GROUP;

	for (size_t i = variables; i < count; i++) {
		struct item *symbol = &items[i];

		if (variables)
			symbol->variable = items[0].variable;
		for (size_t k = 0; k < variables && k < MAX_GROUP; k++)
			if (is_named(symbol, &items[k])) {
				symbol->variable = items[k].variable;
				break;
			}
	}
	for (size_t k = 0; k < variables; k++)
		size_variable(&items[k], items, variables, most, next);
}

/* Join the items of each address, from the last one down. */
static void join_all(struct data *d)
{
	struct item *items = d->items.items;
	uint64_t next = UINT64_MAX;

	for (size_t end = d->items.count, first; end; end = first) {
		uint64_t start = items[end - 1].start;
		size_t variables = 0, empty = 0;

		for (first = end; first && items[first - 1].start == start;
		     first--) {
			bool variable =
				items[first - 1].rank == GSYM_RANK_FUNCTION;

			variables += variable;
			empty += !variable && items[first - 1].empty;
		}
		join(items + first, variables, end - first, next);
		if (empty < end - first)
			next = start;
	}
}

/* Empty variables keep the addresses that no other item covers: drop those in
 * the range of another item, or at its start. */
static void drop_empty(struct data *d)
{
	struct item *items = d->items.items;
	uint64_t covered = 0; /* the highest end of the items so far */

	for (size_t i = 0, next; i < d->items.count; i = next) {
		uint64_t start = items[i].start;

		for (next = i;
		     next < d->items.count && items[next].start == start;
		     next++)
			if (!items[next].empty &&
			    start + items[next].size > covered)
				covered = start + items[next].size;
		for (; i < next; i++)
			if (items[i].empty && covered > start)
				items[i].size = 0;
	}
}

static enum gsym_status put_item(const struct item *item,
				 const struct gsym_sink *sink)
{
	struct gsym_row row = { 0, GSYM_FILE_NOSRC, 0 };
	struct gsym_record record = {
		.rank = item->rank,
		.name_kind = item->kind,
		.data = true,
		.start = item->start,
		.size = item->size > UINT32_MAX ? UINT32_MAX : item->size,
		.name = item->name,
	};

	if (item->variable && item->variable->line) {
		row.file = item->variable->file;
		row.line = item->variable->line;
		record.rows = &row;
		record.row_count = 1;
	}
	return gsym_sink_record(sink, &record);
}

enum gsym_status gsym_data_convert(const struct gsym_container *container,
				   const struct gsym_convert_options *options,
				   const struct gsym_variables *variables,
				   const struct gsym_sink *sink,
				   struct gsym_error *error)
{
	struct data d = { .container = container };
	enum gsym_status status = GSYM_ERR_MEMORY;

	if (find_sections(&d))
		status = add_symbols(&d, options, sink);
	if (status == GSYM_OK)
		status = add_variables(&d, variables);
	if (status == GSYM_OK) {
		gsym_vec_sort(&d.items, by_address);
		join_all(&d);
		drop_empty(&d);
	}
	for (size_t i = 0; i < d.items.count && status == GSYM_OK; i++)
		if (d.items.items[i].size)
			status = put_item(&d.items.items[i], sink);
	gsym_vec_fini(&d.items);
	gsym_vec_fini(&d.sections);
	if (status == GSYM_ERR_MEMORY)
		return gsym_fail_memory(error);
	if (status != GSYM_OK)
		return gsym_fail(error, status, 0, "a data record was refused");
	return GSYM_OK;
}
