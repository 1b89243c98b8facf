/* SPDX-License-Identifier: MIT */
/* Runs gsym-create as a child process. */
#include "config.h"

#include "common/converter.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/child.h"

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

/* What the converter gets from this process. */
struct inheritance {
	struct limits limits;
	bool silent;
	/* See struct converter. */
	int input;
};

/* Close all descriptors but the standard ones when the program starts.  The
 * caller of this tool may have left some open, and what hostile input makes of
 * the converter must not write to them. */
static void close_at_start(void)
{
#ifdef SYS_close_range
	/* CLOSE_RANGE_CLOEXEC, since Linux 5.11. */
	if (syscall(SYS_close_range, 3u, UINT_MAX, 1u << 2) == 0)
		return;
#endif
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* In the child, before it becomes the converter: see child.h. */
static void prepare(const void *owner)
{
	const struct inheritance *in = owner;
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		if (in->silent)
			dup2(null, STDERR_FILENO);
	}
	close_at_start();
	if (in->input)
		fcntl(in->input, F_SETFD, 0);
	limit(RLIMIT_CPU, in->limits.processors);
	if (LIMIT_MEMORY)
		limit(RLIMIT_DATA, in->limits.memory);
}

/* The reason why a converter with the wait STATUS failed; NULL if it did not
 * fail. */
static const char *verdict(int status)
{
	if (WIFSIGNALED(status))
		return strsignal(WTERMSIG(status));
	if (WEXITSTATUS(status) == CHILD_CANNOT_RUN)
		return "gsym-create cannot be run";
	return WEXITSTATUS(status) ? "gsym-create failed" : NULL;
}

const char *converter_run(const struct converter *c, const char *option,
			  const char *output, const char *input)
{
	char program[PATH_MAX];
	const char *args[12] = { converter_program("gsym-create", program,
						   sizeof(program)),
				 "--quiet", "--sandbox=try", option, output };
	size_t count = 5;
	const struct inheritance in = {
		.limits = find_limits(c, input),
		.silent = c->silent,
		.input = c->input,
	};
	const struct child child = {
		.args = args,
		.seconds = c->seconds,
		.wake = c->wake,
		.prepare = prepare,
		.owner = &in,
	};
	int status;
	if (c->data)
		args[count++] = "--data-symbols";
	if (c->debug_file) {
		args[count++] = "--debug-file";
		args[count++] = c->debug_file;
	}
	args[count++] = "--";
	args[count++] = input;
	const char *why = child_run(&child, &status);
	return why ? why : verdict(status);
}
