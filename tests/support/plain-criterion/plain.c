/* SPDX-License-Identifier: MIT */
/* The runner of the stand-in for criterion: runs each test in a process of its
 * own and reports as TAP, whatever the arguments.  Where a system cannot make
 * processes, all tests run in one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <criterion/criterion.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* Emulators are that much slower than the machine. */
	SLOWER = 20,
	/* Seconds for a test without a timeout: only a test that hangs takes
	 * so long, even under an emulator on a busy machine. */
	PATIENCE = 3600,
};

/* What the process of a test tells the runner, in shared memory. */
static struct {
	unsigned failures;
	bool ended;
	bool skipped;
	char reason[200];
} *state;

static struct plain_test *tests;
static struct plain_test **last_test = &tests;
/* Standard output, even if the test redirects it. */
static FILE *report;
static pid_t child;
/* Where a test in this process ends; NULL in a process of a test. */
static jmp_buf *end_here;

void plain_register(struct plain_test *test)
{
	*last_test = test;
	last_test = &test->next;
}

static _Noreturn void end_test(void)
{
	fflush(NULL);
	if (end_here)
		longjmp(*end_here, 1);
	_exit(0);
}

void plain_fail(bool fatal, const char *file, int line, const char *what,
		const char *format, ...)
{
	va_list args;

	fprintf(report, "# %s:%d: %s: ", file, line, what);
	va_start(args, format);
	vfprintf(report, format, args);
	va_end(args);
	fprintf(report, "\n");
	state->failures++;
	if (fatal)
		end_test();
}

_Noreturn void plain_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(state->reason, sizeof(state->reason), format, args);
	va_end(args);
	state->skipped = true;
	end_test();
}

static void end_child(int number)
{
	(void)number;
	kill(child, SIGKILL);
}

static const struct plain_test *suite_of(const struct plain_test *test)
{
	for (const struct plain_test *each = tests; each; each = each->next)
		if (!each->name && !strcmp(each->suite, test->suite))
			return each;
	return NULL;
}

/* In the process of the test. */
static _Noreturn void run(const struct plain_test *test, void *param)
{
	const struct plain_test *suite = suite_of(test);

	if (suite && suite->options.init)
		suite->options.init();
	if (test->options.init)
		test->options.init();
	if (param)
		test->run_with(param);
	else
		test->run();
	if (test->options.fini)
		test->options.fini();
	if (suite && suite->options.fini)
		suite->options.fini();
	state->ended = true;
	end_test();
}

/* Run TEST in this process. */
static void run_here(const struct plain_test *test, void *param)
{
	jmp_buf end;

	end_here = &end;
	if (!setjmp(end))
		run(test, param);
}

/* Run TEST, with PARAM unless that is NULL.  Returns whether it passed. */
static bool judge(const struct plain_test *test, void *param)
{
	double patience = test->options.timeout * SLOWER;
	const char *why = NULL;
	int status = 0;

	memset(state, 0, sizeof(*state));
	fflush(NULL);
	child = fork();
	if (child < 0 && errno != ENOSYS)
		abort();
	if (!child)
		run(test, param);
	if (child < 0) {
		run_here(test, param);
	} else {
		alarm(patience > 0 ? (unsigned)patience : PATIENCE);
		while (waitpid(child, &status, 0) < 0)
			;
		alarm(0);
	}
	if (WIFSIGNALED(status))
		why = WTERMSIG(status) == SIGKILL ? "it takes too long"
						  : strsignal(WTERMSIG(status));
	else if (!state->ended && !state->skipped && !state->failures &&
		 WEXITSTATUS(status) != test->options.exit_code)
		why = "another exit status";
	if (why)
		printf("# %s\n", why);
	printf("%s - %s::%s%s%s\n",
	       why || state->failures ? "not ok" : "ok", test->suite,
	       test->name, state->skipped ? " # SKIP " : "",
	       state->skipped ? state->reason : "");
	return !why && !state->failures;
}

int main(int argc, char **argv)
{
	unsigned count = 0, failed = 0;

	(void)argc;
	(void)argv;
	report = fdopen(dup(1), "w");
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!report || state == MAP_FAILED)
		abort();
	signal(SIGALRM, end_child);
	for (struct plain_test *test = tests; test; test = test->next) {
		struct criterion_test_params params = { 0 };

		if (!test->name || test->options.disabled)
			continue;
		if (!test->params) {
			failed += !judge(test, NULL);
			count++;
			continue;
		}
		params = test->params();
		for (size_t i = 0; i < params.length; i++) {
			failed += !judge(test, (char *)params.params +
						       i * params.size);
			count++;
		}
	}
	printf("1..%u\n", count);
	return failed > 0;
}
