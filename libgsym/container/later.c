/* SPDX-License-Identifier: MIT */
/* A section that is inflated while it is read. */
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

struct gsym_later {
	struct gsym_container_section *section;
	struct gsym_inflate_job job;
	bool mapped;
	struct gsym_inflate_stream *stream;
	/* Bytes of the section that were not yet read and not yet inflated. */
	uint64_t unread, packed;
	size_t released; /* bytes of the input whose pages were given back */
	/* COUNT bytes that were inflated ahead, of which AT were taken. */
	uint8_t *ahead;
	size_t at, count;
	bool damaged;
};

static void free_later(struct gsym_later *later)
{
	gsym_inflate_end(later->stream);
	free(later->ahead);
	free(later);
}

bool gsym_later_begin(struct gsym_container *c,
		      struct gsym_container_section *section,
		      const struct gsym_inflate_job *job, bool mapped)
{
	struct gsym_later *later = calloc(1, sizeof(*later));

	if (later)
		later->stream = gsym_inflate_begin(job);
	if (!later || !later->stream) {
		free(later);
		return false;
	}
	later->section = section;
	later->job = *job;
	later->mapped = mapped;
	later->unread = later->packed = job->out_size;
	section->data_size = job->out_size;
	c->later = later;
	c->free_later = free_later;
	return true;
}

/* Inflate SIZE bytes to TO, and check the end of the stream after the last. */
static bool inflate(struct gsym_later *later, uint8_t *to, size_t size)
{
	size_t taken;

	later->damaged = later->damaged || size > later->packed ||
			 !gsym_inflate_next(later->stream, to, size);
	if (later->damaged)
		return false;
	later->packed -= size;
	if (!later->packed)
		later->damaged = !gsym_inflate_ends(later->stream);
	taken = gsym_inflate_taken(later->stream);
	if (later->mapped && taken - later->released >= RELEASE) {
		gsym_pages_release(later->job.in + later->released,
				   taken - later->released);
		later->released = taken;
	}
	return !later->damaged;
}

/* Inflate a step more of the ROOM bytes ahead. */
static bool step_ahead(struct gsym_later *later, size_t room)
{
	size_t size = room - later->count < STEP ? room - later->count : STEP;

	if (!inflate(later, later->ahead + later->count, size))
		return false;
	later->count += size;
	return true;
}

void gsym_later_ahead(struct gsym_later *later, const atomic_size_t *left)
{
	size_t room = later->packed < AHEAD ? (size_t)later->packed : AHEAD;

	/* The memory of one step is used again. */
	if (*left)
		later->ahead = malloc(room < STEP ? STEP : room);
	while (later->ahead && *left && later->count < room &&
	       step_ahead(later, room))
		;
}

static void drop_ahead(struct gsym_later *later)
{
	free(later->ahead);
	later->ahead = NULL;
	later->at = later->count = 0;
}

/* Take up to SIZE bytes that were inflated ahead to TO, unless it is NULL.
 * Returns their number. */
static size_t take_ahead(struct gsym_later *later, uint8_t *to, size_t size)
{
	size_t left = later->count - later->at;

	if (size > left)
		size = left;
	if (to && size)
		memcpy(to, later->ahead + later->at, size);
	later->at += size;
	if (later->at == later->count && later->count > STEP)
		drop_ahead(later);
	return size;
}

/* Inflate a step ahead, when nothing is left of the last one.  The libraries
 * copy their window of 32 KiB whenever they stop, so they do not stop for each
 * small unit. */
static bool refill(struct gsym_later *later)
{
	if (!later->ahead)
		later->ahead = malloc(STEP);
	later->at = later->count = 0;
	return later->ahead &&
	       step_ahead(later,
			  later->packed < STEP ? (size_t)later->packed : STEP);
}

bool gsym_later_is_whole(const struct gsym_later *later)
{
	return later->unread == later->job.out_size;
}

bool gsym_later_read(struct gsym_later *later, uint8_t *to, size_t size)
{
	if (size > later->unread)
		return false;
	later->unread -= size;
	while (size) {
		size_t part = take_ahead(later, to, size);

		if (!part && to && size >= STEP) {
			if (!inflate(later, to, size))
				return false;
			part = size;
		} else if (!part && !refill(later)) {
			return false;
		}
		to = to ? to + part : NULL;
		size -= part;
	}
	return later->unread || !later->damaged;
}

bool gsym_later_complete(struct gsym_container *c)
{
	struct gsym_later *later = c->later;
	struct gsym_container_section *s;
	struct gsym_inflate_job job;

	if (!later)
		return true;
	s = later->section;
	job = later->job;
	c->later = NULL;
	free_later(later);
	s->data_size = 0;
	if (!gsym_vec_reserve(&c->made, 1) || !gsym_inflate(&job))
		return false;
	if (job.problem) {
		gsym_container_warn_section(c, s, job.problem);
		return true;
	}
	c->made.items[c->made.count++] = job.out;
	s->data = job.out;
	s->data_size = job.out_size;
	return true;
}
