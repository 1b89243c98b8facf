/* SPDX-License-Identifier: MIT */
/*
 * demangle/demangler.c - demanglers: a spelling, and a cache that the
 * demanglers of several threads may share.
 *
 * The first cache is small; once it is full a larger one follows, which keeps
 * it.  A larger one that is full is replaced by an empty one.  The thread that
 * finds the cache full puts the new one into struct shared; the other threads
 * take it in their next call.  So a result stays valid until the next call of
 * the thread that got it, whatever other threads do.
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
 * leaves the table: it is freed as a whole, with its last user, who may be the
 * cache that follows.
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
struct cache {
	atomic_uint users;
	atomic_uint used;
	/* Bytes of all results, those of OLDER included. */
	atomic_size_t bytes;
	/* The first cache, which is full; NULL. */
	struct cache *older;
	unsigned bits; /* log2 of the number of slots */
	/* The numbers of the USED slots: freeing does not look at others. */
	uint32_t *taken;
	struct slot slots[];
};

enum added {
	/* The cache owns the result. */
	ADDED,
	/* Another thread was faster. */
	REFUSED,
	/* The cache is full. */
	FULL,
};

enum {
	/* A cache starts small, for small inputs, but not so small that calloc
	 * would clear it: its pages come from the system when they are used.
	 * The cache that follows has 32 times as many slots, and keeps it. */
	FIRST_BITS = 13,
	MOST_BITS = 18,
	/* The most bytes of all results.  The 55,000 names of a large C++
	 * program take 33 MB. */
	BYTES = 64 << 20,
	/* The most slots that are tried for a name. */
	PROBES = 64,
};

/* Where the search for NAME starts in CACHE. */
static size_t first_slot(const struct cache *cache, const char *name)
{
	uint64_t hash = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;

	return (size_t)(hash >> (64 - cache->bits));
}

/* An empty cache with one user; NULL without memory. */
static struct cache *cache_new(unsigned bits)
{
	size_t slots = (size_t)1 << bits;
	struct cache *cache = calloc(
		1, sizeof(*cache) + slots * (sizeof(cache->slots[0]) +
					     sizeof(*cache->taken)));

	if (!cache)
		return NULL;
	cache->taken = (uint32_t *)&cache->slots[slots];
	atomic_store(&cache->users, 1);
	cache->bits = bits;
	return cache;
}

/* Take a user from CACHE, which is freed with the last one. */
static void cache_leave(struct cache *cache)
{
	if (atomic_fetch_sub(&cache->users, 1) > 1)
		return;
	for (unsigned i = 0; i < atomic_load(&cache->used); i++) {
		const struct slot *slot = &cache->slots[cache->taken[i]];
		const char *name = atomic_load(&slot->name);
		const char *result = atomic_load(&slot->result);

		if (result != name)
			free((char *)(uintptr_t)result);
	}
	if (cache->older)
		cache_leave(cache->older);
	free(cache);
}

/* The result for NAME; NULL if there is none yet. */
static const char *cache_find(const struct cache *cache, const char *name)
{
	size_t last = ((size_t)1 << cache->bits) - 1;
	size_t at = first_slot(cache, name);

	for (int i = 0; i < PROBES; i++, at = (at + 1) & last) {
		const struct slot *slot = &cache->slots[at];
		const char *found = atomic_load_explicit(&slot->name,
							 memory_order_relaxed);

		if (!found)
			break;
		if (found == name)
			return atomic_load_explicit(&slot->result,
						    memory_order_acquire);
	}
	return cache->older ? cache_find(cache->older, name) : NULL;
}

/* Add RESULT, of SIZE bytes, for NAME.  RESULT is NAME or was malloc'ed. */
static enum added cache_add(struct cache *cache, const char *name,
			    const char *result, size_t size)
{
	size_t last = ((size_t)1 << cache->bits) - 1;
	size_t at = first_slot(cache, name);

	if (atomic_load(&cache->bytes) + size > BYTES ||
	    atomic_load(&cache->used) > last / 4 * 3)
		return FULL;
	for (int i = 0; i < PROBES; i++, at = (at + 1) & last) {
		struct slot *slot = &cache->slots[at];
		const char *found = atomic_load(&slot->name);

		if (!found && atomic_compare_exchange_strong(&slot->name,
							     &found, name)) {
			atomic_store_explicit(&slot->result, result,
					      memory_order_release);
			cache->taken[atomic_fetch_add(&cache->used, 1)] =
				(uint32_t)at;
			atomic_fetch_add(&cache->bytes, size);
			return ADDED;
		}
		if (found == name)
			return REFUSED;
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
 * one, which has more slots if LARGER.  Returns false without memory. */
static bool renew(struct gsym_demangler *d, bool larger)
{
	struct cache *fresh, *full = d->cache;
	bool done = true;

	pthread_mutex_lock(&d->shared->mutex);
	if (atomic_load(&d->shared->current) == full) {
		fresh = cache_new(larger ? MOST_BITS : full->bits);
		done = fresh != NULL;
		if (done && fresh->bits > full->bits) {
			/* The use that d->shared had is that of FRESH. */
			fresh->older = full;
			atomic_store(&fresh->bytes, atomic_load(&full->bytes));
			atomic_store(&d->shared->current, fresh);
		} else if (done) {
			atomic_store(&d->shared->current, fresh);
			cache_leave(full);
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
	struct cache *cache = cache_new(FIRST_BITS);

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
	return renew(d, false) ? GSYM_OK : GSYM_ERR_MEMORY;
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
	/* Beyond this no name has a result. */
	enum { MOST = GSYM_DEMANGLE_MAX_NAME + GSYM_DEMANGLE_MAX_RESULT };
	enum gsym_status status;
	size_t length = is_plain(flags, name) ? 0 : strnlen(name, MOST + 1);
	char *copy;

	if (!length || length > MOST)
		return GSYM_NOT_FOUND;
	/* NAME may lie in a file that another process changes, and is read
	 * several times. */
	copy = strndup(name, length);
	if (!copy)
		return GSYM_ERR_MEMORY;
	if (is_plain(flags, copy))
		status = GSYM_NOT_FOUND;
	else if (flags & GSYM_DEMANGLE_LLVM)
		status = gsym_demangle_llvm(copy, ret);
	else
		status = gsym_demangle_iberty(copy, ret);
	free(copy);
	return status;
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
	enum added added = cache_add(d->cache, name, result, size);

	if (added == FULL && renew(d, true))
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
