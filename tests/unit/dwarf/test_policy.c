/* SPDX-License-Identifier: MIT */
/* The decisions that both readers of DWARF share.  A mistake here is made by
 * both readers, so that comparing them does not find it. */
#include "dwarf/contexts.h"
#include "dwarf/policy.h"

#include <criterion/criterion.h>
#include <dwarf.h>

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

/* A namespace of two classes, the first with a function; a block is none. */
Test(policy, innermost_context)
{
	static const struct {
		uint64_t die;
		unsigned depth, tag;
		bool children;
	} dies[] = {
		{ 0x10, 0, DW_TAG_compile_unit, true },
		{ 0x20, 1, DW_TAG_namespace, true },
		{ 0x30, 2, DW_TAG_class_type, true },
		{ 0x40, 3, DW_TAG_subprogram, true },
		{ 0x50, 4, DW_TAG_lexical_block, true },
		{ 0x60, 5, DW_TAG_variable, false },
		{ 0x70, 3, DW_TAG_subprogram, false },
		{ 0x78, 3, DW_TAG_member, false },
		{ 0x80, 2, DW_TAG_structure_type, true },
		{ 0x90, 3, DW_TAG_member, false },
		{ 0xa0, 1, DW_TAG_variable, false },
	};
	static const struct {
		uint64_t die, context;
	} expected[] = {
		{ 0x10, 0 },	{ 0x20, 0 },	{ 0x30, 0x20 }, { 0x40, 0x30 },
		{ 0x50, 0x40 }, { 0x60, 0x40 }, { 0x70, 0x30 }, { 0x80, 0x20 },
		{ 0x78, 0x30 }, { 0x90, 0x80 }, { 0xa0, 0 },	{ 0xb0, 0 },
	};
	struct dw_contexts contexts = { 0 };

	for (size_t i = 0; i < sizeof(dies) / sizeof(*dies); i++)
		cr_assert(dw_contexts_visit(&contexts, dies[i].die,
					    dies[i].depth, dies[i].tag,
					    dies[i].children));
	gsym_dw_contexts_end(&contexts, 0xc0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		cr_expect_eq(gsym_dw_contexts_find(&contexts, expected[i].die),
			     expected[i].context);
	gsym_dw_contexts_fini(&contexts);
}

/* Contexts that are open at the end of the walk reach to the unit's end. */
Test(policy, open_contexts_end_with_the_unit)
{
	struct dw_contexts contexts = { 0 };

	cr_assert(
		dw_contexts_visit(&contexts, 0x20, 1, DW_TAG_namespace, true));
	cr_assert(
		dw_contexts_visit(&contexts, 0x30, 2, DW_TAG_union_type, true));
	gsym_dw_contexts_end(&contexts, 0x80);
	cr_expect_eq(gsym_dw_contexts_find(&contexts, 0x7f), 0x30);
	cr_expect_eq(gsym_dw_contexts_find(&contexts, 0x80), 0);
	gsym_dw_contexts_fini(&contexts);
}
