/* SPDX-License-Identifier: MIT */
/*
 * demangle/demangler.c - demanglers: a spelling, and a cache that the
 * demanglers of several threads may share.
 *
 * A cache that is full is replaced by an empty one.  The thread that finds the
 * cache full puts the new one into struct shared; the other threads take it in
 * their next call.  So a result stays valid until the next call of the thread
 * that got it, whatever other threads do.
 */
#include "demangle/spell.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cache ----------------------------------------------------------- */

/*
 * A table of results that several threads read and fill without locks.  Nothing
 * leaves the table: one that is full is replaced as a whole, and freed with its
 * last user.
 */

struct slot {
	/* NULL: the slot is free. */
	_Atomic(const char *) name;
	/* malloc'ed, or NAME if NAME is not mangled.  NULL: a thread is about
	 * to store it. */
	_Atomic(const char *) result;
};

/* A hash table by the address of the name, with open addressing, that never
 * moves an entry. */
struct level {
	atomic_uint used;
	unsigned bits; /* log2 of the number of slots */
	struct slot slots[];
};

enum { LEVELS = 4 };

struct cache {
	atomic_uint users;
	/* Bytes of all results. */
	atomic_size_t bytes;
	/* A cache starts small, for small inputs: with level 0.  A new entry
	 * goes to the last level, and the next one, of eight times as many
	 * slots, is made when that is full. */
	_Atomic(struct level *) levels[LEVELS];
};

enum added {
	/* The cache owns the result. */
	ADDED,
	/* Another thread was faster, or memory ran out. */
	REFUSED,
	/* The cache is full. */
	FULL,
};

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
static size_t first_slot(const struct level *level,
			 const char *name)
{
	uint64_t hash = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;

	return (size_t)(hash >> (64 - level->bits));
}

static struct level *level_new(unsigned bits)
{
	struct level *level =
		calloc(1, sizeof(*level) + (sizeof(level->slots[0]) << bits));

	if (level)
		level->bits = bits;
	return level;
}

/* An empty cache with one user; NULL without memory. */
static struct cache *cache_new(void)
{
	struct cache *cache = calloc(1, sizeof(*cache));
	struct level *level = level_new(FIRST_BITS);

	if (!cache || !level) {
		free(cache);
		free(level);
		return NULL;
	}
	atomic_store(&cache->users, 1);
	atomic_store(&cache->levels[0], level);
	return cache;
}

static void level_free(struct level *level)
{
	for (size_t i = 0; level && i >> level->bits == 0; i++) {
		const char *name = atomic_load(&level->slots[i].name);
		const char *result = atomic_load(&level->slots[i].result);

		if (result != name)
			free((char *)(uintptr_t)result);
	}
	free(level);
}

/* Take a user from CACHE, which is freed with the last one. */
static void cache_leave(struct cache *cache)
{
	if (atomic_fetch_sub(&cache->users, 1) > 1)
		return;
	for (int i = 0; i < LEVELS; i++)
		level_free(atomic_load(&cache->levels[i]));
	free(cache);
}

/* ---- finding ------------------------------------------------------------ */

/* The result for NAME in LEVEL; NULL if there is none. */
static const char *find_in(const struct level *level,
			   const char *name)
{
	size_t last = ((size_t)1 << level->bits) - 1;
	size_t at = first_slot(level, name);

	for (int i = 0; i < PROBES; i++, at = (at + 1) & last) {
		const struct slot *slot = &level->slots[at];
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

/* The result for NAME; NULL if there is none yet. */
static const char *cache_find(const struct cache *cache, const char *name)
{
	/* The last level has most of the names. */
	for (int i = LEVELS; i-- > 0;) {
		const struct level *level = atomic_load_explicit(
			&cache->levels[i], memory_order_acquire);
		const char *result = level ? find_in(level, name) : NULL;

		if (result)
			return result;
	}
	return NULL;
}

/* ---- adding ------------------------------------------------------------- */

/* Add RESULT for NAME to LEVEL. */
static enum added add_to(struct level *level,
				       const char *name, const char *result)
{
	size_t last = ((size_t)1 << level->bits) - 1;
	size_t at = first_slot(level, name);

	if (atomic_load(&level->used) > last / 4 * 3)
		return FULL;
	for (int i = 0; i < PROBES; i++, at = (at + 1) & last) {
		struct slot *slot = &level->slots[at];
		const char *found = atomic_load(&slot->name);

		if (!found && atomic_compare_exchange_strong(&slot->name,
							     &found, name)) {
			atomic_store_explicit(&slot->result, result,
					      memory_order_release);
			atomic_fetch_add(&level->used, 1);
			return ADDED;
		}
		if (found == name)
			return REFUSED;
	}
	return FULL;
}

/* Make level I, unless another thread makes it meanwhile.  Returns level I;
 * NULL without memory. */
static struct level *
make_level(struct cache *cache, int i)
{
	struct level *none = NULL;
	struct level *level = level_new(FIRST_BITS +
						      MORE_BITS * i);

	if (!level || atomic_compare_exchange_strong(&cache->levels[i], &none,
						     level))
		return level;
	free(level);
	return none;
}

/* Add RESULT, of SIZE bytes, for NAME.  RESULT is NAME or was malloc'ed. */
static enum added cache_add(struct cache *cache, const char *name,
			    const char *result, size_t size)
{
	if (atomic_load(&cache->bytes) + size > BYTES)
		return FULL;
	for (int i = 0; i < LEVELS; i++) {
		struct level *level =
			atomic_load(&cache->levels[i]);
		enum added added;

		if (!level)
			level = make_level(cache, i);
		if (!level)
			return REFUSED;
		added = add_to(level, name, result);
		if (added == ADDED)
			atomic_fetch_add(&cache->bytes, size);
		if (added != FULL)
			return added;
	}
	return FULL;
}

/* ---- the demangler ------------------------------------------------------- */

/* What demanglers with one cache share. */
struct shared {
	/* Held to change CURRENT, and to become a user of CURRENT. */
	pthread_mutex_t mutex;
	_Atomic(struct cache *) current;
	/* The number of demanglers. */
	atomic_uint users;
};

struct gsym_demangler {
	unsigned flags;
	struct shared *shared;
	/* The cache that this demangler uses: the current one, as it was in the
	 * last call. */
	struct cache *cache;
	/* The result of the last call, if the cache did not take it. */
	char *last;
};

/* Let D use the current cache.  The mutex is held. */
static void take_current(struct gsym_demangler *d)
{
	struct cache *old = d->cache;

	d->cache = atomic_load(&d->shared->current);
	atomic_fetch_add(&d->cache->users, 1);
	if (old)
		cache_leave(old);
}

static void update(struct gsym_demangler *d)
{
	if (atomic_load_explicit(&d->shared->current, memory_order_acquire) ==
	    d->cache)
		return;
	pthread_mutex_lock(&d->shared->mutex);
	take_current(d);
	pthread_mutex_unlock(&d->shared->mutex);
}

/* Replace the cache of D, unless another thread has done so, and take the new
 * one.  Returns false without memory. */
static bool renew(struct gsym_demangler *d)
{
	struct cache *fresh = NULL;
	bool done = true;

	pthread_mutex_lock(&d->shared->mutex);
	if (atomic_load(&d->shared->current) == d->cache) {
		fresh = cache_new();
		done = fresh != NULL;
		if (done) {
			atomic_store(&d->shared->current, fresh);
			/* The use that d->shared had. */
			cache_leave(d->cache);
		}
	}
	if (done)
		take_current(d);
	pthread_mutex_unlock(&d->shared->mutex);
	return done;
}

/* ---- making and freeing ------------------------------------------------- */

static void shared_leave(struct shared *shared)
{
	if (atomic_fetch_sub(&shared->users, 1) > 1)
		return;
	cache_leave(atomic_load(&shared->current));
	pthread_mutex_destroy(&shared->mutex);
	free(shared);
}

static struct shared *shared_new(void)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	struct cache *cache = cache_new();

	if (!shared || !cache || pthread_mutex_init(&shared->mutex, NULL)) {
		if (cache)
			cache_leave(cache);
		free(shared);
		return NULL;
	}
	atomic_store(&shared->current, cache);
	return shared;
}

/* A demangler with SHARED, which gets another user. */
static enum gsym_status demangler_of(unsigned flags, struct shared *shared,
				     struct gsym_demangler **ret)
{
	struct gsym_demangler *d = calloc(1, sizeof(*d));

	if (!d)
		return GSYM_ERR_MEMORY;
	d->flags = flags;
	d->shared = shared;
	atomic_fetch_add(&shared->users, 1);
	pthread_mutex_lock(&shared->mutex);
	take_current(d);
	pthread_mutex_unlock(&shared->mutex);
	*ret = d;
	return GSYM_OK;
}

enum gsym_status gsym_demangler_new(unsigned flags,
				    struct gsym_demangler **ret)
{
	enum gsym_status status;
	struct shared *shared;

	if (!ret || flags & ~(unsigned)GSYM_DEMANGLE_LLVM)
		return GSYM_ERR_ARGUMENT;
	shared = shared_new();
	if (!shared)
		return GSYM_ERR_MEMORY;
	atomic_store(&shared->users, 1);
	status = demangler_of(flags, shared, ret);
	shared_leave(shared);
	return status;
}

enum gsym_status gsym_demangler_share(struct gsym_demangler *other,
				      struct gsym_demangler **ret)
{
	if (!other || !ret)
		return GSYM_ERR_ARGUMENT;
	return demangler_of(other->flags, other->shared, ret);
}

void gsym_demangler_free(struct gsym_demangler *d)
{
	if (!d)
		return;
	cache_leave(d->cache);
	shared_leave(d->shared);
	free(d->last);
	free(d);
}

enum gsym_status gsym_demangler_forget(struct gsym_demangler *d)
{
	if (!d)
		return GSYM_ERR_ARGUMENT;
	update(d);
	return renew(d) ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* ---- demangling --------------------------------------------------------- */

/* Whether the first bytes of NAME show that it is not mangled. */
static bool is_plain(unsigned flags, const char *name)
{
	return flags & GSYM_DEMANGLE_LLVM ? name[0] != '_' && name[0] != '.' :
					    !gsym_demangle_candidate(name);
}

static enum gsym_status spell(unsigned flags, const char *name, char **ret)
{
	if (is_plain(flags, name))
		return GSYM_NOT_FOUND;
	return flags & GSYM_DEMANGLE_LLVM ? gsym_demangle_llvm(name, ret) :
					    gsym_demangle_iberty(name, ret);
}

enum gsym_status gsym_demangle_copy(unsigned flags, const char *name,
				    char **ret)
{
	if (!name || !ret || flags & ~(unsigned)GSYM_DEMANGLE_LLVM)
		return GSYM_ERR_ARGUMENT;
	return spell(flags, name, ret);
}

/* Keep RESULT for NAME, in the cache or until the next call.  RESULT was
 * malloc'ed, or is NAME. */
static void keep(struct gsym_demangler *d, const char *name, char *result)
{
	size_t size = result == name ? 0 : strlen(result) + 1;
	enum added added =
		cache_add(d->cache, name, result, size);

	if (added == FULL && renew(d))
		added = cache_add(d->cache, name, result, size);
	if (added == ADDED || result == name)
		return;
	free(d->last);
	d->last = result;
}

enum gsym_status gsym_demangle(struct gsym_demangler *d, const char *name,
			       const char **ret)
{
	enum gsym_status status;
	const char *known;
	char *result;

	if (!d || !name || !ret)
		return GSYM_ERR_ARGUMENT;
	*ret = name;
	if (is_plain(d->flags, name))
		return GSYM_NOT_FOUND;
	update(d);
	known = cache_find(d->cache, name);
	if (known) {
		*ret = known;
		return known == name ? GSYM_NOT_FOUND : GSYM_OK;
	}
	status = spell(d->flags, name, &result);
	if (status == GSYM_NOT_FOUND)
		result = (char *)(uintptr_t)name;
	else if (status != GSYM_OK)
		return status;
	keep(d, name, result);
	*ret = result;
	return status;
}
