/* SPDX-License-Identifier: MIT */
/*
 * short_calls.c - a library for LD_PRELOAD with which read, pread, write,
 * pwrite and poll are interrupted (EINTR), and transfer fewer bytes than they
 * were asked for, as POSIX allows.  For glibc.  tests/cli/short-calls.sh builds
 * and uses it.  Environment:
 *
 *	SHORT_CALLS_SEED	a number that decides about each call
 *	SHORT_CALLS_COUNT	a file to which each process adds a line in the
 *				end: how many calls were interrupted, and how
 *				many were short
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* or read and pread would be inline */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_uint calls, interrupted, shortened;
static unsigned seed;
static bool active;

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("SHORT_CALLS_SEED");

	active = text != NULL;
	seed = text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("SHORT_CALLS_COUNT");
	char text[64];
	int fd, size;

	if (!active || !path)
		return;
	active = false;
	size = snprintf(text, sizeof(text), "%u %u\n", interrupted, shortened);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd >= 0 && write(fd, text, (size_t)size) < size)
		abort();
	close(fd);
}

/* A number for the next call. */
static unsigned next_number(void)
{
	uint32_t x = (atomic_fetch_add(&calls, 1) + 1) * 2654435761u + seed;

	x ^= x >> 15;
	x *= 2246822519u;
	return x ^ x >> 13;
}

/* Whether the next call is interrupted. */
static bool interrupts(unsigned number)
{
	if (!active || number % 3)
		return false;
	interrupted++;
	errno = EINTR;
	return true;
}

/* The bytes that a call with COUNT may transfer.  Only of streams: messages of
 * other descriptors must not be cut. */
static size_t shorter(int fd, size_t count, unsigned number)
{
	struct stat st;
	int type = 0;
	socklen_t size = sizeof(type);

	if (!active || count < 2 || fstat(fd, &st))
		return count;
	if (S_ISSOCK(st.st_mode) &&
	    (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) ||
	     type != SOCK_STREAM))
		return count;
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode) &&
	    !S_ISSOCK(st.st_mode))
		return count;
	number /= 3;
	if (number % 4 == 0)
		return count;
	shortened++;
	switch (number % 4) {
	case 1:
		return 1;
	case 2:
		return count / 2;
	default:
		return 1 + number / 4 % (count - 1);
	}
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int fd, void *bytes, size_t count)
{
	unsigned number = next_number();

	if (interrupts(number))
		return -1;
	return REAL(read)(fd, bytes, shorter(fd, count, number));
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at)
{
	unsigned number = next_number();

	if (interrupts(number))
		return -1;
	return REAL(pread)(fd, bytes, shorter(fd, count, number), at);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t at)
{
	return pread(fd, bytes, count, at);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
	unsigned number = next_number();

	if (interrupts(number))
		return -1;
	return REAL(write)(fd, bytes, shorter(fd, count, number));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
	unsigned number = next_number();

	if (interrupts(number))
		return -1;
	return REAL(pwrite)(fd, bytes, shorter(fd, count, number), at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at)
{
	return pwrite(fd, bytes, count, at);
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (interrupts(next_number()))
		return -1;
	return REAL(poll)(fds, count, timeout);
}

/* What programs that are compiled with _FORTIFY_SOURCE call. */

ssize_t __read_chk(int fd, void *bytes, size_t count, size_t room);
ssize_t __pread_chk(int fd, void *bytes, size_t count, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *bytes, size_t count, off64_t at,
		      size_t room);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);

ssize_t __read_chk(int fd, void *bytes, size_t count, size_t room)
{
	if (count > room)
		abort();
	return read(fd, bytes, count);
}

ssize_t __pread_chk(int fd, void *bytes, size_t count, off_t at, size_t room)
{
	if (count > room)
		abort();
	return pread(fd, bytes, count, at);
}

ssize_t __pread64_chk(int fd, void *bytes, size_t count, off64_t at,
		      size_t room)
{
	return __pread_chk(fd, bytes, count, at, room);
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
	if (count * sizeof(*fds) > room)
		abort();
	return poll(fds, count, timeout);
}
