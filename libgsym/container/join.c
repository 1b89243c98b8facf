/* SPDX-License-Identifier: MIT */
/* Joins two containers of one program. */
#include "container/container.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

bool gsym_container_same_id(const struct gsym_container *a,
			    const struct gsym_container *b)
{
	return a->uuid_size && a->uuid_size == b->uuid_size &&
	       !memcmp(a->uuid, b->uuid, a->uuid_size);
}

bool gsym_container_alike(const struct gsym_container *a,
			  const struct gsym_container *b)
{
	return a->format == b->format &&
	       !strcmp(a->architecture, b->architecture) &&
	       a->address_size == b->address_size &&
	       a->big_endian == b->big_endian;
}

static void own(struct gsym_container *to, struct gsym_container *part)
{
	while (to->part)
		to = to->part;
	to->part = part;
}

static bool is_code(const struct gsym_container_section *s)
{
	return s->loaded && s->executable && s->size;
}

static bool has_code(const struct gsym_container *c)
{
	for (size_t i = 0; i < c->sections.count; i++)
		if (is_code(&c->sections.items[i]))
			return true;
	return false;
}

/* Give TO the executable sections of FROM. */
static bool take_code(struct gsym_container *to,
		      const struct gsym_container *from)
{
	for (size_t i = 0; i < from->sections.count; i++) {
		const struct gsym_container_section *s =
			&from->sections.items[i];

		if (is_code(s) && !gsym_vec_add(&to->sections, *s))
			return false;
	}
	return true;
}

/* Give TO the functions of FROM, which are not needed there any more, unless it
 * has some. */
static void take_functions(struct gsym_container *to,
			   struct gsym_container *from)
{
	const struct gsym_range_set none = to->functions;

	if (none.count)
		return;
	to->functions = from->functions;
	from->functions = none;
}

static bool copy_text(struct gsym_container *to,
		      const struct gsym_container *from)
{
	to->text.count = 0;
	if (!from->text.count)
		return true;
	if (!gsym_vec_reserve(&to->text, from->text.count))
		return false;
	memcpy(to->text.items, from->text.items,
	       from->text.count * sizeof(*to->text.items));
	to->text.count = from->text.count;
	return true;
}

/* ---- sections of two files ----------------------------------------------- */

/* By address and name; of equal sections the first comes first. */
static int by_place(const void *a, const void *b)
{
	struct gsym_container_section *const *x = a, *const *y = b;
	int order = GSYM_ORDER((*x)->address, (*y)->address);

	if (!order)
		order = strcmp((*x)->name, (*y)->name);
	return order ? order : GSYM_ORDER(*x, *y);
}

/* Names of sections are compared up to here: any number of names may be ends of
 * one long text. */
enum { LONGEST_NAME = 256 };

static int compare_names(const void *a, const void *b)
{
	struct gsym_container_section *const *x = a, *const *y = b;

	return strncmp((*x)->name, (*y)->name, LONGEST_NAME);
}

/* The loaded sections of C, in the order of COMPARE.  NULL without memory. */
static struct gsym_container_section **
sort(const struct gsym_container *c, int (*compare)(const void *, const void *),
     size_t *count)
{
	struct gsym_container_section **sorted =
		calloc(c->sections.count + 1, sizeof(*sorted));

	*count = 0;
	for (size_t i = 0; sorted && i < c->sections.count; i++)
		if (c->sections.items[i].loaded)
			sorted[(*count)++] = &c->sections.items[i];
	if (*count)
		qsort(sorted, *count, sizeof(*sorted), compare);
	return sorted;
}

/* Whether A does not come before B by address and name. */
static bool is_at_least(const struct gsym_container_section *a,
			const struct gsym_container_section *b)
{
	return a->address != b->address ? a->address > b->address
					: strcmp(a->name, b->name) >= 0;
}

/* For each section of FROM its number in TO; SIZE_MAX if TO lacks it.  NULL
 * without memory. */
static size_t *match_sections(const struct gsym_container *to,
			      const struct gsym_container *from)
{
	size_t *numbers = calloc(from->sections.count + 1, sizeof(*numbers));
	size_t count;
	struct gsym_container_section **ours = sort(to, by_place, &count);

	for (size_t i = 0; numbers && ours && i < from->sections.count; i++) {
		const struct gsym_container_section *s =
			&from->sections.items[i];
		size_t at = GSYM_FIRST(n, 0, count, is_at_least(ours[n], s));

		numbers[i] = s->loaded && at < count &&
					     ours[at]->address == s->address &&
					     !strcmp(ours[at]->name, s->name)
				     ? (size_t)(ours[at] - to->sections.items)
				     : SIZE_MAX;
	}
	if (!ours) {
		free(numbers);
		numbers = NULL;
	}
	free(ours);
	return numbers;
}

/* Whether the section AT of the COUNT SORTED ones has a name of its own. */
static bool is_alone(struct gsym_container_section *const *sorted, size_t count,
		     size_t at)
{
	return strnlen(sorted[at]->name, LONGEST_NAME) < LONGEST_NAME &&
	       (!at || compare_names(&sorted[at - 1], &sorted[at])) &&
	       (at + 1 == count || compare_names(&sorted[at], &sorted[at + 1]));
}

/* Put the sections of DEBUG where the sections of those names are in PROGRAM:
 * debug files of mold have some at other addresses.  False without memory. */
static bool place_sections(struct gsym_container *debug,
			   const struct gsym_container *program)
{
	size_t count, others, other = 0;
	struct gsym_container_section **ours =
		sort(debug, compare_names, &count);
	struct gsym_container_section **theirs =
		sort(program, compare_names, &others);

	for (size_t i = 0; ours && theirs && i < count; i++) {
		while (other < others &&
		       compare_names(&theirs[other], &ours[i]) < 0)
			other++;
		if (other == others ||
		    compare_names(&theirs[other], &ours[i]) ||
		    !is_alone(ours, count, i) ||
		    !is_alone(theirs, others, other))
			continue;
		ours[i]->address = theirs[other]->address;
		if (!ours[i]->data)
			ours[i]->size = theirs[other]->size;
	}
	free(ours);
	free(theirs);
	return ours && theirs;
}

static bool append_symbols(struct gsym_container *to,
			   const struct gsym_container *from,
			   const size_t *numbers)
{
	if (!gsym_vec_reserve(&to->symbols, from->symbols.count))
		return false;
	for (size_t i = 0; i < from->symbols.count; i++) {
		struct gsym_symbol s = from->symbols.items[i];

		if (s.section != GSYM_NO_SECTION)
			s.section = gsym_symbol_home(numbers[s.section]);
		(void)gsym_vec_add(&to->symbols, s);
	}
	to->symbol_bytes += from->symbol_bytes;
	return true;
}

static void move_warnings(struct gsym_container *to,
			  const struct gsym_container *from)
{
	for (size_t i = 0; i < from->warnings.count; i++)
		gsym_container_warn(to, from->warnings.items[i].kind, "%s",
				    from->warnings.items[i].text);
}

bool gsym_container_join_symbols(struct gsym_container *to,
				 struct gsym_container *from)
{
	size_t *numbers;
	bool ok = true;

	own(to, from);
	if (!has_code(to))
		ok = take_code(to, from) && copy_text(to, from);
	numbers = ok ? match_sections(to, from) : NULL;
	ok = numbers && append_symbols(to, from, numbers);
	free(numbers);
	if (ok)
		move_warnings(to, from);
	return ok;
}

/* Give sections of DEBUG bytes that only PROGRAM has.  NUMBERS has, for each
 * section of PROGRAM, the number of the same section in DEBUG. */
static void take_bytes(struct gsym_container *debug,
		       const struct gsym_container *program,
		       const size_t *numbers)
{
	for (size_t i = 0; i < program->sections.count; i++) {
		const struct gsym_container_section *from =
			&program->sections.items[i];
		struct gsym_container_section *s;

		if (numbers[i] == SIZE_MAX)
			continue;
		s = &debug->sections.items[numbers[i]];
		if (s->data || s->size != from->size)
			continue;
		s->data = from->data;
		s->data_size = from->data_size;
	}
}

static bool join_placed(struct gsym_container *debug,
			struct gsym_container *program)
{
	size_t *numbers;
	bool ok;

	take_functions(debug, program);

	if (program->has_base) {
		debug->has_base = true;
		debug->base = program->base;
	}
	if (!has_code(debug) && !take_code(debug, program))
		return false;
	if (program->text.count && !copy_text(debug, program))
		return false;
	if (!place_sections(debug, program))
		return false;
	numbers = match_sections(debug, program);
	if (!numbers)
		return false;
	take_bytes(debug, program, numbers);
	ok = append_symbols(debug, program, numbers);
	free(numbers);
	return ok;
}

bool gsym_container_join_program(struct gsym_container *debug,
				 struct gsym_container *program)
{
	bool ok = true;

	own(debug, program);
	debug->mapped = program;
	if (program->uuid_size) {
		debug->uuid = program->uuid;
		debug->uuid_size = program->uuid_size;
	}
	if (!debug->relocatable || !debug->symbols.count)
		ok = join_placed(debug, program);
	if (ok)
		move_warnings(debug, program);
	return ok;
}
