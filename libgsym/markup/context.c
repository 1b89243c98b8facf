/* SPDX-License-Identifier: MIT */
/* Keeps modules in a hash table, and mappings in the order of addresses. */
#include "config.h"

#include "markup/process.h"

#include "base/hash.h"
#include "base/search.h"

void gsym_mk_context_init(struct gsym_mk_context *c, uint64_t secret)
{
	c->secret = gsym_hash_mix(secret);
}

void gsym_mk_context_reset(struct gsym_mk_context *c)
{
	while (c->modules) {
		struct gsym_mk_module *before = c->modules->before;

		c->modules->before = c->gone;
		c->gone = c->modules;
		c->modules = before;
	}
	if (c->slots)
		memset(c->slots, 0, c->slot_count * sizeof(*c->slots));
	c->module_count = 0;
	c->nodes.count = c->order.count = c->mapping_count = 0;
}

void gsym_mk_context_tidy(struct gsym_mk_context *c)
{
	while (c->gone) {
		struct gsym_mk_module *before = c->gone->before;

		free(c->gone);
		c->gone = before;
	}
}

void gsym_mk_context_fini(struct gsym_mk_context *c)
{
	gsym_mk_context_reset(c);
	gsym_mk_context_tidy(c);
	gsym_vec_fini(&c->nodes);
	gsym_vec_fini(&c->order);
	free(c->slots);
	c->slots = NULL;
	c->slot_count = 0;
}

/* ---- modules --------------------------------------------------------- */

/* The slot of the module ID, or the free slot where ID belongs. */
static size_t slot_of(const struct gsym_mk_context *c, uint64_t id)
{
	size_t at = (size_t)gsym_hash_mix(id ^ c->secret) & (c->slot_count - 1);

	while (c->slots[at] && c->slots[at]->id != id)
		at = (at + 1) & (c->slot_count - 1);
	return at;
}

struct gsym_mk_module *gsym_mk_module_find(const struct gsym_mk_context *c,
					   uint64_t id)
{
	return c->slot_count ? c->slots[slot_of(c, id)] : NULL;
}

static bool grow_slots(struct gsym_mk_context *c)
{
	struct gsym_mk_context larger = {
		.slot_count = c->slot_count ? 2 * c->slot_count : 16,
		.secret = c->secret,
	};

	larger.slots = calloc(larger.slot_count, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < c->slot_count; i++)
		if (c->slots[i])
			larger.slots[slot_of(&larger, c->slots[i]->id)] =
				c->slots[i];
	free(c->slots);
	c->slots = larger.slots;
	c->slot_count = larger.slot_count;
	return true;
}

struct gsym_mk_module *gsym_mk_module_add(struct gsym_mk_context *c,
					  const struct gsym_mk_element *e)
{
	if (c->module_count >= GSYM_MK_MAX_MODULES ||
	    (c->module_count >= c->slot_count / 2 && !grow_slots(c)))
		return NULL;
	struct gsym_mk_module *module =
		calloc(1, sizeof(*module) + e->name.size +
				  e->build_id_digits.size);
	if (!module)
		return NULL;
	module->id = e->id;
	char *text = (char *)(module + 1);
	module->name = (struct gsym_mk_slice){ text, e->name.size };
	if (e->name.size)
		memcpy(text, e->name.at, e->name.size);
	text += e->name.size;
	module->build_id_digits = (struct gsym_mk_slice){
		text, e->build_id_digits.size };
	if (e->build_id_digits.size)
		memcpy(text, e->build_id_digits.at, e->build_id_digits.size);
	memcpy(module->build_id, e->build_id, e->build_id_size);
	module->build_id_size = e->build_id_size;
	module->before = c->modules;
	c->modules = module;
	/* Modules that have lost their ID count, too: they are kept until the
	 * next reset. */
	c->module_count++;
	c->slots[slot_of(c, e->id)] = module;
	return module;
}

/* ---- mappings -------------------------------------------------------- */

/* The mapping with index I in the order of starts. */
static struct gsym_mk_mapping *mapping_at(const struct gsym_mk_context *c,
					  size_t i)
{
	return &c->nodes.items[c->order.items[i]];
}

/* The number of mappings that start at or below ADDRESS. */
static size_t count_up_to(const struct gsym_mk_context *c, uint64_t address)
{
	return GSYM_FIRST(i, 0, c->mapping_count,
			  mapping_at(c, i)->start > address);
}

const struct gsym_mk_mapping *
gsym_mk_mapping_floor(const struct gsym_mk_context *c, uint64_t address)
{
	size_t count = count_up_to(c, address);

	return count ? mapping_at(c, count - 1) : NULL;
}

const struct gsym_mk_mapping *
gsym_mk_mapping_above(const struct gsym_mk_context *c, uint64_t address)
{
	size_t count = count_up_to(c, address);

	return count < c->mapping_count ? mapping_at(c, count) : NULL;
}

const struct gsym_mk_mapping *
gsym_mk_mapping_find(const struct gsym_mk_context *c, uint64_t address)
{
	const struct gsym_mk_mapping *m = gsym_mk_mapping_floor(c, address);

	return m && address <= m->last && m->last + 1 != m->start ? m : NULL;
}

const struct gsym_mk_mapping *
gsym_mk_mapping_overlap(const struct gsym_mk_context *c, uint64_t start,
			uint64_t last)
{
	size_t count = count_up_to(c, start);
	const struct gsym_mk_mapping *m =
		count ? mapping_at(c, count - 1) : NULL;

	if (m && m->last >= start && m->last + 1 != m->start)
		return m;
	m = count < c->mapping_count ? mapping_at(c, count) : NULL;
	return m && m->start <= last ? m : NULL;
}

bool gsym_mk_mapping_add(struct gsym_mk_context *c,
			 const struct gsym_mk_mapping *what)
{
	size_t place = count_up_to(c, what->start);
	uint32_t *order, node;

	if (c->mapping_count >= GSYM_MK_MAX_MAPPINGS ||
	    !gsym_vec_reserve(&c->nodes, 1) || !gsym_vec_reserve(&c->order, 1))
		return false;
	if (c->mapping_count == c->nodes.count) {
		c->order.items[c->order.count++] = (uint32_t)c->nodes.count;
		c->nodes.count++;
	}
	order = c->order.items;
	node = order[c->mapping_count];
	memmove(order + place + 1, order + place,
		(c->mapping_count - place) * sizeof(*order));
	order[place] = node;
	c->nodes.items[node] = *what;
	c->mapping_count++;
	return true;
}

/* Remove the mapping that starts at START. */
static void take_out(struct gsym_mk_context *c, uint64_t start)
{
	size_t place = count_up_to(c, start) - 1;
	uint32_t *order = c->order.items, node = order[place];

	c->mapping_count--;
	memmove(order + place, order + place + 1,
		(c->mapping_count - place) * sizeof(*order));
	order[c->mapping_count] = node;
}

bool gsym_mk_mapping_cut(struct gsym_mk_context *c, uint64_t start,
			 uint64_t last)
{
	const struct gsym_mk_mapping *m;
	bool done = true;

	while ((m = gsym_mk_mapping_overlap(c, start, last))) {
		struct gsym_mk_mapping old = *m, rest = old;

		take_out(c, old.start);
		if (old.start < start) {
			rest.last = start - 1;
			done &= gsym_mk_mapping_add(c, &rest);
		}
		if (old.last > last) {
			rest = old;
			rest.start = last + 1;
			rest.relative += rest.start - old.start;
			done &= gsym_mk_mapping_add(c, &rest);
		}
	}
	return done;
}
