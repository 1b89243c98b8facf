/* SPDX-License-Identifier: MIT */
/* Loads a PE program as a container. */
#include "pe/pe.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

/* The text of NAME; NULL without memory. */
static const char *text_of(struct gsym_container *c, struct object_name name)
{
	return name.ends ? name.bytes
			 : gsym_arena_string(&c->arena, name.bytes, name.size);
}

/* ---- sections --------------------------------------------------------- */

static bool put_section(struct pe_file *file, unsigned number)
{
	struct gsym_container *container = file->container;
	const struct peview *v = &file->view;
	struct peview_section from = gsym_peview_section(v, number);
	const char *name = text_of(container, from.name);
	struct gsym_container_section s = {
		.name = name,
		.address = v->base + from.rva,
		.size = from.size,
		.data = peview_bytes(v, &from),
		.file_offset = from.offset,
		.data_size = peview_bytes(v, &from) ? from.stored : 0,
		.executable = from.flags & (PE_EXECUTABLE | PE_HAS_CODE),
		.loaded = name && strncmp(name, ".debug_", 7) &&
			  strncmp(name, ".zdebug_", 8),
	};

	if (!name || !gsym_container_add_section(container, &s))
		return false;
	if (from.stored && !s.data)
		gsym_container_warn(container, GSYM_WARN_BAD_SECTION,
				    "section %.64s: 0x%x bytes at 0x%x reach "
				    "beyond the end of the file",
				    name, from.stored, from.offset);
	return !s.loaded ||
	       gsym_container_add_segment(
		       container,
		       (struct gsym_segment){ .address = s.address,
					      .data_size = s.data_size,
					      .writable =
						      from.flags & PE_WRITABLE,
					      .executable = s.executable },
		       v->bytes, v->size, from.offset);
}

static enum gsym_status read_sections(struct pe_file *file,
				      struct gsym_error *error)
{
	const struct peview *v = &file->view;
	struct gsym_cursor c = gsym_peview_cursor(v, v->section_table);

	if (!gsym_cursor_need(&c, (uint64_t)v->section_count * PE_SECTION_SIZE))
		return gsym_fail(error, GSYM_ERR_CORRUPT, v->section_table,
				 "pe section headers: %u at 0x%" PRIx64
				 " reach beyond the end of the file",
				 v->section_count, v->section_table);
	for (unsigned i = 0; i < v->section_count; i++)
		if (!put_section(file, i))
			return gsym_fail_memory(error);
	return GSYM_OK;
}

/* ---- symbols ---------------------------------------------------------- */

/* Append the symbol FROM; false without memory. */
static bool put_symbol(struct pe_file *file, const struct peview_symbol *from)
{
	struct gsym_container *container = file->container;
	const struct gsym_container_section *s =
		&container->sections.items[from->section - 1];
	struct gsym_symbol symbol = {
		.name = text_of(container, from->name),
		.value = s->address + from->value,
		.section = from->section - 1u,
		.type = from->type == PE_TYPE_FUNCTION ? GSYM_SYMBOL_FUNCTION
			: s->executable		       ? GSYM_SYMBOL_NONE
						       : GSYM_SYMBOL_OBJECT,
		.binding = from->class == PE_CLASS_EXTERNAL ? GSYM_SYMBOL_GLOBAL
			   : from->class == PE_CLASS_WEAK   ? GSYM_SYMBOL_WEAK
							    : GSYM_SYMBOL_LOCAL,
	};

	if (s->executable)
		gsym_pe_bound(file, &symbol);
	return symbol.name && gsym_container_add_symbol(container, &symbol);
}

static bool read_symbols(struct pe_file *file)
{
	struct gsym_container *container = file->container;
	const struct peview *v = &file->view;
	struct peview_walk walk = gsym_peview_walk(v);
	uint64_t size = walk.left * (uint64_t)PE_SYMBOL_SIZE;
	struct peview_symbol symbol;

	if (size && !gsym_cursor_need(&walk.at, size)) {
		gsym_container_warn(container, GSYM_WARN_BAD_SECTION,
				    "symbol table: it reaches beyond the end "
				    "of the file");
		return true;
	}
	container->symbol_bytes = size + gsym_cursor_left(&v->strings);
	while (gsym_peview_symbol(v, &walk, &symbol))
		if (!put_symbol(file, &symbol))
			return false;
	return true;
}

/* ---- opening ---------------------------------------------------------- */

static void set_architecture(struct gsym_container *c, unsigned machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} known[] = {
		{ PE_MACHINE_I386, "i386" },
		{ PE_MACHINE_X86_64, "x86_64" },
		{ PE_MACHINE_ARM, "arm" },
		{ PE_MACHINE_ARMNT, "arm" },
		{ PE_MACHINE_ARM64, "aarch64" },
	};
	char *name = c->architecture;

	snprintf(name, sizeof(c->architecture), "machine %u", machine);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].machine == machine)
			snprintf(name, sizeof(c->architecture), "%s",
				 known[i].name);
}

/* Read symbols, text ranges and compressed sections; false without memory. */
static bool read_contents(struct pe_file *file)
{
	struct gsym_container *c = file->container;

	/* The COFF symbols have all exported names, and more. */
	return gsym_container_collect_text(c) && gsym_pe_read_functions(file) &&
	       read_symbols(file) &&
	       (c->symbols.count || gsym_pe_read_exports(file)) &&
	       gsym_pe_name_parts(file) &&
	       gsym_inflate_zdebug(c, file->view.size);
}

static void read_header(struct gsym_container *c, const struct peview *v)
{
	c->address_size = v->wide ? 8 : 4;
	c->code_bit0 = v->machine == PE_MACHINE_ARM ||
		       v->machine == PE_MACHINE_ARMNT;
	c->has_base = true;
	c->base = v->base;
	c->entry = v->entry ? v->base + v->entry : 0;
	set_architecture(c, v->machine);
	c->uuid = c->pdb;
	c->uuid_size = gsym_peview_pdb(v, c->pdb, &c->pdb_named);
	gsym_peview_stamps(v, &c->time_stamp, &c->image_size);
}

/* A damaged section or table is left out, and noted among the warnings.
 * GSYM_ERR_UNSUPPORTED: neither PE32 nor PE32+; GSYM_ERR_CORRUPT: a header is
 * damaged. */
static enum gsym_status fill(struct gsym_container *c,
			     const struct gsym_load *from,
			     struct gsym_error *error)
{
	struct pe_file file = { .container = c };
	enum gsym_status status =
		gsym_peview_open(from->bytes, from->size, &file.view, error);

	if (status != GSYM_OK)
		return status;
	read_header(c, &file.view);
	status = read_sections(&file, error);
	if (status == GSYM_OK && !read_contents(&file))
		status = gsym_fail_memory(error);
	gsym_vec_fini(&file.functions);
	return status;
}

/* ---- split units -------------------------------------------------------- */

static enum gsym_status fill_object(struct gsym_container *c,
				    const struct gsym_load *from,
				    struct gsym_error *error)
{
	struct pe_file file = { .container = c };
	enum gsym_status status = gsym_peview_open_object(
		from->bytes, from->size, &file.view, error);

	return status == GSYM_OK ? read_sections(&file, error) : status;
}

/* A .dwo file, which is an object file. */
static const struct gsym_input object = {
	.format = GSYM_FORMAT_PE,
	.fill = fill_object,
};

static enum gsym_status find_parts(const struct gsym_find *find,
				   const char *path, const char *debug_path,
				   struct gsym_container *c,
				   struct gsym_error *error)
{
	return gsym_find_split(find, path, debug_path, c, &object, error);
}

/* ---- debug files -------------------------------------------------------- */

static bool has_symbols(const struct gsym_container *debug)
{
	return debug->symbols.count > 0;
}

const struct gsym_input gsym_pe_input = {
	.format = GSYM_FORMAT_PE,
	.name = "PE",
	.matches = gsym_peview_matches,
	.fill = fill,
	.has_symbols = has_symbols,
	.find_debug = gsym_find_debug_file,
	.find_parts = find_parts,
};
