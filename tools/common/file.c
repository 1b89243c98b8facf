/* SPDX-License-Identifier: MIT */
/* Opens, reads and flushes files.  Renames a complete file to its target, or
 * exchanges the two. */
#include "config.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"

bool file_sync(int fd)
{
	int failed;
	do
		failed = fsync(fd);
	while (failed && errno == EINTR);
	return !failed;
}

bool file_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

ssize_t file_read_some(int fd, void *bytes, size_t size)
{
	ssize_t n;
	do
		n = read(fd, bytes, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Read the open file FD from its offset on, as file_read does. */
static uint8_t *read_open(int fd, size_t *size)
{
	struct gsym_fd_bytes bytes = { 0 };

	if (!gsym_fd_read_to_end(fd, &bytes)) {
		gsym_vec_fini(&bytes);
		return NULL;
	}
	*size = bytes.count;
	return (uint8_t *)bytes.items;
}

uint8_t *file_read_whole(int fd, size_t *size)
{
	return lseek(fd, 0, SEEK_SET) < 0 ? NULL : read_open(fd, size);
}

uint8_t *file_read(const char *path, size_t *size)
{
	int fd = gsym_fd_open(path, O_RDONLY), error;
	uint8_t *bytes;

	if (fd < 0)
		return NULL;
	bytes = read_open(fd, size);
	error = errno;
	close(fd);
	errno = error;
	return bytes;
}

/* ---- complete files ------------------------------------------------------ */

/* How often another process may come between. */
enum { TRIES = 100 };

int file_find(int folder, const char *name)
{
	struct stat st, opened;
	int fd = -1;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (S_ISREG(st.st_mode))
		fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
						  O_NOCTTY | O_CLOEXEC);
	else
		errno = EINVAL;
	if (fd >= 0 && (fstat(fd, &opened) < 0 || !S_ISREG(opened.st_mode))) {
		close(fd);
		fd = -1;
		errno = EINVAL;
	}
	return fd;
}

/* Open the folder NAME in FOLDER, which is closed, with MAKE also one that is
 * missing.  -1 with errno, which is ELOOP for a symbolic link. */
static int open_inside(int folder, const char *name, bool make)
{
	struct stat st;
	int inside = -1, error;

	if (!make || mkdirat(folder, name, 0777) == 0 || errno == EEXIST)
		inside = openat(folder, name,
				SYSTEM_FOLDER | O_NOFOLLOW | O_CLOEXEC);
	error = errno;
	if (inside < 0 &&
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(st.st_mode))
		error = ELOOP;
	close(folder);
	errno = error;
	return inside;
}

int file_below(int folder, bool make, char *names, char **base)
{
	*base = names + strspn(names, "/");
	for (char *slash; folder >= 0 && (slash = strchr(*base, '/'));) {
		*slash = 0;
		if (**base)
			folder = open_inside(folder, *base, make);
		if (folder >= 0)
			*base = slash + 1;
	}
	return folder;
}

bool file_is(int folder, const char *name, int fd)
{
	struct stat named, opened;

	return fstat(fd, &opened) == 0 &&
	       fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       file_same(&named, &opened);
}

/* Rename the file HAND of P, whatever is there. */
static const char *replace(const struct file_place *p, int hand)
{
	int error;

	if (renameat(p->folder, p->temporary, p->folder, p->target) == 0)
		return NULL;
	error = errno;
	/* A server that is asked twice reports that the first time failed. */
	return file_is(p->folder, p->target, hand) ? NULL
							 : strerror(error);
}

/* Whether the target of P is still the open file THERE; -1: whether there is
 * still none. */
static bool is_unchanged(const struct file_place *p, int there)
{
	struct stat st;

	if (there >= 0)
		return file_is(p->folder, p->target, there);
	return fstatat(p->folder, p->target, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
	       errno == ENOENT;
}

/* Put the file *HAND, which has the temporary name of P, in place of the file
 * THERE, or of none if THERE is -1.  *DONE becomes true if that succeeded.
 * Otherwise another process has changed the target, and the file *HAND has the
 * temporary name now.  Returns NULL, or why it failed. */
static const char *put_in_place(const struct file_place *p, int *hand,
				int there, bool *done)
{
	*done = true;
	if (there < 0 && linkat(p->folder, p->temporary, p->folder, p->target,
				0) == 0) {
		unlinkat(p->folder, p->temporary, 0);
	} else if (there >= 0 && gsym_system_exchange(p->folder, p->temporary,
						      p->target)) {
		*done = file_is(p->folder, p->temporary, there);
		if (*done) {
			unlinkat(p->folder, p->temporary, 0);
			return NULL;
		}
		/* The file of another process came back. */
		if (*hand != p->fd)
			close(*hand);
		*hand = file_find(p->folder, p->temporary);
		return *hand < 0 ? strerror(errno) : NULL;
	} else if (is_unchanged(p, there)) {
		return replace(p, *hand);
	} else {
		*done = false;
	}
	return NULL;
}

/* file_place for the file *HAND, for which P->better decides. */
static const char *settle(const struct file_place *p, int *hand)
{
	const char *why = NULL;
	bool done = false;

	for (int tries = 0; !done && !why && tries < TRIES; tries++) {
		int there = file_find(p->folder, p->target);
		bool none = there < 0 && errno == ENOENT;

		if (!file_is(p->folder, p->temporary, *hand)) {
			why = "its temporary file was removed or replaced";
		} else if (!none && !p->better(p->context, *hand, there)) {
			unlinkat(p->folder, p->temporary, 0);
			done = true;
		} else if (!none && there < 0) {
			why = replace(p, *hand);
			done = true;
		} else {
			why = put_in_place(p, hand, there, &done);
		}
		if (there >= 0)
			close(there);
	}
	return why || done ? why : "others replace the file all the time";
}

const char *file_place(const struct file_place *p, bool *kept)
{
	int hand = p->fd;
	const char *why;

	*kept = false;
	if (!file_is(p->folder, p->temporary, p->fd))
		return "its temporary file was removed or replaced";
	if (!p->better)
		return replace(p, p->fd);
	why = settle(p, &hand);
	if (hand >= 0 && hand != p->fd)
		close(hand);
	*kept = !file_is(p->folder, p->target, p->fd);
	return why;
}

const char *file_place_link(int folder, const char *name, const char *base)
{
	struct stat st;

	if (fstatat(folder, base, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISLNK(st.st_mode))
		return "it is no symbolic link";
	return renameat(folder, name, folder, base) < 0 ? strerror(errno)
							: NULL;
}
