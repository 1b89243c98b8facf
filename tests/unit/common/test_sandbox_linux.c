/* SPDX-License-Identifier: MIT */
/* The program of the filter, run by a machine of our own: its answers for all
 * system calls and for single arguments.  This needs no filter in the kernel.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "common/run.h"

enum { PID = 4711, OTHER = 4712, CALLS = 1024, WRITING = SANDBOX_WRITE };

static const uint32_t refused = SANDBOX_FAIL | EPERM;
static const uint32_t unknown = SANDBOX_FAIL | ENOSYS;
static const uint32_t allowed = SANDBOX_ALLOW;

/* struct seccomp_data of <linux/seccomp.h>. */
struct data {
	int32_t call;
	uint32_t architecture;
	uint64_t place;
	uint64_t arguments[6];
};

/* What the COUNT steps return for DATA. */
static uint32_t run(const struct sandbox_step *steps, unsigned count,
		    const struct data *data)
{
	uint32_t word = 0;

	for (unsigned at = 0; at < count; at++) {
		const struct sandbox_step *s = &steps[at];

		switch (s->code) {
		case 0x20:
			cr_assert(s->value <= sizeof(*data) - 4);
			memcpy(&word, (const char *)data + s->value, 4);
			break;
		case 0x54:
			word &= s->value;
			break;
		case 0x15:
			at += word == s->value ? s->if_true : s->if_false;
			break;
		case 0x25:
			at += word > s->value ? s->if_true : s->if_false;
			break;
		case 0x06:
			return s->value;
		default:
			cr_assert_fail("code 0x%x", s->code);
		}
	}
	cr_assert_fail("the program has no end");
	return 0;
}

static struct sandbox_step steps[SANDBOX_STEPS];
static unsigned count, needs;

/* The program compares the architecture first. */
static uint32_t architecture(void)
{
	return steps[1].value;
}

static void make(unsigned with)
{
	needs = with;
	count = sandbox_calls_program(with, PID, steps);
	cr_assert(count <= SANDBOX_STEPS);
	if (!count)
		cr_skip("this architecture has no filter");
}

/* What the program returns for CALL with six arguments. */
static uint32_t ask(long call, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const struct data data = { .call = (int32_t)call,
				   .architecture = architecture(),
				   .arguments = { a, b, c, d } };

	return run(steps, count, &data);
}

/* Each jump stays in the program, and each way through it ends. */
Test(sandbox_calls, program_is_valid)
{
	for (unsigned set = 0; set < 1 << SANDBOX_NEEDS; set++) {
		make(set);
		for (unsigned i = 0; i < count; i++)
			cr_assert(i + 1u + steps[i].if_true < count ||
				  steps[i].code == 0x06);
		for (unsigned i = 0; i < count; i++)
			cr_assert(i + 1u + steps[i].if_false < count ||
				  steps[i].code == 0x06);
	}
}

Test(sandbox_calls, other_architectures)
{
	struct data data = { .call = SYS_getpid };

	make(0);
	data.architecture = architecture();
	cr_expect_eq(run(steps, count, &data), allowed);
	data.architecture ^= 1;
	cr_expect_eq(run(steps, count, &data), (uint32_t)SANDBOX_KILL);
	/* x32 has the architecture of amd64, and a bit in the number. */
	for (long call = 0; call < CALLS; call++)
		cr_expect_eq(ask(call | 0x40000000, 0, 0, 0, 0), unknown);
	cr_expect_eq(ask(-1, 0, 0, 0, 0), unknown);
}

/* A need adds calls, and takes none away. */
Test(sandbox_calls, needs_add)
{
	static uint32_t before[CALLS];

	make(0);
	for (long call = 0; call < CALLS; call++)
		before[call] = ask(call, 0, 0, 0, 0);
	make((1 << SANDBOX_NEEDS) - 1);
	for (long call = 0; call < CALLS; call++)
		cr_expect(before[call] != allowed ||
			  ask(call, 0, 0, 0, 0) == allowed);
}

/* To write files is not to remove folders. */
Test(sandbox_calls, folders)
{
	make(WRITING);
	cr_expect_eq(ask(SYS_unlinkat, 0, 0, 0, 0), allowed);
	cr_expect_eq(ask(SYS_unlinkat, 0, 0, AT_REMOVEDIR, 0), refused);
	make(SANDBOX_FOLDERS);
	cr_expect_eq(ask(SYS_unlinkat, 0, 0, 0, 0), refused);
	cr_expect_eq(ask(SYS_unlinkat, 0, 0, AT_REMOVEDIR, 0), allowed);
}

Test(sandbox_calls, unknown_calls)
{
	make(0);
	cr_expect_eq(ask(SYS_execve, 0, 0, 0, 0), refused);
	cr_expect_eq(ask(SYS_socket, 0, 0, 0, 0), refused);
	/* The C library goes on with clone. */
	cr_expect_eq(ask(435, 0, 0, 0, 0), unknown);
	for (long call = 600; call < CALLS; call++)
		cr_expect_eq(ask(call, 0, 0, 0, 0), unknown);
}

Test(sandbox_calls, signals)
{
	make(SANDBOX_PROCESSES);
	cr_expect_eq(ask(SYS_kill, PID, SIGTERM, 0, 0), allowed);
	cr_expect_eq(ask(SYS_kill, OTHER, SIGTERM, 0, 0), refused);
	cr_expect_eq(ask(SYS_kill, 0, SIGTERM, 0, 0), refused);
	cr_expect_eq(ask(SYS_kill, (uint64_t)-1, SIGTERM, 0, 0), refused);
	cr_expect_eq(ask(SYS_kill, (uint64_t)-PID, SIGTERM, 0, 0), refused);
	cr_expect_eq(ask(SYS_tgkill, PID, OTHER, SIGTERM, 0), allowed);
	cr_expect_eq(ask(SYS_tgkill, OTHER, OTHER, SIGTERM, 0), refused);
}

Test(sandbox_calls, files)
{
	const uint64_t new = O_WRONLY | O_CREAT | O_EXCL;

	make(0);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_RDONLY | O_CLOEXEC, 0), allowed);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_PATH | O_DIRECTORY, 0), allowed);
	cr_expect_eq(ask(SYS_openat, 0, 0, new, 0666), refused);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_RDWR, 0), refused);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_ACCMODE, 0), refused);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_RDONLY | O_TRUNC, 0), refused);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_TMPFILE, 0600), refused);
	cr_expect_eq(ask(SYS_unlinkat, 0, 0, 0, 0), refused);
	cr_expect_eq(ask(437, 0, 0, 0, 0), unknown);
	make(WRITING);
	cr_expect_eq(ask(SYS_openat, 0, 0, new, 0666), allowed);
	cr_expect_eq(ask(SYS_openat, 0, 0, new, 04755), refused);
	cr_expect_eq(ask(SYS_openat, 0, 0, new, 02755), refused);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_RDWR | O_TRUNC, 0), refused);
	cr_expect_eq(ask(SYS_openat, 0, 0, O_RDONLY | O_TRUNC, 0), refused);
	cr_expect_eq(ask(SYS_ftruncate, 0, 0, 0, 0), refused);
	cr_expect_eq(ask(SYS_fchmod, 0, 0, 0, 0), refused);
	make(SANDBOX_ROOTS);
	cr_expect_eq(ask(437, 0, 0, 0, 0), allowed);
}

Test(sandbox_calls, memory)
{
#ifdef SYS_mmap2
	const long map = SYS_mmap2;
#else
	const long map = SYS_mmap;
#endif
	make(0);
	cr_expect_eq(ask(map, 0, 4096, PROT_READ | PROT_WRITE, 0), allowed);
	/* The arguments of s390x's mmap are in memory. */
#ifndef __s390x__
	cr_expect_eq(ask(map, 0, 4096, PROT_EXEC, 0), refused);
#endif
	cr_expect_eq(ask(SYS_mprotect, 0, 4096, PROT_READ, 0), allowed);
	cr_expect_eq(ask(SYS_mprotect, 0, 4096, PROT_READ | PROT_EXEC, 0),
		     refused);
	cr_expect_eq(ask(SYS_madvise, 0, 4096, MADV_DONTNEED, 0), allowed);
	cr_expect_eq(ask(SYS_madvise, 0, 4096, 100 /* MADV_HWPOISON */, 0),
		     refused);
}

/* What clone gets for FLAGS. */
static uint32_t ask_clone(uint64_t flags)
{
#ifdef __s390x__
	return ask(SYS_clone, 0, flags, 0, 0);
#else
	return ask(SYS_clone, flags, 0, 0, 0);
#endif
}

Test(sandbox_calls, threads)
{
	const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES |
				CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |
				CLONE_SETTLS | CLONE_PARENT_SETTID |
				CLONE_CHILD_CLEARTID;
	const uint64_t fork = SIGCHLD | CLONE_CHILD_SETTID |
			      CLONE_CHILD_CLEARTID;

	make(0);
	cr_expect_eq(ask_clone(thread), allowed);
	cr_expect_eq(ask_clone(thread | CLONE_NEWUSER), refused);
	cr_expect_eq(ask_clone(thread & ~(uint64_t)CLONE_THREAD), refused);
	cr_expect_eq(ask_clone(fork), refused);
	cr_expect_eq(ask_clone(SIGCHLD), refused);
	make(SANDBOX_PROCESSES);
	cr_expect_eq(ask_clone(fork), allowed);
	cr_expect_eq(ask_clone(SIGCHLD), allowed);
	cr_expect_eq(ask_clone(fork | CLONE_NEWUSER), refused);
	cr_expect_eq(ask_clone(fork | CLONE_PARENT), refused);
}

Test(sandbox_calls, limits)
{
	make(WRITING);
	cr_expect_eq(ask(SYS_prlimit64, 0, RLIMIT_DATA, 0, 1), allowed);
	cr_expect_eq(ask(SYS_prlimit64, 0, RLIMIT_DATA, 1, 0), refused);
	/* A pointer whose lower half is 0. */
	cr_expect_eq(ask(SYS_prlimit64, 0, RLIMIT_DATA, UINT64_C(1) << 32, 0),
		     refused);
	cr_expect_eq(ask(SYS_prlimit64, 0, RLIMIT_NOFILE, 1, 0), allowed);
	cr_expect_eq(ask(SYS_prlimit64, OTHER, RLIMIT_NOFILE, 0, 1), refused);
	cr_expect_eq(ask(SYS_sched_getaffinity, OTHER, 0, 0, 0), refused);
}

Test(sandbox_calls, controls)
{
	make(SANDBOX_PROCESSES);
	cr_expect_eq(ask(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, 0, 0), refused);
	cr_expect_eq(ask(SYS_ioctl, 0, 0x541c /* TIOCLINUX */, 0, 0), refused);
	cr_expect_eq(ask(SYS_fcntl, 0, F_GETFL, 0, 0), allowed);
	cr_expect_eq(ask(SYS_fcntl, 0, F_SETFL, 0, 0), refused);
	cr_expect_eq(ask(SYS_fcntl, 0, F_SETOWN, 0, 0), refused);
	cr_expect_eq(ask(SYS_fcntl, 0, 1024 /* F_SETLEASE */, 0, 0), refused);
	cr_expect_eq(ask(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0), refused);
	cr_expect_eq(ask(SYS_prctl, PR_SET_PDEATHSIG, 15, 0, 0), allowed);
}
