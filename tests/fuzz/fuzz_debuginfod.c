/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: what a debuginfod client library answers.  The input is a list
 * of answers of four bytes: the result, an open file or an error; how the
 * transfer went on; whether there is a path; the build ID that is asked for.
 * The code is compiled with functions of this file for dlopen and dlsym: with
 * --wrap, sanitizers would call them, too.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setenv */
#endif
#include "common/debuginfod.h"
#include "fuzz/fuzz.h"
#include "fuzz/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the library --------------------------------------------------------- */

typedef int progress_fn(void *client, long done, long total);

static struct {
	/** The answers that are left. */
	struct fuzz_part left;
	/** Lacks debuginfod_find_section, as before 0.188 of elfutils. */
	bool old;
	progress_fn *progress;
	/** Calls so far, and descriptors that were handed out. */
	unsigned calls;
	int open[64];
} library;

static const int errors[] = { ENOENT, ENOSYS, ETIME, ETIMEDOUT, ECONNREFUSED,
			      EHOSTUNREACH, ENETUNREACH, EIO, 1, 4095 };

static void *begin(void)
{
	return &library;
}

static void end(void *client)
{
	fuzz_require(client == &library);
}

static void set_progress(void *client, progress_fn *progress)
{
	fuzz_require(client == &library);
	library.progress = progress;
}

/* Tell how far the transfer is, in the way that HOW chooses.  Returns whether
 * it was given up. */
static bool transfer(uint8_t how)
{
	static const long numbers[] = { 0, 1, 4096, -1, 1L << 40, 8192 };

	for (unsigned i = 0; i < how % 4; i++)
		if (library.progress(&library, numbers[(how / 4 + i) % 6],
				     numbers[how / 32 % 6]))
			return true;
	return false;
}

static int answer(char **path)
{
	const uint8_t *bytes = library.left.bytes;
	int fd;

	if (library.left.size < 4 ||
	    library.calls >= sizeof(library.open) / sizeof(library.open[0]))
		return -ENOENT;
	library.left.bytes += 4;
	library.left.size -= 4;
	if (bytes[2] & 1)
		*path = strdup("/tmp/a debug file");
	if (transfer(bytes[1]))
		return -EINTR;
	if (bytes[0] >= 128)
		return -errors[bytes[0] % (sizeof(errors) / sizeof(int))];
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fuzz_require(fd >= 0);
	library.open[library.calls++] = fd;
	return fd;
}

static int find_debuginfo(void *client, const unsigned char *build_id,
			  int size, char **path)
{
	fuzz_require(client == &library && build_id && size > 0 && size <= 64);
	return answer(path);
}

static int find_section(void *client, const unsigned char *build_id, int size,
			const char *section, char **path)
{
	fuzz_require(!strcmp(section, ".gsym"));
	return find_debuginfo(client, build_id, size, path);
}

void *fuzz_dlopen(const char *name, int flags);
void *fuzz_dlsym(void *handle, const char *name);
int fuzz_dlclose(void *handle);

void *fuzz_dlopen(const char *name, int flags)
{
	(void)flags;
	fuzz_require(!strcmp(name, "libdebuginfod.so.1"));
	return &library;
}

void *fuzz_dlsym(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} all[] = {
		{ "debuginfod_begin", (void (*)(void))begin },
		{ "debuginfod_end", (void (*)(void))end },
		{ "debuginfod_find_debuginfo",
		  (void (*)(void))find_debuginfo },
		{ "debuginfod_set_progressfn", (void (*)(void))set_progress },
		{ "debuginfod_find_section", (void (*)(void))find_section },
	};
	void *function = NULL;

	fuzz_require(handle == &library);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name) && !(i == 4 && library.old))
			memcpy(&function, &all[i].function, sizeof(function));
	return function;
}

int fuzz_dlclose(void *handle)
{
	fuzz_require(handle == &library);
	return 0;
}

/* ---- the caller ---------------------------------------------------------- */

static bool go_on(uint64_t done, uint64_t total)
{
	return done < 8000 || !total;
}

/* Ask for the build ID of SIZE bytes. */
static void ask(struct debuginfod *d, const uint8_t *id, size_t size)
{
	struct gsym_error error = { 0 };
	char *path = NULL;
	enum gsym_status status =
		debuginfod_get(d, id, size, NULL, &path, &error);

	fuzz_require((status == GSYM_OK) == (path != NULL));
	fuzz_require(status == GSYM_OK || status == GSYM_NOT_FOUND ||
		     (error.code == status && *error.message));
	free(path);
	status = debuginfod_get(d, id, size, ".gsym", &path, &error);
	fuzz_require((status == GSYM_OK) == (path != NULL));
	fuzz_require(!library.old || status == GSYM_NOT_FOUND);
	free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[80] = { 0 };
	struct debuginfod *d;

	if (!size)
		return 0;
	memset(&library, 0, sizeof(library));
	library.old = data[0] & 1;
	library.left = (struct fuzz_part){ data + 1, size - 1 };
	setenv("DEBUGINFOD_MAXSIZE", data[0] & 2 ? "4096" : "x", 1);
	d = debuginfod_new(data[0] & 4 ? go_on : NULL);
	fuzz_require(d);
	while (library.left.size >= 4) {
		size_t before = library.left.size;

		id[0] = library.left.bytes[3];
		ask(d, id, id[0] % 67);
		if (library.left.size == before)
			library.left = (struct fuzz_part){ data, 0 };
	}
	debuginfod_free(d);
	/* Every file was closed. */
	for (unsigned i = 0; i < library.calls; i++)
		fuzz_require(fcntl(library.open[i], F_GETFD) < 0 ||
			     library.open[i] == -1);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	uint8_t *bytes;

	if (number >= 16)
		return NULL;
	*size = 1 + 4 * 12;
	bytes = malloc(*size);
	fuzz_require(bytes);
	bytes[0] = (uint8_t)number;
	for (unsigned i = 0; i < 12; i++) {
		bytes[1 + 4 * i] = (uint8_t)(i % 3 ? 0 : 128 + number + i);
		bytes[2 + 4 * i] = (uint8_t)(number * 17 + i * 5);
		bytes[3 + 4 * i] = i % 5 != 4;
		bytes[4 + 4 * i] = (uint8_t)(8 + i * 21);
	}
	return bytes;
}
