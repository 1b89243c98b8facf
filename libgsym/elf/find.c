/* SPDX-License-Identifier: MIT */
/* Finds the supplementary file of a program, which dwz makes. */
#include "config.h"

#include "base/debug_path.h"
#include "base/error.h"
#include "container/input.h"
#include "elf/elf.h"

#include <gsym/program.h>

#include <errno.h>
#include <string.h>

/* The supplementary file that a file refers to. */
struct wanted {
	const char *section; /* name of the section that refers to the file */
	const char *name;
	/* Its build ID, ID_SIZE bytes; ID_SIZE 0: any file will do. */
	const uint8_t *id;
	size_t id_size;
};

struct alternate {
	struct gsym_find_attempt last; /* the first member */
	struct wanted wanted;
	const char *path; /* path of the file that refers to it */
	char *real_path;  /* PATH without symbolic links; NULL: not known */
};

static bool read_altlink(const struct gsym_container *c, struct wanted *ret)
{
	const char *section = ".gnu_debugaltlink";
	struct gsym_cursor at = gsym_container_named(c, section);

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
	struct gsym_cursor at = gsym_container_named(c, section);
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

static bool has_id(struct gsym_find_attempt *a, const char *path,
		   const struct gsym_container *c)
{
	(void)path;
	return is_wanted(c, &((struct alternate *)a)->wanted) ||
	       gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
				"it has another build ID");
}

/* Try .dwz/REST in each tree. */
static bool try_dwz(struct alternate *s, const char *rest)
{
	const struct gsym_find *find = s->last.find;

	for (size_t i = 0; i < find->directory_count; i++)
		if (gsym_find_try(s, gsym_path_print("%s/.dwz/%s",
						     find->directories[i],
						     rest)))
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool try_trees(struct alternate *s)
{
	const char *name = s->wanted.name, *below = strstr(name, "/.dwz/");
	const char *base = base_name(name);

	if (gsym_find_by_id(&s->last, s->wanted.id, s->wanted.id_size))
		return true;
	below = below ? below + strlen("/.dwz/") : base;
	return (below != base && try_dwz(s, below)) || try_dwz(s, base);
}

/* Try the absolute name below each of the folders that contain the file. */
static bool try_roots(struct alternate *s)
{
	const char *name = s->wanted.name, *real = s->real_path;
	size_t length = real ? strlen(real) : 0;

	if (*name != '/')
		return false;
	while (length) {
		while (length && real[--length] != '/')
			;
		if (length &&
		    gsym_find_try(s, gsym_path_print("%.*s%s", (int)length,
						     real, name)))
			return true;
	}
	return false;
}

static bool try_named(struct alternate *s)
{
	const char *name = s->wanted.name;

	if (*name == '/')
		return gsym_find_try(s, strdup(name));
	return (s->real_path &&
		gsym_find_beside(&s->last, s->real_path, name)) ||
	       gsym_find_beside(&s->last, s->path, name);
}

static bool try_beside_dwz(struct alternate *s)
{
	const char *path = s->real_path ? s->real_path : s->path;
	char *rest = gsym_path_print(".dwz/%s", base_name(s->wanted.name));
	bool over = true;

	if (rest)
		over = gsym_find_beside(&s->last, path, rest);
	else
		s->last.status = GSYM_ERR_MEMORY;
	free(rest);
	return over;
}

/* Try the file that the options' callback fetches.  WHY has the reason if that
 * fails. */
static bool try_fetched(struct alternate *s, struct gsym_error *why)
{
	const struct gsym_convert_options *o = &s->last.options;
	char *path = NULL;

	return o->fetch && s->wanted.id_size &&
	       o->fetch(o->context, s->wanted.id, s->wanted.id_size, &path,
			why) == GSYM_OK &&
	       gsym_find_try(s, path);
}

static void warn_unused(const struct alternate *s, const struct gsym_error *why)
{
	const struct gsym_find_attempt *a = &s->last;

	if (a->wrong)
		gsym_container_warn(
			a->program, GSYM_WARN_MISSING_FILE,
			"%s: the supplementary file %s is not used: %s %s",
			s->wanted.section, s->wanted.name, a->wrong,
			a->wrong_status == GSYM_ERR_ARGUMENT
				? "has another build ID"
				: "cannot be read");
	else
		gsym_container_warn(
			a->program, GSYM_WARN_MISSING_FILE,
			"%s: the supplementary file %s was not "
			"found: names that it holds are missing%s%s",
			s->wanted.section, s->wanted.name,
			why->code ? "; " : "", why->message);
}

enum gsym_status gsym_elf_find_alternate(const struct gsym_find *find,
					 const char *path,
					 struct gsym_container *container,
					 struct gsym_error *error)
{
	struct alternate s = { .last = gsym_find_begin(find, container, has_id),
			       .path = path };
	struct gsym_error why = { 0 };

	if (!read_altlink(container, &s.wanted) &&
	    !read_sup(container, false, &s.wanted))
		return GSYM_OK;
	s.last.role = GSYM_FILE_ALTERNATE;
	s.last.options.section_base_count = 0;
	s.real_path = realpath(path, NULL);
	if (!s.real_path && errno == ENOMEM)
		return gsym_fail_memory(error);
	if (!try_named(&s) && !try_trees(&s) && !try_beside_dwz(&s) &&
	    !try_roots(&s) && !try_fetched(&s, &why))
		warn_unused(&s, &why);
	container->alternate = s.last.found;
	free(s.last.path);
	free(s.last.wrong);
	free(s.real_path);
	return s.last.status == GSYM_ERR_MEMORY ? gsym_fail_memory(error)
						: GSYM_OK;
}
