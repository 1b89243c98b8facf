/* SPDX-License-Identifier: MIT */
/* Maps a file into memory. */
#include "store/entry.h"

#include "base/error.h"
#include "base/fd.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A copy of SIZE bytes of FD, to be unmapped; MAP_FAILED on failure.  Bytes
 * that the file has no longer are 0. */
static void *copy(int fd, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (map == MAP_FAILED || gsym_fd_read_at(fd, map, size, 0) >= 0)
		return map;
	error = errno;
	munmap(map, size);
	errno = error;
	return MAP_FAILED;
}

enum gsym_status gsym_mapped_open_fd(int fd, bool copied, const uint8_t **ret,
				     size_t *size, struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct stat st;
	void *map = NULL;

	if (fstat(fd, &st) < 0)
		status = gsym_fail(error, GSYM_ERR_IO, 0,
				   "cannot open the file: %s",
				   strerror(errno));
	else if ((uint64_t)st.st_size > SIZE_MAX)
		status = gsym_fail(error, GSYM_ERR_IO, 0, "too large to map");
	else if (st.st_size > 0)
		map = copied ? copy(fd, (size_t)st.st_size)
			     : mmap(NULL, (size_t)st.st_size, PROT_READ,
				    MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		status = gsym_fail(error, GSYM_ERR_IO, 0,
				   "cannot %s the file: %s",
				   copied ? "read" : "map", strerror(errno));
		map = NULL;
	}
	close(fd);
	*ret = map;
	*size = status == GSYM_OK ? (size_t)st.st_size : 0;
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
