/* SPDX-License-Identifier: MIT */
/* The smallest program that looks addresses up: lookup FILE ADDRESS... */
#include <gsym/reader.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct gsym_frame frames[16];
	struct gsym_reader *reader;
	struct gsym_match match;

	if (argc < 2 || gsym_open(argv[1], &reader, NULL) != GSYM_OK)
		return 2;
	for (int i = 2; i < argc; i++) {
		uint64_t address = strtoull(argv[i], NULL, 0);

		if (gsym_lookup(reader, address, 0, frames, 16, &match,
				NULL) != GSYM_OK)
			return 1;
		for (uint32_t k = 0; k < match.frame_count && k < 16; k++)
			printf("%s %s/%s:%u\n", frames[k].function,
			       frames[k].directory, frames[k].basename,
			       (unsigned)frames[k].line);
	}
	gsym_close(reader);
	return 0;
}
