/* SPDX-License-Identifier: MIT */
#include "elf/contents.h"

#include "base/error.h"
#include "base/pool.h"
#include "elf/relocate.h"

/* ELFCOMPRESS_ZSTD, which <elf.h> has since glibc 2.37 only. */
enum { COMPRESS_ZSTD = 2 };

/* Names of sections that are read; each also with .dwo behind it, and with
 * a z in front of "debug". */
static const char *const read_names[] = {
	"info", "abbrev", "line", "str", "line_str", "str_offsets",
	"addr", "ranges", "rnglists", "aranges", "types",
	"cu_index", "tu_index",
};

enum {
	READ_NAMES = sizeof(read_names) / sizeof(read_names[0]),
	READ_NUMBERS = READ_NAMES * 4,
	NOT_READ = -1,
};

/* A section whose bytes are made. */
struct job {
	struct gsym_inflate_job inflate;
	struct elf_relocation_problems problems;
};

struct contents {
	struct elf_file *file;
	struct { GSYM_VEC(struct job); } jobs;
	/* Bounds of what many headers can make of the same few bytes. */
	uint64_t inflated;
	uint64_t copied;
	/* For relocatable objects. */
	struct elf_relocator relocator;
};

/* A number for NAME, or NOT_READ. */
static int read_number(const char *name)
{
	int number = 0;

	if (!strncmp(name, ".debug_", 7)) {
		name += 7;
	} else if (!strncmp(name, ".zdebug_", 8)) {
		name += 8;
		number = READ_NAMES * 2;
	} else {
		return NOT_READ;
	}
	for (int i = 0; i < READ_NAMES; i++) {
		size_t length = strlen(read_names[i]);

		if (strncmp(name, read_names[i], length) != 0)
			continue;
		if (!name[length])
			return number + i;
		if (!strcmp(name + length, ".dwo"))
			return number + READ_NAMES + i;
	}
	return NOT_READ;
}

bool gsym_elf_is_read(const char *name)
{
	return read_number(name) != NOT_READ;
}

static void warn_section(struct gsym_container *c, size_t number,
			 const char *problem)
{
	const struct gsym_container_section *s = &c->sections.items[number];

	gsym_container_warn(c, GSYM_WARN_BAD_SECTION, "%s at 0x%llx: %s",
			    s->name, (unsigned long long)s->file_offset,
			    problem);
}

/* ---- compressed sections ---------------------------------------------- */

/* Read the compression header of JOB's section; false if it is damaged. */
static bool read_compression(const struct elf_file *file, bool old,
			     struct gsym_inflate_job *job)
{
	const struct gsym_container_section *s =
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
	job->method = type == ELFCOMPRESS_ZLIB ? GSYM_INFLATE_ZLIB
					       : GSYM_INFLATE_ZSTD;
	job->in = c.at;
	job->in_size = gsym_cursor_left(&c);
	job->out_size = (size_t)size;
	return gsym_inflate_plausible(job->in_size, size);
}

/* Fill JOB for a compressed section; false if that is damaged. */
static bool plan_compressed(struct contents *contents, bool old,
			    struct gsym_inflate_job *job)
{
	if (!read_compression(contents->file, old, job) ||
	    job->out_size > UINT64_MAX - contents->inflated ||
	    !gsym_inflate_plausible(contents->file->size,
					contents->inflated + job->out_size))
		return false;
	contents->inflated += job->out_size;
	return true;
}

/* ---- jobs --------------------------------------------------------------- */

/* Fill JOB for a section that is in the file as it is. */
static bool plan_stored(struct contents *contents,
			const struct gsym_container_section *s,
			struct gsym_inflate_job *job)
{
	if (s->data_size > contents->file->size - contents->copied)
		return false;
	contents->copied += s->data_size;
	job->method = GSYM_INFLATE_STORED;
	job->in = s->data;
	job->in_size = job->out_size = (size_t)s->data_size;
	return true;
}

/* Note section NUMBER as a job if it is one that is read, and compressed or
 * to be relocated. */
static bool collect_job(struct contents *contents, size_t number)
{
	struct elf_file *file = contents->file;
	struct gsym_container_section *s =
		&file->container->sections.items[number];
	struct job job = { .inflate.section = number };
	bool old = !strncmp(s->name, ".zdebug_", 8);
	bool compressed;
	struct job *place;
	GElf_Shdr shdr;
	bool sound;

	if (!s->data || !gelf_getshdr(elf_getscn(file->elf, number), &shdr))
		return true;
	compressed = old || (shdr.sh_flags & SHF_COMPRESSED);
	if (!compressed && !gsym_elf_is_relocated(&contents->relocator, number))
		return true;
	if (!gsym_elf_is_read(s->name))
		sound = true;
	else if (compressed)
		sound = plan_compressed(contents, old, &job.inflate);
	else
		sound = plan_stored(contents, s, &job.inflate);
	s->data = NULL;
	s->data_size = 0;
	if (!sound)
		warn_section(file->container, number,
			     compressed ? "its compression header is damaged" :
					  "it lies over others");
	if (!sound || !gsym_elf_is_read(s->name))
		return true;
	s->size = job.inflate.out_size;
	place = gsym_vec_push(&contents->jobs);
	if (place)
		*place = job;
	return place != NULL;
}

static enum gsym_status work(void *context, size_t index, unsigned worker)
{
	struct contents *contents = context;
	struct job *job = &contents->jobs.items[index];
	struct gsym_inflate_job *inflate = &job->inflate;
	const struct gsym_container_section *s =
		&contents->file->container->sections.items[inflate->section];

	(void)worker;
	if (!gsym_inflate(inflate))
		return GSYM_ERR_MEMORY;
	if (inflate->out &&
	    gsym_elf_is_relocated(&contents->relocator, inflate->section))
		gsym_elf_relocate(&contents->relocator, inflate->section,
				  s->address, inflate->out, inflate->out_size,
				  &job->problems);
	return GSYM_OK;
}

/* Hand what was made over to the container. */
static void take_made(struct contents *contents)
{
	struct gsym_container *c = contents->file->container;

	for (size_t i = 0; i < contents->jobs.count; i++) {
		struct job *job = &contents->jobs.items[i];
		struct gsym_inflate_job *inflate = &job->inflate;
		struct gsym_container_section *s =
			&c->sections.items[inflate->section];

		if (inflate->problem)
			warn_section(c, inflate->section, inflate->problem);
		gsym_elf_warn_relocations(c, inflate->section, &job->problems);
		if (!inflate->out)
			continue;
		*gsym_vec_push(&c->made) = inflate->out;
		s->data = inflate->out;
		s->data_size = inflate->out_size;
	}
}

static enum gsym_status run_jobs(struct contents *contents, unsigned threads)
{
	struct gsym_container *c = contents->file->container;
	enum gsym_status status;

	if (!gsym_vec_reserve(&c->made, contents->jobs.count))
		return GSYM_ERR_MEMORY;
	status = gsym_pool_run(threads, contents->jobs.count, 0, work, NULL,
			       contents);
	take_made(contents);
	return status;
}

/* ---- several sections of one name ----------------------------------------- */

/*
 * A compiler that puts types, or macros, into groups of their own makes
 * several sections of one name.  Linkers put them one behind the other, and
 * so do we: a section's address is its offset in the whole.
 */
static void place_parts(struct contents *contents)
{
	struct gsym_container *c = contents->file->container;
	uint64_t ends[READ_NUMBERS] = { 0 };

	for (size_t i = 1; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];
		int number = read_number(s->name);

		if (number == NOT_READ || s->loaded)
			continue;
		s->address = ends[number];
		/* A sum that overflows is of more than join_parts takes. */
		ends[number] += s->size;
	}
}

/* All parts of the sections with NUMBER; FIRST is the first of them. */
static bool join(struct contents *contents, int number, size_t first,
		 size_t size)
{
	struct gsym_container *c = contents->file->container;
	uint8_t *whole = malloc(size ? size : 1);
	size_t at = 0;
	bool whole_yet = true;

	if (!whole || !gsym_container_own(c, whole)) {
		free(whole);
		return false;
	}
	for (size_t i = first; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];

		if (s->loaded || read_number(s->name) != number)
			continue;
		/* What follows a lost part would be in the wrong place. */
		whole_yet = whole_yet && s->data_size == s->size;
		if (whole_yet && s->data_size) {
			memcpy(whole + at, s->data, (size_t)s->data_size);
			at += (size_t)s->data_size;
		}
		s->data = NULL;
		s->data_size = s->size = 0;
	}
	c->sections.items[first].data = whole;
	c->sections.items[first].data_size = at;
	c->sections.items[first].size = at;
	return true;
}

static bool join_parts(struct contents *contents)
{
	struct gsym_container *c = contents->file->container;
	/* No sound file has sections that overlap. */
	uint64_t limit = contents->file->size + contents->inflated;
	struct {
		size_t first;
		size_t parts;
		uint64_t size;
	} whole[READ_NUMBERS] = { 0 };
	bool ok = true;

	for (size_t i = 1; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];
		int number = read_number(s->name);

		if (number == NOT_READ || s->loaded)
			continue;
		if (!whole[number].parts++)
			whole[number].first = i;
		if (whole[number].size <= limit)
			whole[number].size += s->data_size;
	}
	for (int i = 0; i < READ_NUMBERS && ok; i++) {
		if (whole[i].parts < 2)
			continue;
		if (whole[i].size <= limit && whole[i].size <= SIZE_MAX)
			ok = join(contents, i, whole[i].first,
				  (size_t)whole[i].size);
		else
			warn_section(c, whole[i].first,
				     "its parts lie over each other");
	}
	return ok;
}

enum gsym_status gsym_elf_make_contents(struct elf_file *file,
					unsigned threads,
					struct gsym_error *error)
{
	struct gsym_container *c = file->container;
	struct contents contents = { .file = file };
	bool ok = !c->relocatable ||
		  gsym_elf_relocator_init(&contents.relocator, file);

	for (size_t i = 1; i < c->sections.count && ok; i++)
		ok = collect_job(&contents, i);
	if (ok && c->relocatable) {
		place_parts(&contents);
		ok = gsym_elf_relocator_learn(&contents.relocator, file);
	}
	ok = ok && run_jobs(&contents, threads) == GSYM_OK;
	if (ok && c->relocatable)
		ok = join_parts(&contents);
	gsym_vec_fini(&contents.jobs);
	gsym_elf_relocator_fini(&contents.relocator);
	return ok ? GSYM_OK : gsym_fail_memory(error);
}
