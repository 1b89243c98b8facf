/* SPDX-License-Identifier: MIT */
#include "elf/elf_image.h"

#include "base/error.h"
#include "base/pool.h"
#include "elf/elf_file.h"
#include "input/mapping.h"

#include <sys/mman.h>

/* What a container of this room owns. */
struct image {
	void *map;
	size_t map_size;
	struct { GSYM_VEC(uint8_t *); } inflated;
};

/* ELFCOMPRESS_ZSTD, which <elf.h> has since glibc 2.37 only. */
enum { COMPRESS_ZSTD = 2 };

struct inflate_jobs { GSYM_VEC(struct elf_inflate_job); };

static void image_free(void *p)
{
	struct image *image = p;

	for (size_t i = 0; i < image->inflated.count; i++)
		free(image->inflated.items[i]);
	gsym_vec_fini(&image->inflated);
	if (image->map)
		munmap(image->map, image->map_size);
	free(image);
}

bool gsym_elf_bid(const uint8_t *bytes, size_t size)
{
	return size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG);
}

/* ---- sections --------------------------------------------------------- */

/* Whether a section is one that the debug info is read from; others are
 * not inflated. */
static bool is_read(const char *name)
{
	static const char *const names[] = {
		"info", "abbrev", "line", "str", "line_str", "str_offsets",
		"addr", "ranges", "rnglists", "aranges", "types",
	};

	if (!strncmp(name, ".debug_", 7))
		name += 7;
	else if (!strncmp(name, ".zdebug_", 8))
		name += 8;
	else
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);

		if (!strncmp(name, names[i], length) &&
		    (!name[length] || !strcmp(name + length, ".dwo")))
			return true;
	}
	return false;
}

struct elf_strings gsym_elf_strings(const struct elf_file *file, size_t number)
{
	struct elf_strings strings = { NULL, 0 };
	const struct gsym_section *s;

	if (!number || number >= file->container->sections.count)
		return strings;
	s = &file->container->sections.items[number];
	strings.bytes = (const char *)s->data;
	strings.limit = s->data ? (size_t)s->data_size : 0;
	while (strings.limit && strings.bytes[strings.limit - 1])
		strings.limit--;
	return strings;
}

/* Section NUMBER without its name. */
static void read_section(struct elf_file *file, size_t number,
			 const GElf_Shdr *shdr, struct gsym_section *ret)
{
	*ret = (struct gsym_section){
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
	const struct elf_header *h = &file->header;
	struct gsym_container *c = file->container;
	struct elf_strings names;

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
			name = elf_string(&names, shdr.sh_name);
		if (name)
			c->sections.items[i].name = name;
		else
			gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
					    "section %zu: its name is not in "
					    "the table of names", i);
	}
	return GSYM_OK;
}

/* ---- compressed sections ---------------------------------------------- */

/* Read the compression header of JOB's section; false if it is damaged. */
static bool read_compression(const struct elf_file *file, bool old,
			     struct elf_inflate_job *job)
{
	const struct gsym_section *s =
		&file->container->sections.items[job->section];
	struct gsym_cursor c =
		gsym_cursor_init(s->data, (size_t)s->data_size, file->header.swap);
	uint64_t size;
	uint32_t type = ELFCOMPRESS_ZLIB;

	if (old) {
		const uint8_t *magic = gsym_cursor_bytes(&c, 4);

		if (!magic || memcmp(magic, "ZLIB", 4) != 0)
			return false;
		c.swap = !GSYM_HOST_BIG_ENDIAN;
		size = gsym_cursor_u64(&c);
	} else {
		type = gsym_cursor_u32(&c);
		gsym_cursor_skip(&c, file->header.wide ? 4 : 0);
		size = gsym_cursor_uint(&c, file->header.wide ? 8 : 4);
		gsym_cursor_skip(&c, file->header.wide ? 8 : 4);
	}
	if (c.failed || size > SIZE_MAX)
		return false;
	if (type != ELFCOMPRESS_ZLIB && type != COMPRESS_ZSTD)
		return false;
	job->method = type == ELFCOMPRESS_ZLIB ? ELF_INFLATE_ZLIB
					       : ELF_INFLATE_ZSTD;
	job->in = c.at;
	job->in_size = gsym_cursor_left(&c);
	job->out_size = (size_t)size;
	return gsym_elf_inflate_plausible(job->in_size, size);
}

static void warn_compressed(struct gsym_container *c, size_t number,
			    const char *problem)
{
	const struct gsym_section *s = &c->sections.items[number];

	gsym_container_warn(c, GSYM_WARN_BAD_SECTION, "%s at 0x%llx: %s",
			    s->name, (unsigned long long)s->file_offset,
			    problem);
}

/* Note section NUMBER as a job if it is compressed and one that is read.
 * TOTAL bounds what many headers can make of the same few bytes. */
static bool collect_job(struct elf_file *file, size_t number,
			struct inflate_jobs *jobs, uint64_t *total)
{
	struct gsym_section *s = &file->container->sections.items[number];
	struct elf_inflate_job job = { .section = number };
	bool old = !strncmp(s->name, ".zdebug_", 8);
	struct elf_inflate_job *place;
	GElf_Shdr shdr;
	bool sound;

	if (!s->data || !gelf_getshdr(elf_getscn(file->elf, number), &shdr))
		return true;
	if (!old && !(shdr.sh_flags & SHF_COMPRESSED))
		return true;
	sound = read_compression(file, old, &job) &&
		job.out_size <= UINT64_MAX - *total &&
		gsym_elf_inflate_plausible(file->size, *total + job.out_size);
	s->data = NULL;
	s->data_size = 0;
	if (!is_read(s->name))
		return true;
	if (!sound) {
		warn_compressed(file->container, number,
				"its compression header is damaged");
		return true;
	}
	*total += job.out_size;
	place = gsym_vec_push(jobs);
	if (place)
		*place = job;
	return place != NULL;
}

static enum gsym_status inflate_work(void *context, size_t index,
				     unsigned worker)
{
	struct inflate_jobs *jobs = context;

	(void)worker;
	return gsym_elf_inflate(&jobs->items[index]) ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* Hand what was inflated over to the container. */
static void take_inflated(struct gsym_container *c, struct inflate_jobs *jobs)
{
	struct image *image = c->private_data;

	for (size_t i = 0; i < jobs->count; i++) {
		struct elf_inflate_job *job = &jobs->items[i];
		struct gsym_section *s = &c->sections.items[job->section];

		if (job->problem)
			warn_compressed(c, job->section, job->problem);
		if (!job->out)
			continue;
		*gsym_vec_push(&image->inflated) = job->out;
		s->size = job->out_size;
		s->data = job->out;
		s->data_size = job->out_size;
	}
}

static enum gsym_status inflate_sections(struct elf_file *file,
					 unsigned threads,
					 struct gsym_error *error)
{
	struct gsym_container *c = file->container;
	struct image *image = c->private_data;
	struct inflate_jobs jobs = { 0 };
	enum gsym_status status = GSYM_OK;
	uint64_t total = 0;

	for (size_t i = 1; i < c->sections.count && status == GSYM_OK; i++)
		if (!collect_job(file, i, &jobs, &total))
			status = GSYM_ERR_MEMORY;
	if (!gsym_vec_reserve(&image->inflated, jobs.count))
		status = GSYM_ERR_MEMORY;
	if (status == GSYM_OK) {
		status = gsym_pool_run(threads, jobs.count, 0, inflate_work,
				       NULL, &jobs);
		take_inflated(c, &jobs);
	}
	gsym_vec_fini(&jobs);
	return status == GSYM_OK ? GSYM_OK : gsym_fail_memory(error);
}

/* ---- base ------------------------------------------------------------- */

static void find_base(struct elf_file *file)
{
	for (size_t i = 0; i < file->header.segment_count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file->elf, (int)i, &phdr) ||
		    phdr.p_type != PT_LOAD)
			continue;
		file->container->has_base = true;
		file->container->base = phdr.p_vaddr;
		return;
	}
}

/* ---- opening ---------------------------------------------------------- */

/* All of the file, once libelf has it. */
static enum gsym_status load(struct elf_file *file, unsigned threads,
			     struct gsym_error *error)
{
	struct gsym_container *c = file->container;
	enum gsym_status status = read_sections(file, error);

	/* Relocatable objects: here is where their sections get addresses
	 * and, once inflated, their relocations. */
	if (status == GSYM_OK)
		status = inflate_sections(file, threads, error);
	if (status != GSYM_OK)
		return status;
	find_base(file);
	gsym_elf_read_build_id(file);
	if (!gsym_container_find_text(c) || !gsym_elf_read_symbols(file))
		return gsym_fail_memory(error);
	return GSYM_OK;
}

static struct gsym_container *new_container(const struct elf_header *h)
{
	struct gsym_container *c = calloc(1, sizeof(*c));
	struct image *image = calloc(1, sizeof(*image));

	if (!c || !image) {
		free(c);
		free(image);
		return NULL;
	}
	c->format = "ELF";
	c->big_endian = h->swap != GSYM_HOST_BIG_ENDIAN;
	c->address_size = h->wide ? 8 : 4;
	c->relocatable = h->type == ET_REL;
	c->code_bit0 = h->machine == EM_ARM || h->machine == EM_MIPS;
	c->private_data = image;
	c->free_private = image_free;
	return c;
}

enum gsym_status gsym_elf_open_memory(const uint8_t *bytes, size_t size,
				      unsigned threads,
				      struct gsym_container **ret,
				      struct gsym_error *error)
{
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
	if (file.container)
		status = load(&file, threads, error);
	else
		status = gsym_fail_memory(error);
	elf_end(file.elf);
	if (status != GSYM_OK) {
		gsym_container_free(file.container);
		return status;
	}
	*ret = file.container;
	return GSYM_OK;
}

enum gsym_status gsym_elf_open(const char *path, unsigned threads,
			       struct gsym_container **ret,
			       struct gsym_error *error)
{
	enum gsym_status status;
	struct image *image;
	size_t size = 0;
	void *map = NULL;

	status = gsym_map_file(path, &map, &size, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_elf_open_memory(map, size, threads, ret, error);
	if (status != GSYM_OK) {
		munmap(map, size);
		return status;
	}
	image = (*ret)->private_data;
	image->map = map;
	image->map_size = size;
	return GSYM_OK;
}
