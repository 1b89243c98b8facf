/* SPDX-License-Identifier: MIT */
/* Functions without a name (symtab.c), and labels that the table for
 * unwinding ends (symtab.c). */
#include "convert/convert.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct gsym_container_section text = {
	.name = ".text", .address = 0x1000, .size = 0x100, .loaded = true,
	.executable = true
};

static struct gsym_range functions[] = {
	{ 0x1000, 0x1010 }, { 0x1010, 0x1020 }, { 0x1030, 0x1040 },
	{ 0x1040, 0x1050 }, { 0x1060, 0x1070 },
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* The records that the sink got, as text. */
struct got {
	char text[256];
	char name[32];
	enum gsym_status answer;
};

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	struct got *got = self;

	snprintf(got->name, sizeof(got->name), "%.*s", (int)length, bytes);
	*number = 7;
	return GSYM_OK;
}

static enum gsym_status take_record(void *self, const struct gsym_record *r)
{
	struct got *got = self;
	size_t at = strlen(got->text);

	cr_expect_eq(r->name, 7);
	snprintf(got->text + at, sizeof(got->text) - at, "%s %x-%x ", got->name,
		 (unsigned)r->start,
		 (unsigned)(r->size ? r->start + r->size : r->limit));
	return got->answer;
}

static struct gsym_container container(struct gsym_symbol *symbols,
				       size_t count)
{
	struct gsym_container c = { .symbol_bytes = 1024 };

	c.sections.items = &text;
	c.sections.count = 1;
	c.symbols.items = symbols;
	c.symbols.count = count;
	c.functions.items = functions;
	c.functions.count = FUNCTIONS;
	return c;
}

static const char *nameless(struct gsym_symbol *symbols, size_t count)
{
	static struct got got;
	struct gsym_sink sink = { .self = &got, .string = take_string,
				  .record = take_record };
	struct gsym_container c = container(symbols, count);

	got = (struct got){ .answer = GSYM_OK };
	cr_assert_eq(gsym_nameless_convert(&c, &sink, NULL), GSYM_OK);
	return got.text;
}

static struct gsym_symbol symbol(uint64_t value, uint64_t size)
{
	return (struct gsym_symbol){ .name = "f", .value = value, .size = size,
				     .type = GSYM_SYMBOL_FUNCTION };
}

#define ALL "\?\? 1000-1010 \?\? 1010-1020 \?\? 1030-1040 \?\? 1040-1050 " \
	    "\?\? 1060-1070 "

Test(nameless, functions_without_symbols)
{
	struct gsym_symbol s[3] = { symbol(0x1010, 16) };

	cr_expect_str_eq(nameless(NULL, 0), ALL);
	cr_expect_str_eq(nameless(s, 1), "\?\? 1000-1010 \?\? 1030-1040 "
					 "\?\? 1040-1050 \?\? 1060-1070 ");
	/* A byte is enough, at either end; a label names its function. */
	s[0] = symbol(0x1001, 1);
	s[1] = symbol(0x103f, 2);
	s[2] = symbol(0x106f, 0);
	cr_expect_str_eq(nameless(s, 3), "\?\? 1010-1020 ");
	/* Between functions, after all, of no code, around everything. */
	s[0] = symbol(0x1020, 16);
	s[1] = symbol(0x1070, 16);
	s[2] = symbol(0x1000, 16);
	s[2].type = GSYM_SYMBOL_OBJECT;
	cr_expect_str_eq(nameless(s, 3), ALL);
	s[0] = symbol(0x1001, UINT64_MAX);
	cr_expect_str_eq(nameless(s, 1), "");
}

Test(nameless, a_sink_that_refuses)
{
	struct got got = { .answer = GSYM_ERR_LIMIT };
	struct gsym_sink sink = { .self = &got, .string = take_string,
				  .record = take_record };
	struct gsym_container c = container(NULL, 0);
	struct gsym_error error;

	cr_expect_eq(gsym_nameless_convert(&c, &sink, &error), GSYM_ERR_LIMIT);
	c.functions.count = 0;
	cr_expect_eq(gsym_nameless_convert(&c, &sink, &error), GSYM_OK);
}

/* A symbol without size ends with its function, or before the next one; one
 * with a size does not. */
Test(nameless, ends_of_labels)
{
	static const struct { uint64_t value, size, end; } rows[] = {
		{ 0x1000, 0, 0x1010 }, { 0x1018, 0, 0x1020 },
		{ 0x1020, 0, 0x1030 }, { 0x1050, 0, 0x1060 },
		{ 0x1070, 0, 0x1100 }, { 0x1000, 0x28, 0x1028 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gsym_symbol s = symbol(rows[i].value, rows[i].size);
		struct got got = { .answer = GSYM_OK };
		struct gsym_sink sink = { .self = &got, .string = take_string,
					  .record = take_record };
		const struct gsym_convert_options options = { 0 };
		struct gsym_container c = container(&s, 1);
		struct gsym_convert_facts facts = { 0 };
		char wanted[32];

		cr_assert_eq(gsym_symtab_convert(&c, &options, NULL, true,
						 &sink, false, &facts, NULL),
			     GSYM_OK);
		snprintf(wanted, sizeof(wanted), "f %x-%x ",
			 (unsigned)rows[i].value, (unsigned)rows[i].end);
		cr_expect_str_eq(got.text, wanted);
	}
}
