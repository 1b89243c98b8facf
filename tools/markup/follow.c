/* SPDX-License-Identifier: MIT */
/*
 * --follow: reads a file that grows, is truncated, and is replaced.
 *
 * A writer may replace its file many times between two looks.  inotify tells
 * the changes of the folder in their order, so each file that had the path is
 * found under the name that it has now, opened at once, and read when those
 * before it were read to their ends.  A file that is removed before it is
 * opened is lost, which a message says.  Without inotify, and for what inotify
 * does not tell, the path is looked at in intervals.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "base/system_watch.h"
#include "common/file.h"
#include "common/report.h"
#include "markup/markup.h"

/* Files that wait to be read. */
enum { ROOM_NEXT = 64 };
#define MOST_NEXT GSYM_LIMIT(ROOM_NEXT, 1u)

/* Milliseconds. */
enum {
	/* Between looks at the path, also without an event. */
	LOOK = 250,
	/* Until the event comes that tells of a change that was seen. */
	SOON = 20,
};

/* A file that has or had the path. */
struct version {
	/* -1: it is not open yet. */
	int fd;
	/* Its watch; -1: none. */
	int watch;
	dev_t device;
	ino_t inode;
	/* Until it is open: its name in the folder, and the number that inotify
	 * gives to a move of which one half was told; 0: none. */
	char name[NAME_MAX + 1];
	uint32_t moves;
	/* An event told of it since the last try to open it. */
	bool changed;
	/* It cannot be opened any more; UNREAD: its lines are missing. */
	bool gone, unread;
	/* A message has told why it cannot be opened. */
	bool told;
};

struct followed {
	const char *path;
	/* The folder of PATH and a descriptor without rights to read it, and
	 * the name in it. */
	char *folder_path;
	int folder;
	const char *name;
	/* An inotify descriptor, and the watch of the folder; -1: none. */
	int notify, folder_watch;
	/* The file that is read; its descriptor is -1 while there is none.  AT:
	 * how much of it was read. */
	struct version now;
	off_t at;
	/* The files after it, the oldest first; and the number of those that
	 * had no room. */
	struct version next[ROOM_NEXT];
	size_t count, dropped;
	/* Files that were not read; BLIND: there may be more of them. */
	size_t lost;
	bool blind;
};

/* ---- the files ----------------------------------------------------------- */

static void close_version(struct followed *f, struct version *v)
{
	if (v->watch >= 0)
		inotify_rm_watch(f->notify, v->watch);
	if (v->fd >= 0)
		close(v->fd);
	v->fd = v->watch = -1;
}

static bool is_file(const struct version *v, const struct stat *st)
{
	return v->fd >= 0 && v->device == st->st_dev && v->inode == st->st_ino;
}

/* Whether the file with the status ST is open. */
static bool is_known(const struct followed *f, const struct stat *st)
{
	bool known = is_file(&f->now, st);
	for (size_t i = 0; i < f->count; i++)
		known |= is_file(&f->next[i], st);
	return known;
}

/* Make FD, a file with the status ST, the file of V.  Dies if it is no file to
 * follow. */
static void set_file(struct followed *f, struct version *v, int fd,
		     const struct stat *st)
{
	char opened[SYSTEM_PATH_SIZE];
	if (S_ISDIR(st->st_mode))
		die("cannot follow '%s': it is a folder", f->path);
	v->fd = fd;
	v->device = st->st_dev;
	v->inode = st->st_ino;
	gsym_system_path_of(opened, fd);
	v->watch = f->notify < 0 ? -1
				 : inotify_add_watch(f->notify, opened,
						     IN_MODIFY | IN_ATTRIB);
}

/* A file has got the path: it is the last one to be read. */
static void add_next(struct followed *f)
{
	if (f->count >= MOST_NEXT) {
		f->dropped++;
		return;
	}
	struct version *v = &f->next[f->count++];
	*v = (struct version){ .fd = -1, .watch = -1 };
	snprintf(v->name, sizeof(v->name), "%s", f->name);
}

static void clear_gone(struct followed *f)
{
	size_t kept = 0;
	for (size_t i = 0; i < f->count; i++) {
		f->lost += f->next[i].gone && f->next[i].unread;
		if (!f->next[i].gone)
			f->next[kept++] = f->next[i];
	}
	f->count = kept;
}

/* ---- events of the folder ------------------------------------------------ */

static void watch_folder(struct followed *f)
{
	const uint32_t changes =
		IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
	if (f->folder >= 0)
		close(f->folder);
	if (f->folder_watch >= 0)
		inotify_rm_watch(f->notify, f->folder_watch);
	f->folder = open(f->folder_path, SYSTEM_FOLDER | O_CLOEXEC);
	f->folder_watch = f->notify < 0
				  ? -1
				  : inotify_add_watch(f->notify, f->folder_path,
						      changes | IN_ONLYDIR);
}

static void lose(struct version *v)
{
	v->gone = v->unread = v->changed = true;
}

/* Note what the event E, in which a file of the folder gets or loses its name,
 * means for V, which waits to be opened. */
static void apply_event(struct version *v, const struct inotify_event *e)
{
	bool named = !v->moves && strcmp(v->name, e->name) == 0;
	if (e->mask & IN_MOVED_TO && v->moves && v->moves == e->cookie) {
		snprintf(v->name, sizeof(v->name), "%s", e->name);
		v->moves = 0;
		v->changed = true;
	} else if (e->mask & IN_MOVED_FROM && named) {
		v->moves = e->cookie;
		v->changed = true;
	} else if (e->mask & (IN_DELETE | IN_MOVED_TO | IN_CREATE) && named) {
		lose(v);
	}
}

static void take_event(struct followed *f, const struct inotify_event *e)
{
	if (e->mask & IN_Q_OVERFLOW)
		f->blind = true;
	if (e->wd != f->folder_watch || !e->len || e->mask & IN_ISDIR)
		return;
	for (size_t i = 0; i < f->count; i++)
		if (f->next[i].fd < 0 && !f->next[i].gone)
			apply_event(&f->next[i], e);
	if (e->mask & (IN_CREATE | IN_MOVED_TO) &&
	    strcmp(e->name, f->name) == 0)
		add_next(f);
}

static void take_events(struct followed *f)
{
	_Alignas(struct inotify_event) char events[16 << 10];
	ssize_t n;
	while (f->notify >= 0 &&
	       (n = file_read_some(f->notify, events, sizeof(events))) > 0) {
		const struct inotify_event *e;
		for (char *at = events; at < events + n;
		     at += sizeof(*e) + e->len) {
			e = (const struct inotify_event *)at;
			take_event(f, e);
		}
	}
}

/* ---- opening ------------------------------------------------------------- */

/* V cannot be opened, because of ERROR: it is tried again. */
static void complain(const struct followed *f, struct version *v, int error)
{
	if (!v->told)
		report_note("note: cannot open '%s': %s: trying again", f->path,
			    strerror(error));
	v->told = true;
}

/* The name of V leads to no file.  Unless an event tells soon where the file
 * is, it is gone. */
static void await_name(struct followed *f, struct version *v)
{
	struct pollfd events = { .fd = f->notify, .events = POLLIN };
	poll(&events, 1, SOON);
	take_events(f);
	if (!v->changed)
		lose(v);
}

/* Open V by its name.  Returns false if it has another one now, and has to be
 * opened by that. */
static bool open_version(struct followed *f, struct version *v)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	struct stat st;
	v->changed = false;
	int fd = v->moves ? -1 : openat(f->folder, v->name, flags);
	int error = v->moves ? ENOENT : errno;
	if (fd >= 0 && fstat(fd, &st) != 0)
		die("cannot follow '%s': %s", f->path, strerror(errno));
	/* The name may have passed to another file just before: then there is
	 * an event. */
	take_events(f);
	if (fd < 0 && !v->changed && error == ENOENT)
		await_name(f, v);
	else if (fd < 0 && !v->changed)
		complain(f, v, error);
	if (fd < 0)
		return !v->changed || v->gone;
	if (is_known(f, &st)) {
		v->gone = true;
		v->unread = v->changed && v->unread;
	} else if (!v->changed || (v->gone && !st.st_nlink)) {
		/* A file that was removed after it was opened can be read. */
		v->gone = false;
		set_file(f, v, fd, &st);
		return true;
	}
	close(fd);
	return v->gone;
}

static void open_next(struct followed *f)
{
	take_events(f);
	for (size_t i = 0; i < f->count; i++) {
		struct version *v = &f->next[i];
		while (v->fd < 0 && !v->gone && !open_version(f, v))
			;
	}
	clear_gone(f);
}

/* Look at the path, in case that no event told of a new file. */
static void look(struct followed *f)
{
	struct stat st;
	open_next(f);
	/* The events of a file that waits come first. */
	if (f->count && f->next[f->count - 1].fd < 0)
		return;
	if (f->count >= MOST_NEXT)
		return;
	bool fresh = stat(f->path, &st) == 0 && !is_known(f, &st);
	if (f->dropped)
		f->lost += f->dropped - fresh;
	f->dropped = 0;
	size_t count = f->count;
	take_events(f);
	if (!fresh || f->count != count)
		return;
	/* The folder may be another one, too. */
	watch_folder(f);
	add_next(f);
	open_next(f);
}

/* ---- reading ------------------------------------------------------------- */

/* The file was truncated or replaced: new bytes do not continue the last
 * line. */
static void break_line(struct markup *m)
{
	if (m->in_line)
		markup_feed(m, "\n", 1);
}

/* Read up to the end of the file; whether there was anything to read. */
static bool read_on(struct markup *m, struct followed *f)
{
	off_t before = f->at;
	while (f->now.fd >= 0 && markup_goes_on(m)) {
		ssize_t n = markup_read(m, f->now.fd, f->path);
		if (n <= 0)
			break;
		f->at += n;
		/* Files may come and go meanwhile. */
		open_next(f);
	}
	return f->at != before;
}

/* If the file was truncated, go on at its start, and return true. */
static bool begin_anew(struct markup *m, struct followed *f)
{
	struct stat st;
	if (f->now.fd < 0 || fstat(f->now.fd, &st) != 0 || st.st_size >= f->at)
		return false;
	report_note("note: '%s' was truncated: reading from its start",
		    f->path);
	lseek(f->now.fd, 0, SEEK_SET);
	f->at = 0;
	break_line(m);
	return true;
}

static void say_lost(struct followed *f)
{
	if (f->lost)
		report_note("note: lines of '%s' are missing: files that were "
			    "gone before they could be opened: %zu",
			    f->path, f->lost);
	if (f->blind)
		report_note("note: lines of '%s' may be missing: the system "
			    "dropped events of its folder",
			    f->path);
	f->lost = 0;
	f->blind = false;
}

/* If there is a next file, and the one at hand was read to its end, go on with
 * the next one, and return true. */
static bool advance(struct markup *m, struct followed *f)
{
	struct stat st;
	if (!f->count || f->next[0].fd < 0)
		return false;
	if (f->now.fd >= 0) {
		/* The writer has not begun with the new file. */
		if (f->count == 1 && fstat(f->next[0].fd, &st) == 0 &&
		    st.st_size == 0)
			return false;
		/* The last lines of the old file. */
		if (read_on(m, f))
			return true;
		report_note("note: '%s' was replaced: reading the new file",
			    f->path);
		break_line(m);
	}
	say_lost(f);
	close_version(f, &f->now);
	f->now = f->next[0];
	f->at = 0;
	f->next[0].gone = true;
	f->next[0].unread = false;
	clear_gone(f);
	return true;
}

/* ---- following ----------------------------------------------------------- */

static void follow_init(struct followed *f)
{
	const char *slash = strrchr(f->path, '/');
	f->name = slash ? slash + 1 : f->path;
	f->folder_path = slash ? path_print("%.*s", (int)(slash + 1 - f->path),
					    f->path)
			       : path_print(".");
	f->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	watch_folder(f);
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 && errno != ENOENT)
		die("cannot open '%s': %s", f->path, strerror(errno));
	if (fd < 0) {
		report_note("note: '%s' does not exist yet: waiting for it",
			    f->path);
		return;
	}
	if (fstat(fd, &st) != 0)
		die("cannot follow '%s': %s", f->path, strerror(errno));
	set_file(f, &f->now, fd, &st);
}

void markup_follow(struct markup *m, const char *path)
{
	struct followed f = {
		.path = path,
		.folder = -1,
		.folder_watch = -1,
		.now = { .fd = -1, .watch = -1 },
	};
	follow_init(&f);
	while (markup_goes_on(m)) {
		bool more = read_on(m, &f) || begin_anew(m, &f);
		look(&f);
		more |= !markup_interrupted() && advance(m, &f);
		say_lost(&f);
		int due = markup_hand_over(m);
		if (!more)
			markup_wait(m, f.notify, due >= 0 && due < LOOK ? due
									: LOOK);
	}
	close_version(&f, &f.now);
	for (size_t i = 0; i < f.count; i++)
		close_version(&f, &f.next[i]);
	if (f.notify >= 0)
		close(f.notify);
	if (f.folder >= 0)
		close(f.folder);
	free(f.folder_path);
}
