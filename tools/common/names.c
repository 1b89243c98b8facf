/* SPDX-License-Identifier: MIT */
/* Functions by name: record by record, or with an index. */
#include "config.h"

#include "common/names.h"

#include <stdlib.h>
#include <string.h>

#include "common/report.h"

/* The number of names that are searched without an index.  In a kernel, making
 * the index takes 12 ms, and a search through all records 3 ms. */
enum { NAMES_WITHOUT_INDEX = 4 };

/* Search one record after the other. */
static bool find_slowly(const struct gsym_reader *reader, const char *name,
			size_t size, uint32_t from, uint32_t *index)
{
	char *copy;
	bool found;

	if (memchr(name, 0, size))
		return false;
	copy = strndup(name, size);
	if (!copy)
		die("out of memory");
	found = gsym_find_function(reader, copy, from, index) == GSYM_OK;
	free(copy);
	return found;
}

bool names_find(struct names *names, const struct gsym_reader *reader,
		const char *name, size_t size, uint32_t from, uint32_t *index)
{
	if (!reader)
		return false;
	/* A search with a FROM reads only records that the search before it did
	 * not read, so both count as one. */
	if (!from && !names->index &&
	    (names->many || ++names->searched > NAMES_WITHOUT_INDEX) &&
	    gsym_name_index_new(reader, &names->index, NULL) != GSYM_OK)
		die("out of memory");
	return names->index ?
		gsym_name_index_find(names->index, name, size, from, index) ==
			GSYM_OK :
		find_slowly(reader, name, size, from, index);
}

void names_fini(struct names *names)
{
	gsym_name_index_free(names->index);
	*names = (struct names){ 0 };
}
