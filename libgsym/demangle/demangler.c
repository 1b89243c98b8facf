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
#include "demangle/cache.h"
#include "demangle/spell.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What demanglers with one cache share. */
struct shared {
	/* Held to change CURRENT, and to become a user of CURRENT. */
	pthread_mutex_t mutex;
	_Atomic(struct gsym_demangle_cache *) current;
	/* The number of demanglers. */
	atomic_uint users;
};

struct gsym_demangler {
	unsigned flags;
	struct shared *shared;
	/* The cache that this demangler uses: the current one, as it was in the
	 * last call. */
	struct gsym_demangle_cache *cache;
	/* The result of the last call, if the cache did not take it. */
	char *last;
};

/* Let D use the current cache.  The mutex is held. */
static void take_current(struct gsym_demangler *d)
{
	struct gsym_demangle_cache *old = d->cache;

	d->cache = atomic_load(&d->shared->current);
	atomic_fetch_add(&d->cache->users, 1);
	if (old)
		gsym_demangle_cache_leave(old);
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
	struct gsym_demangle_cache *fresh = NULL;
	bool done = true;

	pthread_mutex_lock(&d->shared->mutex);
	if (atomic_load(&d->shared->current) == d->cache) {
		fresh = gsym_demangle_cache_new();
		done = fresh != NULL;
		if (done) {
			atomic_store(&d->shared->current, fresh);
			/* The use that d->shared had. */
			gsym_demangle_cache_leave(d->cache);
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
	gsym_demangle_cache_leave(atomic_load(&shared->current));
	pthread_mutex_destroy(&shared->mutex);
	free(shared);
}

static struct shared *shared_new(void)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	struct gsym_demangle_cache *cache = gsym_demangle_cache_new();

	if (!shared || !cache || pthread_mutex_init(&shared->mutex, NULL)) {
		if (cache)
			gsym_demangle_cache_leave(cache);
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
	gsym_demangle_cache_leave(d->cache);
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
	enum gsym_demangle_added added =
		gsym_demangle_cache_add(d->cache, name, result, size);

	if (added == GSYM_DEMANGLE_FULL && renew(d))
		added = gsym_demangle_cache_add(d->cache, name, result, size);
	if (added == GSYM_DEMANGLE_ADDED || result == name)
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
	known = gsym_demangle_cache_find(d->cache, name);
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
