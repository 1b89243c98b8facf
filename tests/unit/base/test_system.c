/* SPDX-License-Identifier: MIT */
/*
 * base/system and base/fd: what system.h promises, whatever the system has.
 * test_system is compiled for this system; test_system_less, from the same
 * tests, has in place of base/system.c what a system gets that has neither
 * O_PATH nor one of the calls below.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef TEST_LESS
#include <sys/prctl.h>
#include <sys/syscall.h>
#undef HAVE_DECL_MEMRCHR
#define HAVE_DECL_MEMRCHR 0
#undef HAVE_DECL_REALLOCARRAY
#define HAVE_DECL_REALLOCARRAY 0
#undef HAVE_GETRANDOM
#undef HAVE_MEMFD_CREATE
#undef HAVE_PIPE2
#undef HAVE_SCHED_GETAFFINITY
#undef O_PATH
#undef PR_SET_PDEATHSIG
#undef SYS_close_range
#undef SYS_openat2
#undef SYS_renameat2
#include "base/fd.c"
#include "base/system.c"
#endif
#include "base/fd.h"
#include "base/system.h"

#include <criterion/criterion.h>

static char folder[] = "/tmp/gsym-test-XXXXXX";

/* A folder with the file "file" ("text"), the pipe "pipe", and the folder
 * "in", which has the link "out" to the file. */
static void make_folder(void)
{
	int at, fd;

	cr_assert_not_null(mkdtemp(folder));
	at = open(folder, O_RDONLY | O_DIRECTORY);
	cr_assert_geq(at, 0);
	fd = openat(at, "file", O_WRONLY | O_CREAT, 0600);
	cr_assert_eq(write(fd, "text", 4), 4);
	close(fd);
	cr_assert_eq(mkfifoat(at, "pipe", 0600), 0);
	cr_assert_eq(mkdirat(at, "in", 0700), 0);
	cr_assert_eq(symlinkat("../file", at, "in/out"), 0);
	close(at);
}

static void remove_folder(void)
{
	static const char *const names[] = { "file", "pipe", "in/out",
					     "empty" };
	int at = open(folder, O_RDONLY | O_DIRECTORY);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(at, names[i], 0);
	unlinkat(at, "in", AT_REMOVEDIR);
	close(at);
	rmdir(folder);
}

TestSuite(system, .init = make_folder, .fini = remove_folder);

static bool holds_text(int fd)
{
	char bytes[8];

	return gsym_fd_read_at(fd, bytes, sizeof(bytes), 0) == 4 &&
	       memcmp(bytes, "text", 4) == 0;
}

Test(system, memrchr)
{
	const char text[] = "a/b/c";

	cr_expect_eq(memrchr(text, '/', 5), text + 3);
	cr_expect_eq(memrchr(text, '/', 3), text + 1);
	cr_expect_null(memrchr(text, '/', 1));
	cr_expect_null(memrchr(text, '/', 0));
}

Test(system, reallocarray)
{
	/* The compiler must not see that it is too much. */
	volatile size_t much = SIZE_MAX / 4;
	void *p = reallocarray(NULL, 3, 8);

	cr_expect_not_null(p);
	free(p);
	errno = 0;
	cr_expect_null(reallocarray(NULL, much, 8));
	cr_expect_eq(errno, ENOMEM);
}

Test(system, files_are_opened)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/file", folder);
	fd = gsym_fd_open_file(path);
	cr_assert_geq(fd, 0);
	cr_expect(holds_text(fd));
	cr_expect_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	snprintf(path, sizeof(path), "%s/none", folder);
	cr_expect_lt(gsym_fd_open_file(path), 0);
	cr_expect_eq(errno, ENOENT);
}

/* A writer waits for a reader of the pipe: it still waits. */
Test(system, pipes_and_folders_are_not_opened)
{
	static const char *const names[] = { "pipe", "in" };
	char path[64];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		errno = 0;
		cr_expect_lt(gsym_fd_open_file(path), 0);
		cr_expect_eq(errno, EINVAL, "%s", names[i]);
	}
	snprintf(path, sizeof(path), "%s/pipe", folder);
	cr_expect_lt(open(path, O_WRONLY | O_NONBLOCK), 0);
	cr_expect_eq(errno, ENXIO);
}

/* Map NAME in the folder; errno is what gsym_fd_map left. */
static const uint8_t *map(const char *name, size_t *size)
{
	const uint8_t *bytes;
	char path[64];
	int fd, error;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CREAT, 0600);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_NONBLOCK);
	cr_assert_geq(fd, 0);
	errno = ENXIO;
	bytes = gsym_fd_map(fd, size);
	error = errno;
	close(fd);
	errno = error;
	return bytes;
}

/* A string ends behind the file at the latest, also if the file fills its pages
 * and grows. */
Test(system, zeros_follow_a_mapped_file)
{
	size_t size, page = (size_t)sysconf(_SC_PAGESIZE);
	char path[64], *letters = malloc(2 * page);
	const uint8_t *whole, *part;
	int fd;

	cr_assert_not_null(letters);
	memset(letters, 'x', 2 * page);
	snprintf(path, sizeof(path), "%s/letters", folder);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, letters, page - 1), (ssize_t)page - 1);
	part = gsym_fd_map(fd, &size);
	cr_assert_not_null(part);
	cr_expect_eq(strlen((const char *)part), page - 1);
	cr_assert_eq(write(fd, letters, page + 1), (ssize_t)page + 1);
	cr_expect_eq(strlen((const char *)part), page);
	gsym_fd_unmap(part, size);
	whole = gsym_fd_map(fd, &size);
	cr_assert_eq(size, 2 * page);
	cr_expect_eq(strlen((const char *)whole), size);
	gsym_fd_unmap(whole, size);
	close(fd);
	free(letters);
}

Test(system, files_are_mapped)
{
	struct stat st;
	size_t size;
	const uint8_t *bytes = map("file", &size);
	char path[64];

	cr_assert_not_null(bytes);
	snprintf(path, sizeof(path), "%s/file", folder);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(size, (size_t)st.st_size);
	gsym_fd_unmap(bytes, size);
	cr_expect_null(map("in", &size));
	cr_expect_eq(errno, EISDIR);
	cr_expect_null(map("pipe", &size));
	cr_expect_eq(errno, EINVAL);
	size = 7;
	cr_expect_null(map("empty", &size));
	cr_expect_eq(errno, 0);
	cr_expect_eq(size, 0);
}

Test(system, no_path_leads_out_of_a_root)
{
	char root[64];
	int fd;

	fd = gsym_fd_open_below(folder, "/file");
	cr_assert_geq(fd, 0);
	cr_expect(holds_text(fd));
	close(fd);
	cr_expect_lt(gsym_fd_open_below(folder, "/pipe"), 0);
	cr_expect_lt(gsym_fd_open_below(folder, "/none"), 0);
	snprintf(root, sizeof(root), "%s/in", folder);
	cr_expect_lt(gsym_fd_open_below(root, "/../file"), 0);
	cr_expect_lt(gsym_fd_open_below(root, "/out"), 0);
}

Test(system, path_of)
{
	char path[SYSTEM_PATH_SIZE];
	int fd = gsym_fd_open_below(folder, "file"), again;

	cr_assert_geq(fd, 0);
	gsym_system_path_of(path, fd);
	again = open(path, O_RDONLY);
	cr_assert_geq(again, 0);
	cr_expect(holds_text(again));
	close(again);
	close(fd);
}

Test(system, memory_file)
{
	int fd = gsym_system_memory_file("test");

	cr_assert_geq(fd, 0);
	cr_expect_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	cr_expect_eq(write(fd, "text", 4), 4);
	cr_expect(holds_text(fd));
	close(fd);
}

Test(system, pipe)
{
	int ends[2];
	char byte = 0;

	cr_assert(gsym_system_pipe(ends, O_NONBLOCK));
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(fcntl(ends[i], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
		cr_expect_eq(fcntl(ends[i], F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	}
	cr_expect_eq(write(ends[1], "x", 1), 1);
	cr_expect_eq(read(ends[0], &byte, 1), 1);
	cr_expect_eq(byte, 'x');
	close(ends[0]);
	close(ends[1]);
	cr_assert(gsym_system_pipe(ends, 0));
	cr_expect_eq(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
	close(ends[0]);
	close(ends[1]);
}

Test(system, exchange)
{
	int at = open(folder, O_RDONLY | O_DIRECTORY);
	struct stat st;

	/* The system may lack the call: then nothing has changed. */
	if (gsym_system_exchange(at, "file", "pipe")) {
		cr_expect_eq(fstatat(at, "pipe", &st, 0), 0);
		cr_expect(S_ISREG(st.st_mode));
	} else {
		cr_expect_eq(fstatat(at, "file", &st, 0), 0);
		cr_expect(S_ISREG(st.st_mode));
	}
	close(at);
}

Test(system, program)
{
	char path[4096], tiny[2];
	struct stat st;

	cr_assert(gsym_system_program(path, sizeof(path)));
	cr_expect_eq(stat(path, &st), 0);
	cr_expect(st.st_mode & 0100);
	cr_expect_not(gsym_system_program(tiny, sizeof(tiny)));
}

Test(system, random)
{
	uint64_t a = 0, b = 0;

	cr_expect(gsym_system_random(&a, sizeof(a)));
	cr_expect(gsym_system_random(&b, sizeof(b)));
	cr_expect_neq(a, b);
}

Test(system, processors)
{
	cr_expect_geq(gsym_system_processors(), 1);
}

Test(system, files_are_closed)
{
	int a = open("/dev/null", O_RDONLY), b = dup(a);

	cr_assert_eq(b, a + 1);
	fcntl(a, F_SETFD, 0);
	gsym_system_close_files(a, a, true);
	cr_expect_eq(fcntl(a, F_GETFD), FD_CLOEXEC);
	cr_expect_eq(fcntl(b, F_GETFD), 0);
	gsym_system_close_files(b, a, false);
	cr_expect_eq(fcntl(b, F_GETFD), 0);
	gsym_system_close_files(b, b, false);
	cr_expect_lt(fcntl(b, F_GETFD), 0);
	cr_expect_geq(fcntl(a, F_GETFD), 0);
	close(a);
}

static int print(char *to, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = gsym_system_print(to, size, format, args);
	va_end(args);
	return length;
}

Test(system, text_of_errno)
{
	char text[64], want[64];

	errno = ENOENT;
	snprintf(want, sizeof(want), "cannot open 'x': %s", strerror(ENOENT));
	print(text, sizeof(text), "cannot %s '%s': %m", "open", "x");
	cr_expect_str_eq(text, want);
}
