/* SPDX-License-Identifier: MIT */
/* Landlock, seccomp and limits.  Sources: landlock(7), seccomp(2) and the
 * kernel's documentation of both. */
#include "config.h"

#include "common/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/options.h"
#include "common/outfile.h"
#include "common/report.h"

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

/* Sanitizers make processes and take terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	HAS_FEATURE(address_sanitizer) || HAS_FEATURE(memory_sanitizer) || \
	HAS_FEATURE(thread_sanitizer)
enum { POSSIBLE = 0 };
#else
enum { POSSIBLE = 1 };
#endif

enum sandbox_mode sandbox_option(const struct options *options)
{
	static const char *const modes[] = { "on", "try", NULL };

	return *options->value == 0 || options_choice(options, modes) == 0
		       ? SANDBOX_ON
		       : SANDBOX_TRY;
}

/* ---- Landlock: changes of files ------------------------------------------ */

/* Of <linux/landlock.h>, which systems before Linux 5.13 do not have.  The
 * numbers of the calls are the same on all architectures but Alpha. */
enum {
	CREATE_RULESET = 444,
	ADD_RULE = 445,
	RESTRICT_SELF = 446,
	ASK_VERSION = 1,
	RULE_BENEATH = 1,
};

#define RIGHT(n) (UINT64_C(1) << (n))
#define RIGHT_EXECUTE RIGHT(0)
#define RIGHT_WRITE RIGHT(1)
#define RIGHT_REMOVE_FOLDER RIGHT(4)
#define RIGHT_REMOVE_FILE RIGHT(5)
/* Folders, files, sockets, pipes, devices and symbolic links. */
#define RIGHTS_MAKE \
	(RIGHT(6) | RIGHT(7) | RIGHT(8) | RIGHT(9) | RIGHT(10) | RIGHT(11) | \
	 RIGHT(12))
#define RIGHT_MAKE_FOLDER RIGHT(7)
#define RIGHT_MAKE_FILE RIGHT(8)
#define RIGHT_MAKE_LINK RIGHT(12)
#define RIGHT_MOVE RIGHT(13)	 /* from version 2 on */
#define RIGHT_TRUNCATE RIGHT(14) /* from version 3 on */

struct ruleset {
	uint64_t files;
	uint64_t network; /* from version 4 on */
};

struct beneath {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

/* The rights that are taken away everywhere, as VERSION of Landlock knows
 * them. */
static struct ruleset rights(long version)
{
	struct ruleset set = {
		.files = RIGHT_EXECUTE | RIGHT_WRITE | RIGHT_REMOVE_FOLDER |
			 RIGHT_REMOVE_FILE | RIGHTS_MAKE,
	};

	if (version >= 2)
		set.files |= RIGHT_MOVE;
	if (version >= 3)
		set.files |= RIGHT_TRUNCATE;
	/* Binding and connecting of TCP sockets. */
	if (version >= 4)
		set.network = RIGHT(0) | RIGHT(1);
	return set;
}

/* Returns whether the kernel has Landlock. */
static bool restrict_files(const struct sandbox *s)
{
	long version = syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
	struct ruleset set = rights(version);
	int rules;

	if (version < 1)
		return false;
	rules = (int)syscall(CREATE_RULESET, &set,
			     version < 4 ? offsetof(struct ruleset, network)
					 : sizeof(set), 0);
	if (rules < 0)
		return false;
	for (unsigned i = 0; i < s->folder_count; i++) {
		struct beneath rule = {
			.allowed = set.files &
				   (RIGHT_WRITE | RIGHT_REMOVE_FILE |
				    RIGHT_MAKE_FOLDER | RIGHT_MAKE_FILE |
				    RIGHT_MAKE_LINK | RIGHT_TRUNCATE),
			.folder = s->folders[i],
		};

		if (syscall(ADD_RULE, rules, RULE_BENEATH, &rule, 0) != 0)
			die("--sandbox: cannot allow output: %s",
			    strerror(errno));
	}
	if (syscall(RESTRICT_SELF, rules, 0) != 0)
		die("--sandbox: Landlock: %s", strerror(errno));
	close(rules);
	return true;
}

/* ---- seccomp: system calls ----------------------------------------------- */

#if defined(HAVE_LINUX_SECCOMP_H) && \
	(defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || \
	 (defined(__arm__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE AUDIT_ARCH_ARM
#endif

/* Calls that fail with EPERM: programs, the network, other processes, and the
 * kernel itself.  io_uring would go around the filter. */
static const unsigned refused[] = {
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv,
	SYS_process_vm_writev, SYS_socket, SYS_socketpair, SYS_connect,
	SYS_bind, SYS_listen, SYS_sendto, SYS_sendmsg, SYS_sendmmsg,
#ifdef SYS_socketcall
	SYS_socketcall,
#endif
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup,
#endif
	SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_unshare, SYS_setns,
	SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2, SYS_add_key,
	SYS_request_key, SYS_keyctl, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
	SYS_open_by_handle_at,
};

enum { REFUSED = sizeof(refused) / sizeof(refused[0]) };

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

struct program {
	struct sock_filter code[2 * REFUSED + 24];
	unsigned short count;
};

static void add(struct program *p, struct sock_filter instruction)
{
	p->code[p->count++] = instruction;
}

/* Append: the result of the filter is ACTION if the accumulator is VALUE. */
static void add_result(struct program *p, uint32_t value, uint32_t action)
{
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0,
					    1));
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void add_load(struct program *p, uint32_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

/* Append: threads can be made, processes cannot.  The result for all other
 * calls is that of the next instruction. */
static void refuse_processes(struct program *p)
{
#ifdef SYS_fork
	add_result(p, SYS_fork, REFUSE);
#endif
#ifdef SYS_vfork
	add_result(p, SYS_vfork, REFUSE);
#endif
	/* The arguments of clone3 are in memory, which a filter cannot see.
	 * The C library tries clone then. */
#ifdef SYS_clone3
	add_result(p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
#endif
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
					    SYS_clone, 0, 3));
	/* The flags are the low half of the first argument. */
	add_load(p, offsetof(struct seccomp_data, args));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
					    CLONE_THREAD, 1, 0));
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
}

static struct program make_filter(bool processes)
{
	struct program p = { .count = 0 };

	add_load(&p, offsetof(struct seccomp_data, arch));
	add(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
					     ARCHITECTURE, 1, 0));
	add(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					     SECCOMP_RET_KILL_PROCESS));
	add_load(&p, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	/* The calls of x32 have other numbers. */
	add(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
					     0x40000000, 0, 1));
	add(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, REFUSE));
#endif
	for (unsigned i = 0; i < REFUSED; i++)
		add_result(&p, refused[i], REFUSE);
	if (!processes)
		refuse_processes(&p);
	add(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					     SECCOMP_RET_ALLOW));
	return p;
}

/* Returns whether the kernel has seccomp. */
static bool restrict_calls(const struct sandbox *s)
{
	struct program p = make_filter(s->processes);
	struct sock_fprog filter = { .len = p.count, .filter = p.code };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
static bool restrict_calls(const struct sandbox *s)
{
	(void)s;
	return false;
}
#endif

/* ---- all of it ----------------------------------------------------------- */

void sandbox_enter(const struct sandbox *s)
{
	bool done;

	if (s->mode == SANDBOX_OFF || !POSSIBLE)
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 &&
	    s->mode == SANDBOX_ON)
		die("--sandbox: %s", strerror(errno));
	done = restrict_files(s);
	done |= restrict_calls(s);
	if (!done && s->mode == SANDBOX_ON)
		die("--sandbox: this kernel has neither Landlock nor seccomp "
		    "for this architecture");
}

void sandbox_read_only(const struct options *options)
{
	const struct sandbox s = { .mode = sandbox_option(options) };

	sandbox_enter(&s);
}

void sandbox_memory(uint64_t bytes)
{
	struct rlimit limit;

	if (!POSSIBLE || getrlimit(RLIMIT_DATA, &limit) != 0 ||
	    limit.rlim_max <= bytes)
		return;
	limit.rlim_cur = limit.rlim_max = (rlim_t)bytes;
	if (setrlimit(RLIMIT_DATA, &limit) != 0)
		die("--max-memory: %s", strerror(errno));
}

/* The message of --max-time. */
static char late[160];
static size_t late_size;

static void end_late(int number)
{
	ssize_t ignored = write(STDERR_FILENO, late, late_size);

	(void)number;
	(void)ignored;
	outfile_remove();
	_exit(STATUS_ERROR);
}

void sandbox_time(uint64_t seconds)
{
	struct sigaction action = { .sa_handler = end_late };
	int size = snprintf(late, sizeof(late),
			    "%.60s: the time of --max-time is over\n",
			    report_tool());

	late_size = size < (int)sizeof(late) ? (size_t)size : sizeof(late) - 1;
	sigfillset(&action.sa_mask);
	if (sigaction(SIGALRM, &action, NULL) != 0)
		die("--max-time: %s", strerror(errno));
	alarm(seconds < UINT_MAX ? (unsigned)seconds : UINT_MAX);
}
