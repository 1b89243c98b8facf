/* SPDX-License-Identifier: MIT */
/* keys.h - numbers for keys: equal bytes have equal numbers. */
#ifndef TOOLS_COMMON_KEYS_H
#define TOOLS_COMMON_KEYS_H

#include <stddef.h>
#include <stdint.h>

/** A key, with a NUL after its bytes; and the next one in the same slot, as
 *  number + 1; 0: none. */
struct key {
	char *bytes;
	size_t size;
	uint32_t next;
};

/** Keys, numbered from 0 on in the order in which they came.  Zeroed: there
 *  are none. */
struct keys {
	struct key *items;
	uint32_t count, capacity;
	/** 2 * CAPACITY elements: the first key, as number + 1; 0: none. */
	uint32_t *slots;
};

/** The number of the key of SIZE BYTES, which is added if it is new.  Dies if
 *  memory runs out. */
uint32_t keys_number(struct keys *k, const void *bytes, size_t size);
/** As keys_number, but MOST if the key is new and there are MOST keys. */
uint32_t keys_within(struct keys *k, uint32_t most, const void *bytes,
		     size_t size);
void keys_fini(struct keys *k);

#endif /* TOOLS_COMMON_KEYS_H */
