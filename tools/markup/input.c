/* SPDX-License-Identifier: MIT */
/* Reads the log: from files, standard input, or a file that grows. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/report.h"
#include "markup/crashes.h"
#include "markup/markup.h"
#include "markup/pages.h"

enum {
	BLOCK = 256 << 10,
	/* Milliseconds between looks at a followed file, also without an event
	 * of inotify. */
	POLL = 250,
	/* Milliseconds after which missing symbols are looked for again. */
	RETRY = 10000,
};

/* Tell the filter the time and, every RETRY milliseconds, let it look for
 * missing symbols again.  Returns the milliseconds until the filter wants to be
 * told the time again, or -1. */
static int tell_time(struct markup *m)
{
	int64_t now = clock_milliseconds();
	if (!m->asked)
		m->asked = now;
	if (now - m->asked >= RETRY) {
		gsym_store_retry(m->store);
		gsym_markup_retry(m->filter);
		m->asked = now;
	}
	return gsym_markup_clock(m->filter, now);
}

/* Write all output that is complete; returns as tell_time does. */
static int hand_over(struct markup *m)
{
	int due = tell_time(m);
	out_flush(&m->out);
	return due;
}

/* Wait at most TIMEOUT milliseconds for FD or a signal; 0 if neither came. */
static int wait_until(int fd, int timeout)
{
	struct pollfd both[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = markup_signal_pipe(), .events = POLLIN },
	};
	return poll(both, 2, timeout);
}

static void feed(struct markup *m, const char *bytes, size_t size)
{
	if (m->crashes)
		crashes_scan(m->crashes, bytes, size);
	if (gsym_markup_feed(m->filter, bytes, size) == GSYM_ERR_MEMORY)
		die("out of memory");
}

/* Wait for input on FD; false if a signal came. */
static bool wait_for(struct markup *m, int fd)
{
	if (wait_until(fd, 0) == 0) {
		while (wait_until(fd, hand_over(m)) == 0)
			;
	}
	tell_time(m);
	return !markup_interrupted();
}

static void read_stream(struct markup *m, int fd, const char *name)
{
	static char block[BLOCK];
	struct stat st;
	bool waits = fstat(fd, &st) != 0 || !S_ISREG(st.st_mode);
	while (!markup_interrupted()) {
		if (waits && !wait_for(m, fd))
			break;
		ssize_t n = read(fd, block, sizeof(block));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			die("cannot read '%s': %s", name, strerror(errno));
		if (n == 0)
			break;
		feed(m, block, n);
	}
}

static void read_file(struct markup *m, const char *path)
{
	if (strcmp(path, "-") == 0) {
		read_stream(m, STDIN_FILENO, "standard input");
		return;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* Opening a FIFO waits for a writer. */
	if (fd < 0 && markup_interrupted())
		return;
	if (fd < 0)
		die("cannot open '%s': %s", path, strerror(errno));
	read_stream(m, fd, path);
	close(fd);
}

/* ---- following ----------------------------------------------------------- */

struct followed {
	const char *path;
	/* -1 while it does not exist. */
	int fd;
	/* An inotify descriptor, and its watch; -1: none. */
	int notify, watch;
	/* The file that is open, and how much of it was read. */
	dev_t device;
	ino_t inode;
	off_t at;
	/* The last line that was read has no end. */
	bool broken;
};

static void follow_open(struct followed *f)
{
	struct stat st;
	f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		return;
	if (fstat(f->fd, &st) != 0)
		die("cannot follow '%s': %s", f->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		die("cannot follow '%s': it is a folder", f->path);
	f->device = st.st_dev;
	f->inode = st.st_ino;
	f->at = 0;
	if (f->notify < 0)
		return;
	/* The watch follows the old file to its new name. */
	if (f->watch >= 0)
		inotify_rm_watch(f->notify, f->watch);
	f->watch = inotify_add_watch(f->notify, f->path,
				     IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF |
					     IN_DELETE_SELF);
}

/* The file was truncated or replaced: new bytes do not continue the last
 * line. */
static void follow_break(struct markup *m, struct followed *f)
{
	if (f->broken)
		feed(m, "\n", 1);
	f->broken = false;
}

/* Read up to the end of the file; whether there was anything to read. */
static bool follow_read(struct markup *m, struct followed *f)
{
	static char block[BLOCK];
	bool any = false;
	while (f->fd >= 0 && !markup_interrupted()) {
		ssize_t n = read(f->fd, block, sizeof(block));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die("cannot read '%s': %s", f->path, strerror(errno));
		if (n == 0)
			break;
		f->at += n;
		any = true;
		f->broken = block[n - 1] != '\n';
		tell_time(m);
		feed(m, block, n);
	}
	return any;
}

/* If the file was truncated or replaced, go on at its start, and return
 * true. */
static bool follow_changed(struct markup *m, struct followed *f)
{
	struct stat st;
	if (f->fd >= 0 && fstat(f->fd, &st) == 0 && st.st_size < f->at) {
		if (!m->quiet)
			warn("note: '%s' was truncated: reading from its start",
			     f->path);
		lseek(f->fd, 0, SEEK_SET);
		f->at = 0;
		follow_break(m, f);
		return true;
	}
	if (stat(f->path, &st) != 0 ||
	    (f->fd >= 0 && st.st_dev == f->device && st.st_ino == f->inode))
		return false;
	if (f->fd >= 0) {
		/* The last lines of the old file. */
		follow_read(m, f);
		if (!m->quiet)
			warn("note: '%s' was replaced: reading the new file",
			     f->path);
		follow_break(m, f);
		close(f->fd);
	}
	follow_open(f);
	return f->fd >= 0;
}

static void follow_wait(const struct followed *f, int timeout)
{
	char events[4096];
	if (wait_until(f->notify, timeout) > 0 && f->notify >= 0)
		while (read(f->notify, events, sizeof(events)) > 0)
			;
}

static void follow(struct markup *m, const char *path)
{
	struct followed f = {
		.path = path,
		.fd = -1,
		.notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.watch = -1,
	};
	follow_open(&f);
	if (f.fd < 0 && errno != ENOENT)
		die("cannot open '%s': %s", path, strerror(errno));
	if (f.fd < 0 && !m->quiet)
		warn("note: '%s' does not exist yet: waiting for it", path);
	while (!markup_interrupted()) {
		bool more = follow_read(m, &f) || follow_changed(m, &f);
		int due = hand_over(m);
		if (more)
			continue;
		follow_wait(&f, due >= 0 && due < POLL ? due : POLL);
	}
	if (f.fd >= 0)
		close(f.fd);
	if (f.notify >= 0)
		close(f.notify);
}

/* Whether PATH is read as a stream even with --follow: pipes and terminals are
 * neither truncated nor replaced. */
static bool is_stream(const char *path)
{
	struct stat st;
	if (strcmp(path, "-") == 0)
		return true;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

int markup_run(struct markup *m, const char *const *paths, size_t count)
{
	bool follows = m->follow && !is_stream(paths[0]);
	markup_catch_signals();
	if (follows)
		follow(m, paths[0]);
	for (size_t i = 0; i < count && !follows && !markup_interrupted(); i++)
		read_file(m, paths[i]);
	if (!count)
		read_stream(m, STDIN_FILENO, "standard input");
	if (gsym_markup_finish(m->filter) == GSYM_ERR_MEMORY)
		die("out of memory");
	if (m->crashes)
		markup_write_crashes(m);
	if (m->pages)
		pages_end(m, m->options.title);
	out_flush(&m->out);
	markup_dump_write(m);
	bool missing = markup_logs_end(m);
	if (markup_interrupted() && !m->follow)
		return 128 + markup_interrupted();
	return m->strict && (m->errors || missing) ? STATUS_NO : STATUS_DONE;
}
