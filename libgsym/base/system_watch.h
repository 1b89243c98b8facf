/* SPDX-License-Identifier: MIT */
/*
 * base/system_watch.h - inotify(7), which tells the changes of files and
 * folders.  On systems without it the calls below fail with ENOSYS, and callers
 * look at files in intervals instead.  "config.h" has to be included first.
 */
#ifndef GSYM_BASE_SYSTEM_WATCH_H
#define GSYM_BASE_SYSTEM_WATCH_H

#ifdef HAVE_INOTIFY_INIT1
#include <sys/inotify.h>
#else
#include <errno.h>
#include <stdint.h>

struct inotify_event {
	int wd;
	uint32_t mask;
	uint32_t cookie;
	uint32_t len;
	char name[];
};

enum {
	IN_MODIFY = 0x2,
	IN_ATTRIB = 0x4,
	IN_MOVED_FROM = 0x40,
	IN_MOVED_TO = 0x80,
	IN_CREATE = 0x100,
	IN_DELETE = 0x200,
	IN_Q_OVERFLOW = 0x4000,
	IN_ONLYDIR = 0x1000000,
	IN_ISDIR = 0x40000000,
	IN_CLOEXEC = 0,
	IN_NONBLOCK = 0,
};

static inline int inotify_init1(int flags)
{
	(void)flags;
	errno = ENOSYS;
	return -1;
}

static inline int inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	(void)fd;
	(void)path;
	(void)mask;
	errno = ENOSYS;
	return -1;
}

static inline int inotify_rm_watch(int fd, int watch)
{
	(void)fd;
	(void)watch;
	errno = ENOSYS;
	return -1;
}
#endif

#endif
