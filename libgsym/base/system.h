/* SPDX-License-Identifier: MIT */
/*
 * base/system.h - what differs between systems: functions that some C libraries
 * lack, and services that kernels offer in different ways.  Knows nothing of
 * what they are used for.
 *
 * base/system.c, base/system.h and base/system_watch.h are the only files that
 * test which system they are compiled for; the build chooses between the files
 * tools/common/sandbox_*.c, between the files libgsym/process/self_*.c, and
 * whether base/system_windows takes part: the calls of POSIX for Windows.
 * "config.h" has to be included first.
 */
#ifndef GSYM_BASE_SYSTEM_H
#define GSYM_BASE_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions and constants that some C libraries lack ------------------ */

#if !HAVE_DECL_MEMRCHR
/** The last byte C of the SIZE bytes at BYTES; NULL if there is none. */
static inline void *system_memrchr(const void *bytes, int c, size_t size)
{
	const unsigned char *at = bytes;

	while (size--)
		if (at[size] == (unsigned char)c)
			return (void *)(uintptr_t)(at + size);
	return NULL;
}
#define memrchr system_memrchr
#endif

#if !HAVE_DECL_REALLOCARRAY
/** As realloc, for COUNT elements of SIZE bytes. */
static inline void *system_reallocarray(void *p, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, count * size);
}
#define reallocarray system_reallocarray
#endif

/** As vsnprintf; %m in FORMAT is the text of errno, for which strerror would
 *  use a buffer that threads share. */
int gsym_system_print(char *to, size_t size, const char *format, va_list args);

/* An error that some systems never return. */
#ifndef ETIME
#define ETIME (-1)
#endif

/** Flags of open for a folder in which files are found and made; its names
 *  cannot be listed through the descriptor. */
#if defined(O_PATH)
#define SYSTEM_FOLDER (O_PATH | O_DIRECTORY)
#elif defined(O_SEARCH)
#define SYSTEM_FOLDER (O_SEARCH | O_DIRECTORY)
#else
#define SYSTEM_FOLDER (O_RDONLY | O_DIRECTORY)
#endif

/* ---- files --------------------------------------------------------------- */

#ifdef _WIN32
enum { SYSTEM_HAS_OWNERS = 0 };
#define SYSTEM_NOT_IN_NAMES "/\\:"
#else
/** Whether the status of a file tells which user owns it. */
enum { SYSTEM_HAS_OWNERS = 1 };
/** What separates the parts of paths, which no name of a file has. */
#define SYSTEM_NOT_IN_NAMES "/"
#endif

#ifdef __APPLE__
#define SYSTEM_CHANGED(status) ((status)->st_mtimespec)
#else
/** When the file with STATUS, a struct stat, was changed: a struct timespec. */
#define SYSTEM_CHANGED(status) ((status)->st_mtim)
#endif

/** Whether NAME, of an input, is the name of a file in a folder: no path, which
 *  could lead to another folder. */
static inline bool gsym_system_is_name(const char *name)
{
	return *name && !name[strcspn(name, SYSTEM_NOT_IN_NAMES)];
}

/** Find the file NAME in FOLDER: a descriptor with O_PATH, so that a device or
 *  a pipe is not opened.  FLAGS may have O_NOFOLLOW.  Where there is no O_PATH,
 *  a regular file or a folder is opened for reading, and EINVAL is the errno
 *  for all others.  Returns -1 with errno set on failure. */
int gsym_system_find(int folder, const char *name, int flags);

/** Find the file PATH as gsym_system_find does, as if FOLDER were the root:
 *  neither ".." nor links lead out of it.  Returns -1 on failure; ENOSYS: the
 *  kernel cannot do that. */
int gsym_system_find_below(int folder, const char *path);

/** Open the file FOUND, which gsym_system_find returned, with FLAGS, for
 *  reading.  Returns another descriptor, or -1 with errno set; ENOENT: the
 *  system cannot do that at the moment, such as Linux without /proc. */
int gsym_system_open_found(int found, int flags);

enum { SYSTEM_PATH_SIZE = 32 };
/** Write a path of the open file FD of this process to PATH. */
void gsym_system_path_of(char path[SYSTEM_PATH_SIZE], int fd);

/** Exchange the files with the names A and B in FOLDER, at once.  Returns
 *  whether that succeeded; else errno is set, to ENOSYS where the system cannot
 *  do it. */
bool gsym_system_exchange(int folder, const char *a, const char *b);

/** Enlarge the file FD from SIZE to SIZE + MORE bytes, for which the disk has
 *  room from then on, unless its file system copies what is written to another
 *  place.  Returns whether that succeeded. */
bool gsym_system_reserve(int fd, uint64_t size, uint64_t more);

/** Map the SIZE bytes of the file FD for reading, at the start of ROOM bytes,
 *  for munmap with ROOM.  What follows the pages of the file is 0; on Windows
 *  and in WebAssembly nothing follows.  NULL with errno set on failure. */
void *gsym_system_map(int fd, size_t size, size_t room);

/** Open a file in FOLDER that has no name, or loses it at once, and goes away
 *  when it is closed.  Returns a descriptor, or -1 with errno set. */
int gsym_system_nameless(const char *folder);

/** Make a file in memory; where the system has none, in /tmp, without a name.
 *  Returns a descriptor, or -1 with errno set. */
int gsym_system_memory_file(const char *name);

/* ---- processes ----------------------------------------------------------- */

/** As pipe, with O_CLOEXEC and, if FLAGS say so, O_NONBLOCK for both ends. */
bool gsym_system_pipe(int ends[2], int flags);

/** Have the kernel send the signal NUMBER to this process when its parent ends.
 *  Where the kernel cannot do that, the process goes on. */
void gsym_system_end_with_parent(int number);

/** Close the descriptors FIRST to LAST; AT_START: when this process becomes
 *  another program.  Where the kernel has no call for this: those below
 *  1024. */
void gsym_system_close_files(int first, int last, bool at_start);

/** Write the path of the program of this process to PATH, which has SIZE bytes.
 *  Returns the length; 0 if it is not known or too long. */
size_t gsym_system_program(char *path, size_t size);

/** The number of processors that this process may use; 1 at least. */
unsigned gsym_system_processors(void);

/** Fill the SIZE bytes at BYTES, 256 at most, with random numbers.  False if
 *  there are none, also if the kernel has none yet. */
bool gsym_system_random(void *bytes, size_t size);

enum { SYSTEM_BOOT_ID = 36 };
/** Write the ID that the system has from its start to its end, a UUID in text
 *  without a NUL, to ID, and the number of the space of process IDs to SPACE:
 *  two processes for which both are equal mean the same process by a number.
 *  False if the system does not tell. */
bool gsym_system_boot_id(char id[SYSTEM_BOOT_ID], uint32_t *space);

#endif
