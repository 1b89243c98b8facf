/* SPDX-License-Identifier: MIT */
/* Finds the split units of a program, in .dwo files and in packages of them. */
#include "config.h"

#include "base/debug_path.h"
#include "base/error.h"
#include "container/input.h"

#include <stdlib.h>
#include <string.h>

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
		*ret = absolute ? strndup(name, strlen(name))
				: gsym_path_print("%s/%s", directory, name);
		return *ret;
	case BESIDE_PROGRAM:
		if (absolute)
			return true;
		*ret = gsym_find_path_beside(c->path, name);
		return *ret;
	case BASE_BESIDE_PROGRAM:
		/* The file may have moved together with the program. */
		if (!slash)
			return true;
		*ret = gsym_find_path_beside(c->path, slash + 1);
		return *ret;
	}
	return true;
}

/* Add PATH to the paths of split units that C has.  False without memory. */
static bool add_split_path(const struct gsym_container *c, const char *path)
{
	size_t size = strlen(path) + 1;
	struct gsym_split_path *node;

	if (!c->split_paths)
		return true;
	node = malloc(sizeof(*node) + size);
	if (!node)
		return false;
	memcpy(node->text, path, size);
	node->next = __atomic_load_n(&c->split_paths->first, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&c->split_paths->first, &node->next,
					    node, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return true;
}

/* Load the file PATH, which is of the format of C. */
static enum gsym_status load_file(const struct gsym_container *c,
				  const char *path, unsigned threads,
				  struct gsym_container **ret,
				  struct gsym_error *error)
{
	const struct gsym_convert_options options = {
		.threads = threads,
		.own_files = c->own_files,
	};

	return gsym_container_open(c->split, path, GSYM_LOAD_ALL, &options, ret,
				   error);
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
	status = load_file(container, path, 1, ret, NULL);
	if (status == GSYM_OK && !add_split_path(container, path)) {
		gsym_container_free(*ret);
		status = GSYM_ERR_MEMORY;
	}
	if (status == GSYM_OK)
		gsym_container_close_file(*ret);
	free(path);
	return status;
}

/* Report the package NAME, if it is that of CONTAINER. */
static void tell_package(const struct gsym_find *find, const char *name,
			 const struct gsym_container *container)
{
	const struct gsym_convert_options *o = find->options;

	if (container->package && o->file)
		o->file(o->context, GSYM_FILE_PACKAGE, name, NULL);
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

	if (package) {
		status = load_file(container, package, threads,
				   &container->package, error);
		tell_package(find, package, container);
		return status;
	}
	name = gsym_path_print("%s.dwp", path);
	status = name ? load_file(container, name, threads, &container->package,
				  NULL)
		      : GSYM_ERR_MEMORY;
	if (status == GSYM_ERR_MEMORY)
		gsym_fail_memory(error);
	else if (status != GSYM_OK && status != GSYM_ERR_IO)
		gsym_container_warn(container, GSYM_WARN_MISSING_FILE,
				    "the package %s cannot be read", name);
	tell_package(find, name, container);
	free(name);
	return status == GSYM_ERR_MEMORY ? status : GSYM_OK;
}

enum gsym_status gsym_find_split(const struct gsym_find *find, const char *path,
				 const char *package,
				 struct gsym_container *container,
				 const struct gsym_input *split,
				 struct gsym_error *error)
{
	container->path =
		gsym_arena_string(&container->arena, path, strlen(path));
	if (!container->path)
		return gsym_fail_memory(error);
	container->split = split;
	container->open_split = open_split;
	if (find->options->file && !container->split_paths) {
		container->split_paths = gsym_arena_alloc(
			&container->arena, sizeof(*container->split_paths));
		if (!container->split_paths)
			return gsym_fail_memory(error);
		container->split_paths->first = NULL;
	}
	return open_package(find, path, package, container, error);
}

enum gsym_status gsym_find_split_parts(const struct gsym_find *find,
				       const char *path, const char *debug_path,
				       struct gsym_container *container,
				       const struct gsym_input *split,
				       struct gsym_error *error)
{
	const char *package = find->options->package;
	enum gsym_status status = GSYM_OK;

	if (debug_path && !package)
		status = gsym_find_split(find, debug_path, NULL, container,
					 split, error);
	if (status == GSYM_OK && !container->package)
		status = gsym_find_split(find, path, package, container, split,
					 error);
	return status;
}
