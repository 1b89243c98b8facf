/* SPDX-License-Identifier: MIT */
/* Maps files into memory, and gives pages back. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/out.h"
#include "common/report.h"
#include "xray/xray.h"

/* Copy the rest of FD, whose path is PATH, to a temporary file without a name.
 * Returns the descriptor of that file. */
static int spool(int fd, const char *path)
{
	static char buffer[65536];
	FILE *file = tmpfile();
	ssize_t n;
	if (!file)
		die("cannot make a temporary file: %s", strerror(errno));
	while ((n = read(fd, buffer, sizeof(buffer))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die("cannot read '%s': %s", path, strerror(errno));
		if (!out_write_all(fileno(file), buffer, n))
			die("cannot write a temporary file: %s",
			    strerror(errno));
	}
	int copy = dup(fileno(file));
	fclose(file);
	if (copy < 0)
		die("cannot use a temporary file: %s", strerror(errno));
	return copy;
}

void xray_map_file(const char *path, struct xray_bytes *ret)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC)
				   : dup(STDIN_FILENO);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) != 0)
		die("cannot open '%s': %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		die("cannot read '%s': it is a folder", path);
	if (!S_ISREG(status.st_mode)) {
		int copy = spool(fd, path);
		close(fd);
		fd = copy;
		if (fstat(fd, &status) != 0)
			die("cannot use a temporary file: %s",
			    strerror(errno));
	}
	ret->path = path;
	ret->size = status.st_size;
	ret->data = (const uint8_t *)"";
	if (ret->size > SIZE_MAX)
		die("cannot read '%s': too large for this system", path);
	if (ret->size) {
		void *data = mmap(NULL, ret->size, PROT_READ, MAP_PRIVATE, fd,
				  0);
		if (data == MAP_FAILED)
			die("cannot map '%s': %s", path, strerror(errno));
		ret->data = data;
	}
	close(fd);
}

void xray_drop_pages(struct xray_bytes *file, uint64_t offset)
{
	const uint64_t window = 8 << 20;
	uint64_t page = offset & ~(uint64_t)65535;
	/* A new walk has started.  The last one may have left pages after
	 * OFFSET in memory: drop all pages. */
	if (page < file->dropped)
		madvise((void *)file->data, file->size, MADV_DONTNEED);
	else if (page - file->dropped >= window)
		madvise((void *)(file->data + file->dropped),
			page - file->dropped, MADV_DONTNEED);
	else
		return;
	file->dropped = page;
}
