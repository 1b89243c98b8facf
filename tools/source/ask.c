/* SPDX-License-Identifier: MIT */
/*
 * Decides which makers are asked, remembers who was asked, and has what the
 * addresses of a large program need converted first.  Converts programs that
 * nobody waits for, in a process of low priority, one at a time among all
 * processes with the cache.
 *
 * What makers make is kept in the cache, or in the folder of this process.  A
 * file is made in a staging folder, checked, and moved when it is complete and
 * has the right build ID.  So no process sees a part of a file, and a file of
 * one program never takes the place of another program's file.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "source/state.h"

/* The start of the names of folders in the cache folder in which files are
 * made, before they are renamed. */
#define STAGING ".new."
enum {
	/* Milliseconds between two looks at a lock. */
	LOOK = 50,
	/* Seconds that who has the lock gets beyond the limits of its
	 * makers. */
	GRACE = 10,
};

/* ---- the folders --------------------------------------------------------- */

/* From now on the folder of this process takes the place of the cache, because
 * writing there failed with ERROR. */
static void give_up_cache(struct source *s, int error)
{
	s->unwritable = true;
	if (s->cache)
		snprintf(s->why, sizeof(s->why),
			 "the cache '%s' cannot be written: %s", s->cache,
			 strerror(error));
	else
		snprintf(s->why, sizeof(s->why),
			 "neither XDG_CACHE_HOME nor HOME is set");
}

/* Make the cache folder, unless that has failed. */
static void find_cache(struct source *s)
{
	char *inside;
	if (s->unwritable || s->cleaned)
		return;
	if (!s->cache) {
		give_up_cache(s, 0);
		return;
	}
	inside = path_print("%s/x", s->cache);
	if (path_make_folders(inside))
		temporary_sweep(s->cache, STAGING);
	else
		give_up_cache(s, errno);
	s->cleaned = true;
	free(inside);
}

/* Make a folder to make files in: in the cache if KEPT, and if that can be
 * written. */
static bool make_staging(struct source *s, bool kept, struct temporary *staging)
{
	const char *base = temporary_base();
	if (kept && !s->unwritable) {
		temporary_plan(staging, s->cache, STAGING);
		if (temporary_make(staging))
			return true;
		give_up_cache(s, errno);
		temporary_remove(staging);
	}
	temporary_sweep(base, "gsym.");
	temporary_plan(staging, base, "gsym.");
	temporary_make(staging);
	if (!staging->made)
		source_note(s, "%s%sno folder can be made in '%s': %s", s->why,
			    *s->why ? "; and " : "", base, strerror(errno));
	else if (*s->why && !s->later)
		source_note(s, "%s: GSYM files that are made or fetched are "
			       "deleted at the end", s->why);
	*s->why = 0;
	if (!staging->made)
		temporary_remove(staging);
	return staging->made;
}

/* Whether there is no room in the cache, where STAGING is: writes a file of
 * some size.  If so, the cache is given up. */
static bool is_full(struct source *s, const struct temporary *staging)
{
	static const char zeros[64 << 10];
	char *path = path_print("%s/room", staging->path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int error = fd < 0 ? errno : 0;
	for (int i = 0; !error && i < 16; i++)
		if (!out_write_all(fd, zeros, sizeof(zeros)))
			error = errno;
	if (fd >= 0 && close(fd) < 0 && !error)
		error = errno;
	unlink(path);
	free(path);
	if (error)
		give_up_cache(s, error);
	return error != 0;
}

/* ---- files --------------------------------------------------------------- */

/* Move the file for the build ID of P from STAGING to FOLDER.  It appears there
 * whole, also if the two are on different disks. */
static bool move_file(const struct temporary *staging, const char *folder,
		      const struct source_program *p, const char *suffix)
{
	char *from = path_build_id(staging->path, p->id, p->id_size, suffix);
	char *to = path_build_id(folder, p->id, p->id_size, suffix);
	bool done = path_make_folders(to) && rename(from, to) == 0;
	if (!done && errno == EXDEV) {
		char *beside = path_print("%s.new", to);
		done = !source_copy(from, beside, UINT64_MAX) &&
		       rename(beside, to) == 0;
		/* Otherwise the file would be in the way of the next one. */
		if (!done)
			unlink(beside);
		free(beside);
	}
	free(from);
	free(to);
	return done;
}

/* Move what T has made to where the store looks. */
static bool publish(struct source_try *t, struct source_symbols *ret)
{
	struct source *s = t->s;
	const char *folder = s->cache;
	bool kept = t->keep && !s->unwritable;
	if (!kept) {
		folder = s->own.path;
		if (s->later || (!s->own.made && !temporary_make(&s->own)))
			return false;
	}
	/* Move the symbols first, so that they are there when the GSYM file is.
	 * There may be none. */
	move_file(t->staging, folder, t->p, ".debug");
	if (ret)
		ret->kept = kept;
	return move_file(t->staging, folder, t->p, ".debug.gsym");
}

/* ---- makers -------------------------------------------------------------- */

/* Take the result of T: publish it, or open it if it has no key. */
static enum source_answer take_result(struct source_try *t, bool conversion,
				      struct source_symbols *ret)
{
	if (source_has_key(t->p) ? !publish(t, ret)
			  : !ret || source_open_file(t->s, t->made, &ret->own,
						     NULL) != GSYM_OK) {
		if (!t->s->later)
			snprintf(t->note, sizeof(t->note),
				 "the GSYM file cannot be moved to where it "
				 "is kept");
		return SOURCE_FAILED;
	}
	if (ret)
		ret->converted = conversion;
	if (ret)
		ret->reader = ret->own;
	return SOURCE_HAVE;
}

/* Have MAKER make the data of P.  *ASKED becomes true if somebody was asked who
 * may answer otherwise later. */
static enum source_answer ask(struct source *s, const struct source_program *p,
			      enum source_maker maker, bool *asked,
			      struct source_symbols *ret)
{
	source_maker_fn *work = maker == SOURCE_BY_COMMAND ? source_by_command
				: maker == SOURCE_BY_SERVER
					? source_by_server
					: source_by_conversion;
	bool kept = source_has_key(p);
	struct source_try t = { .s = s, .p = p, .keep = true };
	enum source_answer answer = SOURCE_FAILED;
	/* Static: it is removed when the process ends. */
	static struct temporary staging;
	for (bool again = true; again;) {
		char *made;
		again = false;
		if (!make_staging(s, kept, &staging))
			break;
		made = kept ? path_build_id(staging.path, p->id, p->id_size,
					 ".debug.gsym")
			    : path_print("%s/made", staging.path);
		t.staging = &staging;
		t.made = made;
		*t.note = 0;
		answer = work(&t);
		if (answer == SOURCE_HAVE)
			answer = take_result(&t, maker == SOURCE_BY_CONVERSION,
					     ret);
		if (answer == SOURCE_FAILED && kept && !s->unwritable)
			again = is_full(s, &staging);
		free(made);
		temporary_remove(&staging);
	}
	if (source_interrupted(s, 0))
		answer = answer == SOURCE_HAVE ? answer : SOURCE_LATER;
	else if (*t.note)
		source_note(s, "%s", t.note);
	*asked |= t.asked;
	return answer;
}

/* Have MAKERS, one after the other, make the data of P.  *ASKED becomes those
 * that were asked.  RET may be NULL. */
static enum source_answer ask_all(struct source *s,
				  const struct source_program *p,
				  unsigned makers, unsigned *asked,
				  struct source_symbols *ret)
{
	enum source_answer answer = SOURCE_ABSENT;
	*asked = 0;
	for (unsigned m = 1; m <= SOURCE_BY_CONVERSION; m <<= 1) {
		enum source_answer one;
		bool any = false;
		if (!(makers & m) || source_interrupted(s, 0))
			continue;
		one = ask(s, p, (enum source_maker)m, &any, ret);
		if (one == SOURCE_HAVE)
			return one;
		/* Where nobody was asked the next try is cheap. */
		if (any && one != SOURCE_LATER)
			*asked |= m;
		if (one != SOURCE_ABSENT && answer != SOURCE_LATER)
			answer = one;
	}
	return source_interrupted(s, 0) ? SOURCE_LATER : answer;
}

/* ---- processes that want the same file ----------------------------------- */

/* Who has the lock writes its result into the lock's file and removes the file.
 * Those who waited read the result there: GOT, or ASKED and the makers. */
enum { GOT = 'g', ASKED = '@' };

/* A result in the file of a lock. */
static bool is_result(char byte, unsigned makers)
{
	return byte == GOT || (byte >= ASKED &&
			       byte <= ASKED + SOURCE_ALL_MAKERS &&
			       !(makers & ~(unsigned)(byte - ASKED)));
}

/* Wait for the lock of FD.  Returns false if that takes too long, and in a
 * process that nobody waits for.  On a file system without locks nobody waits,
 * and several makers may work at once. */
static bool wait_for_lock(const struct source *s, int fd)
{
	uint64_t seconds = GRACE + s->o.convert_seconds + s->o.fetch_seconds;
	int64_t deadline = clock_milliseconds() + (int64_t)seconds * 1000;
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		if (s->later || clock_milliseconds() >= deadline ||
		    source_interrupted(s, LOOK))
			return false;
	}
	return true;
}

/* Lock the file PATH, which is made.  *FD becomes -1 if it cannot be made.  If
 * another process had the lock, and asked MAKERS, *RESULT becomes its result.
 * Returns false if the lock cannot be had. */
static bool lock(const struct source *s, const char *path, unsigned makers,
		 int *fd, char *result)
{
	bool locked = true;
	while ((*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
			   0600)) >= 0) {
		*result = 0;
		locked = wait_for_lock(s, *fd);
		if (locked && file_is(AT_FDCWD, path, *fd))
			return true;
		if (locked && gsym_fd_read_at(*fd, result, 1, 0) == 1 &&
		    is_result(*result, makers))
			return true;
		/* Another process may have made the file anew. */
		close(*fd);
		*fd = -1;
		if (!locked)
			break;
	}
	return locked;
}

/* Like source_ask_all, alone among all processes with the cache.  Others wait
 * for the result. */
static enum source_answer ask_alone(struct source *s,
				    const struct source_program *p,
				    unsigned makers, unsigned *asked,
				    struct source_symbols *ret)
{
	char *to, *path, result = 0;
	bool locked = true;
	struct gsym_error error = { 0 };
	enum source_answer answer = SOURCE_LATER;
	int fd = -1;
	*asked = 0;
	find_cache(s);
	if (s->unwritable)
		return ask_all(s, p, makers, asked, ret);
	to = path_build_id(s->cache, p->id, p->id_size, ".debug.gsym");
	path = path_build_id(s->cache, p->id, p->id_size, ".lock");
	if (path_make_folders(to))
		locked = lock(s, path, makers, &fd, &result);
	if (locked && fd < 0) {
		give_up_cache(s, errno);
		answer = ask_all(s, p, makers, asked, ret);
	} else if (!locked) {
		if (!s->later && !source_interrupted(s, 0))
			source_note(s, "the lock '%s' cannot be had", path);
	} else if (result) {
		*asked = makers;
		answer = result == GOT ? SOURCE_HAVE : SOURCE_ABSENT;
	} else {
		answer = SOURCE_HAVE;
		if (source_problem(p, to, false, NULL, &error))
			answer = ask_all(s, p, makers, asked, ret);
		result = answer == SOURCE_HAVE ? GOT : (char)(ASKED + *asked);
		/* Without the byte those who wait ask again. */
		if (pwrite(fd, &result, 1, 0) != 1)
			result = 0;
		unlink(path);
	}
	if (fd >= 0)
		close(fd);
	free(to);
	free(path);
	return answer;
}

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
	find_cache(s);
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
	answer = ask_alone(s, p, SOURCE_BY_CONVERSION, &asked, NULL);
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
	answer = ask_all(s, p, SOURCE_BY_CONVERSION, &asked, ret);
	if (answer == SOURCE_HAVE) {
		ret->partial = true;
		ret->behind = put_off(s, &whole);
	}
	pthread_mutex_unlock(&s->mutex);
	return answer;
}

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
				 ? ask_alone(s, p, makers, &asked, ret)
				 : ask_all(s, p, makers, &asked, ret);
		m->got = answer == SOURCE_HAVE;
		m->makers |= asked;
		m->since = clock_milliseconds();
	}
	pthread_mutex_unlock(&s->mutex);
	return later && answer != SOURCE_HAVE ? SOURCE_LATER : answer;
}
