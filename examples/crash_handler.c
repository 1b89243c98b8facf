/* SPDX-License-Identifier: MIT */
/*
 * crash_handler - a program that prints the stack of its own crash, with the
 * functions, files and lines of its GSYM files.
 *
 *	cc -g -fno-omit-frame-pointer crash_handler.c -o crash_handler \
 *		$(pkg-config --cflags --libs gsym)
 *	gsym-create crash_handler
 *	./crash_handler
 *
 * crash_handler_install opens everything at the start of the program.  The
 * handler runs on a stack of 16 KiB of its own.  It calls nothing but
 * gsym_process_find, gsym_process_get_module, gsym_process_lookup, and the
 * system calls write, process_vm_readv and getpid: no malloc, no lock, no
 * stdio.
 *
 * The stack is walked by frame pointers, so the program has to be compiled with
 * -fno-omit-frame-pointer; x86-64 and arm64 alone.  In optimised programs the
 * caller of a function that calls nothing may be missing, since compilers give
 * such a function no frame.
 */
#define _GNU_SOURCE
#include <gsym/process.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 16384, MOST_FRAMES = 64, MOST_INLINED = 8 };

static struct gsym_process *process;
static char stack[STACK_BYTES] __attribute__((aligned(16)));

/* ---- text, without stdio ------------------------------------------------ */

struct text {
	size_t size;
	char bytes[512];
};

static void put(struct text *to, const char *text)
{
	while (*text && to->size < sizeof(to->bytes))
		to->bytes[to->size++] = *text++;
}

static void put_number(struct text *to, uint64_t number, unsigned base)
{
	char digits[24], *at = digits + sizeof(digits) - 1;

	*at = 0;
	do
		*--at = "0123456789abcdef"[number % base];
	while (number /= base);
	put(to, at);
}

static void flush(struct text *to)
{
	const char *at = to->bytes;

	while (to->size) {
		ssize_t written = write(STDERR_FILENO, at, to->size);

		if (written <= 0)
			break;
		at += written;
		to->size -= (size_t)written;
	}
	to->size = 0;
}

/* ---- frames ------------------------------------------------------------- */

static void put_frame(struct text *to, const struct gsym_frame *frame)
{
	put(to, frame->function);
	if (*frame->basename) {
		put(to, " at ");
		put(to, frame->directory);
		put(to, *frame->directory ? "/" : "");
		put(to, frame->basename);
		put(to, ":");
		put_number(to, frame->line, 10);
	}
	put(to, frame->inlined ? " (inlined)\n" : "\n");
}

/* The module and the address in it, for code without a GSYM file. */
static void put_place(struct text *to, uint64_t address)
{
	struct gsym_process_place place;
	struct gsym_process_module module;

	if (gsym_process_find(process, address, &place) == GSYM_OK &&
	    gsym_process_get_module(process, place.module, &module) ==
		    GSYM_OK) {
		put(to, module.path);
		put(to, "+0x");
		put_number(to, place.address, 16);
	} else {
		put(to, "??");
	}
	put(to, "\n");
}

/* Print frame NUMBER of the stack, whose code is at ADDRESS. */
static void show(unsigned number, uint64_t address)
{
	struct gsym_frame frames[MOST_INLINED];
	struct gsym_match match = { 0 };
	struct text line = { 0 };
	uint32_t count = 0;

	if (gsym_process_lookup(process, address, 0, frames, MOST_INLINED,
				&match, NULL) == GSYM_OK)
		count = match.frame_count < MOST_INLINED ? match.frame_count
							 : MOST_INLINED;
	for (uint32_t i = 0; i < count || i == 0; i++) {
		put(&line, "#");
		put_number(&line, number, 10);
		put(&line, " 0x");
		put_number(&line, address, 16);
		put(&line, " ");
		if (count)
			put_frame(&line, &frames[i]);
		else
			put_place(&line, address);
		flush(&line);
	}
}

/* Read SIZE bytes at FROM, which may be no memory at all. */
static bool peek(uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)from, size };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
	       (ssize_t)size;
}

/* Print the stack from the instruction PC and the frame pointer FRAME on. */
static void walk(uint64_t pc, uint64_t frame)
{
	show(0, pc);
	for (unsigned number = 1; number < MOST_FRAMES; number++) {
		uint64_t next[2]; /* the caller's frame, the return address */

		if (!peek(frame, next, sizeof(next)) || !next[1])
			break;
		/* The call is before the return address. */
		show(number, next[1] - 1);
		if (next[0] <= frame)
			break;
		frame = next[0];
	}
}

static void handle(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *u = context;
	struct text head = { 0 };

	(void)info;
	put(&head, "crashed with signal ");
	put_number(&head, (uint64_t)signal, 10);
	put(&head, "\n");
	flush(&head);
#if defined(__x86_64__)
	walk((uint64_t)u->uc_mcontext.gregs[REG_RIP],
	     (uint64_t)u->uc_mcontext.gregs[REG_RBP]);
#elif defined(__aarch64__)
	walk(u->uc_mcontext.pc, u->uc_mcontext.regs[29]);
#else
	(void)u;
	(void)walk;
#endif
}

/* Print the stack when the program crashes.  Returns false without memory. */
bool crash_handler_install(struct gsym_store *store)
{
	const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_sigaction = handle,
		/* The second time the signal ends the program. */
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND,
	};

	if (gsym_process_open_self(&process, NULL) != GSYM_OK ||
	    gsym_process_load(process, store, NULL) != GSYM_OK ||
	    sigaltstack(&alternate, NULL) != 0)
		return false;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
	return true;
}

#ifndef CRASH_HANDLER_NO_MAIN
static inline __attribute__((always_inline)) int divide(int a, const int *b)
{
	return a / *b;
}

static int average(const int *values, const int *count)
{
	return divide(values[0] + values[1], count);
}

int main(int argc, char **argv)
{
	struct gsym_store *store = gsym_store_new();
	int values[2] = { argc, 2 };

	(void)argv;
	if (!store || gsym_store_add_debug_directory(store, "/usr/lib/debug") !=
			      GSYM_OK ||
	    !crash_handler_install(store))
		return 2;
	return average(values, NULL);
}
#endif
