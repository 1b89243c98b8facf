/* SPDX-License-Identifier: MIT */
/* Debug sections that are compressed in the old way (.zdebug_info), as Go's
 * linker writes them into all file formats. */
#include "container/inflate.h"

#include "container/container.h"

bool gsym_inflate_read_zdebug(const uint8_t *bytes, size_t size,
			      struct gsym_inflate_job *job)
{
	struct gsym_cursor c =
		gsym_cursor_init(bytes, size, !GSYM_HOST_BIG_ENDIAN);
	const uint8_t *magic = gsym_cursor_bytes(&c, 4);
	uint64_t out_size = gsym_cursor_u64(&c);

	if (c.failed || memcmp(magic, "ZLIB", 4) != 0 || out_size > SIZE_MAX)
		return false;
	*job = (struct gsym_inflate_job){
		.method = GSYM_INFLATE_ZLIB,
		.in = c.at,
		.in_size = gsym_cursor_left(&c),
		.out_size = (size_t)out_size,
	};
	return true;
}

/* Inflate S; *TOTAL counts the bytes of all sections. */
static bool inflate_section(struct gsym_container *c,
			    struct gsym_container_section *s,
			    uint64_t file_size, uint64_t *total)
{
	struct gsym_inflate_job job = { .problem = NULL };
	uint64_t packed_size = s->data_size;

	if (!gsym_inflate_read_zdebug(s->data, (size_t)s->data_size, &job))
		job.problem = "its compression header is damaged";
	else
		gsym_inflate_admit(&job, file_size, total);
	s->data = NULL;
	s->data_size = 0;
	if (job.problem)
		;
	else if (!gsym_vec_reserve(&c->made, 1) || !gsym_inflate(&job))
		return false;
	if (job.problem) {
		gsym_container_warn_section(c, s, job.problem);
		return true;
	}
	*gsym_vec_push(&c->made) = job.out;
	s->data = job.out;
	s->data_size = s->size = job.out_size;
	s->packed_size = packed_size;
	return true;
}

bool gsym_inflate_zdebug(struct gsym_container *c, uint64_t file_size)
{
	uint64_t total = 0;

	for (size_t i = 0; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];

		if (s->data && !strncmp(s->name, ".zdebug_", 8) &&
		    !inflate_section(c, s, file_size, &total))
			return false;
	}
	return true;
}
