/* SPDX-License-Identifier: MIT */
/* The services of system.h, as each kernel offers them.  A service that no
 * other system lacks is not here. */
#include "config.h"

#include "base/system.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#elif defined(__FreeBSD__)
#include <sys/procctl.h>
#include <sys/sysctl.h>
#endif
#ifdef HAVE_SYS_RANDOM_H
#include <sys/random.h>
#endif

/* ---- texts --------------------------------------------------------------- */

#if defined(__linux__) || defined(__wasi__)
int gsym_system_print(char *to, size_t size, const char *format, va_list args)
{
	return vsnprintf(to, size, format, args);
}
#else
int gsym_system_print(char *to, size_t size, const char *format, va_list args)
{
	const char *mark = strstr(format, "%m");
	char whole[512], text[128];

	if (!mark)
		return vsnprintf(to, size, format, args);
	/* A text of the system has no '%'. */
	if (strerror_r(errno, text, sizeof(text)) != 0 || strchr(text, '%'))
		snprintf(text, sizeof(text), "error %d", errno);
	snprintf(whole, sizeof(whole), "%.*s%s%s", (int)(mark - format), format,
		 text, mark + 2);
	return vsnprintf(to, size, whole, args);
}
#endif

/* ---- files --------------------------------------------------------------- */

#ifndef O_PATH
/* Open the file NAME in FOLDER for reading if it is a regular file or a
 * folder, with the status ST. */
static int open_harmless(int folder, const char *name, int flags,
			 const struct stat *st)
{
	struct stat opened;
	int fd;

	errno = EINVAL;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return -1;
	fd = openat(folder, name,
		    flags | O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, &opened) == 0 &&
		       opened.st_dev == st->st_dev &&
		       opened.st_ino == st->st_ino))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}
#endif

int gsym_system_find(int folder, const char *name, int flags)
{
#ifdef O_PATH
	return openat(folder, name, flags | O_PATH | O_CLOEXEC);
#else
	struct stat st;
	int follow = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;

	if (fstatat(folder, name, &st, follow) < 0)
		return -1;
	return open_harmless(folder, name, flags, &st);
#endif
}

int gsym_system_find_below(int folder, const char *path)
{
#if defined(SYS_openat2) && defined(RESOLVE_IN_ROOT)
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

	/* EPERM is the answer of filters that do not know the call. */
	if (fd < 0 && errno == EPERM)
		errno = ENOSYS;
	return (int)fd;
#else
	(void)folder;
	(void)path;
	errno = ENOSYS;
	return -1;
#endif
}

int gsym_system_open_found(int found, int flags)
{
#if defined(O_EMPTY_PATH)
	return openat(found, "", flags | O_EMPTY_PATH | O_CLOEXEC);
#elif defined(O_PATH)
	char path[SYSTEM_PATH_SIZE];

	gsym_system_path_of(path, found);
	return open(path, flags | O_CLOEXEC);
#elif defined(F_DUPFD_CLOEXEC)
	/* FOUND is open for reading. */
	(void)flags;
	return fcntl(found, F_DUPFD_CLOEXEC, 0);
#else
	(void)found;
	(void)flags;
	errno = ENOENT;
	return -1;
#endif
}

void gsym_system_path_of(char path[SYSTEM_PATH_SIZE], int fd)
{
#if defined(__linux__)
	snprintf(path, SYSTEM_PATH_SIZE, "/proc/self/fd/%d", fd);
#else
	snprintf(path, SYSTEM_PATH_SIZE, "/dev/fd/%d", fd);
#endif
}

bool gsym_system_exchange(int folder, const char *a, const char *b)
{
#if defined(SYS_renameat2)
	/* RENAME_EXCHANGE of <linux/fs.h>. */
	return syscall(SYS_renameat2, folder, a, folder, b, 2) == 0;
#elif defined(RENAME_SWAP)
	return renameatx_np(folder, a, folder, b, RENAME_SWAP) == 0;
#else
	(void)folder;
	(void)a;
	(void)b;
	errno = ENOSYS;
	return false;
#endif
}

#ifdef __APPLE__
bool gsym_system_reserve(int fd, uint64_t size, uint64_t more)
{
	fstore_t store = { F_ALLOCATEALL, F_PEOFPOSMODE, 0, (off_t)more, 0 };

	return fcntl(fd, F_PREALLOCATE, &store) == 0 &&
	       ftruncate(fd, (off_t)(size + more)) == 0;
}
#elif defined(__linux__)
/* Not posix_fallocate, which asks for the kind of the file system: a sandbox
 * refuses that. */
bool gsym_system_reserve(int fd, uint64_t size, uint64_t more)
{
	enum { BLOCK = 4096 };
	static const char zero;

	if (fallocate(fd, 0, (off_t)size, (off_t)more) == 0)
		return true;
	if (errno != EOPNOTSUPP)
		return false;
	for (uint64_t at = size; at < size + more; at += BLOCK)
		if (pwrite(fd, &zero, 1, (off_t)at) != 1)
			return false;
	return ftruncate(fd, (off_t)(size + more)) == 0;
}
#else
bool gsym_system_reserve(int fd, uint64_t size, uint64_t more)
{
	return posix_fallocate(fd, (off_t)size, (off_t)more) == 0;
}
#endif

#if defined(_WIN32) || defined(__wasi__)
void *gsym_system_map(int fd, size_t size, size_t room)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	(void)room;
	return map != MAP_FAILED ? map : NULL;
}
#else
void *gsym_system_map(int fd, size_t size, size_t room)
{
	void *map = mmap(NULL, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	int error;

	if (map == MAP_FAILED)
		return NULL;
	if (mmap(map, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == map)
		return map;
	error = errno;
	munmap(map, room);
	errno = error;
	return NULL;
}
#endif

/* As mkstemp, with O_CLOEXEC.  Where the system has no such call, -1 with
 * ENOSYS. */
static int temporary(char *path)
{
#if defined(HAVE_MKOSTEMP)
	return mkostemp(path, O_CLOEXEC);
#else
	(void)path;
	errno = ENOSYS;
	return -1;
#endif
}

int gsym_system_nameless(const char *folder)
{
	char *path;
	int fd = -1;

#ifdef O_TMPFILE
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
#endif
	/* Not all file systems have files without a name. */
	if (fd >= 0)
		return fd;
	if (asprintf(&path, "%s/gsym.XXXXXX", folder) < 0) {
		errno = ENOMEM;
		return -1;
	}
	fd = temporary(path);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

int gsym_system_memory_file(const char *name)
{
#ifdef HAVE_MEMFD_CREATE
	return memfd_create(name, MFD_CLOEXEC);
#else
	(void)name;
	return gsym_system_nameless("/tmp");
#endif
}

/* ---- processes ----------------------------------------------------------- */

bool gsym_system_pipe(int ends[2], int flags)
{
/* macOS has pipe2 since version 27 only, whatever its headers declare. */
#if defined(HAVE_PIPE2) && !defined(__APPLE__)
	return pipe2(ends, O_CLOEXEC | flags) == 0;
#elif defined(HAVE_PIPE)
	/* Another thread that starts a program meanwhile hands the ends on. */
	if (pipe(ends) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
		fcntl(ends[i], F_SETFL, fcntl(ends[i], F_GETFL) | flags);
	}
	return true;
#else
	(void)ends;
	(void)flags;
	errno = ENOSYS;
	return false;
#endif
}

void gsym_system_end_with_parent(int number)
{
#if defined(PR_SET_PDEATHSIG)
	prctl(PR_SET_PDEATHSIG, number);
#elif defined(PROC_PDEATHSIG_CTL)
	procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &number);
#else
	(void)number;
#endif
}

void gsym_system_close_files(int first, int last, bool at_start)
{
	if (first > last)
		return;
#if defined(SYS_close_range)
	/* CLOSE_RANGE_CLOEXEC, since Linux 5.11. */
	if (syscall(SYS_close_range, (unsigned)first, (unsigned)last,
		    at_start ? 1u << 2 : 0) == 0)
		return;
#elif defined(CLOSE_RANGE_CLOEXEC)
	if (close_range((unsigned)first, (unsigned)last,
			at_start ? CLOSE_RANGE_CLOEXEC : 0) == 0)
		return;
#endif
	for (int fd = first; fd <= last && fd < 1024; fd++)
		if (at_start)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
		else
			close(fd);
}

size_t gsym_system_program(char *path, size_t size)
{
#if defined(__linux__)
	ssize_t length = readlink("/proc/self/exe", path, size);

	if (length <= 0 || (size_t)length >= size)
		return 0;
	path[length] = 0;
	return (size_t)length;
#elif defined(__APPLE__)
	uint32_t room = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;

	return _NSGetExecutablePath(path, &room) == 0 ? strlen(path) : 0;
#elif defined(__FreeBSD__)
	int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };

	/* SIZE counts the NUL. */
	return sysctl(name, 4, path, &size, NULL, 0) == 0 && size ? size - 1
								   : 0;
#elif defined(_WIN32)
	return gsym_windows_program(path, size);
#else
	(void)path;
	(void)size;
	return 0;
#endif
}

unsigned gsym_system_processors(void)
{
#ifdef HAVE_SCHED_GETAFFINITY
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return (unsigned)CPU_COUNT(&set);
#endif
#ifdef _SC_NPROCESSORS_ONLN
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	if (count > 0 && count <= INT32_MAX)
		return (unsigned)count;
#endif
	return 1;
}

bool gsym_system_random(void *bytes, size_t size)
{
#ifdef HAVE_GETRANDOM
	return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
#else
	return getentropy(bytes, size) == 0;
#endif
}

#if defined(__linux__)
bool gsym_system_boot_id(char id[SYSTEM_BOOT_ID], uint32_t *space)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool known = fd >= 0 &&
		     read(fd, id, SYSTEM_BOOT_ID) == SYSTEM_BOOT_ID &&
		     stat("/proc/self/ns/pid", &st) == 0;

	if (fd >= 0)
		close(fd);
	if (known)
		*space = (uint32_t)st.st_ino;
	return known;
}
#elif defined(__APPLE__)
bool gsym_system_boot_id(char id[SYSTEM_BOOT_ID], uint32_t *space)
{
	char text[SYSTEM_BOOT_ID + 1];
	size_t size = sizeof(text);

	if (sysctlbyname("kern.bootsessionuuid", text, &size, NULL, 0) != 0 ||
	    size != sizeof(text))
		return false;
	for (size_t i = 0; i < SYSTEM_BOOT_ID; i++)
		id[i] = text[i] >= 'A' && text[i] <= 'F'
				? (char)(text[i] - 'A' + 'a')
				: text[i];
	*space = 0;
	return true;
}
#else
bool gsym_system_boot_id(char id[SYSTEM_BOOT_ID], uint32_t *space)
{
	(void)id;
	(void)space;
	return false;
}
#endif
