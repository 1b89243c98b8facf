/* SPDX-License-Identifier: MIT */
/* Finds the cache folder of the user, and names files in it. */
#include "config.h"

#include "common/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/number.h"
#include "common/path.h"
#include "common/report.h"

char *cache_folder(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (base && *base == '/')
		return path_print("%s/gsym", base);
	return home && *home == '/' ? path_print("%s/.cache/gsym", home) : NULL;
}

char *cache_path(const char *directory, const uint8_t *build_id, size_t size,
		 const char *suffix)
{
	static const char between[] = "/.build-id/";
	size_t room = strlen(directory) + sizeof(between) + 2 * size +
		      strlen(suffix) + 2;
	char *path = malloc(room), *at = path;
	if (!path)
		die("out of memory");
	at += sprintf(at, "%s%s%02x/", directory, between, build_id[0]);
	number_bytes(at, build_id + 1, size - 1);
	strcat(at, suffix);
	return path;
}

bool cache_make_folders(char *path)
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

size_t cache_parse_id(const char *text, uint8_t *to, size_t capacity)
{
	size_t length = strlen(text);
	if (!length || length % 2 || length / 2 > capacity ||
	    strspn(text, "0123456789abcdefABCDEF") != length)
		return 0;
	for (size_t i = 0; i < length; i += 2) {
		char pair[3] = { text[i], text[i + 1], 0 };
		to[i / 2] = strtoul(pair, NULL, 16);
	}
	return length / 2;
}
