/* SPDX-License-Identifier: MIT */
#include "elf/find.h"

#include "base/error.h"
#include "elf/elf_image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- paths -------------------------------------------------------------- */

/* A path that is put together; false if there is no memory. */
static bool join(char **ret, const char *directory, size_t length,
		 const char *rest)
{
	size_t size = strlen(rest) + 1;

	*ret = malloc(length + 1 + size);
	if (!*ret)
		return false;
	memcpy(*ret, directory, length);
	(*ret)[length] = '/';
	memcpy(*ret + length + 1, rest, size);
	return true;
}

/* The length of PATH's folder; SIZE_MAX if PATH is a bare name. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : SIZE_MAX;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* REST in the folder of PATH. */
static bool join_beside(char **ret, const char *path, const char *rest)
{
	size_t length = folder_length(path);

	return length == SIZE_MAX ? join(ret, ".", 1, rest) :
				    join(ret, path, length, rest);
}

/* ---- the supplementary file ---------------------------------------------- */

/* What is looked for. */
struct wanted {
	const char *section; /* that names it */
	const char *name;
	const uint8_t *id; /* ID_SIZE bytes; none: anything will do */
	size_t id_size;
};

struct search {
	const struct gsym_find *find;
	struct wanted wanted;
	const char *path; /* of the file that refers to it */
	char *real_path;  /* the same with links followed, or NULL */
	struct gsym_container *found;
	/* A file that was there, but was not the right one. */
	char *wrong;
	const char *reason;
	/* Why it was not to be had elsewhere. */
	struct gsym_error why;
	bool no_memory;
};

static bool read_altlink(const struct gsym_container *c, struct wanted *ret)
{
	const char *section = ".gnu_debugaltlink";
	struct gsym_cursor at = gsym_container_cursor(
		c, gsym_container_section(c, section));

	ret->section = section;
	ret->name = gsym_cursor_string(&at);
	ret->id_size = gsym_cursor_left(&at);
	ret->id = gsym_cursor_bytes(&at, ret->id_size);
	return !at.failed && *ret->name;
}

/* What .debug_sup of DWARF 5 says; IS_SUPPLEMENTARY: of such a file. */
static bool read_sup(const struct gsym_container *c, bool is_supplementary,
		     struct wanted *ret)
{
	const char *section = ".debug_sup";
	struct gsym_cursor at = gsym_container_cursor(
		c, gsym_container_section(c, section));
	uint64_t size;

	ret->section = section;
	if (gsym_cursor_u16(&at) < 2 ||
	    (gsym_cursor_u8(&at) != 0) != is_supplementary)
		return false;
	ret->name = gsym_cursor_string(&at);
	size = gsym_cursor_uleb(&at);
	ret->id = gsym_cursor_bytes(&at, size);
	ret->id_size = (size_t)size;
	return !at.failed && (is_supplementary || *ret->name);
}

/* Whether C is the file that is WANTED. */
static bool is_wanted(const struct gsym_container *c,
		      const struct wanted *wanted)
{
	struct wanted own = { 0 };

	if (!wanted->id_size)
		return true;
	if (!read_sup(c, true, &own)) {
		own.id = c->uuid;
		own.id_size = c->uuid_size;
	}
	return own.id_size == wanted->id_size &&
	       !memcmp(own.id, wanted->id, own.id_size);
}

static void note_wrong(struct search *s, const char *path, const char *reason)
{
	if (s->wrong)
		return;
	s->wrong = strdup(path);
	s->reason = reason;
	s->no_memory |= !s->wrong;
}

/* Tell who listens what became of the file at PATH. */
static void report(const struct search *s, const char *path,
		   const char *refused)
{
	const struct gsym_convert_options *o = s->find->options;

	if (o->file)
		o->file(o->context, GSYM_FILE_ALTERNATE, path, refused);
}

/* Take the file at PATH, which is freed, if it is the one; whether the
 * search is over. */
static bool consider(struct search *s, char *path)
{
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };
	enum gsym_status status;

	status = gsym_elf_open(path, s->find->options->threads, &c, &error);
	if (status == GSYM_ERR_MEMORY)
		s->no_memory = true;
	else if (status == GSYM_OK && is_wanted(c, &s->wanted))
		s->found = c;
	else if (status == GSYM_OK)
		note_wrong(s, path, "has another build ID");
	else if (status != GSYM_ERR_IO)
		note_wrong(s, path, "cannot be read");
	if (status == GSYM_OK)
		report(s, path, s->found ? NULL : "it has another build ID");
	else
		report(s, path, error.message);
	if (!s->found)
		gsym_container_free(c);
	free(path);
	return s->found || s->no_memory;
}

/* The file at DIRECTORY/REST. */
static bool consider_in(struct search *s, const char *directory, size_t length,
			const char *rest)
{
	char *path;

	if (join(&path, directory, length, rest))
		return consider(s, path);
	s->no_memory = true;
	return true;
}

static bool consider_beside(struct search *s, const char *path,
			    const char *rest)
{
	char *joined;

	if (join_beside(&joined, path, rest))
		return consider(s, joined);
	s->no_memory = true;
	return true;
}

/* ".build-id/hh/rest.debug"; NULL without memory. */
static char *build_id_path(const uint8_t *id, size_t size)
{
	static const char prefix[] = ".build-id/", suffix[] = ".debug";
	char *path = malloc(sizeof(prefix) + 2 * size + 1 + sizeof(suffix));
	char *at = path;

	if (!path)
		return NULL;
	at += sprintf(at, "%s", prefix);
	for (size_t i = 0; i < size; i++)
		at += sprintf(at, i == 1 ? "/%02x" : "%02x", id[i]);
	strcpy(at, suffix);
	return path;
}

static bool search_by_id(struct search *s)
{
	char *rest;
	bool over = false;

	/* IDs of one byte have no file name; nor has what is no hash. */
	if (s->wanted.id_size < 2 || s->wanted.id_size > 64)
		return false;
	rest = build_id_path(s->wanted.id, s->wanted.id_size);
	s->no_memory |= !rest;
	for (size_t i = 0; rest && !over && i < s->find->directory_count; i++)
		over = consider_in(s, s->find->directories[i],
				   strlen(s->find->directories[i]), rest);
	free(rest);
	return over || s->no_memory;
}

/* REST, as it is used for .dwz/REST. */
static bool search_dwz(struct search *s, const char *rest)
{
	char *path;
	bool over = false;

	s->no_memory |= !join(&path, ".dwz", 4, rest);
	if (s->no_memory)
		return true;
	for (size_t i = 0; !over && i < s->find->directory_count; i++)
		over = consider_in(s, s->find->directories[i],
				   strlen(s->find->directories[i]), path);
	free(path);
	return over;
}

static bool search_dwz_trees(struct search *s)
{
	const char *name = s->wanted.name, *below = strstr(name, "/.dwz/");
	const char *base = base_name(name);

	below = below ? below + 6 : base;
	return (below != base && search_dwz(s, below)) || search_dwz(s, base);
}

static bool search_beside(struct search *s)
{
	const char *path = s->real_path ? s->real_path : s->path;
	char *rest;
	bool over;

	s->no_memory |= !join(&rest, ".dwz", 4, base_name(s->wanted.name));
	if (s->no_memory)
		return true;
	over = consider_beside(s, path, rest);
	free(rest);
	return over;
}

/* An absolute name, below the folders that the file is in. */
static bool search_roots(struct search *s)
{
	const char *name = s->wanted.name;
	size_t length = s->real_path ? strlen(s->real_path) : 0;

	if (*name != '/')
		return false;
	while (length) {
		while (length && s->real_path[--length] != '/')
			;
		if (length && consider_in(s, s->real_path, length, name + 1))
			return true;
	}
	return false;
}

/* What the caller can get from elsewhere. */
static bool search_fetched(struct search *s)
{
	const struct gsym_convert_options *o = s->find->options;
	char *path = NULL;

	if (!o->fetch || !s->wanted.id_size)
		return false;
	return o->fetch(o->context, s->wanted.id, s->wanted.id_size, &path,
			&s->why) == GSYM_OK && consider(s, path);
}

static bool search_named(struct search *s)
{
	const char *name = s->wanted.name;
	char *copy;

	if (*name == '/') {
		copy = strdup(name);
		s->no_memory |= !copy;
		return copy ? consider(s, copy) : true;
	}
	return (s->real_path && consider_beside(s, s->real_path, name)) ||
	       consider_beside(s, s->path, name);
}

static void warn_missing(struct gsym_container *c, const struct search *s)
{
	if (s->wrong)
		gsym_container_warn(c, GSYM_WARN_MISSING_FILE,
				    "%s: the supplementary file %s is not "
				    "used: %s %s", s->wanted.section,
				    s->wanted.name, s->wrong, s->reason);
	else
		gsym_container_warn(c, GSYM_WARN_MISSING_FILE,
				    "%s: the supplementary file %s was not "
				    "found: names that it holds are missing%s%s",
				    s->wanted.section, s->wanted.name,
				    s->why.code ? "; " : "", s->why.message);
}

enum gsym_status gsym_elf_find_alternate(const struct gsym_find *find,
					 const char *path,
					 struct gsym_container *container,
					 struct gsym_error *error)
{
	struct search s = { .find = find, .path = path };

	if (!read_altlink(container, &s.wanted) &&
	    !read_sup(container, false, &s.wanted))
		return GSYM_OK;
	s.real_path = realpath(path, NULL);
	if (!search_named(&s) && !search_by_id(&s) && !search_dwz_trees(&s) &&
	    !search_beside(&s) && !search_roots(&s))
		search_fetched(&s);
	if (s.found)
		container->alternate = s.found;
	else if (!s.no_memory)
		warn_missing(container, &s);
	free(s.real_path);
	free(s.wrong);
	return s.no_memory ? gsym_fail_memory(error) : GSYM_OK;
}

/* ---- split units --------------------------------------------------------- */

/* Candidate N for the .dwo file NAME; false without memory, *RET NULL if
 * there is none. */
static bool split_path(const struct gsym_container *c, const char *directory,
		       const char *name, unsigned n, char **ret)
{
	bool absolute = *name == '/';

	*ret = NULL;
	switch (n) {
	case 0:
		if (absolute) {
			*ret = strdup(name);
			return *ret;
		}
		return !directory ||
		       join(ret, directory, strlen(directory), name);
	case 1:
		return absolute || join_beside(ret, c->path, name);
	case 2:
		/* The folders may have moved together with the program. */
		return base_name(name) == name ||
		       join_beside(ret, c->path, base_name(name));
	}
	return true;
}

static enum gsym_status open_split(const struct gsym_container *container,
				   const char *directory, const char *name,
				   unsigned n, struct gsym_container **ret)
{
	enum gsym_status status;
	char *path;

	if (n > 2)
		return GSYM_NOT_FOUND;
	if (!split_path(container, directory, name, n, &path))
		return GSYM_ERR_MEMORY;
	if (!path)
		return GSYM_ERR_IO;
	status = gsym_elf_open(path, 1, ret, NULL);
	free(path);
	return status;
}

static enum gsym_status open_package(const struct gsym_find *find,
				     const char *path, const char *package,
				     struct gsym_container *container,
				     struct gsym_error *error)
{
	char *name = NULL;
	enum gsym_status status;

	if (package)
		return gsym_elf_open(package, find->options->threads,
				     &container->package, error);
	name = malloc(strlen(path) + sizeof(".dwp"));
	if (!name)
		return gsym_fail_memory(error);
	sprintf(name, "%s.dwp", path);
	status = gsym_elf_open(name, find->options->threads, &container->package, NULL);
	if (status == GSYM_ERR_MEMORY)
		gsym_fail_memory(error);
	else if (status != GSYM_OK && status != GSYM_ERR_IO)
		gsym_container_warn(container, GSYM_WARN_MISSING_FILE,
				    "the package %s cannot be read", name);
	free(name);
	return status == GSYM_ERR_MEMORY ? status : GSYM_OK;
}

enum gsym_status gsym_elf_find_split(const struct gsym_find *find,
				     const char *path, const char *package,
				     struct gsym_container *container,
				     struct gsym_error *error)
{
	container->path = gsym_arena_string(&container->arena, path,
					    strlen(path));
	if (!container->path)
		return gsym_fail_memory(error);
	container->open_split = open_split;
	return open_package(find, path, package, container, error);
}
