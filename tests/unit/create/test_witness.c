/* SPDX-License-Identifier: MIT */
/* Whether an image agrees with the symbols (create/compare.c). */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsym/builder.h>

#include "create/create.h"

struct row {
	uint64_t start, size;
	const char *name;
};

/* The image of COUNT ROWS, which are symbols if SYMBOLS. */
static struct gsym_reader *image(const struct row *rows, size_t count,
				 bool symbols, uint8_t **bytes)
{
	struct gsym_builder *builder = gsym_builder_new();
	const struct gsym_build_options options = { .merge = symbols };
	struct gsym_reader *reader;
	size_t size;

	for (size_t i = 0; i < count; i++) {
		struct gsym_record record = {
			.rank = symbols ? GSYM_RANK_SYMBOL : GSYM_RANK_FUNCTION,
			.start = rows[i].start,
			.size = rows[i].size,
		};

		cr_assert_eq(gsym_builder_string(builder, rows[i].name,
						 strlen(rows[i].name),
						 &record.name), GSYM_OK);
		cr_assert_eq(gsym_builder_record(builder, &record), GSYM_OK);
	}
	cr_assert_eq(gsym_builder_finish(builder, &options, bytes, &size, NULL,
					 NULL), GSYM_OK);
	gsym_builder_free(builder);
	cr_assert_eq(gsym_open_memory(*bytes, size, &reader, NULL), GSYM_OK);
	return reader;
}

static char seen[256];

static void note(void *context, const struct compare_difference *d)
{
	(void)context;
	snprintf(seen, sizeof(seen), "%x: %s, %s", (unsigned)d->address,
		 d->first, d->second);
}

/* The last difference between FUNCTIONS and SYMBOLS; "" if there is none. */
#define DIFFERENCE(functions, symbols)                                     \
	difference(functions, sizeof(functions) / sizeof(struct row),      \
		   symbols, sizeof(symbols) / sizeof(struct row))

static const char *difference(const struct row *functions, size_t count,
			      const struct row *symbols, size_t symbol_count)
{
	struct compare_result result = { 0 };
	uint8_t *bytes[2];
	struct gsym_reader *readers[] = {
		image(functions, count, false, &bytes[0]),
		image(symbols, symbol_count, true, &bytes[1]),
	};

	*seen = 0;
	compare_symbols(readers[0], readers[1], note, NULL, &result);
	cr_expect_eq(result.differences, *seen ? 1 : 0);
	cr_expect_eq(result.kinds[COMPARE_SYMBOL], result.differences);
	for (int i = 0; i < 2; i++) {
		gsym_close(readers[i]);
		free(bytes[i]);
	}
	return seen;
}

static const struct row functions[] = {
	{ 0x1000, 0x100, "f" },
	{ 0x1200, 0x40, "a::g" },
	{ 0x1300, 0x10, "??" },
};

Test(witness, all_names_of_a_place_count)
{
	static const struct row symbols[] = {
		{ 0x1000, 0x100, "alias" },
		{ 0x1000, 0x100, "f" },
		{ 0x1000, 0x100, "zalias" },
		{ 0x1080, 0x10, "f.__part.1" },
		{ 0x1200, 0x40, "_ZN1a1gEv" },
		{ 0x1300, 0x10, "h" },
	};

	cr_expect_str_eq(DIFFERENCE(functions, symbols), "");
}

Test(witness, a_symbol_within_another_function)
{
	static const struct row symbols[] = { { 0x1040, 0x20, "g" } };

	cr_expect_str_eq(DIFFERENCE(functions, symbols), "1040: f, g");
}

Test(witness, a_symbol_of_another_name)
{
	static const struct row symbols[] = { { 0x1000, 0x100, "g" } };

	cr_expect_str_eq(DIFFERENCE(functions, symbols), "1000: f, g");
}

Test(witness, a_symbol_without_a_function)
{
	static const struct row symbols[] = { { 0x1100, 0x10, "f" },
					      { 0x1200, 0x40, "a::g" } };

	cr_expect_str_eq(DIFFERENCE(functions, symbols), "1100: nothing, f");
}

/* What .eh_frame has, and no symbol names. */
Test(witness, a_nameless_function)
{
	static const struct row own[] = { { 0x1000, 0x100, "??" },
					  { 0x1200, 0x40, "??" } };
	static const struct row within[] = { { 0x1010, 0x10, "??" } };
	static const struct row nowhere[] = { { 0x5000, 0x10, "??" } };

	cr_expect_str_eq(DIFFERENCE(functions, own), "");
	cr_expect_str_eq(DIFFERENCE(functions, within), "1010: f, ??");
	cr_expect_str_eq(DIFFERENCE(functions, nowhere), "");
}
