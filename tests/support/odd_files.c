/* SPDX-License-Identifier: MIT */
/*
 * odd_files.c - a library for LD_PRELOAD that makes files behave as on a file
 * system of several hosts.  For glibc.  tests/cli/store-hosts.sh builds and
 * uses it.  Environment:
 *
 *	ODD_FILES	a list of words:
 *		nolock		flock succeeds, and locks nothing
 *		enolck		flock fails with ENOLCK
 *		plain		files can be renamed, but neither linked nor
 *				exchanged
 *		eintr		every second fsync, and every second opening of
 *				a file that exists, is interrupted
 *		full		fsync fails with ENOSPC
 *		xcpu		SIGXCPU comes when a file is mapped
 *	ODD_PAUSE	a file: before something is renamed, linked or
 *			exchanged, wait until the file exists
 *	ODD_READY	a file that is made before that wait
 *	ODD_CUT		a file that is cut to 0 bytes as soon as it is mapped
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool is(const char *word)
{
	const char *list = getenv("ODD_FILES");

	return list && strstr(list, word);
}

/* Whether the next call is interrupted, of those that COUNT counts. */
static bool interrupts(unsigned *count)
{
	if (!is("eintr") || (*count)++ % 2)
		return false;
	errno = EINTR;
	return true;
}

/* Wait as ODD_PAUSE says. */
static void wait_here(void)
{
	const char *pause = getenv("ODD_PAUSE"), *ready = getenv("ODD_READY");
	int fd;

	if (!pause)
		return;
	fd = ready ? REAL(open)(ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)
		   : -1;
	if (fd >= 0)
		close(fd);
	while (access(pause, F_OK) != 0)
		usleep(10000);
}

int flock(int fd, int how)
{
	if (is("nolock"))
		return 0;
	if (is("enolck")) {
		errno = ENOLCK;
		return -1;
	}
	return REAL(flock)(fd, how);
}

int fsync(int fd)
{
	static unsigned count;

	if (is("full")) {
		errno = ENOSPC;
		return -1;
	}
	return interrupts(&count) ? -1 : REAL(fsync)(fd);
}

int open(const char *path, int flags, ...)
{
	static unsigned count;
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	else if (interrupts(&count)) {
		va_end(args);
		return -1;
	}
	va_end(args);
	return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

int __open64_2(const char *path, int flags)
{
	return open(path, flags);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t from)
{
	void *map = REAL(mmap)(at, size, protection, flags, fd, from);
	const char *cut = getenv("ODD_CUT");
	struct stat named, mapped;

	if (fd >= 0 && is("xcpu"))
		raise(SIGXCPU);
	if (cut && fd >= 0 && fstat(fd, &mapped) == 0 &&
	    stat(cut, &named) == 0 && mapped.st_dev == named.st_dev &&
	    mapped.st_ino == named.st_ino &&
	    truncate(cut, 0) != 0)
		abort();
	return map;
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd,
	     off_t from) __attribute__((alias("mmap")));

int renameat(int from, const char *old, int to, const char *new)
{
	wait_here();
	return REAL(renameat)(from, old, to, new);
}

int rename(const char *old, const char *new)
{
	wait_here();
	return REAL(rename)(old, new);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
	wait_here();
	if (is("plain")) {
		errno = EPERM;
		return -1;
	}
	return REAL(linkat)(from, old, to, new, flags);
}

long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_renameat2) {
		wait_here();
		if (is("plain")) {
			errno = EINVAL;
			return -1;
		}
	}
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
