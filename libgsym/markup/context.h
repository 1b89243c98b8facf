/* SPDX-License-Identifier: MIT */
/*
 * markup/context.h - the memory of a process as the log described it: modules,
 * and where their segments are mapped.  Knows no lines of the log, nor how
 * anything is shown.
 */
#ifndef GSYM_MARKUP_CONTEXT_H
#define GSYM_MARKUP_CONTEXT_H

#include "base/vec.h"
#include "markup/parse.h"

/** Limits for one process. */
#define GSYM_MK_MAX_MODULES GSYM_LIMIT(65536u, 1)
#define GSYM_MK_MAX_MAPPINGS GSYM_LIMIT(1u << 20, 1)

struct gsym_mk_module {
	uint64_t id;
	struct gsym_mk_slice name;
	uint8_t build_id[GSYM_MK_BUILD_ID];
	size_t build_id_size;
	/** All digits of the build ID, which may be longer. */
	struct gsym_mk_slice build_id_digits;
	/** The host's symbols, or NULL.  ASKED: the host was asked. */
	void *symbols;
	bool asked;
	/** The message that the host has no symbols for the module was
	 * written. */
	bool missed;
	/** A module line was written for this module. */
	bool announced;
	/** BASE has been set: the load address, computed from the first
	 * segment. */
	bool based;
	uint64_t base;
	/** The number, from 1 on, of the module's entry in the block of module
	 *  lines; 0 if it has none. */
	size_t entry;
	/** The module that was added before this one, or forgotten before. */
	struct gsym_mk_module *before;
};

/** A segment of a module in memory: a node of a treap that is ordered by
 *  START. */
struct gsym_mk_mapping {
	uint64_t start;
	/** The last byte; START - 1 if the mapping is empty. */
	uint64_t last;
	/** With the style of llvm-symbolizer: the last byte as the log has
	 *  it. */
	uint64_t shown_last;
	/** The address in the module that START stands for. */
	uint64_t relative;
	struct gsym_mk_module *module;
	char mode[4];
	/** Indices of the children in the context's nodes; 0: none. */
	uint32_t left, right;
	uint32_t priority;
};

struct gsym_mk_context {
	/** A hash table by ID with open addressing.  SLOT_COUNT is 0 or a
	 *  power of two. */
	struct gsym_mk_module **slots;
	size_t slot_count;
	/** All modules since the last reset, the newest first.  Includes
	 *  modules whose ID belongs to a later module now. */
	struct gsym_mk_module *modules;
	size_t module_count;
	/** Modules that are forgotten, until gsym_mk_context_tidy. */
	struct gsym_mk_module *gone;
	/** The mappings.  Node 0 is not used: 0 stands for none. */
	struct {
		GSYM_VEC(struct gsym_mk_mapping);
	} nodes;
	/** The root of the treap; the first of the free nodes, which are linked
	 *  by RIGHT. */
	uint32_t root, unused;
	size_t mapping_count;
	/** The state of the random numbers for priorities. */
	uint32_t random;
	/** The author of a log must not be able to choose IDs that collide. */
	uint64_t secret;
	/** The mapping of the last successful search, or 0. */
	uint32_t hit;
};

/** Make C, which is zeroed, ready.  SECRET decides where modules lie in the
 *  table and mappings in the treap, and nothing else. */
void gsym_mk_context_init(struct gsym_mk_context *c, uint64_t secret);
void gsym_mk_context_fini(struct gsym_mk_context *c);
/** Forget everything.  The memory of modules stays valid until
 *  gsym_mk_context_tidy. */
void gsym_mk_context_reset(struct gsym_mk_context *c);
/** Free what is forgotten.  Called between lines: see gsym_mk_tidy. */
void gsym_mk_context_tidy(struct gsym_mk_context *c);

/** The module that ID names now; NULL if there is none. */
struct gsym_mk_module *gsym_mk_module_find(const struct gsym_mk_context *c,
					   uint64_t id);
/** Add the module of the element E.  If an earlier module has the same ID, ID
 *  names the new module from now on; the earlier one keeps its mappings.  NULL
 *  without memory, or beyond the limit. */
struct gsym_mk_module *gsym_mk_module_add(struct gsym_mk_context *c,
					  const struct gsym_mk_element *e);

/* Mappings that are returned are valid until the next change of C. */

/** The mapping that covers ADDRESS; NULL if there is none. */
const struct gsym_mk_mapping *
gsym_mk_mapping_find(struct gsym_mk_context *c, uint64_t address);
/** The mapping with the greatest start at or below ADDRESS; NULL if there is
 * none. */
const struct gsym_mk_mapping *
gsym_mk_mapping_floor(const struct gsym_mk_context *c, uint64_t address);
/** The mapping with the least start above ADDRESS; NULL if there is none. */
const struct gsym_mk_mapping *
gsym_mk_mapping_above(const struct gsym_mk_context *c, uint64_t address);
/** The first mapping that shares a byte with START to LAST; NULL if there is
 * none. */
const struct gsym_mk_mapping *
gsym_mk_mapping_overlap(const struct gsym_mk_context *c, uint64_t start,
			uint64_t last);
/** Add WHAT, which overlaps no mapping.  False without memory, or beyond the
 *  limit. */
bool gsym_mk_mapping_add(struct gsym_mk_context *c,
			 const struct gsym_mk_mapping *what);
/** Unmap START to LAST: cut or remove all mappings there.  False without
 *  memory, or beyond the limit; then parts of mappings are lost. */
bool gsym_mk_mapping_cut(struct gsym_mk_context *c, uint64_t start,
			 uint64_t last);

/** The address in the module of MAPPING that belongs to the address ADDRESS in
 * memory. */
static inline uint64_t
gsym_mk_relative(const struct gsym_mk_mapping *mapping, uint64_t address)
{
	return address - mapping->start + mapping->relative;
}

#endif
