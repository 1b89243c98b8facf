/* SPDX-License-Identifier: MIT */
/* dwarf/names.h - the names of DIEs, by the policy of dwarf/policy.h. */
#ifndef GSYM_DWARF_NAMES_H
#define GSYM_DWARF_NAMES_H

#include "dwarf/abbrev.h"
#include "dwarf/policy.h"

struct dw_unit_contexts;

/** Names for one unit; remembers what was asked for. */
struct dw_names {
	const struct dw_header *header; /**< the unit that is read */
	struct gsym_arena *arena;       /**< for names that are put together */
	bool qualify;
	/** Names by the DIE that they were found from: open addressing. */
	struct dw_known_name {
		const uint8_t *die; /* where it lies; NULL: free */
		struct dw_name name;
	} *known;
	size_t known_count;
	size_t known_size; /* a power of two */
	struct dw_unit_contexts *contexts; /* a list */
	unsigned context_count;
	bool no_memory;
};

/** VALUE, of an attribute that should be a constant. */
static inline struct dw_constant dw_constant_of(struct dw_value value)
{
	struct dw_constant constant = { .present = value.form };

	constant.valid = gsym_dw_value_constant(value, &constant.value);
	return constant;
}

void gsym_dw_names_init(struct dw_names *names, const struct dw_header *header,
			struct gsym_arena *arena);
void gsym_dw_names_fini(struct dw_names *names);

/** The name of the DIE at offset DIE with ATTRIBUTES; sets NO_MEMORY. */
struct dw_name gsym_dw_names_find(struct dw_names *names, uint64_t die,
				  const struct dw_attributes *attributes);

/** Where the DIE with ATTRIBUTES is declared: both found along the chain of
 *  its references, the file only if it is of the unit that is read. */
struct dw_declaration
gsym_dw_names_declaration(const struct dw_names *names,
			  const struct dw_attributes *attributes);

#endif
