/* SPDX-License-Identifier: MIT */
/* Makes texts of paths, and the folders of a path. */
#include "config.h"

#include "common/path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/debug_path.h"
#include "base/system.h"
#include "common/must.h"

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

char *path_cache(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (base && *base == '/')
		return path_print("%s/gsym/" PACKAGE_VERSION, base);
	return home && *home == '/'
		       ? path_print("%s/.cache/gsym/" PACKAGE_VERSION, home)
		       : NULL;
}

char *path_build_id(const char *directory, const uint8_t *build_id, size_t size,
		    const char *suffix)
{
	return must_have(
		gsym_debug_path_of_id(directory, build_id, size, suffix));
}

bool path_make_folders(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		int failed = mkdir(path, 0755);
		*at = '/';
		if (failed && errno != EEXIST)
			return false;
	}
	return true;
}

bool path_is_release(const char *release)
{
	static const char allowed[] =
		"0123456789abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ.+~_-";
	size_t size = strlen(release);
	return size && size <= 64 && strspn(release, allowed) == size &&
	       *release != '.' && !strstr(release, "..");
}
