/* SPDX-License-Identifier: MIT */
/* process/maps.c - the arrays of mappings and modules, and the text of
 * /proc/PID/maps: a mapping a line. */
#include "process/process.h"

#include "base/error.h"
#include "base/order.h"
#include "base/text.h"

#include <fcntl.h>
#include <string.h>

/* ---- mappings and modules ----------------------------------------------- */

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

/* Add a mapping whose path is the LENGTH bytes at PATH, of which a copy is
 * made.  NULL without memory. */
static struct gsym_mapping *add_mapping(struct gsym_process *p,
					const char *path, size_t length)
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
		.inode = mapping->inode,
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

	return GSYM_ORDER(x->start, y->start) ?: GSYM_ORDER(x->end, y->end);
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
	gsym_vec_fini(&p->jit);
	gsym_vec_fini(&p->jit_text);
	gsym_arena_fini(&p->arena);
	free(p);
}

/* ---- what the dynamic linker knows --------------------------------------- */

struct gsym_self_object *gsym_self_add(struct gsym_self *self, uint64_t bias)
{
	struct gsym_self_object *object = gsym_vec_push(self);

	if (object)
		*object = (struct gsym_self_object){
			.bias = bias, .module = GSYM_PROCESS_NONE
		};
	return object;
}

bool gsym_self_map(struct gsym_self *self, const char *path,
		   struct gsym_mapping loaded, uint64_t size)
{
	struct gsym_mapping *m =
		add_mapping(self->process, path, strlen(path));

	if (!m)
		return false;
	loaded.path = m->path;
	loaded.length = m->length;
	loaded.end = loaded.start + size;
	/* The number of its object plus 1, until modules are made. */
	loaded.inode = self->count;
	*m = loaded;
	return true;
}

/* ---- the text ----------------------------------------------------------- */

enum gsym_status gsym_process_read(const char *path,
				   struct gsym_fd_bytes *text,
				   struct gsym_error *error)
{
	int fd = gsym_fd_open(path, O_RDONLY);
	bool done = fd >= 0 && gsym_fd_read_to_end(fd, text);
	int why = errno;

	if (fd >= 0)
		close(fd);
	if (done)
		return GSYM_OK;
	return why == ENOMEM ? gsym_fail_memory(error)
			     : gsym_fail(error, GSYM_ERR_IO, 0,
					 "cannot read %s: %s", path,
					 strerror(why));
}

/* The rest of a line. */
struct scan {
	const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

/* Read a number of BASE; false if there is none, or it has over 64 bits. */
static bool number(struct scan *s, unsigned base, uint64_t *ret)
{
	const char *start = s->at;
	bool fits;

	s->at = gsym_number(start, s->end, base, ret, &fits);
	return fits && s->at > start;
}

static bool character(struct scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

/* The kernel writes a line feed in a path as "\012".  Shorten the LENGTH bytes
 * at PATH; returns the new length. */
static size_t unescape(char *path, size_t length)
{
	size_t to = 0;

	for (size_t from = 0; from < length; from++) {
		if (length - from >= 4 && !memcmp(path + from, "\\012", 4)) {
			path[to++] = '\n';
			from += 3;
		} else {
			path[to++] = path[from];
		}
	}
	path[to] = 0;
	return to;
}

static bool begins(const char *path, const char *with)
{
	return strncmp(path, with, strlen(with)) == 0;
}

/* Find out what M is by its path, and cut " (deleted)" off. */
static void classify(struct gsym_mapping *m, char *path)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof(deleted) - 1;

	m->length = unescape(path, m->length);
	if (!strcmp(path, "[vdso]"))
		m->kind = GSYM_PROCESS_VDSO;
	else if (path[0] != '/')
		m->kind = GSYM_PROCESS_MEMORY;
	else
		m->kind = GSYM_PROCESS_FILE;
	if (m->kind == GSYM_PROCESS_FILE && m->length > tail &&
	    !strcmp(path + m->length - tail, deleted)) {
		m->length -= tail;
		path[m->length] = 0;
		m->kind = GSYM_PROCESS_DELETED;
	}
	if (begins(path, "/memfd:"))
		m->kind = GSYM_PROCESS_MEMFD;
	/* Shared memory of the kernel's own, and of System V. */
	if (begins(path, "/dev/zero") || begins(path, "/SYSV"))
		m->kind = GSYM_PROCESS_MEMORY;
}

/* Read "START-END PERMISSIONS OFFSET DEVICE INODE", a line without its path. */
static bool fields(struct scan *s, struct gsym_mapping *m)
{
	uint64_t ignored;

	if (!number(s, 16, &m->start) || !character(s, '-') ||
	    !number(s, 16, &m->end) || !character(s, ' ') ||
	    s->end - s->at < 5 || s->at[4] != ' ' || m->start > m->end)
		return false;
	m->executable = s->at[2] == 'x';
	s->at += 5;
	if (!number(s, 16, &m->offset) || !character(s, ' ') ||
	    !number(s, 16, &ignored) || !character(s, ':') ||
	    !number(s, 16, &ignored) || !character(s, ' '))
		return false;
	return number(s, 10, &m->inode);
}

static enum gsym_status add_line(struct gsym_process *p, struct scan s,
				 uint64_t offset, struct gsym_error *error)
{
	struct gsym_mapping line = { 0 }, *m;

	if (!fields(&s, &line))
		return gsym_fail(error, GSYM_ERR_FORMAT, offset,
				 "not a line of a maps file");
	skip_blanks(&s);
	if (line.start == line.end)
		return GSYM_OK;
	m = add_mapping(p, s.at, (size_t)(s.end - s.at));
	if (!m)
		return gsym_fail_memory(error);
	line.path = m->path;
	line.length = m->length;
	line.module = m->module;
	/* Nothing but M refers to the path so far, so it may be changed. */
	classify(&line, (char *)line.path);
	*m = line;
	return GSYM_OK;
}

enum gsym_status gsym_process_parse(struct gsym_process *p, const char *text,
				    size_t size, struct gsym_error *error)
{
	const char *end = text + size;

	for (const char *at = text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct scan line = { at, newline ? newline : end };
		enum gsym_status status = GSYM_OK;

		if (line.end > at && line.end[-1] == '\r')
			line.end--;
		if (line.end > at)
			status = add_line(p, line, (uint64_t)(at - text),
					  error);
		if (status != GSYM_OK)
			return status;
		at = newline ? newline + 1 : end;
	}
	return GSYM_OK;
}
