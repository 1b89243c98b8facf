/* SPDX-License-Identifier: MIT */
/* Reads the log: from files, standard input, or a file that grows. */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/must.h"
#include "common/report.h"
#include "markup/markup.h"

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
	if (fd == STDIN_FILENO)
		report_terminal("lines of a log");
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
		markup_die_reading(m, "open", path);
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

int markup_run(struct markup *m)
{
	const char **paths = m->paths.items;
	size_t count = m->paths.count;
	bool follows = m->follow && !is_stream(paths[0]);
	markup_catch_signals();
	if (follows)
		markup_follow(m, paths[0]);
	for (size_t i = 0; i < count && !follows && !markup_interrupted(); i++)
		read_file(m, paths[i]);
	if (!count)
		read_stream(m, STDIN_FILENO, "standard input");
	must(gsym_markup_finish(m->filter) != GSYM_ERR_MEMORY);
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
