/* SPDX-License-Identifier: MIT */
/* Inputs of several parts, and files of fuzz targets. */
#include "config.h"

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw, mkdtemp */
#endif
#include "fuzz/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Noreturn void fuzz_stop(const char *file, int line, const char *why)
{
	fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, why);
	abort();
}

/* ---- parts --------------------------------------------------------------- */

void fuzz_divide(const uint8_t *data, size_t size, struct fuzz_part *parts,
		 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t part = size;

		if (i + 1 < count && size >= 4) {
			part = data[0] | (size_t)data[1] << 8 |
			       (size_t)data[2] << 16 | (size_t)data[3] << 24;
			data += 4;
			size -= 4;
		}
		if (part > size)
			part = size;
		parts[i] = (struct fuzz_part){ data, part };
		data += part;
		size -= part;
	}
}

uint8_t *fuzz_join(const struct fuzz_part *parts, size_t count, size_t *size)
{
	uint8_t *bytes, *at;

	*size = count ? 4 * (count - 1) : 0;
	for (size_t i = 0; i < count; i++)
		*size += parts[i].size;
	bytes = at = malloc(*size + 1);
	fuzz_require(bytes);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count)
			for (unsigned k = 0; k < 4; k++)
				*at++ = (uint8_t)(parts[i].size >> 8 * k);
		if (parts[i].size)
			memcpy(at, parts[i].bytes, parts[i].size);
		at += parts[i].size;
	}
	return bytes;
}

/* ---- files --------------------------------------------------------------- */

static char folder[64];

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *walk)
{
	(void)st;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
	/* In memory, if possible: each input is written to a file. */
	const char *const places[] = { getenv("GSYM_FUZZ_FILES"), "/dev/shm",
				       "/tmp" };

	for (size_t i = 0; i < 3 && !*folder; i++) {
		if (!places[i])
			continue;
		snprintf(folder, sizeof(folder), "%s/gsym-fuzz-XXXXXX",
			 places[i]);
		if (!mkdtemp(folder))
			*folder = '\0';
		else
			atexit(remove_folder);
	}
	fuzz_require(*folder);
	return folder;
}

/* Make the folders that PATH names, up to its last '/'. */
static void make_folders(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

const char *fuzz_write(const char *name, struct fuzz_part part)
{
	static char paths[2][256];
	static unsigned turn;
	char *path = paths[turn++ % 2];
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	int fd;

	snprintf(path, sizeof(paths[0]), "%s/%s", fuzz_folder(), name);
	fd = open(path, flags, 0600);
	if (fd < 0 && errno == ENOENT) {
		make_folders(path);
		fd = open(path, flags, 0600);
	}
	fuzz_require(fd >= 0 &&
		     write(fd, part.bytes, part.size) == (ssize_t)part.size);
	close(fd);
	return path;
}

void fuzz_remove(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
	unlink(path);
}

uint8_t *fuzz_testdata(const char *name, size_t *size)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	struct stat st;
	uint8_t *bytes;
	FILE *f;

	snprintf(path, sizeof(path), "%s/testdata/%s", top ? top : ".", name);
	f = fopen(path, "rb");
	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		exit(2);
	}
	bytes = malloc((size_t)st.st_size + 1);
	fuzz_require(bytes);
	*size = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	return bytes;
}
