/* SPDX-License-Identifier: MIT */
/* as_llvm FILE <ADDRESSES - look up the addresses of standard input in FILE,
 * and print the answers in the format of llvm-gsymutil
 * --addresses-from-stdin. */
#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 + GSYM_MAX_INLINE_DEPTH };

static void print_frame(const struct gsym_frame *f)
{
	bool windows = strchr(f->directory, '\\') &&
		       !strchr(f->directory, '/');

	fputs(f->function, stdout);
	if (f->offset)
		printf(" + %" PRIu64, f->offset);
	if (*f->directory || *f->basename)
		printf(" @ %s%s%s:%" PRIu32, f->directory,
		       !*f->directory ? "" : windows ? "\\" : "/",
		       *f->basename ? f->basename : "<invalid-file>", f->line);
	if (f->inlined)
		fputs(" [inlined]", stdout);
}

int main(int argc, char **argv)
{
	static struct gsym_frame frames[MOST];
	struct gsym_reader *reader;
	struct gsym_error error;
	struct gsym_match match;
	char line[256];

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE <ADDRESSES\n", argv[0]);
		return 2;
	}
	if (gsym_open(argv[1], &reader, &error) != GSYM_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t address = strtoull(line, NULL, 0);

		printf("0x%016" PRIx64 ": ", address);
		if (gsym_lookup(reader, address, 0, frames, MOST, &match,
				NULL) != GSYM_OK) {
			printf("error: address 0x%" PRIx64
			       " is not in GSYM\n\n", address);
			continue;
		}
		for (uint32_t i = 0; i < match.frame_count; i++) {
			if (i)
				printf("\n%20s", "");
			print_frame(&frames[i]);
		}
		fputs("\n\n", stdout);
	}
	gsym_close(reader);
	return 0;
}
