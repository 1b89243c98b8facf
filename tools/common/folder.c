/* SPDX-License-Identifier: MIT */
/* Makes and removes temporary folders. */
#include "config.h"

#include "common/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/out.h"
#include "common/path.h"
#include "common/temporary.h"

/* The folders that are removed when the process ends. */
static struct folder *folders[2];

/* No folder of ours is deeper. */
enum { DEPTH = 64 };

/* Remove the folder NAME in FOLDER and all in it.  No symbolic link is
 * followed, whatever others put in the place of a folder. */
static void remove_tree(int folder, const char *name, int depth)
{
	int fd = openat(folder, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *inner = entry->d_name;

		if (strcmp(inner, ".") == 0 || strcmp(inner, "..") == 0)
			continue;
		if (unlinkat(fd, inner, 0) < 0 && depth)
			remove_tree(fd, inner, depth - 1);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	unlinkat(folder, name, AT_REMOVEDIR);
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

/* ---- folders ------------------------------------------------------------- */

const char *folder_temporary(void)
{
	const char *path = getenv("TMPDIR");
	return path && *path == '/' ? path : "/tmp";
}

bool folder_make(struct folder *f, const char *base, const char *prefix)
{
	char mark[TEMPORARY_MARK];

	temporary_mark(mark);
	f->path = path_print("%s/%s%s", base, prefix, mark);
	if (mkdir(f->path, 0700) < 0) {
		int error = errno;

		free(f->path);
		f->path = NULL;
		errno = error;
		return false;
	}
	enter(f);
	return true;
}

void folder_remove(struct folder *f)
{
	if (!f->path)
		return;
	leave(f);
	remove_tree(AT_FDCWD, f->path, DEPTH);
	free(f->path);
	f->path = NULL;
}

/* Remove the folder NAME in FOLDER. */
static void remove_left(int folder, const char *name)
{
	remove_tree(folder, name, DEPTH);
}

void folder_clean(const char *base, const char *prefix)
{
	int folder = file_open(base, O_PATH | O_DIRECTORY);

	if (folder < 0)
		return;
	temporary_clean(folder, prefix, remove_left);
	close(folder);
}
