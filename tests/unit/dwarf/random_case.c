/* SPDX-License-Identifier: MIT */
/* Programs whose functions, inlined calls and line tables are drawn by a
 * generator of random numbers, with a seed. */
#include "random_case.h"

#include <stdio.h>

enum {
	FIRST = 0x1000, /* the lowest address */
	UNIT = 8,	/* addresses and sizes are multiples */
	SPAN = 64,	/* units of address space */
	ABSTRACT = 3,
	STMT_SEQUENCE = 0x3e0c, /* DW_AT_LLVM_stmt_sequence */
	MOST_SEQUENCES = 8,
};

struct random {
	struct dwa *a;
	uint64_t state;
	unsigned functions; /* made so far, for names */
	unsigned abstract[ABSTRACT];
	uint64_t sequences[MOST_SEQUENCES]; /* of the unit: offsets */
	unsigned sequence_count;
};

/* A number from 0 to COUNT - 1. */
static unsigned draw(struct random *r, unsigned count)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(r->state >> 33) % count;
}

static struct dwa_pair draw_range(struct random *r, unsigned most)
{
	uint64_t start = FIRST + UNIT * draw(r, SPAN);

	return (struct dwa_pair){ start,
				  start + UNIT * (1 + draw(r, most)) };
}

/* Give the DIE a range, or, once in three, several. */
static void put_ranges(struct random *r, unsigned most)
{
	struct dwa_pair pairs[4];
	unsigned count = draw(r, 3) ? 1 : 2 + draw(r, 3);
	uint64_t list;

	for (unsigned i = 0; i < count; i++)
		pairs[i] = draw_range(r, most);
	if (count == 1) {
		case_range(r->a, pairs->first, pairs->second);
		return;
	}
	if (r->a->version < 5) {
		list = dwa_ranges(r->a, pairs, count);
	} else {
		dwa_rnglists(r->a, 0);
		list = dwa_rnglist(r->a);
		for (unsigned i = 0; i < count; i++)
			dwa_rle(r->a, DW_RLE_start_end, pairs[i].first,
				pairs[i].second);
		dwa_rle(r->a, DW_RLE_end_of_list, 0, 0);
		dwa_rnglists_end(r->a);
	}
	dwa_value(r->a, DW_AT_ranges, case_section_form(r->a), list);
}

/* ---- line tables --------------------------------------------------------- */

/* A sequence whose addresses may be out of order. */
static void put_sequence(struct random *r)
{
	struct dwa_pair range = draw_range(r, SPAN / 4);
	unsigned rows = draw(r, 8);

	dwa_set_address(r->a, range.first);
	for (unsigned i = 0; i < rows; i++) {
		unsigned file = 1 + draw(r, 2);

		dwa_set_address(r->a, range.first +
					      draw(r, (unsigned)(range.second -
								 range.first)));
		dwa_lns(r->a, DW_LNS_set_file, 1, file);
		dwa_advance_line(r->a, draw(r, 4));
		dwa_lns(r->a, DW_LNS_copy, 0);
	}
	dwa_set_address(r->a, range.second);
	dwa_lne(r->a, DW_LNE_end_sequence, NULL, 0);
}

static uint64_t put_lines(struct random *r)
{
	static const char *const directories[] = { "/d0", "/d1" };
	static const struct dwa_file files[] = { { "f0.c", 0 },
						 { "f1.c", 1 },
						 { "f2.c", 0 } };
	uint64_t offset = dwa_lines(
		r->a, &(struct dwa_lines){ .version = r->a->version,
					   .directories = directories,
					   .directory_count = 2,
					   .files = files,
					   .file_count = 3 });

	r->sequence_count = 1 + draw(r, MOST_SEQUENCES - 1);
	for (unsigned i = 0; i < r->sequence_count; i++) {
		r->sequences[i] = r->a->sections[DWA_LINE].size;
		put_sequence(r);
	}
	dwa_lines_end(r->a);
	return offset;
}

/* ---- DIEs ---------------------------------------------------------------- */

static void put_call(struct random *r)
{
	dwa_die(r->a, DW_TAG_call_site, false);
	dwa_value(r->a, DW_AT_call_return_pc, DW_FORM_addr,
		  draw_range(r, 1).first);
	dwa_reference(r->a, DW_AT_call_origin, DW_FORM_ref4,
		      r->abstract[draw(r, ABSTRACT)]);
}

static void put_variable(struct random *r)
{
	const uint8_t bytes[9] = { DW_OP_addr, (uint8_t)draw(r, 256), 0x20 };

	dwa_die(r->a, DW_TAG_variable, false);
	dwa_string(r->a, DW_AT_name, DW_FORM_string, "v");
	dwa_block(r->a, DW_AT_location, DW_FORM_exprloc, bytes, sizeof(bytes));
	dwa_value(r->a, DW_AT_decl_file, DW_FORM_data1, draw(r, 4));
	dwa_value(r->a, DW_AT_decl_line, DW_FORM_data1, draw(r, 9));
}

static void put_children(struct random *r, unsigned depth);

/* A function, or an inlined call if INLINED, with what is in it. */
static void put_function(struct random *r, bool inlined, unsigned depth)
{
	char name[16];

	if (inlined) {
		/* Compilers differ in the order of arguments. */
		unsigned line = draw(r, 9);

		case_inlined(r->a, r->abstract[draw(r, ABSTRACT)], true, line,
			     0, 0);
	} else {
		snprintf(name, sizeof(name), "f%u", r->functions++);
		dwa_die(r->a, DW_TAG_subprogram, true);
		dwa_string(r->a, DW_AT_name, DW_FORM_string, name);
		dwa_value(r->a, DW_AT_decl_file, DW_FORM_data1, draw(r, 4));
		dwa_value(r->a, DW_AT_decl_line, DW_FORM_data1, draw(r, 9));
		if (!draw(r, 4))
			dwa_value(r->a, STMT_SEQUENCE,
				  case_section_form(r->a),
				  r->sequences[draw(r, r->sequence_count)]);
	}
	if (draw(r, 8))
		put_ranges(r, depth ? SPAN / 8 : SPAN / 2);
	put_children(r, depth + 1);
	dwa_end(r->a);
}

static void put_children(struct random *r, unsigned depth)
{
	unsigned count = depth == 0 ? 8 : depth < 4 ? draw(r, 4) : 0;

	for (; count; count--)
		switch (draw(r, 8)) {
		case 0:
			put_call(r);
			break;
		case 1:
			put_variable(r);
			break;
		case 2:
			dwa_die(r->a, DW_TAG_lexical_block, true);
			put_children(r, depth + 1);
			dwa_end(r->a);
			break;
		case 3:
			put_function(r, false, depth);
			break;
		default:
			put_function(r, depth > 0, depth);
		}
}

static void put_unit(struct random *r, uint64_t lines)
{
	static const char *const names[ABSTRACT] = { "one", "two", "three" };

	dwa_unit(r->a, 0);
	dwa_die(r->a, DW_TAG_compile_unit, true);
	dwa_value(r->a, DW_AT_language, DW_FORM_data1, DW_LANG_C99);
	dwa_string(r->a, DW_AT_comp_dir, DW_FORM_string, "/src");
	dwa_value(r->a, DW_AT_stmt_list, case_section_form(r->a), lines);
	put_ranges(r, SPAN);
	for (unsigned i = 0; i < ABSTRACT; i++)
		r->abstract[i] = case_abstract(r->a, names[i]);
	put_children(r, 0);
	case_unit_end(r->a);
}

void random_case(struct dwa *a, uint64_t seed)
{
	struct random r = { .a = a, .state = seed };
	unsigned units = 1 + draw(&r, 4);
	uint64_t lines = put_lines(&r);

	for (unsigned i = 0; i < units; i++) {
		if (!draw(&r, 2))
			lines = put_lines(&r);
		put_unit(&r, lines);
	}
}

void many_case(struct dwa *a, uint64_t seed)
{
	enum { MANY = 700 };
	struct random r = { .a = a, .state = seed };
	uint64_t lines = put_lines(&r);
	unsigned places[MANY];
	char name[16];

	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_value(a, DW_AT_stmt_list, case_section_form(a), lines);
	case_range(a, FIRST, FIRST + UNIT * MANY);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "a%u", i);
		places[i] = case_abstract(a, name);
	}
	for (unsigned i = 0; i < MANY; i++) {
		uint64_t at = FIRST + UNIT * i;

		snprintf(name, sizeof(name), "m%u", i);
		case_parent(a, name, at, at + UNIT);
		case_inlined(a, places[i], false, 1, at, at + 2);
		case_inlined(a, places[i / 2], false, 2, at + 2, at + 4);
		dwa_end(a);
	}
	case_unit_end(a);
}

void wide_case(struct dwa *a, uint64_t seed)
{
	struct random r = { .a = a, .state = seed };
	const uint64_t most = UINT32_MAX;
	uint64_t at = FIRST, lines;

	lines = put_lines(&r);
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_value(a, DW_AT_stmt_list, case_section_form(a), lines);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0);
	dwa_value(a, DW_AT_high_pc,
		  a->version < 4 ? DW_FORM_addr : DW_FORM_data8, most * 16);
	for (unsigned i = 0; i < 6; i++) {
		uint64_t size = most - 1 + i % 3;

		dwa_die(a, DW_TAG_subprogram, false);
		dwa_string(a, DW_AT_name, DW_FORM_string, i < 3 ? "f" : "g");
		dwa_value(a, DW_AT_low_pc, DW_FORM_addr, at);
		dwa_value(a, DW_AT_high_pc,
			  a->version < 4 ? DW_FORM_addr : DW_FORM_data8,
			  a->version < 4 ? at + size : size);
		/* The later three hide the first ones. */
		at = i == 2 ? FIRST : at + size;
	}
	case_unit_end(a);
}
