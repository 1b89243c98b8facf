/* SPDX-License-Identifier: MIT */
/*
 * Decides which makers are asked, remembers who was asked, and has what the
 * addresses of a large program need converted first.  Converts programs that
 * nobody waits for, in a process of low priority, one at a time among all
 * processes with the cache.
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
#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "source/state.h"

/* Build IDs that are remembered; with more, all are forgotten. */
#define MOST_IDS GSYM_LIMIT(65536u, 4u)
/* With more bytes of debug info what the addresses need is converted first: to
 * convert the whole would take longer than a person notices. */
#define FIRST_BYTES GSYM_LIMIT(UINT64_C(16) << 20, 0)
/* gsym-create converts in part for so many addresses: GSYM_CONVERT_ADDRESSES of
 * gsym/convert.h, which this room does not use. */
enum { MOST_FIRST = 64 };

/* ---- what was asked ------------------------------------------------------ */

void source_forget(struct source *s)
{
	gsym_intern_fini(&s->ids);
	gsym_vec_fini(&s->memories);
}

/* What is remembered of the build ID of P. */
static struct source_memory *memory_of(struct source *s,
				       const struct source_program *p)
{
	uint32_t most = MOST_IDS;
	uint32_t number =
		must_intern_within(&s->ids, most, p->id, p->id_size);
	struct source_memory *m;
	if (number == most) {
		source_forget(s);
		number = must_intern(&s->ids, p->id, p->id_size);
	}
	if (number == s->memories.count)
		*must_push(&s->memories) = (struct source_memory){ 0 };
	m = &s->memories.items[number];
	if (s->host.again && clock_milliseconds() - m->since >=
				     (int64_t)s->host.again * 1000)
		*m = (struct source_memory){ 0 };
	return m;
}

/* ---- programs that nobody waits for -------------------------------------- */

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

/* Have another process convert P, for the cache, unless one converts already,
 * or one has failed within a day.  Returns whether it does. */
static bool put_off(struct source *s, const struct source_program *p)
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

/* ---- what a tool asks ---------------------------------------------------- */

/* Signals end makers, unless the host waits for them itself. */
static void guard(struct source *s)
{
	if (!s->host.wake && !s->guarded)
		run_end_by_signals();
	s->guarded = true;
}

/* Whether gsym-create converts P in part: its addresses are code, and it has no
 * table of the Go runtime. */
static bool is_partial(const struct source_program *p)
{
	struct gsym_module_section text, table;
	if (!p->file ||
	    gsym_module_find_section(p->file, ".text", &text) != GSYM_OK ||
	    gsym_module_find_section(p->file, ".gopclntab", &table) == GSYM_OK)
		return false;
	for (size_t i = 0; i < p->address_count; i++)
		if (p->addresses[i] < text.address ||
		    p->addresses[i] - text.address >= text.size)
			return false;
	return true;
}

enum source_answer source_first(struct source *s,
				const struct source_program *p,
				struct source_symbols *ret)
{
	struct source_program whole = *p;
	enum source_answer answer;
	unsigned asked;
	/* What others have made is better than what is made here. */
	if (!p->address_count || p->address_count > MOST_FIRST || !p->path ||
	    p->fresh || s->o.fetch || s->o.debuginfod || !s->converts ||
	    !is_partial(p) || !source_is_large(s, p, FIRST_BYTES))
		return SOURCE_ABSENT;
	whole.addresses = NULL;
	whole.address_count = 0;
	pthread_mutex_lock(&s->mutex);
	guard(s);
	answer = source_ask_all(s, p, SOURCE_BY_CONVERSION, &asked, ret);
	if (answer == SOURCE_HAVE) {
		ret->partial = true;
		ret->behind = put_off(s, &whole);
	}
	pthread_mutex_unlock(&s->mutex);
	return answer;
}

/* The makers of S. */
static unsigned makers_of(const struct source *s)
{
	return (s->o.fetch ? SOURCE_BY_COMMAND : 0) |
	       (s->o.debuginfod ? SOURCE_BY_SERVER : 0) |
	       (s->converts || s->converts_served ? SOURCE_BY_CONVERSION : 0);
}

enum source_answer source_keep(struct source *s, const struct source_program *p,
			       unsigned makers, struct source_symbols *ret)
{
	struct source_memory none = { 0 }, *m = &none;
	enum source_answer answer = SOURCE_ABSENT;
	unsigned asked = 0;
	bool later;
	makers &= makers_of(s);
	if (p->fresh || !p->id_size)
		makers &= SOURCE_BY_CONVERSION;
	if (!makers || p->id_size > SOURCE_ID_MAX)
		return SOURCE_ABSENT;
	pthread_mutex_lock(&s->mutex);
	if (source_has_key(p))
		m = memory_of(s, p);
	makers &= ~m->makers;
	later = m->later;
	if (!m->got && makers & SOURCE_BY_CONVERSION && s->host.limited &&
	    source_is_large(s, p, s->host.most_now)) {
		makers &= ~(unsigned)SOURCE_BY_CONVERSION;
		later = true;
		/* A person at a terminal would wonder what the processor
		 * does. */
		if (!isatty(STDIN_FILENO) && put_off(s, p)) {
			m->makers |= SOURCE_BY_CONVERSION;
			m->since = clock_milliseconds();
			m->later = true;
		}
	}
	if (m->got) {
		answer = SOURCE_HAVE;
	} else if (makers) {
		if (s->host.before)
			s->host.before(s->host.context);
		guard(s);
		answer = source_has_key(p)
				 ? source_ask_alone(s, p, makers, &asked, ret)
				 : source_ask_all(s, p, makers, &asked, ret);
		m->got = answer == SOURCE_HAVE;
		m->makers |= asked;
		m->since = clock_milliseconds();
	}
	pthread_mutex_unlock(&s->mutex);
	return later && answer != SOURCE_HAVE ? SOURCE_LATER : answer;
}
