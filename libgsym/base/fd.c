/* SPDX-License-Identifier: MIT */
/* Reads a file to its end. */
#include "base/fd.h"

#include <sys/stat.h>

/* How many bytes to read of FD at once: if its size is known, one more than it
 * has, so that the first call reads all and the second one meets the end. */
static size_t find_step(int fd)
{
	enum { STEP = 1 << 16 };
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
			       (uint64_t)st.st_size < SIZE_MAX
		       ? (size_t)st.st_size + 1
		       : STEP;
}

bool gsym_fd_read_to_end(int fd, struct gsym_fd_bytes *bytes)
{
	size_t step = find_step(fd);
	ssize_t got;

	do {
		if (bytes->count == bytes->capacity &&
		    !gsym_vec_reserve(bytes, step)) {
			errno = ENOMEM;
			return false;
		}
		got = read(fd, bytes->items + bytes->count,
			   bytes->capacity - bytes->count);
		if (got > 0)
			bytes->count += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0;
}
