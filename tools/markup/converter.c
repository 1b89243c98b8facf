/* SPDX-License-Identifier: MIT */
/* Runs gsym-create for a debug file, within limits of time and memory. */
#include "config.h"

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

#include "common/report.h"
#include "markup/markup.h"

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

/* The program to run: gsym-create in the folder of this program, or else in
 * PATH. */
static const char *converter(char *path, size_t size)
{
	static const char name[] = "gsym-create";
	ssize_t length = readlink("/proc/self/exe", path, size - sizeof(name));
	if (length <= 0)
		return name;
	path[length] = 0;
	char *slash = strrchr(path, '/');
	if (!slash)
		return name;
	memcpy(slash + 1, name, sizeof(name));
	return access(path, X_OK) == 0 ? path : name;
}

/* ---- limits -------------------------------------------------------------- */

struct limits {
	/* Bytes of data, and of stacks. */
	uint64_t memory;
	/* Seconds of all processors together.  The parent looks at the clock;
	 * this is for a parent that is stopped. */
	uint64_t processors;
};

/* The limits for the conversion of INPUT. */
static struct limits find_limits(const struct markup *m, const char *input)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t threads = online > 0 ? (uint64_t)online : 1;
	struct stat st;
	uint64_t size = stat(input, &st) == 0 ? (uint64_t)st.st_size : 0;
	return (struct limits){
		.memory = m->convert_memory
				  ? m->convert_memory
				  : MEMORY_BASE + MEMORY_FACTOR * size +
					    MEMORY_THREAD * threads,
		.processors = m->convert_time * threads,
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

/* In the child of PARENT: run the converter, with two descriptors INHERITED. */
_Noreturn static void run_child(const char *const *args, pid_t parent,
				const int *inherited,
				const struct limits *limits)
{
	int null = open("/dev/null", O_RDWR);
	/* The converter ends with its parent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
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

/* Wait until the other end of ALIVE is closed, at most SECONDS.  False if the
 * time is up or a signal came. */
static bool wait_for_end(int alive, uint64_t seconds)
{
	long deadline = markup_milliseconds() + (long)seconds * 1000;
	for (;;) {
		struct pollfd both[2] = {
			{ .fd = alive, .events = POLLIN },
			{ .fd = markup_signal_pipe(), .events = POLLIN },
		};
		long left = deadline - markup_milliseconds();
		if (left <= 0 || markup_interrupted())
			return false;
		if (poll(both, 2, left < INT_MAX ? (int)left : INT_MAX) > 0 &&
		    both[0].revents)
			return true;
	}
}

/* What went wrong with a converter; NULL if nothing did. */
static const char *verdict(bool in_time, int status)
{
	if (!in_time)
		return markup_interrupted() ? "interrupted"
					    : "it takes too long";
	if (WIFSIGNALED(status))
		return strsignal(WTERMSIG(status));
	return WEXITSTATUS(status) ? "gsym-create failed" : NULL;
}

const char *markup_converter_run(const struct markup *m, const char *input,
				 const struct markup_folder *folder)
{
	char program[PATH_MAX];
	const char *args[] = { converter(program, sizeof(program)),
			       "--quiet",
			       "--install",
			       folder->path,
			       "--",
			       input,
			       NULL };
	struct limits limits = find_limits(m, input);
	pid_t parent = getpid();
	int alive[2], status = 0;
	/* The write end is closed when the child has ended. */
	if (pipe2(alive, O_CLOEXEC) != 0)
		return strerror(errno);
	const int inherited[] = { alive[1], folder->lock };
	pid_t child = fork();
	if (child == 0)
		run_child(args, parent, inherited, &limits);
	int error = errno;
	close(alive[1]);
	bool in_time = child > 0 && wait_for_end(alive[0], m->convert_time);
	close(alive[0]);
	if (child < 0)
		return strerror(error);
	if (!in_time)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return verdict(in_time, status);
}
