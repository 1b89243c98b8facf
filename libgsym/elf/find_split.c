/* SPDX-License-Identifier: MIT */
/* Finds the split units of a program: in .dwo files and in packages of them. */
#include "elf/find.h"

#include "base/error.h"
#include "elf/elf_image.h"

#include <string.h>

/* Candidates for a .dwo file. */
enum { AS_NAMED, BESIDE_PROGRAM, BASE_BESIDE_PROGRAM, CANDIDATES };

/* NAME in the folder of the program C; NULL without memory. */
static char *path_beside(const struct gsym_container *c, const char *name)
{
	const char *slash = strrchr(c->path, '/');

	return slash ? gsym_find_path("%.*s/%s", (int)(slash - c->path),
				      c->path, name)
		     : gsym_find_path("./%s", name);
}

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
				: gsym_find_path("%s/%s", directory, name);
		return *ret;
	case BESIDE_PROGRAM:
		if (absolute)
			return true;
		*ret = path_beside(c, name);
		return *ret;
	case BASE_BESIDE_PROGRAM:
		/* The file may have moved together with the program. */
		if (!slash)
			return true;
		*ret = path_beside(c, slash + 1);
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
	status = gsym_elf_open(path, 1, ret, NULL);
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
	enum gsym_status status;
	char *name;

	if (package)
		return gsym_elf_open(package, threads, &container->package,
				     error);
	name = gsym_find_path("%s.dwp", path);
	status = name ? gsym_elf_open(name, threads, &container->package, NULL)
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
