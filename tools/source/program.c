/* SPDX-License-Identifier: MIT */
/* What all files of this room need: notes, pauses, and files that are copied,
 * checked, and found beside a program. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/debug_path.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "source/state.h"

/* Milliseconds of a pause. */
enum { PAUSE = 60 * 1000 };

void source_note(const struct source *s, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (s->host.note)
		s->host.note(s->host.context, text);
	else
		report_note("note: %s", text);
}

bool source_interrupted(const struct source *s, int timeout)
{
	/* poll skips an entry whose descriptor is -1. */
	struct pollfd wake = { .fd = -1, .events = POLLIN };
	if (s->host.wake)
		wake.fd = s->host.wake();
	return poll(&wake, 1, timeout) > 0;
}

bool source_paused(struct source_pause *pause, unsigned most)
{
	if (pause->failures < most)
		return false;
	if (clock_milliseconds() - pause->since < PAUSE)
		return true;
	pause->failures = 0;
	return false;
}

void source_note_end(struct source_pause *pause, bool failed)
{
	pause->failures = failed ? pause->failures + 1 : 0;
	pause->since = clock_milliseconds();
}

/* ---- GSYM files ---------------------------------------------------------- */

enum gsym_status source_open_file(const struct source *s, const char *path,
				  struct gsym_reader **ret,
				  struct gsym_error *error)
{
	enum gsym_status status =
		must_status(s->host.copy ? gsym_open_copy(path, ret, error)
					    : gsym_open(path, ret, error));
	if (status == GSYM_OK && s->host.check &&
	    gsym_checksum(*ret, error) == GSYM_ERR_CORRUPT) {
		gsym_close(*ret);
		return GSYM_ERR_CORRUPT;
	}
	if (status != GSYM_OK)
		return status;
	status = must_status(gsym_map_paths(*ret, s->o.path_maps.items,
					    s->o.path_maps.count, error));
	if (status != GSYM_OK)
		gsym_close(*ret);
	return status;
}

const char *source_problem(const struct source_program *p, const char *path,
			   bool whole, bool *lines, struct gsym_error *error)
{
	struct gsym_reader *reader;
	struct gsym_header header;
	struct gsym_function function;
	const char *why = NULL;
	enum gsym_status status =
		must_status(gsym_open(path, &reader, error));
	if (status != GSYM_OK)
		return report_reason(status, error);
	gsym_get_header(reader, &header);
	if (p->id_size && !gsym_uuid_matches(header.uuid, header.uuid_size,
					     p->id, p->id_size))
		why = "it has another build ID";
	else if (whole && gsym_verify(reader, NULL, NULL) != GSYM_OK)
		why = "it is damaged";
	for (uint32_t i = 0; !why && lines && !*lines &&
			     i < header.function_count; i++)
		*lines = gsym_function_at(reader, i, &function, NULL) ==
				 GSYM_OK &&
			 function.has_lines;
	gsym_close(reader);
	return why;
}

const char *source_copy(const char *from, char *to, uint64_t most)
{
	const char *why = NULL;
	int in = file_find(AT_FDCWD, from), out;
	if (in < 0)
		return "the command made no file";
	out = path_make_folders(to)
		      ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
		      : -1;
	if (out < 0)
		why = strerror(errno);
	else if (!out_copy(out, in, most))
		why = "the file cannot be copied";
	else if (fchmod(out, 0644) < 0)
		why = strerror(errno);
	if (out >= 0 && close(out) < 0 && errno != EINTR && !why)
		why = strerror(errno);
	close(in);
	return why;
}

/* ---- the debug file ------------------------------------------------------ */

/* A search for the debug file of P.  FOUND has the first file of P, until one
 * with debug info is found: a stub, which lies beside a GSYM file, has none. */
struct search {
	const struct source_program *p;
	char *found;
};

uint64_t source_debug_bytes(const struct gsym_module *file)
{
	static const char *const names[] = { ".debug_info", ".zdebug_info",
					     ".debug_line", ".debug_str",
					     ".debug_ranges", ".debug_rnglists",
					     ".debug_abbrev" };
	struct gsym_module_section section;
	uint64_t sum = 0;
	for (size_t i = 0; file && i < sizeof(names) / sizeof(names[0]); i++)
		if (gsym_module_find_section(file, names[i], &section) ==
		    GSYM_OK)
			sum += section.data_size;
	return sum;
}

/* The bytes of debug info in the ELF file PATH, which may be NULL. */
static uint64_t debug_bytes_of(const char *path)
{
	struct source_program p = { .path = path };
	struct gsym_module *file = source_open_module(&p);
	uint64_t bytes = source_debug_bytes(file);

	gsym_module_close(file);
	return bytes;
}

/* Whether P has the path PATH, or another name of its file. */
static bool is_itself(const struct source_program *p, const char *path)
{
	struct stat own, other;
	return p->path && stat(p->path, &own) == 0 &&
	       stat(path, &other) == 0 && file_same(&own, &other);
}

/* A gsym_debug_path_fn: whether PATH is the debug file, and has debug info.  If
 * neither file has a build ID gsym-create compares the checksum. */
static bool try_debug_file(void *context, char *path)
{
	struct search *search = context;
	const struct source_program *p = search->p;
	uint8_t id[256];
	size_t size = 0;
	enum gsym_status status = must_status(gsym_store_read_id(
		must_have(path), id, sizeof(id), &size, NULL));
	bool right =
		status == GSYM_OK
			? size == p->id_size && memcmp(id, p->id, size) == 0
			: status == GSYM_NOT_FOUND && !p->id_size;
	bool whole;
	if (!right || is_itself(p, path)) {
		free(path);
		return false;
	}
	whole = debug_bytes_of(path) != 0;
	if (!search->found) {
		search->found = path;
	} else if (whole) {
		free(search->found);
		search->found = path;
	} else {
		free(path);
	}
	return whole;
}

/* The name in .gnu_debuglink of FILE, which may be NULL; NULL: there is
 * none. */
static const char *link_of(const struct gsym_module *file)
{
	struct gsym_module_section link;
	if (!file ||
	    gsym_module_find_section(file, ".gnu_debuglink", &link) !=
		    GSYM_OK ||
	    !link.data || !memchr(link.data, 0, link.data_size))
		return NULL;
	return (const char *)link.data;
}

struct gsym_module *source_open_module(struct source_program *p)
{
	if (p->file || !p->path ||
	    must_status(gsym_module_open(p->path, &p->file, NULL)) != GSYM_OK)
		return NULL;
	return p->file;
}

char *source_debug_file(const struct source *s, const struct source_program *p)
{
	struct search search = { .p = p };
	struct gsym_debug_places places = {
		.id = p->id,
		.id_size = p->id_size,
		.path = p->path,
		.trees = s->debug_folders.items,
		.tree_count = s->debug_folders.count,
	};
	if (p->path)
		places.link = link_of(p->file);
	gsym_debug_places_try(&places, try_debug_file, &search);
	return search.found;
}

bool source_has_key(const struct source_program *p)
{
	return p->id_size && p->id_size <= SOURCE_ID_MAX && !p->fresh &&
	       !p->address_count;
}

bool source_is_large(const struct source *s, const struct source_program *p,
		     uint64_t most)
{
	char *debug = source_debug_file(s, p);
	uint64_t bytes = source_debug_bytes(p->file) + debug_bytes_of(debug);

	free(debug);
	return bytes > most;
}

char *source_debug_info(struct source *s, const struct source_program *p)
{
	struct source_program program = *p;
	struct gsym_module *opened = source_open_module(&program);
	char *debug = source_debug_bytes(program.file)
			      ? path_print("%s", p->path)
			      : source_debug_file(s, &program);

	gsym_module_close(opened);
	if (debug_bytes_of(debug))
		return debug;
	free(debug);
	return NULL;
}
