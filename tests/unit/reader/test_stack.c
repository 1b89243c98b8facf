/* SPDX-License-Identifier: MIT */
/* reader/stack: call sites choose among functions that share their code. */
#include "answers.h"

#include <string.h>

/* Write a call site that returns to OFFSET and calls the COUNT patterns
 * PATTERN. */
static void put_site(struct gb *b, uint64_t offset, const char *pattern,
		     uint32_t count)
{
	size_t tuple = gb_tuple(b, 4);
	struct gsym_emit *e = &b->records;
	uint64_t string = gb_string(b, pattern);

	gsym_emit_u32(e, 1);
	gsym_emit_u64(e, offset);
	gsym_emit_u8(e, 0);
	gsym_emit_u32(e, count);
	for (uint32_t i = 0; i < count; i++)
		gb_strp(b, e, string);
	gb_tuple_end(b, tuple);
}

/* Write a function merged with the last record: NAME, with a call site that
 * returns to 8 and calls CALLS, unless that is NULL. */
static void put_merged(struct gb *b, const char *name, const char *calls)
{
	struct gsym_emit *e = &b->records;
	size_t start = e->size;

	gsym_emit_u32(e, 0);
	gsym_emit_u32(e, 0x10);
	gb_strp(b, e, gb_string(b, name));
	if (calls)
		put_site(b, 8, calls, 1);
	gsym_emit_u64(e, 0);
	gsym_emit_patch_u32(e, start, (uint32_t)(e->size - start - 4));
}

/* Functions main, with a call site that returns to 0x108 and calls COUNT times
 * PATTERN; f at 0x200, which is also f1 and fx; and g at 0x300, which is also
 * g1, and calls fx as that. */
static struct gsym_reader *make(const char *pattern, uint32_t count,
				uint8_t **bytes)
{
	struct gsym_emit *e;
	size_t tuple, size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_record(&b, 0x100, 0x10, "main");
	put_site(&b, 8, pattern, count);
	gb_record_end(&b);
	e = gb_record(&b, 0x200, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, 2);
	put_merged(&b, "f1", NULL);
	put_merged(&b, "fx", NULL);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	e = gb_record(&b, 0x300, 0x10, "g");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, 1);
	put_merged(&b, "g1", "fx");
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	*bytes = gb_finish(&b, &size);
	return open_bytes(*bytes, size);
}

/* "PREFIX" fits all names that begin with it. */
static bool begins(void *context, const char *pattern, const char *name)
{
	++*(unsigned *)context;
	return !strncmp(name, pattern, strlen(pattern));
}

/* Check that the innermost address 0x204 of a stack with the COUNT RETURNS is
 * one of three functions, NAME, of which FITTING fit. */
static void expect(const char *pattern, uint32_t patterns, bool regular,
		   const uint64_t *returns, size_t count, const char *name,
		   uint32_t fitting)
{
	struct gsym_stack_entry entries[4] = { 0 };
	struct gsym_frame frames[1] = { { .function = "" } };
	unsigned calls = 0;
	uint8_t *bytes;
	struct gsym_reader *reader = make(pattern, patterns, &bytes);

	entries[0].address = 0x204;
	for (size_t i = 0; i < count; i++)
		entries[i + 1].address = returns[i];
	for (size_t i = 0; i <= count; i++)
		entries[i].reader = reader;
	cr_assert(gsym_lookup_stack(entries, count + 1,
				    regular ? begins : NULL,
				    &calls) == GSYM_OK);
	cr_expect_eq(entries[0].functions, 3u);
	cr_expect_eq(entries[0].fitting, fitting, "%s: %u", pattern,
		     entries[0].fitting);
	cr_expect(gsym_stack_frames(&entries[0], 0, frames, 1, NULL, NULL) ==
		  GSYM_OK);
	cr_expect_str_eq(frames[0].function, name);
	gsym_close(reader);
	free(bytes);
}

static const uint64_t from_main[] = { 0x108 }, elsewhere[] = { 0x109 };

Test(stack, a_name_chooses)
{
	expect("f1", 1, false, from_main, 1, "f1", 1);
	expect("fx", 1, true, from_main, 1, "fx", 1);
	expect("f", 1, true, from_main, 1, "f", 1);
}

Test(stack, without_a_call_site_the_record_answers)
{
	expect("f1", 1, true, elsewhere, 1, "f", 0);
	expect("f1", 1, true, NULL, 0, "f", 0);
	expect("h", 1, true, from_main, 1, "f", 0);
	expect("f1", 0, true, from_main, 1, "f", 0);
}

Test(stack, a_pattern_may_fit_several)
{
	expect("", 1, true, from_main, 1, "f", 3);
	expect("", 1, false, from_main, 1, "f", 0);
}

/* The call sites are those of the function that was chosen for the caller. */
Test(stack, the_chosen_caller_calls)
{
	const uint64_t from_g[] = { 0x308, 0x108 };

	expect("g1", 1, false, from_g, 2, "fx", 1);
	expect("g", 1, false, from_g, 2, "f", 0);
}

Test(stack, pairs_are_bounded)
{
	expect("f1", 1 << 20, false, from_main, 1, "f", 0);
	expect("f1", 1 << 18, false, from_main, 1, "f1", 1);
}

Test(stack, bad_arguments_and_missing_data)
{
	struct gsym_stack_entry entry = { .address = 0x204 };

	cr_expect(gsym_lookup_stack(NULL, 1, NULL, NULL) ==
		  GSYM_ERR_ARGUMENT);
	cr_expect(gsym_lookup_stack(NULL, 0, NULL, NULL) == GSYM_OK);
	cr_expect(gsym_lookup_stack(&entry, 1, NULL, NULL) == GSYM_OK);
	cr_expect(entry.status == GSYM_NOT_FOUND);
	cr_expect(gsym_stack_frames(&entry, 0, NULL, 0, NULL, NULL) ==
		  GSYM_NOT_FOUND);
	cr_expect(gsym_stack_frames(NULL, 0, NULL, 0, NULL, NULL) ==
		  GSYM_ERR_ARGUMENT);
}

Test(stack, a_damaged_record_is_damaged)
{
	struct gsym_stack_entry entries[2] = { { .address = 0x104 },
					       { .address = 0x105 } };
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_plain(&b, 0, 0x10, "zero");
	gb_plain(&b, 0x100, 0x10, "");
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	entries[0].reader = entries[1].reader = reader;
	cr_assert(gsym_lookup_stack(entries, 2, NULL, NULL) == GSYM_OK);
	for (int i = 0; i < 2; i++)
		cr_expect(gsym_stack_frames(&entries[i], 0, NULL, 0, NULL,
					    NULL) == GSYM_ERR_CORRUPT);
	gsym_close(reader);
	free(bytes);
}
