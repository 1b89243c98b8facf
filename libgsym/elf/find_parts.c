/* SPDX-License-Identifier: MIT */
/* Finds the files that debug info continues in: the supplementary file that dwz
 * makes, and split units, in .dwo files and in packages of them. */

#include "base/debug_path.h"
#include "base/error.h"
#include "elf/elf.h"

#include <stdio.h>
#include <string.h>

/* The supplementary file that a file refers to. */
struct wanted {
	const char *section; /* name of the section that refers to the file */
	const char *name;
	/* Its build ID, ID_SIZE bytes; ID_SIZE 0: any file will do. */
	const uint8_t *id;
	size_t id_size;
};

struct search {
	const struct gsym_find *find;
	struct wanted wanted;
	const char *path; /* path of the file that refers to it */
	char *real_path;  /* PATH without symbolic links; NULL: not known */
	struct gsym_container *found;
	/* The path, malloc'ed, of the first file that was refused, and why. */
	char *wrong;
	const char *reason;
	struct gsym_error fetch_error;
	struct gsym_find_attempt last;
};

/* ---- what is wanted ------------------------------------------------------ */

static bool read_altlink(const struct gsym_container *c, struct wanted *ret)
{
	const char *section = ".gnu_debugaltlink";
	struct gsym_cursor at =
		gsym_container_cursor(c, gsym_container_section(c, section));

	ret->section = section;
	ret->name = gsym_cursor_string(&at);
	ret->id_size = gsym_cursor_left(&at);
	ret->id = gsym_cursor_bytes(&at, ret->id_size);
	return !at.failed && *ret->name;
}

/* Read .debug_sup of DWARF 5.  Its flag has to say whether C is the
 * supplementary file itself (IS_SUPPLEMENTARY) or refers to one. */
static bool read_sup(const struct gsym_container *c, bool is_supplementary,
		     struct wanted *ret)
{
	const char *section = ".debug_sup";
	struct gsym_cursor at =
		gsym_container_cursor(c, gsym_container_section(c, section));
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

/* Returns true if C has the build ID that is wanted. */
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

/* ---- one file ------------------------------------------------------------ */

/* Refuse the file at PATH for PROBLEM; REASON is the predicate of the warning
 * that says so. */
static bool refuse(struct search *s, const char *path, const char *reason,
		   enum gsym_status status, const char *problem)
{
	if (!s->wrong) {
		s->wrong = strdup(path);
		s->reason = reason;
		if (!s->wrong)
			status = GSYM_ERR_MEMORY;
	}
	return gsym_find_refuse(&s->last, status, "%s", problem);
}

static bool open_wanted(void *context, const char *path)
{
	struct search *s = context;
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };
	enum gsym_status status =
		gsym_elf_open(path, s->find->options->threads,
			      s->find->options->own_files, &c, &error);

	if (status == GSYM_ERR_MEMORY || status == GSYM_ERR_IO)
		return gsym_find_refuse(&s->last, status, "%s", error.message);
	if (status != GSYM_OK)
		return refuse(s, path, "cannot be read", status, error.message);
	if (is_wanted(c, &s->wanted)) {
		s->found = c;
		return true;
	}
	gsym_container_free(c);
	return refuse(s, path, "has another build ID", GSYM_ERR_ARGUMENT,
		      "it has another build ID");
}

/* Try PATH, which is malloc'ed and freed here or kept.  Returns true if the
 * search is over. */
static bool try_file(struct search *s, char *path)
{
	return gsym_find_try(&s->last, path);
}

/* ---- where it may be ----------------------------------------------------- */

/* NAME in the folder of the file PATH, malloc'ed; NULL without memory. */
static char *path_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return slash ? gsym_path_print("%.*s/%s", (int)(slash - path), path,
				       name)
		     : gsym_path_print("./%s", name);
}

static bool try_beside(struct search *s, const char *path, const char *rest)
{
	return try_file(s, path_beside(path, rest));
}

/* Try .dwz/REST in each tree. */
static bool try_dwz(struct search *s, const char *rest)
{
	for (size_t i = 0; i < s->find->directory_count; i++)
		if (try_file(s, gsym_path_print("%s/.dwz/%s",
						s->find->directories[i], rest)))
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool try_trees(struct search *s)
{
	const char *name = s->wanted.name, *below = strstr(name, "/.dwz/");
	const char *base = base_name(name);

	if (gsym_find_by_id(&s->last, s->find, s->wanted.id,
			    s->wanted.id_size))
		return true;
	below = below ? below + strlen("/.dwz/") : base;
	return (below != base && try_dwz(s, below)) || try_dwz(s, base);
}

/* Try the absolute name below each of the folders that contain the file. */
static bool try_roots(struct search *s)
{
	const char *name = s->wanted.name;
	size_t length = s->real_path ? strlen(s->real_path) : 0;

	if (*name != '/')
		return false;
	while (length) {
		while (length && s->real_path[--length] != '/')
			;
		if (length && try_file(s, gsym_path_print("%.*s%s", (int)length,
							  s->real_path, name)))
			return true;
	}
	return false;
}

static bool try_named(struct search *s)
{
	const char *name = s->wanted.name;

	if (*name == '/')
		return try_file(s, strdup(name));
	return (s->real_path && try_beside(s, s->real_path, name)) ||
	       try_beside(s, s->path, name);
}

static bool try_beside_dwz(struct search *s)
{
	char *rest = gsym_path_print(".dwz/%s", base_name(s->wanted.name));
	bool over = true;

	if (rest)
		over = try_beside(s, s->real_path ? s->real_path : s->path,
				  rest);
	else
		s->last.status = GSYM_ERR_MEMORY;
	free(rest);
	return over;
}

/* Try the file that the options' callback fetches. */
static bool try_fetched(struct search *s)
{
	const struct gsym_convert_options *o = s->find->options;
	char *path = NULL;

	return o->fetch && s->wanted.id_size &&
	       o->fetch(o->context, s->wanted.id, s->wanted.id_size, &path,
			&s->fetch_error) == GSYM_OK &&
	       try_file(s, path);
}

static void warn_missing(struct gsym_container *c, const struct search *s)
{
	if (s->wrong)
		gsym_container_warn(c, GSYM_WARN_MISSING_FILE,
				    "%s: the supplementary file %s is not "
				    "used: %s %s",
				    s->wanted.section, s->wanted.name, s->wrong,
				    s->reason);
	else
		gsym_container_warn(
			c, GSYM_WARN_MISSING_FILE,
			"%s: the supplementary file %s was not "
			"found: names that it holds are missing%s%s",
			s->wanted.section, s->wanted.name,
			s->fetch_error.code ? "; " : "",
			s->fetch_error.message);
}

enum gsym_status gsym_elf_find_alternate(const struct gsym_find *find,
					 const char *path,
					 struct gsym_container *container,
					 struct gsym_error *error)
{
	struct search s = { .find = find,
			    .path = path,
			    .last = { .options = find->options,
				      .open = open_wanted,
				      .context = &s,
				      .role = GSYM_FILE_ALTERNATE } };
	bool memory;

	if (!read_altlink(container, &s.wanted) &&
	    !read_sup(container, false, &s.wanted))
		return GSYM_OK;
	s.real_path = realpath(path, NULL);
	if (!try_named(&s) && !try_trees(&s) && !try_beside_dwz(&s) &&
	    !try_roots(&s))
		try_fetched(&s);
	memory = s.last.status != GSYM_ERR_MEMORY;
	if (s.found)
		container->alternate = s.found;
	else if (memory)
		warn_missing(container, &s);
	free(s.last.found);
	free(s.real_path);
	free(s.wrong);
	return memory ? GSYM_OK : gsym_fail_memory(error);
}

/* ---- split units --------------------------------------------------------- */

/* Candidates for a .dwo file. */
enum { AS_NAMED, BESIDE_PROGRAM, BASE_BESIDE_PROGRAM, CANDIDATES };

/* Set *RET to the path, malloc'ed, of candidate N for the .dwo file NAME, or to
 * NULL if that candidate is none; false without memory. */
static bool split_path(const struct gsym_container *c, const char *directory,
		       const char *name, unsigned n, char **ret)
{
	const char *slash = strrchr(name, '/');
	bool absolute = *name == '/';

	*ret = NULL;
	switch (n) {
	case AS_NAMED:
		if (!absolute && !directory)
			return true;
		*ret = absolute ? strdup(name)
				: gsym_path_print("%s/%s", directory, name);
		return *ret;
	case BESIDE_PROGRAM:
		if (absolute)
			return true;
		*ret = path_beside(c->path, name);
		return *ret;
	case BASE_BESIDE_PROGRAM:
		/* The file may have moved together with the program. */
		if (!slash)
			return true;
		*ret = path_beside(c->path, slash + 1);
		return *ret;
	}
	return true;
}

static enum gsym_status open_split(const struct gsym_container *container,
				   const char *directory, const char *name,
				   unsigned n, struct gsym_container **ret)
{
	enum gsym_status status;
	char *path;

	if (n >= CANDIDATES)
		return GSYM_NOT_FOUND;
	if (!split_path(container, directory, name, n, &path))
		return GSYM_ERR_MEMORY;
	if (!path)
		return GSYM_ERR_IO;
	status = gsym_elf_open(path, 1, container->own_files, ret, NULL);
	if (status == GSYM_OK)
		gsym_container_close_file(*ret);
	free(path);
	return status;
}

/* Open the package PACKAGE.  If PACKAGE is NULL, open the package beside PATH;
 * it is no error if that does not exist. */
static enum gsym_status open_package(const struct gsym_find *find,
				     const char *path, const char *package,
				     struct gsym_container *container,
				     struct gsym_error *error)
{
	unsigned threads = find->options->threads;
	bool own = find->options->own_files;
	enum gsym_status status;
	char *name;

	if (package)
		return gsym_elf_open(package, threads, own,
				     &container->package, error);
	name = gsym_path_print("%s.dwp", path);
	status = name ? gsym_elf_open(name, threads, own, &container->package,
				      NULL)
		      : GSYM_ERR_MEMORY;
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
	container->path =
		gsym_arena_string(&container->arena, path, strlen(path));
	if (!container->path)
		return gsym_fail_memory(error);
	container->open_split = open_split;
	return open_package(find, path, package, container, error);
}

enum gsym_status gsym_elf_find_parts(const struct gsym_find *find,
				     const char *path, const char *debug_path,
				     struct gsym_container *c,
				     struct gsym_error *error)
{
	const char *package = find->options->package;
	enum gsym_status status = gsym_elf_find_alternate(
		find, debug_path ? debug_path : path, c, error);

	if (status == GSYM_OK && debug_path && !package)
		status = gsym_elf_find_split(find, debug_path, NULL, c, error);
	if (status == GSYM_OK && !c->package)
		status = gsym_elf_find_split(find, path, package, c, error);
	return status;
}
