/* SPDX-License-Identifier: MIT */
/* Writes output files under temporary names, and renames or removes them. */
#include "config.h"

#include "common/file.h"
#include "common/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "common/out.h"

/* A file under its temporary name. */
struct part {
	/* Its texts are malloc'ed. */
	struct file_place place;
	char *shown; /* the path for messages */
};

/* The files that are not in place yet: those that outfile_hold completed, and
 * the open one.  The signal handler removes them. */
static struct part *volatile parts;
static volatile size_t part_count;

/* The open output. */
static struct {
	int fd;
	const char *shown; /* the path for messages */
	bool in_part;      /* it is the last part; else written directly */
	int error; /* errno of the first outfile_put that failed, or 0 */
} file = { .fd = -1 };

/* The permissions of the next file, from outfile_mode_of; 0: the usual ones. */
static mode_t next_mode;

/* ---- signals ------------------------------------------------------------- */

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP,
				      SIGQUIT, SIGPIPE, SIGALRM };

/* See outfile_at_signal. */
static void (*volatile also)(void);

void outfile_remove(void)
{
	if (also)
		also();
	for (size_t i = 0; i < part_count; i++)
		unlinkat(parts[i].place.folder, parts[i].place.temporary, 0);
}

static void remove_at_limit(int number)
{
	(void)number;
	outfile_remove();
}

static void remove_and_end(int number)
{
	outfile_remove();
	/* SA_RESETHAND has restored the default action.  In a sandbox a child
	 * cannot send the signal. */
	if (raise(number) != 0)
		_exit(OUTFILE_SIGNAL + number);
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
	report_at_limit(remove_at_limit);
}

void outfile_at_signal(void (*call)(void))
{
	also = call;
	catch_signals();
}

/* Block all signals, while a file and the list of parts do not agree. */
static void block_signals(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, before);
}

static void restore_signals(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* ---- temporary files ----------------------------------------------------- */

/* What file.shown is for the path "-". */
static const char standard_output[] = "standard output";

static _Noreturn void cannot_write(const char *path, int error)
{
	if (path == standard_output)
		die("cannot write to standard output: %s", strerror(error));
	die("cannot write '%s': %s", path, strerror(error));
}

/* A temporary name for the target BASE in FOLDER, malloc'ed.  Of many files
 * that belong together, such as segments, what killed processes left is removed
 * for the first ones alone. */
static char *new_name(int folder, const char *base)
{
	return temporary_name(folder, base, part_count < 16);
}

static void make_room(void)
{
	sigset_t before;
	struct part *more;

	block_signals(&before);
	more = must_have(reallocarray(parts, part_count + 1, sizeof(*more)));
	parts = more;
	restore_signals(&before);
}

static void free_part(struct part *part)
{
	if (part->place.fd >= 0)
		close(part->place.fd);
	close(part->place.folder);
	free((char *)part->place.temporary);
	free((char *)part->place.target);
	free(part->shown);
}

/* Make the new file NAME in FOLDER with the permissions MODE.  Returns its
 * descriptor, or -1, with errno set.  A sandbox allows no fchmod. */
static int make_file(int folder, const char *name, mode_t mode)
{
	mode_t mask = umask(0);
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			mode);

	umask(mask);
	return fd;
}

/* Start writing the file BASE in FOLDER with the permissions MODE.  The
 * descriptor FOLDER belongs to the part from now on. */
static void open_part(int folder, const char *base, mode_t mode)
{
	struct part part = {
		.place = {
			.folder = folder,
			.target = must_have(strdup(base)),
			.temporary = new_name(folder, base),
		},
		.shown = must_have(strdup(file.shown)),
	};
	sigset_t before;
	int error;

	make_room();
	block_signals(&before);
	file.fd = part.place.fd = make_file(folder, part.place.temporary,
					    next_mode ? next_mode : mode);
	error = errno;
	next_mode = 0;
	if (file.fd >= 0)
		parts[part_count++] = part;
	restore_signals(&before);
	if (file.fd < 0) {
		free_part(&part);
		cannot_write(file.shown, error);
	}
	file.in_part = true;
}

/* ---- opening ------------------------------------------------------------- */

static mode_t new_file_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* Whether TARGET is the file INPUT, which may be NULL. */
static bool same_file(const struct stat *target, const char *input)
{
	struct stat in;
	return input && stat(input, &in) == 0 && file_same(&in, target);
}

/* Die if the target with the status ST must not be replaced. */
static void check_target(const struct stat *st, const char *input)
{
	if (same_file(st, input))
		die("cannot write '%s': it is the input", file.shown);
	if (!S_ISREG(st->st_mode))
		die("cannot write '%s': %s", file.shown,
		    S_ISDIR(st->st_mode) ? "it is a folder"
					 : "it is a device or pipe");
}

/* The folder of the first SIZE bytes of PATH; -1 with errno. */
static int find_root(const char *path, size_t size)
{
	char *name = must_have(strndup(path, size));
	int folder = gsym_fd_open(*name ? name : "/", SYSTEM_FOLDER);

	free(name);
	return folder;
}

/* Open the folder of PATH; SHOWN is the path for messages. */
static int open_folder_of(const char *path, const char *shown)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? find_root(path, (size_t)(slash + 1 - path))
			   : find_root(".", 1);

	if (folder < 0)
		cannot_write(shown, errno);
	return folder;
}

/* Open the temporary file for the target PATH, which is no symbolic link. */
static void open_beside(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	int folder = open_folder_of(path, file.shown);

	open_part(folder, slash ? slash + 1 : path, mode);
}

static void begin_output(const char *path)
{
	file.shown = path;
	file.in_part = false;
	file.error = 0;
	catch_signals();
	report_set_cleanup(outfile_abandon);
}

void outfile_open(const char *path, const char *input)
{
	struct stat st, opened;

	begin_output(path);
	if (strcmp(path, "-") == 0) {
		file.shown = standard_output;
		if (isatty(STDOUT_FILENO))
			die("cannot write binary data to a terminal");
		file.fd = STDOUT_FILENO;
	} else if (stat(path, &st) < 0) {
		if (errno != ENOENT)
			cannot_write(path, errno);
		/* rename would replace a dangling symbolic link. */
		if (lstat(path, &st) == 0)
			die("cannot write '%s': a symbolic link to nowhere",
			    path);
		open_beside(path, new_file_mode());
	} else if ((S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) &&
		   !same_file(&st, input)) {
		file.fd = gsym_fd_open(path, O_WRONLY | O_NOCTTY);
		if (file.fd < 0)
			cannot_write(path, errno);
		if (fstat(file.fd, &opened) < 0 || !file_same(&st, &opened))
			die("cannot write '%s': it was replaced", path);
	} else {
		check_target(&st, input);
		char *target = access(path, W_OK) < 0 ? NULL
						      : realpath(path, NULL);
		if (!target)
			cannot_write(path, errno);
		open_beside(target, st.st_mode & 0777);
		free(target);
	}
}

/* Open the folder of LENGTH bytes at PATH, and make it if it is missing, with
 * all folders that it lies in. */
static int open_root(const char *path, size_t length)
{
	char *name = must_have(strndup(path, length));
	int folder;

	for (char *at = name + strspn(name, "/"); at && *at;) {
		at = strchr(at, '/');
		if (at)
			*at = 0;
		if (mkdir(name, 0777) < 0 && errno != EEXIST)
			die("cannot make the folder '%s': %s", name,
			    strerror(errno));
		if (at)
			*at++ = '/';
	}
	folder = find_root(name, length);
	if (folder < 0)
		die("cannot open the folder '%s': %s", name, strerror(errno));
	free(name);
	return folder;
}

int outfile_folder(const char *path)
{
	return open_root(path, strlen(path));
}

int outfile_place(const char *path)
{
	struct stat st;
	char *target;
	int place = -1;

	if (strcmp(path, "-") == 0)
		return -1;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		place = gsym_system_find(AT_FDCWD, path, 0);
	if (place >= 0)
		return place;
	/* NULL if there is no such file yet. */
	target = realpath(path, NULL);
	place = open_folder_of(target ? target : path, path);
	free(target);
	return place;
}

/* Open the folder of PATH, whose first ROOT bytes are the folder of a tree, and
 * make the folders that are missing.  NAMES is a copy of the rest of PATH;
 * NAMES and BASE are as for file_below. */
static int open_below(const char *path, size_t root, char *names, char **base)
{
	int folder = file_below(open_root(path, root), true, names, base);

	if (folder < 0 && errno == ELOOP)
		die("cannot write '%s': '%s' is a symbolic link", file.shown,
		    *base);
	if (folder < 0)
		cannot_write(file.shown, errno);
	return folder;
}

int outfile_find_below(const char *path, size_t root)
{
	char *names = must_have(strdup(path + root)), *base;
	int folder = file_below(find_root(path, root), false, names, &base);
	int fd = folder < 0 ? -1 : file_find(folder, base), error = errno;

	if (folder >= 0)
		close(folder);
	free(names);
	errno = error;
	return fd;
}

const char *outfile_link_below(const char *path, size_t root,
			       const char *target)
{
	char *names = must_have(strdup(path + root)), *base, *name;
	int folder = file_below(find_root(path, root), true, names, &base);
	const char *why = folder >= 0	 ? NULL
			  : errno == ELOOP ? "a folder is a symbolic link"
					   : strerror(errno);
	sigset_t before;

	if (!why) {
		name = new_name(folder, base);
		block_signals(&before);
		why = symlinkat(target, folder, name) < 0
			      ? strerror(errno)
			      : file_place_link(folder, name, base);
		if (why)
			unlinkat(folder, name, 0);
		restore_signals(&before);
		close(folder);
		free(name);
	}
	free(names);
	return why;
}

void outfile_open_below(const char *path, size_t root, const char *input)
{
	struct stat st;
	char *names = must_have(strdup(path + root)), *at;
	mode_t mode = new_file_mode();
	int folder;

	begin_output(path);
	folder = open_below(path, root, names, &at);
	if (fstatat(folder, at, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			cannot_write(path, errno);
	} else if (!S_ISLNK(st.st_mode)) {
		/* rename replaces a link itself, not the file that it leads
		 * to. */
		check_target(&st, input);
		if (faccessat(folder, at, W_OK, 0) < 0)
			cannot_write(path, errno);
		mode = st.st_mode & 0777;
	}
	open_part(folder, at, mode);
	free(names);
}

/* ---- writing ------------------------------------------------------------- */

void outfile_mode_of(const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		die("cannot open '%s': %s", path, strerror(errno));
	/* Not set-user-ID: the copy is another program. */
	next_mode = st.st_mode & 0777;
}

void outfile_prefer(file_better_fn *better, void *context)
{
	parts[part_count - 1].place.better = better;
	parts[part_count - 1].place.context = context;
}

int outfile_descriptor(void)
{
	return file.fd;
}

bool outfile_is_file(void)
{
	return file.in_part;
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

/* Write SIZE bytes, and finish the open output.  It stays in the list if it is
 * a part. */
static void finish(const void *bytes, size_t size)
{
	if (file.error)
		cannot_write(file.shown, file.error);
	if (!out_write_all(file.fd, bytes, size)) {
		if (errno == EPIPE && !file.in_part) {
			signal(SIGPIPE, SIG_DFL);
			raise(SIGPIPE);
		}
		cannot_write(file.shown, errno);
	}
	if (file.in_part && !file_sync(file.fd))
		cannot_write(file.shown, errno);
	/* The descriptor of a part stays open: it tells whether the temporary
	 * file is still the one that was written. */
	int fd = file.in_part ? -1 : file.fd;
	file.fd = -1;
	file.in_part = false;
	if (fd >= 0 && close(fd) < 0 && errno != EINTR)
		cannot_write(file.shown, errno);
}

void outfile_hold(const void *bytes, size_t size)
{
	struct rlimit limit;

	finish(bytes, size);
	/* All parts stay open, and there may be many. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

bool outfile_commit(const void *bytes, size_t size)
{
	bool kept = false;

	if (file.fd >= 0)
		finish(bytes, size);
	for (size_t i = 0; i < part_count; i++) {
		const char *why = file_place(&parts[i].place, &kept);

		if (why)
			die("cannot write '%s': %s", parts[i].shown, why);
	}
	/* No temporary name is in use any more. */
	outfile_abandon();
	return !kept;
}

void outfile_abandon(void)
{
	sigset_t before;

	report_set_cleanup(NULL);
	block_signals(&before);
	while (part_count > 0) {
		struct part *part = &parts[--part_count];
		unlinkat(part->place.folder, part->place.temporary, 0);
		free_part(part);
	}
	free(parts);
	parts = NULL;
	restore_signals(&before);
	if (file.fd > STDERR_FILENO && !file.in_part)
		close(file.fd);
	file.fd = -1;
	file.in_part = false;
	file.error = 0;
}

