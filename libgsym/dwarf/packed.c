/* SPDX-License-Identifier: MIT */
/* Opens and closes the type units of a package. */
#include "dwarf/packed.h"

#include <stdlib.h>

/* A type unit that was opened. */
struct dw_packed_type {
	uint64_t signature;
	const struct dw_header *header; /* NULL: it is not in SPLIT */
	struct dw_split split;
	struct dw_info info;
};

static void close_type(struct dw_packed_type *type)
{
	gsym_dw_info_close(&type->info);
	gsym_dw_split_close(&type->split);
	free(type);
}

void gsym_dw_packed_close(struct dw_packed *packed)
{
	for (size_t i = 0; i < packed->types.count; i++)
		close_type(packed->types.items[i]);
	gsym_vec_fini(&packed->types);
}

/* Read the units of TYPE's split, and find the type unit among them.  False
 * without memory. */
static bool read_type(struct dw_packed *packed, struct dw_packed_type *type)
{
	struct dw_unit notes = { 0 };
	bool ok = gsym_dw_info_open(&type->info, &type->split.container,
				    packed->alternate, 1, &notes);

	gsym_dw_unit_fini(&notes);
	if (!ok)
		return false;
	type->header = gsym_dw_signatures_find(&type->info.signatures,
					       type->signature);
	gsym_dw_packed_attach(packed, &type->info);
	return true;
}

/* Open the type unit with SIGNATURE; NULL if the package does not have it, and
 * without memory. */
static struct dw_packed_type *open_type(struct dw_packed *packed,
					uint64_t signature)
{
	struct dw_packed_type *type = calloc(1, sizeof(*type));
	enum gsym_status status = GSYM_ERR_MEMORY;

	if (type)
		status = gsym_dw_split_open_type(packed->main, packed->skeleton,
						 signature, &type->split);
	if (status != GSYM_OK) {
		free(type);
		packed->no_memory |= status == GSYM_ERR_MEMORY;
		return NULL;
	}
	type->signature = signature;
	if (read_type(packed, type))
		return type;
	packed->no_memory = true;
	close_type(type);
	return NULL;
}

static const struct dw_header *find_type(void *context, uint64_t signature)
{
	struct dw_packed *packed = context;
	struct dw_packed_type **place, *type;

	for (size_t i = 0; i < packed->types.count; i++)
		if (packed->types.items[i]->signature == signature)
			return packed->types.items[i]->header;
	if (packed->types.count == DW_SPLIT_MAX_TYPES)
		return NULL;
	type = open_type(packed, signature);
	place = type ? gsym_vec_push(&packed->types) : NULL;
	if (!place) {
		packed->no_memory |= type != NULL;
		if (type)
			close_type(type);
		return NULL;
	}
	*place = type;
	return type->header;
}

void gsym_dw_packed_attach(struct dw_packed *packed, struct dw_info *info)
{
	info->signatures.find = find_type;
	info->signatures.context = packed;
}
