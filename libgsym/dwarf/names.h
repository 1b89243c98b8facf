/* SPDX-License-Identifier: MIT */
/* dwarf/names.h - the names of DIEs, by the policy of dwarf/policy.h. */
#ifndef GSYM_DWARF_NAMES_H
#define GSYM_DWARF_NAMES_H

#include "dwarf/abbrev.h"
#include "dwarf/policy.h"

struct dw_unit_contexts;

/** Finds the names of one unit, and remembers them. */
struct dw_names {
	const struct dw_header *header; /**< the unit that is read */
	struct dw_unit *unit; /**< gets qualified names, pays for all names */
	bool qualify;			/**< the unit's language is C++ */
	/** Names of DIEs that were referred to, in an open-addressing hash
	 *  table of KNOWN_SIZE slots, a power of two. */
	struct dw_known_name {
		const uint8_t *die; /**< first byte of the DIE; NULL: a free
				     *   slot */
		struct dw_name name;
	} *known;
	size_t known_count;
	size_t known_size;
	/** The contexts of the units that names were looked for in. */
	struct dw_unit_contexts *contexts;
	unsigned context_count;
	bool no_memory;
};

/** VALUE as an attribute of the class constant. */
static inline struct dw_constant dw_constant_of(struct dw_value value)
{
	struct dw_constant constant = { .present = value.form };

	constant.valid = gsym_dw_value_constant(value, &constant.value);
	return constant;
}

/** Begin to find the names of the unit at HEADER for UNIT. */
void gsym_dw_names_init(struct dw_names *names, const struct dw_header *header,
			struct dw_unit *unit);
void gsym_dw_names_fini(struct dw_names *names);

/** The name of the DIE at offset DIE, which has ATTRIBUTES.  Without memory
 *  NAMES->no_memory becomes true. */
struct dw_name gsym_dw_names_find(struct dw_names *names, uint64_t die,
				  const struct dw_attributes *attributes);

/** The declaration of the DIE with ATTRIBUTES. */
struct dw_declaration
gsym_dw_names_declaration(const struct dw_names *names,
			  const struct dw_attributes *attributes);

#endif
