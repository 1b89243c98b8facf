/* SPDX-License-Identifier: MIT */
/* Opens, reads and flushes files. */
#include "config.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int file_open(const char *path, int flags)
{
	int fd;
	do
		fd = open(path, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

bool file_sync(int fd)
{
	int failed;
	do
		failed = fsync(fd);
	while (failed && errno == EINTR);
	return !failed;
}

bool file_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

ssize_t file_read_some(int fd, void *bytes, size_t size)
{
	ssize_t n;
	do
		n = read(fd, bytes, size);
	while (n < 0 && errno == EINTR);
	return n;
}

ssize_t file_read_start(int fd, void *bytes, size_t size)
{
	size_t got = 0;
	while (got < size) {
		ssize_t n = pread(fd, (char *)bytes + got, size - got, got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* Read FD to its end, with room for ROOM bytes at first.  Returns and sets
 * *SIZE as file_read does. */
static uint8_t *read_all(int fd, size_t room, size_t *size)
{
	uint8_t *bytes = malloc(room);
	ssize_t got = 1;

	*size = 0;
	while (bytes && got > 0) {
		if (*size == room) {
			uint8_t *more = realloc(bytes, 2 * room);
			if (!more)
				break;
			bytes = more;
			room *= 2;
		}
		got = file_read_some(fd, bytes + *size, room - *size);
		if (got > 0)
			*size += (size_t)got;
	}
	if (got == 0)
		return bytes;
	free(bytes);
	return NULL;
}

/* Read the open file FD from its offset on, as file_read does. */
static uint8_t *read_open(int fd, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	/* One byte more than the size of the file, so that its end is noticed
	 * without a larger buffer. */
	return read_all(fd, S_ISREG(st.st_mode) && st.st_size >= 0
				    ? (size_t)st.st_size + 1
				    : 1 << 16, size);
}

uint8_t *file_read_whole(int fd, size_t *size)
{
	return lseek(fd, 0, SEEK_SET) < 0 ? NULL : read_open(fd, size);
}

uint8_t *file_read(const char *path, size_t *size)
{
	int fd = file_open(path, O_RDONLY), error;
	uint8_t *bytes;

	if (fd < 0)
		return NULL;
	bytes = read_open(fd, size);
	error = errno;
	close(fd);
	errno = error;
	return bytes;
}
