/* SPDX-License-Identifier: MIT */
/* What a process in the sandbox can still do, and what it cannot. */
#include "config.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "common/run.h"

static char folder[] = "/tmp/test_sandbox.XXXXXX";

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	cr_assert(fd >= 0 && write(fd, "victim", 6) == 6);
	close(fd);
}

static void set_up(void)
{
	report_start("test");
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	cr_assert(mkdir("out", 0777) == 0 && mkdir("other", 0777) == 0);
	make_file("out/own");
	make_file("other/victim");
	make_file("other/second");
}

static void tear_down(void)
{
	static const char *const files[] = {
		"out/new", "out/newer", "out/own", "out/suid", "out/link",
		"other/new", "other/victim", "other/second", "late",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	rmdir("out");
	rmdir("other");
	rmdir(folder);
}

TestSuite(sandbox, .init = set_up, .fini = tear_down);

/* Run CHECK in a child that is in a sandbox with the folder "out", for
 * NEEDS.  Returns the exit status; 128 after a signal. */
static int run(int (*check)(void), unsigned needs)
{
	pid_t child = fork();
	int status;

	cr_assert(child >= 0);
	if (child == 0) {
		int out = outfile_folder("out");

		sandbox_enter(&(struct sandbox){
			.mode = SANDBOX_ON,
			.needs = needs,
			.outputs = &out,
			.output_count = 1,
		});
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

/* Some machines, and emulators, have no sandbox, or a part of it. */
static bool has_sandbox(void)
{
	return !is_sanitized() && sandbox_calls_possible() &&
	       sandbox_files_version();
}

/* ---- files --------------------------------------------------------------- */

static int check_files(void)
{
	int fd = open("out/new", O_WRONLY | O_CREAT | O_EXCL, 0666);

	if (fd < 0 || write(fd, "x", 1) != 1)
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
	if (open("other/victim", O_WRONLY) >= 0 ||
	    unlink("other/victim") == 0 ||
	    rename("other/victim", "out/new") == 0 ||
	    link("other/victim", "out/new") == 0)
		return 5;
	if (open("other/victim", O_RDONLY | O_TRUNC) >= 0 ||
	    truncate("other/victim", 0) == 0)
		return 6;
	/* Reading needs no right. */
	return open("other/victim", O_RDONLY) >= 0 ? 0 : 7;
}

Test(sandbox, files)
{
	struct stat st;

	if (!has_sandbox())
		cr_skip("no sandbox here");
	cr_expect_eq(run(check_files, 0), 0);
	cr_assert_eq(stat("other/victim", &st), 0);
	cr_expect(st.st_size == 6 && (st.st_mode & 07777) == 0600);
}

static int remove_folder(const char *path)
{
	return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

/* Of a folder whose own folders may be removed, nothing else changes. */
static int check_parent(void)
{
	if (open("other/new", O_WRONLY | O_CREAT, 0666) >= 0 ||
	    open("other/victim", O_WRONLY) >= 0 ||
	    unlink("other/victim") == 0 || errno != EACCES)
		return 1;
	if (mkdir("other/folder", 0777) == 0 ||
	    rename("other/own", "other/another") == 0)
		return 2;
	/* A folder that is not empty, and one that is no part of "other". */
	if (remove_folder("other/own") == 0 || errno != ENOTEMPTY ||
	    remove_folder("out") == 0 || errno != EACCES)
		return 3;
	return unlink("other/own/file") == 0 && remove_folder("other/own") == 0
		       ? 0 : 4;
}

Test(sandbox, parents)
{
	pid_t child;
	int status;

	if (!has_sandbox())
		cr_skip("no sandbox here");
	cr_assert_eq(mkdir("other/own", 0700), 0);
	make_file("other/own/file");
	child = fork();
	if (child == 0) {
		int own = outfile_folder("other/own");
		int parent = outfile_folder("other");

		sandbox_enter(&(struct sandbox){
			.mode = SANDBOX_ON,
			.outputs = &own,
			.output_count = 1,
			.parents = &parent,
			.parent_count = 1,
		});
		_exit(check_parent());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "0x%x",
		  status);
	cr_expect(access("other/own", F_OK) != 0);
}

/* check_files with the rules of VERSION of Landlock. */
static int check_version(int version)
{
	int out = outfile_folder("out");
	const struct sandbox s = { .outputs = &out, .output_count = 1 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    !sandbox_files_restrict(&s, version) ||
	    !sandbox_calls_restrict(SANDBOX_WRITE))
		return 100;
	return check_files();
}

/* Kernels with an older Landlock restrict files as much. */
Test(sandbox, older_versions)
{
	if (!has_sandbox())
		cr_skip("no sandbox here");
	for (int version = 1; version <= sandbox_files_version(); version++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(check_version(version));
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			  "version %d: 0x%x", version, status);
	}
}

/* A process that reads one file can open no other. */
Test(sandbox, one_file)
{
	pid_t child;
	int status;

	if (!has_sandbox())
		cr_skip("no sandbox here");
	child = fork();
	if (child == 0) {
		const char *const paths[] = { "other/victim", "missing", NULL };

		sandbox_read_files(SANDBOX_ON, paths);
		if (open("other/victim", O_RDONLY) < 0)
			_exit(1);
		if (open("other/victim", O_RDWR) >= 0)
			_exit(2);
		if (open("missing", O_RDONLY) >= 0 || errno != ENOENT)
			_exit(3);
		if (open("other/second", O_RDONLY) >= 0 || errno != EACCES)
			_exit(4);
		_exit(open("other", O_RDONLY) >= 0 ||
		      open("/proc/self/environ", O_RDONLY) >= 0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "0x%x",
		  status);
}

/* ---- calls --------------------------------------------------------------- */

/* A pipe to the test. */
static int ready = -1;

/* A terminal of this process, and files that are open before the sandbox. */
static int terminal = -1, victim = -1;

/* Wrong values: a call that is not refused fails with another errno, and does
 * no harm outside of this test. */
static const struct timespec no_time = { .tv_nsec = -1 };
static const struct rlimit more = { 1 << 30, 1 << 30 };
enum { NO_SIGNAL = 9999 };

/* In the table: the ID of the parent. */
enum { PARENT = 0x7ffffff1 };

/* Ways out of the sandbox: each has to fail with EPERM or ENOSYS. */
static const struct escape {
	const char *name;
	long call;
	/* Pointers are kept as such. */
	uintptr_t arguments[6];
} escapes[] = {
#define PTR(pointer) ((uintptr_t)(pointer))
#define HERE ((uintptr_t)AT_FDCWD)
	{ "type into a terminal", SYS_ioctl, { 0, 0x5412, PTR("x") } },
	{ "the console's menu", SYS_ioctl, { 0, 0x541c, PTR("\2") } },
	{ "make a terminal ours", SYS_ioctl, { 0, 0x540e, 0 } },
	{ "signals from a file", SYS_fcntl, { 1, F_SETOWN, PARENT } },
	{ "flags of a file", SYS_fcntl, { 1, F_SETFL, O_ASYNC } },
	{ "fchmod", SYS_fchmod, { 1, 0777 } },
	{ "fchmodat", SYS_fchmodat, { HERE, PTR("other/victim"), 0777 } },
	{ "fchmodat2", 452, { HERE, PTR("other/victim"), 0777 } },
	{ "fchown", SYS_fchown, { 1, 1, 1 } },
	{ "fchownat", SYS_fchownat, { HERE, PTR("other/victim"), 1, 1 } },
	{ "utimensat", SYS_utimensat, { HERE, PTR("other/victim"), 0, 0 } },
	{ "setxattr", SYS_setxattr,
	  { PTR("other/victim"), PTR("user.x"), PTR("y"), 1, 0 } },
	{ "fsetxattr", SYS_fsetxattr, { 1, PTR("user.x"), PTR("y"), 1, 0 } },
	{ "truncate", SYS_truncate, { PTR("out/own"), 0 } },
	{ "ftruncate", SYS_ftruncate, { 1, 0 } },
	{ "fallocate", SYS_fallocate, { 1, 3, 0, 1 } },
	{ "a program with its owner's rights", SYS_openat,
	  { HERE, PTR("out/suid"), O_WRONLY | O_CREAT | O_EXCL, 04755 } },
	{ "a device", SYS_mknodat, { HERE, PTR("out/device"), 020666, 0x103 } },
	{ "kill", SYS_kill, { PARENT, NO_SIGNAL } },
	{ "kill all", SYS_kill, { (uintptr_t)-1, NO_SIGNAL } },
	{ "kill the group", SYS_kill, { 0, NO_SIGNAL } },
	{ "tgkill", SYS_tgkill, { PARENT, PARENT, NO_SIGNAL } },
	{ "rt_sigqueueinfo", SYS_rt_sigqueueinfo, { PARENT, 0, 0 } },
	{ "pidfd_open", 434, { PARENT, 0 } },
	{ "prlimit", SYS_prlimit64,
	  { PARENT, RLIMIT_CORE, 0, PTR(&terminal) } },
	{ "more memory", SYS_prlimit64,
	  { 0, RLIMIT_DATA, PTR(&more), 0 } },
	{ "setpriority", SYS_setpriority, { 99, PARENT, 0 } },
	{ "sched_setaffinity", SYS_sched_setaffinity,
	  { PARENT, 8, 0 } },
	{ "sched_setscheduler", SYS_sched_setscheduler,
	  { PARENT, 0, 0 } },
	{ "ioprio_set", SYS_ioprio_set, { 99, PARENT, 0 } },
	{ "shmget", SYS_shmget, { 0, 0, 0 } },
	{ "msgget", SYS_msgget, { 0x7ffffff1, 0 } },
	{ "semget", SYS_semget, { 0, (uintptr_t)-1, 0 } },
	{ "mq_open", SYS_mq_open, { PTR("gsym"), O_RDWR, 0, 0 } },
	{ "the clock", SYS_clock_settime, { CLOCK_REALTIME, PTR(&no_time) } },
	{ "code", SYS_mprotect, { 0, 0, PROT_READ | PROT_EXEC } },
	{ "personality", SYS_personality, { 0x0400000 } },
	{ "memfd_create", SYS_memfd_create, { PTR("x"), 0 } },
	{ "execve", SYS_execve, { PTR("/bin/true"), 0, 0 } },
	{ "execveat", SYS_execveat, { HERE, PTR("/bin/true"), 0, 0, 0 } },
	{ "socket", SYS_socket, { AF_UNIX, SOCK_DGRAM, 0 } },
	{ "socketpair", SYS_socketpair,
	  { AF_UNIX, SOCK_DGRAM, 0, PTR(&victim) } },
	{ "ptrace", SYS_ptrace, { PTRACE_TRACEME } },
	{ "process_vm_readv", SYS_process_vm_readv, { PARENT } },
	{ "process_madvise", 440, { 0 } },
	{ "io_uring", 425, { 1, 0 } },
	{ "userfaultfd", SYS_userfaultfd, { 0 } },
	{ "perf_event_open", SYS_perf_event_open, { 0 } },
	{ "bpf", SYS_bpf, { 0 } },
	{ "keyctl", SYS_keyctl, { 0, (uintptr_t)-3, 0 } },
	{ "unshare", SYS_unshare, { 0 } },
	{ "setns", SYS_setns, { 1, 0 } },
	{ "chroot", SYS_chroot, { PTR("/") } },
	{ "mount", SYS_mount, { 0, 0, 0 } },
	{ "umount2", SYS_umount2, { PTR("other"), 0 } },
	{ "open_by_handle_at", SYS_open_by_handle_at, { 0 } },
	{ "setuid", SYS_setuid, { (uintptr_t)-1 } },
	{ "setsid", SYS_setsid, { 0 } },
	{ "setpgid", SYS_setpgid, { 0, 2 } },
	{ "dumpable", SYS_prctl, { PR_SET_DUMPABLE, 1 } },
	{ "syslog", SYS_syslog, { 10 } },
	{ "sync", SYS_sync, { 0 } },
	{ "inotify", SYS_inotify_init1, { 0 } },
	{ "a lock of a file", SYS_fcntl, { 1, F_SETLK, 0 } },
};

/* Try each escape with the descriptors 0 and 1, the terminal and the victim.
 * Reports those that work. */
static int check_escapes(void)
{
	int bad = 0;

	dup2(terminal, 0);
	dup2(victim, 1);
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		uintptr_t a[6];

		memcpy(a, escapes[i].arguments, sizeof(a));
		for (size_t n = 0; n < 6; n++)
			if (a[n] == PARENT)
				a[n] = (uintptr_t)getppid();
		errno = 0;
		if (syscall(escapes[i].call, a[0], a[1], a[2], a[3], a[4],
			    a[5]) >= 0 ||
		    (errno != EPERM && errno != ENOSYS)) {
			dprintf(2, "%s: %s\n", escapes[i].name,
				strerror(errno));
			bad = 1;
		}
	}
	return bad;
}

Test(sandbox, escapes)
{
	struct stat st;

	if (!has_sandbox())
		cr_skip("no sandbox here");
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	victim = open("other/victim", O_RDWR);
	if (terminal < 0)
		cr_skip("no pseudo-terminals here");
	cr_assert(victim >= 0);
	cr_expect_eq(run(check_escapes, 0), 0);
	cr_expect(stat("other/victim", &st) == 0 && st.st_size == 6 &&
		  (st.st_mode & 07777) == 0600);
	close(terminal);
	close(victim);
}

/* The files of /proc that show or change another process. */
static int check_proc(void)
{
	static const char *const names[] = { "environ", "mem", "maps", "stack",
					     "fd", "cwd/other", "root/proc",
					     "map_files" };
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char byte;
		int fd;

		snprintf(path, sizeof(path), "/proc/%ld/%s", (long)getppid(),
			 names[i]);
		fd = open(path, O_RDONLY);
		if (fd >= 0 && read(fd, &byte, 1) == 1) {
			dprintf(2, "%s can be read\n", path);
			return 1;
		}
	}
	return open("/proc/self/mem", O_RDWR) >= 0 ? 2 : 0;
}

Test(sandbox, proc)
{
	if (!has_sandbox())
		cr_skip("no sandbox here");
	cr_expect_eq(run(check_proc, 0), 0);
}

static void *nothing(void *unused)
{
	return unused;
}

/* Calls that the tools need. */
static int check_calls(void)
{
	struct rlimit limit;
	pthread_t thread;

	if (fork() >= 0)
		return 1;
	if (pthread_create(&thread, NULL, nothing, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		return 2;
	if (kill(getpid(), 0) != 0 || getrlimit(RLIMIT_DATA, &limit) != 0 ||
	    getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 3;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 4;
	/* The arguments of s390x's mmap are in memory. */
#ifndef __s390x__
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 5;
#endif
	return 0;
}

Test(sandbox, calls)
{
	if (!has_sandbox())
		cr_skip("no sandbox here");
	cr_expect_eq(run(check_calls, 0), 0);
}

/* The signals that end a process can be sent to oneself. */
static int check_signals(void)
{
	signal(SIGTERM, SIG_DFL);
	raise(SIGTERM);
	return 0;
}

Test(sandbox, signals)
{
	if (!has_sandbox())
		cr_skip("no sandbox here");
	cr_expect_eq(run(check_signals, 0), 128);
}

/* A child that is ended by a signal of another process removes the file that it
 * writes.  Its ID goes to the test. */
static int check_ended_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		pid_t self = getpid();

		sandbox_narrow(&(struct sandbox){ .mode = SANDBOX_ON },
			       SANDBOX_WRITE);
		outfile_open("out/late", NULL);
		if (write(ready, &self, sizeof(self)) == sizeof(self))
			poll(NULL, 0, 10000);
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status) == OUTFILE_SIGNAL + SIGTERM ? 0 : 2;
}

/* How many entries of the folder NAME begin with PREFIX. */
static int count_entries(const char *name, const char *prefix)
{
	DIR *entries = opendir(name);
	struct dirent *entry;
	int count = 0;

	cr_assert(entries);
	while ((entry = readdir(entries)))
		count += strcmp(entry->d_name, ".") != 0 &&
			 strcmp(entry->d_name, "..") != 0 &&
			 strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	closedir(entries);
	return count;
}

Test(sandbox, ended_child)
{
	int ends[2], status;
	pid_t runner, child;

	if (!has_sandbox())
		cr_skip("no sandbox here");
	cr_assert_eq(pipe(ends), 0);
	ready = ends[1];
	runner = fork();
	if (runner == 0)
		_exit(run(check_ended_child, SANDBOX_PROCESSES));
	cr_assert_eq(read(ends[0], &child, sizeof(child)),
		     (ssize_t)sizeof(child));
	cr_expect_eq(count_entries("out", ".late."), 1);
	cr_expect_eq(kill(child, SIGTERM), 0);
	cr_assert_eq(waitpid(runner, &status, 0), runner);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "0x%x",
		  status);
	cr_expect_eq(count_entries("out", ".late."), 0);
}

static int check_processes(void)
{
	static char name[] = "true", *const args[] = { name, NULL };
	int status;
	pid_t child = fork();

	if (child == 0) {
		const struct sandbox s = { .mode = SANDBOX_ON };

		execv("/bin/true", args);
		if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
			_exit(1);
		sandbox_narrow(&s, 0);
		_exit(fork() < 0 && errno == EPERM &&
				      open("out/new", O_WRONLY | O_CREAT,
					   0666) < 0
			      ? 7
			      : 2);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 2;
}

Test(sandbox, processes)
{
	if (!has_sandbox())
		cr_skip("no sandbox here");
	cr_expect_eq(run(check_processes, SANDBOX_PROCESSES), 0);
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

/* The number of entries of the folder NAME. */
/* The file that is being written is removed. */
Test(sandbox, time)
{
	char here[] = "/tmp/gsym-test-XXXXXX";
	int status;
	pid_t child;

	cr_assert(mkdtemp(here));
	child = fork();
	if (child == 0) {
		fclose(stderr);
		if (chdir(here) != 0)
			_exit(9);
		outfile_open("late", NULL);
		if (count_entries(".", "") != 1)
			_exit(8);
		sandbox_time(1);
		for (;;)
			pause();
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	cr_expect_eq(count_entries(here, ""), 0);
	cr_expect_eq(rmdir(here), 0);
}
