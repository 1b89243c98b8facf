/* SPDX-License-Identifier: MIT */
/* From a stripped program to its debug file. */
#include "config.h"

#include "elf/find.h"

#include "base/error.h"
#include "elf/elf_file.h"
#include "elf/elf_image.h"
#include "container/inflate.h"
#include "container/join.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* A build ID as text; more bytes than this are cut. */
enum { ID_TEXT_SIZE = 2 * 32 + 1 };

struct search {
	const struct gsym_find *find;
	struct gsym_container *program;
	const char *path;
	const struct gsym_convert_options *options;
	/* What .gnu_debuglink says; NULL: nothing. */
	const char *link;
	uint32_t crc;
	/* The folders that the program is in, as it was named and without
	 * links; the second is NULL if it is the first one.  "" is the root. */
	char *folders[2];
	/* What came of it. */
	struct gsym_container *found;
	struct gsym_find_attempt last;
};

static void id_text(char *text, const uint8_t *id, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < size && 2 * i + 2 < ID_TEXT_SIZE; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
}

/* ---- one file --------------------------------------------------------- */

/* Whether DEBUG is of the same build as the program. */
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
		id_text(ours, p->uuid, p->uuid_size);
		id_text(theirs, debug->uuid, debug->uuid_size);
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
	/* Nothing to compare: whoever names the file has to know. */
	if (s->options->debug_file)
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

/* Whether DEBUG, of which the facts are loaded, is the debug file. */
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
	if (gsym_elf_open_facts(path, &c, &error))
		return gsym_find_refuse(&s->last, error.code, "%s",
					error.message);
	right = is_right(s, c);
	gsym_container_free(c);
	if (right && gsym_container_open(path, gsym_elf_load, s->options,
					 &s->found, &error))
		return gsym_find_refuse(&s->last, error.code, "%s",
					error.message);
	return right;
}

/* Try PATH, malloc'ed and taken over.  Returns whether the search is over. */
static bool try_file(struct search *s, char *path)
{
	return gsym_find_try(&s->last, path, open_right, s);
}

/* ---- where it may be -------------------------------------------------- */

static bool try_build_id(struct search *s)
{
	const struct gsym_container *p = s->program;
	char id[2 * 64 + 1];

	/* A tree has one folder for the first byte. */
	if (p->uuid_size < 2 || p->uuid_size > 64)
		return false;
	for (size_t i = 0; i < p->uuid_size; i++)
		sprintf(id + 2 * i, "%02x", p->uuid[i]);
	for (size_t i = 0; i < s->find->directory_count; i++)
		if (try_file(s, gsym_find_path("%s/.build-id/%.2s/%s.debug",
					       s->find->directories[i], id,
					       id + 2)))
			return true;
	return false;
}

/* The folders of the program, below TREE. */
static bool try_below(struct search *s, const char *tree)
{
	for (int i = 0; i < 2 && s->folders[i]; i++)
		if (strchr("/", s->folders[i][0]) &&
		    try_file(s, gsym_find_path("%s%s/%s", tree, s->folders[i],
					       s->link)))
			return true;
	return false;
}

static bool try_link(struct search *s)
{
	for (int i = 0; i < 2 && s->folders[i]; i++)
		if (try_file(s,
			     gsym_find_path("%s/%s", s->folders[i], s->link)))
			return true;
	for (int i = 0; i < 2 && s->folders[i]; i++)
		if (try_file(s, gsym_find_path("%s/.debug/%s", s->folders[i],
					       s->link)))
			return true;
	for (size_t n = 0; n < s->find->directory_count; n++)
		if (try_below(s, s->find->directories[n]))
			return true;
	return false;
}

/* Ask the caller.  *WHY becomes what he says against it. */
static bool try_fetch(struct search *s, struct gsym_error *why)
{
	const struct gsym_convert_options *o = s->options;
	const struct gsym_container *p = s->program;
	char *path = NULL;
	enum gsym_status status;

	if (!o->fetch || !p->uuid_size)
		return false;
	status = o->fetch(o->context, p->uuid, p->uuid_size, &path, why);
	if (status == GSYM_OK && try_file(s, path))
		return true;
	if (status == GSYM_OK)
		gsym_fail(why, s->last.status, 0,
			  "what was fetched is wrong: %.150s", s->last.problem);
	else if (status == GSYM_NOT_FOUND)
		gsym_fail(why, GSYM_ERR_IO, 0, "nor is it there to be fetched");
	return false;
}

/* ---- what the program says -------------------------------------------- */

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
	if (c.failed || !*name || strchr(name, '/')) {
		gsym_container_warn(p, GSYM_WARN_BAD_SECTION,
				    "%s at 0x%llx: %s", section->name,
				    (unsigned long long)section->file_offset,
				    c.failed ? "it is cut short" :
				    "what it holds is not the name of a file");
		return;
	}
	s->link = name;
}

/* The folder of PATH, malloc'ed. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	while (slash > path && slash[-1] == '/')
		slash--;
	return slash == path ? strdup("") : strndup(path, slash - path);
}

static bool find_folders(struct search *s)
{
	char *real = realpath(s->path, NULL);

	s->folders[0] = folder_of(s->path);
	if (!s->folders[0]) {
		free(real);
		return false;
	}
	if (!real)
		return true;
	s->folders[1] = folder_of(real);
	free(real);
	if (!s->folders[1])
		return false;
	if (!strcmp(s->folders[0], s->folders[1])) {
		free(s->folders[1]);
		s->folders[1] = NULL;
	}
	return true;
}

/* A program that speaks of a debug file, or whose user asked for one from
 * elsewhere, is worse off without than others are. */
static void warn_missing(struct search *s, const struct gsym_error *why)
{
	struct gsym_container *p = s->program;
	char id[ID_TEXT_SIZE];

	if (!s->link && !why->code)
		return;
	id_text(id, p->uuid, p->uuid_size);
	gsym_container_warn(p, GSYM_WARN_MISSING_FILE,
			    "debug file%s%.60s%s%s is in none of the places "
			    "for it%s%.100s: symbols alone", s->link ? " " : "",
			    s->link ? s->link : "", *id ? ", build ID " : "",
			    id, why->code ? "; " : "",
			    why->code ? why->message : "");
}

static void search_all(struct search *s)
{
	struct gsym_error why = { 0 };

	read_link(s);
	if (!find_folders(s)) {
		s->last.status = GSYM_ERR_MEMORY;
		return;
	}
	if (s->options->debug_file) {
		try_file(s, strdup(s->options->debug_file));
		return;
	}
	if (try_build_id(s) || (s->link && try_link(s)) || try_fetch(s, &why))
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
	struct search s = { .find = find, .program = program, .path = path,
			    .options = find->options,
			    .last = { .options = find->options } };

	search_all(&s);
	free(s.folders[0]);
	free(s.folders[1]);
	*ret = s.found;
	*found = s.last.found;
	if (s.last.status == GSYM_ERR_MEMORY)
		gsym_fail_memory(error);
	else if (s.last.status != GSYM_OK && s.last.status != GSYM_NOT_FOUND)
		gsym_fail(error, s.last.status, 0,
			  "debug file: %.200s", s.last.problem);
	return s.last.status;
}
