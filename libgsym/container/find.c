/* SPDX-License-Identifier: MIT */
/* Tries the files at candidate paths, and reports why each was refused. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* vasprintf */
#endif
#include "container/find.h"

#include "base/digit.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool gsym_find_refuse(struct gsym_find_attempt *a, enum gsym_status status,
		      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(a->problem, sizeof(a->problem), format, args);
	va_end(args);
	a->status = status;
	return false;
}

bool gsym_find_try(struct gsym_find_attempt *a, char *path,
		   gsym_find_open_fn *open, void *context)
{
	const struct gsym_convert_options *o = a->options;
	bool right;

	if (!path) {
		a->status = GSYM_ERR_MEMORY;
		return true;
	}
	right = open(context, path);
	if (right)
		a->status = GSYM_OK;
	if (o->file)
		o->file(o->context, a->role, path, right ? NULL : a->problem);
	if (right)
		a->found = path;
	else
		free(path);
	return right || a->status == GSYM_ERR_MEMORY;
}

bool gsym_find_by_id(struct gsym_find_attempt *a, const struct gsym_find *find,
		     const uint8_t *id, size_t size, gsym_find_open_fn *open,
		     void *context)
{
	/* Longer build IDs are no hashes, and no tree has files for them. */
	char text[2 * 64 + 1];

	/* The first byte names a folder, the other bytes name the file. */
	if (size < 2 || size > 64)
		return false;
	gsym_digits(text, sizeof(text), id, size);
	for (size_t i = 0; i < find->directory_count; i++)
		if (gsym_find_try(a,
				  gsym_find_path("%s/.build-id/%.2s/%s.debug",
						 find->directories[i], text,
						 text + 2),
				  open, context))
			return true;
	return false;
}

enum gsym_status gsym_find_end(const struct gsym_find_attempt *last,
			       char **found, struct gsym_error *error)
{
	*found = last->found;
	if (last->status == GSYM_ERR_MEMORY)
		gsym_fail_memory(error);
	else if (last->status != GSYM_OK && last->status != GSYM_NOT_FOUND)
		gsym_fail(error, last->status, 0, "debug file: %.200s",
			  last->problem);
	return last->status;
}

char *gsym_find_path(const char *format, ...)
{
	va_list args;
	char *path;
	int length;

	va_start(args, format);
	length = vasprintf(&path, format, args);
	va_end(args);
	return length < 0 ? NULL : path;
}
