/* SPDX-License-Identifier: MIT */
/* Maps a file into memory. */
#include "container/mapping.h"

#include "base/error.h"
#include "base/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum gsym_status map_descriptor(int fd, struct gsym_mapping *ret,
				       struct gsym_error *error)
{
	struct stat st;
	void *bytes;

	if (fstat(fd, &st) < 0)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot read: %m");
	if (!S_ISREG(st.st_mode))
		return gsym_fail(error, GSYM_ERR_IO, 0, "no regular file");
	if (st.st_size == 0)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0, "an empty file");
	if ((uint64_t)st.st_size > SIZE_MAX)
		return gsym_fail(error, GSYM_ERR_IO, 0, "too large to map");
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot map: %m");
	*ret = (struct gsym_mapping){ bytes, (size_t)st.st_size };
	return GSYM_OK;
}

enum gsym_status gsym_mapping_open(const char *path, struct gsym_mapping *ret,
				   struct gsym_error *error)
{
	/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
	int fd = gsym_fd_open(path, O_RDONLY | O_NONBLOCK);
	enum gsym_status status;

	if (fd < 0)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot open: %m");
	status = map_descriptor(fd, ret, error);
	close(fd);
	return status;
}

void gsym_mapping_close(struct gsym_mapping *map)
{
	if (map->bytes)
		munmap((void *)(uintptr_t)map->bytes, map->size);
	*map = (struct gsym_mapping){ NULL, 0 };
}
