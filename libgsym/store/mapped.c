/* SPDX-License-Identifier: MIT */
/* Maps a file into memory. */
#include "store/entry.h"

#include "base/error.h"
#include "base/fd.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A copy of the SIZE bytes at FILE, the mapped file FD, which is unmapped.
 * NULL with errno set on failure.  Bytes that the file has no longer are 0. */
static const uint8_t *copy(int fd, const uint8_t *file, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	munmap((void *)file, size);
	if (map == MAP_FAILED)
		return NULL;
	if (gsym_fd_read_at(fd, map, size, 0) >= 0)
		return map;
	error = errno;
	munmap(map, size);
	errno = error;
	return NULL;
}

enum gsym_status gsym_mapped_open_fd(int fd, bool copied, const uint8_t **ret,
				     size_t *size, struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;

	*ret = gsym_fd_map(fd, size);
	if (*ret && copied)
		*ret = copy(fd, *ret, *size);
	if (!*ret && errno) {
		status = gsym_fail(error, GSYM_ERR_IO, 0,
				   "cannot %s the file: %s",
				   copied ? "read" : "map", strerror(errno));
		*size = 0;
	}
	close(fd);
	return status;
}

enum gsym_status gsym_mapped_open(const char *path, bool copied,
				  const uint8_t **ret, size_t *size,
				  struct gsym_error *error)
{
	int fd = gsym_fd_open_file(path);

	*ret = NULL;
	*size = 0;
	if (fd >= 0)
		return gsym_mapped_open_fd(fd, copied, ret, size, error);
	if (errno == EINVAL)
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "a folder, device or pipe, not a file");
	return gsym_fail(error, GSYM_ERR_IO, 0, "cannot open the file: %s",
			 strerror(errno));
}

void gsym_mapped_close(const uint8_t *bytes, size_t size)
{
	if (bytes)
		munmap((void *)bytes, size);
}
