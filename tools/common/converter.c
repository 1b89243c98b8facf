/* SPDX-License-Identifier: MIT */
/* Runs gsym-create as a child process. */
#include "config.h"

#include "common/converter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/report.h"

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

/* The shadow memory of AddressSanitizer is larger than any limit. */
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { LIMIT_MEMORY = 0 };
#else
enum { LIMIT_MEMORY = 1 };
#endif

/* gsym-create takes some 5 times the size of a debug file with compressed
 * sections, and a stack for each thread. */
enum { MEMORY_FACTOR = 32 };
#define MEMORY_BASE (UINT64_C(1) << 30)
#define MEMORY_THREAD (UINT64_C(16) << 20)

const char *converter_program(const char *name, char *path, size_t size)
{
	size_t room = strlen(name) + 1;
	ssize_t length = readlink("/proc/self/exe", path, size - room);
	if (length <= 0)
		return name;
	path[length] = 0;
	char *slash = strrchr(path, '/');
	if (!slash)
		return name;
	memcpy(slash + 1, name, room);
	return access(path, X_OK) == 0 ? path : name;
}

/* ---- limits -------------------------------------------------------------- */

struct limits {
	/* Bytes of data, and of stacks. */
	uint64_t memory;
	/* Seconds of CPU time of all threads.  Usually the parent ends the
	 * converter after C->seconds; this limit is for a parent that is
	 * stopped. */
	uint64_t processors;
};

/* The limits for the conversion of INPUT. */
static struct limits find_limits(const struct converter *c, const char *input)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t threads = online > 0 ? (uint64_t)online : 1;
	struct stat st;
	uint64_t size = stat(input, &st) == 0 ? (uint64_t)st.st_size : 0;
	return (struct limits){
		.memory = c->memory ? c->memory
				    : MEMORY_BASE + MEMORY_FACTOR * size +
					      MEMORY_THREAD * threads,
		.processors = c->seconds * threads,
	};
}

/* Lower a limit of this process to VALUE. */
static void limit(int resource, uint64_t value)
{
	struct rlimit now;
	if (getrlimit(resource, &now) != 0 || now.rlim_max <= value)
		return;
	now.rlim_cur = now.rlim_max = value;
	setrlimit(resource, &now);
}

/* ---- the process --------------------------------------------------------- */

/* In the child of PARENT: run the converter, which inherits the two descriptors
 * INHERITED. */
_Noreturn static void run_child(const char *const *args, pid_t parent,
				const int *inherited,
				const struct limits *limits, bool silent)
{
	int null = open("/dev/null", O_RDWR);
	/* The converter ends when its parent ends, in any way. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		if (silent)
			dup2(null, STDERR_FILENO);
	}
	for (size_t i = 0; i < 2; i++)
		fcntl(inherited[i], F_SETFD, 0);
	signal(SIGPIPE, SIG_DFL);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, limits->processors);
	if (LIMIT_MEMORY)
		limit(RLIMIT_DATA, limits->memory);
	execvp(args[0], (char *const *)args);
	warn("cannot run '%s': %s", args[0], strerror(errno));
	_exit(127);
}

enum end {
	END_ITSELF, /* the converter has ended */
	END_LATE,   /* its time is up */
	END_WOKEN,  /* the caller's descriptor can be read */
};

/* Wait until the other end of ALIVE is closed, within the limits of C. */
static enum end wait_for_end(const struct converter *c, int alive)
{
	int64_t deadline = clock_milliseconds() + (int64_t)c->seconds * 1000;
	for (;;) {
		/* poll skips an entry whose descriptor is -1. */
		struct pollfd both[2] = {
			{ .fd = alive, .events = POLLIN },
			{ .fd = c->wake, .events = POLLIN },
		};
		int64_t left = deadline - clock_milliseconds();
		if (left <= 0)
			return END_LATE;
		if (poll(both, 2, left < INT_MAX ? (int)left : INT_MAX) <= 0)
			continue;
		if (both[1].revents)
			return END_WOKEN;
		if (both[0].revents)
			return END_ITSELF;
	}
}

/* The reason why a converter failed; NULL if it did not fail. */
static const char *verdict(enum end end, int status)
{
	if (end != END_ITSELF)
		return end == END_WOKEN ? "interrupted" : "it takes too long";
	if (WIFSIGNALED(status))
		return strsignal(WTERMSIG(status));
	return WEXITSTATUS(status) ? "gsym-create failed" : NULL;
}

const char *converter_run(const struct converter *c, const char *option,
			  const char *output, const char *input,
			  int inherited)
{
	char program[PATH_MAX];
	const char *args[12] = { converter_program("gsym-create", program,
						   sizeof(program)),
				 "--quiet", "--sandbox=try", option, output };
	size_t count = 5;
	struct limits limits = find_limits(c, input);
	pid_t parent = getpid();
	int alive[2], status = 0;
	if (c->data)
		args[count++] = "--data-symbols";
	if (c->debug_file) {
		args[count++] = "--debug-file";
		args[count++] = c->debug_file;
	}
	args[count++] = "--";
	args[count++] = input;
	/* The write end is closed when the child has ended. */
	if (pipe2(alive, O_CLOEXEC) != 0)
		return strerror(errno);
	const int kept[] = { alive[1], inherited };
	pid_t child = fork();
	if (child == 0)
		run_child(args, parent, kept, &limits, c->silent);
	int error = errno;
	close(alive[1]);
	enum end end = child > 0 ? wait_for_end(c, alive[0]) : END_ITSELF;
	close(alive[0]);
	if (child < 0)
		return strerror(error);
	if (end != END_ITSELF)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return verdict(end, status);
}
