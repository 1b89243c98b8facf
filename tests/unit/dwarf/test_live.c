/* SPDX-License-Identifier: MIT */
/* Which code of the debug info is in the program (dwarf/live.c). */
#include "dwarf/resolve.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A program with a range of code and symbols, and one unit of it. */
struct program {
	struct gsym_container container;
	struct dw_claims claims;
	struct dw_live live;
	struct dw_unit unit;
};

static void begin(struct program *p, uint64_t start, uint64_t end)
{
	struct gsym_container_section *section;
	struct gsym_range *text;

	memset(p, 0, sizeof(*p));
	section = gsym_vec_push(&p->container.sections);
	*section = (struct gsym_container_section){ .name = ".text",
						    .address = start,
						    .size = end - start,
						    .loaded = true,
						    .executable = true };
	text = gsym_vec_push(&p->container.text);
	*text = (struct gsym_range){ start, end };
}

static void symbol(struct program *p, const char *name, uint64_t value,
		   uint64_t size, enum gsym_symbol_type type)
{
	struct gsym_symbol *s = gsym_vec_push(&p->container.symbols);

	*s = (struct gsym_symbol){ .name = name, .value = value, .size = size,
				   .type = type };
}

static void claim(struct program *p, uint64_t start, uint64_t end,
		  uint32_t unit)
{
	struct dw_claim *c = gsym_vec_push(&p->claims);

	*c = (struct dw_claim){ { start, end }, unit };
}

static void node(struct program *p, uint32_t parent, const char *name,
		 uint64_t start, uint64_t end)
{
	struct dw_node *n = gsym_vec_push(&p->unit.nodes);
	struct gsym_range *r;

	*n = (struct dw_node){ .parent = parent,
			       .inlined = parent != DW_NO_NODE,
			       .name = { name, false },
			       .first_range = (uint32_t)p->unit.ranges.count };
	if (start == end)
		return;
	r = gsym_vec_push(&p->unit.ranges);
	*r = (struct gsym_range){ start, end };
	n->range_count = 1;
}

static void sequence(struct program *p, uint64_t start, uint64_t end)
{
	struct dw_row *row = gsym_vec_push(&p->unit.lines.rows);
	struct dw_sequence *s = gsym_vec_push(&p->unit.lines.sequences);

	*row = (struct dw_row){ start, 1, 1 };
	*s = (struct dw_sequence){
		start, end, (uint32_t)p->unit.lines.rows.count - 1, 1, start, 0
	};
}

static char text[1024];

static void put(const char *name, uint64_t start, uint64_t end)
{
	size_t at = strlen(text);

	snprintf(text + at, sizeof(text) - at, "%s%s[%" PRIx64 ",%" PRIx64 ")",
		 at ? " " : "", name, start, end);
}

/* What is left of the unit, which is unit INDEX of three and owns what it
 * claims. */
static const char *filtered(struct program *p, uint32_t index)
{
	struct gsym_range owned[8];
	size_t count = 0;

	cr_assert(gsym_dw_live_init(&p->live, &p->container, 3, &p->claims));
	for (size_t i = 0; i < p->claims.count; i++)
		if (p->claims.items[i].unit == index)
			owned[count++] = p->claims.items[i].range;
	p->unit.live = &p->live;
	p->unit.index = index;
	cr_assert(gsym_dw_live_filter(&p->unit, owned, count));
	*text = 0;
	for (size_t i = 0; i < p->unit.nodes.count; i++) {
		const struct dw_node *n = &p->unit.nodes.items[i];

		for (uint32_t k = 0; k < n->range_count; k++) {
			const struct gsym_range *r =
				&p->unit.ranges.items[n->first_range + k];

			put(n->name.text, r->start, r->end);
		}
	}
	for (size_t i = 0; i < p->unit.lines.sequences.count; i++)
		put("line", p->unit.lines.sequences.items[i].start,
		    p->unit.lines.sequences.items[i].end);
	return text;
}

static void end(struct program *p)
{
	gsym_dw_live_fini(&p->live);
	gsym_vec_fini(&p->claims);
	gsym_dw_unit_fini(&p->unit);
	gsym_vec_fini(&p->container.sections);
	gsym_vec_fini(&p->container.text);
	gsym_vec_fini(&p->container.symbols);
}

/* A function at 0 that is longer than the address of the code goes, with the
 * calls inlined into it, wherever these seem to lie. */
Test(live, what_begins_in_no_code_is_dropped)
{
	struct program p;

	begin(&p, 0x1000, 0x2000);
	claim(&p, 0, 0x1c00, 0);
	claim(&p, 0x1100, 0x1120, 0);
	node(&p, DW_NO_NODE, "dead", 0, 0x1c00);
	node(&p, 0, "a", 0x1104, 0x1110);
	node(&p, DW_NO_NODE, "main", 0x1100, 0x1120);
	node(&p, 2, "b", 0x1104, 0x1110);
	node(&p, 2, "c", 0, 0x1108);
	node(&p, DW_NO_NODE, "old", 1, 0x1080);
	node(&p, DW_NO_NODE, "high", 0x2000, 0x2010);
	sequence(&p, 0, 0x1c00);
	sequence(&p, 0x1100, 0x1120);
	cr_expect_str_eq(filtered(&p, 0), "main[1100,1120) b[1104,1110) "
					  "line[1100,1120)");
	cr_expect_eq(p.claims.count, 1);
	end(&p);
}

/* Objects have functions at 0. */
Test(live, relocatable_objects_keep_everything)
{
	struct program p;

	begin(&p, 0, 0x2000);
	p.container.relocatable = true;
	claim(&p, 0, 0x10, 0);
	node(&p, DW_NO_NODE, "f", 0, 0x10);
	node(&p, DW_NO_NODE, "g", 0x5000, 0x5010);
	cr_expect_str_eq(filtered(&p, 0), "f[0,10) g[5000,5010)");
	end(&p);
}

/* Firmware: the symbol at 0 names the function that is alive. */
Test(live, a_symbol_names_the_function_at_0)
{
	struct program p;

	begin(&p, 0, 0x2000);
	symbol(&p, "reset", 0, 0x20, GSYM_SYMBOL_FUNCTION);
	claim(&p, 0, 0x20, 0);
	claim(&p, 0, 0x400, 1);
	claim(&p, 0x20, 0x60, 2);
	node(&p, DW_NO_NODE, "dead", 0, 0x400);
	node(&p, 0, "in dead", 0, 0x10);
	node(&p, DW_NO_NODE, "reset", 0, 0x20);
	node(&p, 2, "in reset", 0, 8);
	node(&p, DW_NO_NODE, "reset", 0, 0x40);
	sequence(&p, 0, 0x10);
	sequence(&p, 0, 0x20);
	sequence(&p, 0, 0x400);
	cr_expect_str_eq(filtered(&p, 0),
			 "reset[0,20) in reset[0,8) line[0,20)");
	end(&p);
}

/* The live sequence ends where the functions behind that at 0 do, though the
 * sequence of a dropped function ends earlier. */
Test(live, a_sequence_at_0_of_several_functions)
{
	struct program p;

	begin(&p, 0, 0x2000);
	symbol(&p, "reset", 0, 0x20, GSYM_SYMBOL_FUNCTION);
	claim(&p, 0, 0x60, 0);
	node(&p, DW_NO_NODE, "reset", 0, 0x20);
	node(&p, DW_NO_NODE, "f", 0x20, 0x30);
	node(&p, DW_NO_NODE, "dead", 0, 0x28);
	node(&p, DW_NO_NODE, "g", 0x30, 0x60);
	sequence(&p, 0, 0x28);
	sequence(&p, 0, 0x60);
	sequence(&p, 0, 0x400);
	cr_expect_str_eq(filtered(&p, 0),
			 "reset[0,20) f[20,30) g[30,60) line[0,60)");
	end(&p);
}

/* Without symbols the claims tell: of those at 0 that end before the next claim
 * the longest is alive. */
Test(live, claims_tell_the_function_at_0)
{
	for (uint32_t unit = 0; unit < 2; unit++) {
		struct program p;

		begin(&p, 0, 0x2000);
		claim(&p, 0, 0x1c, unit);
		claim(&p, 0, 0x400, 1 - unit);
		claim(&p, 0, 0x10, 1 - unit);
		claim(&p, 0x20, 0x60, 2);
		p.container.entry = 8;
		node(&p, DW_NO_NODE, "short", 0, 0x10);
		node(&p, DW_NO_NODE, "right", 0, 0x1c);
		node(&p, DW_NO_NODE, "long", 0, 0x400);
		sequence(&p, 0, 0x10);
		sequence(&p, 0, 0x1c);
		sequence(&p, 0, 0x400);
		cr_expect_str_eq(filtered(&p, 0),
				 unit ? "" : "right[0,1c) line[0,1c)");
		end(&p);
	}
}

/* A unit of assembly at 0, without functions. */
Test(live, a_claim_at_0_without_functions_keeps_its_lines)
{
	struct program p;

	begin(&p, 0, 0x2000);
	claim(&p, 0, 0x1c, 0);
	claim(&p, 0, 0x400, 1);
	claim(&p, 0x20, 0x60, 2);
	sequence(&p, 0, 0x1c);
	cr_expect_str_eq(filtered(&p, 0), "line[0,1c)");
	end(&p);
}

/* gold leaves the offset within the dropped section: a function may seem to lie
 * in code.  A symbol tells, or a live claim of the unit around it. */
Test(live, functions_within_a_dropped_section)
{
	struct program p;

	begin(&p, 0x1000, 0x4000);
	symbol(&p, "other", 0x1100, 0x20, GSYM_SYMBOL_FUNCTION);
	symbol(&p, "named", 0x1200, 0x20, GSYM_SYMBOL_FUNCTION);
	symbol(&p, "_ZN1a6memberEv", 0x1300, 0x20, GSYM_SYMBOL_FUNCTION);
	claim(&p, 0, 0x3000, 0);
	claim(&p, 0x1400, 0x1500, 0);
	node(&p, DW_NO_NODE, "dead", 0x1100, 0x1110);
	node(&p, DW_NO_NODE, "named", 0x1200, 0x1220);
	node(&p, DW_NO_NODE, "a::member", 0x1300, 0x1320);
	node(&p, DW_NO_NODE, "claimed", 0x1410, 0x1420);
	node(&p, DW_NO_NODE, "silent", 0x1600, 0x1610);
	node(&p, DW_NO_NODE, "beyond", 0x3000, 0x3010);
	sequence(&p, 0x1100, 0x1110);
	sequence(&p, 0x1200, 0x1220);
	cr_expect_str_eq(filtered(&p, 0),
			 "named[1200,1220) a::member[1300,1320) "
			 "claimed[1410,1420) beyond[3000,3010) "
			 "line[1200,1220)");
	end(&p);
}

/* The sequence goes back to 0 for a dropped function. */
Test(live, a_sequence_loses_rows_outside_of_code)
{
	struct program p;
	struct dw_sequence *s;
	struct dw_row *row;

	begin(&p, 0x1000, 0x2000);
	claim(&p, 0x1000, 0x1010, 0);
	sequence(&p, 0, 0x1010);
	row = gsym_vec_push(&p.unit.lines.rows);
	*row = (struct dw_row){ 0x1000, 1, 2 };
	s = &p.unit.lines.sequences.items[0];
	s->row_count = 2;
	s->entry = 0x1000;
	cr_expect_str_eq(filtered(&p, 0), "line[1000,1010)");
	cr_expect_eq(s->first_row, 1);
	cr_expect_eq(s->row_count, 1);
	end(&p);
}

/* The ranges of the function were tombstones, and are not even listed. */
Test(live, what_was_inlined_into_a_dropped_function)
{
	struct program p;

	begin(&p, 0x1000, 0x2000);
	claim(&p, 0x1000, 0x1100, 0);
	node(&p, DW_NO_NODE, "dropped", 0, 0);
	p.unit.nodes.items[0].dropped = p.unit.drops = true;
	node(&p, 0, "nameless", 0, 0);
	node(&p, 1, "a", 0x1000, 0x1010);
	node(&p, DW_NO_NODE, "without ranges", 0, 0);
	node(&p, 3, "b", 0x1020, 0x1030);
	cr_expect_str_eq(filtered(&p, 0), "b[1020,1030)");
	end(&p);
}

/* ld -r leaves copies that it dropped at 0: no symbol there has their name or
 * their size. */
Test(live, a_symbol_names_the_function_at_0_of_an_object)
{
	for (int size = 0x20; size <= 0x24; size += 4) {
		struct program p;

		begin(&p, 0, 0x2000);
		p.container.relocatable = true;
		symbol(&p, "MAIN__", 0, 0x20, GSYM_SYMBOL_FUNCTION);
		claim(&p, 0, 0x100, 0);
		node(&p, DW_NO_NODE, "main", 0, 0x20);
		node(&p, DW_NO_NODE, "copy", 0, (uint64_t)size);
		sequence(&p, 0, 0x20);
		cr_expect_str_eq(filtered(&p, 0),
				 size == 0x20 ? "main[0,20) copy[0,20) "
						"line[0,20)"
					      : "main[0,20) line[0,20)");
		end(&p);
	}
}

/* Any number of functions at 0 and of symbols there: the search for a symbol of
 * the same size stops where the budget of the unit does. */
Test(live, symbols_at_0_of_an_object_cost_work)
{
	for (uint64_t limit = 0; limit <= 1; limit++) {
		struct program p;

		begin(&p, 0, 0x2000);
		p.container.relocatable = true;
		for (int i = 0; i < 50; i++)
			symbol(&p, "other", 0, 0x30, GSYM_SYMBOL_FUNCTION);
		symbol(&p, "other", 0, 0x20, GSYM_SYMBOL_FUNCTION);
		claim(&p, 0, 0x100, 0);
		node(&p, DW_NO_NODE, "copy", 0, 0x20);
		p.unit.work.limit = limit;
		cr_expect_str_eq(filtered(&p, 0), limit ? "" : "copy[0,20)");
		cr_expect_eq(p.unit.work.exceeded, limit != 0);
		/* Two searches look at the 51 symbols, one of them by name. */
		if (!limit)
			cr_expect_eq(p.unit.work.used,
				     UINT64_C(51) * (2 * DW_COST_LOOK +
						     5 * DW_COST_TEXT));
		end(&p);
	}
}

/* Vectors at 0, of two words, or code: a dropped function that ends where other
 * code begins does not answer for vectors, unless the program starts there. */
Test(live, vectors_at_0)
{
	static const uint8_t bytes[][8] = { { 0, 0, 0, 0x20, 0x41, 1, 0, 0 },
					    { 0x55, 0x48, 0x89, 0xe5 } };

	for (int i = 0; i < 8; i++) {
		bool code = i & 1, starts = i & 2, gap = i & 4;
		struct gsym_segment *segment;
		struct program p;

		begin(&p, 0, 0x2000);
		p.container.address_size = 4;
		segment = gsym_vec_push(&p.container.segments);
		*segment = (struct gsym_segment){ 0, bytes[code], 8, false,
						  true };
		p.container.entry = starts ? 4 : 0x100;
		claim(&p, 0, gap ? 0xe0 : 0xf4, 0);
		claim(&p, 0x100, 0x200, 1);
		node(&p, DW_NO_NODE, "f", 0, 0x40);
		cr_expect_str_eq(filtered(&p, 0),
				 starts || (code && !gap) ? "f[0,40)" : "");
		gsym_vec_fini(&p.container.segments);
		end(&p);
	}
}

/* On 64-bit PowerPC the lines of a function may begin after its first
 * instructions. */
Test(live, a_dropped_sequence_over_a_live_one)
{
	struct program p;

	begin(&p, 0, 0x2000);
	symbol(&p, "f", 0, 0x40, GSYM_SYMBOL_FUNCTION);
	claim(&p, 0, 0x40, 0);
	node(&p, DW_NO_NODE, "f", 0, 0x40);
	sequence(&p, 0, 0x60);
	sequence(&p, 8, 0x40);
	cr_expect_str_eq(filtered(&p, 0), "f[0,40) line[8,40)");
	end(&p);
}

/* Without symbols the table that unwinds the stack tells. */
Test(live, the_table_of_functions_tells_the_function_at_0)
{
	struct program p;
	struct gsym_range *f;

	begin(&p, 0, 0x2000);
	f = gsym_vec_push(&p.container.functions);
	*f = (struct gsym_range){ 0, 0x18 };
	claim(&p, 0, 0x1c, 0);
	claim(&p, 0x20, 0x60, 2);
	node(&p, DW_NO_NODE, "dead", 0, 0x1c);
	node(&p, DW_NO_NODE, "live", 0, 0x18);
	cr_expect_str_eq(filtered(&p, 0), "live[0,18)");
	gsym_vec_fini(&p.container.functions);
	end(&p);
}
