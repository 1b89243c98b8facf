/* SPDX-License-Identifier: MIT */
/* Makes texts of paths. */
#include "config.h"

#include "common/must.h"
#include "common/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/report.h"

char path_separator(const char *directory)
{
	size_t length = strlen(directory);
	char last = length ? directory[length - 1] : '/';
	if (last == '/')
		return 0;
	if (memchr(directory, '/', length) || !memchr(directory, '\\', length))
		return '/';
	return last == '\\' ? 0 : '\\';
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

const char *path_base_of(const char *path, size_t *size)
{
	const char *slash = memrchr(path, '/', *size);
	if (!slash)
		return path;
	*size -= (size_t)(slash + 1 - path);
	return slash + 1;
}

char *path_join(const char *directory, const char *basename)
{
	const char separator[2] = { path_separator(directory), 0 };
	return path_print("%s%s%s", directory, separator, basename);
}

char *path_print(const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	int length = vasprintf(&text, format, args);
	va_end(args);
	must(length >= 0);
	return text;
}
