/* SPDX-License-Identifier: MIT */
/*
 * Has makers make files, and keeps what they make: in the cache, or in the
 * folder of this process.
 *
 * A file is made in a staging folder, checked, and moved when it is complete
 * and has the right build ID.  So no process sees a part of a file, and a file
 * of one program never takes the place of another program's file.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

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

void source_find_cache(struct source *s)
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

enum source_answer source_ask_all(struct source *s,
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

enum source_answer source_ask_alone(struct source *s,
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
	source_find_cache(s);
	if (s->unwritable)
		return source_ask_all(s, p, makers, asked, ret);
	to = path_build_id(s->cache, p->id, p->id_size, ".debug.gsym");
	path = path_build_id(s->cache, p->id, p->id_size, ".lock");
	if (path_make_folders(to))
		locked = lock(s, path, makers, &fd, &result);
	if (locked && fd < 0) {
		give_up_cache(s, errno);
		answer = source_ask_all(s, p, makers, asked, ret);
	} else if (!locked) {
		if (!s->later && !source_interrupted(s, 0))
			source_note(s, "the lock '%s' cannot be had", path);
	} else if (result) {
		*asked = makers;
		answer = result == GOT ? SOURCE_HAVE : SOURCE_ABSENT;
	} else {
		answer = SOURCE_HAVE;
		if (source_problem(p, to, false, NULL, &error))
			answer = source_ask_all(s, p, makers, asked, ret);
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

