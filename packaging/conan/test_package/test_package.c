/* SPDX-License-Identifier: MIT */
/* Is built and linked with libgsym, and calls it. */
#include <gsym/builder.h>
#include <gsym/reader.h>

#include <stdio.h>

int main(void)
{
	struct gsym_builder *builder = gsym_builder_new();

	puts(builder ? "gsym works" : "there is no memory");
	gsym_builder_free(builder);
	return !builder;
}
