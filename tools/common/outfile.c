/* SPDX-License-Identifier: MIT */
/* Writes output files under temporary names, and renames or removes them. */
#include "config.h"

#include "common/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/out.h"
#include "common/path.h"
#include "common/report.h"

/* A file under its temporary name. */
struct part {
	int folder; /* the folder of TEMPORARY and TARGET */
	int fd;     /* locked, so that no other process takes the file away */
	char *temporary, *target;
	char *shown; /* the path for messages */
};

/* The files that are not in place yet: those that outfile_hold completed, and
 * the open one.  The signal handler removes them. */
static struct part *volatile parts;
static volatile size_t part_count;
/* The file of outfile_companion, or NULL.  The signal handler removes it. */
static char *volatile companion;

/* The open output. */
static struct {
	int fd;
	const char *shown; /* the path for messages */
	bool in_part;      /* it is the last part; else written directly */
	int error; /* errno of the first outfile_put that failed, or 0 */
} file = { .fd = -1 };

/* ---- signals ------------------------------------------------------------- */

static const int ending_signals[] = { SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
				      SIGPIPE, SIGALRM, SIGXCPU,
				      /* A mapped input was cut short. */
				      SIGBUS };

void outfile_remove(void)
{
	for (size_t i = 0; i < part_count; i++)
		unlinkat(parts[i].folder, parts[i].temporary, 0);
	if (companion)
		unlink(companion);
}

static void remove_and_end(int number)
{
	outfile_remove();
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

static _Noreturn void cannot_write(const char *path, int error)
{
	die("cannot write '%s': %s", path, strerror(error));
}

static char *copy_of(const char *text)
{
	char *copy = strdup(text);
	if (!copy)
		die("out of memory");
	return copy;
}

/* Whether the file NAME in FOLDER is the open file FD. */
static bool is_open_file(int folder, const char *name, int fd)
{
	struct stat named, opened;
	return fstat(fd, &opened) == 0 &&
	       fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* Lock the temporary file NAME in FOLDER, which was made as FD.  Returns false
 * if another process took the file away before it was locked.  On file systems
 * without locks the file stays unlocked. */
static bool lock(int folder, const char *name, int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	return is_open_file(folder, name, fd);
}

/* Remove the temporary file NAME in FOLDER if the process that made it was
 * killed: the file is not locked.  Returns whether it was removed. */
static bool remove_abandoned(int folder, const char *name)
{
	struct stat st;
	bool removed;
	int fd = openat(folder, name,
			O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	removed = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		  st.st_uid == geteuid() &&
		  flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		  is_open_file(folder, name, fd) &&
		  unlinkat(folder, name, 0) == 0;
	close(fd);
	return removed;
}

/* Make room for another part. */
static void make_room(void)
{
	sigset_t before;
	struct part *more;

	block_signals(&before);
	more = reallocarray(parts, part_count + 1, sizeof(*more));
	if (!more)
		die("out of memory");
	parts = more;
	restore_signals(&before);
}

/* Make a temporary file in FOLDER for the target BASE, and add it to the parts.
 * Returns its descriptor, or -1, with errno set.  The temporary files for a
 * target have numbers in their names, so files of killed processes are found
 * without reading the folder. */
static int make_temporary(int folder, const char *base)
{
	/* A file name has 255 bytes at most. */
	int keep = strlen(base) > 200 ? 200 : (int)strlen(base), fd = -1;
	unsigned number = 0;
	char *target = copy_of(base), *shown = copy_of(file.shown);

	make_room();
	for (int tries = 0; fd < 0 && tries < 1000; tries++) {
		char *name =
			path_print(".%.*s.gsym-new.%u", keep, base, number);
		sigset_t before;
		int error;

		block_signals(&before);
		fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			    0600);
		error = errno;
		if (fd >= 0 && !lock(folder, name, fd)) {
			close(fd);
			fd = -1;
			error = EEXIST;
		}
		if (fd >= 0)
			parts[part_count++] = (struct part){
				.folder = folder, .fd = fd, .temporary = name,
				.target = target, .shown = shown,
			};
		restore_signals(&before);
		if (fd < 0 && error == EEXIST &&
		    !remove_abandoned(folder, name))
			number++;
		if (fd < 0)
			free(name);
		errno = error;
		if (fd < 0 && error != EEXIST)
			break;
	}
	if (fd < 0) {
		int error = errno;
		free(target);
		free(shown);
		errno = error;
	}
	return fd;
}

/* Start writing the file BASE in FOLDER with the permissions MODE.  The
 * descriptor FOLDER belongs to the part from now on. */
static void open_part(int folder, const char *base, mode_t mode)
{
	file.fd = make_temporary(folder, base);
	if (file.fd < 0) {
		int error = errno;
		close(folder);
		cannot_write(file.shown, error);
	}
	file.in_part = true;
	if (fchmod(file.fd, mode) < 0)
		cannot_write(file.shown, errno);
}

static void free_part(struct part *part)
{
	close(part->fd);
	close(part->folder);
	free(part->temporary);
	free(part->target);
	free(part->shown);
}

/* ---- opening ------------------------------------------------------------- */

/* The permissions of new files. */
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
	return input && stat(input, &in) == 0 &&
	       in.st_dev == target->st_dev && in.st_ino == target->st_ino;
}

/* Die if the target with the status ST must not be replaced. */
static void check_target(const struct stat *st, const char *input)
{
	if (same_file(st, input))
		die("cannot write '%s': it is the input", file.shown);
	if (!S_ISREG(st->st_mode))
		die("cannot write '%s': %s", file.shown,
		    S_ISDIR(st->st_mode) ? "it is a folder"
					 : "it is no regular file");
}

/* Open the folder of PATH; SHOWN is the path for messages. */
static int open_folder_of(const char *path, const char *shown)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? strndup(path, (size_t)(slash + 1 - path))
			   : strdup(".");
	int folder;

	if (!name)
		die("out of memory");
	folder = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(name);
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

static void start(const char *path)
{
	file.shown = path;
	file.in_part = false;
	file.error = 0;
	catch_signals();
	report_set_cleanup(outfile_abandon);
}

void outfile_open(const char *path, const char *input)
{
	struct stat st;

	start(path);
	if (strcmp(path, "-") == 0) {
		file.shown = "standard output";
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
		file.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (file.fd < 0)
			cannot_write(path, errno);
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
	char *name = strndup(path, length);
	int folder;

	if (!name)
		die("out of memory");
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
	folder = open(*name ? name : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		die("cannot open the folder '%s': %s", name, strerror(errno));
	free(name);
	return folder;
}

int outfile_folder(const char *path)
{
	return open_root(path, strlen(path));
}

int outfile_folder_of(const char *path)
{
	char *target;
	int folder;

	if (strcmp(path, "-") == 0)
		return -1;
	/* NULL if there is no such file yet. */
	target = realpath(path, NULL);
	folder = open_folder_of(target ? target : path, path);
	free(target);
	return folder;
}

/* Open the folder NAME in FOLDER, which is closed, and make it if it is
 * missing. */
static int open_inside(int folder, const char *name)
{
	struct stat st;
	int inside;

	if (mkdirat(folder, name, 0777) < 0 && errno != EEXIST)
		die("cannot make the folder '%s' for '%s': %s", name,
		    file.shown, strerror(errno));
	inside = openat(folder, name,
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inside < 0 &&
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(st.st_mode))
		die("cannot write '%s': '%s' is a symbolic link", file.shown,
		    name);
	if (inside < 0)
		cannot_write(file.shown, errno);
	close(folder);
	return inside;
}

/* Open the folder of PATH, whose first ROOT bytes are the folder of a tree, and
 * make the folders that are missing.  NAMES is a copy of the rest of PATH,
 * which is changed; *BASE becomes the last name in it. */
static int open_below(const char *path, size_t root, char *names, char **base)
{
	char *at = names + strspn(names, "/");
	int folder = open_root(path, root);

	for (char *slash; (slash = strchr(at, '/')); at = slash + 1) {
		*slash = 0;
		if (*at)
			folder = open_inside(folder, at);
	}
	*base = at;
	return folder;
}

int outfile_lock_below(const char *path, size_t root)
{
	char *names = copy_of(path + root), *base;
	int folder, fd;

	file.shown = path;
	folder = open_below(path, root, names, &base);
	fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		cannot_write(path, errno);
	while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
		;
	close(folder);
	free(names);
	return fd;
}

void outfile_open_below(const char *path, size_t root, const char *input)
{
	struct stat st;
	char *names = copy_of(path + root), *at;
	int folder;

	start(path);
	folder = open_below(path, root, names, &at);
	if (fstatat(folder, at, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			cannot_write(path, errno);
		open_part(folder, at, new_file_mode());
	} else if (S_ISLNK(st.st_mode)) {
		/* rename replaces the link itself, not the file that it leads
		 * to. */
		open_part(folder, at, new_file_mode());
	} else {
		check_target(&st, input);
		if (faccessat(folder, at, W_OK, 0) < 0)
			cannot_write(path, errno);
		open_part(folder, at, st.st_mode & 0777);
	}
	free(names);
}

/* ---- writing ------------------------------------------------------------- */

void outfile_mode_of(const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		die("cannot open '%s': %s", path, strerror(errno));
	/* Not set-user-ID: the copy is another program. */
	if (file.in_part && fchmod(file.fd, st.st_mode & 0777) < 0)
		cannot_write(file.shown, errno);
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
	if (file.in_part && fsync(file.fd) < 0)
		cannot_write(file.shown, errno);
	/* The descriptor of a part stays open, because the lock ends when it is
	 * closed. */
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

void outfile_commit(const void *bytes, size_t size)
{
	if (file.fd >= 0)
		finish(bytes, size);
	while (part_count > 0) {
		/* No signal may come between the rename and the removal from
		 * the list: the temporary name may be taken anew by then. */
		struct part part = parts[part_count - 1];
		sigset_t before;
		block_signals(&before);
		int failed = renameat(part.folder, part.temporary, part.folder,
				      part.target);
		int error = errno;
		if (!failed)
			part_count--;
		restore_signals(&before);
		if (failed)
			cannot_write(part.shown, error);
		free_part(&part);
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
	sigset_t before;

	report_set_cleanup(NULL);
	block_signals(&before);
	while (part_count > 0) {
		struct part *part = &parts[--part_count];
		unlinkat(part->folder, part->temporary, 0);
		free_part(part);
	}
	free(parts);
	parts = NULL;
	if (companion)
		unlink(companion);
	free(companion);
	companion = NULL;
	restore_signals(&before);
	if (file.fd > STDERR_FILENO && !file.in_part)
		close(file.fd);
	file.fd = -1;
	file.in_part = false;
	file.error = 0;
}

