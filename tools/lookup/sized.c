/* SPDX-License-Identifier: MIT */
/*
 * lookup/sized.c - NAME+OFFSET/SIZE, as a kernel writes it: finds the functions
 * of the name that have the size, as faddr2line of the kernel's scripts does.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/system.h"
#include "common/number.h"
#include "lookup/lookup.h"

/* Functions of one name, or of one address, that are looked at. */
enum { SAME_NAMES = 256 };

/* NAME+OFFSET/SIZE. */
struct sized {
	const char *name;
	size_t length;
	uint64_t offset, size;
};

static bool read_sized(const struct lookup *l, const char *text, size_t length,
		       struct sized *ret)
{
	const char *slash = memrchr(text, '/', length);
	const char *plus =
		slash ? memrchr(text, '+', (size_t)(slash - text)) : NULL;
	if (!plus || plus == text)
		return false;
	ret->name = text;
	ret->length = (size_t)(plus - text);
	return number_parse_address(slash + 1,
				    (size_t)(text + length - slash - 1), l->hex,
				    &ret->size) == NUMBER_OK &&
	       number_parse_address(plus + 1, (size_t)(slash - plus - 1),
				    l->hex, &ret->offset) == NUMBER_OK;
}

/* Set SIZES to the size of the function at INDEX and to the distance to the
 * next function, which is what a kernel takes for the size; 0: not known. */
static void find_sizes(const struct lookup *l, uint32_t index,
		       uint64_t sizes[2])
{
	uint64_t start = gsym_address_at(l->reader, index), next = start;
	uint32_t count = gsym_function_count(l->reader);
	struct gsym_function function;
	sizes[0] = sizes[1] = 0;
	for (int same = 0; next == start && same < SAME_NAMES; same++) {
		if (index + 1 >= count)
			break;
		next = gsym_address_at(l->reader, ++index);
	}
	if (next != start)
		sizes[1] = next - start;
	if (gsym_function_at(l->reader, next != start ? index - 1 : index,
			     &function, NULL) == GSYM_OK)
		sizes[0] = function.size;
}

enum lookup_sized lookup_sized(struct lookup *l, const char *text,
			       size_t length, uint32_t *from,
			       uint64_t *address, char problem[LOOKUP_PROBLEM])
{
	enum lookup_sized result = LOOKUP_SIZED_NOT;
	bool has_size = false;
	struct sized s;
	uint64_t last = 0;
	uint32_t index;
	if (lookup_of_process(l) || l->of_stack ||
	    !read_sized(l, text, length, &s))
		return result;
	for (int tries = 0; tries < SAME_NAMES; tries++) {
		uint64_t sizes[2];
		if (!names_find(&l->names, l->reader, s.name, s.length, *from,
				&index))
			break;
		*from = index + 1;
		find_sizes(l, index, sizes);
		result = LOOKUP_SIZED_REFUSED;
		if (s.size != sizes[0] && s.size != sizes[1]) {
			last = sizes[0];
			continue;
		}
		has_size = true;
		if (s.offset < s.size) {
			*address = gsym_address_at(l->reader, index) +
				   l->adjust + s.offset;
			return LOOKUP_SIZED_FOUND;
		}
	}
	if (has_size)
		snprintf(problem, LOOKUP_PROBLEM,
			 "the offset is not below the size 0x%" PRIx64, s.size);
	else
		snprintf(problem, LOOKUP_PROBLEM,
			 "no function of this name has 0x%" PRIx64
			 " bytes; one has 0x%" PRIx64, s.size, last);
	return result;
}
