/* SPDX-License-Identifier: MIT */
/*
 * walk.h - the files of a folder and of the folders in it, as fts(3) tells
 * them, which not every system has.
 *
 *	struct walk *walk = walk_open(folder);
 *	const struct walk_entry *entry;
 *	while ((entry = walk_next(walk)))
 *		if (entry->kind == WALK_FILE)
 *			puts(entry->path);
 *	walk_close(walk);
 */
#ifndef TOOLS_COMMON_WALK_H
#define TOOLS_COMMON_WALK_H

#include <sys/stat.h>

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
struct walk *walk_open(const char *root);

/** The next entry, valid until the next call; NULL after the last one.  The
 *  entries of a folder come in the order of the bytes of their names.  A folder
 *  comes before its entries, and these before the next entry beside it.  Dies
 *  if memory runs out. */
const struct walk_entry *walk_next(struct walk *walk);

/** Leave out the entries of the folder that walk_next returned last. */
void walk_skip(struct walk *walk);

void walk_close(struct walk *walk);

#endif /* TOOLS_COMMON_WALK_H */
