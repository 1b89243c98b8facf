/* SPDX-License-Identifier: MIT */
/*
 * lookup FILE ADDRESS... - the smallest useful program with libgsym.
 *
 *	cc lookup.c -o lookup $(pkg-config --cflags --libs gsym)
 */
#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_frame(const struct gsym_frame *frame)
{
	printf("  %s+%" PRIu64, *frame->function ? frame->function : "??",
	       frame->offset);
	if (*frame->basename)
		printf(" at %s%s%s:%" PRIu32, frame->directory,
		       *frame->directory ? "/" : "", frame->basename,
		       frame->line);
	puts(frame->inlined ? " (inlined)" : "");
}

int main(int argc, char **argv)
{
	struct gsym_reader *reader;
	struct gsym_error error;

	if (argc < 2) {
		fprintf(stderr, "usage: lookup FILE ADDRESS...\n");
		return 2;
	}
	if (gsym_open(argv[1], &reader, &error) != GSYM_OK) {
		fprintf(stderr, "lookup: %s: %s\n", argv[1], error.message);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		struct gsym_frame frames[32];
		struct gsym_match match;
		uint64_t address = strtoull(argv[i], NULL, 0);
		enum gsym_status status = gsym_lookup(reader, address, 0,
						      frames, 32, &match,
						      &error);

		printf("%s\n", argv[i]);
		if (status == GSYM_NOT_FOUND)
			puts("  nothing here");
		else if (status != GSYM_OK)
			printf("  %s\n", error.message);
		for (uint32_t k = 0; status == GSYM_OK && k < 32 &&
				     k < match.frame_count; k++)
			print_frame(&frames[k]);
	}
	gsym_close(reader);
	return 0;
}
