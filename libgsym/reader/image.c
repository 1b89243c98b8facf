/* SPDX-License-Identifier: MIT */
/* Opens and closes GSYM files. */
#include "reader/image.h"

#include "base/error.h"
#include "base/fd.h"
#include "reader/embedded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Find the image in the SIZE bytes at DATA, a GSYM file or an ELF file, and
 * read its layout. */
static enum gsym_status open_bytes(const uint8_t *data, size_t size,
				   struct gsym_reader *reader,
				   struct gsym_error *error)
{
	struct gsym_extent image = { 0, size };
	enum gsym_status status;

	if (!gsym_layout_is_gsym(data, size)) {
		status = gsym_embedded_find(data, size, &image, error);
		if (status != GSYM_OK)
			return status;
	}
	reader->image_offset = image.offset;
	status = gsym_layout_read(data + image.offset, image.size, false,
				  &reader->layout, error);
	if (status != GSYM_OK && error)
		error->offset += image.offset;
	return status;
}

struct gsym_layout gsym_reader_layout(const struct gsym_reader *reader)
{
	struct gsym_layout layout;

	/* Reading the layout again fails only if the mapped file has changed
	 * since it was opened. */
	return gsym_layout_read(reader->layout.data, reader->layout.size, true,
				&layout, NULL) == GSYM_OK
		       ? layout
		       : reader->layout;
}

enum gsym_status gsym_open_memory(const void *data, size_t size,
				  struct gsym_reader **ret,
				  struct gsym_error *error)
{
	struct gsym_reader *reader;
	enum gsym_status status;

	if (!ret || (!data && size))
		return gsym_fail_argument(error);
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return gsym_fail_memory(error);
	status = open_bytes(data, size, reader, error);
	if (status != GSYM_OK)
		free(reader);
	else
		*ret = reader;
	return status;
}

static enum gsym_status fail_io(struct gsym_error *error, const char *what,
				int code)
{
	/* "%m" prints the text of errno, and unlike strerror uses no buffer
	 * that threads share. */
	errno = code;
	return gsym_fail(error, GSYM_ERR_IO, 0, "%s: %m", what);
}

enum gsym_status gsym_open_fd(int fd, struct gsym_reader **ret,
			      struct gsym_error *error)
{
	enum gsym_status status;
	struct stat st;
	void *map;

	if (!ret)
		return gsym_fail_argument(error);
	if (fstat(fd, &st) != 0)
		return fail_io(error, "cannot examine the file", errno);
	if (S_ISDIR(st.st_mode))
		return fail_io(error, "cannot map the file", EISDIR);
	if (!S_ISREG(st.st_mode))
		return gsym_fail(error, GSYM_ERR_IO, 0,
				 "cannot map the file: not a regular file");
	if ((uint64_t)st.st_size > SIZE_MAX)
		return fail_io(error, "cannot map the file", EFBIG);
	/* An empty file cannot be mapped. */
	if (st.st_size == 0)
		return gsym_open_memory("", 0, ret, error);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return fail_io(error, "cannot map the file", errno);
	status = gsym_open_memory(map, (size_t)st.st_size, ret, error);
	if (status != GSYM_OK) {
		munmap(map, (size_t)st.st_size);
		return status;
	}
	(*ret)->map = map;
	(*ret)->map_size = (size_t)st.st_size;
	return GSYM_OK;
}

enum gsym_status gsym_open(const char *path, struct gsym_reader **ret,
			   struct gsym_error *error)
{
	enum gsym_status status;
	int fd;

	if (!path || !ret)
		return gsym_fail_argument(error);
	/* Without O_NONBLOCK, opening a pipe would block until it has a
	 * writer, instead of being refused. */
	fd = gsym_fd_open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fail_io(error, "cannot open the file", errno);
	status = gsym_open_fd(fd, ret, error);
	close(fd);
	return status;
}

enum gsym_status gsym_open_copy(const char *path, struct gsym_reader **ret,
				struct gsym_error *error)
{
	struct gsym_fd_bytes bytes = { 0 };
	enum gsym_status status;
	int fd;

	if (!path || !ret)
		return gsym_fail_argument(error);
	fd = gsym_fd_open(path, O_RDONLY);
	if (fd < 0)
		return fail_io(error, "cannot open the file", errno);
	if (gsym_fd_read_to_end(fd, &bytes))
		status = gsym_open_memory(bytes.items, bytes.count, ret, error);
	else if (errno == ENOMEM)
		status = gsym_fail_memory(error);
	else
		status = fail_io(error, "cannot read the file", errno);
	close(fd);
	if (status == GSYM_OK)
		(*ret)->copy = bytes.items;
	else
		gsym_vec_fini(&bytes);
	return status;
}

void gsym_close(struct gsym_reader *reader)
{
	if (!reader)
		return;
	if (reader->map)
		munmap(reader->map, reader->map_size);
	free(reader->copy);
	free(reader);
}
