/* SPDX-License-Identifier: MIT */
/* The decisions that both readers of DWARF share.  A mistake here is made by
 * both readers, so that comparing them does not find it. */
#include "dwarf/policy.h"
#include "dwarf/sections.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

Test(policy, contexts_are_five_tags)
{
	static const unsigned contexts[] = {
		DW_TAG_namespace,  DW_TAG_class_type, DW_TAG_structure_type,
		DW_TAG_union_type, DW_TAG_subprogram,
	};
	unsigned count = 0;

	for (unsigned tag = 0; tag <= 0xffff; tag++)
		count += gsym_dw_is_context(tag);
	cr_expect_eq(count, 5);
	for (size_t i = 0; i < sizeof(contexts) / sizeof(*contexts); i++)
		cr_expect(gsym_dw_is_context(contexts[i]));
}

/* "[start,end)" of each range; "" for none. */
static const char *range_text(const struct gsym_range_set *ranges)
{
	static char text[256];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < ranges->count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "[%" PRIx64 ",%" PRIx64 ")",
				       ranges->items[i].start,
				       ranges->items[i].end);
	return text;
}

/* The ranges after [START, END), relative to BASE if IS_RELATIVE, was added. */
static const char *add(struct dw_code code, uint64_t base, bool is_relative,
		       uint64_t start, uint64_t end)
{
	struct gsym_range_set ranges = { 0 };
	struct dw_range_list list = { code, base, &ranges, NULL, false };
	const char *text;

	cr_assert(is_relative ? gsym_dw_range_add_relative(&list, start, end)
			      : gsym_dw_range_add(&list, start, end));
	text = range_text(&ranges);
	gsym_vec_fini(&ranges);
	return text;
}

Test(policy, ranges)
{
	static const struct dw_code wide = { 8, false }, narrow = { 4, false },
				    thumb = { 4, true };

	cr_expect_str_eq(add(wide, 0, false, 0x10, 0x20), "[10,20)");
	cr_expect_str_eq(add(wide, 0, false, 0x10, 0x10), "");
	cr_expect_str_eq(add(wide, 0, false, 0x20, 0x10), "");
	/* Tombstones. */
	cr_expect_str_eq(add(wide, 0, false, UINT64_MAX - 1, UINT64_MAX), "");
	cr_expect_str_eq(add(narrow, 0, false, UINT32_MAX - 1, UINT32_MAX), "");
	cr_expect_str_eq(add(wide, 0, false, UINT32_MAX - 1, UINT32_MAX),
			 "[fffffffe,ffffffff)");
	/* The instruction set bit is removed before ranges are compared. */
	cr_expect_str_eq(add(thumb, 0, false, 0x11, 0x21), "[10,20)");
	cr_expect_str_eq(add(thumb, 0, false, 0x10, 0x11), "");
	cr_expect_str_eq(add(narrow, 0, false, 0x11, 0x21), "[11,21)");
	/* Addresses relative to a base wrap around. */
	cr_expect_str_eq(add(wide, 0x1000, true, 0x10, 0x20), "[1010,1020)");
	cr_expect_str_eq(add(wide, 0x1000, false, 0x10, 0x20), "[10,20)");
	cr_expect_str_eq(add(narrow, 0x1000, true, 0xfffff800, 0xfffff900),
			 "[800,900)");
	cr_expect_str_eq(add(wide, UINT64_MAX, true, 0x10, 0x20), "");
	cr_expect_str_eq(add(wide, UINT64_MAX - 1, true, 0x10, 0x20), "");
	cr_expect_str_eq(add(wide, 2, true, UINT64_MAX - 1, UINT64_MAX), "");
}

Test(policy, claims)
{
	static const struct dw_code thumb = { 4, true };
	struct dw_claims claims = { 0 };

	cr_assert(gsym_dw_claim_add(&claims, 7, thumb, 0x11, 0x21));
	cr_assert(gsym_dw_claim_add(&claims, 7, thumb, 0x10, 0x10));
	cr_assert(gsym_dw_claim_add(&claims, 7, thumb, UINT32_MAX, 5));
	cr_assert_eq(claims.count, 1);
	cr_expect_eq(claims.items[0].range.start, 0x10);
	cr_expect_eq(claims.items[0].range.end, 0x20);
	cr_expect_eq(claims.items[0].unit, 7);
	gsym_vec_fini(&claims);
}

Test(policy, addresses_of_data)
{
	uint64_t at;

	cr_expect(gsym_dw_data_address(0x2000, 8, 8, &at) && at == 0x2008);
	/* Data addresses have no instruction set bit, and wrap around. */
	cr_expect(gsym_dw_data_address(0x2001, 0, 4, &at) && at == 0x2001);
	cr_expect(gsym_dw_data_address(0xfffffff0, 0x20, 4, &at) && at == 0x10);
	cr_expect(!gsym_dw_data_address(UINT32_MAX, 0x20, 4, &at));
	cr_expect(!gsym_dw_data_address(UINT64_MAX - 1, 0, 8, &at));
}

Test(policy, constants_of_more_than_32_bits_are_missing)
{
	static const struct dw_constant absent = { false, false, 5 },
					odd = { true, false, 5 },
					last = { true, true, UINT32_MAX },
					large = { true, true,
						  UINT64_C(1) << 32 };

	cr_expect_eq(gsym_dw_constant_u32(&absent, 9), 9);
	cr_expect_eq(gsym_dw_constant_u32(&odd, 9), 9);
	cr_expect_eq(gsym_dw_constant_u32(&last, 9), UINT32_MAX);
	cr_expect_eq(gsym_dw_constant_u32(&large, 9), 9);
}

Test(policy, a_linkage_name_is_preferred_wherever_it_stands)
{
	struct dw_name name = { NULL, false };

	cr_expect(!gsym_dw_name_choose(&name, NULL, NULL));
	cr_expect(!gsym_dw_name_choose(&name, "", ""));
	cr_expect_null(name.text);
	cr_expect(!gsym_dw_name_choose(&name, NULL, "first"));
	cr_expect(!gsym_dw_name_choose(&name, NULL, "second"));
	cr_expect_str_eq(name.text, "first");
	cr_expect(!name.linkage);
	cr_expect(gsym_dw_name_choose(&name, "_Z5thirdv", "third"));
	cr_expect_str_eq(name.text, "_Z5thirdv");
	cr_expect(name.linkage);
}

Test(policy, the_cold_part_of_strict_dwarf_2_has_the_name_of_its_function)
{
	struct dw_name name = { NULL, false };

	cr_expect(!gsym_dw_name_choose(&name, NULL, "__second_sect_of_main"));
	cr_expect_str_eq(name.text, "main");
	name.text = NULL;
	cr_expect(!gsym_dw_name_choose(&name, NULL, "__second_sect_of_"));
	cr_expect_str_eq(name.text, "__second_sect_of_");
}

Test(policy, a_declaration_is_the_first_file_and_the_first_line)
{
	static const struct dw_constant none = { false, false, 0 },
					two = { true, true, 2 },
					three = { true, true, 3 },
					odd = { true, false, 0 };
	struct dw_declaration_choice choice = DW_NO_DECLARATION;

	cr_expect(!gsym_dw_declaration_choose(&choice, &none, &none, true));
	cr_expect_eq(choice.found.file, DW_NO_FILE);
	cr_expect_eq(choice.found.line, 0);
	cr_expect(!gsym_dw_declaration_choose(&choice, &none, &two, true));
	cr_expect(gsym_dw_declaration_choose(&choice, &two, &three, true));
	cr_expect_eq(choice.found.file, 2);
	cr_expect_eq(choice.found.line, 2);
	/* After a file of another unit, or a form that is no constant, the
	 * search ends without a declaration. */
	choice = DW_NO_DECLARATION;
	cr_expect(!gsym_dw_declaration_choose(&choice, &two, &none, false));
	cr_expect(gsym_dw_declaration_choose(&choice, &three, &odd, true));
	cr_expect_eq(choice.found.file, DW_NO_FILE);
	cr_expect_eq(choice.found.line, 0);
}

/* "directory|name" of a file of a line table. */
static const char *file_text(unsigned version, const char *comp_dir,
			     uint64_t index, const char *directory,
			     const char *name)
{
	struct dw_file_parts parts = { version, comp_dir, index, directory,
				       name };
	struct dw_unit unit = { 0 };
	static char text[256];
	struct dw_file file;

	cr_assert(gsym_dw_make_file(&unit, &parts, &file));
	snprintf(text, sizeof(text), "%s|%s",
		 file.directory ? file.directory : "", file.basename);
	gsym_dw_unit_fini(&unit);
	return text;
}

Test(policy, files)
{
	cr_expect_str_eq(file_text(4, "/c", 1, "d", "a.c"), "/c/d|a.c");
	cr_expect_str_eq(file_text(4, "/c", 1, "d", "e/a.c"), "/c/d/e|a.c");
	cr_expect_str_eq(file_text(4, "/c", 1, "/d/", "e/a.c"), "/d/e|a.c");
	cr_expect_str_eq(file_text(4, "/c", 1, "d", "/a.c"), "/|a.c");
	cr_expect_str_eq(file_text(4, "/c", 0, NULL, "a.c"), "/c|a.c");
	cr_expect_str_eq(file_text(4, NULL, 0, NULL, "a.c"), "|a.c");
	cr_expect_str_eq(file_text(4, "/c", 1, "C:\\d", "a.c"), "C:\\d|a.c");
	/* Directory 0 is the compilation directory from version 5 on. */
	cr_expect_str_eq(file_text(5, "/c", 0, "d", "a.c"), "d|a.c");
	cr_expect_str_eq(file_text(5, "/c", 1, "d", "a.c"), "/c/d|a.c");
	cr_expect_str_eq(file_text(4, "/c", 0, "d", "a.c"), "/c/d|a.c");
	cr_expect_str_eq(file_text(5, "/c", 0, NULL, "a.c"), "/c|a.c");
}

/* An absolute directory is not joined with the compilation directory. */
Test(policy, absolute_paths)
{
	static const struct {
		const char *directory;
		bool absolute;
	} cases[] = {
		{ "/d", true },	  { "\\d", true },  { "C:\\d", true },
		{ "C:/d", true }, { "a:/", true },  { "z:\\", true },
		{ "A:/", true },  { "Z:/", true },  { "@:/", false },
		{ "[:/", false }, { "`:/", false }, { "{:/", false },
		{ "1:/", false }, { "C:d", false }, { "C:d/", false },
		{ "C/:", false }, { "d", false },   { "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *directory = cases[i].directory;
		char text[64];

		snprintf(text, sizeof(text), "%s%s%s|a.c",
			 cases[i].absolute ? "" : "/c",
			 cases[i].absolute || !*directory ? "" : "/",
			 directory);
		cr_expect_str_eq(file_text(4, "/c", 1, directory, "a.c"), text);
	}
	cr_expect_str_eq(file_text(4, "C:\\c", 1, "\\\\s\\d", "a.c"),
			 "\\\\s\\d|a.c");
	cr_expect_str_eq(file_text(4, "C:\\c", 0, NULL, "\\\\s\\a.c"),
			 "|\\\\s\\a.c");
	cr_expect_str_eq(file_text(4, "C:\\c", 0, NULL, "d\\a.c"),
			 "C:\\c|d\\a.c");
	cr_expect_str_eq(file_text(4, "C:\\c", 1, "d", "a.c"), "C:\\c/d|a.c");
	cr_expect_str_eq(file_text(4, "/c", 1, "/d", "C:/a.c"), "C:|a.c");
	cr_expect_str_eq(file_text(4, "/c", 1, "/d", "\\a.c"), "|\\a.c");
	/* Without a compilation directory, or with an empty one. */
	cr_expect_str_eq(file_text(4, NULL, 1, "d", "a.c"), "d|a.c");
	cr_expect_str_eq(file_text(4, "", 1, "d", "a.c"), "d|a.c");
	cr_expect_str_eq(file_text(4, "", 1, "d", "e/a.c"), "d/e|a.c");
	cr_expect_str_eq(file_text(4, "/c/", 1, "d/", "a.c"), "/c/d/|a.c");
}

/* Names that are in angle brackets, as those of lambdas and of namespaces
 * without a name, are no templates. */
Test(policy, contexts_in_angle_brackets)
{
	static const struct {
		const char *context, *joined;
	} cases[] = {
		{ "ns", "ns::f" },	{ "<lambda>", "{lambda}::f" },
		{ "<>", "{}::f" },	{ "<", "<::f" },
		{ ">", ">::f" },	{ "<a", "<a::f" },
		{ "a<b>", "a<b>::f" },	{ "<a>b", "<a>b::f" },
	};
	struct dw_unit unit = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_str_eq(gsym_dw_qualify(&unit, cases[i].context, "f"),
				 cases[i].joined);
	/* Beyond the budget a name is not qualified. */
	unit.work = (struct gsym_budget){ .limit = 2 };
	cr_expect_str_eq(gsym_dw_qualify(&unit, "ns", "f"), "f");
	gsym_dw_unit_fini(&unit);
}

/* DW_LANG_* as dwarfstd.org lists them, from C++ to C++23. */
Test(policy, languages)
{
	static const unsigned cplusplus[] = { 0x04, 0x11, 0x19, 0x1a,
					      0x21, 0x2a, 0x2b, 0x3a };
	static const unsigned c[] = { 0x01, 0x02, 0x0c, 0x1d, 0x2c, 0x3e };
	size_t next = 0, next_c = 0;

	for (unsigned language = 0; language < 0x10000; language++) {
		bool is_cplusplus = next < 8 && language == cplusplus[next];
		bool is_c = next_c < 6 && language == c[next_c];

		cr_expect_eq(gsym_dw_language_is_cplusplus(language),
			     is_cplusplus, "0x%x", language);
		cr_expect_eq(gsym_dw_class_code(language, NULL),
			     is_c ? DW_CLASS_CODE_NONE : DW_CLASS_CODE_ALL,
			     "0x%x", language);
		cr_expect_eq(gsym_dw_class_code(language, "GNU C++17 12.2.0"),
			     is_c	    ? DW_CLASS_CODE_NONE
			     : is_cplusplus ? DW_CLASS_CODE_LOCAL
					    : DW_CLASS_CODE_ALL,
			     "0x%x", language);
		cr_expect_eq(gsym_dw_class_code(language, "clang version 14"),
			     is_c ? DW_CLASS_CODE_NONE : DW_CLASS_CODE_ALL,
			     "0x%x", language);
		next += is_cplusplus;
		next_c += is_c;
	}
}
