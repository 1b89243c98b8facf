/* SPDX-License-Identifier: MIT */
/*
 * Inflates, relocates and joins the sections of an ELF file that are read, on
 * several threads, and gives those of a relocatable object their addresses.
 */
#include "elf/elf.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "container/container.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* A section whose bytes are inflated or copied, and relocated. */
struct job {
	size_t section;
	struct gsym_inflate_job inflate;
	struct elf_relocation_problems problems;
	/* Its first part; its parts end where those of the next job begin. */
	size_t first;
};

/* A step makes the memory of a part's output present, or writes the output.
 * Two threads may do both steps of a part at once.  So the thread that inflates
 * the largest section leaves the system's share of the work to another one. */
struct step {
	uint64_t key; /* large parts are begun first */
	size_t part;
	bool fills;
};

struct contents {
	struct elf_file *file;
	GSYM_VEC_OF(struct job) jobs;
	/* What threads may do apart: the parts of all jobs. */
	struct gsym_inflate_parts parts;
	/* The steps in the order in which they are begun. */
	GSYM_VEC_OF(struct step) steps;
	/* Bytes that all jobs inflate and copy.  Both are bounded: many
	 * section headers can claim the same bytes of the file. */
	uint64_t inflated;
	uint64_t copied;
	/* Steps that are not over. */
	atomic_size_t left;
	/* Empty unless the file is a relocatable object. */
	struct elf_relocator relocator;
};

/* ---- debug sections of one name ----------------------------------------- */

/* A compiler that puts types, or macros, into section groups makes several
 * sections of one name.  A linker appends them in the order of their headers;
 * so do these functions. */

/* The debug number of S; ELF_NOT_READ if it is not read, or loaded. */
static int number_of(const struct gsym_container_section *s)
{
	return s->loaded ? ELF_NOT_READ : gsym_elf_debug_number(s->name);
}

/* Make the address of each debug section that is read its offset among all
 * sections of its name. */
static void place_parts(struct gsym_container *c)
{
	uint64_t ends[ELF_DEBUG_NUMBERS] = { 0 };

	for (size_t i = 1; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];
		int number = number_of(s);

		if (number == ELF_NOT_READ)
			continue;
		s->address = ends[number];
		/* A sum that overflows is above join_parts' limit. */
		ends[number] += s->size;
	}
}

/* Join the sections of debug number NUMBER, SIZE bytes together; FIRST is the
 * first of them. */
static bool join(struct gsym_container *c, int number, size_t first,
		 size_t size)
{
	uint8_t *whole = malloc(size ? size : 1);
	size_t at = 0;
	bool complete = true;

	if (!whole || !gsym_vec_add(&c->made, whole)) {
		free(whole);
		return false;
	}
	for (size_t i = first; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];

		if (number_of(s) != number)
			continue;
		/* Bytes after a lost part would be in the wrong place. */
		complete = complete && s->data_size == s->size;
		if (complete && s->data_size) {
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

/* Give the first section of each name the bytes of all; the others become
 * empty.  Sections of one name with more than LIMIT bytes together overlap in
 * the file: they are left alone, with a warning.  False without memory. */
static bool join_parts(struct gsym_container *c, uint64_t limit)
{
	struct {
		size_t first;
		size_t parts;
		uint64_t size;
	} whole[ELF_DEBUG_NUMBERS] = { 0 };
	bool ok = true;

	for (size_t i = 1; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];
		int number = number_of(s);

		if (number == ELF_NOT_READ)
			continue;
		if (!whole[number].parts++)
			whole[number].first = i;
		if (whole[number].size <= limit)
			whole[number].size += s->data_size;
	}
	for (int i = 0; i < ELF_DEBUG_NUMBERS && ok; i++) {
		if (whole[i].parts < 2)
			continue;
		if (whole[i].size <= limit && whole[i].size <= SIZE_MAX)
			ok = join(c, i, whole[i].first, (size_t)whole[i].size);
		else
			gsym_container_warn_section(
				c, &c->sections.items[whole[i].first],
				"its parts overlap in the file");
	}
	return ok;
}

/* ---- planning ----------------------------------------------------------- */

/* Read the compression header of S, a section with ELFVIEW_COMPRESSED, to JOB;
 * false if it is damaged. */
static bool read_compression(const struct elfview *v,
			     const struct gsym_container_section *s,
			     struct gsym_inflate_job *job)
{
	struct gsym_cursor c =
		gsym_cursor_init(s->data, (size_t)s->data_size, v->swap);
	uint32_t type = gsym_cursor_u32(&c);
	uint64_t size;

	gsym_cursor_skip(&c, v->wide ? 4 : 0);
	size = gsym_cursor_uint(&c, elfview_word(v));
	gsym_cursor_skip(&c, elfview_word(v)); /* alignment */
	if (c.failed || size > SIZE_MAX ||
	    (type != ELFCOMPRESS_ZLIB && type != ELFCOMPRESS_ZSTD))
		return false;
	*job = (struct gsym_inflate_job){
		.method = type == ELFCOMPRESS_ZLIB ? GSYM_INFLATE_ZLIB
						   : GSYM_INFLATE_ZSTD,
		.in = c.at,
		.in_size = gsym_cursor_left(&c),
		.out_size = (size_t)size,
	};
	return true;
}

static bool is_old(const struct gsym_container_section *s)
{
	return !strncmp(s->name, ".zdebug_", 8);
}

/* Fill JOB for S, a compressed section; false if it is damaged or may not be
 * inflated: JOB has a problem then, or the compression header is damaged. */
static bool plan_compressed(struct contents *contents,
			    const struct gsym_container_section *s,
			    struct gsym_inflate_job *job)
{
	const struct elfview *v = &contents->file->view;
	bool sound = is_old(s) ? gsym_inflate_read_zdebug(
					 s->data, (size_t)s->data_size, job)
			       : read_compression(v, s, job);

	return sound && gsym_inflate_admit(job, v->size, &contents->inflated);
}

/* Fill JOB for S, which is stored as it is; false if more is copied than the
 * file has. */
static bool plan_stored(struct contents *contents,
			const struct gsym_container_section *s,
			struct gsym_inflate_job *job)
{
	if (s->data_size > contents->file->view.size - contents->copied)
		return false;
	contents->copied += s->data_size;
	*job = (struct gsym_inflate_job){
		.method = GSYM_INFLATE_STORED,
		.in = s->data,
		.in_size = (size_t)s->data_size,
		.out_size = (size_t)s->data_size,
	};
	return true;
}

/* Whether S, a section with JOB, is left compressed.  Units can be read while
 * .debug_info is inflated only if .debug_aranges says where they are, and if
 * they do not refer to the partial units that dwz makes. */
static bool is_read_in_passing(const struct contents *contents,
			       struct gsym_container_section *s,
			       const struct gsym_inflate_job *job)
{
	const struct elf_file *file = contents->file;
	struct gsym_container *c = file->container;

	return file->passing && !c->passing && !c->relocatable &&
	       job->method != GSYM_INFLATE_STORED &&
	       gsym_container_section(c, ".debug_info") == s &&
	       gsym_container_section(c, ".debug_aranges") &&
	       !gsym_container_section(c, ".gnu_debugaltlink") &&
	       gsym_passing_begin(c, s, job, file->mapped);
}

/* Add a job for section NUMBER if it is compressed or to be relocated.  The
 * section has no bytes until its job is done; if it is not read, there is no
 * job.  False without memory. */
static bool collect_job(struct contents *contents, size_t number)
{
	struct elf_file *file = contents->file;
	struct gsym_container_section *s =
		&file->container->sections.items[number];
	struct gsym_container_section stored = *s;
	struct job job = { .section = number };
	bool compressed;
	bool sound;

	if (!s->data)
		return true;
	compressed =
		is_old(s) || gsym_elfview_section(&file->view, number).flags &
				     ELFVIEW_COMPRESSED;
	if (!compressed && !elf_is_relocated(&contents->relocator, number))
		return true;
	s->data = NULL;
	s->data_size = 0;
	/* No loaded section of a sound file is compressed. */
	if (!gsym_elf_is_read(file, number) || (compressed && file->for_data))
		return true;
	sound = compressed ? plan_compressed(contents, &stored, &job.inflate)
			   : plan_stored(contents, &stored, &job.inflate);
	if (!sound) {
		const char *problem = job.inflate.problem;

		if (!problem)
			problem = compressed ? "its compression header is "
					       "damaged"
					     : "it overlaps other sections";
		gsym_container_warn_section(file->container, s, problem);
		return true;
	}
	s->size = job.inflate.out_size;
	s->packed_size = compressed ? stored.data_size : 0;
	return is_read_in_passing(contents, s, &job.inflate) ||
	       gsym_vec_add(&contents->jobs, job);
}

/* ---- working ------------------------------------------------------------ */

static enum gsym_status fill(struct contents *contents,
			     struct gsym_inflate_job *part)
{
	if (!gsym_inflate_fill(part))
		return GSYM_ERR_MEMORY;
	/* Compressed and inflated bytes together would be the most memory that
	 * the conversion of a small program takes. */
	if (contents->file->mapped)
		gsym_pages_release(part->in, part->in_size);
	return GSYM_OK;
}

static enum gsym_status work_step(struct contents *contents, size_t index)
{
	const struct step *step = &contents->steps.items[index];
	struct gsym_inflate_job *part = &contents->parts.items[step->part];
	enum gsym_status status = GSYM_OK;

	if (step->fills)
		status = fill(contents, part);
	else
		gsym_pages_populate(part->out, part->out_size);
	contents->left--;
	return status;
}

/* Do step INDEX.  The index after the last step: until all steps are over,
 * inflate the first bytes of the section that stays compressed. */
static enum gsym_status work(void *context, size_t index, unsigned worker)
{
	struct contents *contents = context;

	(void)worker;
	if (index < contents->steps.count)
		return work_step(contents, index);
	gsym_passing_ahead(contents->file->container->passing, &contents->left);
	return GSYM_OK;
}

static enum gsym_status relocate(void *context, size_t index, unsigned worker)
{
	struct contents *contents = context;
	struct job *job = &contents->jobs.items[index];
	struct gsym_inflate_job *inflate = &job->inflate;
	const struct gsym_container_section *s =
		&contents->file->container->sections.items[job->section];

	(void)worker;
	if (!inflate->problem &&
	    elf_is_relocated(&contents->relocator, job->section))
		gsym_elf_relocate(&contents->relocator, job->section,
				  s->address, inflate->out, inflate->out_size,
				  &job->problems);
	return GSYM_OK;
}

/* Take the bytes away from all sections of C with debug info. */
static void drop_debug_info(struct gsym_container *c)
{
	for (size_t i = 1; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];

		if (gsym_elf_debug_number(s->name) == ELF_NOT_READ)
			continue;
		s->data = NULL;
		s->data_size = 0;
	}
}

/* Give the container's sections the bytes that the jobs made.  Without one
 * relocation, debug info may have the names and lines of other functions. */
static void take_made(struct contents *contents)
{
	struct gsym_container *c = contents->file->container;
	bool known = true;

	for (size_t i = 0; i < contents->jobs.count; i++) {
		struct job *job = &contents->jobs.items[i];
		struct gsym_inflate_job *inflate = &job->inflate;
		struct gsym_container_section *s =
			&c->sections.items[job->section];

		if (inflate->problem)
			gsym_container_warn_section(c, s, inflate->problem);
		s->unrelocated = !gsym_elf_warn_relocations(c, job->section,
							    &job->problems);
		known = known && !s->unrelocated;
		if (inflate->problem || s->unrelocated) {
			free(inflate->out);
			continue;
		}
		*gsym_vec_push(&c->made) = inflate->out;
		s->data = inflate->out;
		s->data_size = inflate->out_size;
	}
	if (!known && !contents->file->for_data)
		drop_debug_info(c);
}

/* Allocate the output of all jobs, and list their parts and steps.  False
 * without memory. */
static bool list_steps(struct contents *contents)
{
	enum { LEAST_PART = 1 << 20 };

	for (size_t i = 0; i < contents->jobs.count; i++) {
		struct job *job = &contents->jobs.items[i];

		job->first = contents->parts.count;
		if (!gsym_inflate_allocate(&job->inflate) ||
		    !gsym_inflate_divide(&job->inflate, LEAST_PART,
					 &contents->parts))
			return false;
	}
	for (size_t i = 0; i < contents->parts.count; i++) {
		struct step step = {
			.key = UINT64_MAX - contents->parts.items[i].out_size,
			.part = i,
		};

		if (!gsym_vec_add(&contents->steps, step))
			return false;
		step.fills = true;
		if (!gsym_vec_add(&contents->steps, step))
			return false;
	}
	return gsym_vec_sort_by(&contents->steps, key);
}

/* Give each job the problem of its first part that has one. */
static void note_problems(struct contents *contents)
{
	size_t at = contents->parts.count;

	for (size_t i = contents->jobs.count; i-- > 0;) {
		struct job *job = &contents->jobs.items[i];

		while (at > job->first) {
			const char *problem =
				contents->parts.items[--at].problem;

			if (problem)
				job->inflate.problem = problem;
		}
	}
}

static enum gsym_status run_jobs(struct contents *contents, unsigned threads)
{
	struct gsym_container *c = contents->file->container;
	enum gsym_status status = GSYM_ERR_MEMORY;

	if (!gsym_vec_reserve(&c->made, contents->jobs.count))
		return GSYM_ERR_MEMORY;
	if (list_steps(contents)) {
		contents->left = contents->steps.count;
		status = gsym_pool_run(
			threads, contents->steps.count + (c->passing != NULL),
			0, work, NULL, NULL, contents);
		note_problems(contents);
	}
	if (status == GSYM_OK && c->relocatable)
		status = gsym_pool_run(threads, contents->jobs.count, 0,
				       relocate, NULL, NULL, contents);
	take_made(contents);
	return status;
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
		if (!file->for_data)
			place_parts(c);
		ok = gsym_elf_relocator_learn(&contents.relocator, file);
	}
	ok = ok && run_jobs(&contents, threads) == GSYM_OK;
	if (ok && c->relocatable && !file->for_data)
		ok = join_parts(c,
					 file->view.size + contents.inflated);
	gsym_vec_fini(&contents.jobs);
	gsym_vec_fini(&contents.parts);
	gsym_vec_fini(&contents.steps);
	gsym_elf_relocator_fini(&contents.relocator);
	return ok ? GSYM_OK : gsym_fail_memory(error);
}

/* ---- addresses of a relocatable object ---------------------------------- */

/* Sections that the caller names, with their addresses. */
struct layout {
	struct elf_file *file;
	const struct gsym_section_base *bases;
	size_t count;
	/* For each of BASES its section. */
	struct elfview_named *named;
};

static struct gsym_container_section *section_of(const struct layout *l,
						 size_t base)
{
	return &l->file->container->sections.items[l->named[base].section];
}

/* Set *RET to the number of the section NAME. */
static enum gsym_status find_named(const struct layout *l, const char *name,
				   size_t *ret, struct gsym_error *error)
{
	const struct gsym_container *c = l->file->container;
	size_t found = 0;
	size_t count = 0;

	for (size_t i = 1; i < c->sections.count; i++) {
		if (strcmp(c->sections.items[i].name, name) != 0)
			continue;
		found = i;
		count++;
	}
	if (!count)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "there is no section '%.100s' to place", name);
	if (count > 1)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "there are %zu sections '%.100s': no name "
				 "tells them apart",
				 count, name);
	if (!c->sections.items[found].loaded)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "section '%.100s' is never loaded and cannot "
				 "be placed", name);
	*ret = found;
	return GSYM_OK;
}

/* Check base NUMBER against those before it. */
static enum gsym_status check_named(const struct layout *l, size_t number,
				    struct gsym_error *error)
{
	const struct gsym_container_section *s = section_of(l, number);

	for (size_t i = 0; i < number; i++) {
		const struct gsym_container_section *other = section_of(l, i);

		if (s == other)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "section '%.100s' is placed twice",
					 s->name);
		if (s->address < other->address + other->size &&
		    other->address < s->address + s->size)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "section '%.60s' at 0x%" PRIx64
					 " overlaps '%.60s' at 0x%" PRIx64,
					 s->name, s->address, other->name,
					 other->address);
	}
	return GSYM_OK;
}

/* Find the sections of BASES, and check their addresses. */
static enum gsym_status place_named(struct layout *l, struct gsym_error *error)
{
	uint64_t limit = elfview_limit(&l->file->view);

	for (size_t i = 0; i < l->count; i++) {
		uint64_t address = l->bases[i].address;
		enum gsym_status status;
		struct gsym_container_section *s;

		status = find_named(l, l->bases[i].name, &l->named[i].section,
				    error);
		if (status != GSYM_OK)
			return status;
		s = section_of(l, i);
		if (address > limit || s->size > limit - address)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "section '%.100s' at 0x%" PRIx64
					 " reaches beyond the last address",
					 s->name, address);
		s->address = l->named[i].address = address;
		status = check_named(l, i, error);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* Give section NUMBER of C the address that the view found. */
static void set_address(struct gsym_container *c, size_t number,
			uint64_t address)
{
	struct gsym_container_section *s = &c->sections.items[number];

	s->address = address;
	if (address < UINT64_MAX)
		return;
	gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
			    "section %zu: 0x%" PRIx64
			    " bytes do not fit into the address space",
			    number, s->size);
	s->address = 0;
	s->loaded = false;
	s->executable = false;
}

enum gsym_status gsym_elf_place(struct elf_file *file,
				const struct gsym_section_base *bases,
				size_t count, struct gsym_error *error)
{
	struct layout l = { .file = file, .bases = bases, .count = count };
	struct gsym_container *c = file->container;
	uint64_t *addresses = calloc(c->sections.count + 1, sizeof(*addresses));
	enum gsym_status status = GSYM_ERR_MEMORY;

	/* Some tools write addresses into the headers; they mean nothing. */
	for (size_t i = 0; i < c->sections.count; i++)
		c->sections.items[i].address = 0;
	l.named = calloc(count + 1, sizeof(*l.named));
	if (l.named && addresses)
		status = place_named(&l, error);
	else
		gsym_fail_memory(error);
	if (status == GSYM_OK)
		gsym_elfview_place(&file->view, l.named, count, addresses);
	for (size_t i = 0; i < c->sections.count && status == GSYM_OK; i++)
		set_address(c, i, addresses[i]);
	free(l.named);
	free(addresses);
	return status;
}
