/* SPDX-License-Identifier: MIT */
/* A section that stays compressed, and is inflated while it is read. */
#include "container/container.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* The bytes that are inflated ahead, and those of one step. */
	AHEAD = 64 << 20,
	STEP = 1 << 18,
	/* Pages of the input are given back when so many bytes were read. */
	RELEASE = 1 << 20,
};

struct gsym_passing {
	size_t section; /* its number */
	struct gsym_inflate_job job;
	bool mapped;
	struct gsym_inflate_stream *stream;
	/* Bytes of the section: UNREAD are still to be read, and LEFT of
	 * them still to be inflated. */
	uint64_t unread, left;
	size_t released; /* bytes of the input whose pages were given back */
	/* COUNT bytes that were inflated ahead, of which AT were taken. */
	uint8_t *ahead;
	size_t at, count;
	bool damaged;
};

static void free_passing(struct gsym_passing *passing)
{
	gsym_inflate_stream_free(passing->stream);
	free(passing->ahead);
	free(passing);
}

bool gsym_passing_begin(struct gsym_container *c,
			struct gsym_container_section *section,
			const struct gsym_inflate_job *job, bool mapped)
{
	struct gsym_passing *passing =
		job->out_size ? calloc(1, sizeof(*passing)) : NULL;

	if (passing)
		passing->stream = gsym_inflate_stream_new(job);
	if (!passing || !passing->stream) {
		free(passing);
		return false;
	}
	passing->section = (size_t)(section - c->sections.items);
	passing->job = *job;
	passing->mapped = mapped;
	passing->unread = passing->left = job->out_size;
	section->data_size = job->out_size;
	c->passing = passing;
	c->free_passing = free_passing;
	return true;
}

/* Inflate SIZE bytes to TO, and check the end of the stream after the last. */
static bool inflate(struct gsym_passing *passing, uint8_t *to, size_t size)
{
	size_t taken;

	passing->damaged = passing->damaged || size > passing->left ||
			   !gsym_inflate_stream_next(passing->stream, to, size);
	if (passing->damaged)
		return false;
	passing->left -= size;
	if (!passing->left)
		passing->damaged =
			!gsym_inflate_stream_is_over(passing->stream);
	taken = gsym_inflate_stream_taken(passing->stream);
	if (passing->mapped && taken - passing->released >= RELEASE) {
		gsym_pages_release(passing->job.in + passing->released,
				   taken - passing->released);
		passing->released = taken;
	}
	return !passing->damaged;
}

/* Inflate one more step ahead, up to ROOM bytes in all. */
static bool step_ahead(struct gsym_passing *passing, size_t room)
{
	size_t size =
		room - passing->count < STEP ? room - passing->count : STEP;

	if (!inflate(passing, passing->ahead + passing->count, size))
		return false;
	passing->count += size;
	return true;
}

void gsym_passing_ahead(struct gsym_passing *passing, const atomic_size_t *left)
{
	size_t room = passing->left < AHEAD ? (size_t)passing->left : AHEAD;

	/* At least the memory of a step: refill may use it again. */
	if (*left)
		passing->ahead = malloc(room < STEP ? STEP : room);
	while (passing->ahead && *left && passing->count < room &&
	       step_ahead(passing, room))
		;
}

static void drop_ahead(struct gsym_passing *passing)
{
	free(passing->ahead);
	passing->ahead = NULL;
	passing->at = passing->count = 0;
}

/* Take up to SIZE bytes that were inflated ahead to TO, unless it is NULL.
 * Returns their number. */
static size_t take_ahead(struct gsym_passing *passing, uint8_t *to, size_t size)
{
	size_t left = passing->count - passing->at;

	if (size > left)
		size = left;
	if (to && size)
		memcpy(to, passing->ahead + passing->at, size);
	passing->at += size;
	if (passing->at == passing->count && passing->count > STEP)
		drop_ahead(passing);
	return size;
}

/* Inflate a step ahead, when nothing is left of the last one.  The libraries
 * copy their window of 32 KiB whenever they stop, so they do not stop for each
 * small unit. */
static bool refill(struct gsym_passing *passing)
{
	if (!passing->ahead)
		passing->ahead = malloc(STEP);
	passing->at = passing->count = 0;
	return passing->ahead &&
	       step_ahead(passing,
			  passing->left < STEP ? (size_t)passing->left : STEP);
}

bool gsym_passing_is_unread(const struct gsym_passing *passing)
{
	return passing->unread == passing->job.out_size;
}

bool gsym_passing_read(struct gsym_passing *passing, uint8_t *to, size_t size)
{
	if (size > passing->unread)
		return false;
	passing->unread -= size;
	while (size) {
		size_t part = take_ahead(passing, to, size);

		if (!part && to && size >= STEP) {
			if (!inflate(passing, to, size))
				return false;
			part = size;
		} else if (!part && !refill(passing)) {
			return false;
		}
		to = to ? to + part : NULL;
		size -= part;
	}
	return passing->unread || !passing->damaged;
}

bool gsym_passing_complete(struct gsym_container *c)
{
	struct gsym_passing *passing = c->passing;
	struct gsym_container_section *s;
	struct gsym_inflate_job job;
	bool mapped;

	if (!passing)
		return true;
	s = &c->sections.items[passing->section];
	job = passing->job;
	mapped = passing->mapped;
	c->passing = NULL;
	free_passing(passing);
	s->data_size = 0;
	if (!gsym_vec_reserve(&c->made, 1) || !gsym_inflate(&job))
		return false;
	if (mapped)
		gsym_pages_release(job.in, job.in_size);
	if (job.problem) {
		gsym_container_warn_section(c, s, job.problem);
		return true;
	}
	c->made.items[c->made.count++] = job.out;
	s->data = job.out;
	s->data_size = job.out_size;
	return true;
}
