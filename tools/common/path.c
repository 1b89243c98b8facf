/* SPDX-License-Identifier: MIT */
/* Makes texts of paths, and the folders of a path; walks over folders: reads
 * the names of a folder when it enters the folder, and looks at each entry when
 * it comes to it.  Names temporary files and folders, finds those of processes
 * that have ended, and removes those of this process. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/path_map.h"
#include "base/system.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"

char path_separator(const char *directory)
{
	return *gsym_path_separator(directory);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

const char *path_base_of(const char *path, size_t *size)
{
	const char *slash = memrchr(path, '/', *size);
	if (!slash)
		return path;
	*size -= (size_t)(slash + 1 - path);
	return slash + 1;
}

char *path_join(const char *directory, const char *basename)
{
	const char separator[2] = { path_separator(directory), 0 };
	return path_print("%s%s%s", directory, separator, basename);
}

char *path_cache(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (base && *base == '/')
		return path_print("%s/gsym/" PACKAGE_VERSION, base);
	return home && *home == '/'
		       ? path_print("%s/.cache/gsym/" PACKAGE_VERSION, home)
		       : NULL;
}

bool path_make_folders(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		int failed = mkdir(path, 0755);
		*at = '/';
		if (failed && errno != EEXIST)
			return false;
	}
	return true;
}

bool path_is_release(const char *release)
{
	static const char allowed[] =
		"0123456789abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ.+~_-";
	size_t size = strlen(release);
	return size && size <= 64 && strspn(release, allowed) == size &&
	       *release != '.' && !strstr(release, "..");
}

/* ---- walks over folders -------------------------------------------------- */

/* A folder whose entries are walked. */
struct walk_folder {
	/* The names that are not walked yet, the last one first. */
	char **names;
	size_t count;
	/* The size of its path, without a slash at the end. */
	size_t size;
	dev_t device;
	ino_t number;
};

struct walk {
	/* The path of the entry, with a NUL. */
	struct {
		GSYM_VEC(char);
	} path;
	/* The folders that lead to the entry. */
	struct {
		GSYM_VEC(struct walk_folder);
	} folders;
	struct walk_entry entry;
	/* The entry is a folder whose names are not read yet. */
	bool pending;
	bool begun;
};

struct walk *path_walk_open(const char *root)
{
	struct walk *w = must_have(calloc(1, sizeof(*w)));
	size_t size = strlen(root);

	must_reserve(&w->path, size + 1);
	memcpy(w->path.items, root, size + 1);
	w->path.count = size;
	return w;
}

/* Look at the entry with the path of W; AT_ROOT: through a link. */
static const struct walk_entry *look(struct walk *w, bool at_root)
{
	struct walk_entry *entry = &w->entry;
	const char *path = w->path.items;

	*entry = (struct walk_entry){ .kind = WALK_OTHER, .path = path };
	entry->level = (unsigned)w->folders.count;
	if ((!at_root || stat(path, &entry->st) != 0) &&
	    lstat(path, &entry->st) != 0) {
		entry->kind = WALK_FAILED;
		entry->error = errno;
		entry->st = (struct stat){ 0 };
	} else if (S_ISDIR(entry->st.st_mode)) {
		entry->kind = WALK_FOLDER;
	} else if (S_ISREG(entry->st.st_mode)) {
		entry->kind = WALK_FILE;
	} else if (S_ISLNK(entry->st.st_mode)) {
		entry->kind = WALK_LINK;
	}
	w->pending = entry->kind == WALK_FOLDER;
	return entry;
}

/* Open the folder NAME in FOLDER with FLAGS; NULL with errno. */
static DIR *open_folder(int folder, const char *name, int flags)
{
	int fd = openat(folder, name,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	int error = errno;

	if (!dir && fd >= 0)
		close(fd);
	errno = error;
	return dir;
}

/* The last name comes first. */
static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)b, *(char *const *)a);
}

/* Read the names of DIR.  Returns an errno, or 0. */
static int read_names(struct walk_folder *folder, DIR *dir)
{
	struct {
		GSYM_VEC(char *);
	} names = { 0 };
	struct dirent *d;
	int error;

	for (errno = 0; (d = readdir(dir)); errno = 0)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			*must_push(&names) = must_have(strdup(d->d_name));
	error = errno;
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items),
		      compare_names);
	folder->names = names.items;
	folder->count = names.count;
	return error;
}

/* Whether the walk is in this folder already: a bind mount can show a folder
 * within itself. */
static bool is_circle(const struct walk *w)
{
	for (size_t i = 0; i < w->folders.count; i++)
		if (w->folders.items[i].device == w->entry.st.st_dev &&
		    w->folders.items[i].number == w->entry.st.st_ino)
			return true;
	return false;
}

/* Enter the folder that is the entry.  Returns false if it cannot be read,
 * which the entry says then. */
static bool enter(struct walk *w)
{
	struct walk_entry *entry = &w->entry;
	struct walk_folder folder = { .device = entry->st.st_dev,
				      .number = entry->st.st_ino };
	/* Another folder may have taken its place. */
	DIR *dir = open_folder(AT_FDCWD, entry->path,
			       entry->level ? O_NOFOLLOW : 0);

	entry->error = dir ? read_names(&folder, dir) : errno;
	if (dir)
		closedir(dir);
	folder.size = w->path.count;
	if (folder.size && entry->path[folder.size - 1] == '/')
		folder.size--;
	*must_push(&w->folders) = folder;
	if (entry->error)
		entry->kind = WALK_FAILED;
	return !entry->error;
}

const struct walk_entry *path_walk_next(struct walk *w)
{
	bool pending = w->pending;

	if (!w->begun) {
		w->begun = true;
		return look(w, true);
	}
	w->pending = false;
	if (pending && !is_circle(w) && !enter(w))
		return &w->entry;
	while (w->folders.count) {
		struct walk_folder *folder =
			&w->folders.items[w->folders.count - 1];
		char *name;
		size_t size;

		if (!folder->count) {
			free(folder->names);
			w->folders.count--;
			continue;
		}
		name = folder->names[--folder->count];
		size = strlen(name);
		w->path.count = folder->size;
		must_reserve(&w->path, size + 2);
		w->path.items[folder->size] = '/';
		memcpy(w->path.items + folder->size + 1, name, size + 1);
		w->path.count += size + 1;
		free(name);
		return look(w, false);
	}
	return NULL;
}

void path_walk_skip(struct walk *w)
{
	w->pending = false;
}

void path_walk_close(struct walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->folders.count; i++) {
		struct walk_folder *folder = &w->folders.items[i];

		while (folder->count)
			free(folder->names[--folder->count]);
		free(folder->names);
	}
	gsym_vec_fini(&w->folders);
	gsym_vec_fini(&w->path);
	free(w);
}

/* ---- temporary files ----------------------------------------------------- */

enum {
	/* Seconds after which an unchanged file of another host is taken for
	 * one that was left behind. */
	WEEK = 7 * 24 * 60 * 60,
	/* Entries of a folder that are looked at. */
	ENTRIES = 4096,
	/* Digits of the identity of a host: 60 of them are random. */
	BOOT = 16,
};

/* The room for a mark. */
enum { MARK = 64 };

/* Write "BOOT.SPACE." to TO. */
static void mark_host(char to[MARK])
{
	char id[SYSTEM_BOOT_ID], digits[BOOT + 1] = "0";
	uint32_t space = 0;
	size_t count = 0;

	if (gsym_system_boot_id(id, &space))
		for (size_t i = 0; i < sizeof(id) && count < BOOT; i++)
			if (id[i] != '-')
				digits[count++] = id[i];
	snprintf(to, MARK, "%s.%" PRIu32 ".", digits, space);
}

/* Write the end of a name that nobody uses to TO: "BOOT.SPACE.PID.RANDOM".
 * BOOT and SPACE are the host since its last start, and the name space of
 * process numbers; zeros if /proc is missing. */
static void write_mark(char to[MARK])
{
	uint64_t number;
	size_t length;

	mark_host(to);
	length = strlen(to);
	/* An early random number is as good as a late one here. */
	if (!gsym_system_random(&number, sizeof(number)))
		number = (uint64_t)clock_milliseconds();
	snprintf(to + length, MARK - length, "%ld.%016" PRIx64,
		 (long)getpid(), number);
}

/* Whether a process left the file behind whose name ends with MARK, and which
 * was changed AGE seconds ago.  HOST is the mark of this host.  False if MARK
 * is no mark: then the file is none of ours. */
static bool is_left(const char *mark, const char *host, time_t age)
{
	long long pid = 0;
	int end = 0;

	if (sscanf(mark, "%*16[0-9a-f].%*10[0-9].%10lld.%*16[0-9a-f]%n", &pid,
		   &end) != 1 ||
	    !end || mark[end] || pid <= 0 || pid > INT_MAX)
		return false;
	if (strncmp(host, "0.", 2) == 0 ||
	    strncmp(mark, host, strlen(host)) != 0)
		return age > WEEK;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Call REMOVE for each entry of FOLDER whose name is PREFIX and a mark, and
 * which a process of this user left behind.  Only the first ENTRIES entries are
 * looked at, so that many outputs in one folder take no time in proportion to
 * the square of their number. */
static void clean_up(int folder, const char *prefix,
		     void (*remove)(int folder, const char *name))
{
	char host[MARK];
	size_t length = strlen(prefix);
	DIR *dir = open_folder(folder, ".", 0);
	struct dirent *entry;

	if (!dir)
		return;
	mark_host(host);
	for (int i = 0; i < ENTRIES && (entry = readdir(dir)); i++) {
		const char *name = entry->d_name;
		struct stat st;

		if (strncmp(name, prefix, length) != 0 ||
		    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_uid != geteuid())
			continue;
		if (is_left(name + length, host, time(NULL) - st.st_mtime))
			remove(folder, name);
	}
	closedir(dir);
}

static void remove_file(int folder, const char *name)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
		unlinkat(folder, name, 0);
}

char *temporary_name(int folder, const char *base, bool clean)
{
	/* A file name has 255 bytes at most. */
	char *prefix = path_print(".%.180s.gsym-new.", base), *name;
	char mark[MARK];

	if (clean)
		clean_up(folder, prefix, remove_file);
	write_mark(mark);
	name = path_print("%s%s", prefix, mark);
	free(prefix);
	return name;
}

/* ---- folders of this process --------------------------------------------- */

/* The folders that are removed when the process ends. */
enum { MOST_FOLDERS = 3 };
static struct temporary *folders[MOST_FOLDERS];

/* No folder of ours is deeper. */
enum { DEPTH = 64 };

/* Remove the folder NAME in FOLDER and all in it.  No symbolic link is
 * followed, whatever others put in the place of a folder. */
static void remove_tree(int folder, const char *name, int depth)
{
	DIR *dir = open_folder(folder, name, O_NOFOLLOW);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *inner = entry->d_name;

		if (strcmp(inner, ".") == 0 || strcmp(inner, "..") == 0)
			continue;
		if (unlinkat(dirfd(dir), inner, 0) < 0 && depth)
			remove_tree(dirfd(dir), inner, depth - 1);
	}
	if (dir)
		closedir(dir);
	unlinkat(folder, name, AT_REMOVEDIR);
}

/* ---- the end of the process ---------------------------------------------- */

static void remove_all(void)
{
	for (size_t i = 0; i < MOST_FOLDERS; i++)
		if (folders[i])
			temporary_remove(folders[i]);
}

/* At SIGXCPU a function may be in use: the next process removes folders. */
static void remove_at_limit(int number)
{
	if (number == SIGBUS)
		remove_all();
}

static void keep_folder(struct temporary *f)
{
	static bool registered;
	size_t i = 0;
	if (!registered) {
		atexit(remove_all);
		out_before_pipe(remove_all);
		report_at_limit(remove_at_limit);
	}
	registered = true;
	while (i < MOST_FOLDERS - 1 && folders[i])
		i++;
	folders[i] = f;
}

static void forget_folder(const struct temporary *f)
{
	for (size_t i = 0; i < MOST_FOLDERS; i++)
		if (folders[i] == f)
			folders[i] = NULL;
}

/* ---- folders ------------------------------------------------------------- */

const char *temporary_base(void)
{
	const char *path = getenv("TMPDIR");
	return path && *path == '/' ? path : "/tmp";
}

void temporary_plan(struct temporary *f, const char *base, const char *prefix)
{
	char mark[MARK];

	write_mark(mark);
	*f = (struct temporary){ .path = path_print("%s/%s%s", base, prefix,
						 mark) };
}

bool temporary_make(struct temporary *f)
{
	f->made = mkdir(f->path, 0700) == 0;
	f->owner = getpid();
	if (f->made)
		keep_folder(f);
	return f->made;
}

void temporary_remove(struct temporary *f)
{
	if (f->made) {
		forget_folder(f);
		if (f->owner == getpid())
			remove_tree(AT_FDCWD, f->path, DEPTH);
	}
	free(f->path);
	*f = (struct temporary){ 0 };
}

static void remove_left(int folder, const char *name)
{
	remove_tree(folder, name, DEPTH);
}

void temporary_sweep(const char *base, const char *prefix)
{
	int folder = gsym_fd_open(base, SYSTEM_FOLDER);

	if (folder < 0)
		return;
	clean_up(folder, prefix, remove_left);
	close(folder);
}
