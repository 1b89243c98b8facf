/* SPDX-License-Identifier: MIT */
/* Opens, reads and flushes files. */
#include "config.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const uint8_t *file_map(int fd, size_t *size)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) != 0)
		return NULL;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > SIZE_MAX) {
		errno = EINVAL;
		return NULL;
	}
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	return map == MAP_FAILED ? NULL : map;
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

/* Read the open file FD from its offset on, as file_read does. */
static uint8_t *read_open(int fd, size_t *size)
{
	struct gsym_fd_bytes bytes = { 0 };

	if (!gsym_fd_read_to_end(fd, &bytes)) {
		gsym_vec_fini(&bytes);
		return NULL;
	}
	*size = bytes.count;
	return (uint8_t *)bytes.items;
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
