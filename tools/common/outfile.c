/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/out.h"
#include "common/report.h"

static struct {
	int fd;
	const char *shown; /* the name for messages */
	char *target;      /* NULL: written directly, without a rename */
	char *temporary;
	int error; /* errno of the first outfile_put that failed, or 0 */
} file = { .fd = -1 };

/* The name of the temporary file while it exists, else NULL; the same pointer
 * as file.temporary.  The signal handler removes the file. */
static char *volatile unfinished;
/* The file of outfile_companion, or NULL.  The signal handler removes it. */
static char *volatile companion;

static const int ending_signals[] = { SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
				      SIGPIPE, SIGALRM, SIGXCPU,
				      /* A mapped input was cut short. */
				      SIGBUS };

static void remove_and_end(int number)
{
	if (unfinished)
		unlink(unfinished);
	if (companion)
		unlink(companion);
	/* SA_RESETHAND has restored the default action. */
	raise(number);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = remove_and_end,
				    .sa_flags = SA_RESETHAND };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0;
	     i < sizeof(ending_signals) / sizeof(ending_signals[0]); i++) {
		struct sigaction old;
		int number = ending_signals[i];
		/* A signal that the parent ignores (nohup) stays ignored. */
		if (sigaction(number, NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(number, &action, NULL);
	}
	/* Exceeding the file size limit is a write error then. */
	signal(SIGXFSZ, SIG_IGN);
}

static _Noreturn void cannot_write(int error)
{
	die("cannot write '%s': %s", file.shown, strerror(error));
}

/* Make the temporary file, with the permissions MODE, beside the target. */
static void open_temporary(mode_t mode)
{
	const char *slash = strrchr(file.target, '/');
	int folder = slash ? (int)(slash - file.target) + 1 : 0;
	const char *base = file.target + folder;
	/* A file name has 255 bytes at most. */
	int keep = strlen(base) > 200 ? 200 : (int)strlen(base);
	if (asprintf(&file.temporary, "%.*s.%.*s.XXXXXX", folder, file.target,
		     keep, base) < 0)
		die("out of memory");

	/* No signal may come between making the file and setting UNFINISHED. */
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	file.fd = mkostemp(file.temporary, O_CLOEXEC);
	int error = errno;
	if (file.fd >= 0)
		unfinished = file.temporary;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (file.fd < 0)
		cannot_write(error);
	if (fchmod(file.fd, mode) < 0)
		cannot_write(errno);
}

/* The permissions of new files. */
static mode_t new_file_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static void open_in_place(const char *path)
{
	file.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (file.fd < 0)
		cannot_write(errno);
}

/* Whether TARGET is the file INPUT, which may be NULL. */
static bool same_file(const struct stat *target, const char *input)
{
	struct stat in;
	return input && stat(input, &in) == 0 &&
	       in.st_dev == target->st_dev && in.st_ino == target->st_ino;
}

void outfile_open(const char *path, const char *input)
{
	struct stat st;

	file.shown = path;
	catch_signals();
	report_set_cleanup(outfile_abandon);
	if (strcmp(path, "-") == 0) {
		file.shown = "standard output";
		if (isatty(STDOUT_FILENO))
			die("cannot write binary data to a terminal");
		file.fd = STDOUT_FILENO;
		return;
	}
	if (stat(path, &st) < 0) {
		if (errno != ENOENT)
			cannot_write(errno);
		/* rename would replace a dangling symbolic link. */
		if (lstat(path, &st) == 0)
			die("cannot write '%s': a symbolic link to nowhere",
			    path);
		file.target = strdup(path);
		if (!file.target)
			die("out of memory");
		open_temporary(new_file_mode());
	} else if (same_file(&st, input)) {
		die("cannot write '%s': it is the input", path);
	} else if (S_ISREG(st.st_mode)) {
		if (access(path, W_OK) < 0)
			cannot_write(errno);
		file.target = realpath(path, NULL);
		if (!file.target)
			cannot_write(errno);
		open_temporary(st.st_mode & 0777);
	} else if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) {
		open_in_place(path);
	} else {
		die("cannot write '%s': %s", path,
		    S_ISDIR(st.st_mode) ? "it is a folder"
					: "it is no regular file");
	}
}

void outfile_mode_of(const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		die("cannot open '%s': %s", path, strerror(errno));
	/* Not set-user-ID: the copy is another program. */
	if (file.target && fchmod(file.fd, st.st_mode & 0777) < 0)
		cannot_write(errno);
}

int outfile_descriptor(void)
{
	return file.fd;
}

bool outfile_is_file(void)
{
	return file.target != NULL;
}

bool outfile_put(uint64_t offset, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size && !file.error) {
		ssize_t put = pwrite(file.fd, at, size, (off_t)offset);

		if (put < 0 && errno != EINTR) {
			file.error = errno;
		} else if (put > 0) {
			at += put;
			offset += (uint64_t)put;
			size -= (size_t)put;
		}
	}
	return !file.error;
}

void outfile_commit(const void *bytes, size_t size)
{
	if (file.error)
		cannot_write(file.error);
	if (!out_write_all(file.fd, bytes, size)) {
		if (errno == EPIPE && !file.target) {
			signal(SIGPIPE, SIG_DFL);
			raise(SIGPIPE);
		}
		cannot_write(errno);
	}
	if (file.target && fsync(file.fd) < 0)
		cannot_write(errno);
	int fd = file.fd;
	file.fd = -1;
	if (close(fd) < 0 && errno != EINTR)
		cannot_write(errno);
	if (file.target) {
		/* No signal may come between the rename and clearing
		 * UNFINISHED: the temporary name may be taken anew by then. */
		sigset_t all, before;
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, &before);
		int failed = rename(file.temporary, file.target);
		int error = errno;
		if (failed == 0)
			unfinished = NULL;
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (failed)
			cannot_write(error);
	}
	char *kept = companion;
	companion = NULL;
	free(kept);
	outfile_abandon();
}

void outfile_companion(char *path)
{
	companion = path;
	report_set_cleanup(outfile_abandon);
}

void outfile_abandon(void)
{
	report_set_cleanup(NULL);
	if (unfinished)
		unlink(unfinished);
	unfinished = NULL;
	if (companion)
		unlink(companion);
	free(companion);
	companion = NULL;
	if (file.fd > STDERR_FILENO)
		close(file.fd);
	file.fd = -1;
	file.error = 0;
	free(file.target);
	free(file.temporary);
	file.target = NULL;
	file.temporary = NULL;
}
