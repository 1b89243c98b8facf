/* SPDX-License-Identifier: MIT */
/* Finds the other files of a program: its debug file, by build ID and by the
 * name in .gnu_debuglink, and its split units, in .dwo files and in packages of
 * them.  Tries candidates one after the other. */
#include "config.h"

#include "base/debug_path.h"
#include "base/error.h"
#include "base/system.h"
#include "base/text.h"
#include "container/input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- candidates --------------------------------------------------------- */

struct gsym_find_attempt gsym_find_begin(const struct gsym_find *find,
					 struct gsym_container *program,
					 gsym_find_right_fn *is_right)
{
	return (struct gsym_find_attempt){ .find = find,
					   .options = *find->options,
					   .program = program,
					   .input = program->input,
					   .is_right = is_right,
					   .role = GSYM_FILE_DEBUG };
}

bool gsym_find_refuse(struct gsym_find_attempt *a, enum gsym_status status,
		      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	gsym_system_print(a->problem, sizeof(a->problem), format, args);
	va_end(args);
	a->status = status;
	return false;
}

/* Load the file PATH as EXTENT says; refuses it on failure. */
static bool open_candidate(struct gsym_find_attempt *a, const char *path,
			   enum gsym_extent extent)
{
	struct gsym_error error = { 0 };

	if (gsym_container_open(a->input, path, extent, &a->options, &a->found,
				&error) == GSYM_OK)
		return true;
	a->found = NULL;
	return gsym_find_refuse(a, error.code, "%s", error.message);
}

/* Whether the file PATH is the right one, which is loaded then. */
static bool is_accepted(struct gsym_find_attempt *a, const char *path)
{
	/* Units refer to any part of a supplementary file. */
	enum gsym_extent whole =
		a->role == GSYM_FILE_DEBUG ? GSYM_LOAD_PASSING : GSYM_LOAD_ALL;
	bool right;

	if ((a->may_open && !a->may_open(a, path)) ||
	    !open_candidate(a, path, a->facts_first ? GSYM_LOAD_FACTS : whole))
		return false;
	right = a->is_right(a, path, a->found);
	if (right && !a->facts_first)
		return true;
	gsym_container_free(a->found);
	a->found = NULL;
	return right && open_candidate(a, path, whole);
}

bool gsym_find_try(void *attempt, char *path)
{
	struct gsym_find_attempt *a = attempt;
	const struct gsym_convert_options *o = &a->options;
	bool right;

	if (!path) {
		a->status = GSYM_ERR_MEMORY;
		return true;
	}
	right = is_accepted(a, path);
	if (right)
		a->status = GSYM_OK;
	if (o->file)
		o->file(o->context, a->role, path, right ? NULL : a->problem);
	if (right) {
		a->path = path;
	} else if (a->wrong || a->status == GSYM_ERR_IO) {
		free(path);
	} else {
		a->wrong = path;
		a->wrong_status = a->status;
	}
	return right || a->status == GSYM_ERR_MEMORY;
}

/* The path of NAME in the folder of the file PATH, malloc'ed; NULL without
 * memory. */
static char *path_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return slash ? gsym_path_print("%.*s/%s", (int)(slash - path), path,
				       name)
		     : gsym_path_print("./%s", name);
}

bool gsym_find_beside(struct gsym_find_attempt *a, const char *path,
		      const char *name)
{
	return gsym_find_try(a, path_beside(path, name));
}

bool gsym_find_by_id(struct gsym_find_attempt *a, const uint8_t *id,
		     size_t size)
{
	const struct gsym_debug_places places = {
		.id = id,
		.id_size = size,
		.trees = a->find->directories,
		.tree_count = a->find->directory_count,
	};

	return gsym_debug_places_try(&places, gsym_find_try, a);
}

enum gsym_status gsym_find_end(struct gsym_find_attempt *last,
			       struct gsym_container **ret, char **path,
			       struct gsym_error *error)
{
	*ret = last->found;
	*path = last->path;
	free(last->wrong);
	if (last->status == GSYM_ERR_MEMORY)
		gsym_fail_memory(error);
	else if (last->status != GSYM_OK && last->status != GSYM_NOT_FOUND)
		gsym_fail(error, last->status, 0, "debug file: %.200s",
			  last->problem);
	return last->status;
}

/* ---- the debug file ------------------------------------------------------ */

/* A build ID as text; longer ones are cut. */
enum { ID_TEXT_SIZE = 2 * 32 + 1 };

struct search {
	struct gsym_find_attempt last; /* the first member */
	const char *path;
	/* The name and checksum in .gnu_debuglink; LINK NULL: there is none. */
	const char *link;
	uint32_t crc;
	/* A file with symbols, but without debug info, was refused; and such a
	 * file is taken: the user named it, or the search found no other. */
	bool has_symbols, takes_symbols;
};

/* Whether DEBUG is of the same build as the program; refuses it if not. */
static bool is_same_build(struct search *s, const struct gsym_container *debug)
{
	const struct gsym_container *p = s->last.program;
	char theirs[ID_TEXT_SIZE];
	char ours[ID_TEXT_SIZE];
	uint32_t crc;

	if (p->uuid_size && debug->uuid_size) {
		if (gsym_container_same_id(p, debug))
			return true;
		gsym_digits(ours, sizeof(ours), p->uuid, p->uuid_size);
		gsym_digits(theirs, sizeof(theirs), debug->uuid,
			    debug->uuid_size);
		return gsym_find_refuse(&s->last, GSYM_ERR_ARGUMENT,
					"its build ID is %s, not %s", theirs,
					ours);
	}
	if (s->link) {
		crc = gsym_container_crc32(debug->file.bytes, debug->file.size);
		if (crc == s->crc)
			return true;
		return gsym_find_refuse(&s->last, GSYM_ERR_ARGUMENT,
					"its checksum is %08x, not %08x", crc,
					s->crc);
	}
	/* Nothing to compare: trust the user who names the file. */
	if (s->last.options.debug_file)
		return true;
	return gsym_find_refuse(&s->last, GSYM_ERR_ARGUMENT,
				"it has no build ID");
}

/* Whether the symbols of DEBUG, which has no debug info, are wanted; refuses it
 * if not.  A stub never is: it would hide the debug file. */
static bool may_serve(struct search *s, const struct gsym_container *debug)
{
	if (debug->input->is_stub &&
	    debug->input->is_stub(debug->file.bytes, debug->file.size))
		return gsym_find_refuse(&s->last, GSYM_ERR_FORMAT,
					"it is a stub beside a GSYM file");
	if (!debug->input->has_symbols(debug))
		return gsym_find_refuse(
			&s->last, GSYM_ERR_FORMAT,
			"it has neither debug info nor symbols");
	s->has_symbols = true;
	return s->takes_symbols ||
	       gsym_find_refuse(&s->last, GSYM_ERR_FORMAT,
				"it has symbols, but no debug info");
}

/* Whether DEBUG, of which only the facts are loaded, is the debug file; refuses
 * it if not. */
static bool is_right(struct gsym_find_attempt *a, const char *path,
		     const struct gsym_container *debug)
{
	struct search *s = (struct search *)a;

	(void)path;
	if (!gsym_container_alike(a->program, debug))
		return gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
					"it is for %s, not for %s",
					debug->architecture,
					a->program->architecture);
	if (!is_same_build(s, debug))
		return false;
	return gsym_container_has(debug, ".debug_info") || may_serve(s, debug);
}

/* Whether PATH is there, and is not the program. */
static bool may_open(struct gsym_find_attempt *a, const char *path)
{
	struct stat st, own;

	if (stat(path, &st) < 0)
		return gsym_find_refuse(a, GSYM_ERR_IO,
					errno == ENOENT || errno == ENOTDIR
						? "not there"
						: "cannot open: %m");
	return stat(((struct search *)a)->path, &own) < 0 ||
	       own.st_dev != st.st_dev || own.st_ino != st.st_ino ||
	       gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
				"it is the program itself");
}

/* Try the file that the options' callback fetches.  *WHY becomes the reason if
 * there is none. */
static bool try_fetch(struct search *s, struct gsym_error *why)
{
	const struct gsym_convert_options *o = &s->last.options;
	const struct gsym_container *p = s->last.program;
	char *path = NULL;
	enum gsym_status status;

	if (!o->fetch || !p->uuid_size)
		return false;
	status = o->fetch(o->context, p->uuid, p->uuid_size, &path, why);
	if (status == GSYM_OK && gsym_find_try(s, path))
		return true;
	if (status == GSYM_OK)
		gsym_fail(why, s->last.status, 0,
			  "the fetched file is wrong: %.150s", s->last.problem);
	else if (status == GSYM_NOT_FOUND)
		gsym_fail(why, GSYM_ERR_IO, 0, "it cannot be fetched either");
	return false;
}

/* Read .gnu_debuglink. */
static void read_link(struct search *s)
{
	struct gsym_container *p = s->last.program;
	const struct gsym_container_section *section =
		gsym_container_section(p, ".gnu_debuglink");
	struct gsym_cursor c = gsym_container_cursor(p, section);
	const char *name = gsym_cursor_string(&c);

	gsym_cursor_skip(&c, -gsym_cursor_offset(&c) & 3);
	s->crc = gsym_cursor_u32(&c);
	if (!section)
		return;
	if (c.failed)
		gsym_container_warn_section(p, section, "it is cut short");
	else if (!gsym_system_is_name(name))
		gsym_container_warn_section(
			p, section, "it does not hold the name of a file");
	else
		s->link = name;
}

/* Warn if the program names a debug file, or if fetching one failed.  Other
 * programs may never have had one. */
static void warn_missing(struct search *s, const struct gsym_error *why)
{
	struct gsym_container *p = s->last.program;
	char id[ID_TEXT_SIZE];

	if (!s->link && !why->code)
		return;
	gsym_digits(id, sizeof(id), p->uuid, p->uuid_size);
	gsym_container_warn(p, GSYM_WARN_MISSING_FILE,
			    "debug file%s%.60s%s%s was not found%s%.100s: "
			    "only symbols are read",
			    s->link ? " " : "", s->link ? s->link : "",
			    *id ? ", build ID " : "", id, why->code ? "; " : "",
			    why->code ? why->message : "");
}

static void search_all(struct search *s)
{
	struct gsym_error why = { 0 };
	struct gsym_debug_places places = {
		.id = s->last.program->uuid,
		.id_size = s->last.program->uuid_size,
		.path = s->path,
		.trees = s->last.find->directories,
		.tree_count = s->last.find->directory_count,
	};

	read_link(s);
	places.link = s->link;
	if (s->last.options.debug_file) {
		s->takes_symbols = true;
		gsym_find_try(s, strdup(s->last.options.debug_file));
		return;
	}
	if (gsym_debug_places_try(&places, gsym_find_try, s) ||
	    try_fetch(s, &why))
		return;
	warn_missing(s, &why);
	s->takes_symbols = s->has_symbols;
	if (!s->takes_symbols ||
	    !gsym_debug_places_try(&places, gsym_find_try, s))
		s->last.status = GSYM_NOT_FOUND;
}

enum gsym_status gsym_find_debug_file(const struct gsym_find *find,
				      const char *path,
				      struct gsym_container *program,
				      struct gsym_container **ret, char **found,
				      struct gsym_error *error)
{
	struct search s = {
		.last = gsym_find_begin(find, program, is_right),
		.path = path,
	};

	s.last.may_open = may_open;
	s.last.facts_first = true;
	search_all(&s);
	return gsym_find_end(&s.last, ret, found, error);
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
		*ret = absolute ? strndup(name, strlen(name))
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

/* Load the file PATH with split units of C. */
static enum gsym_status load_file(const struct gsym_container *c,
				  const char *path, unsigned threads,
				  struct gsym_container **ret,
				  struct gsym_error *error)
{
	const struct gsym_convert_options options = {
		.threads = threads,
		.own_files = c->own_files,
	};

	return gsym_container_open(c->input->split, path, GSYM_LOAD_ALL,
				   &options, ret, error);
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

/* As gsym_find_split, for the file PATH, and PACKAGE unless that is NULL. */
static enum gsym_status find_split(const struct gsym_find *find,
				   const char *path, const char *package,
				   struct gsym_container *container,
				   struct gsym_error *error)
{
	container->path =
		gsym_arena_string(&container->arena, path, strlen(path));
	if (!container->path)
		return gsym_fail_memory(error);
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

enum gsym_status gsym_find_split(const struct gsym_find *find, const char *path,
				 const char *debug_path,
				 struct gsym_container *container,
				 struct gsym_error *error)
{
	const char *package = find->options->package;
	enum gsym_status status = GSYM_OK;

	if (debug_path && !package)
		status = find_split(find, debug_path, NULL, container, error);
	if (status == GSYM_OK && !container->package)
		status = find_split(find, path, package, container, error);
	return status;
}
