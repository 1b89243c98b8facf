/* SPDX-License-Identifier: MIT */
/* Loads an ELF file as a container. */
#include "elf/elf_image.h"

#include "base/error.h"
#include "container/container.h"
#include "elf/elf_file.h"

#include <inttypes.h>

/* How much of a file is loaded. */
enum extent {
	ALL,
	/* As ALL, for a file that is mapped. */
	MAPPED,
	/* Sections and symbols of a program for users of its data. */
	DATA,
	/* Sections as they are, and the symbols of both tables: for the file
	 * in .gnu_debugdata. */
	SYMBOLS,
	/* Sections and build ID: enough to compare the file with a program. */
	FACTS,
};

/* ---- sections --------------------------------------------------------- */

/* Section NUMBER, without its name. */
static struct gsym_container_section read_section(struct elf_file *file,
						  size_t number)
{
	const struct elfview *v = &file->view;
	struct elfview_section from = gsym_elfview_section(v, number);
	struct gsym_container_section s = {
		.name = "",
		.address = from.address,
		.size = from.size,
		.file_offset = from.offset,
		.loaded = from.flags & SHF_ALLOC,
		.executable = from.flags & SHF_EXECINSTR,
	};

	if (!elfview_has_bytes(&from) || !from.size)
		return s;
	if (elfview_in_file(v, &from)) {
		s.data = v->bytes + from.offset;
		s.data_size = from.size;
	} else {
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "section %zu: 0x%" PRIx64
				    " bytes at 0x%" PRIx64
				    " reach beyond the end of the file",
				    number, from.size, from.offset);
	}
	return s;
}

static bool read_sections(struct elf_file *file)
{
	const struct elfview *v = &file->view;
	struct gsym_container *c = file->container;
	struct elfview_strings names = elfview_names(v);

	if (!gsym_vec_reserve(&c->sections, v->section_count))
		return false;
	for (size_t i = 0; i < v->section_count; i++)
		*gsym_vec_push(&c->sections) = read_section(file, i);
	for (size_t i = 1; i < v->section_count; i++) {
		const char *name =
			elfview_string(&names, gsym_elfview_section(v, i).name);

		if (name)
			c->sections.items[i].name = name;
		else
			gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
					    "section %zu: its name is not in "
					    "the table of names", i);
	}
	return true;
}

/* ---- opening ---------------------------------------------------------- */

static enum gsym_status load_extent(const uint8_t *bytes, size_t size,
				    enum extent extent,
				    const struct gsym_convert_options *options,
				    struct gsym_container **ret,
				    struct gsym_error *error);

/* Append the symbols of .gnu_debugdata, which stand in for a .symtab that was
 * stripped; false without memory. */
static bool join_debugdata(struct elf_file *file)
{
	struct gsym_container *c = file->container;
	const struct gsym_container_section *s =
		gsym_container_section(c, ".gnu_debugdata");
	struct gsym_error error = { 0 };
	struct gsym_container *inner;
	uint8_t *bytes;
	size_t size;

	gsym_elf_unpack_debugdata(file, &bytes, &size);
	if (!bytes)
		return true;
	if (load_extent(bytes, size, SYMBOLS, NULL, &inner, &error)) {
		gsym_container_warn_section(c, s, error.message);
		free(bytes);
		return error.code != GSYM_ERR_MEMORY;
	}
	if (!gsym_container_own(inner, bytes)) {
		gsym_container_free(inner);
		free(bytes);
		return false;
	}
	if (gsym_container_alike(c, inner))
		return gsym_container_join_symbols(c, inner);
	gsym_container_warn_section(
		c, s, "the file in it is of another architecture");
	gsym_container_free(inner);
	return true;
}

/* Fill the container of FILE, whose header was read. */
static enum gsym_status load(struct elf_file *file, enum extent extent,
			     const struct gsym_convert_options *options,
			     struct gsym_error *error)
{
	struct gsym_container *c = file->container;
	enum gsym_status status = GSYM_OK;
	bool all = extent == ALL || extent == MAPPED;

	if (!read_sections(file))
		return gsym_fail_memory(error);
	if (c->relocatable)
		status = gsym_elf_place(file, options->section_bases,
					options->section_base_count, error);
	if (status == GSYM_OK && (all || (extent == DATA && c->relocatable)))
		status = gsym_elf_make_contents(file, options->threads, error);
	if (status != GSYM_OK)
		return status;
	gsym_elfview_build_id(&file->view, &c->uuid, &c->uuid_size);
	if (!gsym_elf_read_segments(file) || !gsym_container_collect_text(c))
		return gsym_fail_memory(error);
	if (extent != FACTS && !gsym_elf_read_symbols(file))
		return gsym_fail_memory(error);
	if (all && !join_debugdata(file))
		return gsym_fail_memory(error);
	if (extent == DATA && !file->view.section_count &&
	    !gsym_elf_read_dynamic_symbols(file))
		return gsym_fail_memory(error);
	return GSYM_OK;
}

static struct gsym_container *new_container(const struct elfview *v)
{
	struct gsym_container *c = calloc(1, sizeof(*c));
	struct elf_image *image = calloc(1, sizeof(*image));

	if (!c || !image) {
		free(c);
		free(image);
		return NULL;
	}
	c->format = GSYM_FORMAT_ELF;
	gsym_elf_architecture(v, c->architecture, sizeof(c->architecture));
	c->big_endian = v->swap != GSYM_HOST_BIG_ENDIAN;
	c->address_size = v->wide ? 8 : 4;
	c->relocatable = v->type == ET_REL;
	c->code_bit0 = v->machine == EM_ARM || v->machine == EM_MIPS;
	c->private_data = image;
	c->free_private = free;
	return c;
}

/* A symbol name without its version is a copy.  Many names may be ends of one
 * long string, so the size of all copies is limited. */
static size_t name_limit(size_t file_size)
{
	enum { SHARE = 16, SPARE = 1 << 28 };

	return file_size < (SIZE_MAX - SPARE) / SHARE
		       ? file_size * SHARE + SPARE
		       : SIZE_MAX;
}

static enum gsym_status load_extent(const uint8_t *bytes, size_t size,
				    enum extent extent,
				    const struct gsym_convert_options *options,
				    struct gsym_container **ret,
				    struct gsym_error *error)
{
	static const struct gsym_convert_options usual = { .threads = 1 };
	struct elf_file file = { .for_data = extent == DATA,
				 .mapped = extent == MAPPED };
	enum gsym_status status =
		gsym_elf_read_header(bytes, size, &file.view, error);

	if (status != GSYM_OK)
		return status;
	file.container = new_container(&file.view);
	if (!file.container)
		return gsym_fail_memory(error);
	file.container->arena.limit = name_limit(size);
	status = load(&file, extent, options ? options : &usual, error);
	if (status == GSYM_OK)
		*ret = file.container;
	else
		gsym_container_free(file.container);
	return status;
}

enum gsym_status gsym_elf_load(const uint8_t *bytes, size_t size,
			       const struct gsym_convert_options *options,
			       struct gsym_container **ret,
			       struct gsym_error *error)
{
	return load_extent(bytes, size, ALL, options, ret, error);
}

enum gsym_status
gsym_elf_load_mapped(const uint8_t *bytes, size_t size,
		     const struct gsym_convert_options *options,
		     struct gsym_container **ret, struct gsym_error *error)
{
	return load_extent(bytes, size, MAPPED, options, ret, error);
}

enum gsym_status
gsym_elf_load_data(const uint8_t *bytes, size_t size,
		   const struct gsym_convert_options *options,
		   struct gsym_container **ret, struct gsym_error *error)
{
	return load_extent(bytes, size, DATA, options, ret, error);
}

enum gsym_status gsym_elf_open(const char *path, unsigned threads, bool own,
			       struct gsym_container **ret,
			       struct gsym_error *error)
{
	const struct gsym_convert_options options = { .threads = threads,
						      .own_files = own };

	return gsym_container_open(path, gsym_elf_load_mapped, &options, ret,
				   error);
}

enum gsym_status
gsym_elf_load_facts(const uint8_t *bytes, size_t size,
		    const struct gsym_convert_options *options,
		    struct gsym_container **ret, struct gsym_error *error)
{
	return load_extent(bytes, size, FACTS, options, ret, error);
}
