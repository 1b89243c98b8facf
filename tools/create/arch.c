/* SPDX-License-Identifier: MIT */
/* create/arch.c - chooses the architectures of a universal file that are
 * converted. */
#include "config.h"

#include <stdlib.h>

#include "common/report.h"
#include "create/create.h"

/* Whether --arch names ARCHITECTURE, or is not given. */
static bool is_wanted(const struct create *create,
		      const struct gsym_architecture *architecture)
{
	for (size_t i = 0; i < create->arch_count; i++)
		if (gsym_architecture_matches(architecture, create->archs[i]))
			return true;
	return create->arch_count == 0;
}

/* Die if an --arch names none of the COUNT architectures in ARRAY. */
static void check_wanted(const struct create *create,
			 const struct gsym_architecture *array, size_t count)
{
	for (size_t i = 0; i < create->arch_count; i++) {
		size_t k = 0;
		while (k < count && !gsym_architecture_matches(
					    &array[k], create->archs[i]))
			k++;
		if (k == count)
			die("'%s' has nothing for the architecture '%s'",
			    create->input, create->archs[i]);
	}
}

struct gsym_architecture *create_architectures(const struct create *create,
					       size_t *count)
{
	struct gsym_architecture *array = NULL;
	struct gsym_error error;
	size_t all = 0;
	enum gsym_status status = gsym_convert_architectures(
		create->input, NULL, 0, &all, &error);

	if (status == GSYM_OK && all > 0) {
		array = calloc(all, sizeof(*array));
		if (!array)
			die("out of memory");
		size_t capacity = all;
		status = gsym_convert_architectures(create->input, array,
						    capacity, &all, &error);
		/* The file may have changed since the first call. */
		all = all < capacity ? all : capacity;
	}
	if (status != GSYM_OK)
		die_status("read", create->input, status, &error);
	*count = 0;
	if (!array)
		return NULL;
	check_wanted(create, array, all);
	for (size_t i = 0; i < all; i++)
		if (is_wanted(create, &array[i]))
			array[(*count)++] = array[i];
	return array;
}
