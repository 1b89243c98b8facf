/* SPDX-License-Identifier: MIT */
/* Finds the debug file of a stripped program: by build ID, and by the name in
 * .gnu_debuglink. */
#include "config.h"

#include "base/debug_path.h"
#include "base/error.h"
#include "base/system.h"
#include "base/text.h"
#include "container/input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

static bool has_debug_info(const struct gsym_container *c)
{
	const struct gsym_container_section *s =
		gsym_container_section(c, ".debug_info");

	return s && s->data_size;
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
	return has_debug_info(debug) || may_serve(s, debug);
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
