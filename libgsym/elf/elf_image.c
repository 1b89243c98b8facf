/* SPDX-License-Identifier: MIT */
#include "elf/elf_image.h"

#include "base/error.h"
#include "elf/contents.h"
#include "elf/place.h"

bool gsym_elf_matches(const uint8_t *bytes, size_t size)
{
	return size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG);
}

/* ---- sections --------------------------------------------------------- */

struct elfview_strings gsym_elf_strings(const struct elf_file *file,
					size_t number)
{
	static const struct elfview_strings none;
	const struct gsym_container_section *s;

	if (!number || number >= file->container->sections.count)
		return none;
	s = &file->container->sections.items[number];
	return gsym_elfview_strings(s->data, s->data_size);
}

/* Section NUMBER without its name. */
static void read_section(struct elf_file *file, size_t number,
			 const GElf_Shdr *shdr,
			 struct gsym_container_section *ret)
{
	*ret = (struct gsym_container_section){
		.name = "",
		.address = shdr->sh_addr,
		.size = shdr->sh_size,
		.file_offset = shdr->sh_offset,
		.loaded = shdr->sh_flags & SHF_ALLOC,
		.executable = shdr->sh_flags & SHF_EXECINSTR,
	};
	if (shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL ||
	    !shdr->sh_size)
		return;
	if (shdr->sh_offset > file->size ||
	    shdr->sh_size > file->size - shdr->sh_offset) {
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "section %zu: 0x%llx bytes at 0x%llx reach "
				    "beyond the end of the file", number,
				    (unsigned long long)shdr->sh_size,
				    (unsigned long long)shdr->sh_offset);
		return;
	}
	ret->data = file->bytes + shdr->sh_offset;
	ret->data_size = shdr->sh_size;
}

static enum gsym_status read_sections(struct elf_file *file,
				      struct gsym_error *error)
{
	const struct elfview *h = &file->header;
	struct gsym_container *c = file->container;
	struct elfview_strings names;

	if (!gsym_vec_reserve(&c->sections, h->section_count))
		return gsym_fail_memory(error);
	for (size_t i = 0; i < h->section_count; i++) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(elf_getscn(file->elf, i), &shdr))
			return gsym_fail(error, GSYM_ERR_CORRUPT,
					 h->section_table,
					 "section headers: number %zu: %s", i,
					 elf_errmsg(-1));
		read_section(file, i, &shdr, gsym_vec_push(&c->sections));
	}
	names = gsym_elf_strings(file, h->names);
	for (size_t i = 1; i < h->section_count; i++) {
		GElf_Shdr shdr;
		const char *name = NULL;

		if (gelf_getshdr(elf_getscn(file->elf, i), &shdr))
			name = elfview_string(&names, shdr.sh_name);
		if (name)
			c->sections.items[i].name = name;
		else
			gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
					    "section %zu: its name is not in "
					    "the table of names", i);
	}
	return GSYM_OK;
}

/* ---- opening ---------------------------------------------------------- */

/* All of the file, once libelf has it. */
static enum gsym_status load(struct elf_file *file, enum elf_extent extent,
			     const struct gsym_convert_options *options,
			     struct gsym_error *error)
{
	struct gsym_container *c = file->container;
	enum gsym_status status = read_sections(file, error);

	if (status == GSYM_OK && c->relocatable)
		status = gsym_elf_place(file, options->section_bases,
					options->section_base_count, error);
	if (status == GSYM_OK && extent == ELF_ALL)
		status = gsym_elf_make_contents(file, options->threads, error);
	if (status != GSYM_OK)
		return status;
	gsym_elf_read_build_id(file);
	if (!gsym_elf_read_segments(file) || !gsym_container_collect_text(c))
		return gsym_fail_memory(error);
	if (extent != ELF_FACTS && !gsym_elf_read_symbols(file))
		return gsym_fail_memory(error);
	if (extent == ELF_ALL && !gsym_elf_read_debugdata(file))
		return gsym_fail_memory(error);
	return GSYM_OK;
}

/* Bytes of copied names for a byte of the file, and beyond. */
enum { NAME_SHARE = 16, SPARE_NAMES = 1 << 28 };

static struct gsym_container *new_container(const struct elfview *h)
{
	struct gsym_container *c = calloc(1, sizeof(*c));
	struct elf_image *image = calloc(1, sizeof(*image));

	if (!c || !image) {
		free(c);
		free(image);
		return NULL;
	}
	c->format = GSYM_FORMAT_ELF;
	gsym_elf_architecture(h, c->architecture, sizeof(c->architecture));
	c->big_endian = h->swap != GSYM_HOST_BIG_ENDIAN;
	c->address_size = h->wide ? 8 : 4;
	c->relocatable = h->type == ET_REL;
	c->code_bit0 = h->machine == EM_ARM || h->machine == EM_MIPS;
	c->private_data = image;
	c->free_private = free;
	return c;
}

enum gsym_status
gsym_elf_load_extent(const uint8_t *bytes, size_t size, enum elf_extent extent,
		     const struct gsym_convert_options *options,
		     struct gsym_container **ret, struct gsym_error *error)
{
	static const struct gsym_convert_options usual = { .threads = 1 };
	struct elf_file file = { .bytes = bytes, .size = size };
	enum gsym_status status =
		gsym_elf_read_header(bytes, size, &file.header, error);

	if (status != GSYM_OK)
		return status;
	elf_version(EV_CURRENT);
	/* libelf never writes to the memory; its argument is older than
	 * const. */
	file.elf = elf_memory((char *)bytes, size);
	if (!file.elf)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0, "elf header: %s",
				 elf_errmsg(-1));
	file.container = new_container(&file.header);
	/* Names without their versions are copied, and many may be the ends
	 * of one that is long. */
	if (file.container)
		file.container->arena.limit =
			size < (SIZE_MAX - SPARE_NAMES) / NAME_SHARE ?
				size * NAME_SHARE + SPARE_NAMES :
				SIZE_MAX;
	if (file.container)
		status = load(&file, extent, options ? options : &usual,
			      error);
	else
		status = gsym_fail_memory(error);
	elf_end(file.elf);
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
	return gsym_elf_load_extent(bytes, size, ELF_ALL, options, ret, error);
}

enum gsym_status gsym_elf_open(const char *path, unsigned threads,
			       struct gsym_container **ret,
			       struct gsym_error *error)
{
	const struct gsym_convert_options options = { .threads = threads };

	return gsym_container_open(path, gsym_elf_load, &options, ret, error);
}

static enum gsym_status load_facts(const uint8_t *bytes, size_t size,
				   const struct gsym_convert_options *options,
				   struct gsym_container **ret,
				   struct gsym_error *error)
{
	return gsym_elf_load_extent(bytes, size, ELF_FACTS, options, ret,
				    error);
}

enum gsym_status gsym_elf_open_facts(const char *path,
				     struct gsym_container **ret,
				     struct gsym_error *error)
{
	return gsym_container_open(path, load_facts, NULL, ret, error);
}
