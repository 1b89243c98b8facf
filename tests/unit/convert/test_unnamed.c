/* SPDX-License-Identifier: MIT */
/* Code that has lines and no function, in sections with and without names. */
#include "convert/convert.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { TEXT, AUX, DATA, OTHER };

static struct gsym_container_section sections[] = {
	[TEXT] = { .name = ".text", .address = 0x1000, .size = 0x100,
		   .loaded = true, .executable = true },
	[AUX] = { .name = ".altinstr_aux", .address = 0x1200, .size = 0x100,
		  .loaded = true, .executable = true },
	[DATA] = { .name = ".data", .address = 0x2000, .size = 0x100,
		   .loaded = true },
	[OTHER] = { .name = ".other", .address = 0x3000, .size = 0x100,
		    .loaded = true, .executable = true },
};

static struct gsym_symbol text_symbol = {
	.name = "f", .value = 0x1000, .size = 4,
	.type = GSYM_SYMBOL_FUNCTION, .section = TEXT,
};

/* What the inner sink got, as text. */
struct list {
	char text[1024];
	enum gsym_status answer;
};

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	(void)self;
	cr_assert_eq(length, 2);
	cr_assert_arr_eq(bytes, "??", 2);
	*number = 7;
	return GSYM_OK;
}

static enum gsym_status take_record(void *self, const struct gsym_record *r)
{
	struct list *l = self;
	size_t used = strlen(l->text);

	snprintf(l->text + used, sizeof(l->text) - used, "%u %x-%x\n",
		 r->name, (unsigned)r->start, (unsigned)r->limit);
	return l->answer;
}

static enum gsym_status take_rows(void *self, struct gsym_range range,
				  const struct gsym_loose_row *rows,
				  size_t count)
{
	struct list *l = self;
	size_t used = strlen(l->text);

	cr_assert(rows && count);
	snprintf(l->text + used, sizeof(l->text) - used, "rows %x\n",
		 (unsigned)range.start);
	return GSYM_OK;
}

static struct gsym_container container(void)
{
	struct gsym_container c = { 0 };

	c.sections.items = sections;
	c.sections.count = sizeof(sections) / sizeof(*sections);
	c.symbols.items = &text_symbol;
	c.symbols.count = 1;
	return c;
}

static void put_rows(struct gsym_sink *sink, uint64_t start, uint64_t end)
{
	struct gsym_loose_row row = { .address = start, .line = 1 };

	cr_assert_eq(sink->loose_rows(sink->self,
				      (struct gsym_range){ start, end }, &row,
				      1),
		     GSYM_OK);
}

/* Rows of each section; a function of .other, if there IS one. */
static enum gsym_status convert(struct list *l, bool is)
{
	const struct gsym_sink inner = { .self = l, .string = take_string,
					 .record = take_record,
					 .loose_rows = take_rows };
	struct gsym_container c = container();
	struct gsym_unnamed u;
	const struct gsym_text text = { "??", 2 };
	struct gsym_sink sink;
	enum gsym_status status;
	uint32_t number;

	cr_assert(gsym_unnamed_init(&u, &c, &inner, &sink));
	/* The inner sink has no function for several strings. */
	cr_assert_eq(sink.strings(sink.self, &text, 1, &number), GSYM_OK);
	cr_assert_eq(number, 7);
	put_rows(&sink, 0x1010, 0x1020);
	put_rows(&sink, 0x1240, 0x1250);
	put_rows(&sink, 0x1210, 0x1220);
	put_rows(&sink, 0x1220, 0x1230);
	put_rows(&sink, 0x2010, 0x2020);
	put_rows(&sink, 0x3010, 0x3020);
	if (is)
		gsym_sink_record(&sink, &(struct gsym_record){
			.rank = GSYM_RANK_FUNCTION, .name = 9,
			.start = 0x30f0, .size = 4 });
	status = gsym_unnamed_convert(&u);
	gsym_unnamed_fini(&u);
	return status;
}

#define ROWS "rows 1010\nrows 1240\nrows 1210\nrows 1220\nrows 2010\n" \
	     "rows 3010\n"

Test(unnamed, sections_without_functions)
{
	struct list l = { .answer = GSYM_OK };

	cr_assert_eq(convert(&l, false), GSYM_OK);
	cr_assert_str_eq(l.text, ROWS "7 1210-1230\n7 1240-1250\n"
			 "7 3010-3020\n");
}

/* Rows between the functions of a section are padding. */
Test(unnamed, a_section_with_a_function)
{
	struct list l = { .answer = GSYM_OK };

	cr_assert_eq(convert(&l, true), GSYM_OK);
	cr_assert_str_eq(l.text, ROWS "9 30f0-0\n7 1210-1230\n7 1240-1250\n");
}

Test(unnamed, a_sink_that_refuses)
{
	struct list l = { .answer = GSYM_ERR_MEMORY };

	cr_assert_eq(convert(&l, false), GSYM_ERR_MEMORY);
}

/* Conversions in part know the functions of a few units alone. */
Test(unnamed, no_conversion_in_part)
{
	struct gsym_range_set sections_found = { 0 };
	struct gsym_container c = container();

	cr_assert(gsym_unnamed_sections(&c, &sections_found));
	cr_assert_eq(sections_found.count, 2);
	cr_assert_eq(sections_found.items[0].start, 0x1200);
	cr_assert_eq(sections_found.items[0].end, 0x1300);
	cr_assert_eq(sections_found.items[1].start, 0x3000);
	gsym_vec_fini(&sections_found);
}
