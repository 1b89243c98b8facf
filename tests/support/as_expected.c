/* SPDX-License-Identifier: MIT */
/*
 * as_expected FILE.gsym FILE.expect [symbols] - compare lookups in FILE.gsym
 * with the answers in FILE.expect.  Its lines are comments (#) or
 *
 *	0xADDRESS function file:line | function file:line | ...
 *
 * innermost frame first; "??" for addresses that no function covers.  With
 * "symbols" the lookup may answer "??" with a function without a line, which
 * comes from the symbol table and not from the source of the expected answers.
 */
#include "config.h"

#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 300 };

static struct gsym_frame frames[FRAMES];
static char *answer;
static size_t answer_size;

static void write_frames(FILE *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct gsym_frame *f = &frames[i];
		const char *slash = !*f->directory			 ? ""
				    : !strcmp(f->directory, "/") ? ""
								  : "/";

		fprintf(out, "%s%s %s%s%s:%u", i ? " | " : "", f->function,
			f->directory, slash, f->basename, f->line);
	}
	if (!count)
		fputs("??", out);
}

/* Look ADDRESS up in READER; ANSWER becomes the stack as FILE.expect has it. */
static void ask(const struct gsym_reader *reader, uint64_t address,
		bool symbols)
{
	FILE *out = open_memstream(&answer, &answer_size);
	struct gsym_match match = { 0 };
	uint32_t count = 0;

	if (!out)
		abort();
	if (gsym_lookup(reader, address, 0, frames, FRAMES, &match, NULL) ==
	    GSYM_OK)
		count = match.frame_count;
	if (count == 1 && symbols && !*frames[0].basename)
		count = 0;
	write_frames(out, count);
	fclose(out);
}

int main(int argc, char **argv)
{
	struct gsym_reader *reader;
	unsigned long lines = 0;
	unsigned long bad = 0;
	char *line = NULL;
	size_t room = 0;
	FILE *f;

	if (argc < 3 || gsym_open(argv[1], &reader, NULL) != GSYM_OK)
		return 99;
	f = fopen(argv[2], "r");
	if (!f)
		return 99;
	while (getline(&line, &room, f) > 0) {
		char *wanted;
		uint64_t address = strtoull(line, &wanted, 16);

		if (line[0] == '#' || *wanted != ' ')
			continue;
		lines++;
		wanted[strcspn(wanted, "\n")] = 0;
		if (!strcmp(++wanted, "?? ??:0"))
			wanted[2] = 0;
		ask(reader, address, argc > 3);
		if (strcmp(answer, wanted) && bad++ < 5)
			printf("0x%" PRIx64 ": %s\n  instead of %s\n",
			       address, answer, wanted);
		free(answer);
	}
	printf("%s: %lu answers, %lu wrong\n", argv[2], lines, bad);
	free(line);
	fclose(f);
	gsym_close(reader);
	return bad || !lines;
}
