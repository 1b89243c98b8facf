/* SPDX-License-Identifier: MIT */
/* Opens a file, also below a folder, maps it, and reads it to its end. */
#include "config.h"

#include "base/fd.h"
#include "base/system.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int gsym_fd_open(const char *path, int flags)
{
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Open the file FOUND for reading; AGAIN is its path, or NULL.  If the system
 * cannot open it by FOUND, the path is opened again, and has to be the same
 * file. */
static int open_found(int found, const char *again)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY };
	struct stat st, opened;
	int fd;

	if (fstat(found, &st) < 0)
		return -1;
	errno = EINVAL;
	if (!S_ISREG(st.st_mode))
		return -1;
	do
		fd = gsym_system_open_found(found, FLAGS);
	while (fd < 0 && errno == EINTR);
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

/* As open_found, and close FOUND.  A FOUND of -1 is a search that failed: its
 * errno stays. */
static int reopen(int found, const char *again)
{
	int fd;

	if (found < 0)
		return -1;
	fd = open_found(found, again);
	close_quietly(found);
	return fd;
}

int gsym_fd_open_file(const char *path)
{
	int found;

	do
		found = gsym_system_find(AT_FDCWD, path, 0);
	while (found < 0 && errno == EINTR);
	return reopen(found, path);
}

const uint8_t *gsym_fd_map(int fd, size_t *size)
{
	struct stat st;
	void *map;

	*size = 0;
	if (fstat(fd, &st) < 0)
		return NULL;
	errno = !S_ISREG(st.st_mode) ? S_ISDIR(st.st_mode) ? EISDIR : EINVAL
		: (uint64_t)st.st_size > SIZE_MAX / 2 ? EFBIG
						  : 0;
	if (errno || !st.st_size)
		return NULL;
	map = gsym_system_map(fd, (size_t)st.st_size,
			      gsym_fd_room((size_t)st.st_size));
	if (!map)
		return NULL;
	*size = (size_t)st.st_size;
	return map;
}

void gsym_fd_unmap(const void *map, size_t size)
{
	if (map)
		munmap((void *)(uintptr_t)map, gsym_fd_room(size));
}

size_t gsym_fd_room(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* Of a file that grows, the page with its last byte gets new bytes. */
	return ((size - 1) | (page - 1)) + 1 + page;
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

/* ---- files below a root ------------------------------------------------- */

/* Find PATH below FOLDER, one part of the path after the other. */
static int find_by_parts(int folder, const char *path)
{
	int fd = gsym_system_find(folder, ".", O_DIRECTORY);

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
				next = gsym_system_find(
					fd, part,
					O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
		}
		close(fd);
		fd = next;
	}
	return fd;
}

/* Find PATH below FOLDER, as gsym_system_find does. */
static int find_below(int folder, const char *path)
{
	int fd = gsym_system_find_below(folder, path);

	return fd < 0 && errno == ENOSYS ? find_by_parts(folder, path) : fd;
}

int gsym_fd_open_below(const char *root, const char *path)
{
	int folder = gsym_fd_open(*root ? root : "/", SYSTEM_FOLDER);
	int fd;

	if (folder < 0)
		return -1;
	fd = reopen(find_below(folder, path), NULL);
	close_quietly(folder);
	return fd;
}
