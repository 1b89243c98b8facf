/* SPDX-License-Identifier: MIT */
/*
 * list_calls - tries each system call in the sandbox.
 *
 * usage: list_calls NEEDS <NAMES
 *        list_calls
 *
 * NEEDS is a set of enum sandbox_need.  NAMES has a line "NUMBER NAME" for each
 * call of this machine.  Prints "any NAME" for each call that the sandbox
 * allows with arguments that no call has, and "some NAME" for those that it
 * allows with certain arguments alone.  Each call is made in a process of its
 * own.  Ends with 77 where there is no sandbox.  Without NEEDS prints the
 * version of Landlock.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/report.h"
#include "common/run.h"

enum {
	/* More than the kernel has. */
	CALLS = 600,
	ARGUMENTS = 6,
	/* Seconds that a call may take: those that wait are allowed. */
	SECONDS = 10,
	/* The end of a process whose call was refused. */
	REFUSED = 42,
	/* The ID of the process itself. */
	SELF = 0x7ffffff1,
	/* pthread_create instead of the call. */
	THREAD = 0x7ffffff2,
};

static char names[CALLS][64];
static unsigned needs;

/* Arguments with which a call is allowed that checks them.  They do no harm
 * where the call is allowed. */
static const struct probe {
	const char *name;
	long arguments[ARGUMENTS];
} probes[] = {
	{ "clone", { THREAD } },
	{ "fallocate", { -1, 0, 0, 1 } },
	{ "fcntl", { -1, F_GETFD } },
	{ "fcntl64", { -1, F_GETFD } },
	{ "futex", { 0, 1 /* FUTEX_WAKE */, 0 } },
	{ "futex_time64", { 0, 1, 0 } },
	{ "ioctl", { -1, TCGETS } },
	{ "kill", { SELF, 0 } },
	{ "linkat", { -1, 0, -1, 0, 0 } },
	{ "madvise", { -1, 0, MADV_NORMAL } },
	{ "mkdir", { 0, 0700 } },
	{ "mkdirat", { -1, 0, 0700 } },
	{ "mmap", { 0, 0, PROT_READ, 0 } },
	{ "mmap2", { 0, 0, PROT_READ, 0 } },
	{ "mprotect", { -1, 0, PROT_READ } },
	{ "open", { 0, O_RDONLY } },
	{ "openat", { -1, 0, O_RDONLY } },
	{ "prctl", { PR_SET_PDEATHSIG, 0 } },
	{ "prlimit64", { 0, 0, 0, 0 } },
	{ "renameat2", { -1, 0, -1, 0 } },
	{ "sched_getaffinity", { 0, 0, 0 } },
	{ "tgkill", { SELF, SELF, 0 } },
	{ "tkill", { SELF, 0 } },
	{ "unlinkat", { -1, 0, 0 } },
};

static void *nothing(void *unused)
{
	return unused;
}

/* In the sandbox: make CALL, and end with REFUSED if it is refused. */
static _Noreturn void make(long call, const long *a)
{
	pid_t self = getpid();
	long copy[ARGUMENTS], result;
	pthread_t thread;

	for (int i = 0; i < ARGUMENTS; i++)
		copy[i] = a[i] == SELF ? self : a[i];
	errno = 0;
	if (a[0] == THREAD)
		result = pthread_create(&thread, NULL, nothing, NULL) ? -1 : 0;
	else
		result = syscall(call, copy[0], copy[1], copy[2], copy[3],
				 copy[4], copy[5]);
	_exit(result < 0 && (errno == EPERM || errno == ENOSYS) ? REFUSED : 0);
}

/* Whether the sandbox allows CALL with the arguments A. */
static bool is_allowed(long call, const long *a)
{
	const struct sandbox s = { .mode = SANDBOX_ON, .needs = needs };
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (child == 0) {
		/* vhangup, where it works, must not reach the terminal. */
		setsid();
		alarm(SECONDS);
		sandbox_enter(&s);
		make(call, a);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return !WIFEXITED(status) || WEXITSTATUS(status) != REFUSED;
}

/* Whether CALL, which was refused, is allowed with other arguments. */
static bool is_allowed_for_some(long call)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		if (strcmp(probes[i].name, names[call]) == 0)
			return is_allowed(call, probes[i].arguments);
	return false;
}

/* Whether CALL is one that the kernel makes for probes of tracers, and does not
 * filter.  It fails where there is no probe. */
static bool is_unfiltered(long call)
{
#ifdef __x86_64__
	return call == 335 || call == 336; /* uretprobe, uprobe */
#else
	(void)call;
	return false;
#endif
}

static void read_names(void)
{
	char name[sizeof(names[0])];
	unsigned number;

	while (scanf("%u %63s", &number, name) == 2)
		if (number < CALLS)
			strcpy(names[number], name);
}

int main(int argc, char **argv)
{
	const long impossible[ARGUMENTS] = { -1, -1, -1, -1, -1, -1 };

	report_start("list_calls");
	if (argc != 2) {
		printf("%d\n", sandbox_files_version());
		return 0;
	}
	needs = (unsigned)atoi(argv[1]);
	if (!sandbox_files_version() || !sandbox_calls_possible())
		return 77;
	read_names();
	for (long call = 0; call < CALLS; call++) {
		const char *name = *names[call] ? names[call] : "?";

		if (is_unfiltered(call))
			continue;
		if (is_allowed(call, impossible))
			printf("any %s\n", name);
		else if (is_allowed_for_some(call))
			printf("some %s\n", name);
	}
	return 0;
}
