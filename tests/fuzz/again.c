/* SPDX-License-Identifier: MIT */
#include "fuzz/again.h"

#include <gsym/convert.h>
#include <gsym/reader.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fuzz_again(const uint8_t *bytes, size_t size,
		const struct gsym_build_options *build, char *why,
		size_t why_size)
{
	const struct gsym_convert_options options = { .threads = 1 };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	enum gsym_status status;
	uint8_t *again = NULL;
	size_t again_size = 0;
	bool same;

	status = gsym_open_memory(bytes, size, &reader, &error);
	if (status == GSYM_OK) {
		status = gsym_convert_reader(reader, &options, builder, NULL,
					     &error);
		gsym_close(reader);
	}
	if (status == GSYM_OK)
		status = gsym_builder_finish(builder, build, &again,
					     &again_size, NULL, &error);
	gsym_builder_free(builder);
	if (status == GSYM_ERR_MEMORY)
		return true;
	same = status == GSYM_OK && again_size == size &&
	       !memcmp(bytes, again, size);
	if (!same)
		snprintf(why, why_size, "%s", status == GSYM_OK
						      ? "it becomes another"
						      : error.message);
	free(again);
	return same;
}
