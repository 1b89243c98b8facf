/* SPDX-License-Identifier: MIT */
/* Makes and removes temporary folders. */
#include "config.h"

#include "common/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/out.h"
#include "common/path.h"

/* The folders that are removed when the process ends. */
static struct folder *folders[2];

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- the end of the process ---------------------------------------------- */

static void remove_all(void)
{
	for (size_t i = 0; i < 2; i++)
		if (folders[i])
			folder_remove(folders[i]);
}

static void enter(struct folder *f)
{
	static bool registered;
	if (!registered) {
		atexit(remove_all);
		out_before_pipe(remove_all);
	}
	registered = true;
	folders[folders[0] ? 1 : 0] = f;
}

static void leave(const struct folder *f)
{
	for (size_t i = 0; i < 2; i++)
		if (folders[i] == f)
			folders[i] = NULL;
}

/* ---- locks --------------------------------------------------------------- */

/* Lock the folder PATH.  Returns a descriptor that holds the lock; -1 if
 * another process has it, or if PATH is no folder of this user. */
static int lock(const char *path)
{
	struct stat opened, named;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* The folder may have been removed before it was locked. */
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 &&
	    opened.st_uid == geteuid() && stat(path, &named) == 0 &&
	    named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
		return fd;
	close(fd);
	return -1;
}

const char *folder_temporary(void)
{
	const char *path = getenv("TMPDIR");
	return path && *path == '/' ? path : "/tmp";
}

bool folder_make(struct folder *f, const char *base,
			const char *prefix)
{
	/* Between mkdtemp and the lock another process may take the folder for
	 * an old one. */
	for (int tries = 0; tries < 10; tries++) {
		char *path = path_print("%s/%sXXXXXX", base, prefix);
		if (!mkdtemp(path)) {
			int error = errno;
			free(path);
			errno = error;
			return false;
		}
		*f = (struct folder){ path, lock(path) };
		if (f->lock >= 0) {
			enter(f);
			return true;
		}
		free(path);
	}
	f->path = NULL;
	errno = EAGAIN;
	return false;
}

void folder_remove(struct folder *f)
{
	if (!f->path)
		return;
	leave(f);
	remove_tree(f->path);
	close(f->lock);
	free(f->path);
	f->path = NULL;
}

/* ---- folders of processes that were killed ------------------------------- */

/* Whether NAME was made by mkdtemp from PREFIX. */
static bool is_ours(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);
	return strncmp(name, prefix, length) == 0 && strlen(name) == length + 6;
}

/* Remove the folder PATH if its process has ended. */
static void clean_one(const char *path)
{
	int fd = lock(path);
	if (fd < 0)
		return;
	remove_tree(path);
	close(fd);
}

void folder_clean(const char *base, const char *prefix)
{
	char *const paths[] = { (char *)base, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry = tree && fts_read(tree)
				? fts_children(tree, FTS_NAMEONLY)
				: NULL;
	for (; entry; entry = entry->fts_link) {
		if (!is_ours(entry->fts_name, prefix))
			continue;
		char *path = path_print("%s/%s", base, entry->fts_name);
		clean_one(path);
		free(path);
	}
	if (tree)
		fts_close(tree);
}
