/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of Linux: the system calls that are allowed, as a program for
 * seccomp; files, as rules for Landlock; and rights that this process gives up.
 * What the table of calls does not list fails, so a call that a later kernel
 * brings does, too.  Sources: seccomp(2), landlock(7), and the kernel's
 * Documentation/userspace-api/seccomp_filter.rst and landlock.rst.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/run.h"

/* AUDIT_ARCH_ of <linux/audit.h>. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCHITECTURE 0xc000003e
#elif defined(__i386__)
#define ARCHITECTURE 0x40000003
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE 0xc00000b7
#elif defined(__ARM_EABI__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE 0x40000028
#elif defined(__s390x__)
#define ARCHITECTURE 0x80000016
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE 0xc00000f3
#else
#define ARCHITECTURE 0
#endif

/* These calls are newer than some C libraries.  They have the same numbers on
 * all architectures above. */
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

/* The newest call that was considered for the table.  C libraries try newer
 * ones, and do without if the kernel does not know them. */
enum { NEWEST = 467 };

/* ---- the table ----------------------------------------------------------- */

enum {
	CHECKS = 3,
	/* Added to the number of an argument: its upper 32 bits. */
	UPPER = 8,
	/* The value is the ID of this process. */
	SELF = 16,
};

/* A condition: the bits MASK of an argument are VALUE.  Always true if MASK is
 * 0. */
struct check {
	unsigned argument;
	uint32_t mask, value;
};

/* A call that is allowed if all conditions are true.  A call with several rows
 * is allowed if one of the rows allows it. */
struct row {
	unsigned call;
	/* The row is for processes with one of these needs; 0: for all. */
	unsigned needs;
	struct check checks[CHECKS];
};

#define IS(n, v) { .argument = (n), .mask = UINT32_MAX, .value = (v) }
#define IS_SELF(n) { .argument = (n) | SELF, .mask = UINT32_MAX }
#define IS_NULL(n) IS(n, 0), IS((n) | UPPER, 0)
/* No bits but those of M; none of those of M. */
#define ONLY(n, m) { .argument = (n), .mask = ~(uint32_t)(m) }
#define WITHOUT(n, m) { .argument = (n), .mask = (uint32_t)(m) }

/* Flags of open that change files; O_TMPFILE contains O_DIRECTORY.  Before
 * version 3 of Landlock O_TRUNC works with O_RDONLY. */
#define CHANGES \
	(O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
/* The file would run with the rights of its owner or group. */
#define SET_ID 06000

/* pthread_create of glibc and musl, and fork. */
#define THREAD_NEEDS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
		      CLONE_THREAD | CLONE_SYSVSEM)
#define THREAD_MAY (CLONE_SETTLS | CLONE_PARENT_SETTID | \
		    CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_DETACHED)
#define FORK (SIGCHLD | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)
/* The argument with the flags of clone. */
#ifdef __s390x__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

/* Of later kernels than some headers. */
enum { GUARD_INSTALL = 102, GUARD_REMOVE = 103 };
#define TCGETS_NEW 0x802c542a /* TCGETS2: glibc 2.42 */

#define CALL(name) { .call = SYS_##name }
#define CALL_IF(name, ...) { .call = SYS_##name, .checks = { __VA_ARGS__ } }
#define CALL_FCNTL(name)                                              \
	CALL_IF(name, IS(1, F_GETFD)), CALL_IF(name, IS(1, F_SETFD)), \
		CALL_IF(name, IS(1, F_GETFL)),                        \
		CALL_IF(name, IS(1, F_DUPFD_CLOEXEC))
#define NEED(name, need) { .call = SYS_##name, .needs = SANDBOX_##need }
#define NEED_IF(name, need, ...) \
	{ .call = SYS_##name, .needs = SANDBOX_##need, \
	  .checks = { __VA_ARGS__ } }

static const struct row rows[] = {
	/* Memory.  No code can be added. */
	CALL(brk),
	CALL(munmap),
	CALL(mremap),
#if defined(SYS_mmap2)
	CALL_IF(mmap2, WITHOUT(2, PROT_EXEC)),
#elif defined(__s390x__)
	/* The arguments are in memory, which a filter cannot see. */
	CALL(mmap),
#else
	CALL_IF(mmap, WITHOUT(2, PROT_EXEC)),
#endif
	CALL_IF(mprotect, WITHOUT(2, PROT_EXEC)),
	CALL_IF(madvise, IS(2, MADV_NORMAL)),
	CALL_IF(madvise, IS(2, MADV_RANDOM)),
	CALL_IF(madvise, IS(2, MADV_SEQUENTIAL)),
	CALL_IF(madvise, IS(2, MADV_WILLNEED)),
	CALL_IF(madvise, IS(2, MADV_DONTNEED)),
	CALL_IF(madvise, IS(2, MADV_FREE)),
	CALL_IF(madvise, IS(2, MADV_HUGEPAGE)),
	CALL_IF(madvise, IS(2, GUARD_INSTALL)),
	CALL_IF(madvise, IS(2, GUARD_REMOVE)),

	/* Open descriptors. */
	CALL(read),
	CALL(readv),
	CALL(pread64),
	CALL(write),
	CALL(writev),
	CALL(pwrite64),
	CALL(lseek),
	CALL(close),
	CALL(dup),
	CALL(pipe2),
	CALL_FCNTL(fcntl),
	CALL(ppoll),
	/* Of a terminal: whether it is one. */
	CALL_IF(ioctl, IS(1, TCGETS)),
	CALL_IF(ioctl, IS(1, TCGETS_NEW)),
	CALL_IF(ioctl, IS(1, TIOCGWINSZ)),

	/* Files that are read. */
	CALL_IF(openat, WITHOUT(2, CHANGES)),
	NEED(openat2, ROOTS),
	CALL(fstat),
	CALL(statx),
	CALL(faccessat),
	CALL(faccessat2),
	CALL(readlinkat),
	CALL(getdents64),
	CALL(getcwd),
	NEED(inotify_init1, FOLLOW),
	NEED(inotify_add_watch, FOLLOW),
	NEED(inotify_rm_watch, FOLLOW),

	/* Files that are written.  Landlock restricts them to folders. */
	NEED_IF(openat, WRITE, WITHOUT(2, O_TRUNC), WITHOUT(3, SET_ID)),
	NEED(fsync, WRITE),
	NEED_IF(fallocate, WRITE, IS(1, 0)),
	NEED_IF(mkdirat, WRITE, WITHOUT(2, SET_ID)),
	NEED(symlinkat, WRITE),
	NEED_IF(unlinkat, WRITE, IS(2, 0)),
	NEED_IF(unlinkat, FOLDERS, IS(2, AT_REMOVEDIR)),
#ifdef SYS_renameat
	NEED(renameat, WRITE),
#endif
	/* RENAME_EXCHANGE is 2. */
	NEED_IF(renameat2, WRITE, ONLY(4, 2)),
	NEED_IF(linkat, WRITE, IS(4, 0)),
	/* Whether the process that made a temporary file has ended. */
	NEED_IF(kill, WRITE, IS(1, 0)),
	NEED(memfd_create, MEMORY),
	NEED(umask, WRITE),

	/* This process.  Its limits can be read, and it may use as many
	 * descriptors as it could before. */
	CALL(exit),
	CALL(exit_group),
	CALL(restart_syscall),
	CALL(futex),
	CALL(set_robust_list),
	CALL(rseq),
	CALL(sched_yield),
	CALL_IF(sched_getaffinity, IS(0, 0)),
	CALL(clock_gettime),
	CALL(getrandom),
	CALL(sysinfo),
	CALL(getpid),
	CALL(getppid),
	CALL(gettid),
	CALL(getuid),
	CALL(geteuid),
	CALL(getgid),
	CALL(getegid),
	CALL_IF(prlimit64, IS(0, 0), IS_NULL(2)),
	CALL_IF(prlimit64, IS(0, 0), IS(1, RLIMIT_NOFILE)),
	CALL(rt_sigaction),
	CALL(rt_sigprocmask),
	CALL(rt_sigreturn),
	CALL(sigaltstack),
	CALL_IF(kill, IS_SELF(0)),
	CALL_IF(tgkill, IS_SELF(0)),
	/* musl's raise. */
	CALL_IF(tkill, IS_SELF(0)),

	/* Threads and processes. */
	CALL_IF(clone, { CLONE_FLAGS, ~(uint32_t)THREAD_MAY, THREAD_NEEDS }),
	NEED_IF(clone, PROCESSES, IS(CLONE_FLAGS, FORK)),
	NEED_IF(clone, PROCESSES, IS(CLONE_FLAGS, SIGCHLD)),
	NEED(wait4, PROCESSES),
	NEED(dup3, PROCESSES),
	NEED_IF(prctl, PROCESSES, IS(0, PR_SET_PDEATHSIG)),
	NEED_IF(prctl, PROCESSES, IS(0, PR_SET_SECCOMP)),

#ifdef SYS_open
	/* Older forms, which newer architectures do not have. */
	CALL_IF(open, WITHOUT(1, CHANGES)),
	NEED_IF(open, WRITE, WITHOUT(1, O_TRUNC), WITHOUT(2, SET_ID)),
	CALL(stat),
	CALL(lstat),
	CALL(access),
	CALL(readlink),
	CALL(poll),
	NEED(rename, WRITE),
	NEED_IF(mkdir, WRITE, WITHOUT(1, SET_ID)),
	NEED(unlink, WRITE),
	NEED(symlink, WRITE),
	NEED(fork, PROCESSES),
	NEED(dup2, PROCESSES),
#endif
#ifdef SYS_newfstatat
	CALL(newfstatat),
#endif
#ifdef SYS_fstatat64
	/* Forms of machines with 32 bits, for large files and IDs. */
	CALL(stat64),
	CALL(lstat64),
	CALL(fstat64),
	CALL(fstatat64),
	CALL(_llseek),
	CALL_FCNTL(fcntl64),
	CALL(ugetrlimit),
	CALL(sigreturn),
	CALL(getuid32),
	CALL(geteuid32),
	CALL(getgid32),
	CALL(getegid32),
#endif
#ifdef SYS_clock_gettime64
	/* Forms of machines with 32 bits, for times after 2038. */
	CALL(clock_gettime64),
	CALL(ppoll_time64),
	CALL(futex_time64),
#endif
};

/* ---- the program --------------------------------------------------------- */

/* Of <linux/bpf_common.h>: load a word of struct seccomp_data, combine it with
 * a mask, compare it with a value, and return. */
enum { LOAD = 0x20, AND = 0x54, EQUAL = 0x15, LARGER = 0x25, RETURN = 0x06 };

/* struct seccomp_data: the call, the architecture, the place of the call, and
 * six arguments of 64 bits. */
enum { CALL_AT = 0, ARCHITECTURE_AT = 4, ARGUMENTS_AT = 16 };

struct program {
	struct sandbox_step *steps;
	unsigned count;
};

static void add(struct program *p, unsigned code, uint32_t value)
{
	p->steps[p->count++] =
		(struct sandbox_step){ .code = (uint16_t)code, .value = value };
}

/* Append a comparison: if it is false, SKIP steps are left out. */
static void add_test(struct program *p, unsigned code, uint32_t value,
		     unsigned skip)
{
	add(p, code, value);
	p->steps[p->count - 1].if_false = (uint8_t)skip;
}

/* The place of ARGUMENT, as in struct check, in struct seccomp_data. */
static uint32_t argument_at(unsigned argument)
{
	unsigned half = (argument & UPPER) != 0;

	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		half = !half;
	return ARGUMENTS_AT + 8 * (argument & 7) + 4 * half;
}

/* Append: the call is allowed if ROW says so.  The accumulator has the number
 * of the call before and after. */
static void add_row(struct program *p, const struct row *row, int pid)
{
	unsigned start = p->count, falses[CHECKS], count = 0;

	add_test(p, EQUAL, row->call, 1);
	for (unsigned i = 0; i < CHECKS; i++) {
		const struct check *check = &row->checks[i];

		if (!check->mask)
			continue;
		add(p, LOAD, argument_at(check->argument));
		if (check->mask != UINT32_MAX)
			add(p, AND, check->mask);
		falses[count++] = p->count;
		add(p, EQUAL,
		    check->argument & SELF ? (uint32_t)pid : check->value);
	}
	add(p, RETURN, SANDBOX_ALLOW);
	if (!count)
		return;
	for (unsigned i = 0; i < count; i++)
		p->steps[falses[i]].if_false =
			(uint8_t)(p->count - falses[i] - 1);
	add(p, LOAD, CALL_AT);
	p->steps[start].if_false = (uint8_t)(p->count - start - 1);
}

unsigned sandbox_calls_program(unsigned needs, int pid,
			       struct sandbox_step steps[SANDBOX_STEPS])
{
	struct program p = { .steps = steps };

	if (!ARCHITECTURE)
		return 0;
	/* A call in the manner of another architecture has another number. */
	add(&p, LOAD, ARCHITECTURE_AT);
	add(&p, EQUAL, ARCHITECTURE);
	steps[p.count - 1].if_true = 1;
	add(&p, RETURN, (uint32_t)SANDBOX_KILL);
	add(&p, LOAD, CALL_AT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!rows[i].needs || rows[i].needs & needs)
			add_row(&p, &rows[i], pid);
	/* The arguments of clone3 are in memory.  C libraries use clone
	 * then. */
	add_test(&p, EQUAL, SYS_clone3, 1);
	add(&p, RETURN, SANDBOX_FAIL | ENOSYS);
	/* Without SANDBOX_ROOTS, and for calls of x32, too. */
	add_test(&p, EQUAL, SYS_openat2, 1);
	add(&p, RETURN, SANDBOX_FAIL | ENOSYS);
	add_test(&p, LARGER, NEWEST, 1);
	add(&p, RETURN, SANDBOX_FAIL | ENOSYS);
	add(&p, RETURN, SANDBOX_FAIL | EPERM);
	return p.count;
}

/* ---- this process -------------------------------------------------------- */

/* Of <linux/seccomp.h>. */
enum { MODE_FILTER = 2 };

/* struct sock_fprog of <linux/filter.h>. */
struct filter {
	unsigned short count;
	struct sandbox_step *steps;
};

bool sandbox_calls_possible(void)
{
	/* Without a program: EFAULT if the kernel has filters. */
	return ARCHITECTURE &&
	       prctl(PR_SET_SECCOMP, MODE_FILTER, NULL, 0, 0) != 0 &&
	       errno == EFAULT;
}

bool sandbox_calls_restrict(unsigned needs)
{
	struct sandbox_step steps[SANDBOX_STEPS];
	struct filter filter = {
		.count = (unsigned short)sandbox_calls_program(needs, getpid(),
							       steps),
		.steps = steps,
	};

	return filter.count && prctl(PR_SET_SECCOMP, MODE_FILTER, &filter, 0,
				     0) == 0;
}

/* ---- files --------------------------------------------------------------- */

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
#define RIGHT_READ RIGHT(2)
#define RIGHT_LIST RIGHT(3)
#define RIGHT_REMOVE_FOLDER RIGHT(4)
#define RIGHT_REMOVE_FILE RIGHT(5)
/* Folders, files, sockets, pipes, devices and symbolic links. */
#define RIGHTS_MAKE \
	(RIGHT(6) | RIGHT(7) | RIGHT(8) | RIGHT(9) | RIGHT(10) | RIGHT(11) | \
	 RIGHT(12))
#define RIGHT_MAKE_FOLDER RIGHT(7)
#define RIGHT_MAKE_FILE RIGHT(8)
#define RIGHT_MAKE_LINK RIGHT(12)
#define RIGHT_MOVE RIGHT(13)	 /* to another folder; from version 2 on */
#define RIGHT_TRUNCATE RIGHT(14) /* from version 3 on */
#define RIGHT_CONTROL RIGHT(15)	 /* ioctl of devices; from version 5 on */

/* What is needed in a folder for outputs.  They are new files, which are not
 * truncated. */
#define RIGHTS_FOLDER \
	(RIGHT_WRITE | RIGHT_REMOVE_FILE | RIGHT_MAKE_FOLDER | \
	 RIGHT_MAKE_FILE | RIGHT_MAKE_LINK)

struct ruleset {
	uint64_t files;
	uint64_t network; /* from version 4 on */
	uint64_t scopes;  /* from version 6 on */
};

struct beneath {
	uint64_t allowed;
	int32_t place;
} __attribute__((packed));

int sandbox_files_version(void)
{
	long version = syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);

	return version > 0 ? (int)version : 0;
}

/* The rights that S takes away everywhere, as VERSION of Landlock knows them.
 * Sets *SIZE to the part of the set that VERSION knows. */
static struct ruleset rights(const struct sandbox *s, int version, size_t *size)
{
	struct ruleset set = {
		.files = RIGHT_EXECUTE | RIGHT_WRITE | RIGHT_REMOVE_FOLDER |
			 RIGHT_REMOVE_FILE | RIGHTS_MAKE,
	};

	if (s->restricts_inputs)
		set.files |= RIGHT_READ | RIGHT_LIST;
	if (version >= 2)
		set.files |= RIGHT_MOVE;
	if (version >= 3)
		set.files |= RIGHT_TRUNCATE;
	if (version >= 5)
		set.files |= RIGHT_CONTROL;
	/* Binding and connecting of TCP sockets. */
	if (version >= 4)
		set.network = RIGHT(0) | RIGHT(1);
	/* Abstract Unix sockets, and signals. */
	if (version >= 6)
		set.scopes = RIGHT(0) | RIGHT(1);
	*size = version < 4   ? offsetof(struct ruleset, network)
		: version < 6 ? offsetof(struct ruleset, scopes)
			      : sizeof(set);
	return set;
}

/* Grant rights at PLACE in the rules RULES: FOLDER if PLACE is a folder, else
 * FILE. */
static bool allow(int rules, int place, uint64_t folder, uint64_t file)
{
	struct beneath rule = { .place = place };
	struct stat st;

	if (fstat(place, &st) != 0)
		return false;
	rule.allowed = S_ISDIR(st.st_mode) ? folder : file;
	/* Pipes without a name are not restricted: EBADFD. */
	return syscall(ADD_RULE, rules, RULE_BENEATH, &rule, 0) == 0 ||
	       errno == EBADFD;
}

bool sandbox_files_restrict(const struct sandbox *s, int version)
{
	size_t size;
	const struct ruleset set = rights(s, version, &size);
	int rules = (int)syscall(CREATE_RULESET, &set, size, 0);
	bool done = rules >= 0;

	for (unsigned i = 0; done && i < s->output_count; i++)
		done = allow(rules, s->outputs[i], RIGHTS_FOLDER,
			     RIGHT_WRITE);
	for (unsigned i = 0; done && i < s->parent_count; i++)
		done = allow(rules, s->parents[i], RIGHT_REMOVE_FOLDER, 0);
	for (unsigned i = 0; done && i < s->input_count; i++)
		/* A folder is opened, and refused then. */
		done = allow(rules, s->inputs[i], RIGHT_LIST, RIGHT_READ);
	done = done && syscall(RESTRICT_SELF, rules, 0) == 0;
	if (rules >= 0)
		close(rules);
	return done;
}

/* ---- rights -------------------------------------------------------------- */

/* struct __user_cap_header_struct and __user_cap_data_struct of
 * <linux/capability.h>. */
struct capability_header {
	uint32_t version;
	int32_t pid;
};

struct capability_data {
	uint32_t effective, permitted, inheritable;
};

#define CAPABILITIES 0x20080522 /* the version: two words of 32 bits */
/* For files of other users: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER.
 */
#define KEPT_LOW 0xeu
/* For the addresses in /proc/kallsyms: CAP_SYSLOG, 34. */
#define KEPT_HIGH (1u << 2)

/* As root: give up all capabilities that access to files does not need.
 * CAP_PERFMON, for one, reads the environment of all processes.  Returns
 * whether that worked. */
static bool drop_capabilities(void)
{
	struct capability_header header = { .version = CAPABILITIES };
	struct capability_data data[2] = { { 0 } };

	if (syscall(SYS_capget, &header, data) != 0)
		return false;
	data[0].permitted &= KEPT_LOW;
	data[1].permitted &= KEPT_HIGH;
	for (int i = 0; i < 2; i++) {
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) == 0;
}

bool sandbox_files_drop_rights(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       drop_capabilities();
}
