/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "fuzz/whole.h"
#include "fuzz/again.h"
#include "fuzz/parts.h"
#include "fuzz/verify.h"

#include <gsym/reader.h>
#include <stdlib.h>
#include <string.h>

static void check_warning(void *context, enum gsym_warning kind,
			  const char *text)
{
	(void)context;
	fuzz_require(gsym_warning_name(kind) && *text);
}

static void check(const uint8_t *bytes, size_t size,
		  const struct gsym_build_options *build)
{
	char why[GSYM_ERROR_MESSAGE_SIZE];

	if (!fuzz_verify(bytes, size, why, sizeof(why)) ||
	    !fuzz_again(bytes, size, build, why, sizeof(why)))
		fuzz_stop(__FILE__, __LINE__, why);
}

enum gsym_status fuzz_whole_by(gsym_second_fn *convert, const char *path,
			       const struct gsym_convert_options *given,
			       unsigned version)
{
	struct gsym_convert_options options = *given;
	struct gsym_build_options build = { .version = version,
					    .merge = given->merged_functions };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status;
	uint8_t *bytes = NULL;
	size_t size = 0;

	fuzz_require(builder);
	options.threads = 1;
	options.warn = check_warning;
	status = convert(path, &options, builder, &facts, &error);
	if (status == GSYM_OK) {
		build.big_endian = facts.big_endian;
		status = gsym_builder_finish(builder, &build, &bytes, &size,
					     NULL, &error);
		if (status == GSYM_ERR_ARGUMENT)
			fuzz_stop(__FILE__, __LINE__, error.message);
	}
	gsym_builder_free(builder);
	if (status == GSYM_OK)
		check(bytes, size, &build);
	else
		fuzz_require(status == GSYM_NOT_FOUND || *error.message);
	free(bytes);
	return status;
}
