/* SPDX-License-Identifier: MIT */
/* store/identity.c - the build ID of a program's file. */
#include <gsym/store.h>

#include "base/error.h"
#include "elfview/elfview.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Map the regular file PATH.  *SIZE becomes its size; of an empty file NULL is
 * mapped. */
static enum gsym_status map_file(const char *path, const uint8_t **ret,
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

enum gsym_status gsym_store_read_id(const char *path, uint8_t *id,
				    size_t capacity, size_t *size,
				    struct gsym_error *error)
{
	struct elfview view;
	const uint8_t *bytes, *found;
	size_t count, found_size;
	enum gsym_status status;

	if (!path || !id || !size)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "path, id or size is missing");
	*size = 0;
	status = map_file(path, &bytes, &count, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_elfview_header(bytes, count, &view, error);
	if (status == GSYM_OK &&
	    (!gsym_elfview_open(bytes, count, &view) ||
	     !gsym_elfview_build_id(&view, &found, &found_size) ||
	     found_size > capacity))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK) {
		memcpy(id, found, found_size);
		*size = found_size;
	}
	if (bytes)
		munmap((void *)bytes, count);
	return status;
}
