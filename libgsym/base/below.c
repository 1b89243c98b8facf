/* SPDX-License-Identifier: MIT */
/* Opens a file below a folder. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH */
#endif
#include "base/below.h"

#include "base/fd.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

/* Find PATH below FOLDER, one part of the path after the other. */
static int find_by_parts(int folder, const char *path)
{
	int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);

	while (fd >= 0 && *path) {
		size_t length = strcspn(path, "/");
		bool last = !path[length];
		char part[256];
		int next = -1;

		errno = EINVAL;
		if (length < sizeof(part)) {
			memcpy(part, path, length);
			part[length] = 0;
			path += length + !last;
			if (!length || strcmp(part, ".") == 0)
				continue;
			if (strcmp(part, "..") != 0)
				next = openat(fd, part,
					      O_PATH | O_NOFOLLOW | O_CLOEXEC |
						      (last ? 0 : O_DIRECTORY));
		}
		close(fd);
		fd = next;
	}
	return fd;
}

/* Find PATH below FOLDER, as a descriptor with O_PATH. */
static int find_below(int folder, const char *path)
{
#if defined(SYS_openat2) && defined(RESOLVE_IN_ROOT)
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

	/* EPERM is the answer of filters that do not know the call. */
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
#endif
	return find_by_parts(folder, path);
}

int gsym_below_open(const char *root, const char *path)
{
	int folder = gsym_fd_open(*root ? root : "/", O_PATH | O_DIRECTORY);
	int fd, error;

	if (folder < 0)
		return -1;
	fd = gsym_fd_open_found(find_below(folder, path));
	error = errno;
	close(folder);
	errno = error;
	return fd;
}
