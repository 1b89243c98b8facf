/* SPDX-License-Identifier: MIT */
/* Memory for reading units, and what is kept of a unit that was read until it
 * is handed over. */
#include "dwarf/contents.h"

#include <string.h>

/* The arrays of struct dw_contents. */
#define ARRAYS(X)         \
	X(result.records) \
	X(result.loose)   \
	X(result.rows)    \
	X(result.inlines) \
	X(result.ranges)  \
	X(result.calls)   \
	X(result.callees) \
	X(result.names)   \
	X(texts)          \
	X(unclaimed)

struct dw_reading *gsym_dw_reading_new(void)
{
	struct dw_reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->resolver = gsym_dw_resolver_new();
	if (!reading->resolver) {
		free(reading);
		return NULL;
	}
	return reading;
}

void gsym_dw_reading_free(struct dw_reading *reading)
{
	if (!reading)
		return;
	gsym_dw_resolver_free(reading->resolver);
	gsym_dw_result_fini(&reading->contents.result);
	gsym_vec_fini(&reading->contents.texts);
	gsym_dw_unit_fini(&reading->arrays);
	free(reading);
}

void gsym_dw_reading_swap(struct dw_reading *reading, struct dw_unit *unit)
{
	struct dw_unit *arrays = &reading->arrays;
	const struct dw_unit old = *arrays;

	arrays->nodes = unit->nodes;
	arrays->calls = unit->calls;
	arrays->ranges = unit->ranges;
	arrays->lines = unit->lines;
	unit->nodes = old.nodes;
	unit->calls = old.calls;
	unit->ranges = old.ranges;
	unit->lines = old.lines;
}

/* SIZE bytes, and what aligns the array after them. */
static size_t room(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

void *gsym_dw_contents_pack(const struct dw_reading *from,
			    struct dw_contents *ret)
{
	struct dw_contents all = from->contents;
	size_t bytes = 0;
	char *block, *at;

	all.unclaimed = from->resolver->unclaimed;
#define ADD(a) bytes += room(all.a.count * sizeof(*all.a.items));
	ARRAYS(ADD)
	block = at = malloc(bytes + 1);
	if (!block)
		return NULL;
#define COPY(a)                                                   \
	{                                                         \
		size_t size = all.a.count * sizeof(*all.a.items); \
                                                                  \
		ret->a.items = (void *)at;                        \
		ret->a.count = ret->a.capacity = all.a.count;     \
		if (size)                                         \
			memcpy(at, all.a.items, size);            \
		at += room(size);                                 \
	}
	ARRAYS(COPY)
	return block;
}
