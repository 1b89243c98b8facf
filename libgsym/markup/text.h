/* SPDX-License-Identifier: MIT */
/* markup/text.h - slices of text, and strings that grow. */
#ifndef GSYM_MARKUP_TEXT_H
#define GSYM_MARKUP_TEXT_H

#include <stdint.h>
#include <string.h>

#include "base/vec.h"

/** SIZE bytes that belong to someone else. */
struct gsym_mk_slice {
	const char *at;
	size_t size;
};

struct gsym_mk_text {
	GSYM_VEC(char);
};

/** Append SIZE bytes.  False, with TO unchanged, without memory. */
static inline bool gsym_mk_text_add(struct gsym_mk_text *to, const char *bytes,
				    size_t size)
{
	if (!gsym_vec_reserve(to, size))
		return false;
	if (size)
		memcpy(to->items + to->count, bytes, size);
	to->count += size;
	return true;
}

/** FNV-1a, the same in every run.  Tables that a log can fill need
 *  gsym_hash_bytes. */
static inline uint64_t gsym_mk_hash(struct gsym_mk_slice text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < text.size; i++)
		h = (h ^ (unsigned char)text.at[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

#endif
