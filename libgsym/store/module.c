/* SPDX-License-Identifier: MIT */
/* store/module.c - identity, sections and symbols of a program's
 * file, and what callers without a module ask for: its build ID and release. */
#include <gsym/module.h>

#include "base/error.h"
#include "object/object.h"
#include "store/entry.h"

#include <stdlib.h>
#include <string.h>

struct gsym_module {
	const uint8_t *bytes;
	size_t size;
	struct object object;
	/** The build ID; in ROOM if the file does not hold it as it is. */
	const uint8_t *id;
	size_t id_size;
	uint8_t room[PE_PDB_SIZE];
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
		status = gsym_object_open(m->bytes, m->size, &m->object, error);
	if (status == GSYM_OK && !gsym_object_place(&m->object))
		status = gsym_fail_memory(error);
	if (status != GSYM_OK) {
		gsym_module_close(m);
		return status;
	}
	m->id = gsym_object_id(&m->object, m->room, &m->id_size);
	*ret = m;
	return GSYM_OK;
}

void gsym_module_close(struct gsym_module *m)
{
	if (!m)
		return;
	gsym_symbols_close(m->symbols);
	free(m->object.places);
	gsym_mapped_close(m->bytes, m->size);
	free(m);
}

static uint64_t lowest_address(const struct object *object)
{
	uint64_t lowest = UINT64_MAX;
	struct object_segment s;

	for (uint64_t i = 0; gsym_object_segment(object, i, &s); i++)
		if (s.loaded && s.address < lowest)
			lowest = s.address;
	return lowest == UINT64_MAX ? 0 : lowest;
}

enum gsym_status gsym_module_get_facts(const struct gsym_module *m,
				       struct gsym_module_facts *facts)
{
	if (!m || !facts)
		return GSYM_ERR_ARGUMENT;
	*facts = (struct gsym_module_facts){
		.build_id = m->id,
		.build_id_size = m->id_size,
		.address_size = m->object.address_size,
		.relocatable = m->object.relocatable,
		.machine = m->object.kind == &gsym_object_elf
				   ? m->object.elf.machine
				   : 0,
		.lowest_address = lowest_address(&m->object),
	};
	return GSYM_OK;
}

enum gsym_status gsym_module_find_section(const struct gsym_module *m,
					  const char *name,
					  struct gsym_module_section *ret)
{
	struct object_section s;

	if (!m || !name || !ret)
		return GSYM_ERR_ARGUMENT;
	for (uint64_t i = 0; gsym_object_section(&m->object, i, &s); i++) {
		if (!object_name_is(&s.name, name))
			continue;
		*ret = (struct gsym_module_section){
			.address = s.address,
			.size = s.size,
			.data = s.data,
			.data_size = (size_t)s.data_size,
		};
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

enum gsym_status gsym_module_symbol_at(struct gsym_module *m, uint64_t address,
				       unsigned flags,
				       struct gsym_store_symbol *ret)
{
	if (!m || !ret || flags & ~(unsigned)GSYM_STORE_FAR)
		return GSYM_ERR_ARGUMENT;
	if (!m->symbols_tried) {
		enum gsym_status status = gsym_symbols_open_memory(
			m->bytes, m->size, &m->symbols);

		if (status == GSYM_ERR_MEMORY)
			return status;
		m->symbols_tried = true;
	}
	if (!m->symbols ||
	    !gsym_symbols_find(m->symbols, address, flags, ret))
		return GSYM_NOT_FOUND;
	return GSYM_OK;
}

/* ---- without a module --------------------------------------------------- */

enum gsym_status gsym_store_read_id(const char *path, uint8_t *id,
				    size_t capacity, size_t *size,
				    struct gsym_error *error)
{
	uint8_t room[PE_PDB_SIZE];
	enum gsym_status status;
	const uint8_t *bytes, *found;
	size_t count, found_size = 0;
	struct object object;

	if (!path || !id || !size)
		return gsym_fail_argument(error);
	*size = 0;
	status = gsym_mapped_open(path, false, &bytes, &count, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_object_open(bytes, count, &object, error);
	found = status == GSYM_OK ? gsym_object_id(&object, room, &found_size)
				  : NULL;
	if (status == GSYM_OK && (!found || found_size > capacity))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK) {
		memcpy(id, found, found_size);
		*size = found_size;
	}
	gsym_mapped_close(bytes, count);
	return status;
}

enum gsym_status gsym_store_read_release(const char *path, char *release,
					 size_t capacity,
					 struct gsym_error *error)
{
	enum gsym_status status;
	const uint8_t *bytes, *found;
	size_t count, size = 0;
	struct elfview view;

	if (!path || !release || !capacity)
		return gsym_fail_argument(error);
	release[0] = '\0';
	status = gsym_mapped_open(path, false, &bytes, &count, error);
	if (status != GSYM_OK)
		return status;
	/* Kernels are ELF files. */
	status = gsym_elfview_open(bytes, count, &view, error);
	if (status == GSYM_OK &&
	    (!gsym_elfview_release(&view, &found, &size) || size >= capacity))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK) {
		memcpy(release, found, size);
		release[size] = '\0';
	}
	gsym_mapped_close(bytes, count);
	return status;
}
