/* SPDX-License-Identifier: MIT */
/* store/module.c - identity, sections and symbols of an ELF file. */
#include <gsym/module.h>

#include "base/error.h"
#include "base/sized.h"
#include "elfview/elfview.h"
#include "store/mapped.h"
#include "store/place.h"
#include "store/symbols.h"

#include <stdlib.h>
#include <string.h>

struct gsym_module {
	const uint8_t *bytes;
	size_t size;
	struct elfview elf;
	/** Opened by the first gsym_module_symbol_at; NULL: there are none. */
	struct gsym_symbols *symbols;
	bool symbols_tried;
};

enum gsym_status gsym_module_open(const char *path, struct gsym_module **ret,
				  struct gsym_error *error)
{
	struct gsym_module *m;
	enum gsym_status status;

	if (!path || !ret)
		return gsym_fail_argument(error);
	m = calloc(1, sizeof(*m));
	if (!m)
		return gsym_fail_memory(error);
	status = gsym_mapped_open(path, false, &m->bytes, &m->size, error);
	if (status == GSYM_OK)
		status = gsym_elfview_open(m->bytes, m->size, &m->elf, error);
	if (status != GSYM_OK) {
		gsym_module_close(m);
		return status;
	}
	*ret = m;
	return GSYM_OK;
}

void gsym_module_close(struct gsym_module *m)
{
	if (!m)
		return;
	gsym_symbols_close(m->symbols);
	gsym_mapped_close(m->bytes, m->size);
	free(m);
}

static uint64_t lowest_address(const struct elfview *elf)
{
	uint64_t lowest = UINT64_MAX;

	for (uint64_t i = 0; i < elf->segment_count; i++) {
		struct elfview_segment s = gsym_elfview_segment(elf, i);

		if (s.type == ELFVIEW_LOAD && s.address < lowest)
			lowest = s.address;
	}
	return lowest == UINT64_MAX ? 0 : lowest;
}

enum gsym_status gsym_module_get_facts_sized(const struct gsym_module *m,
					     struct gsym_module_facts *facts,
					     size_t facts_size)
{
	struct gsym_module_facts known;

	if (!m || !facts ||
	    facts_size < GSYM_SIZE_THROUGH(struct gsym_module_facts,
					   lowest_address))
		return GSYM_ERR_ARGUMENT;
	known = (struct gsym_module_facts){
		.address_size = elfview_word(&m->elf),
		.relocatable = m->elf.type == ELFVIEW_RELOCATABLE,
		.lowest_address = lowest_address(&m->elf),
	};
	if (!gsym_elfview_build_id(&m->elf, &known.build_id,
				   &known.build_id_size)) {
		known.build_id = NULL;
		known.build_id_size = 0;
	}
	gsym_sized_copy(facts, facts_size, &known, sizeof(known));
	return GSYM_OK;
}

enum gsym_status
gsym_module_find_section_sized(const struct gsym_module *m, const char *name,
			       struct gsym_module_section *ret,
			       size_t ret_size)
{
	struct gsym_module_section found;
	struct elfview_strings names;

	if (!m || !name || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_module_section, data_size))
		return GSYM_ERR_ARGUMENT;
	names = elfview_names(&m->elf);
	for (uint64_t i = 1; i < m->elf.section_count; i++) {
		struct elfview_section s = gsym_elfview_section(&m->elf, i);
		const char *own = elfview_string(&names, s.name);

		if (!own || strcmp(own, name) != 0)
			continue;
		found = (struct gsym_module_section){
			.address = s.address,
			.size = s.size,
		};
		if (m->elf.type == ELFVIEW_RELOCATABLE) {
			uint64_t *places = gsym_place_sections(&m->elf);

			if (!places)
				return GSYM_ERR_MEMORY;
			found.address = places[i];
			free(places);
		}
		if (elfview_in_file(&m->elf, &s)) {
			found.data = m->bytes + s.offset;
			found.data_size = (size_t)s.size;
		}
		gsym_sized_copy(ret, ret_size, &found, sizeof(found));
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

enum gsym_status gsym_module_symbol_at_sized(struct gsym_module *m,
					     uint64_t address, unsigned flags,
					     struct gsym_store_symbol *ret,
					     size_t ret_size)
{
	struct gsym_store_symbol found;

	if (!m || !ret || flags & ~(unsigned)GSYM_STORE_FAR ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_store_symbol, size))
		return GSYM_ERR_ARGUMENT;
	if (!m->symbols_tried) {
		enum gsym_status status = gsym_symbols_open_memory(
			m->bytes, m->size, &m->symbols);

		if (status == GSYM_ERR_MEMORY)
			return status;
		m->symbols_tried = true;
	}
	if (!m->symbols ||
	    !gsym_symbols_find(m->symbols, address, flags, &found))
		return GSYM_NOT_FOUND;
	gsym_sized_copy(ret, ret_size, &found, sizeof(found));
	return GSYM_OK;
}
