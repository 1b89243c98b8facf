/* SPDX-License-Identifier: MIT */
/* process/kernel.c - the symbols of a running kernel: those of /proc/kallsyms,
 * and where the functions of GSYM data are in its memory. */
#include "process/process.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/order.h"
#include "base/text.h"

#include <gsym/names.h>

#include <string.h>

/* ---- /proc/kallsyms ----------------------------------------------------- */

/* A line has a symbol: "ffffffffc0a01000 t btrfs_init\t[btrfs]". */
struct line {
	uint64_t address;
	char type;
	/* Without the brackets; NULL: the kernel itself. */
	const char *name, *module;
	size_t name_size, module_size;
};

/* Read the line from AT to END; false if it is no line of kallsyms. */
static bool read_line(const char *at, const char *end, struct line *ret)
{
	const char *start = at, *tab;

	*ret = (struct line){ 0 };
	at = gsym_number(at, end, 16, &ret->address, NULL);
	if (at == start || at - start > 16 || end - at < 4 || at[0] != ' ' ||
	    at[2] != ' ')
		return false;
	ret->type = at[1];
	ret->name = at + 3;
	tab = memchr(ret->name, '\t', (size_t)(end - ret->name));
	ret->name_size = (size_t)((tab ? tab : end) - ret->name);
	if (!tab)
		return true;
	if (end - tab < 4 || tab[1] != '[' || end[-1] != ']')
		return false;
	ret->module = tab + 2;
	ret->module_size = (size_t)(end - 1 - ret->module);
	return true;
}

/* Whether symbols of TYPE, as of nm, are functions. */
static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* The index of the module of LINE, which is made if it is new. */
static bool module_of(struct gsym_process *p, struct gsym_intern *names,
		      const struct line *line, uint32_t *ret)
{
	struct gsym_loaded *loaded;
	char *path;

	/* The empty name is that of the kernel itself. */
	if (!gsym_intern_add(names, line->module ? line->module : "",
			     line->module_size, ret))
		return false;
	if (*ret < p->modules.count)
		return true;
	loaded = gsym_vec_push(&p->modules);
	path = loaded ? gsym_arena_alloc(&p->arena, line->module_size + 16)
		      : NULL;
	if (!path)
		return false;
	if (line->module) {
		path[0] = '[';
		memcpy(path + 1, line->module, line->module_size);
		strcpy(path + 1 + line->module_size, "]");
	} else {
		strcpy(path, "[kernel]");
	}
	*loaded = (struct gsym_loaded){
		.shown.path = path,
		.shown.kind = GSYM_PROCESS_KERNEL,
		.shown.bias_guessed = true,
		.executable = true,
	};
	return true;
}

static bool add_symbol(struct gsym_process *p, struct gsym_intern *names,
		       const struct line *line)
{
	struct gsym_kernel_symbol *symbol;
	uint32_t module;

	if (!is_function(line->type) || !line->address)
		return true;
	symbol = module_of(p, names, line, &module) ?
			 gsym_vec_push(&p->symbols) : NULL;
	if (!symbol)
		return false;
	*symbol = (struct gsym_kernel_symbol){ line->address, line->name,
					       module };
	/* After the name there is a tab, a line feed, or the NUL at the end. */
	((char *)(uintptr_t)line->name)[line->name_size] = 0;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct gsym_kernel_symbol *x = a, *y = b;

	return GSYM_ORDER(x->address, y->address)
		       ?: GSYM_ORDER(x->name, y->name);
}

static enum gsym_status parse(struct gsym_process *p,
			      struct gsym_intern *names,
			      struct gsym_error *error)
{
	const char *text = p->text.items, *end = text + p->text.count - 1;
	bool hidden = false;

	for (const char *at = text; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct line line;

		stop = stop ? stop : end;
		if (stop > at && !read_line(at, stop, &line))
			return gsym_fail(error, GSYM_ERR_FORMAT,
					 (uint64_t)(at - text),
					 "not a line of kallsyms");
		if (stop > at && !add_symbol(p, names, &line))
			return gsym_fail_memory(error);
		hidden |= stop > at && is_function(line.type);
		at = stop + 1;
	}
	if (p->symbols.count)
		return GSYM_OK;
	return hidden ? gsym_fail(error, GSYM_ERR_IO, 0,
				  "kallsyms shows all addresses as 0: the "
				  "kernel hides them from this user "
				  "(kernel.kptr_restrict)")
		      : gsym_fail(error, GSYM_ERR_FORMAT, 0,
				  "kallsyms has no functions");
}

enum gsym_status gsym_kernel_parse(struct gsym_process *p,
				   struct gsym_error *error)
{
	struct gsym_intern names = { 0 };
	enum gsym_status status;
	uint32_t kernel;
	char *nul = gsym_vec_push(&p->text);

	if (!nul)
		return gsym_fail_memory(error);
	*nul = 0;
	/* The kernel is module 0. */
	status = module_of(p, &names, &(struct line){ 0 }, &kernel) ?
			 parse(p, &names, error) : gsym_fail_memory(error);
	gsym_intern_fini(&names);
	if (status == GSYM_OK)
		qsort(p->symbols.items, p->symbols.count,
		      sizeof(*p->symbols.items), by_address);
	return status;
}

/* ---- addresses ---------------------------------------------------------- */

/* A symbol reaches up to the next one, but no farther than this, in bytes. */
enum { REACH = 256 << 10 };

/* The first address after symbol INDEX: that of the next symbol, unless that is
 * too far away. */
static uint64_t kernel_end(const struct gsym_process *p, size_t index)
{
	uint64_t address = p->symbols.items[index].address;
	size_t next = GSYM_FIRST(i, index, p->symbols.count,
				 p->symbols.items[i].address > address);
	uint64_t reach = UINT64_MAX - address < REACH ? UINT64_MAX - address
						      : REACH;

	if (next < p->symbols.count &&
	    p->symbols.items[next].address - address < reach)
		return p->symbols.items[next].address;
	return address + reach;
}

const struct gsym_kernel_symbol *
gsym_kernel_find(const struct gsym_process *p, uint64_t address)
{
	const struct gsym_kernel_symbol *items = p->symbols.items;
	size_t after = GSYM_FIRST(i, 0, p->symbols.count,
				  items[i].address > address);
	uint64_t start;

	if (!after || address >= kernel_end(p, after - 1))
		return NULL;
	start = items[after - 1].address;
	return &items[GSYM_FIRST(i, 0, after, items[i].address >= start)];
}

/* ---- places -------------------------------------------------------------- */

/*
 * The kernel is moved as a whole (KASLR), and each section of a module is
 * loaded somewhere.  Neither /proc nor /sys tells how the sections were laid
 * out in the GSYM data.  But kallsyms and the GSYM data have the same names, so
 * the bias of a symbol is its address minus that of the function of this name.
 * A name that several functions have counts if one of them has the bias of the
 * symbols before.
 */

/* Make the mappings of P anew: symbol I belongs to the module OWNERS[I].  Of
 * several symbols at one address, one whose module has GSYM data counts.  False
 * without memory. */
static bool map_symbols(struct gsym_process *p, const uint32_t *owners)
{
	struct gsym_loaded *modules = p->modules.items;
	struct gsym_mapping *last = NULL;

	p->mappings.count = 0;
	for (size_t i = 0, next; i < p->symbols.count; i = next) {
		uint64_t start = p->symbols.items[i].address;
		uint32_t module = owners[i];

		for (next = i + 1; next < p->symbols.count &&
				   p->symbols.items[next].address == start;
		     next++)
			if (!modules[module].shown.reader &&
			    modules[owners[next]].shown.reader)
				module = owners[next];
		if (!last || last->module != module || last->end != start) {
			last = gsym_vec_push(&p->mappings);
			if (!last)
				return false;
			*last = (struct gsym_mapping){
				.path = modules[module].shown.path,
				.kind = GSYM_PROCESS_KERNEL,
				.start = start,
				.executable = true,
				.module = module,
			};
		}
		last->end = kernel_end(p, i);
		if (!modules[module].shown.end)
			modules[module].shown.start = start;
		modules[module].shown.end = last->end;
	}
	return true;
}

#define NONE GSYM_PROCESS_NONE

enum {
	/* The most biases of a module, which has a handful of sections with
	 * code. */
	MOST_BIASES = 64,
	/* The most functions of one name that are tried. */
	MOST_TWINS = 16,
};

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
	uint64_t room = kernel_end(s->p, symbol) -
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
	bool first = begins(s, before, symbol);

	if (before == after)
		return before;
	if (first == begins(s, after, symbol))
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
	return map_symbols(p, owners);
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
