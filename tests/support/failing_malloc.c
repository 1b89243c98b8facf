/* SPDX-License-Identifier: MIT */
/*
 * failing_malloc.c - a library for LD_PRELOAD that makes allocations fail.
 * For glibc.  tests/cli/malloc-lib.sh builds and uses it.
 *
 * From the start of the program on, the calls of malloc, calloc, realloc,
 * aligned_alloc and posix_memalign are counted.  Environment:
 *
 *	FAILING_MALLOC_AT	the number of the call that fails, from 1 on
 *	FAILING_MALLOC_FROM	the number from which on all calls fail
 *	FAILING_MALLOC_COUNT	a file that gets the number of calls in the end
 *	FAILING_MALLOC_ABORT	abort at the first call that fails, for a
 *				stack trace
 *
 * Programs that the program starts are left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong calls;
static atomic_bool started;
static unsigned long at, from = ULONG_MAX;
static bool aborts;
static char path[4096];

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void start(void)
{
	const char *file = getenv("FAILING_MALLOC_COUNT");

	at = number("FAILING_MALLOC_AT", 0);
	from = number("FAILING_MALLOC_FROM", ULONG_MAX);
	aborts = getenv("FAILING_MALLOC_ABORT") != NULL;
	if (file)
		snprintf(path, sizeof(path), "%s", file);
	unsetenv("LD_PRELOAD");
	started = true;
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	int fd;

	started = false;
	if (!*path || (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0)
		return;
	int size = snprintf(text, sizeof(text), "%lu\n", (unsigned long)calls);
	if (write(fd, text, (size_t)size) < 0)
		_exit(99);
	close(fd);
}

/* Count a call; whether it fails. */
static bool fails(void)
{
	if (!started)
		return false;
	unsigned long call = atomic_fetch_add(&calls, 1) + 1;

	if (call != at && call < from)
		return false;
	if (aborts)
		abort();
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	if (fails())
		return ENOMEM;
	*ret = __libc_memalign(alignment, size);
	return *ret ? 0 : ENOMEM;
}
