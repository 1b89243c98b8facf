/* SPDX-License-Identifier: MIT */
/*
 * Finds the processes of a log by hash, and keeps them in the order of their
 * last use.
 */
#include "config.h"

#include "markup/process.h"

#include "base/hash.h"

enum { BUCKETS = 1024 };

/* The author of a log cannot know the address of ALL. */
static size_t bucket_of(const struct gsym_mk_processes *all,
			struct gsym_mk_slice name)
{
	return (size_t)gsym_hash_bytes((uintptr_t)all, name.at, name.size) %
	       BUCKETS;
}

static struct gsym_mk_slice name_of(const struct gsym_mk_process *p)
{
	return (struct gsym_mk_slice){ p->name.items, p->name.count };
}

static void process_free(struct gsym_mk_process *p)
{
	gsym_mk_context_fini(&p->context);
	for (size_t i = 0; i < p->block.entries.count; i++)
		gsym_vec_fini(&p->block.entries.items[i].ranges);
	gsym_vec_fini(&p->block.entries);
	gsym_vec_fini(&p->block.text);
	gsym_vec_fini(&p->block.lead);
	gsym_vec_fini(&p->open.text);
	gsym_vec_fini(&p->open.head);
	gsym_vec_fini(&p->open.prefix);
	gsym_vec_fini(&p->open.lines);
	gsym_vec_fini(&p->prefix);
	gsym_vec_fini(&p->name);
	gsym_mk_log_state_free(p->log);
	free(p);
}

struct gsym_mk_process *
gsym_mk_process_find(const struct gsym_mk_processes *all,
		     struct gsym_mk_slice name)
{
	if (!all->buckets)
		return NULL;
	for (struct gsym_mk_process *p = all->buckets[bucket_of(all, name)]; p;
	     p = p->next)
		if (p->name.count == name.size &&
		    (name.size == 0 ||
		     memcmp(p->name.items, name.at, name.size) == 0))
			return p;
	return NULL;
}

/* ---- order of use ---------------------------------------------------- */

static void unlink_process(struct gsym_mk_processes *all,
			   struct gsym_mk_process *p)
{
	*(p->newer ? &p->newer->older : &all->newest) = p->older;
	*(p->older ? &p->older->newer : &all->oldest) = p->newer;
}

static void link_newest(struct gsym_mk_processes *all,
			struct gsym_mk_process *p)
{
	p->newer = NULL;
	p->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = p;
	all->newest = p;
}

void gsym_mk_process_use(struct gsym_mk_processes *all,
			 struct gsym_mk_process *p)
{
	if (all->newest == p)
		return;
	unlink_process(all, p);
	link_newest(all, p);
}

/* ---- adding and removing --------------------------------------------- */

struct gsym_mk_process *gsym_mk_process_add(struct gsym_mk_processes *all,
					    struct gsym_mk_slice name)
{
	struct gsym_mk_process *p, **bucket;

	if (!all->buckets)
		all->buckets = calloc(BUCKETS, sizeof(*all->buckets));
	p = all->buckets ? calloc(1, sizeof(*p)) : NULL;
	if (!p || !gsym_mk_text_add(&p->name, name.at, name.size)) {
		free(p);
		return NULL;
	}
	/* The author of a log cannot know the address of P. */
	gsym_mk_context_init(&p->context, (uintptr_t)p);
	bucket = &all->buckets[bucket_of(all, name)];
	p->next = *bucket;
	*bucket = p;
	link_newest(all, p);
	all->count++;
	return p;
}

void gsym_mk_process_remove(struct gsym_mk_processes *all,
			    struct gsym_mk_process *p)
{
	struct gsym_mk_process **link =
		&all->buckets[bucket_of(all, name_of(p))];

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	unlink_process(all, p);
	process_free(p);
	all->count--;
}

void gsym_mk_processes_free(struct gsym_mk_processes *all)
{
	while (all->newest) {
		struct gsym_mk_process *older = all->newest->older;

		process_free(all->newest);
		all->newest = older;
	}
	free(all->buckets);
	all->buckets = NULL;
}

struct gsym_mk_process *
gsym_mk_process_next(const struct gsym_mk_processes *all,
		     const struct gsym_mk_process *p)
{
	return p ? p->newer : all->oldest;
}

/* Add P to the list of processes that hold lines back, or remove P. */
static void hold(struct gsym_mk_processes *all, struct gsym_mk_process *p,
		 bool holds)
{
	if (holds == p->holds)
		return;
	p->holds = holds;
	if (holds) {
		p->held_next = NULL;
		p->held_before = all->held_last;
		*(p->held_before ? &p->held_before->held_next : &all->held) = p;
		all->held_last = p;
		return;
	}
	*(p->held_before ? &p->held_before->held_next : &all->held) =
		p->held_next;
	*(p->held_next ? &p->held_next->held_before : &all->held_last) =
		p->held_before;
}

void gsym_mk_count_waiting(struct gsym_mk_processes *all,
			   struct gsym_mk_process *p)
{
	bool waits = p->open.active || gsym_mk_block_open(p);

	hold(all, p, waits && !(p->open.active && p->open.passed));
	if (waits && !p->waits)
		all->waiting++;
	else if (!waits && p->waits)
		all->waiting--;
	p->waits = waits;
}
