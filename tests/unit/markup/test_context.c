/* SPDX-License-Identifier: MIT */
/* Modules and mappings as a context keeps them. */
#include "markup/process.h"

#include <criterion/criterion.h>

static struct mk_module *add_module(struct mk_context *c, uint64_t id)
{
	struct mk_element e = { .id = id, .name = { "m", 1 } };

	return gsym_mk_module_add(c, &e);
}

static void map(struct mk_context *c, uint64_t start, uint64_t size)
{
	struct mk_mapping m = { .start = start, .last = start + size - 1 };

	cr_assert(gsym_mk_mapping_cut(c, m.start, m.last));
	cr_assert(gsym_mk_mapping_add(c, &m));
}

/* The memory of mappings that were cut away is used again. */
Test(context, blocks_are_used_again)
{
	struct mk_context c = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		map(&c, 0x1000 * (i % 10), 0x1000);
	cr_expect_eq(c.mapping_count, 10);
	cr_expect_leq(c.blocks.count, 2, "%zu blocks", c.blocks.count);
	/* One mapping in place of many. */
	map(&c, 0, 0xa000);
	cr_expect_eq(c.mapping_count, 1);
	cr_expect_null(gsym_mk_mapping_above(&c, 0));
	cr_expect_eq(gsym_mk_mapping_floor(&c, 0x9fff)->last, 0x9fff);
	cr_expect_leq(c.blocks.count, 2, "%zu blocks", c.blocks.count);
	gsym_mk_context_fini(&c);
}

/* A range that ends before it starts is none: its parts would never end. */
Test(context, a_range_without_bytes_cuts_nothing)
{
	struct mk_context c = { 0 };

	map(&c, 0x1000, 0x100000);
	cr_expect(gsym_mk_mapping_cut(&c, 0x80000, 0x2000));
	cr_expect_eq(c.mapping_count, 1);
	gsym_mk_context_fini(&c);
}

/* Mappings are found whatever the order is in which they were added. */
Test(context, any_order)
{
	enum { MANY = 4099, STEP = 1021 };
	struct mk_context c = { 0 };

	for (uint64_t i = 0; i < MANY; i++)
		map(&c, 0x1000 * (i * STEP % MANY), 0x1000);
	cr_expect_eq(c.mapping_count, MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t start = 0x1000 * i;
		const struct mk_mapping *m =
			gsym_mk_mapping_find(&c, start + 0xfff);

		cr_assert_not_null(m);
		cr_assert_eq(m->start, start);
		cr_assert_eq(gsym_mk_mapping_floor(&c, start), m);
		m = gsym_mk_mapping_above(&c, start);
		cr_assert(i + 1 < MANY ? m && m->start == start + 0x1000 : !m);
	}
	gsym_mk_context_fini(&c);
}

/* Compare the mappings of C with MAPPED, which says for each page whether it is
 * mapped. */
static void compare(const struct mk_context *c, const bool *mapped,
		    size_t pages)
{
	size_t blocks = 0, count = 0;

	for (size_t i = 0; i < pages; i++) {
		const struct mk_mapping *m =
			gsym_mk_mapping_find(c, 0x1000 * i + 1);

		cr_assert_eq(m != NULL, mapped[i], "page %zu", i);
	}
	for (size_t i = 0; i < c->block_count; i++) {
		const struct mk_block *b = c->blocks.items[i];

		cr_assert(b->count && b->count <= MK_BLOCK);
		for (size_t k = 1; k < b->count; k++)
			cr_assert_lt(b->items[k - 1].start, b->items[k].start);
		if (i)
			cr_assert_lt(c->blocks.items[i - 1]->items[0].start,
				     b->items[0].start);
		count += b->count;
		blocks++;
	}
	cr_assert_eq(count, c->mapping_count);
	cr_assert_leq(blocks, 2 + 4 * count / MK_BLOCK);
}

/* Random changes, beside a plain table of pages; the blocks stay few. */
Test(context, as_a_table_of_pages)
{
	enum { PAGES = 1500, CHANGES = 60000 };
	static bool mapped[PAGES];
	struct mk_context c = { 0 };
	uint64_t random = 1;

	for (int i = 0; i < CHANGES; i++) {
		size_t start, size;

		random = random * 6364136223846793005u + 1442695040888963407u;
		start = (size_t)(random >> 33) % PAGES;
		/* Now and then most of the pages go at once. */
		size = i % 5000 ? 1 : PAGES - start;
		if (random >> 60 & 1 || size > 1)
			cr_assert(gsym_mk_mapping_cut(
				&c, 0x1000 * start,
				0x1000 * (start + size) - 1));
		else
			map(&c, 0x1000 * start, 0x1000);
		for (size_t k = start; k < start + size; k++)
			mapped[k] = !(random >> 60 & 1 || size > 1);
		if (i % 1000 == 0 || i % 5000 == 1)
			compare(&c, mapped, PAGES);
	}
	compare(&c, mapped, PAGES);
	gsym_mk_context_fini(&c);
}

/* Mappings in descending order, and holes from the top of one mapping. */
Test(context, descending)
{
	enum { MANY = 20000 };
	struct mk_context c = { 0 };

	for (uint64_t i = MANY; i-- > 0;)
		map(&c, 0x2000 * i, 0x1000);
	cr_expect_eq(c.mapping_count, MANY);
	cr_expect_leq(c.blocks.count, 2 + 2 * MANY / MK_BLOCK);
	map(&c, 0, 0x2000 * MANY);
	cr_expect_eq(c.mapping_count, 1);
	for (uint64_t i = MANY; i-- > 1;)
		cr_assert(gsym_mk_mapping_cut(&c, 0x2000 * i,
					      0x2000 * i + 0xfff));
	cr_expect_eq(c.mapping_count, MANY);
	cr_expect_eq(gsym_mk_mapping_find(&c, 0x3000)->relative, 0x3000);
	cr_expect_null(gsym_mk_mapping_find(&c, 0x4000));
	gsym_mk_context_fini(&c);
}

/* A mapping is not found after it is gone. */
Test(context, what_is_cut_is_gone)
{
	struct mk_context c = { 0 };

	map(&c, 0x1000, 0x1000);
	map(&c, 0x3000, 0x1000);
	cr_expect_not_null(gsym_mk_mapping_find(&c, 0x1800));
	cr_expect_not_null(gsym_mk_mapping_find(&c, 0x1fff));
	cr_expect_null(gsym_mk_mapping_find(&c, 0x2000));
	cr_assert(gsym_mk_mapping_cut(&c, 0x1000, 0x1fff));
	cr_expect_null(gsym_mk_mapping_find(&c, 0x1800));
	cr_expect_not_null(gsym_mk_mapping_find(&c, 0x3000));
	gsym_mk_context_reset(&c);
	cr_expect_null(gsym_mk_mapping_find(&c, 0x3000));
	cr_expect_eq(c.mapping_count, 0);
	gsym_mk_context_fini(&c);
}

Test(context, modules_by_id)
{
	struct mk_context c = { 0 };

	cr_expect_null(gsym_mk_module_find(&c, 7));
	for (uint64_t id = 0; id < 1000; id++)
		cr_assert_not_null(add_module(&c, id << 20));
	for (uint64_t id = 0; id < 1000; id++)
		cr_assert_eq(gsym_mk_module_find(&c, id << 20)->id, id << 20);
	cr_expect_null(gsym_mk_module_find(&c, 7));
	cr_expect_eq(c.module_count, 1000);
	/* A table is half full at most. */
	cr_expect_geq(c.ids.slots.count, 2000);
	gsym_mk_context_reset(&c);
	cr_expect_eq(c.module_count, 0);
	cr_expect_null(gsym_mk_module_find(&c, 0));
	cr_expect_null(c.modules);
	gsym_mk_context_fini(&c);
}
