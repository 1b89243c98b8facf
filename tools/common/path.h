/* SPDX-License-Identifier: MIT */
/*
 * path.h - makes texts of paths, such as those of the user's cache folder, in
 * which GSYM files lie that tools fetched or converted by themselves; and tells
 * the files of a folder and of the folders in it, as fts(3), which not every
 * system has.
 *
 *	struct walk *walk = path_walk_open(folder);
 *	const struct walk_entry *entry;
 *	while ((entry = path_walk_next(walk)))
 *		if (entry->kind == WALK_FILE)
 *			puts(entry->path);
 *	path_walk_close(walk);
 */
#ifndef TOOLS_COMMON_PATH_H
#define TOOLS_COMMON_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/** The character to put between DIRECTORY and a base name, by the one rule of
 *  the GSYM format: a backslash if DIRECTORY contains backslashes but no slash,
 *  else a slash; 0 if DIRECTORY is empty or ends with that character. */
char path_separator(const char *directory);

/** The last component of PATH; PATH itself if it ends with a slash. */
const char *path_base(const char *path);
/** The part after the last slash of the *SIZE bytes at PATH; *SIZE becomes its
 *  size. */
const char *path_base_of(const char *path, size_t *size);
/** DIRECTORY and BASENAME with path_separator(DIRECTORY) between them,
 *  malloc'ed.  Dies if memory runs out. */
char *path_join(const char *directory, const char *basename);

/** A path by printf's rules, malloc'ed.  Dies if memory runs out. */
char *path_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** The first file NAME in the folders of the variable PATH that FITS,
 *  malloc'ed; NULL if there is none.  Dies if memory runs out. */
char *path_search(const char *name, bool (*fits)(const char *path));

/** The cache folder of this release: $XDG_CACHE_HOME/gsym/RELEASE, or else
 *  $HOME/.cache/gsym/RELEASE.  So what an older release has converted answers
 *  nothing.  A variable that is no absolute path is ignored.  Returns a
 *  malloc'ed path, or NULL if neither variable is usable.  Dies if memory runs
 *  out. */
char *path_cache(void);
/** The path of the file for a build ID of SIZE (1 or more) bytes:
 *  DIRECTORY/.build-id/hh/restSUFFIX, where hh is the first byte of BUILD_ID
 *  in hexadecimal, and rest are the others.  Returns a malloc'ed path.  Dies
 *  if memory runs out. */
char *path_build_id(const char *directory, const uint8_t *build_id, size_t size,
		    const char *suffix);
/** Make all missing folders that PATH lies in.  PATH is written to in
 *  between, and is unchanged in the end.  Returns false, with errno set, if
 *  one cannot be made. */
bool path_make_folders(char *path);

/** Whether RELEASE, the name of a release of the Linux kernel, may be the name
 *  of a folder, as in DIR/by-release/RELEASE/vmlinux.gsym: 1 to 64 letters,
 *  digits and signs that leads nowhere else. */
bool path_is_release(const char *release);

/* ---- walks over folders -------------------------------------------------- */

enum walk_kind {
	WALK_FOLDER, /* its entries come next */
	WALK_FILE, /* a regular file */
	WALK_LINK, /* a symbolic link, which the walk does not follow */
	WALK_OTHER, /* a device, a pipe or a socket */
	WALK_FAILED, /* cannot be looked at; or a folder that cannot be read */
};

struct walk_entry {
	enum walk_kind kind;
	/* The root, or the root and the names that lead from there. */
	const char *path;
	/* 0 for the root, 1 for its entries. */
	unsigned level;
	/* WALK_FAILED: an errno. */
	int error;
	/* All zero if it could not be looked at. */
	struct stat st;
};

struct walk;

/** Begin a walk of ROOT, at which a symbolic link is followed.  Dies if memory
 *  runs out. */
struct walk *path_walk_open(const char *root);

/** The next entry, valid until the next call; NULL after the last one.  The
 *  entries of a folder come in the order of the bytes of their names.  A folder
 *  comes before its entries, and these before the next entry beside it.  Dies
 *  if memory runs out. */
const struct walk_entry *path_walk_next(struct walk *walk);

/** Leave out the entries of the folder that path_walk_next returned last. */
void path_walk_skip(struct walk *walk);

void path_walk_close(struct walk *walk);

#endif /* TOOLS_COMMON_PATH_H */
