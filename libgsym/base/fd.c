/* SPDX-License-Identifier: MIT */
/* Opens a file, and reads it to its end. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH */
#endif
#include "base/fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

int gsym_fd_open(const char *path, int flags)
{
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Open the file FOUND for reading; AGAIN is its path, or NULL.  Without /proc
 * the path is opened again, and has to be the same file. */
static int open_found(int found, const char *again)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY };
	struct stat st, opened;
	char path[32];
	int fd;

	if (fstat(found, &st) < 0)
		return -1;
	errno = EINVAL;
	if (!S_ISREG(st.st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = gsym_fd_open(path, FLAGS);
	if (fd < 0 && errno == ENOENT && again)
		fd = gsym_fd_open(again, FLAGS);
	if (fd < 0)
		return -1;
	if (fstat(fd, &opened) == 0 && opened.st_dev == st.st_dev &&
	    opened.st_ino == st.st_ino)
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

/* Close FD; errno stays. */
static void close_quietly(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

int gsym_fd_open_file(const char *path)
{
	int found = gsym_fd_open(path, O_PATH), fd;

	if (found < 0)
		return -1;
	fd = open_found(found, path);
	close_quietly(found);
	return fd;
}

int gsym_fd_open_found(int found)
{
	int fd;

	if (found < 0)
		return -1;
	fd = open_found(found, NULL);
	close_quietly(found);
	return fd;
}

/* How many bytes to read of FD at once: if its size is known, one more than it
 * has, so that the first call reads all and the second one meets the end. */
static size_t find_step(int fd)
{
	enum { STEP = 1 << 16 };
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
			       (uint64_t)st.st_size < SIZE_MAX
		       ? (size_t)st.st_size + 1
		       : STEP;
}

bool gsym_fd_read_to_end(int fd, struct gsym_fd_bytes *bytes)
{
	size_t step = find_step(fd);
	ssize_t got;

	do {
		if (bytes->count == bytes->capacity &&
		    !gsym_vec_reserve(bytes, step)) {
			errno = ENOMEM;
			return false;
		}
		got = read(fd, bytes->items + bytes->count,
			   bytes->capacity - bytes->count);
		if (got > 0)
			bytes->count += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0;
}
