/* SPDX-License-Identifier: MIT */
/*
 * convert PROGRAM OUTPUT - make a GSYM file of a program's debug info, as a
 * server does that keeps the symbols of many builds.
 *
 *	cc convert.c -o convert $(pkg-config --cflags --libs gsym-convert)
 */
#include <gsym/builder.h>
#include <gsym/convert.h>

#include <stdio.h>
#include <stdlib.h>

static void warn(void *context, enum gsym_warning kind, const char *text)
{
	(void)context;
	fprintf(stderr, "%s: %s\n", gsym_warning_name(kind), text);
}

static bool write_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *to = fopen(path, "wb");
	bool done = to && fwrite(bytes, 1, size, to) == size;

	if (to && fclose(to) != 0)
		done = false;
	if (!done)
		perror(path);
	return done;
}

int main(int argc, char **argv)
{
	struct gsym_convert_options options = { .threads = 2, .warn = warn };
	struct gsym_build_options build = { .threads = 2 };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_error error = { 0 };
	enum gsym_status status;
	uint8_t *bytes = NULL;
	size_t size = 0;
	bool done;

	if (argc != 3 || !builder) {
		fprintf(stderr, "usage: convert PROGRAM OUTPUT\n");
		return 2;
	}
	/* Debug info to records, and records to the bytes of a file. */
	status = gsym_convert_file(argv[1], &options, builder, NULL, &error);
	if (status == GSYM_OK)
		status = gsym_builder_finish(builder, &build, &bytes, &size,
					     NULL, &error);
	gsym_builder_free(builder);
	if (status != GSYM_OK) {
		fprintf(stderr, "%s: %s\n", argv[1],
			status == GSYM_NOT_FOUND ? "no functions"
						 : error.message);
		return 2;
	}
	done = write_file(argv[2], bytes, size);
	free(bytes);
	return done ? 0 : 2;
}
