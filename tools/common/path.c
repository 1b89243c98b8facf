/* SPDX-License-Identifier: MIT */
/* Makes texts of paths, and the folders of a path; walks over folders.  A walk
 * reads the names of a folder when it enters the folder, and looks at each
 * entry when it comes to it. */
#include "config.h"

#include "common/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/debug_path.h"
#include "base/system.h"
#include "common/must.h"

char path_separator(const char *directory)
{
	size_t length = strlen(directory);
	char last = length ? directory[length - 1] : '/';
	if (last == '/')
		return 0;
	if (memchr(directory, '/', length) || !memchr(directory, '\\', length))
		return '/';
	return last == '\\' ? 0 : '\\';
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

char *path_print(const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	int length = vasprintf(&text, format, args);
	va_end(args);
	must(length >= 0);
	return text;
}

char *path_search(const char *name, bool (*fits)(const char *path))
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t length = strcspn(at, ":");
		char *found = path_print("%.*s/%s", (int)length, at, name);

		if (length && fits(found))
			return found;
		free(found);
		at += length + (at[length] == ':');
	}
	return NULL;
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

char *path_build_id(const char *directory, const uint8_t *build_id, size_t size,
		    const char *suffix)
{
	return must_have(
		gsym_debug_path_of_id(directory, build_id, size, suffix));
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
	int fd = open(entry->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
					   (entry->level ? O_NOFOLLOW : 0));
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	entry->error = dir ? read_names(&folder, dir) : errno;
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
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
