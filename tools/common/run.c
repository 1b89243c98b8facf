/* SPDX-License-Identifier: MIT */
/* Runs another program within a limit of time, and a function on threads; lets
 * this process do no more than it needs while it reads foreign files. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gsym/types.h>

#include "base/system.h"
#include "common/file.h"
#include "common/report.h"
#include "common/run.h"

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

/* End the children of the program, which ends because of a limit. */
static void end_children(int number)
{
	(void)number;
	if (running > 0)
		kill(-running, SIGKILL);
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
	report_at_limit(end_children);
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
	report_leave_limits();
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

/* ---- the sandbox, and limits of this process ----------------------------- */

/* Sanitizers make processes and take terabytes of addresses. */
enum { POSSIBLE = !RUN_SANITIZED };

/* The most files of sandbox_read_files. */
enum { INPUTS = 4 };

static enum sandbox_mode asked;

void sandbox_ask(enum sandbox_mode mode)
{
	asked = mode;
}

enum sandbox_mode sandbox_asked(void)
{
	return asked;
}

/* ---- entering ------------------------------------------------------------ */

/* What the kernel lacks for a sandbox, or NULL. */
static const char *find_missing(int version, bool calls)
{
	if (!POSSIBLE)
		return "it was built with a sanitizer, which needs what a "
		       "sandbox refuses";
	if (!version && !calls)
		return "this kernel has neither Landlock nor seccomp, so it "
		       "restricts nothing";
	if (!version)
		return "this kernel has no Landlock, so it does not restrict "
		       "files";
	if (!calls)
		return "this kernel has no seccomp for this architecture, so "
		       "it does not restrict system calls";
	return NULL;
}

/* The needs of S that can be granted with VERSION of Landlock. */
static unsigned find_needs(const struct sandbox *s, int version)
{
	unsigned needs = s->needs;

	if (s->output_count)
		needs |= SANDBOX_WRITE;
	if (s->parent_count)
		needs |= SANDBOX_FOLDERS;
	if (version < 3)
		needs &= ~(unsigned)SANDBOX_ROOTS;
	return needs;
}

void sandbox_enter(const struct sandbox *s)
{
	int version = POSSIBLE ? sandbox_files_version() : 0;
	bool calls = POSSIBLE && sandbox_calls_possible();
	const char *missing = find_missing(version, calls);

	if (s->mode == SANDBOX_OFF)
		return;
	if (missing && s->mode == SANDBOX_ON)
		die("--sandbox: %s", missing);
	if (missing && s->tell)
		warn("note: --sandbox=try: %s", missing);
	if (!version && !calls)
		return;
	if (!sandbox_files_drop_rights())
		die("--sandbox: %s", strerror(errno));
	if (version && !sandbox_files_restrict(s, version))
		die("--sandbox: Landlock: %s", strerror(errno));
	if (calls && !sandbox_calls_restrict(find_needs(s, version)))
		die("--sandbox: seccomp: %s", strerror(errno));
	if (s->tell && !missing)
		warn("note: in a sandbox: Landlock %d, seccomp", version);
}

void sandbox_narrow(const struct sandbox *s, unsigned needs)
{
	if (s->mode != SANDBOX_OFF && POSSIBLE && sandbox_calls_possible() &&
	    !sandbox_calls_restrict(needs))
		die("--sandbox: seccomp: %s", strerror(errno));
}

void sandbox_read_files(enum sandbox_mode mode, const char *const *paths)
{
	int inputs[INPUTS];
	struct sandbox s = { .mode = mode, .inputs = inputs,
			     .restricts_inputs = true };

	for (size_t i = 0; paths[i] && i < INPUTS; i++) {
		int fd = gsym_system_find(AT_FDCWD, paths[i], 0);

		/* Whoever opens the file reports that there is none. */
		if (fd >= 0)
			inputs[s.input_count++] = fd;
	}
	sandbox_enter(&s);
	for (unsigned i = 0; i < s.input_count; i++)
		close(inputs[i]);
}

void sandbox_memory(uint64_t bytes)
{
	struct rlimit limit;

	if (!POSSIBLE)
		return;
	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		die("--max-memory: %s", strerror(errno));
	if ((uint64_t)limit.rlim_max <= bytes)
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
