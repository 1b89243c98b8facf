/* SPDX-License-Identifier: MIT */
/* Maps a file into memory. */
#include "store/mapped.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum gsym_status gsym_mapped_open(const char *path, const uint8_t **ret,
				  size_t *size, struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct stat st;
	void *map = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st) < 0)
		status = gsym_fail(error, GSYM_ERR_IO, 0,
				   "cannot open the file: %s",
				   strerror(errno));
	else if (!S_ISREG(st.st_mode))
		status = gsym_fail(error, GSYM_ERR_IO, 0, "no regular file");
	else if ((uint64_t)st.st_size > SIZE_MAX)
		status = gsym_fail(error, GSYM_ERR_IO, 0, "too large to map");
	else if (st.st_size > 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			   fd, 0);
	if (map == MAP_FAILED)
		status = gsym_fail(error, GSYM_ERR_IO, 0,
				   "cannot map the file: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	*ret = map;
	*size = status == GSYM_OK ? (size_t)st.st_size : 0;
	return status;
}

void gsym_mapped_close(const uint8_t *bytes, size_t size)
{
	if (bytes)
		munmap((void *)bytes, size);
}
