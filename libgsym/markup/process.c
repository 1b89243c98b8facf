/* SPDX-License-Identifier: MIT */
#include "markup/filter.h"

enum { BUCKETS = 1024 };

static size_t bucket_of(struct gsym_mk_slice name)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < name.size; i++)
		h = (h ^ (unsigned char)name.at[i]) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32) % BUCKETS;
}

static void process_free(struct gsym_mk_process *p)
{
	gsym_mk_context_fini(&p->context);
	gsym_mk_block_fini(&p->block);
	gsym_vec_fini(&p->open.text);
	gsym_vec_fini(&p->open.head);
	gsym_vec_fini(&p->open.prefix);
	gsym_vec_fini(&p->open.lines);
	gsym_vec_fini(&p->prefix);
	gsym_vec_fini(&p->name);
	free(p);
}

struct gsym_mk_process *gsym_mk_process_known(struct gsym_markup *f,
					      struct gsym_mk_slice name)
{
	if (!f->processes)
		return NULL;
	for (struct gsym_mk_process *p = f->processes[bucket_of(name)]; p;
	     p = p->next)
		if (p->name.count == name.size &&
		    (name.size == 0 ||
		     memcmp(p->name.items, name.at, name.size) == 0))
			return p;
	return NULL;
}

static void unlink_process(struct gsym_markup *f, struct gsym_mk_process *p)
{
	*(p->newer ? &p->newer->older : &f->newest) = p->older;
	*(p->older ? &p->older->newer : &f->oldest) = p->newer;
}

static void link_newest(struct gsym_markup *f, struct gsym_mk_process *p)
{
	p->newer = NULL;
	p->older = f->newest;
	*(f->newest ? &f->newest->newer : &f->oldest) = p;
	f->newest = p;
}

void gsym_mk_process_use(struct gsym_markup *f, struct gsym_mk_process *p)
{
	if (f->newest == p)
		return;
	unlink_process(f, p);
	link_newest(f, p);
}

/* Drop the process that had no line with an element for the longest time.
 * That of lines without header stays: options may have given it modules. */
static void drop_oldest(struct gsym_markup *f)
{
	struct gsym_mk_process *gone = f->oldest;

	while (gone && (gone == f->process || !gone->name.count))
		gone = gone->newer;
	if (!gone)
		return;
	gsym_mk_hexdict_give_up(f, gone);
	gsym_mk_end_block(f, gone);
	gsym_mk_say(f, GSYM_MARKUP_NOTE, NULL,
		    "more than %d processes: one that had no line for long "
		    "is forgotten",
		    GSYM_MK_MAX_PROCESSES);
	struct gsym_mk_slice name = { gone->name.items, gone->name.count };
	struct gsym_mk_process **link = &f->processes[bucket_of(name)];

	while (*link != gone)
		link = &(*link)->next;
	*link = gone->next;
	unlink_process(f, gone);
	process_free(gone);
	f->process_count--;
}

struct gsym_mk_process *gsym_mk_process(struct gsym_markup *f,
					struct gsym_mk_slice name)
{
	struct gsym_mk_process *p = gsym_mk_process_known(f, name);

	if (p)
		return p;
	if (!f->processes)
		f->processes = calloc(BUCKETS, sizeof(*f->processes));
	p = f->processes ? calloc(1, sizeof(*p)) : NULL;
	if (!p || !gsym_mk_append(f, &p->name, name.at, name.size)) {
		free(p);
		f->out_of_memory = true;
		return NULL;
	}
	/* Who wrote the log does not know where memory lies. */
	gsym_mk_context_init(&p->context, (uintptr_t)p);
	if (f->process_count >= GSYM_MK_MAX_PROCESSES)
		drop_oldest(f);
	p->next = f->processes[bucket_of(name)];
	f->processes[bucket_of(name)] = p;
	link_newest(f, p);
	f->process_count++;
	return p;
}

void gsym_mk_processes_free(struct gsym_markup *f)
{
	for (size_t i = 0; f->processes && i < BUCKETS; i++)
		while (f->processes[i]) {
			struct gsym_mk_process *next = f->processes[i]->next;

			process_free(f->processes[i]);
			f->processes[i] = next;
		}
	free(f->processes);
	f->processes = NULL;
}

void gsym_mk_each_process(struct gsym_markup *f,
			  void (*visit)(struct gsym_markup *f,
					struct gsym_mk_process *p))
{
	for (size_t i = 0; f->processes && i < BUCKETS; i++)
		for (struct gsym_mk_process *p = f->processes[i]; p;
		     p = p->next)
			visit(f, p);
}

void gsym_mk_count_waiting(struct gsym_markup *f, struct gsym_mk_process *p)
{
	bool waits = p->open.active || gsym_mk_block_open(p);

	if (waits && !p->waits)
		f->waiting++;
	else if (!waits && p->waits)
		f->waiting--;
	p->waits = waits;
}
