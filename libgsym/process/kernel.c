/* SPDX-License-Identifier: MIT */
/* process/kernel.c - opens the running kernel, or a copy of the files in /proc
 * and /sys that describe one, and reads /proc/kallsyms. */
#include "process/process.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/order.h"
#include "base/text.h"
#include "object/elfview.h"

#include <stdio.h>
#include <string.h>

/* ---- /proc/kallsyms ----------------------------------------------------- */

/* A symbol a line. */

/* A line: "ffffffffc0a01000 t btrfs_init\t[btrfs]". */
struct line {
	uint64_t address;
	char type;
	/* Without the brackets; NULL: the kernel itself. */
	const char *name, *module;
	size_t name_size, module_size;
};

/* Read the line from AT to END; false if it is no line of kallsyms. */
static bool read_line(const char *at, const char *end, struct line *ret)
{
	const char *start = at, *tab;

	*ret = (struct line){ 0 };
	at = gsym_number(at, end, 16, &ret->address, NULL);
	if (at == start || at - start > 16 || end - at < 4 || at[0] != ' ' ||
	    at[2] != ' ')
		return false;
	ret->type = at[1];
	ret->name = at + 3;
	tab = memchr(ret->name, '\t', (size_t)(end - ret->name));
	ret->name_size = (size_t)((tab ? tab : end) - ret->name);
	if (!tab)
		return true;
	if (end - tab < 4 || tab[1] != '[' || end[-1] != ']')
		return false;
	ret->module = tab + 2;
	ret->module_size = (size_t)(end - 1 - ret->module);
	return true;
}

/* Whether symbols of TYPE, as of nm, are functions. */
static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* The index of the module of LINE, which is made if it is new. */
static bool module_of(struct gsym_process *p, struct gsym_intern *names,
		      const struct line *line, uint32_t *ret)
{
	struct gsym_loaded *loaded;
	char *path;

	/* The empty name is that of the kernel itself. */
	if (!gsym_intern_add(names, line->module ? line->module : "",
			     line->module_size, ret))
		return false;
	if (*ret < p->modules.count)
		return true;
	loaded = gsym_vec_push(&p->modules);
	path = loaded ? gsym_arena_alloc(&p->arena, line->module_size + 16)
		      : NULL;
	if (!path)
		return false;
	if (line->module) {
		path[0] = '[';
		memcpy(path + 1, line->module, line->module_size);
		strcpy(path + 1 + line->module_size, "]");
	} else {
		strcpy(path, "[kernel]");
	}
	*loaded = (struct gsym_loaded){
		.shown.path = path,
		.shown.kind = GSYM_PROCESS_KERNEL,
		.shown.bias_guessed = true,
		.executable = true,
	};
	return true;
}

static bool add_symbol(struct gsym_process *p, struct gsym_intern *names,
		       const struct line *line)
{
	struct gsym_kernel_symbol *symbol;
	uint32_t module;

	if (!is_function(line->type) || !line->address)
		return true;
	symbol = module_of(p, names, line, &module) ?
			 gsym_vec_push(&p->symbols) : NULL;
	if (!symbol)
		return false;
	*symbol = (struct gsym_kernel_symbol){ line->address, line->name,
					       module };
	/* After the name there is a tab, a line feed, or the NUL at the end. */
	((char *)(uintptr_t)line->name)[line->name_size] = 0;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct gsym_kernel_symbol *x = a, *y = b;
	int order = GSYM_ORDER(x->address, y->address);

	return order ? order : GSYM_ORDER(x->name, y->name);
}

static enum gsym_status parse(struct gsym_process *p,
			      struct gsym_intern *names,
			      struct gsym_error *error)
{
	const char *text = p->text.items, *end = text + p->text.count - 1;
	bool hidden = false;

	for (const char *at = text; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct line line;

		stop = stop ? stop : end;
		if (stop > at && !read_line(at, stop, &line))
			return gsym_fail(error, GSYM_ERR_FORMAT,
					 (uint64_t)(at - text),
					 "not a line of kallsyms");
		if (stop > at && !add_symbol(p, names, &line))
			return gsym_fail_memory(error);
		hidden |= stop > at && is_function(line.type);
		at = stop + 1;
	}
	if (p->symbols.count)
		return GSYM_OK;
	return hidden ? gsym_fail(error, GSYM_ERR_IO, 0,
				  "kallsyms shows all addresses as 0: the "
				  "kernel hides them from this user "
				  "(kernel.kptr_restrict)")
		      : gsym_fail(error, GSYM_ERR_FORMAT, 0,
				  "kallsyms has no functions");
}

/* Take the symbols of functions from P->text, a copy of kallsyms, sorted by
 * address; P gets a module for the kernel and for each module of the kernel.
 * GSYM_ERR_FORMAT: a line is no line of kallsyms.  GSYM_ERR_IO: all addresses
 * are 0, because the kernel hides them.  GSYM_ERR_MEMORY. */
static enum gsym_status parse_symbols(struct gsym_process *p,
				      struct gsym_error *error)
{
	struct gsym_intern names = { 0 };
	enum gsym_status status;
	uint32_t kernel;
	char *nul = gsym_vec_push(&p->text);

	if (!nul)
		return gsym_fail_memory(error);
	*nul = 0;
	/* The kernel is module 0. */
	status = module_of(p, &names, &(struct line){ 0 }, &kernel) ?
			 parse(p, &names, error) : gsym_fail_memory(error);
	gsym_intern_fini(&names);
	if (status == GSYM_OK)
		qsort(p->symbols.items, p->symbols.count,
		      sizeof(*p->symbols.items), by_address);
	return status;
}

/* ---- addresses ---------------------------------------------------------- */

uint64_t gsym_kernel_end(const struct gsym_process *p, size_t index)
{
	uint64_t address = p->symbols.items[index].address;
	size_t next = GSYM_FIRST(i, index, p->symbols.count,
				 p->symbols.items[i].address > address);
	uint64_t reach = UINT64_MAX - address;

	if (reach > GSYM_KERNEL_REACH)
		reach = GSYM_KERNEL_REACH;
	if (next < p->symbols.count &&
	    p->symbols.items[next].address - address < reach)
		return p->symbols.items[next].address;
	return address + reach;
}

const struct gsym_kernel_symbol *
gsym_kernel_find(const struct gsym_process *p, uint64_t address)
{
	const struct gsym_kernel_symbol *items = p->symbols.items;
	size_t after = GSYM_FIRST(i, 0, p->symbols.count,
				  items[i].address > address);
	uint64_t start;

	if (!after || address >= gsym_kernel_end(p, after - 1))
		return NULL;
	start = items[after - 1].address;
	return &items[GSYM_FIRST(i, 0, after, items[i].address >= start)];
}

/* ---- opening ------------------------------------------------------------ */

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
		status = parse_symbols(p, error);
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
