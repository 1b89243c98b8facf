/* SPDX-License-Identifier: MIT */
/*
 * create/jobserver.c - how many threads a conversion takes where many run at
 * once: as many as the jobserver of make (or Ninja) has tokens for, or as other
 * conversions and the load of the machine leave.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "create/create.h"

/* The tokens that this process holds: bytes, which go back to the jobserver as
 * they came.  A process may always use one thread without a token. */
static struct {
	pid_t owner;
	int to; /* where the tokens go back */
	char tokens[GSYM_THREADS_MAX];
	size_t count;
} held;

/* Give all tokens back.  For signal handlers, too. */
static void give_back(void)
{
	/* Children of --recursive hold none. */
	if (held.owner != getpid())
		return;
	while (held.count &&
	       write(held.to, &held.tokens[held.count - 1], 1) == 1)
		held.count--;
}

/* The value of the last jobserver option in the MAKEFLAGS of the environment;
 * NULL: there is none. */
static const char *find_option(void)
{
	static const char *const names[] = { "--jobserver-auth=",
					     "--jobserver-fds=" };
	const char *flags = getenv("MAKEFLAGS"), *found = NULL;

	for (size_t i = 0; flags && !found && i < 2; i++)
		for (const char *at = flags; (at = strstr(at, names[i]));)
			found = at += strlen(names[i]);
	return found;
}

/* Whether FD is a pipe, as what a jobserver hands down. */
static bool is_pipe(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Open the pipe of the jobserver by OPTION: R,W are file descriptors, and
 * fifo:PATH is a named pipe.  Set *FROM, which never blocks, and *TO.  False:
 * the jobserver is not for this process. */
static bool open_server(const char *option, int *from, int *to)
{
	char path[4096], *end;
	int size = (int)strcspn(option, " "), in;

	if (strncmp(option, "fifo:", 5) == 0) {
		snprintf(path, sizeof(path), "%.*s", size - 5, option + 5);
		*from = *to = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		return is_pipe(*from);
	}
	in = (int)strtoul(option, &end, 10);
	*to = *end == ',' ? (int)strtoul(end + 1, NULL, 10) : -1;
	if (!is_pipe(in) || !is_pipe(*to))
		return false;
	/* Others share IN, and expect that reads of it block: only a second
	 * description of the pipe can be set not to. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
	*from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return *from >= 0;
}

/* Take up to MOST tokens of the jobserver by OPTION.  Returns whether it can be
 * used. */
static bool take_tokens(const char *option, unsigned most)
{
	int from = -1;
	ssize_t got = 0;

	if (!open_server(option, &from, &held.to)) {
		if (from >= 0)
			close(from);
		return false;
	}
	held.owner = getpid();
	if (most && !atexit(give_back)) {
		outfile_at_signal(give_back);
		got = read(from, held.tokens,
			   most < sizeof(held.tokens) ? most
						      : sizeof(held.tokens));
	}
	held.count = got > 0 ? (size_t)got : 0;
	if (from != held.to)
		close(from);
	return true;
}

/* The number of threads that run or wait for a processor now, besides this one;
 * 0: not known. */
static unsigned count_running(void)
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char text[128] = "", *at = text;
	unsigned running;

	/* Three averages come first. */
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	for (int i = 0; i < 3; i++)
		at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
	running = (unsigned)strtoul(at, NULL, 10);
	return running ? running - 1 : 0;
}

/* Whether PATH may be a stream: its reader or writer may take its time, and a
 * conversion that waits for it must not have others wait. */
static bool is_stream(const char *path)
{
	struct stat st;

	return path && (strcmp(path, "-") == 0 ||
			(stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
			 !S_ISDIR(st.st_mode)));
}

void create_take_tokens(struct create *create)
{
	const char *option = find_option();

	if (!create->threads && option &&
	    take_tokens(option, run_threads_default() - 1))
		create->threads = (unsigned)held.count + 1;
}

void create_take_turn(struct create *create)
{
	unsigned processors = run_threads_default(), busy, more;
	bool has_slot;

	if (create->threads)
		return;
	has_slot = !is_stream(create->input) && !is_stream(create->output) &&
		   create_wait_for_slot(processors);
	busy = count_running();
	more = busy + 1 < processors ? processors - busy - 1 : 0;
	create->threads = 1 + (has_slot ? create_take_slots(more) : more);
}
