/* SPDX-License-Identifier: MIT */
/* Opens the type units of a package for the second reader. */
#include "dwarf/second.h"

struct second_unit *gsym_second_package_type(struct second_types *all,
					     uint64_t signature,
					     struct second **s)
{
	enum gsym_status status;
	size_t i = 0;

	while (i < all->count && all->items[i].signature != signature)
		i++;
	if (i == DW_SPLIT_MAX_TYPES)
		return NULL;
	if (i == all->count) {
		status = gsym_dw_split_open_type(all->main, all->skeleton,
						 signature,
						 &all->items[i].split);
		if (status == GSYM_OK) {
			all->items[i].signature = signature;
			all->items[i].s = NULL;
			all->count++;
			status = gsym_second_start(
				&all->items[i].split.container, true, NULL,
				&all->items[i].s, NULL);
		}
		all->no_memory |= status == GSYM_ERR_MEMORY;
		if (status != GSYM_OK)
			return NULL;
		all->items[i].s->package = all;
	}
	*s = all->items[i].s;
	return *s ? gsym_second_type(*s, signature) : NULL;
}

void gsym_second_package_close(struct second_types *all)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->items[i].s)
			gsym_second_stop(all->items[i].s);
		gsym_dw_split_close(&all->items[i].split);
	}
}
