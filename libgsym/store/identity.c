/* SPDX-License-Identifier: MIT */
/* store/identity.c - the build ID of a program's file, and the release of a
 * kernel's. */
#include <gsym/store.h>

#include "base/error.h"
#include "elfview/elfview.h"
#include "store/mapped.h"

#include <string.h>

/* Finds a part of VIEW: gsym_elfview_build_id, gsym_elfview_release. */
typedef bool find_fn(const struct elfview *view, const uint8_t **ret,
		     size_t *ret_size);

/* Copy the part of the ELF file PATH that FIND finds to the CAPACITY bytes at
 * TO. */
static enum gsym_status read_part(const char *path, find_fn *find, void *to,
				  size_t capacity, size_t *size,
				  struct gsym_error *error)
{
	struct elfview view;
	const uint8_t *bytes, *found;
	size_t count, found_size;
	enum gsym_status status;

	*size = 0;
	status = gsym_mapped_open(path, false, &bytes, &count, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_elfview_open(bytes, count, &view, error);
	if (status == GSYM_OK &&
	    (!find(&view, &found, &found_size) || found_size > capacity))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK) {
		memcpy(to, found, found_size);
		*size = found_size;
	}
	gsym_mapped_close(bytes, count);
	return status;
}

enum gsym_status gsym_store_read_id(const char *path, uint8_t *id,
				    size_t capacity, size_t *size,
				    struct gsym_error *error)
{
	if (!path || !id || !size)
		return gsym_fail_argument(error);
	return read_part(path, gsym_elfview_build_id, id, capacity, size,
			 error);
}

enum gsym_status gsym_store_read_release(const char *path, char *release,
					 size_t capacity,
					 struct gsym_error *error)
{
	size_t size;
	enum gsym_status status;

	if (!path || !release || !capacity)
		return gsym_fail_argument(error);
	status = read_part(path, gsym_elfview_release, release, capacity - 1,
			   &size, error);
	release[size] = '\0';
	return status;
}
