/* SPDX-License-Identifier: MIT */
/*
 * must.h - memory that a tool cannot do without: where it runs out, the tool
 * ends with one message.
 *
 *	char *copy = must_have(strdup(text));
 *	struct { GSYM_VEC(struct row); } rows = { 0 };
 *	must_push(&rows)->line = 7;
 *	must(gsym_xray_tree_sort(tree) == GSYM_OK);
 */
#ifndef TOOLS_COMMON_MUST_H
#define TOOLS_COMMON_MUST_H

#include "base/intern.h"
#include "base/vec.h"
#include "common/report.h"

/** End the tool if DONE is false: there was no memory for it. */
static inline void must(bool done)
{
	if (!done)
		die("out of memory");
}

/** STATUS of a library's function.  Ends the tool if it says that memory has
 *  run out, which must not be taken for a file that is unusable or missing. */
static inline enum gsym_status must_status(enum gsym_status status)
{
	must(status != GSYM_ERR_MEMORY);
	return status;
}

/** P, which was allocated.  Ends the tool if it is NULL. */
static inline void *must_have(void *p)
{
	must(p != NULL);
	return p;
}

/** gsym_vec_reserve and gsym_vec_push, which end the tool if memory runs
 *  out. */
#define must_reserve(v, more) must(gsym_vec_reserve(v, more))
#define must_push(v) (must_reserve(v, 1), &(v)->items[(v)->count++])

/** The number of the SIZE BYTES in KEYS, from 0 on in the order in which they
 *  came.  Ends the tool if memory runs out. */
static inline uint32_t must_intern(struct gsym_intern *keys, const void *bytes,
				   size_t size)
{
	uint32_t number;

	must(gsym_intern_add(keys, bytes, size, &number));
	return number;
}

/** As must_intern, but MOST if the bytes are new and KEYS has MOST numbers. */
static inline uint32_t must_intern_within(struct gsym_intern *keys,
					  uint32_t most, const void *bytes,
					  size_t size)
{
	uint32_t number;

	if (keys->count < most)
		return must_intern(keys, bytes, size);
	return gsym_intern_find(keys, bytes, size, &number) ? number : most;
}

#endif /* TOOLS_COMMON_MUST_H */
