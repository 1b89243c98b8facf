/* SPDX-License-Identifier: MIT */
/*
 * Finds symbols by the names that a debug map has for them.
 *
 * ThinLTO adds ".llvm." and digits to the names of local symbols that other
 * modules use.  Linkers leave this suffix out of the debug map, and dsymutil
 * looks for such a name among the symbols that have one.
 */
#include "convert/convert.h"

static int by_name(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;
	int order = strcmp(x->name, y->name);

	/* Of equal names, the name of the first symbol in the table comes
	 * first. */
	return order ? order : GSYM_ORDER(x, y);
}

/* The length of NAME without a suffix of ThinLTO; 0 if NAME has none. */
static size_t stem_length(const char *name)
{
	static const char suffix[] = ".llvm.";
	const size_t size = sizeof(suffix) - 1;
	size_t end = strlen(name), digits = end;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits == end || digits < size ||
	    memcmp(name + digits - size, suffix, size) != 0)
		return 0;
	return digits - size;
}

/* Compare the stem of SYMBOL, which has a suffix, with the LENGTH characters
 * of NAME. */
static int compare_stem(const struct gsym_symbol *symbol, const char *name,
			size_t length)
{
	size_t stem = stem_length(symbol->name);
	int order = memcmp(symbol->name, name, stem < length ? stem : length);

	return order ? order : GSYM_ORDER(stem, length);
}

static int by_stem(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;

	return compare_stem(x, y->name, stem_length(y->name));
}

bool gsym_by_name_init(struct gsym_by_name *b, const struct gsym_container *c)
{
	*b = (struct gsym_by_name){ 0 };
	if (!gsym_vec_reserve(&b->names, c->symbols.count + 1))
		return false;
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];
		const struct gsym_symbol **stem;

		*gsym_vec_push(&b->names) = s;
		if (!stem_length(s->name))
			continue;
		stem = gsym_vec_push(&b->stems);
		if (!stem)
			return false;
		*stem = s;
	}
	qsort(b->names.items, b->names.count, sizeof(*b->names.items), by_name);
	if (b->stems.count)
		qsort(b->stems.items, b->stems.count, sizeof(*b->stems.items),
		      by_stem);
	return true;
}

void gsym_by_name_fini(struct gsym_by_name *b)
{
	gsym_vec_fini(&b->names);
	gsym_vec_fini(&b->stems);
}

/* The symbol with the stem NAME; NULL if there is none, or if there are
 * several, which the debug map does not tell apart. */
static const struct gsym_symbol *find_stem(const struct gsym_by_name *b,
					   const char *name)
{
	size_t length = strlen(name);
	size_t found = GSYM_FIRST(
		i, 0, b->stems.count,
		compare_stem(b->stems.items[i], name, length) >= 0);
	size_t end = found;

	while (end < b->stems.count && end < found + 2 &&
	       !compare_stem(b->stems.items[end], name, length))
		end++;
	return end == found + 1 ? b->stems.items[found] : NULL;
}

const struct gsym_symbol *gsym_by_name_find(const struct gsym_by_name *b,
					    const char *name)
{
	size_t found = GSYM_FIRST(i, 0, b->names.count,
				  strcmp(b->names.items[i]->name, name) >= 0);

	return found < b->names.count &&
			       !strcmp(b->names.items[found]->name, name)
		       ? b->names.items[found]
		       : find_stem(b, name);
}
