/* SPDX-License-Identifier: MIT */
/* Ranges of DIEs, and claims of units. */
#include "cases.h"

static uint64_t all_ones(const struct dwa *a)
{
	return a->address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

static void high_forms(struct dwa *a)
{
	static const unsigned forms[] = { DW_FORM_data1, DW_FORM_data2,
					  DW_FORM_data4, DW_FORM_data8,
					  DW_FORM_udata, DW_FORM_sdata,
					  DW_FORM_implicit_const };
	unsigned count = sizeof(forms) / sizeof(*forms);

	case_unit(a, DW_LANG_C99);
	for (unsigned i = 0; i < count - (a->version < 5); i++) {
		dwa_die(a, DW_TAG_subprogram, false);
		/* The two attributes come in either order. */
		if (i & 1)
			dwa_value(a, DW_AT_high_pc, forms[i], 0x30);
		dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000 + 0x100 * i);
		if (!(i & 1))
			dwa_value(a, DW_AT_high_pc, forms[i], 0x30);
	}
	case_unit_end(a);
}

static void indexed(struct dwa *a)
{
	static const unsigned forms[] = { DW_FORM_addrx, DW_FORM_addrx1,
					  DW_FORM_addrx2, DW_FORM_addrx4 };

	/* No DIE refers to the first address. */
	dwa_address(a, 0xdead);
	case_unit(a, DW_LANG_C99);
	dwa_value(a, DW_AT_addr_base, DW_FORM_sec_offset, dwa_table_base(a));
	for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_value(a, DW_AT_low_pc, forms[i],
			  dwa_address(a, 0x1000 * (i + 1)));
		dwa_value(a, DW_AT_high_pc, DW_FORM_data1, 0x30);
	}
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addrx, dwa_address(a, 0x8000));
	dwa_value(a, DW_AT_high_pc, DW_FORM_addrx, dwa_address(a, 0x8040));
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addrx, 1000);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data1, 0x30);
	case_unit_end(a);
}

static void no_code(struct dwa *a)
{
	uint64_t ones = all_ones(a);

	case_unit(a, DW_LANG_C99);
	case_function(a, "empty", 0x1000, 0x1000);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
	dwa_value(a, DW_AT_high_pc, DW_FORM_addr, 0xff0);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_high_pc, DW_FORM_addr, 0x1000);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, ones);
	dwa_value(a, DW_AT_high_pc, DW_FORM_addr, ones);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, ones - 1);
	dwa_value(a, DW_AT_high_pc, DW_FORM_addr, ones);
	case_function(a, "at zero", 0, 0x10);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "near the end");
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, ones - 0x2000 + 1);
	dwa_value(a, DW_AT_high_pc, DW_FORM_addr, ones - 0x2000 + 17);
	case_unit_end(a);
}

static void dead_lengths(struct dwa *a)
{
	uint64_t ones = all_ones(a);

	case_unit(a, DW_LANG_C99);
	for (unsigned i = 0; i < 3; i++) {
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_value(a, DW_AT_low_pc, DW_FORM_addr, ones - i);
		dwa_value(a, DW_AT_high_pc, DW_FORM_data4, 0x10);
	}
	case_unit_end(a);
}

/* Before 4.4 gcc has the base of lists in DW_AT_entry_pc. */
static void entry_base(struct dwa *a)
{
	const struct dwa_pair pairs[] = { { 0x10, 0x18 } };

	case_unit(a, DW_LANG_C99);
	dwa_value(a, DW_AT_entry_pc, DW_FORM_addr, 0x5000);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "f");
	dwa_value(a, DW_AT_ranges, case_section_form(a),
		  dwa_ranges(a, pairs, 1));
	case_unit_end(a);
}

static void ranges_attribute(struct dwa *a, const char *name, uint64_t offset)
{
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	dwa_value(a, DW_AT_ranges, case_section_form(a), offset);
}

static void old_lists(struct dwa *a)
{
	uint64_t ones = all_ones(a);
	const struct dwa_pair plain[] = { { 0x1000, 0x1010 },
					  { 0x900, 0x910 },
					  { 0x1020, 0x1020 },
					  { 0x1040, 0x1030 },
					  { 0x1100, 0x1108 } };
	const struct dwa_pair bases[] = { { 0x20, 0x30 },
					  { ones, 0x8000 },
					  { 0x10, 0x18 },
					  { ones, 0 },
					  { 0x10, 0x18 } };
	const struct dwa_pair dead[] = { { ones - 1, ones - 1 },
					 { ones, ones - 1 },
					 { 0x10, 0x20 },
					 { ones, ones },
					 { 0x10, 0x20 },
					 { ones, 0x4000 },
					 { 0, 0x20 },
					 { 1, 1 } };

	case_unit(a, DW_LANG_C99);
	ranges_attribute(a, "plain", dwa_ranges(a, plain, 5));
	ranges_attribute(a, "bases", dwa_ranges(a, bases, 5));
	ranges_attribute(a, "dead", dwa_ranges(a, dead, 8));
	ranges_attribute(a, "none", dwa_ranges(a, NULL, 0));
	ranges_attribute(a, "outside", 0x100000);
	/* low_pc with high_pc is preferred to ranges, low_pc alone is not. */
	case_function(a, "both", 0x2000, 0x2010);
	dwa_value(a, DW_AT_ranges, case_section_form(a), 0);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "low");
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x7000);
	dwa_value(a, DW_AT_ranges, case_section_form(a), 0);
	case_unit_end(a);
}

static void old_base(struct dwa *a)
{
	const struct dwa_pair pairs[] = { { 0, 0x10 }, { 0x20, 0x30 } };

	case_unit(a, DW_LANG_C99);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x5000);
	dwa_value(a, DW_AT_ranges, case_section_form(a),
		  dwa_ranges(a, pairs, 2));
	ranges_attribute(a, "f", 0);
	case_unit_end(a);
	/* The base is a tombstone. */
	case_unit(a, DW_LANG_C99);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, all_ones(a));
	ranges_attribute(a, "gone", 0);
	case_unit_end(a);
}

static void old_wrap(struct dwa *a)
{
	const struct dwa_pair pairs[] = { { all_ones(a), all_ones(a) - 0xfff },
					  { 0x2000, 0x2010 } };

	case_unit(a, DW_LANG_C99);
	ranges_attribute(a, "f", dwa_ranges(a, pairs, 2));
	case_unit_end(a);
}

/* Every kind of entry. */
static void new_entries(struct dwa *a)
{
	uint64_t index[4] = { dwa_address(a, 0x3000), dwa_address(a, 0x3100),
			      dwa_address(a, 0x3180),
			      dwa_address(a, all_ones(a)) };

	dwa_rle(a, DW_RLE_offset_pair, 0x10, 0x20);
	dwa_rle(a, DW_RLE_base_address, 0x2000, 0);
	dwa_rle(a, DW_RLE_offset_pair, 0x10, 0x20);
	dwa_rle(a, DW_RLE_offset_pair, 0x300, 0x1000);
	dwa_rle(a, DW_RLE_base_addressx, index[0], 0);
	dwa_rle(a, DW_RLE_offset_pair, 0, 8);
	dwa_rle(a, DW_RLE_startx_endx, index[1], index[2]);
	dwa_rle(a, DW_RLE_startx_length, index[2], 0x20);
	dwa_rle(a, DW_RLE_start_end, 0x4000, 0x4010);
	dwa_rle(a, DW_RLE_start_length, 0x4020, 0x200);
	dwa_rle(a, DW_RLE_start_length, 0x4020, 0);
	dwa_rle(a, DW_RLE_startx_length, index[3], 0x20);
	dwa_rle(a, DW_RLE_base_addressx, index[3], 0);
	dwa_rle(a, DW_RLE_offset_pair, 0x10, 0x20);
	dwa_rle(a, DW_RLE_start_length, all_ones(a) - 1, 0x20);
	dwa_rle(a, DW_RLE_base_address, 0x5000, 0);
	dwa_rle(a, DW_RLE_offset_pair, 0x50, 0x60);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
}

static void new_lists(struct dwa *a)
{
	uint64_t lists[2];

	/* The first table is another unit's. */
	dwa_rnglists(a, 0);
	dwa_rnglist(a);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(a);
	dwa_rnglists(a, 0);
	lists[0] = dwa_rnglist(a);
	new_entries(a);
	lists[1] = dwa_rnglist(a);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(a);
	case_unit(a, DW_LANG_C99);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
	dwa_value(a, DW_AT_addr_base, DW_FORM_sec_offset, dwa_table_base(a));
	ranges_attribute(a, "f", lists[0]);
	ranges_attribute(a, "none", lists[1]);
	ranges_attribute(a, "outside", 0x100000);
	case_unit_end(a);
}

static void new_indexes(struct dwa *a)
{
	uint64_t base;

	dwa_rnglists(a, 1);
	dwa_rnglist(a);
	dwa_rle(a, DW_RLE_start_length, 0xdead, 1);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(a);
	base = dwa_rnglists(a, 3);
	dwa_rnglist(a);
	dwa_rle(a, DW_RLE_start_length, 0x1000, 0x10);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglist(a);
	dwa_rle(a, DW_RLE_startx_length, dwa_address(a, 0x2000), 0x10);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglist(a);
	dwa_rle(a, DW_RLE_offset_pair, 0x100, 0x180);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(a);
	case_unit(a, DW_LANG_C99);
	/* The base of the lists is an index into .debug_addr, whose base
	 * comes later in the DIE. */
	dwa_value(a, DW_AT_low_pc, DW_FORM_addrx, dwa_address(a, 0x3000));
	dwa_value(a, DW_AT_addr_base, DW_FORM_sec_offset, dwa_table_base(a));
	dwa_value(a, DW_AT_rnglists_base, DW_FORM_sec_offset, base);
	for (unsigned i = 0; i < 4; i++) {
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_value(a, DW_AT_ranges, DW_FORM_rnglistx, i);
	}
	case_unit_end(a);
}

/* A function of two ranges, with an inlined call in both. */
static void split_function(struct dwa *a)
{
	unsigned f;
	uint64_t lists[2];

	if (a->version >= 5) {
		dwa_rnglists(a, 0);
		for (unsigned i = 0; i < 2; i++) {
			lists[i] = dwa_rnglist(a);
			dwa_rle(a, DW_RLE_start_length, 0x1000 + i * 16,
				0x40 - i * 16);
			dwa_rle(a, DW_RLE_start_length, 0x9000, 0x10);
			dwa_rle(a, DW_RLE_end_of_list, 0, 0);
		}
		dwa_rnglists_end(a);
	} else {
		for (unsigned i = 0; i < 2; i++)
			lists[i] = dwa_ranges(
				a,
				(struct dwa_pair[]){
					{ 0x1000 + i * 16, 0x1040 },
					{ 0x9000, 0x9010 } },
				2);
	}
	case_unit(a, DW_LANG_C99);
	f = case_abstract(a, "f");
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "main");
	dwa_value(a, DW_AT_ranges, case_section_form(a), lists[0]);
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, f);
	dwa_value(a, DW_AT_ranges, case_section_form(a), lists[1]);
	dwa_value(a, DW_AT_call_file, DW_FORM_data1, 1);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, 4);
	dwa_end(a);
	case_unit_end(a);
}

static void thumb(struct dwa *a)
{
	const struct dwa_pair pairs[] = { { 0x1001, 0x20 } };
	uint64_t info;

	info = dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	case_function(a, "f", 0x1001, 0x100d);
	case_function(a, "one byte", 0x1010, 0x1011);
	case_unit_end(a);
	dwa_aranges(a, info, pairs, 1);
}

/* Units with a set, without a set, with two sets, with an empty set. */
static void claims(struct dwa *a)
{
	const struct dwa_pair one[] = { { 0x1000, 0x100 }, { 0x1200, 0 },
					{ 0x1300, 0x10 }, { 0, 0 },
					{ 0x1400, 0x10 } };
	const struct dwa_pair two[] = { { 0x3000, 0x10 } };
	const struct dwa_pair dead[] = { { all_ones(a), 0x10 },
					 { all_ones(a) - 0xf, 0x10 },
					 { 0x3800, 0x10 } };
	uint64_t offsets[5];

	for (unsigned i = 0; i < 5; i++) {
		offsets[i] = dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, false);
		if (i != 3)
			case_range(a, 0x10000 + 0x1000 * i,
				   0x10100 + 0x1000 * i);
		dwa_unit_end(a);
	}
	dwa_aranges(a, offsets[2], two, 1);
	dwa_aranges(a, offsets[0], one, 5);
	dwa_aranges(a, offsets[2], dead, 3);
	dwa_aranges(a, offsets[4], NULL, 0);
}

static void claims_of_lists(struct dwa *a)
{
	uint64_t list;

	if (a->version >= 5) {
		dwa_rnglists(a, 0);
		list = dwa_rnglist(a);
		dwa_rle(a, DW_RLE_offset_pair, 0, 0x10);
		dwa_rle(a, DW_RLE_start_length, 0x8000, 0x20);
		dwa_rle(a, DW_RLE_start_length, all_ones(a), 0x20);
		dwa_rle(a, DW_RLE_end_of_list, 0, 0);
		dwa_rnglists_end(a);
	} else {
		list = dwa_ranges(a,
				  (struct dwa_pair[]){ { 0, 0x10 },
						       { all_ones(a), 0x4000 },
						       { 0x4000, 0x4020 } },
				  3);
	}
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
	dwa_value(a, DW_AT_ranges, case_section_form(a), list);
	dwa_unit_end(a);
}

/* Indexes of strings, addresses and lists whose lower 32 bits are those of an
 * entry. */
static void wide_indexes(struct dwa *a)
{
	const uint64_t wide = (uint64_t)1 << 32;
	uint64_t base = dwa_rnglists(a, 1);

	dwa_rnglist(a);
	dwa_rle(a, DW_RLE_start_length, 0x3000, 0x10);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(a);
	dwa_address(a, 0x4000);
	case_unit(a, DW_LANG_C99);
	dwa_value(a, DW_AT_str_offsets_base, DW_FORM_sec_offset,
		  dwa_table_base(a));
	dwa_value(a, DW_AT_addr_base, DW_FORM_sec_offset, dwa_table_base(a));
	dwa_value(a, DW_AT_rnglists_base, DW_FORM_sec_offset, base);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_strx, "first");
	case_range(a, 0x1000, 0x1010);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_name, DW_FORM_strx, wide);
	case_range(a, 0x1010, 0x1020);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "list");
	dwa_value(a, DW_AT_ranges, DW_FORM_rnglistx, wide);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "address");
	dwa_value(a, DW_AT_low_pc, DW_FORM_addrx, wide);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data1, 0x10);
	case_function(a, "last", 0x2000, 0x2010);
	case_unit_end(a);
}

const struct dw_case dw_range_cases[] = {
	{ .name = "indexes of more than 32 bits",
	  .first = 5,
	  .last = 5,
	  .build = wide_indexes,
	  .expected = "unit 0\n"
		      "0 fn first [1000,1010)\n"
		      "1 fn - [1010,1020)\n"
		      "2 fn last [2000,2010)\n" },
	{ .name = "forms of high_pc",
	  .first = 4, .last = 4,
	  .build = high_forms,
	  .expected = "unit 0\n"
		      "0 fn - [1000,1030)\n"
		      "1 fn - [1100,1130)\n"
		      "2 fn - [1200,1230)\n"
		      "3 fn - [1300,1330)\n"
		      "4 fn - [1400,1430)\n"
		      "5 fn - [1500,1530)\n" },
	{ .name = "forms of high_pc in DWARF 5",
	  .first = 5, .last = 5,
	  .build = high_forms,
	  .expected = "unit 0\n"
		      "0 fn - [1000,1030)\n"
		      "1 fn - [1100,1130)\n"
		      "2 fn - [1200,1230)\n"
		      "3 fn - [1300,1330)\n"
		      "4 fn - [1400,1430)\n"
		      "5 fn - [1500,1530)\n"
		      "6 fn - [1600,1630)\n" },
	{ .name = "indexed addresses",
	  .first = 5, .last = 5,
	  .build = indexed,
	  .expected = "unit 0\n"
		      "0 fn - [1000,1030)\n"
		      "1 fn - [2000,2030)\n"
		      "2 fn - [3000,3030)\n"
		      "3 fn - [4000,4030)\n"
		      "4 fn - [8000,8040)\n" },
	{ .name = "no code",
	  .first = 2, .last = 5,
	  .build = no_code,
	  .expected = "unit 0\n"
		      "0 fn at zero [0,10)\n"
		      "1 fn near the end [%ffffe000,%ffffe010)\n" },
	{ .name = "lengths of dropped code",
	  .first = 4, .last = 5,
	  .build = dead_lengths,
	  .expected = "unit 0\n" },
	{ .name = "base of .debug_ranges in DW_AT_entry_pc",
	  .first = 3, .last = 4,
	  .build = entry_base,
	  .expected = "unit 0\n0 fn f [5010,5018)\n" },
	{ .name = "lists of .debug_ranges",
	  .first = 3, .last = 4,
	  .build = old_lists,
	  .expected = "unit 0\n"
		      "0 fn plain [1000,1010) [900,910) [1100,1108)\n"
		      "1 fn bases [20,30) [8010,8018) [10,18)\n"
		      "2 fn dead [4000,4020)\n"
		      "3 fn both [2000,2010)\n"
		      "4 fn low [1000,1010) [900,910) [1100,1108)\n" },
	{ .name = "base of .debug_ranges",
	  .first = 3, .last = 4,
	  .build = old_base,
	  .expected = "unit 0\n"
		      "0 fn f [5000,5010) [5020,5030)\n"
		      "unit 1\n"
		      "claim 0 [5000,5010)\n"
		      "claim 0 [5020,5030)\n" },
	{ .name = "sums that wrap",
	  .first = 3, .last = 4,
	  .build = old_wrap,
	  .expected = "unit 0\n0 fn f [1000,1010)\n" },
	{ .name = "lists of .debug_rnglists",
	  .first = 5, .last = 5,
	  .build = new_lists,
	  .expected = "unit 0\n"
		      "0 fn f [1010,1020) [2010,2020) [2300,3000) [3000,3008) "
		      "[3100,3180) [3180,31a0) [4000,4010) [4020,4220) "
		      "[5050,5060)\n" },
	{ .name = "indexed lists",
	  .first = 5, .last = 5,
	  .build = new_indexes,
	  .expected = "unit 0\n"
		      "0 fn - [1000,1010)\n"
		      "1 fn - [2000,2010)\n"
		      "2 fn - [3100,3180)\n" },
	{ .name = "split function",
	  .first = 3, .last = 5,
	  .build = split_function,
	  .expected = "unit 0\n"
		      "0 fn main [1000,1040) [9000,9010)\n"
		      "1 in 0 f call 1:4 [1010,1040) [9000,9010)\n" },
	{ .name = "bit 0 of code addresses",
	  .first = 2, .last = 5,
	  .build = thumb,
	  .code_bit0 = true,
	  .expected = "unit 0\n"
		      "0 fn f [1000,100c)\n"
		      "claim 0 [1000,1020)\n" },
	{ .name = "claims",
	  .first = 2, .last = 5,
	  .build = claims,
	  .expected = "unit 0\nunit 1\nunit 2\nunit 3\nunit 4\n"
		      "claim 0 [1000,1100)\n"
		      "claim 0 [1300,1310)\n"
		      "claim 0 [1400,1410)\n"
		      "claim 1 [11000,11100)\n"
		      "claim 2 [3000,3010)\n"
		      "claim 2 [3800,3810)\n" },
	{ .name = "claims of lists",
	  .first = 3, .last = 5,
	  .build = claims_of_lists,
	  .expected = "unit 0\n"
		      "claim 0 [1000,1010)\n"
		      "claim 0 [8000,8020)\n" },
	{ .name = NULL },
};
