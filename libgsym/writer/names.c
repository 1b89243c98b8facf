/* SPDX-License-Identifier: MIT */
/* Rule 2 of gsym/builder.h: which of the names (aliases) of one address a
 * record gets. */
#include "writer/state.h"

static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) ||
	       !strncmp(name, "$s", 2) || *name == '?';
}

/* Whether SHAPE's name is from a symbol table, not from debug info. */
static bool is_symbol(const struct gsym_shape *shape)
{
	return shape->rank < GSYM_RANK_FUNCTION ||
	       shape->name_kind >= GSYM_NAME_SYMBOL_LOCAL;
}

/* Whether NAME is WHOLE and a suffix after a dot: "f.cold" for "f". */
static bool is_part(const char *name, const char *whole)
{
	size_t length = strlen(whole);

	return !strncmp(name, whole, length) && name[length] == '.' &&
	       name[length + 1];
}

/* Whether the symbol A has a better name than the symbol C: sized symbols
 * before labels, then global before weak before local, then without a version
 * (@) before with a version, then the name that sorts first. */
static bool is_better(const struct gsym_builder *b, const struct gsym_shape *a,
		      const struct gsym_shape *c)
{
	const char *name_a = w_text(b, a->name), *name_c = w_text(b, c->name);
	int order = GSYM_ORDER(a->rank == GSYM_RANK_LABEL,
			       c->rank == GSYM_RANK_LABEL);

	if (!order)
		order = GSYM_ORDER(c->name_kind, a->name_kind);
	if (!order)
		order = !!strchr(name_a, '@') - !!strchr(name_c, '@');
	if (!order)
		order = strcmp(name_a, name_c);
	return order < 0;
}

enum wanted {
	ANY,
	PART, /* a part of WHOLE, as is_part defines it */
	MANGLED,
};

/* The symbol of GROUP with the best name of the WANTED kind; NULL if there is
 * none.  WHOLE is for PART alone. */
static const struct gsym_shape *best_symbol(const struct gsym_builder *b,
					    struct gsym_shape *const *group,
					    size_t count, enum wanted wanted,
					    const char *whole)
{
	const struct gsym_shape *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct gsym_shape *shape = group[i];
		const char *name = w_text(b, shape->name);

		/* Labels do not name parts of functions: clang puts a label
		 * (f.__part.2) at each basic block that gets a section of its
		 * own. */
		if (!shape->name || !is_symbol(shape) ||
		    (wanted == PART && (shape->rank == GSYM_RANK_LABEL ||
					!is_part(name, whole))) ||
		    (wanted == MANGLED && !is_mangled(name)))
			continue;
		if (!found || is_better(b, shape, found))
			found = shape;
	}
	return found;
}

uint32_t gsym_writer_choose_name(const struct gsym_builder *b,
				 struct gsym_shape *const *group, size_t count)
{
	const struct gsym_shape *winner = group[0], *found = NULL;
	const char *name = w_text(b, winner->name);

	if (winner->rank == GSYM_RANK_FUNCTION && winner->name) {
		found = best_symbol(b, group, count, PART, name);
		if (!found && winner->name_kind != GSYM_NAME_LINKAGE &&
		    !is_mangled(name))
			found = best_symbol(b, group, count, MANGLED, NULL);
		return found ? found->name : winner->name;
	}
	found = best_symbol(b, group, count, ANY, NULL);
	if (found)
		return found->name;
	/* No symbol: take the name of the first other function, by rule 1. */
	for (size_t i = 1; i < count; i++)
		if (group[i]->name &&
		    (!found ||
		     gsym_writer_compare_records(b, group[i], found) < 0))
			found = group[i];
	return found ? found->name : 0;
}
