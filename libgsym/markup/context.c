/* SPDX-License-Identifier: MIT */
/* Keeps modules in a hash table, and mappings in a search tree. */
#include "config.h"

#include "markup/context.h"

#include "base/hash.h"

#include <string.h>

void gsym_mk_context_init(struct gsym_mk_context *c, uint64_t secret)
{
	c->secret = gsym_hash_mix(secret);
	c->random = (uint32_t)gsym_hash_mix(c->secret);
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
	c->nodes.count = 0;
	c->root = c->unused = c->hit = 0;
	c->mapping_count = 0;
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

static struct gsym_mk_mapping *node(const struct gsym_mk_context *c,
				    uint32_t index)
{
	return &c->nodes.items[index];
}

const struct gsym_mk_mapping *
gsym_mk_mapping_floor(const struct gsym_mk_context *c, uint64_t address)
{
	const struct gsym_mk_mapping *best = NULL;

	for (uint32_t at = c->root; at;) {
		const struct gsym_mk_mapping *n = node(c, at);

		if (n->start <= address) {
			best = n;
			at = n->right;
		} else {
			at = n->left;
		}
	}
	return best;
}

const struct gsym_mk_mapping *
gsym_mk_mapping_above(const struct gsym_mk_context *c, uint64_t address)
{
	const struct gsym_mk_mapping *best = NULL;

	for (uint32_t at = c->root; at;) {
		const struct gsym_mk_mapping *n = node(c, at);

		if (n->start > address) {
			best = n;
			at = n->left;
		} else {
			at = n->right;
		}
	}
	return best;
}

const struct gsym_mk_mapping *
gsym_mk_mapping_find(struct gsym_mk_context *c, uint64_t address)
{
	const struct gsym_mk_mapping *m;

	if (c->hit) {
		m = node(c, c->hit);
		if (address - m->start <= m->last - m->start &&
		    m->last + 1 != m->start)
			return m;
	}
	m = gsym_mk_mapping_floor(c, address);
	if (!m || address > m->last || m->last + 1 == m->start)
		return NULL;
	c->hit = (uint32_t)(m - c->nodes.items);
	return m;
}

const struct gsym_mk_mapping *
gsym_mk_mapping_overlap(const struct gsym_mk_context *c, uint64_t start,
			uint64_t last)
{
	const struct gsym_mk_mapping *m = gsym_mk_mapping_floor(c, start);

	if (m && m->last >= start && m->last + 1 != m->start)
		return m;
	m = gsym_mk_mapping_above(c, start);
	return m && m->start <= last ? m : NULL;
}

/* Split the treap AT: mappings that start below START go to *LEFT, others to
 * *RIGHT. */
static void split(struct gsym_mk_context *c, uint32_t at, uint64_t start,
		  uint32_t *left, uint32_t *right)
{
	while (at) {
		struct gsym_mk_mapping *n = node(c, at);

		if (n->start < start) {
			*left = at;
			left = &n->right;
			at = n->right;
		} else {
			*right = at;
			right = &n->left;
			at = n->left;
		}
	}
	*left = *right = 0;
}

static uint32_t random_priority(struct gsym_mk_context *c)
{
	uint32_t x = c->random ? c->random : 0x9e3779b9u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return c->random = x;
}

bool gsym_mk_mapping_add(struct gsym_mk_context *c,
			 const struct gsym_mk_mapping *what)
{
	uint32_t index = c->unused;

	if (c->mapping_count >= GSYM_MK_MAX_MAPPINGS)
		return false;
	if (index) {
		c->unused = node(c, index)->right;
	} else {
		if (!gsym_vec_reserve(&c->nodes, 2))
			return false;
		if (c->nodes.count == 0)
			c->nodes.count = 1;
		index = (uint32_t)c->nodes.count++;
	}
	struct gsym_mk_mapping *n = node(c, index);
	*n = *what;
	n->priority = random_priority(c);

	uint32_t *link = &c->root;
	while (*link && node(c, *link)->priority >= n->priority)
		link = node(c, *link)->start <= n->start
			       ? &node(c, *link)->right
			       : &node(c, *link)->left;
	split(c, *link, n->start, &n->left, &n->right);
	*link = index;
	c->mapping_count++;
	return true;
}

/* Remove the mapping that starts at START. */
static void take_out(struct gsym_mk_context *c, uint64_t start)
{
	uint32_t *link = &c->root;

	while (*link && node(c, *link)->start != start)
		link = node(c, *link)->start < start
			       ? &node(c, *link)->right
			       : &node(c, *link)->left;
	uint32_t index = *link;
	if (!index)
		return;
	uint32_t left = node(c, index)->left, right = node(c, index)->right;

	while (left && right) {
		if (node(c, left)->priority >= node(c, right)->priority) {
			*link = left;
			link = &node(c, left)->right;
			left = *link;
		} else {
			*link = right;
			link = &node(c, right)->left;
			right = *link;
		}
	}
	*link = left ? left : right;
	node(c, index)->right = c->unused;
	c->unused = index;
	c->mapping_count--;
	c->hit = 0;
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
