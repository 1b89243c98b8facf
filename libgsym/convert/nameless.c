/* SPDX-License-Identifier: MIT */
/* Records of functions that have no name: the table for unwinding has them, and
 * no symbol names a byte of them. */
#include "convert/convert.h"

#include "base/error.h"
#include "base/order.h"

#include <stdlib.h>

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
		GSYM_FIRST(i, first, c->functions.count,
			   items[i].start >= end),
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
