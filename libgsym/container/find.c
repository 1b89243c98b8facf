/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* vasprintf */
#endif
#include "container/find.h"

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
		o->file(o->context, GSYM_FILE_DEBUG, path,
			right ? NULL : a->problem);
	if (right)
		a->found = path;
	else
		free(path);
	return right || a->status == GSYM_ERR_MEMORY;
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
