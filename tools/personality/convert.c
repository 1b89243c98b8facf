/* SPDX-License-Identifier: MIT */
/*
 * personality/convert.c - GSYM data made on the spot by gsym-create, kept in
 * the user's cache.
 *
 * A file appears in the cache whole or not at all.  A lock for each build ID
 * lets a second process wait for the first one's file instead of making it
 * again.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cache.h"
#include "common/converter.h"
#include "common/folder.h"
#include "common/path.h"
#include "common/place.h"
#include "personality/personality.h"

enum {
	/* Seconds. */
	TIME_NOW = 60,
	TIME_LATER = 600,
	/* Added to the nice value of a conversion that nobody waits for. */
	NICE_LATER = 10,
};

/* A conversion. */
struct conversion {
	const struct settings *s;
	const struct convertible *p;
	uint64_t seconds;
	/* Where the file belongs in the cache, malloc'ed; NULL: nowhere. */
	char *target;
	/* The lock of the build ID, or -1, and its path, malloc'ed. */
	int lock;
	char *lock_path;
};

/* Whether results for the file PATH may be kept in the cache.  A file of
 * another user could pretend to be any program, by its build ID. */
static bool may_keep(const char *path)
{
	struct stat st;
	return getuid() == geteuid() && getgid() == getegid() &&
	       stat(path, &st) == 0 &&
	       (st.st_uid == geteuid() || st.st_uid == 0);
}

/* Lock the file of C->lock_path.  Returns 1, also if the file system has no
 * locks; 0 if another process has the lock and WAIT is false; -1 if the file
 * cannot be made. */
static int lock(struct conversion *c, bool wait)
{
	for (;;) {
		c->lock = open(c->lock_path, O_RDWR | O_CREAT | O_CLOEXEC |
			       O_NOFOLLOW, 0600);
		if (c->lock < 0)
			return -1;
		int locked;
		while ((locked = flock(c->lock,
				       LOCK_EX | (wait ? 0 : LOCK_NB))) != 0 &&
		       errno == EINTR)
			;
		bool busy = locked != 0 && errno == EWOULDBLOCK;
		/* Who had the lock before removed its file, and another process
		 * may have made a new one. */
		if (!busy && (locked != 0 ||
			      place_is_open(AT_FDCWD, c->lock_path, c->lock)))
			return 1;
		close(c->lock);
		c->lock = -1;
		if (busy)
			return 0;
	}
}

/* Begin a conversion.  With WAIT another process that converts the same program
 * is waited for; without, false is returned if there is one. */
static bool begin(struct conversion *c, const struct settings *s,
		  const struct convertible *p, bool wait)
{
	*c = (struct conversion){ .s = s, .p = p, .lock = -1 };
	if (!p->id_size || !s->cache || !may_keep(p->path) ||
	    (p->debug_file && !may_keep(p->debug_file)))
		return true;
	c->target = cache_path(s->cache, p->id, p->id_size, ".debug.gsym");
	c->lock_path = cache_path(s->cache, p->id, p->id_size, ".lock");
	int locked = cache_make_folders(c->target) ? lock(c, wait) : -1;
	if (locked >= 0)
		return locked;
	/* The cache cannot be written. */
	free(c->target);
	c->target = NULL;
	return true;
}

static void end(struct conversion *c)
{
	if (c->lock >= 0) {
		unlink(c->lock_path);
		close(c->lock);
	}
	free(c->lock_path);
	free(c->target);
}

/* Whether R has a line: then it comes from debug info. */
static bool has_lines(const struct gsym_reader *r)
{
	struct gsym_function function;
	for (uint32_t i = 0; i < gsym_function_count(r); i++)
		if (gsym_function_at(r, i, &function, NULL) == GSYM_OK &&
		    function.has_lines)
			return true;
	return false;
}

/* Whether R is of the program of C, whose file may have been replaced before
 * gsym-create read it. */
static bool is_of_program(const struct conversion *c,
			  const struct gsym_reader *r)
{
	struct gsym_header header;
	if (!c->p->id_size)
		return true;
	gsym_get_header(r, &header);
	return gsym_uuid_matches(header.uuid, header.uuid_size, c->p->id,
				 c->p->id_size);
}

/* Convert in the folder BASE, and open the result; NULL on failure.  The result
 * is renamed to C->target if that path is in BASE and the result has debug
 * info. */
static struct gsym_reader *convert_in(const struct conversion *c,
				      const char *base, const char *prefix)
{
	const struct converter limits = {
		.seconds = c->seconds,
		.wake = -1,
		.silent = true,
		/* The programs that are replaced know variables. */
		.data = true,
		.debug_file = c->p->debug_file,
	};
	static struct folder staging;
	struct gsym_reader *r = NULL;
	folder_clean(base, prefix);
	if (!folder_make(&staging, base, prefix))
		return NULL;
	char *made = path_print("%s/made", staging.path);
	const char *why = converter_run(&limits, "--out-file", made,
					c->p->path);
	enum gsym_status status = why ? GSYM_NOT_FOUND
				      : gsym_open(made, &r, NULL);
	if (status != GSYM_OK)
		r = NULL;
	if (r && (!gsym_function_count(r) || !is_of_program(c, r))) {
		gsym_close(r);
		r = NULL;
	}
	/* Without debug info the file would hide debug info that is installed
	 * later. */
	if (r && c->target && has_lines(r) && rename(made, c->target) != 0)
		extra_note("note: cannot write '%s': %s", c->target,
			   strerror(errno));
	free(made);
	folder_remove(&staging);
	extra_checked(status);
	return r;
}

static struct gsym_reader *run(const struct conversion *c)
{
	if (c->target)
		return convert_in(c, c->s->cache, CACHE_STAGING);
	return convert_in(c, folder_temporary(), "gsym-lookup.");
}

/* Open the file in the cache that the process made which had the lock before;
 * NULL if there is none of the right program. */
static struct gsym_reader *open_made(const struct conversion *c)
{
	struct gsym_reader *r;
	if (!c->target ||
	    extra_checked(gsym_open(c->target, &r, NULL)) != GSYM_OK)
		return NULL;
	if (is_of_program(c, r))
		return r;
	gsym_close(r);
	return NULL;
}

struct gsym_reader *convert_now(const struct settings *s,
				const struct convertible *p)
{
	struct conversion c;
	struct gsym_reader *r = NULL;
	begin(&c, s, p, true);
	c.seconds = TIME_NOW;
	if (!s->disable_gsym)
		r = open_made(&c);
	if (!r)
		r = run(&c);
	end(&c);
	return r;
}

void convert_later(const struct settings *s, const struct convertible *p)
{
	struct conversion c;
	/* A person at a terminal would wonder what the processor does. */
	if (!p->id_size || isatty(STDIN_FILENO))
		return;
	pid_t child = fork();
	if (child > 0) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		return;
	}
	if (child < 0)
		return;
	/* The client waits for the end of these files. */
	int null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	setsid();
	if (fork() != 0)
		_exit(0);
	setpriority(PRIO_PROCESS, 0, NICE_LATER);
	if (begin(&c, s, p, false) && c.target) {
		c.seconds = TIME_LATER;
		gsym_close(run(&c));
		end(&c);
	}
	_exit(0);
}
