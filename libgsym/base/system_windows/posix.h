/* SPDX-License-Identifier: MIT */
/*
 * base/system_windows/posix.h - what libgsym and the tools use of POSIX, for
 * Windows.  The build has the compiler read this file before each file, and
 * makes empty headers in place of those that Windows lacks (configure).
 *
 * Texts and paths are UTF-8.  Descriptors are those of the C library, also for
 * folders, and files are never changed by "text mode".  What Windows cannot do
 * fails with ENOSYS: other processes, signals, limits, symbolic links.  Inputs
 * may name any path, so paths of devices and servers fail with ENODEV, whoever
 * gave them.
 */
#ifndef GSYM_BASE_SYSTEM_WINDOWS_POSIX_H
#define GSYM_BASE_SYSTEM_WINDOWS_POSIX_H

#include "config.h"

#define _CRT_RAND_S
#ifndef _POSIX_THREAD_SAFE_FUNCTIONS
#define _POSIX_THREAD_SAFE_FUNCTIONS 200809L
#endif

#include <direct.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- files --------------------------------------------------------------- */

#undef dev_t
#define dev_t gsym_windows_dev
#undef ino_t
#define ino_t gsym_windows_ino
typedef uint64_t dev_t, ino_t;
typedef unsigned uid_t, gid_t;

#undef stat
#define stat gsym_windows_stat
struct stat {
	dev_t st_dev;
	ino_t st_ino;
	unsigned st_mode;
	unsigned st_nlink;
	uid_t st_uid;
	gid_t st_gid;
	int64_t st_size, st_blocks;
	struct timespec st_atim, st_mtim, st_ctim;
};
#undef st_mtime
#define st_mtime st_mtim.tv_sec

#undef S_ISREG
#undef S_ISDIR
#undef S_ISLNK
#undef S_ISFIFO
#undef S_ISCHR
#undef S_ISSOCK
#undef S_ISBLK
#define S_ISREG(mode) (((mode)&0170000) == 0100000)
#define S_ISDIR(mode) (((mode)&0170000) == 0040000)
#define S_ISLNK(mode) (((mode)&0170000) == 0120000)
#define S_ISFIFO(mode) (((mode)&0170000) == 0010000)
#define S_ISCHR(mode) (((mode)&0170000) == 0020000)
#define S_ISSOCK(mode) (((mode)&0170000) == 0140000)
#define S_ISBLK(mode) (((mode)&0170000) == 0060000)

/* Flags of open that the C library lacks. */
#define O_CLOEXEC O_NOINHERIT
#define O_DIRECTORY 0x0100000
#define O_NOFOLLOW 0x0200000
#define O_NONBLOCK 0x0400000
#define O_NOCTTY 0
#define O_TMPFILE 0x1000000

enum {
	AT_FDCWD = -100,
	AT_SYMLINK_NOFOLLOW = 0x100,
	AT_REMOVEDIR = 0x200,
	F_DUPFD_CLOEXEC = 0,
	F_GETFD,
	F_SETFD,
	F_GETFL,
	F_SETFL,
	FD_CLOEXEC = 1,
	LOCK_EX = 2,
	LOCK_NB = 4,
};
#define F_DUPFD_CLOEXEC F_DUPFD_CLOEXEC

#undef access
#undef fdopen
#undef fopen
#undef fstat
#undef isatty
#undef ftruncate
#undef lseek
#undef lstat
#undef mkdir
#undef open
#undef rename
#undef unlink
#undef rmdir
#define access gsym_windows_access
#define faccessat gsym_windows_faccessat
#define fchmod gsym_windows_fchmod
#define fcntl gsym_windows_fcntl
#define fdopen gsym_windows_fdopen
#define flock gsym_windows_flock
#define fopen gsym_windows_fopen
#define fstat gsym_windows_fstat
#define fstatat gsym_windows_fstatat
#define fsync gsym_windows_fsync
#define isatty gsym_windows_isatty
#define ftruncate gsym_windows_ftruncate
#define linkat gsym_windows_linkat
#define lseek _lseeki64
#define lstat gsym_windows_lstat
#define mkdir gsym_windows_mkdir
#define mkdirat gsym_windows_mkdirat
#define mkostemp gsym_windows_mkostemp
#define open gsym_windows_open
#define openat gsym_windows_openat
#define posix_fallocate gsym_windows_fallocate
#define pread gsym_windows_pread
#define pwrite gsym_windows_pwrite
#define readlink gsym_windows_readlink
#define realpath gsym_windows_realpath
#define rename gsym_windows_rename
#define renameat gsym_windows_renameat
#define rmdir gsym_windows_rmdir
#define symlinkat gsym_windows_symlinkat
#define unlink gsym_windows_unlink
#define unlinkat gsym_windows_unlinkat

int access(const char *path, int mode);
int faccessat(int folder, const char *path, int mode, int flags);
int fchmod(int fd, unsigned mode);
int fcntl(int fd, int command, ...);
FILE *fdopen(int fd, const char *mode);
int flock(int fd, int operation);
FILE *fopen(const char *path, const char *mode);
int fstat(int fd, struct stat *ret);
int fstatat(int folder, const char *path, struct stat *ret, int flags);
int fsync(int fd);
/* Consoles alone; NUL is none. */
int isatty(int fd);
int ftruncate(int fd, int64_t size);
int linkat(int from, const char *path, int to, const char *target, int flags);
int lstat(const char *path, struct stat *ret);
int mkdir(const char *path, unsigned mode);
int mkdirat(int folder, const char *path, unsigned mode);
int mkostemp(char *path, int flags);
int open(const char *path, int flags, ...);
int openat(int folder, const char *path, int flags, ...);
/* An errno, or 0. */
int posix_fallocate(int fd, int64_t offset, int64_t size);
ssize_t pread(int fd, void *bytes, size_t size, int64_t offset);
ssize_t pwrite(int fd, const void *bytes, size_t size, int64_t offset);
ssize_t readlink(const char *path, char *target, size_t size);
/* With slashes, as all paths that the functions return; PATH itself if the file
 * is on a server. */
char *realpath(const char *path, char *resolved);
int rename(const char *path, const char *target);
int renameat(int from, const char *path, int to, const char *target);
int rmdir(const char *path);
int stat(const char *path, struct stat *ret);
int symlinkat(const char *target, int folder, const char *path);
int unlink(const char *path);
int unlinkat(int folder, const char *path, int flags);

/* ---- folders ------------------------------------------------------------- */

#define DIR struct gsym_windows_dir
#define dirent gsym_windows_dirent
#define closedir gsym_windows_closedir
#define dirfd gsym_windows_dirfd
#define fdopendir gsym_windows_fdopendir
#define opendir gsym_windows_opendir
#define readdir gsym_windows_readdir
/* 260 units of UTF-16, and a NUL. */
struct dirent {
	char d_name[3 * 260 + 1];
};
DIR;
DIR *fdopendir(int fd);
int dirfd(DIR *dir);
DIR *opendir(const char *path);
struct dirent *readdir(DIR *dir);
int closedir(DIR *dir);

/* ---- memory -------------------------------------------------------------- */

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 0x20
#define MAP_FAILED ((void *)-1)
#define mmap gsym_windows_mmap
#define munmap gsym_windows_munmap
#define posix_memalign gsym_windows_memalign

/* OFFSET is a multiple of sysconf(_SC_PAGESIZE). */
void *mmap(void *at, size_t size, int protection, int flags, int fd,
	   int64_t offset);
/* The whole of a mapping. */
int munmap(void *at, size_t size);
/* As malloc: the alignment is no promise here. */
int posix_memalign(void **ret, size_t alignment, size_t size);

/* ---- processes and signals ----------------------------------------------- */

#undef _SC_NPROCESSORS_ONLN
#undef _SC_PAGESIZE
#undef SIG_BLOCK
#undef SIG_SETMASK
#undef SIG_UNBLOCK
#undef WNOHANG
enum {
	_SC_PAGESIZE = 1,
	_SC_NPROCESSORS_ONLN,
	WNOHANG = 1,
	RLIMIT_CPU = 0,
	RLIMIT_FSIZE,
	RLIMIT_DATA,
	RLIMIT_CORE,
	RLIMIT_NOFILE,
	PRIO_PROCESS = 0,
	SIG_BLOCK = 0,
	SIG_UNBLOCK,
	SIG_SETMASK,
	SA_RESETHAND = 1,
	SA_SIGINFO = 2,
	SIGHUP = 1,
	SIGQUIT = 3,
	SIGBUS = 7,
	SIGKILL = 9,
	SIGPIPE = 13,
	SIGALRM = 14,
	SIGCHLD = 17,
	SIGXCPU = 24,
	SIGXFSZ = 25,
	POLLIN = 1,
	POLLOUT = 4,
	POLLERR = 8,
	POLLHUP = 16,
};
#define _SC_NPROCESSORS_ONLN _SC_NPROCESSORS_ONLN
#define WIFEXITED(status) (((status)&0x7f) == 0)
#define WEXITSTATUS(status) ((status) >> 8 & 0xff)
#define WIFSIGNALED(status) (!WIFEXITED(status))
#define WTERMSIG(status) ((status)&0x7f)

typedef uint64_t rlim_t;
struct rlimit {
	rlim_t rlim_cur, rlim_max;
};
typedef unsigned gsym_windows_sigset;
#define sigset_t gsym_windows_sigset
#define siginfo_t gsym_windows_siginfo
typedef struct {
	void *si_addr;
} siginfo_t;
#define sigaction gsym_windows_sigaction
struct sigaction {
	void (*sa_handler)(int);
	/* Of signals that never come. */
	void (*sa_sigaction)(int, siginfo_t *, void *);
	sigset_t sa_mask;
	int sa_flags;
};
struct pollfd {
	int fd;
	short events, revents;
};

#undef raise
#undef signal
#undef alarm
#define alarm gsym_windows_alarm
#define execv gsym_windows_execv
#define execvp gsym_windows_execvp
#define fork gsym_windows_fork
#define getentropy gsym_windows_getentropy
#define getrlimit gsym_windows_getrlimit
#define kill gsym_windows_kill
#define poll gsym_windows_poll
#define raise gsym_windows_raise
#define setenv gsym_windows_setenv
#define setpgid gsym_windows_setpgid
#define setpriority gsym_windows_setpriority
#define setrlimit gsym_windows_setrlimit
#define setsid gsym_windows_setsid
#define signal gsym_windows_signal
#define sigprocmask gsym_windows_sigprocmask
#define strsignal gsym_windows_strsignal
#define sysconf gsym_windows_sysconf
#define unsetenv gsym_windows_unsetenv
#define waitpid gsym_windows_waitpid

unsigned alarm(unsigned seconds);
int execv(const char *path, char *const *args);
int execvp(const char *path, char *const *args);
pid_t fork(void);
int getentropy(void *bytes, size_t size);
int getrlimit(int resource, struct rlimit *limit);
/* NUMBER 0 alone: whether there is the process. */
int kill(pid_t process, int number);
/* One descriptor may be waited for; all can be written to. */
int poll(struct pollfd *fds, unsigned count, int milliseconds);
int raise(int number);
int setenv(const char *name, const char *value, int replace);
int setpgid(pid_t process, pid_t group);
int setpriority(int which, int who, int nice);
int setrlimit(int resource, const struct rlimit *limit);
pid_t setsid(void);
/* SIGALRM is refused, as there is no alarm; other signals never come. */
int sigaction(int number, const struct sigaction *action,
	      struct sigaction *before);
void (*signal(int number, void (*handler)(int)))(int);
int sigprocmask(int how, const sigset_t *set, sigset_t *before);
const char *strsignal(int number);
long sysconf(int name);
int unsetenv(const char *name);
pid_t waitpid(pid_t process, int *status, int flags);
static inline uid_t getuid(void)
{
	return 0;
}
static inline uid_t geteuid(void)
{
	return 0;
}
static inline gid_t getgid(void)
{
	return 0;
}
static inline gid_t getegid(void)
{
	return 0;
}
static inline pid_t getppid(void)
{
	return 0;
}
static inline int sigemptyset(sigset_t *set)
{
	*set = 0;
	return 0;
}
static inline int sigfillset(sigset_t *set)
{
	*set = ~0u;
	return 0;
}
static inline int sigaddset(sigset_t *set, int number)
{
	*set |= 1u << number;
	return 0;
}

/** Write the path of the program to PATH: see gsym_system_program. */
size_t gsym_windows_program(char *path, size_t size);

/* ---- texts --------------------------------------------------------------- */

#define getdelim gsym_windows_getdelim
#define memmem gsym_windows_memmem
#define stpcpy gsym_windows_stpcpy
#define strndup gsym_windows_strndup
#define strsep gsym_windows_strsep
#define strerror gsym_windows_strerror
#define strerror_r gsym_windows_strerror_r

ssize_t getdelim(char **line, size_t *room, int end, FILE *file);
void *memmem(const void *bytes, size_t size, const void *part, size_t length);
char *stpcpy(char *to, const char *from);
char *strndup(const char *text, size_t length);
/* ENOSYS: "not available on this system"; ENODEV: "a name of a device...". */
char *strerror(int error);
int strerror_r(int error, char *text, size_t size);
char *strsep(char **text, const char *separators);

/* Regular expressions: there are none. */
enum { REG_EXTENDED = 1, REG_NOSUB = 2, REG_NOMATCH = 1, REG_ESPACE = 12 };
typedef struct {
	size_t re_nsub;
} regex_t;
typedef struct {
	int rm_so, rm_eo;
} regmatch_t;
#define regcomp gsym_windows_regcomp
#define regerror gsym_windows_regerror
int regcomp(regex_t *regex, const char *pattern, int flags);
size_t regerror(int error, const regex_t *regex, char *text, size_t size);
static inline int regexec(const regex_t *regex, const char *text, size_t count,
			  regmatch_t *matches, int flags)
{
	(void)regex, (void)text, (void)count, (void)matches, (void)flags;
	return REG_NOMATCH;
}
static inline void regfree(regex_t *regex)
{
	(void)regex;
}

/* ---- what configure would find ------------------------------------------ */

#undef HAVE_MKOSTEMP
#define HAVE_MKOSTEMP 1

/* The C library has a function with this name, which nobody wants. */
#define tell gsym_windows_tell

/* The tools' function main gets its arguments in UTF-8: see main.c. */
#define main gsym_windows_main
int main(int argc, char **argv);

#endif
