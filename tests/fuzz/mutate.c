/* SPDX-License-Identifier: MIT */
/* A mutator for inputs of several parts. */
#include "config.h"

#include "fuzz/parts.h"

#ifdef GSYM_LIBFUZZER
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

size_t fuzz_mutate_part(uint8_t *data, size_t size, size_t most, unsigned seed,
			size_t count, fuzz_mutator *mutator)
{
	enum { MOST_PARTS = 8 };
	struct fuzz_part parts[MOST_PARTS];
	size_t chosen = seed % count, room, joined;
	uint8_t *copy, *bytes;

	fuzz_require(count <= MOST_PARTS);
	fuzz_divide(data, size, parts, count);
	room = parts[chosen].size + (size < most ? most - size : 0);
	room = room < most - 4 * count ? room : most - 4 * count;
	if (most < 4 * count + 1 || size + 4 * count > most ||
	    parts[chosen].size > room || !room)
		return LLVMFuzzerMutate(data, size, most);
	copy = malloc(room);
	fuzz_require(copy);
	memcpy(copy, parts[chosen].bytes, parts[chosen].size);
	parts[chosen].size =
		mutator ? mutator(copy, parts[chosen].size, room, seed / 8)
			: LLVMFuzzerMutate(copy, parts[chosen].size, room);
	parts[chosen].bytes = copy;
	bytes = fuzz_join(parts, count, &joined);
	if (joined <= most) {
		memcpy(data, bytes, joined);
		size = joined;
	}
	free(bytes);
	free(copy);
	return size;
}
#endif
