/* SPDX-License-Identifier: MIT */
/* process/modules.c - the arrays of mappings and modules. */
#include "process/process.h"

#include "base/sort.h"

#include <string.h>

struct gsym_process *gsym_process_new(int64_t pid, const char *root)
{
	struct gsym_process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pid = pid;
	if (root) {
		p->root = gsym_arena_string(&p->arena, root, strlen(root));
		if (!p->root) {
			gsym_process_close(p);
			return NULL;
		}
	}
	return p;
}

struct gsym_mapping *gsym_process_add(struct gsym_process *p, const char *path,
				      size_t length)
{
	char *copy = gsym_arena_string(&p->arena, path, length);
	struct gsym_mapping *m = copy ? gsym_vec_push(&p->mappings) : NULL;

	if (m)
		*m = (struct gsym_mapping){ .path = copy,
					    .length = strlen(copy),
					    .module = GSYM_PROCESS_NONE };
	return m;
}

struct gsym_loaded *gsym_process_add_module(struct gsym_process *p,
					    struct gsym_mapping *mapping)
{
	struct gsym_loaded *loaded = gsym_vec_push(&p->modules);

	if (!loaded)
		return NULL;
	*loaded = (struct gsym_loaded){
		.shown.path = mapping->path,
		.shown.kind = mapping->kind,
		.shown.start = mapping->start,
	};
	gsym_process_join(p, mapping, (uint32_t)(p->modules.count - 1));
	return loaded;
}

void gsym_process_join(struct gsym_process *p, struct gsym_mapping *mapping,
		       uint32_t index)
{
	struct gsym_loaded *loaded = &p->modules.items[index];

	mapping->module = index;
	loaded->executable |= mapping->executable;
	if (mapping->end > loaded->shown.end)
		loaded->shown.end = mapping->end;
}

bool gsym_process_set_id(struct gsym_process *p, struct gsym_process_module *m,
			 const uint8_t *id, size_t size)
{
	char *copy = gsym_arena_string(&p->arena, (const char *)id, size);

	m->build_id = (const uint8_t *)copy;
	m->build_id_size = copy ? size : 0;
	return copy;
}

static int by_start(const void *a, const void *b)
{
	const struct gsym_mapping *x = a, *y = b;
	int order = GSYM_ORDER(x->start, y->start);

	return order ? order : GSYM_ORDER(x->end, y->end);
}

void gsym_process_sort(struct gsym_process *p)
{
	if (p->mappings.count)
		qsort(p->mappings.items, p->mappings.count,
		      sizeof(*p->mappings.items), by_start);
}

void gsym_process_close(struct gsym_process *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->modules.count; i++) {
		struct gsym_loaded *m = &p->modules.items[i];

		if (m->borrowed)
			continue;
		gsym_store_release(m->entry);
		if (!m->entry)
			gsym_close((struct gsym_reader *)m->shown.reader);
	}
	gsym_vec_fini(&p->modules);
	gsym_vec_fini(&p->mappings);
	gsym_vec_fini(&p->symbols);
	gsym_vec_fini(&p->text);
	gsym_arena_fini(&p->arena);
	free(p);
}
