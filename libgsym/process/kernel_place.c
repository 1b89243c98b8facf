/* SPDX-License-Identifier: MIT */
/*
 * process/kernel_place.c - where the functions of the GSYM data of a kernel are
 * in its memory.
 *
 * The kernel is moved as a whole (KASLR), and each section of a module is
 * loaded somewhere.  Neither /proc nor /sys tells how the sections were laid
 * out in the GSYM data.  But kallsyms and the GSYM data have the same names, so
 * the bias of a symbol is its address minus that of the function of this name.
 * A name that several functions have counts if one of them has the bias of the
 * symbols before.
 */
#include "process/process.h"

#include <gsym/names.h>

#include <string.h>

enum {
	/* The most biases of a module, which has a handful of sections with
	 * code. */
	MOST_BIASES = 64,
	/* The most functions of one name that are tried. */
	MOST_TWINS = 16,
};

#define NONE UINT32_MAX

/* A module that is being placed. */
struct placing {
	struct gsym_process *p;
	/* The module with the GSYM data, and its names. */
	uint32_t base;
	const struct gsym_reader *reader;
	struct gsym_name_index *names;
	/* The modules that it was divided into, one for each bias; the first is
	 * BASE itself. */
	uint32_t parts[MOST_BIASES];
	size_t part_count;
	/* The module for symbols that were not placed; NONE: not yet made. */
	uint32_t rest;
};

/* Make a module like the base, without mappings, at BIAS.  READER is that of
 * the base, or NULL; then the module has no build ID either.  Returns NONE
 * without memory. */
static uint32_t copy_base(struct placing *s, uint64_t bias,
			  const struct gsym_reader *reader)
{
	struct gsym_loaded *copy = gsym_vec_push(&s->p->modules);

	if (!copy)
		return NONE;
	*copy = (struct gsym_loaded){
		.shown = s->p->modules.items[s->base].shown,
		.executable = true,
		.borrowed = true,
	};
	copy->shown.bias = bias;
	copy->shown.bias_guessed = !reader;
	copy->shown.reader = reader;
	if (!reader) {
		copy->shown.build_id = NULL;
		copy->shown.build_id_size = 0;
	}
	return (uint32_t)(s->p->modules.count - 1);
}

static uint64_t bias_of(const struct placing *s, uint32_t part)
{
	return s->p->modules.items[part].shown.bias;
}

/* The part at BIAS, which is made if it is new.  *RET becomes NONE if there are
 * too many.  False without memory. */
static bool part_at(struct placing *s, uint64_t bias, uint32_t *ret)
{
	struct gsym_process_module *base;

	*ret = NONE;
	for (size_t i = 0; i < s->part_count; i++)
		if (bias_of(s, s->parts[i]) == bias)
			*ret = s->parts[i];
	if (*ret != NONE || s->part_count == MOST_BIASES)
		return true;
	if (s->part_count) {
		*ret = copy_base(s, bias, s->reader);
	} else {
		base = &s->p->modules.items[s->base].shown;
		base->bias = bias;
		base->bias_guessed = false;
		*ret = s->base;
	}
	s->parts[s->part_count++] = *ret;
	return *ret != NONE;
}

/* Whether the function INDEX fits between symbol SYMBOL and the next one. */
static bool fits(const struct placing *s, uint32_t index, size_t symbol)
{
	uint64_t room = gsym_kernel_end(s->p, symbol) -
			s->p->symbols.items[symbol].address;
	struct gsym_function f;

	return gsym_function_at(s->reader, index, &f, NULL) == GSYM_OK &&
	       f.size <= room;
}

/* Set *RET to the part that the name of SYMBOL tells; NONE if it does not tell
 * any.  LAST is the part of the symbol before.  False without memory. */
static bool part_by_name(struct placing *s, size_t symbol, uint32_t last,
			 uint32_t *ret)
{
	const struct gsym_kernel_symbol *k = &s->p->symbols.items[symbol];
	size_t length = strlen(k->name);
	uint32_t index = 0, first = 0, from = 0;
	int twins = 0;

	*ret = NONE;
	for (; twins < MOST_TWINS &&
	       gsym_name_index_find(s->names, k->name, length, from, &index) ==
		       GSYM_OK; twins++, from = index + 1) {
		if (!twins)
			first = index;
		if (last != NONE && k->address - bias_of(s, last) ==
					    gsym_address_at(s->reader, index)) {
			*ret = last;
			return true;
		}
	}
	if (twins != 1 || !fits(s, first, symbol))
		return true;
	return part_at(s, k->address - gsym_address_at(s->reader, first), ret);
}

/* Whether a function of PART begins at SYMBOL: it may have another name
 * there. */
static bool begins(const struct placing *s, uint32_t part, size_t symbol)
{
	struct gsym_match match;
	uint64_t address;

	if (part == NONE)
		return false;
	address = s->p->symbols.items[symbol].address - bias_of(s, part);
	return gsym_lookup(s->reader, address,
			   GSYM_LOOKUP_NO_INLINES | GSYM_LOOKUP_NO_LINES, NULL,
			   0, &match, NULL) == GSYM_OK &&
	       match.start == address;
}

/* The part of SYMBOL, which lies between symbols of the parts BEFORE and AFTER;
 * NONE if that is not certain: one section may end, and another one begin. */
static uint32_t part_between(const struct placing *s, size_t symbol,
			     uint32_t before, uint32_t after)
{
	bool first, second;

	if (before == after)
		return before;
	first = begins(s, before, symbol);
	second = begins(s, after, symbol);
	if (first == second)
		return NONE;
	return first ? before : after;
}

/* Give the COUNT symbols in LIST, whose names tell nothing, an owner: they lie
 * between symbols of the parts BEFORE and AFTER.  False without memory. */
static bool settle(struct placing *s, const uint32_t *list, size_t count,
		   uint32_t before, uint32_t after, uint32_t *owners)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t owner = part_between(s, list[i], before, after);

		if (owner == NONE && s->rest == NONE) {
			s->rest = copy_base(s, 0, NULL);
			if (s->rest == NONE)
				return false;
		}
		owners[list[i]] = owner == NONE ? s->rest : owner;
	}
	return true;
}

/* Find the owners of the COUNT symbols in LIST, which are those of the base by
 * ascending address. */
static bool place_symbols(struct placing *s, const uint32_t *list,
			  size_t count, uint32_t *owners)
{
	uint32_t last = NONE, part;
	size_t open = 0;

	for (size_t i = 0; i < count; i++) {
		if (!part_by_name(s, list[i], last, &part))
			return false;
		if (part == NONE)
			continue;
		if (!settle(s, list + open, i - open, last, part, owners))
			return false;
		owners[list[i]] = last = part;
		open = i + 1;
	}
	return settle(s, list + open, count - open, last, NONE, owners);
}

/* Place the module BASE, which has the COUNT symbols in LIST. */
static bool place_module(struct gsym_process *p, uint32_t base,
			 const uint32_t *list, size_t count, uint32_t *owners)
{
	struct placing s = {
		.p = p, .base = base, .rest = NONE,
		.reader = p->modules.items[base].shown.reader,
	};
	bool done;

	if (gsym_name_index_new(s.reader, &s.names, NULL) != GSYM_OK)
		return false;
	done = place_symbols(&s, list, count, owners);
	gsym_name_index_free(s.names);
	return done;
}

/* Write the symbols of each of the COUNT modules to LIST, by ascending address;
 * those of module I begin at STARTS[I], which has room for COUNT + 1. */
static void list_by_module(const struct gsym_process *p, uint32_t count,
			   uint32_t *list, uint32_t *starts)
{
	for (size_t i = 0; i < p->symbols.count; i++)
		starts[p->symbols.items[i].module + 1]++;
	for (uint32_t m = 0, sum = 0; m < count; m++) {
		uint32_t size = starts[m + 1];

		/* The start of module M; below it moves to its end. */
		starts[m + 1] = sum;
		sum += size;
	}
	for (size_t i = 0; i < p->symbols.count; i++)
		list[starts[p->symbols.items[i].module + 1]++] = (uint32_t)i;
}

static bool place_all(struct gsym_process *p, uint32_t *owners, uint32_t *list,
		      uint32_t *starts)
{
	uint32_t count = p->base_modules;

	list_by_module(p, count, list, starts);
	for (uint32_t m = 0; m < count; m++) {
		for (uint32_t i = starts[m]; i < starts[m + 1]; i++)
			owners[list[i]] = m;
		if (p->modules.items[m].shown.reader &&
		    !place_module(p, m, list + starts[m],
				  starts[m + 1] - starts[m], owners))
			return false;
	}
	for (size_t i = 0; i < p->modules.count; i++)
		p->modules.items[i].shown.start =
			p->modules.items[i].shown.end = 0;
	return gsym_kernel_map(p, owners);
}

bool gsym_kernel_place(struct gsym_process *p)
{
	uint32_t *owners = calloc(p->symbols.count, sizeof(*owners));
	uint32_t *list = calloc(p->symbols.count, sizeof(*list));
	uint32_t *starts = calloc((size_t)p->base_modules + 1,
				  sizeof(*starts));
	bool done = owners && list && starts;

	/* Modules of an earlier call are made anew. */
	p->modules.count = p->base_modules;
	done = done && place_all(p, owners, list, starts);
	/* Without memory, mappings may refer to modules that are gone. */
	if (!done)
		p->mappings.count = 0;
	free(owners);
	free(list);
	free(starts);
	return done;
}
