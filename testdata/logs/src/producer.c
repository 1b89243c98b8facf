/* Crashes, and prints its stack, in several ways: producer HOW.  Tests look for
 * the lines with the words in comments. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile int value, zero;
volatile char sink;
/* What another file of the program sets, to print the stack in a way of its
 * own. */
int (*hook)(void);

static void print_stack(int fd)
{
	void *stack[32];
	int count = backtrace(stack, 32); /* PRINT */

	if (fd == 2) {
		backtrace_symbols_fd(stack, count, fd);
		return;
	}
	char **lines = backtrace_symbols(stack, count);

	for (int i = 0; lines && i < count; i++)
		puts(lines[i]);
	free(lines);
}

static void print_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps))
		fputs(line, stderr);
	if (maps)
		fclose(maps);
}

static void handler(int number)
{
	(void)number;
	print_stack(2);
	_exit(0);
}

__attribute__((noinline)) int leaf(const char *how, char *bytes, int count)
{
	if (!strcmp(how, "overflow"))
		sink = bytes[count]; /* OVERFLOW */
	if (!strcmp(how, "unset") && bytes[3]) /* UNSET */
		value = 3;
	if (!strcmp(how, "segv") || !strcmp(how, "handled"))
		value = *(volatile int *)(long)zero; /* SEGV */
	if (!strcmp(how, "shift"))
		value = 1 << (count + zero + 32); /* SHIFT */
	if (!strcmp(how, "symbols_fd"))
		print_stack(2); /* FD */
	if (!strcmp(how, "symbols"))
		print_stack(1); /* SYMBOLS */
	if (!strcmp(how, "hook") && hook)
		value = hook(); /* HOOK */
	if (!strcmp(how, "wait"))
		for (;;)
			pause(); /* WAIT */
	return value + 1;
}

__attribute__((noinline)) int middle(const char *how, char *bytes, int count)
{
	int result = leaf(how, bytes, count); /* MIDDLE */

	return result + zero;
}

static void *racer(void *unused)
{
	for (int i = 0; i < 1000; i++)
		value++; /* RACE */
	return unused;
}

static void race(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, racer, NULL);
	racer(NULL);
	pthread_join(thread, NULL);
}

static __attribute__((noinline)) void leak(void)
{
	char *volatile lost = malloc(77); /* LEAK */

	lost = NULL;
	(void)lost;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char *bytes = malloc(8);
	int result;

	if (getenv("PRODUCER_MAPS"))
		print_maps();
	if (!strcmp(how, "handled"))
		signal(SIGSEGV, handler);
	if (!strcmp(how, "race"))
		race();
	if (!strcmp(how, "leak"))
		leak();
	result = middle(how, bytes, 8); /* MAIN */
	free(bytes);
	return result == 12345;
}
