/* SPDX-License-Identifier: MIT */
/* base/fd.h - opens a file, also below the root of a process, maps it, and
 * reads it at an offset, or whole.  Knows nothing of the bytes. */
#ifndef GSYM_BASE_FD_H
#define GSYM_BASE_FD_H

#include "base/vec.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/** Read SIZE bytes of FD at offset AT into BYTES; fewer at the end of the file
 *  and before a place that cannot be read.  Calls that are interrupted or
 *  transfer fewer bytes are repeated.  Returns how many bytes were read; -1,
 *  with errno set, if the first byte cannot be read. */
static inline ssize_t gsym_fd_read_at(int fd, void *bytes, size_t size,
				      uint64_t at)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = pread(fd, (uint8_t *)bytes + got, size - got,
				  (off_t)(at + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !got)
			return -1;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/** As open with FLAGS, without O_CREAT, and O_CLOEXEC; repeated if it is
 *  interrupted, as it may be on file servers. */
int gsym_fd_open(const char *path, int flags);
/** Open the regular file PATH for reading.  A device, pipe or socket is not
 *  opened at all, not even if it takes the place of a file meanwhile.  Returns
 *  -1 with errno set on failure; EINVAL: it is no regular file. */
int gsym_fd_open_file(const char *path);

/** Whether the errno ERROR of a failed open or stat says that there is no file
 *  with the path.  Others leave open whether there is one: EMFILE, EACCES. */
static inline bool gsym_fd_is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP ||
	       error == ENAMETOOLONG;
}

/** The bytes of the regular file FD, mapped for reading, for gsym_fd_unmap;
 *  *SIZE is their number.  NULL with errno set on failure: EISDIR for a folder,
 *  EINVAL for a device or pipe.  NULL with errno 0 for an empty file.
 *
 *  Another program may write to the file at any time: two reads of a byte can
 *  differ.  Zeros follow the bytes, a page at least of which no program
 *  changes: a string that begins in the file ends there at the latest.  If
 *  another program cuts the file short, reading the bytes ends the process
 *  (SIGBUS). */
const uint8_t *gsym_fd_map(int fd, size_t *size);
/** Undo gsym_fd_map; MAP may be NULL. */
void gsym_fd_unmap(const void *map, size_t size);
/** The bytes of address space that a mapping of SIZE bytes takes, with the
 *  zeros that follow. */
size_t gsym_fd_room(size_t size);

/** What was read of a file. */
struct gsym_fd_bytes {
	GSYM_VEC(char);
};

/** Append what FD holds from its offset on to BYTES.  FD may be a pipe, or a
 *  file in /proc, which has no size that could be asked for.  False, with errno
 *  set, if it cannot be read; ENOMEM without memory. */
bool gsym_fd_read_to_end(int fd, struct gsym_fd_bytes *bytes);

/* Files at the paths of a process, below its root.  Maps may come from a
 * stranger, so no path leads out of the root. */

/** Open the regular file PATH as a process does whose root is the folder ROOT:
 *  ".." and symbolic links do not lead out of ROOT.  On kernels older than 5.6
 *  links are not followed, and ".." is refused.  "" is the root of this
 *  process.  Returns a descriptor for reading; -1 with errno set on failure, as
 *  gsym_fd_open_file. */
int gsym_fd_open_below(const char *root, const char *path);

#endif
