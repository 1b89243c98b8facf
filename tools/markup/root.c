/* SPDX-License-Identifier: MIT */
/*
 * --root: build IDs of the files at the paths that a log has.  Logs and symbols
 * may come from a stranger, so their paths lead to regular files below a folder
 * alone.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#include "markup/markup.h"

enum {
	/* Opening a device or FIFO may do something: files are looked at
	 * first. */
	LOOK = O_PATH | O_CLOEXEC,
	READ = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
};

/* The name of the open file FD for this process, and for a program that it
 * starts if that inherits FD. */
static const char *name_of(int fd, char name[64])
{
	snprintf(name, 64, "/proc/self/fd/%d", fd);
	return name;
}

/* Open PATH below FOLDER, one part of the path after the other, without rights
 * to read.  Follows no link, and refuses "..".  Returns -1 on failure. */
static int open_by_parts(int folder, const char *path)
{
	int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	while (fd >= 0 && *path) {
		char part[256];
		size_t length = strcspn(path, "/");
		bool last = !path[length];
		int next = -1;
		if (length < sizeof(part)) {
			memcpy(part, path, length);
			part[length] = 0;
			path += length + !last;
			if (!length || strcmp(part, ".") == 0)
				continue;
			if (strcmp(part, "..") != 0)
				next = openat(fd, part,
					      LOOK | O_NOFOLLOW |
						      (last ? 0 : O_DIRECTORY));
		}
		close(fd);
		fd = next;
	}
	return fd;
}

/* Open PATH as a process would whose root is FOLDER, without rights to read;
 * -1 on failure. */
static int open_in(int folder, const char *path)
{
#if defined(SYS_openat2) && defined(RESOLVE_IN_ROOT)
	struct open_how how = {
		.flags = LOOK,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));
	if (fd >= 0)
		return (int)fd;
#endif
	/* The kernel is older than 5.6, or has refused the path. */
	return open_by_parts(folder, path);
}

int markup_open_below(const char *root, const char *path)
{
	char name[64];
	struct stat st;
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int found = folder >= 0 ? open_in(folder, path) : -1, fd = -1;
	/* The file that was looked at is opened, whatever its path leads to by
	 * now. */
	if (found >= 0 && fstat(found, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(name_of(found, name), READ);
	if (folder >= 0)
		close(folder);
	if (found >= 0)
		close(found);
	return fd;
}

size_t markup_root_id(struct markup *m, const char *name, size_t name_size,
		      uint8_t *id, size_t capacity)
{
	char path[4096], opened[64];
	if (name_size >= sizeof(path) || memchr(name, 0, name_size))
		return 0;
	memcpy(path, name, name_size);
	path[name_size] = 0;
	for (size_t i = 0; i < m->roots.count; i++) {
		size_t size = 0;
		int fd = markup_open_below(m->roots.items[i], path);
		if (fd < 0)
			continue;
		enum gsym_status status = gsym_store_read_id(
			name_of(fd, opened), id, capacity, &size, NULL);
		if (status == GSYM_OK && m->convert &&
		    !markup_find_id(m, id, size) &&
		    markup_convert(m, opened, fd, id, size))
			gsym_store_retry(m->store);
		close(fd);
		if (status != GSYM_OK)
			continue;
		markup_note(m, "the build ID of '%s' is that of '%s/%s'", path,
			    m->roots.items[i], path);
		return size;
	}
	return 0;
}
