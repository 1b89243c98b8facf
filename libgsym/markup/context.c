/* SPDX-License-Identifier: MIT */
/* Keeps modules in a hash table, and mappings in the order of addresses. */
#include "config.h"

#include "markup/process.h"

#include "base/hash.h"
#include "base/order.h"

void gsym_mk_context_reset(struct mk_context *c)
{
	while (c->modules) {
		struct mk_module *before = c->modules->before;

		c->modules->before = c->gone;
		c->gone = c->modules;
		c->modules = before;
	}
	gsym_keys_clear(&c->ids);
	c->named.count = c->module_count = 0;
	c->block_count = c->mapping_count = 0;
}

void gsym_mk_context_tidy(struct mk_context *c)
{
	while (c->gone) {
		struct mk_module *before = c->gone->before;

		free(c->gone);
		c->gone = before;
	}
}

void gsym_mk_context_fini(struct mk_context *c)
{
	gsym_mk_context_reset(c);
	gsym_mk_context_tidy(c);
	for (size_t i = 0; i < c->blocks.count; i++)
		free(c->blocks.items[i]);
	gsym_vec_fini(&c->blocks);
	gsym_keys_fini(&c->ids);
	gsym_vec_fini(&c->named);
}

/* ---- modules --------------------------------------------------------- */

/* A key for the module ID.  The author of a log cannot know the address of C,
 * and so cannot choose IDs whose keys share slots. */
static uint64_t key_of(const struct mk_context *c, uint64_t id)
{
	return gsym_hash_mix(id ^ (uintptr_t)c);
}

struct mk_module *gsym_mk_module_find(const struct mk_context *c, uint64_t id)
{
	uint32_t number;

	return gsym_keys_find(&c->ids, key_of(c, id), &number)
		       ? c->named.items[number]
		       : NULL;
}

struct mk_module *gsym_mk_module_add(struct mk_context *c,
				     const struct mk_element *e)
{
	struct mk_module *module;
	uint32_t number;
	char *text;

	if (c->module_count >= MK_MAX_MODULES)
		return NULL;
	module = calloc(1, sizeof(*module) + e->name.size +
				   e->build_id_digits.size);
	if (!module || !gsym_vec_reserve(&c->named, 1) ||
	    !gsym_keys_add(&c->ids, key_of(c, e->id), &number)) {
		free(module);
		return NULL;
	}
	module->id = e->id;
	text = (char *)(module + 1);
	module->name = (struct logs_text){ text, e->name.size };
	if (e->name.size)
		memcpy(text, e->name.at, e->name.size);
	text += e->name.size;
	module->build_id_digits =
		(struct logs_text){ text, e->build_id_digits.size };
	if (e->build_id_digits.size)
		memcpy(text, e->build_id_digits.at, e->build_id_digits.size);
	memcpy(module->build_id, e->build_id, e->build_id_size);
	module->build_id_size = e->build_id_size;
	module->before = c->modules;
	c->modules = module;
	/* Modules that have lost their ID count, too: they are kept until the
	 * next reset. */
	c->module_count++;
	c->named.count = c->ids.keys.count;
	c->named.items[number] = module;
	return module;
}

/* ---- mappings -------------------------------------------------------- */

/* A place between two mappings: before the mapping INDEX of block BLOCK, or
 * behind the block's last one. */
struct place {
	size_t block, index;
};

/* The place behind all mappings that start at or below ADDRESS.  INDEX is 0
 * only if there are none. */
static struct place place_behind(const struct mk_context *c, uint64_t address)
{
	struct mk_block *const *blocks = c->blocks.items;
	struct place p = {
		.block = GSYM_FIRST(i, 0, c->block_count,
				    blocks[i]->items[0].start > address)
	};

	if (p.block) {
		const struct mk_block *b = blocks[--p.block];

		p.index = GSYM_FIRST(i, 0, b->count,
				     b->items[i].start > address);
	}
	return p;
}

static const struct mk_mapping *before(const struct mk_context *c,
				       struct place p)
{
	return p.index ? &c->blocks.items[p.block]->items[p.index - 1] : NULL;
}

static const struct mk_mapping *behind(const struct mk_context *c,
				       struct place p)
{
	if (p.block < c->block_count &&
	    p.index == c->blocks.items[p.block]->count)
		p = (struct place){ p.block + 1, 0 };
	return p.block < c->block_count
		       ? &c->blocks.items[p.block]->items[p.index] : NULL;
}

const struct mk_mapping *gsym_mk_mapping_floor(const struct mk_context *c,
					       uint64_t address)
{
	return before(c, place_behind(c, address));
}

const struct mk_mapping *gsym_mk_mapping_above(const struct mk_context *c,
					       uint64_t address)
{
	return behind(c, place_behind(c, address));
}

const struct mk_mapping *gsym_mk_mapping_find(const struct mk_context *c,
					      uint64_t address)
{
	const struct mk_mapping *m = gsym_mk_mapping_floor(c, address);

	return m && address <= m->last && m->last + 1 != m->start ? m : NULL;
}

const struct mk_mapping *gsym_mk_mapping_overlap(const struct mk_context *c,
						 uint64_t start, uint64_t last)
{
	struct place p = place_behind(c, start);
	const struct mk_mapping *m = before(c, p);

	if (m && m->last >= start && m->last + 1 != m->start)
		return m;
	m = behind(c, p);
	return m && m->start <= last ? m : NULL;
}

/* An empty block with the number NUMBER; NULL without memory. */
static struct mk_block *add_block(struct mk_context *c, size_t number)
{
	struct mk_block **blocks, *b;

	if (c->block_count == c->blocks.count) {
		b = malloc(sizeof(*b));
		if (!b || !gsym_vec_reserve(&c->blocks, 1)) {
			free(b);
			return NULL;
		}
		c->blocks.items[c->blocks.count++] = b;
	}
	blocks = c->blocks.items;
	b = blocks[c->block_count];
	memmove(blocks + number + 1, blocks + number,
		(c->block_count - number) * sizeof(b));
	blocks[number] = b;
	b->count = 0;
	c->block_count++;
	return b;
}

/* Half of a block.  Two blocks that follow each other have more mappings than
 * that, so blocks take no more memory than four times their mappings. */
enum { HALF = MK_BLOCK / 2 };

/* Make room for a mapping at *P; false without memory. */
static bool make_room(struct mk_context *c, struct place *p)
{
	struct mk_block *b, *next;

	if (!c->block_count)
		return add_block(c, 0);
	if (c->blocks.items[p->block]->count < MK_BLOCK)
		return true;
	next = add_block(c, p->block + 1);
	if (!next)
		return false;
	b = c->blocks.items[p->block];
	/* Mappings that come in order fill their blocks. */
	if (p->index < MK_BLOCK || p->block + 2 < c->block_count) {
		b->count = next->count = HALF;
		memcpy(next->items, b->items + HALF,
		       HALF * sizeof(*next->items));
	}
	if (p->index > b->count || b->count == MK_BLOCK) {
		p->index -= b->count;
		p->block++;
	}
	return true;
}

bool gsym_mk_mapping_add(struct mk_context *c, const struct mk_mapping *what)
{
	struct mk_mapping new = *what, *at;
	struct place p = place_behind(c, new.start);
	struct mk_block *b;

	if (c->mapping_count >= MK_MAX_MAPPINGS || !make_room(c, &p))
		return false;
	b = c->blocks.items[p.block];
	at = &b->items[p.index];
	memmove(at + 1, at, (b->count - p.index) * sizeof(*at));
	*at = new;
	b->count++;
	c->mapping_count++;
	return true;
}

/* Block NUMBER is not used any more. */
static void drop_block(struct mk_context *c, size_t number)
{
	struct mk_block **blocks = c->blocks.items, *b = blocks[number];

	c->block_count--;
	memmove(blocks + number, blocks + number + 1,
		(c->block_count - number) * sizeof(b));
	blocks[c->block_count] = b;
}

/* Make one block of block NUMBER and the next one, if both have few
 * mappings. */
static void join_blocks(struct mk_context *c, size_t number)
{
	struct mk_block *b, *next;

	if (number + 1 >= c->block_count)
		return;
	b = c->blocks.items[number];
	next = c->blocks.items[number + 1];
	if (b->count + next->count > HALF)
		return;
	memcpy(b->items + b->count, next->items,
	       next->count * sizeof(*next->items));
	b->count += next->count;
	drop_block(c, number + 1);
}

static void take_out(struct mk_context *c, uint64_t start)
{
	struct place p = place_behind(c, start);
	struct mk_block *b = c->blocks.items[p.block];
	struct mk_mapping *at = &b->items[p.index - 1];

	memmove(at, at + 1, (b->count - p.index) * sizeof(*at));
	b->count--;
	c->mapping_count--;
	if (!b->count)
		drop_block(c, p.block);
	else
		join_blocks(c, p.block);
	if (p.block)
		join_blocks(c, p.block - 1);
}

bool gsym_mk_mapping_cut(struct mk_context *c, uint64_t start, uint64_t last)
{
	const struct mk_mapping *m;
	bool done = true;

	/* The parts of a mapping would overlap once more, without end. */
	if (start > last)
		return true;
	while ((m = gsym_mk_mapping_overlap(c, start, last))) {
		struct mk_mapping old = *m, rest = old;

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
