/* SPDX-License-Identifier: MIT */
/* Sections, symbols and pointers of a program, for users of gsym/program.h. */
#include "base/error.h"
#include "convert/program.h"
#include "macho/macho.h"
#include "object/machoview.h"

#include <gsym/program.h>

struct gsym_program {
	struct gsym_container *container;
};

/* ---- opening ------------------------------------------------------------ */

/* Store the architecture of program NUMBER in NAME; "" if the file's format
 * holds one program alone. */
static enum gsym_status choose(const uint8_t *bytes, size_t size, size_t number,
			       char name[GSYM_ARCHITECTURE_NAME_SIZE],
			       struct gsym_error *error)
{
	struct macho_slices slices = { 0 };
	enum gsym_status status = GSYM_OK;

	*name = '\0';
	if (!gsym_machoview_is_universal(bytes, size))
		return number ? GSYM_NOT_FOUND : GSYM_OK;
	status = gsym_macho_slices(bytes, size, &slices, error);
	if (status == GSYM_OK && number >= slices.count)
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		memcpy(name, slices.items[number].architecture.name,
		       GSYM_ARCHITECTURE_NAME_SIZE);
	gsym_vec_fini(&slices);
	return status;
}

enum gsym_status gsym_program_open(const uint8_t *bytes, size_t size,
				   size_t number, struct gsym_program **ret,
				   struct gsym_error *error)
{
	char architecture[GSYM_ARCHITECTURE_NAME_SIZE];
	struct gsym_convert_options options = { .threads = 1 };
	struct gsym_program *program;
	enum gsym_status status;

	if ((!bytes && size) || !ret)
		return gsym_fail_argument(error);
	status = choose(bytes, size, number, architecture, error);
	if (status != GSYM_OK)
		return status;
	if (*architecture)
		options.architecture = architecture;
	program = calloc(1, sizeof(*program));
	if (!program)
		return gsym_fail_memory(error);
	status = gsym_program_load_sections(bytes, size, &options,
					    &program->container, error);
	if (status == GSYM_OK)
		*ret = program;
	else
		free(program);
	return status;
}

void gsym_program_close(struct gsym_program *program)
{
	if (!program)
		return;
	gsym_container_free(program->container);
	free(program);
}

enum gsym_status gsym_program_get_facts(const struct gsym_program *program,
					struct gsym_program_facts *facts)
{
	const struct gsym_container *c;

	if (!program || !facts)
		return GSYM_ERR_ARGUMENT;
	c = program->container;
	*facts = (struct gsym_program_facts){
		.format = c->format,
		.architecture = c->architecture,
		.uuid = c->uuid_size ? c->uuid : NULL,
		.uuid_size = c->uuid_size,
		.address_size = c->address_size,
		.big_endian = c->big_endian,
		.relocatable = c->relocatable,
	};
	return GSYM_OK;
}

/* ---- sections and symbols ----------------------------------------------- */

static bool has_name(const struct gsym_container *c,
		     const struct gsym_container_section *s, const char *name)
{
	const char *comma =
		c->format == GSYM_FORMAT_MACHO ? strchr(s->name, ',') : NULL;

	return !strcmp(s->name, name) || (comma && !strcmp(comma + 1, name));
}

enum gsym_status gsym_program_find_section(const struct gsym_program *program,
					   const char *name, size_t *at,
					   struct gsym_program_section *ret)
{
	const struct gsym_container *c;

	if (!program || !name || !at || !ret)
		return GSYM_ERR_ARGUMENT;
	c = program->container;
	while (*at < c->sections.count) {
		const struct gsym_container_section *s =
			&c->sections.items[(*at)++];

		if (!has_name(c, s, name))
			continue;
		*ret = (struct gsym_program_section){
			.name = s->name,
			.address = s->address,
			.size = s->size,
			.data = s->data,
			.data_size = s->data_size,
			.file_offset = s->file_offset,
			.loaded = s->loaded,
			.executable = s->executable,
		};
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

enum gsym_status gsym_program_symbol(const struct gsym_program *program,
				     const char *name, uint64_t *address)
{
	const struct gsym_container *c;

	if (!program || !name || !address)
		return GSYM_ERR_ARGUMENT;
	c = program->container;
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		/* The value of an undefined symbol is 0. */
		if (!s->value || strcmp(s->name, name) != 0)
			continue;
		*address = s->value;
		return GSYM_OK;
	}
	return GSYM_NOT_FOUND;
}

/* ---- memory ------------------------------------------------------------- */

const uint8_t *gsym_program_bytes(const struct gsym_program *program,
				  uint64_t address, uint64_t *left)
{
	if (!program || !left)
		return NULL;
	return gsym_container_bytes(program->container, address, left);
}

/* The caller's copy of a piece of the program's memory. */
struct piece {
	const struct gsym_container *container;
	uint64_t address;
	uint8_t *copy;
	size_t size;
};

/* Write the pointer VALUE into the piece if it has all bytes of PLACE. */
static bool fill(void *context, uint64_t place, uint64_t value)
{
	const struct piece *piece = context;
	const struct gsym_container *c = piece->container;
	bool swap = c->big_endian != GSYM_HOST_BIG_ENDIAN;
	uint64_t offset = place - piece->address;

	if (offset > piece->size || piece->size - offset < c->address_size)
		return true;
	if (c->address_size == 8)
		gsym_store_u64(piece->copy + offset, value, swap);
	else
		gsym_store_u32(piece->copy + offset, (uint32_t)value, swap);
	return true;
}

void gsym_program_fill_pointers(const struct gsym_program *program,
				uint64_t address, uint8_t *copy, size_t size)
{
	const struct gsym_container *c = program ? program->container : NULL;
	struct piece piece = { c, address, copy, size };

	if (c && copy && c->pointers)
		c->pointers(c, fill, &piece);
}
