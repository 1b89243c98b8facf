/* SPDX-License-Identifier: MIT */
/*
 * create/witness.c - gsym-create --verify: compares an image with another one
 * that was made of the symbols and of .eh_frame alone.
 *
 * The two readers of DWARF share their rules, so they agree where a rule is
 * wrong.  Symbols and the table for unwinding are other witnesses of where
 * functions are and how they are called.  At the start of each symbol the image
 * has to have a function of that name, or of another name of that place; where
 * the table has a function without a symbol, the image may not be in the middle
 * of another function.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gsym/reader.h>

#include "base/symbol_name.h"
#include "create/create.h"

/* Whether the symbol F, or another symbol with its range, stands for NAME. */
static bool stands_for(struct gsym_function *f, const char *name)
{
	struct gsym_function alias;

	if (gsym_symbol_stands_for(f->name, name))
		return true;
	for (uint32_t i = 0; i < f->merged_count; i++)
		if (gsym_merged_at(f, i, &alias, NULL) == GSYM_OK &&
		    gsym_symbol_stands_for(alias.name, name))
			return true;
	return false;
}

/* Whether F is of the table for unwinding alone. */
static bool is_nameless(const struct gsym_function *f)
{
	return !strcmp(f->name, "??");
}

/* Compare the function G of the image, which is around the start of F, with F,
 * a symbol. */
static bool agrees(struct gsym_function *f, const struct gsym_function *g)
{
	if (g->start == f->start && is_nameless(f))
		return true;
	/* A function that has no name may have any. */
	return is_nameless(g) || (!is_nameless(f) && stands_for(f, g->name));
}

/* Set *RET to function AT of IMAGE, the last one that begins at ADDRESS or
 * before, if ADDRESS lies in it. */
static bool find_around(const struct gsym_reader *image, uint32_t at,
			uint64_t address, struct gsym_function *ret)
{
	return gsym_function_at(image, at, ret, NULL) == GSYM_OK &&
	       ret->start <= address &&
	       address - ret->start < (ret->size ? ret->size : 1);
}

void witness_compare(const struct gsym_reader *first,
		     const struct gsym_reader *symbols, compare_fn *report,
		     void *context, struct compare_result *result)
{
	uint32_t count = gsym_function_count(first), at = 0;

	for (uint32_t i = 0; i < gsym_function_count(symbols); i++) {
		struct gsym_function f, g;
		bool found;

		if (gsym_function_at(symbols, i, &f, NULL) != GSYM_OK ||
		    !f.size)
			continue;
		while (at + 1 < count &&
		       gsym_address_at(first, at + 1) <= f.start)
			at++;
		found = find_around(first, at, f.start, &g);
		if (found ? agrees(&f, &g) : is_nameless(&f))
			continue;
		result->differences++;
		result->kinds[COMPARE_SYMBOL]++;
		if (report)
			report(context, &(struct compare_difference){
						.kind = COMPARE_SYMBOL,
						.address = f.start,
						.function = found ? g.name : "",
						.first = found ? g.name
							       : "nothing",
						.second = f.name,
					});
	}
}
