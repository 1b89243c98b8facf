/* SPDX-License-Identifier: MIT */
/*
 * Keeps GSYM files that were made or fetched: in the cache or, if the cache
 * cannot be written, in a folder that is removed at the end.
 *
 * Files are made in a staging folder beside the final place, and moved when
 * they are complete and have the right build ID.  So several filters may run at
 * once: none sees a part of a file, and a file for one program never replaces a
 * file of another program.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cache.h"
#include "common/out.h"
#include "common/path.h"
#include "common/report.h"
#include "markup/markup.h"

void markup_note(const struct markup *m, const char *format, ...)
{
	char text[1024];
	va_list args;
	if (m->quiet)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	warn("note: %s", text);
}

/* ---- the folder ---------------------------------------------------------- */

/* From now on use a folder that only this run uses.  WHY is the problem with
 * the cache.  If the folder cannot be made, returns false after a note. */
static bool use_temporary(struct markup *m, const char *why)
{
	static const char prefix[] = "gsym-markup.";
	const char *base = folder_temporary();
	folder_clean(base, prefix);
	if (!folder_make(&m->temporary, base, prefix)) {
		markup_note(m, "%s; and no folder can be made in '%s': %s", why,
			    base, strerror(errno));
		m->keep_failed = true;
		return false;
	}
	markup_note(m,
		    "%s: GSYM files that are made or fetched are deleted at "
		    "the end",
		    why);
	free(m->keep);
	m->keep = path_print("%s", m->temporary.path);
	/* The folder has the layout of --gsym-file-directory. */
	if (gsym_store_add_gsym_directory(m->store, m->keep) != GSYM_OK)
		die("out of memory");
	return true;
}

/* Use a temporary folder, because writing to the cache failed with ERROR. */
static bool give_up_cache(struct markup *m, int error)
{
	char why[512];
	snprintf(why, sizeof(why), "the cache '%s' cannot be written: %s",
		 m->cache, strerror(error));
	return use_temporary(m, why);
}

/* Set m->keep in the first call; false if there is no folder. */
static bool find_folder(struct markup *m)
{
	if (m->keep || m->keep_failed)
		return m->keep != NULL;
	if (!m->cache)
		return use_temporary(m, "neither XDG_CACHE_HOME nor HOME "
					"is set");
	char *inside = path_print("%s/x", m->cache);
	bool made = cache_make_folders(inside);
	free(inside);
	if (!made)
		return give_up_cache(m, errno);
	m->keep = path_print("%s", m->cache);
	folder_clean(m->keep, CACHE_STAGING);
	return true;
}

bool markup_staging(struct markup *m, struct folder *staging)
{
	while (find_folder(m)) {
		if (folder_make(staging, m->keep, CACHE_STAGING))
			return true;
		if (m->temporary.path || !give_up_cache(m, errno))
			break;
	}
	return false;
}

/* Write a file of some size into STAGING, to see if there is room.  Returns
 * errno; 0 if it succeeded. */
static int try_room(const char *staging)
{
	static const char zeros[64 << 10];
	char *path = path_print("%s/room", staging);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int error = fd < 0 ? errno : 0;
	for (int i = 0; !error && i < 16; i++) {
		if (!out_write_all(fd, zeros, sizeof(zeros)))
			error = errno;
	}
	if (fd >= 0 && close(fd) < 0 && !error)
		error = errno;
	unlink(path);
	free(path);
	return error;
}

bool markup_failed(struct markup *m, struct folder *staging)
{
	int error = m->temporary.path ? 0 : try_room(staging->path);
	folder_remove(staging);
	return error && give_up_cache(m, error);
}

/* ---- moving -------------------------------------------------------------- */

/* Move one file for the build ID from STAGING to m->keep. */
static bool move_one(const struct markup *m,
		     const struct folder *staging, const uint8_t *id,
		     size_t size, const char *suffix)
{
	char *from = cache_path(staging->path, id, size, suffix);
	char *to = cache_path(m->keep, id, size, suffix);
	bool done = cache_make_folders(to) && rename(from, to) == 0;
	free(from);
	free(to);
	return done;
}

enum markup_moved markup_publish(struct markup *m,
				 const struct folder *staging,
				 const uint8_t *id, size_t size)
{
	char *made = cache_path(staging->path, id, size, ".debug.gsym");
	bool there = access(made, F_OK) == 0;
	free(made);
	if (!there)
		return MARKUP_ANOTHER;
	/* Move the symbols first, so that they are there when the GSYM file is.
	 * There may be no symbols. */
	move_one(m, staging, id, size, ".debug");
	return move_one(m, staging, id, size, ".debug.gsym") ? MARKUP_MOVED
							     : MARKUP_FAILED;
}

void markup_keep_end(struct markup *m)
{
	folder_remove(&m->temporary);
	free(m->keep);
}
