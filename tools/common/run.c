/* SPDX-License-Identifier: MIT */
/* Runs another program within a limit of time, and a function on threads. */
#include "config.h"

#include "common/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gsym/types.h>

#include "base/system.h"

/* Milliseconds between two looks at the child. */
enum { LOOK = 50 };

const char *run_find(const char *name, char *path, size_t size)
{
	size_t room = strlen(name) + 1;
	char *slash;

	if (!gsym_system_program(path, size - room))
		return name;
	slash = strrchr(path, '/');
	if (!slash)
		return name;
	memcpy(slash + 1, name, room);
	return access(path, X_OK) == 0 ? path : name;
}

/* ---- signals ------------------------------------------------------------- */

/* The process group of the program that runs; 0: none. */
static volatile pid_t running;

/* The signals that end the program, and what they did before. */
static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { SIGNALS = sizeof(signals) / sizeof(*signals) };
static struct sigaction before[SIGNALS];

/* End the program and its children, then do what the signal did before. */
static void end_program(int number)
{
	pid_t group = running;

	if (group > 0)
		kill(-group, SIGKILL);
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number)
			sigaction(number, &before[i], NULL);
	raise(number);
}

void run_end_by_signals(void)
{
	struct sigaction action = { .sa_handler = end_program }, now;

	for (size_t i = 0; i < SIGNALS; i++) {
		if (sigaction(signals[i], NULL, &now) != 0 ||
		    now.sa_handler == SIG_IGN || now.sa_handler == end_program)
			continue;
		before[i] = now;
		sigaction(signals[i], &action, NULL);
	}
}

void run_end_by_default(void)
{
	struct sigaction now;

	for (size_t i = 0; i < SIGNALS; i++)
		if (sigaction(signals[i], NULL, &now) == 0 &&
		    now.sa_handler != SIG_IGN)
			signal(signals[i], SIG_DFL);
	run_end_by_signals();
}

/* ---- the program --------------------------------------------------------- */

/* In the child of PARENT: run the program, which inherits the descriptor ALIVE.
 * OUTPUT is for its answer, or -1. */
_Noreturn static void become(const struct run_plan *c, pid_t parent, int alive,
			     int output)
{
	const struct rlimit no_core = { 0, 0 };
	int null = open("/dev/null", O_RDONLY);

	/* The program ends when this process is killed; its children do
	 * not. */
	gsym_system_end_with_parent(SIGKILL);
	if (getppid() != parent)
		_exit(RUN_CANNOT);
	setpgid(0, 0);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	c->prepare(c->owner);
	fcntl(alive, F_SETFD, 0);
	execvp(c->args[0], (char *const *)c->args);
	_exit(RUN_CANNOT);
}

/* Read what the program has written to OUTPUT, and keep what A has room for.
 * Returns whether there was something. */
static bool listen_to(struct run_answer *a, int output)
{
	char block[4096];
	ssize_t n = read(output, block, sizeof(block));
	size_t part = n > 0 ? (size_t)n : 0;

	if (part > a->room - a->size)
		part = a->room - a->size;
	memcpy(a->bytes + a->size, block, part);
	a->size += part;
	return n > 0;
}

/* Wait for the process CHILD until DEADLINE; its end closes the other end of
 * ALIVE.  Its answer comes from OUTPUT.  Returns NULL with *STATUS set, or why
 * the child has to be killed. */
static const char *wait_for(const struct run_plan *c, pid_t child, int alive,
			    int output, int64_t deadline, int *status)
{
	for (;;) {
		/* poll skips an entry whose descriptor is -1. */
		struct pollfd ends[3] = {
			{ .fd = alive, .events = POLLIN },
			{ .fd = c->wake, .events = POLLIN },
			{ .fd = output, .events = POLLIN },
		};
		int64_t left = deadline - clock_milliseconds();
		pid_t ended = waitpid(child, status, WNOHANG);

		if (ended == child)
			return NULL;
		if (ended < 0 && errno != EINTR)
			return strerror(errno);
		if (left <= 0)
			return "it takes too long";
		if (poll(ends, 3, left < LOOK ? (int)left : LOOK) <= 0)
			continue;
		if (ends[1].revents)
			return "interrupted";
		if (ends[2].revents && !listen_to(c->answer, output))
			output = -1;
		/* The end is a matter of moments, unless the program has closed
		 * the descriptor. */
		if (ends[0].revents)
			poll(NULL, 0, 1);
	}
}

/* Wait for CHILD, and end what is left of its group. */
static const char *attend(const struct run_plan *c, pid_t child, int alive,
			  int output, int *status)
{
	int64_t deadline = clock_milliseconds() + (int64_t)c->seconds * 1000;
	/* Done in both processes, as either may be first. */
	setpgid(child, child);
	running = child;
	const char *why =
		wait_for(c, child, alive, output, deadline, status);
	kill(-child, SIGKILL);
	while (output >= 0 && c->answer->size < c->answer->room &&
	       listen_to(c->answer, output))
		;
	running = 0;
	if (!why)
		return NULL;
	kill(child, SIGKILL);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return why;
}

const char *run_and_wait(const struct run_plan *c, int *status)
{
	pid_t parent = getpid();
	int alive[2], output[2] = { -1, -1 };

	if (!gsym_system_pipe(alive, 0))
		return strerror(errno);
	if (c->answer && !gsym_system_pipe(output, 0)) {
		close(alive[0]);
		close(alive[1]);
		return strerror(errno);
	}
	/* Where SIGCHLD is ignored no status comes. */
	signal(SIGCHLD, SIG_DFL);
	pid_t child = fork();
	if (child == 0)
		become(c, parent, alive[1], output[1]);
	int error = errno;
	close(alive[1]);
	if (c->answer) {
		close(output[1]);
		fcntl(output[0], F_SETFL, O_NONBLOCK);
	}
	const char *why = child > 0 ? attend(c, child, alive[0], output[0],
					     status)
				    : strerror(error);
	close(alive[0]);
	if (c->answer)
		close(output[0]);
	return why;
}

/* ---- threads ------------------------------------------------------------- */

unsigned run_threads_default(void)
{
	unsigned count = gsym_system_processors();

	return count < GSYM_THREADS_MAX ? count : GSYM_THREADS_MAX;
}

struct job {
	pthread_t thread;
	void (*work)(void *item);
	void *item;
	bool started;
};

static void *run_job(void *context)
{
	struct job *job = context;
	job->work(job->item);
	return NULL;
}

void run_threads(void (*work)(void *item), void *items, size_t size,
		 unsigned count)
{
	struct job jobs[GSYM_THREADS_MAX];
	for (unsigned i = 1; i < count; i++) {
		jobs[i] = (struct job){ .work = work,
					.item = (char *)items + i * size };
		jobs[i].started = pthread_create(&jobs[i].thread, NULL,
						 run_job, &jobs[i]) == 0;
	}
	if (count > 0)
		work(items);
	for (unsigned i = 1; i < count; i++) {
		/* The thread could not be started: do its work here. */
		if (jobs[i].started)
			pthread_join(jobs[i].thread, NULL);
		else
			work(jobs[i].item);
	}
}
