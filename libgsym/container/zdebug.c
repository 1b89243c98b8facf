/* SPDX-License-Identifier: MIT */
/*
 * Compressed debug sections (.zdebug_info) of formats other than ELF, which
 * Go's linker writes: the letters "ZLIB", the size in big endian, a zlib
 * stream.
 */
#include "container/inflate.h"

#include "container/container.h"

/* Fill JOB from S; false if the header is damaged, or more comes out of all
 * sections than the file can hold. */
static bool plan(uint64_t file_size, const struct gsym_container_section *s,
		 uint64_t total, struct gsym_inflate_job *job)
{
	struct gsym_cursor c = gsym_cursor_init(s->data, (size_t)s->data_size,
						!GSYM_HOST_BIG_ENDIAN);
	const uint8_t *magic = gsym_cursor_bytes(&c, 4);
	uint64_t size = gsym_cursor_u64(&c);

	if (c.failed || memcmp(magic, "ZLIB", 4) != 0 ||
	    size > SIZE_MAX - total)
		return false;
	job->method = GSYM_INFLATE_ZLIB;
	job->in = c.at;
	job->in_size = gsym_cursor_left(&c);
	job->out_size = (size_t)size;
	return gsym_inflate_plausible(job->in_size, size) &&
	       gsym_inflate_plausible(file_size, total + size);
}

bool gsym_inflate_zdebug(struct gsym_container *c, uint64_t file_size)
{
	uint64_t total = 0;

	for (size_t i = 0; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];
		struct gsym_inflate_job job = {
			.problem = "its compression header is damaged"
		};
		bool sound;

		if (!s->data || strncmp(s->name, ".zdebug_", 8) != 0)
			continue;
		sound = plan(file_size, s, total, &job);
		s->data = NULL;
		s->data_size = 0;
		if (sound) {
			job.problem = NULL;
			if (!gsym_vec_reserve(&c->made, 1) ||
			    !gsym_inflate(&job))
				return false;
		}
		if (job.problem)
			gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
					    "%s at 0x%llx: %s", s->name,
					    (unsigned long long)s->file_offset,
					    job.problem);
		if (!job.out)
			continue;
		*gsym_vec_push(&c->made) = job.out;
		total += job.out_size;
		s->data = job.out;
		s->data_size = s->size = job.out_size;
	}
	return true;
}
