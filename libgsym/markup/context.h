/* SPDX-License-Identifier: MIT */
/*
 * markup/context.h - what the log said about memory: modules, and which
 * segment of which module lies where.  Knows addresses; never lines of the
 * log, nor how anything is shown.
 */
#ifndef GSYM_MARKUP_CONTEXT_H
#define GSYM_MARKUP_CONTEXT_H

#include "base/vec.h"
#include "markup/parse.h"

/** Of one process. */
#define GSYM_MK_MAX_MODULES 65536u
#define GSYM_MK_MAX_MAPPINGS (1u << 20)

struct gsym_mk_module {
	uint64_t id;
	struct gsym_mk_slice name;
	uint8_t build_id[GSYM_MK_BUILD_ID];
	size_t build_id_size;
	/** As the log has it; perhaps longer. */
	struct gsym_mk_slice build_id_digits;
	/** What the host gave; asked for at the first address. */
	void *symbols;
	bool asked;
	/** That it gave nothing was said. */
	bool missed;
	/** Its short module line was written. */
	bool announced;
	/** A base address is known; the first segment's. */
	bool based;
	uint64_t base;
	/** Its place, from 1 on, in the module lines being collected. */
	size_t entry;
	/** All modules that were, the last first. */
	struct gsym_mk_module *before;
};

/** A node of a treap that is ordered by START. */
struct gsym_mk_mapping {
	uint64_t start;
	/** The last byte; START - 1 for one without any. */
	uint64_t last;
	uint64_t relative;
	struct gsym_mk_module *module;
	char mode[4];
	uint32_t left, right;
	uint32_t priority;
};

struct gsym_mk_context {
	/** Open addressing by ID; a power of two, or 0, slots. */
	struct gsym_mk_module **slots;
	size_t slot_count, module_count;
	/** Every module since the last reset, also those whose ID was taken
	 *  by another. */
	struct gsym_mk_module *modules;
	/** Index 0 stands for none. */
	struct {
		GSYM_VEC(struct gsym_mk_mapping);
	} nodes;
	uint32_t root, unused;
	size_t mapping_count;
	uint32_t random;
	/** What no log knows, so that none can have its modules collide. */
	uint64_t secret;
	/** The mapping that was found last. */
	uint32_t hit;
};

/** Make C, which is zeroed, ready.  Another SECRET changes nothing but how
 *  the memory is laid out. */
void gsym_mk_context_init(struct gsym_mk_context *c, uint64_t secret);
void gsym_mk_context_fini(struct gsym_mk_context *c);
/** Forget everything. */
void gsym_mk_context_reset(struct gsym_mk_context *c);

struct gsym_mk_module *gsym_mk_module_find(const struct gsym_mk_context *c,
					   uint64_t id);
/** Define E's module; one with the same ID gives it up.  NULL without
 *  memory, or beyond the limit. */
struct gsym_mk_module *gsym_mk_module_add(struct gsym_mk_context *c,
					  const struct gsym_mk_element *e);

/** The mapping that holds ADDRESS; NULL.  Valid until the next change. */
const struct gsym_mk_mapping *
gsym_mk_mapping_find(struct gsym_mk_context *c, uint64_t address);
/** The one with the greatest start at or below ADDRESS; NULL. */
const struct gsym_mk_mapping *
gsym_mk_mapping_floor(const struct gsym_mk_context *c, uint64_t address);
/** The one with the least start above ADDRESS; NULL. */
const struct gsym_mk_mapping *
gsym_mk_mapping_above(const struct gsym_mk_context *c, uint64_t address);
/** A mapping that shares a byte with START to LAST; NULL. */
const struct gsym_mk_mapping *
gsym_mk_mapping_overlap(const struct gsym_mk_context *c, uint64_t start,
			uint64_t last);
/** Add WHAT, whose place is free.  False without memory, or beyond the
 *  limit. */
bool gsym_mk_mapping_add(struct gsym_mk_context *c,
			 const struct gsym_mk_mapping *what);
/** Make room: cut what shares bytes with START to LAST. */
bool gsym_mk_mapping_cut(struct gsym_mk_context *c, uint64_t start,
			 uint64_t last);

static inline uint64_t
gsym_mk_relative(const struct gsym_mk_mapping *mapping, uint64_t address)
{
	return address - mapping->start + mapping->relative;
}

#endif
