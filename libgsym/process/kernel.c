/* SPDX-License-Identifier: MIT */
/* process/kernel.c - opens the running kernel, or a copy of the files in /proc
 * and /sys that describe one. */
#include "process/kernel.h"

#include "base/error.h"
#include "elfview/elfview.h"

#include <stdio.h>
#include <string.h>

/* The most bytes of a path below the root. */
enum { LONGEST_PATH = 4096 };

/* Set the build ID of M to the one in the notes of the file ROOT, MIDDLE and
 * REST joined, if there is such a file. */
static enum gsym_status read_id(struct gsym_process *p,
				struct gsym_process_module *m,
				const char *root, const char *middle,
				const char *rest)
{
	struct gsym_fd_bytes text = { 0 };
	char path[LONGEST_PATH];
	enum gsym_status status;
	const uint8_t *id = NULL;
	size_t size = 0;
	int length = snprintf(path, sizeof(path), "%s/sys/%s%s", root, middle,
			      rest);

	if (length < 0 || (size_t)length >= sizeof(path))
		return GSYM_OK;
	status = gsym_process_read(path, &text, NULL);
	/* The kernel may be one of another byte order. */
	for (int swap = 0; status == GSYM_OK && swap < 2 && !id; swap++)
		gsym_elfview_search_notes((const uint8_t *)text.items,
					  text.count, 4, swap, &id, &size);
	if (id && !gsym_process_set_id(p, m, id, size))
		status = GSYM_ERR_MEMORY;
	gsym_vec_fini(&text);
	return status == GSYM_ERR_MEMORY ? status : GSYM_OK;
}

/* Read the build IDs of all modules of the kernel. */
static enum gsym_status read_ids(struct gsym_process *p, const char *root)
{
	enum gsym_status status = read_id(p, &p->modules.items[0].shown, root,
					  "kernel/notes", "");

	for (size_t i = 1; status == GSYM_OK && i < p->modules.count; i++) {
		struct gsym_process_module *m = &p->modules.items[i].shown;
		char name[LONGEST_PATH];
		size_t length = strlen(m->path);

		/* The path is "[btrfs]".  A forged copy of kallsyms must not
		 * lead to a file elsewhere. */
		if (length >= sizeof(name) - 16 || strchr(m->path, '/') ||
		    m->path[1] == '.')
			continue;
		snprintf(name, sizeof(name), "module/%.*s", (int)length - 2,
			 m->path + 1);
		status = read_id(p, m, root, name, "/notes/.note.gnu.build-id");
	}
	return status;
}

/* The first module with GSYM data among the owners of the symbols FROM up to,
 * not including, TO; the owner of FROM if no such module has GSYM data. */
static uint32_t choose_owner(const struct gsym_process *p,
			     const uint32_t *owners, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (p->modules.items[owners[i]].shown.reader)
			return owners[i];
	return owners[from];
}

bool gsym_kernel_map(struct gsym_process *p, const uint32_t *owners)
{
	struct gsym_mapping *last = NULL;

	p->mappings.count = 0;
	for (size_t i = 0, next; i < p->symbols.count; i = next) {
		uint64_t start = p->symbols.items[i].address;
		struct gsym_loaded *owner;
		uint32_t module;

		for (next = i + 1; next < p->symbols.count &&
				   p->symbols.items[next].address == start;)
			next++;
		module = choose_owner(p, owners, i, next);
		if (!last || last->module != module || last->end != start) {
			last = gsym_vec_push(&p->mappings);
			if (!last)
				return false;
			*last = (struct gsym_mapping){
				.path = p->modules.items[module].shown.path,
				.kind = GSYM_PROCESS_KERNEL,
				.start = start,
				.executable = true,
				.module = module,
			};
		}
		last->end = gsym_kernel_end(p, i);
		owner = &p->modules.items[module];
		if (!owner->shown.end)
			owner->shown.start = start;
		owner->shown.end = last->end;
	}
	return true;
}

/* Make a mapping of each stretch of symbols of one module. */
static enum gsym_status map_symbols(struct gsym_process *p)
{
	uint32_t *owners = malloc(p->symbols.count * sizeof(*owners));
	bool done;

	if (!owners)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < p->symbols.count; i++)
		owners[i] = p->symbols.items[i].module;
	done = gsym_kernel_map(p, owners);
	free(owners);
	return done ? GSYM_OK : GSYM_ERR_MEMORY;
}

static enum gsym_status open_kernel(struct gsym_process *p, const char *root,
				    struct gsym_error *error)
{
	char path[LONGEST_PATH];
	enum gsym_status status;
	int length = snprintf(path, sizeof(path), "%s/proc/kallsyms", root);

	if (length < 0 || (size_t)length >= sizeof(path))
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "the path of kallsyms is too long");
	status = gsym_process_read(path, &p->text, error);
	if (status == GSYM_OK)
		status = gsym_kernel_parse(p, error);
	if (status != GSYM_OK)
		return status;
	p->base_modules = (uint32_t)p->modules.count;
	status = read_ids(p, root);
	if (status == GSYM_OK)
		status = map_symbols(p);
	return status == GSYM_OK ? GSYM_OK : gsym_fail_memory(error);
}

enum gsym_status gsym_process_open_kernel(const char *root,
					  struct gsym_process **ret,
					  struct gsym_error *error)
{
	struct gsym_process *p;
	enum gsym_status status;

	if (!root || !ret)
		return gsym_fail_argument(error);
	p = gsym_process_new(0, NULL);
	if (!p)
		return gsym_fail_memory(error);
	status = open_kernel(p, root, error);
	if (status != GSYM_OK) {
		gsym_process_close(p);
		return status;
	}
	*ret = p;
	return GSYM_OK;
}
