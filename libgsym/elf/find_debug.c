/* SPDX-License-Identifier: MIT */
/* Finds the debug file of a stripped program. */
#include "config.h"

#include "base/error.h"
#include "base/system.h"
#include "base/text.h"
#include "container/container.h"
#include "elf/elf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A build ID as text; longer ones are cut. */
enum { ID_TEXT_SIZE = 2 * 32 + 1 };

struct search {
	const struct gsym_find *find;
	struct gsym_container *program;
	const char *path;
	/* The name and checksum in .gnu_debuglink; LINK NULL: there is none. */
	const char *link;
	uint32_t crc;
	struct gsym_container *found;
	struct gsym_find_attempt last;
};

/* ---- one file --------------------------------------------------------- */

/* Whether DEBUG is of the same build as the program; refuses it if not. */
static bool is_same_build(struct search *s, const struct gsym_container *debug)
{
	const struct gsym_container *p = s->program;
	char theirs[ID_TEXT_SIZE];
	char ours[ID_TEXT_SIZE];
	uint32_t crc;

	if (p->uuid_size && debug->uuid_size) {
		if (p->uuid_size == debug->uuid_size &&
		    !memcmp(p->uuid, debug->uuid, p->uuid_size))
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
	if (s->find->options->debug_file)
		return true;
	return gsym_find_refuse(&s->last, GSYM_ERR_ARGUMENT,
				"it has no build ID");
}

static bool has_bytes(const struct gsym_container *c, const char *name)
{
	const struct gsym_container_section *s =
		gsym_container_section(c, name);

	return s && s->data_size;
}

/* Whether DEBUG, of which only the facts are loaded, is the debug file; refuses
 * it if not. */
static bool is_right(struct search *s, const struct gsym_container *debug)
{
	if (!gsym_container_alike(s->program, debug))
		return gsym_find_refuse(&s->last, GSYM_ERR_ARGUMENT,
					"it is for %s, not for %s",
					debug->architecture,
					s->program->architecture);
	if (!is_same_build(s, debug))
		return false;
	if (!has_bytes(debug, ".debug_info") && !has_bytes(debug, ".symtab"))
		return gsym_find_refuse(
			&s->last, GSYM_ERR_FORMAT,
			"it has neither debug info nor symbols");
	return true;
}

static bool is_program(const struct search *s, const struct stat *st)
{
	struct stat own;

	return stat(s->path, &own) == 0 && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

static bool open_right(void *context, const char *path)
{
	struct search *s = context;
	struct gsym_error error = { 0 };
	struct gsym_container *c;
	struct stat st;
	bool right;

	if (stat(path, &st) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return gsym_find_refuse(&s->last, GSYM_ERR_IO,
						"not there");
		return gsym_find_refuse(&s->last, GSYM_ERR_IO,
					"cannot open: %m");
	}
	if (is_program(s, &st))
		return gsym_find_refuse(&s->last, GSYM_ERR_ARGUMENT,
					"it is the program itself");
	if (gsym_container_open(path, gsym_elf_load_facts, s->find->options, &c,
				&error))
		return gsym_find_refuse(&s->last, error.code, "%s",
					error.message);
	right = is_right(s, c);
	gsym_container_free(c);
	if (right && gsym_container_open(path, gsym_elf_load_mapped,
					 s->find->options, &s->found, &error))
		return gsym_find_refuse(&s->last, error.code, "%s",
					error.message);
	return right;
}

/* Try the file that the options' callback fetches.  *WHY becomes the reason if
 * there is none. */
static bool try_fetch(struct search *s, struct gsym_error *why)
{
	const struct gsym_convert_options *o = s->find->options;
	const struct gsym_container *p = s->program;
	char *path = NULL;
	enum gsym_status status;

	if (!o->fetch || !p->uuid_size)
		return false;
	status = o->fetch(o->context, p->uuid, p->uuid_size, &path, why);
	if (status == GSYM_OK && gsym_find_try(&s->last, path))
		return true;
	if (status == GSYM_OK)
		gsym_fail(why, s->last.status, 0,
			  "the fetched file is wrong: %.150s", s->last.problem);
	else if (status == GSYM_NOT_FOUND)
		gsym_fail(why, GSYM_ERR_IO, 0, "it cannot be fetched either");
	return false;
}

/* ---- the search ------------------------------------------------------- */

/* Read .gnu_debuglink. */
static void read_link(struct search *s)
{
	struct gsym_container *p = s->program;
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
	struct gsym_container *p = s->program;
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
		.id = s->program->uuid,
		.id_size = s->program->uuid_size,
		.path = s->path,
		.trees = s->find->directories,
		.tree_count = s->find->directory_count,
	};

	read_link(s);
	places.link = s->link;
	if (s->find->options->debug_file) {
		gsym_find_try(&s->last, strdup(s->find->options->debug_file));
		return;
	}
	if (gsym_debug_places_try(&places, gsym_find_try, &s->last) ||
	    try_fetch(s, &why))
		return;
	s->last.status = GSYM_NOT_FOUND;
	warn_missing(s, &why);
}

enum gsym_status gsym_elf_find_debug(const struct gsym_find *find,
				     const char *path,
				     struct gsym_container *program,
				     struct gsym_container **ret, char **found,
				     struct gsym_error *error)
{
	struct search s = { .find = find,
			    .program = program,
			    .path = path,
			    .last = { .options = find->options,
				      .open = open_right,
				      .context = &s,
				      .role = GSYM_FILE_DEBUG } };

	search_all(&s);
	*ret = s.found;
	return gsym_find_end(&s.last, found, error);
}
