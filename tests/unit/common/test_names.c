/* SPDX-License-Identifier: MIT */
/* tools/common/names: the same answers without and with an index. */
#include "common/names.h"

#include <criterion/criterion.h>
#include <gsym/builder.h>
#include <stdlib.h>
#include <string.h>

/* A file with the functions first, twin, other, twin and last.  *BYTES is to
 * be freed after the reader. */
static struct gsym_reader *open_file(uint8_t **bytes)
{
	static const char *const names[] = { "first", "twin", "other", "twin",
					     "last" };
	struct gsym_builder *builder = gsym_builder_new();
	struct gsym_reader *reader = NULL;
	struct gsym_record record = { .rank = GSYM_RANK_SYMBOL };
	size_t size;

	cr_assert(builder);
	for (int i = 0; i < 5; i++) {
		cr_assert(gsym_builder_string(builder, names[i],
					      strlen(names[i]),
					      &record.name) == GSYM_OK);
		record.start = (uint64_t)i * 16;
		record.size = 16;
		cr_assert(gsym_builder_record(builder, &record) == GSYM_OK);
	}
	cr_assert(gsym_builder_finish(builder, NULL, bytes, &size, NULL,
				      NULL) == GSYM_OK);
	gsym_builder_free(builder);
	cr_assert(gsym_open_memory(*bytes, size, &reader, NULL) == GSYM_OK);
	return reader;
}

/* The index of NAME from FROM on; -1 if there is none. */
static int found(struct names *names, const struct gsym_reader *reader,
		 const char *name, uint32_t from)
{
	uint32_t index;

	return names_find(names, reader, name, strlen(name), from, &index) ?
		       (int)index : -1;
}

Test(names, many_names_have_an_index_at_once)
{
	struct names names = { .many = true };
	uint8_t *bytes;
	struct gsym_reader *reader = open_file(&bytes);

	cr_expect(found(&names, reader, "other", 0) == 2);
	cr_expect(names.index);
	names_fini(&names);
	gsym_close(reader);
	free(bytes);
}

Test(names, same_answers_with_an_index)
{
	struct names names = { 0 };
	uint8_t *bytes;
	struct gsym_reader *reader = open_file(&bytes);

	for (int round = 0; round < 4; round++) {
		/* Two names a round: the fifth one makes an index. */
		cr_expect(!names.index == (round < 3));
		cr_expect(found(&names, reader, "twin", 0) == 1);
		cr_expect(found(&names, reader, "twin", 2) == 3);
		cr_expect(found(&names, reader, "twin", 4) == -1);
		cr_expect(found(&names, reader, "twi", 0) == -1);
	}
	names_fini(&names);
	cr_expect(!names.index && !names.searched);
	gsym_close(reader);
	free(bytes);
}

Test(names, part_of_a_text)
{
	struct names names = { 0 };
	uint8_t *bytes;
	struct gsym_reader *reader = open_file(&bytes);
	uint32_t index;

	for (int round = 0; round < 8; round++) {
		cr_expect(names_find(&names, reader, "last+0x10", 4, 0,
				     &index) && index == 4);
		cr_expect(!names_find(&names, reader, "last\0x", 6, 0, &index));
		cr_expect(!names_find(&names, NULL, "last", 4, 0, &index));
	}
	names_fini(&names);
	gsym_close(reader);
	free(bytes);
}
