/* SPDX-License-Identifier: MIT */
/*
 * What a table does not say of itself, and the inline trees have to tell: they
 * make sense if it is right, and none if it is not.
 */
#include "go/pclntab.h"

enum {
	/** Trees to look at, and entries of each. */
	TREES = 2000,
	ENTRIES = 64,
};

/* Of the tree whose entries INDEXES refers to, of a function F of SIZE bytes:
 * 1 if it is sound, -10 if not, 0 if there is no entry. */
static int judge(const struct gsym_pclntab *t, const struct pclntab_function *f,
		 uint32_t size, struct pclntab_list *indexes)
{
	int32_t last = -1;

	if (gsym_pclntab_list(t, gsym_pclntab_tree_list(t, f), size,
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

/* Whether more trees than a few are sound.  As functions over each other do
 * not count, no more is read than there is code for. */
static bool makes_sense(const struct gsym_pclntab *t)
{
	struct pclntab_list indexes = { 0 };
	int64_t points = 0;
	uint64_t end = 0;

	for (uint64_t i = 0, trees = 0; i < t->count && trees < TREES; i++) {
		struct pclntab_function f;
		int result;

		if (!gsym_pclntab_function(t, i, &f) || f.limit <= f.start ||
		    f.start < end || f.limit - f.start > UINT32_MAX ||
		    !gsym_memory_is_code(t->memory, f.start, f.limit) ||
		    !gsym_pclntab_tree_list(t, &f))
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

/* Whether a number of 32 bits, in all functions, has its highest byte in
 * use: then it is none, but several fields (Go 1.12). */
static bool has_bytes(const struct gsym_pclntab *t)
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
	/* In big endian the count comes last, so it reads the same. */
	bool little = t->swap == GSYM_HOST_BIG_ENDIAN;
	bool bytes = has_bytes(t);

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].wide ? bytes : !bytes && little)
			continue;
		t->wide_count = layouts[i].wide;
		t->tree = layouts[i].tree;
		t->tree_pcdata = layouts[i].pcdata;
		t->tree_funcdata = layouts[i].funcdata;
		if (makes_sense(t))
			return;
	}
	t->tree = PCLNTAB_TREE_NONE;
}

/* ---- since Go 1.26 ----------------------------------------------------- */

/* The trees come next after the records, aligned as the processor has it. */
static void find_trees(struct gsym_pclntab *t)
{
	uint64_t end = gsym_pclntab_records_end(t);

	if (!end)
		return;
	t->has_trees = true;
	for (unsigned align = 4; align <= 32; align *= 2) {
		t->trees = (t->address + end + align - 1) & -(uint64_t)align;
		if (makes_sense(t))
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
