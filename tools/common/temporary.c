/* SPDX-License-Identifier: MIT */
/* Names temporary files and folders, finds those of processes that have ended,
 * and removes those of this process. */
#include "config.h"

#include "common/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/system.h"
#include "common/file.h"
#include "common/out.h"
#include "common/path.h"
#include "common/run.h"

enum {
	/* Seconds after which an unchanged file of another host is taken for
	 * one that was left behind. */
	WEEK = 7 * 24 * 60 * 60,
	/* Entries of a folder that are looked at. */
	ENTRIES = 4096,
	/* Digits of the identity of a host: 60 of them are random. */
	BOOT = 16,
};

/* The room for a mark. */
enum { MARK = 64 };

/* Write "BOOT.SPACE." to TO. */
static void mark_host(char to[MARK])
{
	char id[SYSTEM_BOOT_ID], digits[BOOT + 1] = "0";
	uint32_t space = 0;
	size_t count = 0;

	if (gsym_system_boot_id(id, &space))
		for (size_t i = 0; i < sizeof(id) && count < BOOT; i++)
			if (id[i] != '-')
				digits[count++] = id[i];
	snprintf(to, MARK, "%s.%" PRIu32 ".", digits, space);
}

/* Write the end of a name that nobody uses to TO: "BOOT.SPACE.PID.RANDOM".
 * BOOT and SPACE are the host since its last start, and the name space of
 * process numbers; zeros if /proc is missing. */
static void write_mark(char to[MARK])
{
	uint64_t number;
	size_t length;

	mark_host(to);
	length = strlen(to);
	/* An early random number is as good as a late one here. */
	if (!gsym_system_random(&number, sizeof(number), false))
		number = (uint64_t)clock_milliseconds();
	snprintf(to + length, MARK - length, "%ld.%016" PRIx64,
		 (long)getpid(), number);
}

/* Whether a process left the file behind whose name ends with MARK, and which
 * was changed AGE seconds ago.  HOST is the mark of this host.  False if MARK
 * is no mark: then the file is none of ours. */
static bool is_left(const char *mark, const char *host, time_t age)
{
	long long pid = 0;
	int end = 0;

	if (sscanf(mark, "%*16[0-9a-f].%*10[0-9].%10lld.%*16[0-9a-f]%n", &pid,
		   &end) != 1 ||
	    !end || mark[end] || pid <= 0 || pid > INT_MAX)
		return false;
	if (strncmp(host, "0.", 2) == 0 ||
	    strncmp(mark, host, strlen(host)) != 0)
		return age > WEEK;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Call REMOVE for each entry of FOLDER whose name is PREFIX and a mark, and
 * which a process of this user left behind.  Only the first ENTRIES entries are
 * looked at, so that many outputs in one folder take no time in proportion to
 * the square of their number. */
static void clean_up(int folder, const char *prefix,
		     void (*remove)(int folder, const char *name))
{
	char host[MARK];
	size_t length = strlen(prefix);
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	if (!dir)
		return;
	mark_host(host);
	for (int i = 0; i < ENTRIES && (entry = readdir(dir)); i++) {
		const char *name = entry->d_name;
		struct stat st;

		if (strncmp(name, prefix, length) != 0 ||
		    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_uid != geteuid())
			continue;
		if (is_left(name + length, host, time(NULL) - st.st_mtime))
			remove(folder, name);
	}
	closedir(dir);
}

static void remove_file(int folder, const char *name)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
		unlinkat(folder, name, 0);
}

char *temporary_name(int folder, const char *base, bool clean)
{
	/* A file name has 255 bytes at most. */
	char *prefix = path_print(".%.180s.gsym-new.", base), *name;
	char mark[MARK];

	if (clean)
		clean_up(folder, prefix, remove_file);
	write_mark(mark);
	name = path_print("%s%s", prefix, mark);
	free(prefix);
	return name;
}

/* ---- folders of this process --------------------------------------------- */

/* The folders that are removed when the process ends. */
static struct temporary *folders[2];

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
			temporary_remove(folders[i]);
}

static void enter(struct temporary *f)
{
	static bool registered;
	if (!registered) {
		atexit(remove_all);
		out_before_pipe(remove_all);
	}
	registered = true;
	folders[folders[0] ? 1 : 0] = f;
}

static void leave(const struct temporary *f)
{
	for (size_t i = 0; i < 2; i++)
		if (folders[i] == f)
			folders[i] = NULL;
}

/* ---- folders ------------------------------------------------------------- */

const char *temporary_base(void)
{
	const char *path = getenv("TMPDIR");
	return path && *path == '/' ? path : "/tmp";
}

void temporary_plan(struct temporary *f, const char *base, const char *prefix)
{
	char mark[MARK];

	write_mark(mark);
	*f = (struct temporary){ .path = path_print("%s/%s%s", base, prefix,
						 mark) };
}

bool temporary_make(struct temporary *f)
{
	f->made = mkdir(f->path, 0700) == 0;
	f->owner = getpid();
	if (f->made)
		enter(f);
	return f->made;
}

void temporary_remove(struct temporary *f)
{
	if (f->made) {
		leave(f);
		if (f->owner == getpid())
			remove_tree(AT_FDCWD, f->path, DEPTH);
	}
	free(f->path);
	*f = (struct temporary){ 0 };
}

/* Remove the folder NAME in FOLDER. */
static void remove_left(int folder, const char *name)
{
	remove_tree(folder, name, DEPTH);
}

void temporary_sweep(const char *base, const char *prefix)
{
	int folder = file_open(base, SYSTEM_FOLDER);

	if (folder < 0)
		return;
	clean_up(folder, prefix, remove_left);
	close(folder);
}
