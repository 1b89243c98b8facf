/* SPDX-License-Identifier: MIT */
/* Reads the log: from files, standard input, or a file that grows. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/report.h"
#include "markup/crashes.h"
#include "markup/markup.h"
#include "markup/pages.h"

/* PIECE: bytes after which signals are looked for. */
enum { BLOCK = 64 << 10, PIECE = 16 << 10 };
/* Milliseconds. */
enum {
	/* After these missing symbols are looked for again. */
	RETRY = 10000,
	/* After a signal: for the end of the line at hand. */
	LAST_LINE = 1000,
};

/* ---- the filter ---------------------------------------------------------- */

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
		m->round++;
		m->asked = now;
	}
	return gsym_markup_clock(m->filter, now);
}

int markup_hand_over(struct markup *m)
{
	int due = tell_time(m);
	out_flush(&m->out);
	markup_dump_pause(m);
	return due;
}

bool markup_feed(struct markup *m, const char *bytes, size_t size)
{
	while (size) {
		size_t part = size < PIECE ? size : PIECE;
		if (markup_interrupted()) {
			if (!m->in_line)
				return false;
			const char *newline = memchr(bytes, '\n', part);
			if (newline)
				part = (size_t)(newline + 1 - bytes);
		}
		if (m->crashes)
			part = crashes_scan(m->crashes, bytes, part);
		if (gsym_markup_feed(m->filter, bytes, part) == GSYM_ERR_MEMORY)
			die("out of memory");
		m->in_line = bytes[part - 1] != '\n';
		bytes += part;
		size -= part;
	}
	return true;
}

/* Milliseconds that are left for the end of the line at hand after a signal; 0:
 * the log has ended. */
static int last_line(struct markup *m)
{
	int64_t now = clock_milliseconds();
	if (!m->last_line)
		m->last_line = now + LAST_LINE;
	return m->in_line && now < m->last_line ? (int)(m->last_line - now)
						: 0;
}

bool markup_goes_on(struct markup *m)
{
	return !markup_interrupted() || last_line(m) > 0;
}

bool markup_wait(struct markup *m, int fd, int timeout)
{
	int signals = markup_interrupted() ? -1 : markup_signal_pipe();
	int left = signals < 0 ? last_line(m) : timeout;
	struct pollfd both[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	return poll(both, 2, left < timeout || timeout < 0 ? left : timeout) >
		       0 &&
	       both[0].revents;
}

/* The log ends with an error: write what came before. */
static _Noreturn void die_reading(struct markup *m, const char *what,
				  const char *path)
{
	int error = errno;
	gsym_markup_flush(m->filter);
	out_flush(&m->out);
	die("cannot %s '%s': %s", what, path, strerror(error));
}

ssize_t markup_read(struct markup *m, int fd, const char *path)
{
	static char block[BLOCK];
	ssize_t n = file_read_some(fd, block, sizeof(block));
	if (n < 0 && errno != EAGAIN)
		die_reading(m, "read", path);
	if (n <= 0)
		return n;
	tell_time(m);
	return markup_feed(m, block, (size_t)n) ? n : 0;
}

/* ---- streams and files --------------------------------------------------- */

/* Wait for input on FD; false if the log has ended. */
static bool wait_for(struct markup *m, int fd)
{
	bool ready = markup_wait(m, fd, 0);
	while (!ready && markup_goes_on(m))
		ready = markup_wait(m, fd, markup_hand_over(m));
	return ready;
}

static void read_stream(struct markup *m, int fd, const char *name)
{
	struct stat st;
	bool waits = fstat(fd, &st) != 0 || !S_ISREG(st.st_mode);
	while (markup_goes_on(m)) {
		if (waits && !wait_for(m, fd))
			break;
		if (markup_read(m, fd, name) == 0)
			break;
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
		die_reading(m, "open", path);
	read_stream(m, fd, path);
	close(fd);
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
		markup_follow(m, paths[0]);
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
