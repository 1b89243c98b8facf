/* SPDX-License-Identifier: MIT */
/* store/identity.c - the build ID of a program's file. */
#include <gsym/store.h>

#include "base/error.h"
#include "elfview/elfview.h"
#include "store/mapped.h"

#include <string.h>

enum gsym_status gsym_store_read_id(const char *path, uint8_t *id,
				    size_t capacity, size_t *size,
				    struct gsym_error *error)
{
	struct elfview view;
	const uint8_t *bytes, *found;
	size_t count, found_size;
	enum gsym_status status;

	if (!path || !id || !size)
		return gsym_fail_argument(error);
	*size = 0;
	status = gsym_mapped_open(path, false, &bytes, &count, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_elfview_open(bytes, count, &view, error);
	if (status == GSYM_OK &&
	    (!gsym_elfview_build_id(&view, &found, &found_size) ||
	     found_size > capacity))
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK) {
		memcpy(id, found, found_size);
		*size = found_size;
	}
	gsym_mapped_close(bytes, count);
	return status;
}
