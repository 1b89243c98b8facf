/* SPDX-License-Identifier: MIT */
/* Shared by the tests of gsym_verify: expect a problem, or none. */
#ifndef GSYM_TESTS_CHECKS_H
#define GSYM_TESTS_CHECKS_H

#include "answers.h"
#include "support/guard.h"

struct heard {
	char first[GSYM_ERROR_MESSAGE_SIZE];
	uint64_t offset;
	unsigned damage;
	unsigned notes;
	unsigned stop_after;
};

static inline bool hear(void *context, const struct gsym_error *problem)
{
	struct heard *h = context;

	if (problem->code == GSYM_ERR_UNSUPPORTED) {
		h->notes++;
	} else {
		cr_expect(problem->code == GSYM_ERR_CORRUPT);
		if (!h->damage++) {
			snprintf(h->first, sizeof(h->first), "%s",
				 problem->message);
			h->offset = problem->offset;
		}
	}
	return !h->stop_after || h->damage < h->stop_after;
}

/* Expect that the first problem in the SIZE bytes at BYTES is at OFFSET and has
 * TEXT in its message. */
static inline void expect_problem(const uint8_t *bytes, size_t size,
				  uint64_t offset, const char *text)
{
	struct gsym_reader *reader = open_bytes(guard_end(bytes, size), size);
	struct heard h = { .damage = 0 };

	guard_dirty_stack();
	cr_expect(gsym_verify(reader, hear, &h) == GSYM_ERR_CORRUPT &&
		  h.offset == offset && strstr(h.first, text),
		  "'%s': 0x%" PRIx64 " '%s'", text, h.offset, h.first);
	cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_ERR_CORRUPT);
	gsym_close(reader);
}

static inline void expect_sound(const uint8_t *bytes, size_t size)
{
	struct gsym_reader *reader = open_bytes(guard_end(bytes, size), size);
	struct heard h = { .damage = 0 };

	guard_dirty_stack();
	cr_expect(gsym_verify(reader, hear, &h) == GSYM_OK, "%s", h.first);
	gsym_close(reader);
}

#endif
