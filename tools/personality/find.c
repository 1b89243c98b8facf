/* SPDX-License-Identifier: MIT */
/*
 * personality/find.c - finds the GSYM data of a program: the file itself, the
 * file beside it, its section .gsym, by build ID, beside its debug file, from
 * servers; or decides what answers without them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/cache.h"
#include "common/debuginfod.h"
#include "common/path.h"
#include "common/report.h"
#include "personality/personality.h"

/* A search. */
struct find {
	const struct settings *s;
	struct sources *sources;
	struct module *m;
	/** The program; NULL: only its build ID is known. */
	const char *path;
	const uint8_t *id;
	size_t id_size;
	/** The folder of PATH with its slash, malloc'ed; "": there is none. */
	char *folder;
	/** The debug file, malloc'ed; NULL: none was found. */
	char *debug;
};

/* Whether R is of the same program: neither has a build ID, or both have the
 * same one.  The build ID of a program that is no ELF file is not known. */
static bool is_same(const struct find *f, const struct gsym_reader *r)
{
	struct gsym_header header;
	gsym_get_header(r, &header);
	if (f->s->no_verify || (!f->id_size && !f->m->file))
		return true;
	return (!f->id_size && !header.uuid_size) ||
	       gsym_uuid_matches(header.uuid, header.uuid_size, f->id,
				 f->id_size);
}

/* Use the GSYM data in the file PATH, which is freed, if they are of the
 * program. */
static bool try_file(struct find *f, char *path)
{
	struct gsym_reader *r;
	struct gsym_error error = { 0 };
	enum gsym_status status = extra_checked(gsym_open(path, &r, &error));
	bool found = status == GSYM_OK && is_same(f, r);
	if (found)
		f->m->reader = f->m->own = r;
	else if (status == GSYM_OK)
		gsym_close(r);
	if (!found && status != GSYM_ERR_IO && status != GSYM_ERR_FORMAT)
		extra_note("note: '%s' is not used: %s", path,
			   status == GSYM_OK ? "it has another build ID"
					     : report_reason(status, &error));
	free(path);
	return found;
}

/* The file itself, the one beside it, its section. */
static bool try_beside(struct find *f, const char *path)
{
	if (!f->m->file && try_file(f, path_print("%s", path)))
		return true;
	return try_file(f, path_print("%s.gsym", path)) ||
	       (f->m->file && try_file(f, path_print("%s", path)));
}

/* The folders and the cache, by build ID. */
static bool try_store(struct find *f)
{
	if (!f->id_size || extra_checked(gsym_store_find(
				   f->sources->store, f->id, f->id_size,
				   &f->m->entry, NULL)) != GSYM_OK) {
		f->m->entry = NULL;
		return false;
	}
	f->m->reader = gsym_store_reader(f->m->entry);
	return true;
}

/* LLVM's rule: DIR/NAME.gsym. */
static bool try_names(struct find *f)
{
	const char *name = f->path + strlen(f->folder);
	for (size_t i = 0; i < f->s->gsym_folder_count; i++)
		if (try_file(f, path_print("%s/%s.gsym", f->s->gsym_folders[i],
					   name)))
			return true;
	return false;
}

/* ---- the debug file ------------------------------------------------------ */

/* Whether PATH, which is freed if not, is the debug file.  With WEAK it may be
 * a file without build ID: gsym-create compares the checksum. */
static bool try_debug(struct find *f, char *path, bool weak)
{
	uint8_t id[64];
	size_t size = 0;
	enum gsym_status status = extra_checked(
		gsym_store_read_id(path, id, sizeof(id), &size, NULL));
	bool right = status == GSYM_OK
			     ? size == f->id_size &&
				       memcmp(id, f->id, size) == 0
			     : weak && status == GSYM_NOT_FOUND && !f->id_size;
	right = right && strcmp(path, f->path ? f->path : "") != 0;
	if (right)
		f->debug = path;
	else
		free(path);
	return right;
}

/* Search the debug file: by build ID, then by .gnu_debuglink. */
static bool find_debug(struct find *f)
{
	const struct settings *s = f->s;
	struct gsym_module_section link;
	for (size_t i = 0; i < s->debug_folder_count && f->id_size; i++)
		if (try_debug(f, cache_path(s->debug_folders[i], f->id,
					    f->id_size, ".debug"), false))
			return true;
	if (!f->m->file ||
	    gsym_module_find_section(f->m->file, ".gnu_debuglink", &link) !=
		    GSYM_OK ||
	    !link.data || !memchr(link.data, 0, link.data_size))
		return false;
	const char *name = (const char *)link.data;
	if (try_debug(f, path_print("%s%s", f->folder, name), true) ||
	    try_debug(f, path_print("%s.debug/%s", f->folder, name), true))
		return true;
	for (size_t i = 0; i < s->debug_folder_count && *f->folder == '/'; i++)
		if (try_debug(f,
			      path_print("%s%s%s", s->debug_folders[i],
					 f->folder, name),
			      true))
			return true;
	return false;
}

/* The bytes of debug info in FILE, which may be NULL. */
static uint64_t debug_bytes(const struct gsym_module *file)
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

/* ---- servers ------------------------------------------------------------- */

/* Callbacks of debuginfod_fetch. */
static bool use_section(void *context, const char *path)
{
	return try_file(context, path_print("%s", path));
}

static bool keep_debug_file(void *context, const char *path)
{
	/* A server may send any file. */
	if (try_debug(context, path_print("%s", path), false))
		return true;
	extra_note("note: '%s' is not used: it has another build ID", path);
	return false;
}

/* The section .gsym of the server's debug file, or that file to be
 * converted. */
static bool try_servers(struct find *f)
{
	bool complete = f->debug || debug_bytes(f->m->file);
	const struct debuginfod_uses uses = {
		.section = f->s->disable_gsym ? NULL : use_section,
		.debug_file = complete ? NULL : keep_debug_file,
	};
	struct debuginfod **servers = &f->sources->servers;
	struct gsym_error error;
	if (!f->s->debuginfod || !f->id_size)
		return false;
	if (!*servers && !(*servers = debuginfod_new()))
		die("out of memory");
	debuginfod_fetch(*servers, f->id, f->id_size, &uses, f, &error);
	if (extra_checked(error.code) != GSYM_OK)
		extra_note("note: %s", report_reason(error.code, &error));
	return f->m->reader;
}

/* ---- without GSYM data --------------------------------------------------- */

/* Whether there is more debug info than is converted while a client waits. */
static bool is_large(const struct find *f)
{
	struct gsym_module *debug = NULL;
	uint64_t sum = debug_bytes(f->m->file);
	if (f->debug && extra_checked(gsym_module_open(f->debug, &debug,
						       NULL)) == GSYM_OK)
		sum += debug_bytes(debug);
	gsym_module_close(debug);
	return sum > f->s->convert_limit;
}

/* Convert the program with its debug file, or the debug file if there is no
 * program. */
static bool try_convert(struct find *f)
{
	bool there = f->path && !f->m->error;
	const struct convertible p = {
		.path = there ? f->path : f->debug,
		.debug_file =
			there && !debug_bytes(f->m->file) ? f->debug : NULL,
		.id = f->id,
		.id_size = f->id_size,
	};
	if (!p.path)
		return false;
	if (is_large(f)) {
		convert_later(f->s, &p);
		return false;
	}
	f->m->reader = f->m->own = convert_now(f->s, &p);
	return f->m->reader;
}

/* Leave the module to the program that is replaced: if the command line names
 * the module, the program gets the whole command line, else the lines that name
 * the module. */
static bool try_program(struct find *f)
{
	if (f->m->error)
		return false;
	if (f->s->path || f->s->build_id)
		real_run(f->s);
	else
		f->m->by_program = coprocess_can(f->s);
	return f->m->by_program;
}

static void fall_back(struct find *f)
{
	for (const enum fallback *b = f->s->fallbacks; *b; b++) {
		if (*b == FALLBACK_CONVERT && try_convert(f))
			return;
		if (*b == FALLBACK_EXEC && try_program(f))
			return;
		f->m->by_symbols = *b == FALLBACK_SYMBOLS && f->m->file;
		if (f->m->by_symbols)
			return;
	}
}

/* ---- the whole ----------------------------------------------------------- */

/* The build ID in a path like .../.build-id/ab/cdef....debug. */
static size_t id_of_path(const char *path, uint8_t *id, size_t capacity)
{
	static const char mark[] = ".build-id/";
	char digits[513];
	const char *at = strstr(path, mark);
	if (!at)
		return 0;
	at += sizeof(mark) - 1;
	size_t rest = strlen(at) > 3 ? strspn(at + 3, "0123456789abcdef") : 0;
	if (rest < 8 || rest > 500 || at[2] != '/')
		return 0;
	memcpy(digits, at, 2);
	memcpy(digits + 2, at + 3, rest);
	digits[2 + rest] = 0;
	return cache_parse_id(digits, id, capacity);
}

static bool search(struct find *f)
{
	if (f->s->disable_gsym) {
		find_debug(f);
		return false;
	}
	if (f->path && try_beside(f, f->path))
		return true;
	if (try_store(f) || (f->path && try_names(f)))
		return true;
	return find_debug(f) && try_beside(f, f->debug);
}

void find_gsym(struct sources *sources, struct module *m, const char *path,
	       const uint8_t *id, size_t id_size)
{
	struct find f = {
		.s = sources->settings,
		.sources = sources,
		.m = m,
		.path = path,
		.id = id,
		.id_size = id_size,
	};
	uint8_t named[256];
	const char *slash = path ? strrchr(path, '/') : NULL;
	f.folder = slash ? strndup(path, (size_t)(slash - path) + 1)
			 : strdup("");
	if (!f.folder)
		die("out of memory");
	if (path && !id_size) {
		f.id = named;
		f.id_size = id_of_path(path, named, sizeof(named));
	}
	if (!search(&f) && !try_servers(&f))
		fall_back(&f);
	free(f.folder);
	free(f.debug);
}
