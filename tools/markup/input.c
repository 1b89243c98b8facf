/* SPDX-License-Identifier: MIT */
/* Reads the log from files and standard input, feeds the filter with what is
 * read, and tells it the time.  Tells who gives a profile that it is no log. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

/* ---- profiles ------------------------------------------------------------ */

static bool begins(const char *bytes, size_t size, const char *word)
{
	return size >= strlen(word) && memcmp(bytes, word, strlen(word)) == 0;
}

/* Whether the line AT to END is "main;work;leaf 12". */
static bool is_folded(const char *at, const char *end)
{
	const char *digits = end;
	while (digits > at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return digits < end && digits - at > 1 && digits[-1] == ' ' &&
	       memchr(at, ';', (size_t)(digits - at)) &&
	       !memchr(" \t;<[{\"", *at, 7);
}

/* Whether the first lines of the SIZE bytes, two at least, are folded stacks.
 * The last line may be cut. */
static bool are_folded(const char *bytes, size_t size)
{
	enum { MOST = 64, LEAST = 2 };
	const char *at = bytes, *end;
	int lines = 0;
	while (lines < MOST &&
	       (end = memchr(at, '\n', size - (size_t)(at - bytes)))) {
		if (!is_folded(at, end))
			return false;
		at = end + 1;
		lines++;
	}
	return lines >= LEAST;
}

/* With --logs, say once if the SIZE bytes, the first ones of the file PATH, are
 * of a profile: users may look for gsym-pprof. */
static void tell_profile(struct markup *m, const char *bytes, size_t size,
			 const char *path)
{
	if (!m->options.logs.forms || m->profile_told)
		return;
	m->profile_told = true;
	if (begins(bytes, size, "heap profile: ") ||
	    begins(bytes, size, "heap_v2/"))
		report_note("note: '%s' is a heap profile, not a log: "
			    "gsym-pprof names its addresses",
			    path);
	else if (are_folded(bytes, size))
		report_note("note: '%s' has folded stacks, not a log: "
			    "gsym-pprof names the addresses of a profile "
			    "before its stacks are folded",
			    path);
	else
		m->profile_told = false;
}

/* ---- the log ------------------------------------------------------------- */

/* PIECE: bytes after which signals are looked for.  out_bytes writes pieces of
 * OUT_RESERVE bytes without copying them into its buffer. */
enum { BLOCK = 256 << 10, PIECE = OUT_RESERVE };
/* Milliseconds. */
enum {
	/* After these missing symbols are looked for again. */
	RETRY = 10000,
	/* After a signal: for the end of the line at hand. */
	LAST_LINE = 1000,
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
		markup_retry(m);
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
		/* The filter copies a line that comes in pieces. */
		const char *end = memchr(bytes + part - 1, '\n',
					 size - part + 1);
		part = end ? (size_t)(end + 1 - bytes) : size;
		if (markup_interrupted()) {
			if (!m->in_line)
				return false;
			const char *newline = memchr(bytes, '\n', part);
			if (newline)
				part = (size_t)(newline + 1 - bytes);
		}
		if (m->as_json)
			part = objects_scan(m, bytes, part);
		must(gsym_markup_feed(m->filter, bytes, part) !=
		     GSYM_ERR_MEMORY);
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

/* Write what came before, and die: WHAT ("read") of the file PATH failed, and
 * errno says why. */
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
	if (m->at_start)
		tell_profile(m, block, (size_t)n, path);
	m->at_start = false;
	return markup_feed(m, block, (size_t)n) ? n : 0;
}

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
	m->at_start = true;
	if (fd == STDIN_FILENO)
		report_terminal("lines of a log");
	while (markup_goes_on(m)) {
		if (waits && !wait_for(m, fd))
			break;
		if (markup_read(m, fd, name) == 0)
			break;
	}
}

void markup_read_file(struct markup *m, const char *path)
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
