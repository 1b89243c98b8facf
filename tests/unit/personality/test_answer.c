/* SPDX-License-Identifier: MIT */
/* Answers that clients would misread. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsym/builder.h>

#include "personality/personality.h"

static char path[] = "/tmp/gsym-answer-XXXXXX";

static uint32_t string(struct gsym_builder *b, const char *text)
{
	uint32_t number;
	cr_assert_eq(gsym_builder_string(b, text, strlen(text), &number),
		     GSYM_OK);
	return number;
}

/* A GSYM file with the function "outer" from 0x1000 to 0x1010.  Two calls are
 * inlined at its start: one about which nothing is known, and "inner" in it. */
static void make_file(void)
{
	struct gsym_builder *b = gsym_builder_new();
	uint32_t file;
	cr_assert_eq(gsym_builder_file(b, string(b, "/s"), string(b, "a.c"),
				       &file), GSYM_OK);
	const struct gsym_row rows[] = { { 0, file, 5 } };
	const struct gsym_range ranges[] = { { 0x1000, 0x1008 },
					     { 0x1000, 0x1004 } };
	const struct gsym_inline_node nodes[] = {
		{ .depth = 1, .call_file = file, .call_line = 9,
		  .range_count = 1 },
		{ .depth = 2, .name = string(b, "inner"),
		  .call_file = GSYM_FILE_UNKNOWN, .first_range = 1,
		  .range_count = 1 },
	};
	const struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION, .start = 0x1000, .size = 16,
		.name = string(b, "outer"), .rows = rows, .row_count = 1,
		.inlines = nodes, .inline_count = 2, .inline_ranges = ranges,
	};
	cr_assert_eq(gsym_builder_record(b, &record), GSYM_OK);
	const struct gsym_build_options options = { .version = 1 };
	struct gsym_build_summary summary;
	uint8_t *bytes;
	size_t size;
	cr_assert_eq(gsym_builder_finish(b, &options, &bytes, &size, &summary,
					 NULL), GSYM_OK);
	int fd = mkstemp(path);
	cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	free(bytes);
	gsym_builder_free(b);
}

/* The names in the answer to ADDRESS, with blanks between. */
static const char *names(uint64_t address)
{
	static char text[256];
	struct settings s = {
		.personality = PERSONALITY_ADDR2LINE,
		.program = "test",
		.path = path,
		.inlines = true,
	};
	const struct request request = { .place = PLACE_ADDRESS,
					 .address = address };
	struct answers *all = answer_start(&s);
	const struct answer *a = answer_get(all, &request);
	text[0] = 0;
	for (size_t i = 0; i < a->count; i++) {
		strcat(text, *a->frames[i].function ? a->frames[i].function
						    : "??");
		strcat(text, " ");
	}
	answer_end(all);
	return text;
}

/* "??" and "??:0" between two frames would be the end of the answer. */
Test(answer, frames_without_name_and_file)
{
	make_file();
	cr_expect_str_eq(names(0x1002), "inner outer ");
	cr_expect_str_eq(names(0x1006), "?? outer ");
	cr_expect_str_eq(names(0x100c), "outer ");
	cr_expect_str_eq(names(0x1010), "");
	cr_expect_str_eq(names(UINT64_MAX), "");
	unlink(path);
}
