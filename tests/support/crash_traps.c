/* SPDX-License-Identifier: MIT */
/*
 * crash_traps.c - examples/crash_handler.c with traps: during the handler every
 * allocation ends the program with status 99, and every system call but those
 * of the list below ends the program by SIGSYS.  Prints how much of the
 * stack of the handler was used. 
 */
#define CRASH_HANDLER_NO_MAIN
#include "../../examples/crash_handler.c"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static volatile sig_atomic_t handling;

static void check_allocation(void)
{
	static const char message[] = "an allocation in the handler\n";

	if (handling && write(STDERR_FILENO, message, sizeof(message) - 1))
		_exit(99);
}

void *malloc(size_t size)
{
	check_allocation();
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	check_allocation();
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	check_allocation();
	return __libc_realloc(old, size);
}

void free(void *old)
{
	check_allocation();
	__libc_free(old);
}

#define ALLOW(call)                                                  \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),       \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* From here on only these system calls are allowed. */
static bool forbid(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		ALLOW(write),
		ALLOW(process_vm_readv),
		ALLOW(getpid),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter), .filter = filter
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The bytes of the handler's stack that are no longer as main left them. */
static size_t stack_used(void)
{
	size_t unused = 0;

	while (unused < sizeof(stack) && stack[unused] == 0x5a)
		unused++;
	return sizeof(stack) - unused;
}

static void trap(int signal, siginfo_t *info, void *context)
{
	struct text line = { 0 };

	if (!forbid())
		_exit(77);
	handling = 1;
	handle(signal, info, context);
	put(&line, "stack used: ");
	put_number(&line, stack_used(), 10);
	put(&line, "\n");
	flush(&line);
	_exit(0);
}

static inline __attribute__((always_inline)) int read_at(const int *at)
{
	return *at;
}

static int depth(const int *at, int levels)
{
	return levels ? depth(at, levels - 1) + 1 : read_at(at);
}

int main(int argc, char **argv)
{
	struct gsym_store *store = gsym_store_new();
	struct sigaction action = {
		.sa_sigaction = trap,
		.sa_flags = SA_SIGINFO | SA_ONSTACK,
	};

	if (!store || !crash_handler_install(store))
		return 2;
	memset(stack, 0x5a, sizeof(stack));
	sigaction(SIGSEGV, &action, NULL);
	/* With an argument: a handler that allocates, which has to be seen. */
	if (argc > 1) {
		handling = 1;
		return malloc((size_t)argc) == NULL;
	}
	return depth((const int *)argv[1], 3) + argc;
}
