/* SPDX-License-Identifier: MIT */
/* support/mapped.h - which files this process has mapped. */
#ifndef GSYM_TESTS_MAPPED_H
#define GSYM_TESTS_MAPPED_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The number of mappings of files whose paths contain PART. */
static inline unsigned count_mapped(const char *part)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	unsigned count = 0;

	cr_assert_not_null(maps);
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, part) != NULL;
	fclose(maps);
	return count;
}

#endif
