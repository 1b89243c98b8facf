/* SPDX-License-Identifier: MIT */
/*
 * Converts programs that nobody waits for, in a process of low priority, one at
 * a time among all processes with the cache.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system.h"
#include "common/path.h"
#include "common/run.h"
#include "source/state.h"

enum {
	/* Seconds for a conversion, and what is added to its nice value. */
	LATER_SECONDS = 600,
	LATER_NICE = 10,
	/* Seconds before a conversion that failed is begun again. */
	FAILED_SECONDS = 24 * 60 * 60,
};

/* A lock that one process with the cache has at a time: who converts a program
 * that nobody waits for.  -1: another one has the lock, or there is no cache to
 * put the result into. */
static int lock_later(struct source *s)
{
	char *path;
	int fd;
	source_find_cache(s);
	if (s->unwritable)
		return -1;
	path = path_print("%s/.later", s->cache);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	free(path);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The path of the file that tells that the conversion of P, for which nobody
 * waited, has failed. */
static char *failure_of(const struct source *s, const struct source_program *p)
{
	return path_build_id(s->cache, p->id, p->id_size, ".failed");
}

/* Whether the conversion of P has failed not long ago. */
static bool has_failed(const struct source *s, const struct source_program *p)
{
	char *path = failure_of(s, p);
	struct stat st;
	time_t now = time(NULL);
	bool failed = lstat(path, &st) == 0 && st.st_mtime <= now &&
		      now - st.st_mtime < FAILED_SECONDS;
	free(path);
	return failed;
}

/* Note how the conversion of P has ended. */
static void note_failure(const struct source *s, const struct source_program *p,
			 enum source_answer answer)
{
	char *path = failure_of(s, p);
	int fd;
	unlink(path);
	if (answer == SOURCE_FAILED) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0)
			close(fd);
	}
	free(path);
}

/* Close all files but the standard ones, that of P, and LOCK: the caller of
 * this tool may wait for their end. */
static void close_others(const struct source_program *p, int lock)
{
	int low = p->fd && p->fd < lock ? p->fd : lock;
	int high = p->fd > lock ? p->fd : lock;
	gsym_system_close_files(3, low - 1, false);
	gsym_system_close_files(low + 1, high - 1, false);
	gsym_system_close_files(high + 1, INT_MAX, false);
}

/* In a process of its own, which has LOCK: convert P. */
static _Noreturn void convert_later(struct source *s,
				    const struct source_program *p, int lock)
{
	enum source_answer answer;
	unsigned asked;
	/* The client waits for the end of these files. */
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	setsid();
	if (fork() != 0)
		_exit(0);
	close_others(p, lock);
	/* The pipe that wakes the host is closed. */
	s->host.wake = NULL;
	run_end_by_default();
	setpriority(PRIO_PROCESS, 0, LATER_NICE);
	s->later = true;
	s->host.limited = false;
	s->o.convert_seconds = LATER_SECONDS;
	answer = source_ask_alone(s, p, SOURCE_BY_CONVERSION, &asked, NULL);
	if (!s->unwritable)
		note_failure(s, p, answer);
	_exit(0);
}

bool source_put_off(struct source *s, const struct source_program *p)
{
	pid_t child;
	int lock;
	if (!source_has_key(p))
		return false;
	lock = lock_later(s);
	if (lock < 0)
		return false;
	/* The result has to be one that may be kept. */
	if (has_failed(s, p) || !source_may_keep(s, p)) {
		close(lock);
		return false;
	}
	child = fork();
	if (child == 0)
		convert_later(s, p, lock);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	/* The other process has the lock until its end. */
	close(lock);
	return child > 0;
}

