/* SPDX-License-Identifier: MIT */
/* The entry of conversion by the second reader. */
#include "convert/convert.h"
#include "second/second.h"

static enum gsym_status convert(const char *path,
				const struct gsym_convert_options *options,
				struct gsym_builder *builder,
				struct gsym_convert_facts *facts,
				struct gsym_error *error)
{
	return gsym_convert_by(&gsym_libdwarf_reader, path, options, builder,
			       facts, error);
}

gsym_second_fn *const gsym_second_convert = convert;
