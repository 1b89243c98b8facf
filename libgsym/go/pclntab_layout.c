/* SPDX-License-Identifier: MIT */
/*
 * Finds out by trial the layout of a table that does not tell it.  With the
 * right layout the inline trees are sound; with a wrong one they are not.
 */
#include "go/pclntab.h"

enum {
	TREES = 2000, /**< trees to look at */
	ENTRIES = 64, /**< entries to look at in each */
};

/* Points for the layout from the inline tree of F, which has SIZE bytes: 1 if
 * the tree is sound, -10 if not, 0 if it has no entry.  INDEXES is scratch. */
static int judge(const struct gsym_pclntab *t, const struct pclntab_function *f,
		 uint32_t size, struct pclntab_values *indexes)
{
	int32_t last = -1;

	if (gsym_pclntab_values(t, gsym_pclntab_tree_values(t, f), size,
				indexes) != PCLNTAB_OK)
		return -10;
	for (size_t i = 0; i < indexes->count; i++)
		if (indexes->items[i].value > last)
			last = indexes->items[i].value;
	for (int32_t i = 0; i <= last && i < ENTRIES; i++) {
		struct pclntab_call call;

		if (!gsym_pclntab_call(t, gsym_pclntab_tree(t, f), (uint32_t)i,
				       size, &call) ||
		    call.line > INT32_MAX || call.start_line > INT32_MAX ||
		    (t->tree != PCLNTAB_TREE_C && !call.line))
			return -10;
	}
	return last >= 0;
}

/* Whether there are sound trees, and more than ten times as many as unsound
 * ones.  Functions that overlap an earlier one are skipped, so that the time is
 * bounded by the size of the code. */
static bool trees_are_sound(const struct gsym_pclntab *t)
{
	struct pclntab_values indexes = { 0 };
	int64_t points = 0;
	uint64_t end = 0;

	for (uint64_t i = 0, trees = 0; i < t->count && trees < TREES; i++) {
		struct pclntab_function f;
		int result;

		if (!gsym_pclntab_function(t, i, &f) || f.limit <= f.start ||
		    f.start < end || f.limit - f.start > UINT32_MAX ||
		    !gsym_memory_is_code(t->memory, f.start, f.limit) ||
		    !gsym_pclntab_tree_values(t, &f))
			continue;
		end = f.limit;
		result = judge(t, &f, (uint32_t)(f.limit - f.start), &indexes);
		points += result;
		trees += result != 0;
	}
	gsym_vec_fini(&indexes);
	return points > 0;
}

/* ---- the era 1.2 ------------------------------------------------------- */

/* Whether the last 4 bytes of the records are several fields of a byte each, as
 * since Go 1.12, and not one number: then in some function the highest byte of
 * the number is not 0. */
static bool has_byte_fields(const struct gsym_pclntab *t)
{
	struct gsym_pclntab wide = *t;
	struct pclntab_function f;

	wide.wide_count = true;
	for (uint64_t i = 0; i < t->count; i++)
		if (gsym_pclntab_function(&wide, i, &f) &&
		    f.funcdata_count >> 24)
			return true;
	return false;
}

/* Find the layout of the records and the trees. */
static void find_fields(struct gsym_pclntab *t)
{
	static const struct layout {
		bool wide;
		enum pclntab_tree tree;
		uint8_t pcdata, funcdata;
	} layouts[] = {
		{ false, PCLNTAB_TREE_B, 2, 4 }, /* 1.13 to 1.15 */
		{ false, PCLNTAB_TREE_B, 1, 2 }, /* 1.12 */
		{ true, PCLNTAB_TREE_A, 1, 2 },  /* 1.9 to 1.11 */
	};
	/* In big-endian tables the count is the last byte of either layout, and
	 * reads the same. */
	bool little = t->swap == GSYM_HOST_BIG_ENDIAN;
	bool bytes = has_byte_fields(t);

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].wide ? bytes : !bytes && little)
			continue;
		t->wide_count = layouts[i].wide;
		t->tree = layouts[i].tree;
		t->tree_pcdata = layouts[i].pcdata;
		t->tree_funcdata = layouts[i].funcdata;
		if (trees_are_sound(t))
			return;
	}
	t->tree = PCLNTAB_TREE_NONE;
}

/* ---- since Go 1.26 ----------------------------------------------------- */

/* Find the address of the trees: they follow the records, at an alignment that
 * depends on the processor. */
static void find_trees(struct gsym_pclntab *t)
{
	uint64_t end = gsym_pclntab_records_end(t);

	if (!end)
		return;
	t->has_trees = true;
	for (unsigned align = 4; align <= 32; align *= 2) {
		t->trees = (t->address + end + align - 1) & -(uint64_t)align;
		if (trees_are_sound(t))
			return;
	}
	t->has_trees = false;
}

void gsym_pclntab_find_layout(struct gsym_pclntab *t)
{
	if (t->era == PCLNTAB_1_2)
		find_fields(t);
	else if (t->era == PCLNTAB_1_20 && !t->header_text && !t->has_trees)
		find_trees(t);
}
