/* SPDX-License-Identifier: MIT */
/* Names temporary files, and finds those of processes that have ended. */
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
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/path.h"

enum {
	/* Seconds after which an unchanged file of another host is taken for
	 * one that was left behind. */
	WEEK = 7 * 24 * 60 * 60,
	/* Entries of a folder that are looked at. */
	ENTRIES = 4096,
	/* Digits of the identity of a host: 60 of them are random. */
	BOOT = 16,
};

/* Write "BOOT.SPACE." to TO. */
static void mark_host(char to[TEMPORARY_MARK])
{
	char id[36], digits[BOOT + 1] = "0";
	struct stat space = { 0 };
	size_t count = 0;
	int fd = file_open("/proc/sys/kernel/random/boot_id", O_RDONLY);

	if (fd >= 0 && file_read_start(fd, id, sizeof(id)) == sizeof(id) &&
	    stat("/proc/self/ns/pid", &space) == 0)
		for (size_t i = 0; i < sizeof(id) && count < BOOT; i++)
			if (id[i] != '-')
				digits[count++] = id[i];
	if (fd >= 0)
		close(fd);
	snprintf(to, TEMPORARY_MARK, "%s.%" PRIu32 ".", digits,
		 (uint32_t)space.st_ino);
}

void temporary_mark(char to[TEMPORARY_MARK])
{
	uint64_t number;
	size_t length;

	mark_host(to);
	length = strlen(to);
	/* An early random number is as good as a late one here. */
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) !=
	    sizeof(number))
		number = (uint64_t)clock_milliseconds();
	snprintf(to + length, TEMPORARY_MARK - length, "%ld.%016" PRIx64,
		 (long)getpid(), number);
}

/* Whether a process left the file behind whose name ends with MARK, and which
 * was changed AGE seconds ago.  HOST is the mark of this host.  False if MARK
 * is no mark: then the file is none of ours. */
static bool is_left(const char *mark, const char *host, time_t age)
{
	long pid = 0;
	int end = 0;

	if (sscanf(mark, "%*16[0-9a-f].%*10[0-9].%10ld.%*16[0-9a-f]%n", &pid,
		   &end) != 1 ||
	    !end || mark[end] || pid <= 0 || pid > INT_MAX)
		return false;
	if (strncmp(host, "0.", 2) == 0 ||
	    strncmp(mark, host, strlen(host)) != 0)
		return age > WEEK;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

void temporary_clean(int folder, const char *prefix,
		     void (*remove)(int folder, const char *name))
{
	char host[TEMPORARY_MARK];
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
	char mark[TEMPORARY_MARK];

	if (clean)
		temporary_clean(folder, prefix, remove_file);
	temporary_mark(mark);
	name = path_print("%s%s", prefix, mark);
	free(prefix);
	return name;
}
