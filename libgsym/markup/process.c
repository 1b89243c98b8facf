/* SPDX-License-Identifier: MIT */
/*
 * Finds the processes of a log by hash, and keeps them in the order of their
 * last use; and says how long their lines wait.
 */
#include "config.h"

#include "markup/process.h"

#include "base/hash.h"

enum { BUCKETS = 1024 };

/* The author of a log cannot know the address of ALL. */
static size_t bucket_of(const struct mk_processes *all, struct logs_text name)
{
	return (size_t)gsym_hash_bytes((uintptr_t)all, name.at, name.size) %
	       BUCKETS;
}

static void process_free(struct mk_process *p)
{
	gsym_mk_context_fini(&p->context);
	for (size_t i = 0; i < p->collected.entries.count; i++)
		gsym_vec_fini(&p->collected.entries.items[i].ranges);
	gsym_vec_fini(&p->collected.entries);
	gsym_vec_fini(&p->collected.text);
	gsym_vec_fini(&p->collected.start);
	gsym_vec_fini(&p->unended.text);
	gsym_vec_fini(&p->unended.head);
	gsym_vec_fini(&p->unended.prefix);
	gsym_vec_fini(&p->unended.lines);
	gsym_vec_fini(&p->prefix);
	gsym_vec_fini(&p->name);
	gsym_vec_fini(&p->wait.report);
	free(p);
}

struct mk_process *gsym_mk_process_find(const struct mk_processes *all,
					struct logs_text name)
{
	if (!all->buckets)
		return NULL;
	for (struct mk_process *p = all->buckets[bucket_of(all, name)]; p;
	     p = p->next)
		if (logs_same(mk_all(&p->name), name))
			return p;
	return NULL;
}

/* ---- order of use ---------------------------------------------------- */

static void unlink_process(struct mk_processes *all, struct mk_process *p)
{
	*(p->newer ? &p->newer->older : &all->newest) = p->older;
	*(p->older ? &p->older->newer : &all->oldest) = p->newer;
}

static void link_newest(struct mk_processes *all, struct mk_process *p)
{
	p->newer = NULL;
	p->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = p;
	all->newest = p;
}

void gsym_mk_process_use(struct mk_processes *all, struct mk_process *p)
{
	if (all->newest == p)
		return;
	unlink_process(all, p);
	link_newest(all, p);
}

/* ---- adding and removing --------------------------------------------- */

struct mk_process *gsym_mk_process_add(struct mk_processes *all,
				       struct logs_text name)
{
	struct mk_process *p, **bucket;

	if (!all->buckets)
		all->buckets = calloc(BUCKETS, sizeof(*all->buckets));
	p = all->buckets ? calloc(1, sizeof(*p)) : NULL;
	if (!p || !mk_text_add(&p->name, name.at, name.size)) {
		free(p);
		return NULL;
	}
	bucket = &all->buckets[bucket_of(all, name)];
	p->next = *bucket;
	*bucket = p;
	link_newest(all, p);
	all->count++;
	return p;
}

void gsym_mk_process_remove(struct mk_processes *all, struct mk_process *p)
{
	struct mk_process **link =
		&all->buckets[bucket_of(all, mk_all(&p->name))];

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	unlink_process(all, p);
	process_free(p);
	all->count--;
}

void gsym_mk_processes_free(struct mk_processes *all)
{
	while (all->newest) {
		struct mk_process *older = all->newest->older;

		process_free(all->newest);
		all->newest = older;
	}
	free(all->buckets);
	all->buckets = NULL;
}

struct mk_process *gsym_mk_process_next(const struct mk_processes *all,
					const struct mk_process *p)
{
	return p ? p->newer : all->oldest;
}

static void link_holding(struct mk_processes *all, struct mk_process *p)
{
	p->held_next = NULL;
	p->held_before = all->holding_last;
	*(p->held_before ? &p->held_before->held_next : &all->holding) = p;
	all->holding_last = p;
}

static void unlink_holding(struct mk_processes *all, struct mk_process *p)
{
	*(p->held_before ? &p->held_before->held_next : &all->holding) =
		p->held_next;
	*(p->held_next ? &p->held_next->held_before : &all->holding_last) =
		p->held_before;
}

void gsym_mk_process_changed(struct mk_processes *all, struct mk_process *p)
{
	enum mk_process_state state =
		p->unended.state == MK_PASSED		  ? MK_ANNOTATES
		: p->unended.state || mk_has_collected(p) ? MK_HOLDS
							  : MK_IDLE;

	if (state == p->state)
		return;
	if (p->state == MK_HOLDS)
		unlink_holding(all, p);
	if (state == MK_HOLDS)
		link_holding(all, p);
	all->annotating += state == MK_ANNOTATES;
	all->annotating -= p->state == MK_ANNOTATES;
	p->state = state;
}

const struct mk_mapping *
gsym_mk_locate(struct mk_processes *all, const struct mk_process *p,
	       const struct gsym_markup_options *options, uint64_t *address)
{
	const uint64_t four = (uint64_t)1 << 32;
	const struct mk_mapping *m;

	m = gsym_mk_mapping_find(&p->context, *address);
	if (m || options->style == GSYM_MARKUP_STYLE_LLVM)
		return m;
	/* A program may cut addresses to 32 bits although its segment reaches
	 * beyond 4 GiB. */
	if (*address < four &&
	    (m = gsym_mk_mapping_find(&p->context, *address + four)) &&
	    m->start < four) {
		*address += four;
		return m;
	}
	if (*address >> 63 && options->headers) {
		const char *name = options->kernel_process;
		struct mk_process *kernel;

		if (!name)
			name = "";
		kernel = gsym_mk_process_find(all, logs_string(name));
		if (kernel && kernel != p) {
			gsym_mk_process_use(all, kernel);
			return gsym_mk_mapping_find(&kernel->context, *address);
		}
	}
	return NULL;
}

/* ---- how long lines wait ------------------------------------------------ */

struct mk_patience gsym_mk_patience(enum mk_reason reason)
{
	/* Tests have limits that are no constants. */
#define ROW(name, ...) [MK_FOR_##name] = { __VA_ARGS__ },
	const struct mk_patience rows[] = { MK_REASONS(ROW) };
#undef ROW

	return rows[reason];
}

/* Whether PATIENCE milliseconds have passed since SINCE.  If not, CLOCK is due
 * when they have. */
static bool passed(struct mk_clock *clock, uint64_t since, uint64_t patience)
{
	uint64_t left;

	if (!patience)
		return false;
	if (clock->now >= since + patience)
		return true;
	left = since + patience - clock->now;
	if (left < clock->due)
		clock->due = left;
	return false;
}

bool gsym_mk_is_overdue(struct mk_clock *clock, enum mk_reason reason,
			uint64_t first, uint64_t last)
{
	const struct mk_patience p = gsym_mk_patience(reason);

	return passed(clock, first, p.since_first) ||
	       passed(clock, last, p.since_last);
}
