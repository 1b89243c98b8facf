/* SPDX-License-Identifier: MIT */
/* demangle/cache.c - the table of results, without locks. */
#include "demangle/cache.h"

#include <stdlib.h>

enum {
	FIRST_BITS = 9, /* log2 of the slots of level 0 */
	MORE_BITS = 3,	/* log2 of how much larger the next level is */
	/* The most bytes of all results.  The 55,000 names of a large C++
	 * program take 33 MB. */
	BYTES = 64 << 20,
	/* The most slots that are tried for a name. */
	PROBES = 64,
};

/* Where the search for NAME starts in LEVEL. */
static size_t first_slot(const struct gsym_demangle_level *level,
			 const char *name)
{
	uint64_t hash = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;

	return (size_t)(hash >> (64 - level->bits));
}

static struct gsym_demangle_level *level_new(unsigned bits)
{
	struct gsym_demangle_level *level =
		calloc(1, sizeof(*level) + (sizeof(level->slots[0]) << bits));

	if (level)
		level->bits = bits;
	return level;
}

struct gsym_demangle_cache *gsym_demangle_cache_new(void)
{
	struct gsym_demangle_cache *cache = calloc(1, sizeof(*cache));
	struct gsym_demangle_level *level = level_new(FIRST_BITS);

	if (!cache || !level) {
		free(cache);
		free(level);
		return NULL;
	}
	atomic_store(&cache->users, 1);
	atomic_store(&cache->levels[0], level);
	return cache;
}

static void level_free(struct gsym_demangle_level *level)
{
	for (size_t i = 0; level && i >> level->bits == 0; i++) {
		const char *name = atomic_load(&level->slots[i].name);
		const char *result = atomic_load(&level->slots[i].result);

		if (result != name)
			free((char *)(uintptr_t)result);
	}
	free(level);
}

void gsym_demangle_cache_leave(struct gsym_demangle_cache *cache)
{
	if (atomic_fetch_sub(&cache->users, 1) > 1)
		return;
	for (int i = 0; i < GSYM_DEMANGLE_LEVELS; i++)
		level_free(atomic_load(&cache->levels[i]));
	free(cache);
}

/* ---- finding ------------------------------------------------------------ */

/* The result for NAME in LEVEL; NULL if there is none. */
static const char *find_in(const struct gsym_demangle_level *level,
			   const char *name)
{
	size_t last = ((size_t)1 << level->bits) - 1;
	size_t at = first_slot(level, name);

	for (int i = 0; i < PROBES; i++, at = (at + 1) & last) {
		const struct gsym_demangle_slot *slot = &level->slots[at];
		const char *found = atomic_load_explicit(&slot->name,
							 memory_order_relaxed);

		if (!found)
			return NULL;
		if (found == name)
			return atomic_load_explicit(&slot->result,
						    memory_order_acquire);
	}
	return NULL;
}

const char *gsym_demangle_cache_find(const struct gsym_demangle_cache *cache,
				     const char *name)
{
	/* The last level has most of the names. */
	for (int i = GSYM_DEMANGLE_LEVELS; i-- > 0;) {
		const struct gsym_demangle_level *level = atomic_load_explicit(
			&cache->levels[i], memory_order_acquire);
		const char *result = level ? find_in(level, name) : NULL;

		if (result)
			return result;
	}
	return NULL;
}

/* ---- adding ------------------------------------------------------------- */

/* Add RESULT for NAME to LEVEL. */
static enum gsym_demangle_added add_to(struct gsym_demangle_level *level,
				       const char *name, const char *result)
{
	size_t last = ((size_t)1 << level->bits) - 1;
	size_t at = first_slot(level, name);

	if (atomic_load(&level->used) > last / 4 * 3)
		return GSYM_DEMANGLE_FULL;
	for (int i = 0; i < PROBES; i++, at = (at + 1) & last) {
		struct gsym_demangle_slot *slot = &level->slots[at];
		const char *found = atomic_load(&slot->name);

		if (!found && atomic_compare_exchange_strong(&slot->name,
							     &found, name)) {
			atomic_store_explicit(&slot->result, result,
					      memory_order_release);
			atomic_fetch_add(&level->used, 1);
			return GSYM_DEMANGLE_ADDED;
		}
		if (found == name)
			return GSYM_DEMANGLE_REFUSED;
	}
	return GSYM_DEMANGLE_FULL;
}

/* Make level I, unless another thread makes it meanwhile.  Returns level I;
 * NULL without memory. */
static struct gsym_demangle_level *
make_level(struct gsym_demangle_cache *cache, int i)
{
	struct gsym_demangle_level *none = NULL;
	struct gsym_demangle_level *level = level_new(FIRST_BITS +
						      MORE_BITS * i);

	if (!level || atomic_compare_exchange_strong(&cache->levels[i], &none,
						     level))
		return level;
	free(level);
	return none;
}

enum gsym_demangle_added
gsym_demangle_cache_add(struct gsym_demangle_cache *cache, const char *name,
			const char *result, size_t size)
{
	if (atomic_load(&cache->bytes) + size > BYTES)
		return GSYM_DEMANGLE_FULL;
	for (int i = 0; i < GSYM_DEMANGLE_LEVELS; i++) {
		struct gsym_demangle_level *level =
			atomic_load(&cache->levels[i]);
		enum gsym_demangle_added added;

		if (!level)
			level = make_level(cache, i);
		if (!level)
			return GSYM_DEMANGLE_REFUSED;
		added = add_to(level, name, result);
		if (added == GSYM_DEMANGLE_ADDED)
			atomic_fetch_add(&cache->bytes, size);
		if (added != GSYM_DEMANGLE_FULL)
			return added;
	}
	return GSYM_DEMANGLE_FULL;
}
