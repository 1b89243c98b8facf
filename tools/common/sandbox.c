/* SPDX-License-Identifier: MIT */
/* Enters the sandbox, and sets limits. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/system.h"
#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "common/sandbox.h"

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
