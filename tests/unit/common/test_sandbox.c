/* SPDX-License-Identifier: MIT */
/* What a process in the sandbox can still do, and what it cannot. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/outfile.h"
#include "common/report.h"
#include "common/sandbox.h"

static char folder[] = "/tmp/test_sandbox.XXXXXX";

static void set_up(void)
{
	report_start("test");
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	cr_assert(mkdir("out", 0777) == 0 && mkdir("other", 0777) == 0);
}

static void tear_down(void)
{
	static const char *const files[] = { "out/new", "other/new", "late" };

	for (size_t i = 0; i < 3; i++)
		unlink(files[i]);
	rmdir("out");
	rmdir("other");
	rmdir(folder);
}

TestSuite(sandbox, .init = set_up, .fini = tear_down);

/* Run CHECK in a child that is in a sandbox with the folder "out", where
 * processes can be made if PROCESSES.  Returns the exit status. */
static int run(int (*check)(void), bool processes)
{
	pid_t child = fork();
	int status;

	cr_assert(child >= 0);
	if (child == 0) {
		int out = outfile_folder("out");

		sandbox_enter(&(struct sandbox){ .mode = SANDBOX_ON,
						 .folders = &out,
						 .folder_count = 1,
						 .processes = processes });
		close(out);
		_exit(check());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Sanitizers switch the sandbox off, and take terabytes of addresses. */
static bool is_sanitized(void)
{
	const char *flags = getenv("GSYM_SANITIZE");

	return flags && *flags;
}

/* Some machines, and emulators, have neither kind of sandbox. */
static bool has_seccomp(void)
{
	return !is_sanitized() &&
	       prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 &&
	       syscall(SYS_seccomp, 2, 0, &(unsigned){ 0x7fff0000 }) == 0;
}

static bool has_landlock(void)
{
	return !is_sanitized() && syscall(444, NULL, (size_t)0, 1) > 0;
}

static int check_files(void)
{
	int fd = open("out/new", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || write(fd, "x", 1) != 1 || ftruncate(fd, 0) != 0)
		return 1;
	close(fd);
	if (rename("out/new", "out/newer") != 0 || unlink("out/newer") != 0)
		return 2;
	if (open("other/new", O_WRONLY | O_CREAT, 0666) >= 0 ||
	    errno != EACCES)
		return 3;
	if (mkdir("other/folder", 0777) == 0 || rmdir("other") == 0 ||
	    rename("other", "another") == 0 || symlink("x", "other/y") == 0)
		return 4;
	/* Reading needs no right. */
	return open("/etc/passwd", O_RDONLY) >= 0 ? 0 : 5;
}

Test(sandbox, files)
{
	if (!has_landlock())
		cr_skip("no Landlock here");
	cr_expect_eq(run(check_files, false), 0);
}

static void *nothing(void *unused)
{
	return unused;
}

static int check_calls(void)
{
	static char name[] = "true", *const args[] = { name, NULL };
	pthread_t thread;

	execv("/bin/true", args);
	if (errno != EPERM && errno != EACCES)
		return 1;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 2;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 || errno != EPERM)
		return 3;
	if (fork() >= 0)
		return 4;
	if (pthread_create(&thread, NULL, nothing, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		return 5;
	return 0;
}

Test(sandbox, calls)
{
	if (!has_seccomp())
		cr_skip("no seccomp here");
	cr_expect_eq(run(check_calls, false), 0);
}

static int check_processes(void)
{
	static char name[] = "true", *const args[] = { name, NULL };
	int status;
	pid_t child = fork();

	if (child == 0) {
		execv("/bin/true", args);
		_exit(socket(AF_INET, SOCK_STREAM, 0) < 0 ? 7 : 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 2;
}

Test(sandbox, processes)
{
	if (!has_seccomp())
		cr_skip("no seccomp here");
	cr_expect_eq(run(check_processes, true), 0);
}

/* Emulators of other machines do not pass limits on. */
static bool has_limits(void)
{
	const struct rlimit limit = { 64 << 20, 64 << 20 };
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(setrlimit(RLIMIT_DATA, &limit) == 0 && !malloc(256 << 20)
			      ? 0
			      : 1);
	return waitpid(child, &status, 0) == child && status == 0;
}

Test(sandbox, memory)
{
	pid_t child;
	int status;

	if (is_sanitized() || !has_limits())
		cr_skip("limits of memory have no effect here");
	child = fork();
	if (child == 0) {
		sandbox_memory(64 << 20);
		_exit(malloc(256 << 20) ? 1 : malloc(1 << 20) ? 0 : 2);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The file that is being written is removed. */
Test(sandbox, time)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		fclose(stderr);
		outfile_open("late", NULL);
		sandbox_time(1);
		for (;;)
			pause();
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	cr_expect(access(".late.gsym-new.0", F_OK) != 0 && errno == ENOENT);
}
