/* SPDX-License-Identifier: MIT */
/* Lookups with one reader on many threads, and in a signal handler. */
#include "answers.h"

#include <pthread.h>
#include <signal.h>

static const struct gsym_reader *shared;
static volatile sig_atomic_t handled, wrong;

static const struct { uint64_t at; const char *function; uint32_t frames; }
wanted[] = {
	{ 0x1016, "inner", 3 }, { 0x1030, "late", 2 }, { 0x1065, "merged", 1 },
	{ 0x2006, "long", 1 }, { 0x1028, "outer", 1 },
};

/* Look up all WANTED addresses.  Returns how many answers are wrong. */
static unsigned round_of_lookups(void)
{
	unsigned bad = 0;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct gsym_frame frames[4];
		struct gsym_match match;

		if (gsym_lookup(shared, wanted[i].at, 0, frames, 4, &match,
				NULL) != GSYM_OK ||
		    match.frame_count != wanted[i].frames ||
		    strcmp(frames[0].function, wanted[i].function) != 0)
			bad++;
	}
	return bad;
}

static void *look_up_often(void *bad)
{
	for (int i = 0; i < 20000; i++)
		*(unsigned *)bad += round_of_lookups();
	return NULL;
}

Test(threads, many_use_one_reader)
{
	size_t size;
	uint8_t *bytes = gb_rich(1, true, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);
	pthread_t threads[8];
	unsigned bad[8] = { 0 };

	shared = reader;
	for (int i = 0; i < 8; i++)
		cr_assert(!pthread_create(&threads[i], NULL, look_up_often,
					  &bad[i]));
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		cr_expect(bad[i] == 0, "thread %d: %u", i, bad[i]);
	}
	gsym_close(reader);
	free(bytes);
}

static void on_signal(int number)
{
	(void)number;
	if (round_of_lookups())
		wrong = 1;
	handled++;
}

Test(threads, a_signal_handler_may_look_up)
{
	size_t size;
	uint8_t *bytes = gb_rich(2, false, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);
	struct sigaction action = { .sa_handler = on_signal };
	stack_t stack = { .ss_size = 32768 };

	/* The handler runs on a small stack. */
	if ((size_t)SIGSTKSZ > stack.ss_size)
		stack.ss_size = (size_t)SIGSTKSZ;
	stack.ss_sp = malloc(stack.ss_size);
	action.sa_flags = SA_ONSTACK;
	shared = reader;
	cr_assert(sigaltstack(&stack, NULL) == 0);
	cr_assert(sigaction(SIGUSR1, &action, NULL) == 0);
	for (int i = 0; i < 100; i++) {
		raise(SIGUSR1);
		cr_assert(round_of_lookups() == 0);
	}
	cr_expect(handled == 100 && !wrong);
	gsym_close(reader);
	free(bytes);
	action.sa_handler = SIG_DFL;
	sigaction(SIGUSR1, &action, NULL);
	sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
	free(stack.ss_sp);
}
