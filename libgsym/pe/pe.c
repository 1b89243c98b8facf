/* SPDX-License-Identifier: MIT */
/* Loads a PE program as a container. */
#include "pe/pe.h"

#include "base/error.h"
#include "container/inflate.h"
#include "pe/pe_file.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	DOS_PE_OFFSET = 0x3c, /* offset of the field with the offset of the PE
			       * header */
	SECTION_SIZE = 40,
	SYMBOL_SIZE = 18,
	NAME_SIZE = 8,
	OPTIONAL_32 = 0x10b,
	OPTIONAL_64 = 0x20b,
	/* Flags of sections. */
	HAS_CODE = 0x20,
	HAS_NO_BYTES = 0x80,
	EXECUTABLE = 0x20000000,
	/* Storage classes and types of symbols. */
	CLASS_EXTERNAL = 2,
	CLASS_STATIC = 3,
	CLASS_LABEL = 6,
	CLASS_WEAK = 105,
	TYPE_FUNCTION = 0x20,
};

static const uint32_t WRITABLE = 0x80000000;

bool gsym_pe_matches(const uint8_t *bytes, size_t size)
{
	return size >= DOS_PE_OFFSET + 4 && bytes[0] == 'M' && bytes[1] == 'Z';
}

/* ---- names ------------------------------------------------------------ */

/* The string at OFFSET of the string table; NULL if there is none. */
static const char *long_name(const struct pe_file *file, uint64_t offset)
{
	struct gsym_cursor c = file->strings;
	const char *name;

	/* A file without symbols has no strings either. */
	if (offset < 4 || !gsym_cursor_left(&c))
		return NULL;
	gsym_cursor_seek(&c, offset);
	name = gsym_cursor_string(&c);
	return c.failed ? NULL : name;
}

/* The name in the NAME_SIZE bytes at BYTES, which need not end with a NUL; NULL
 * without memory. */
static const char *short_name(struct gsym_container *c, const uint8_t *bytes)
{
	return gsym_arena_string(&c->arena, (const char *)bytes,
				 strnlen((const char *)bytes, NAME_SIZE));
}

/* The name of a section.  BYTES in its header are the name itself, or "/" and
 * the decimal offset of a longer name among the strings. */
static const char *section_name(const struct pe_file *file,
				const uint8_t *bytes)
{
	uint64_t offset = 0;
	const char *name;

	if (bytes[0] != '/')
		return short_name(file->container, bytes);
	for (size_t i = 1; i < NAME_SIZE && bytes[i]; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return short_name(file->container, bytes);
		offset = 10 * offset + (bytes[i] - '0');
	}
	name = long_name(file, offset);
	return name ? name : short_name(file->container, bytes);
}

/* Find the strings: they follow the symbols, and begin with their size. */
static void find_strings(struct pe_file *file)
{
	uint64_t at = file->symbols + (uint64_t)file->symbol_count *
						SYMBOL_SIZE;
	struct gsym_cursor c = gsym_pe_cursor(file, at);
	uint32_t size = file->symbols ? gsym_cursor_u32(&c) : 0;

	if (c.failed || size < 4)
		return;
	if (size > file->size - at)
		size = (uint32_t)(file->size - at);
	file->strings = gsym_cursor_init(file->bytes + at, size,
					 GSYM_HOST_BIG_ENDIAN);
}

/* ---- sections --------------------------------------------------------- */

static bool put_section(struct pe_file *file, struct gsym_cursor *c)
{
	struct gsym_container *container = file->container;
	const uint8_t *name = gsym_cursor_bytes(c, NAME_SIZE);
	uint32_t size = gsym_cursor_u32(c);
	uint64_t address = file->base + gsym_cursor_u32(c);
	uint32_t stored = gsym_cursor_u32(c);
	uint32_t offset = gsym_cursor_u32(c);
	struct gsym_container_section *s;
	uint32_t flags;

	gsym_cursor_skip(c, 12);
	flags = gsym_cursor_u32(c);
	s = gsym_vec_push(&container->sections);
	if (!s)
		return false;
	*s = (struct gsym_container_section){
		.name = section_name(file, name),
		.address = address,
		.size = size ? size : stored,
		.file_offset = offset,
		.loaded = true,
		.executable = flags & (EXECUTABLE | HAS_CODE),
	};
	if (!s->name)
		return false;
	s->loaded = strncmp(s->name, ".debug_", 7) &&
		    strncmp(s->name, ".zdebug_", 8);
	/* Bytes beyond the size in memory only align the next section. */
	if (stored > s->size)
		stored = (uint32_t)s->size;
	if (!(flags & HAS_NO_BYTES) && offset && stored) {
		if (offset > file->size || stored > file->size - offset) {
			gsym_container_warn(container, GSYM_WARN_BAD_SECTION,
					    "section %.64s: 0x%x bytes at 0x%x "
					    "reach beyond the end of the file",
					    s->name, stored, offset);
		} else {
			s->data = file->bytes + offset;
			s->data_size = stored;
		}
	}
	if (!s->loaded)
		return true;
	return gsym_container_add_segment(
		container,
		(struct gsym_segment){ .address = address,
				       .data_size = s->data_size,
				       .writable = flags & WRITABLE,
				       .executable = s->executable },
		file->bytes, file->size, offset);
}

static enum gsym_status read_sections(struct pe_file *file,
				      struct gsym_error *error)
{
	uint64_t at = file->optional + file->optional_size;
	struct gsym_cursor c = gsym_pe_cursor(file, at);

	if (!gsym_cursor_need(&c, (uint64_t)file->section_count * SECTION_SIZE))
		return gsym_fail(error, GSYM_ERR_CORRUPT, at,
				 "pe section headers: %u at 0x%" PRIx64
				 " reach beyond the end of the file",
				 file->section_count, at);
	for (unsigned i = 0; i < file->section_count; i++)
		if (!put_section(file, &c))
			return gsym_fail_memory(error);
	return GSYM_OK;
}

/* ---- symbols ---------------------------------------------------------- */

/* Append the symbol at C, if it is in a section; *MORE becomes the number of
 * auxiliary records after it.  False without memory. */
static bool put_symbol(struct pe_file *file, struct gsym_cursor *c,
		       unsigned *more)
{
	struct gsym_container *container = file->container;
	const uint8_t *name = gsym_cursor_bytes(c, NAME_SIZE);
	uint32_t value = gsym_cursor_u32(c);
	uint16_t section = gsym_cursor_u16(c);
	uint16_t type = gsym_cursor_u16(c);
	uint8_t class = gsym_cursor_u8(c);
	const struct gsym_container_section *s;
	struct gsym_symbol symbol;

	*more = gsym_cursor_u8(c);
	/* A static symbol with auxiliary records is a section, unless it is a
	 * function. */
	if (!section || section > container->sections.count ||
	    (class == CLASS_STATIC && *more && type != TYPE_FUNCTION) ||
	    (class != CLASS_EXTERNAL && class != CLASS_STATIC &&
	     class != CLASS_LABEL && class != CLASS_WEAK))
		return true;
	s = &container->sections.items[section - 1];
	symbol = (struct gsym_symbol){
		.name = gsym_load_u32(name, false)
				? short_name(container, name)
				: long_name(file, gsym_load_u32(
					name + 4, GSYM_HOST_BIG_ENDIAN)),
		.value = s->address + value,
		.section = section - 1u,
		.type = type == TYPE_FUNCTION ? GSYM_SYMBOL_FUNCTION
			: s->executable	      ? GSYM_SYMBOL_NONE
					      : GSYM_SYMBOL_OBJECT,
		.binding = class == CLASS_EXTERNAL ? GSYM_SYMBOL_GLOBAL
			   : class == CLASS_WEAK   ? GSYM_SYMBOL_WEAK
						   : GSYM_SYMBOL_LOCAL,
	};
	if (!symbol.name)
		return true;
	if (s->executable)
		gsym_pe_bound(file, &symbol);
	if (!gsym_vec_reserve(&container->symbols, 1))
		return false;
	container->symbols.items[container->symbols.count++] = symbol;
	return true;
}

static bool read_symbols(struct pe_file *file)
{
	struct gsym_container *container = file->container;
	struct gsym_cursor c = gsym_pe_cursor(file, file->symbols);
	uint64_t left = file->symbols ? file->symbol_count : 0;

	if (left && !gsym_cursor_need(&c, left * SYMBOL_SIZE)) {
		gsym_container_warn(container, GSYM_WARN_BAD_SECTION,
				    "symbol table: it reaches beyond the end "
				    "of the file");
		return true;
	}
	container->symbol_bytes = left * SYMBOL_SIZE +
				  gsym_cursor_left(&file->strings);
	while (left) {
		unsigned more = 0;

		if (!put_symbol(file, &c, &more))
			return false;
		left--;
		if (more > left)
			more = (unsigned)left;
		gsym_cursor_skip(&c, more * (uint64_t)SYMBOL_SIZE);
		left -= more;
	}
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

static bool new_container(struct pe_file *file, bool wide)
{
	struct gsym_container *c = calloc(1, sizeof(*c));

	if (!c)
		return false;
	c->format = GSYM_FORMAT_PE;
	c->address_size = wide ? 8 : 4;
	c->code_bit0 = file->machine == PE_MACHINE_ARM ||
		       file->machine == PE_MACHINE_ARMNT;
	c->has_base = true;
	c->base = file->base;
	set_architecture(c, file->machine);
	file->container = c;
	return true;
}

/* Read the file header and the optional header, and make the container. */
static enum gsym_status read_headers(struct pe_file *file,
				     struct gsym_error *error)
{
	struct gsym_cursor c = gsym_pe_cursor(file, DOS_PE_OFFSET);
	uint32_t entry;
	uint16_t magic;

	file->header = gsym_cursor_u32(&c);
	c = gsym_pe_cursor(file, file->header);
	if (!gsym_pe_matches(file->bytes, file->size) ||
	    gsym_cursor_u32(&c) != 0x4550)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0, "no pe file");
	file->machine = gsym_cursor_u16(&c);
	file->section_count = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 4);
	file->symbols = gsym_cursor_u32(&c);
	file->symbol_count = gsym_cursor_u32(&c);
	file->optional_size = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 2);
	file->optional = gsym_cursor_offset(&c);
	magic = gsym_cursor_u16(&c);
	gsym_cursor_skip(&c, 14);
	entry = gsym_cursor_u32(&c);
	gsym_cursor_skip(&c, magic == OPTIONAL_64 ? 4 : 8);
	file->base = gsym_cursor_uint(&c, magic == OPTIONAL_64 ? 8 : 4);
	if (c.failed)
		return gsym_fail(error, GSYM_ERR_CORRUPT, file->header,
				 "pe header: the file ends within it");
	if (magic != OPTIONAL_32 && magic != OPTIONAL_64)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, file->header,
				 "pe header: the optional header is of kind "
				 "0x%x",
				 magic);
	if (!new_container(file, magic == OPTIONAL_64))
		return gsym_fail_memory(error);
	file->container->entry = entry ? file->base + entry : 0;
	return GSYM_OK;
}

/* Read symbols, text ranges and compressed sections; false without memory. */
static bool read_contents(struct pe_file *file)
{
	struct gsym_container *c = file->container;

	/* The COFF symbols have all exported names, and more. */
	return gsym_container_collect_text(c) &&
	       gsym_pe_read_functions(file) && read_symbols(file) &&
	       (c->symbols.count || gsym_pe_read_exports(file)) &&
	       gsym_pe_name_parts(file) && gsym_inflate_zdebug(c, file->size);
}

enum gsym_status gsym_pe_load(const uint8_t *bytes, size_t size,
			      const struct gsym_convert_options *options,
			      struct gsym_container **ret,
			      struct gsym_error *error)
{
	struct pe_file file = {
		.bytes = bytes,
		.size = size,
		.strings = gsym_cursor_init(NULL, 0, GSYM_HOST_BIG_ENDIAN),
	};
	enum gsym_status status = read_headers(&file, error);

	(void)options;
	if (status == GSYM_OK) {
		find_strings(&file);
		status = read_sections(&file, error);
	}
	if (status == GSYM_OK && !read_contents(&file))
		status = gsym_fail_memory(error);
	if (status == GSYM_OK) {
		gsym_pe_read_identity(&file);
		*ret = file.container;
	} else {
		gsym_container_free(file.container);
	}
	gsym_vec_fini(&file.functions);
	return status;
}
