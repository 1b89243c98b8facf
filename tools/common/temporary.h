/* SPDX-License-Identifier: MIT */
/*
 * temporary.h - names of temporary files and folders, and folders that are
 * removed when the tool ends.  A name tells the process that made it, so that a
 * later run can remove what a killed process left.
 *
 * Hosts may share a file system without sharing locks.  So nothing is locked:
 * the name has the host, the process and a random number.  Files of processes
 * that run on this host are known to be left behind when the process is gone.
 * Files of other hosts are only taken for left behind after a week without a
 * change.
 */
#ifndef TOOLS_COMMON_TEMPORARY_H
#define TOOLS_COMMON_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/** A name for a temporary file in FOLDER that becomes the file BASE, malloc'ed:
 *  ".BASE.gsym-new." and a mark.  With CLEAN, files and links are removed that
 *  processes left there for BASE.  Dies if memory runs out. */
char *temporary_name(int folder, const char *base, bool clean);

/** A folder that is removed when the process ends, also by die. */
struct temporary {
	char *path; /**< malloc'ed; NULL: there is none */
	bool made;
	pid_t owner; /**< a child of this process does not remove it */
};

/** The folder for temporary files: $TMPDIR, if that is an absolute path, else
 *  /tmp. */
const char *temporary_base(void);
/** Choose the path of F, in BASE: PREFIX and a mark. */
void temporary_plan(struct temporary *f, const char *base, const char *prefix);
/** Make F, open to this user alone; false, with errno set, if that is not
 *  possible.  F has to live as long as the process.  At most two folders may
 *  exist at once. */
bool temporary_make(struct temporary *f);
/** Remove F and all in it.  Does nothing if there is none, or if a parent of
 *  this process made it. */
void temporary_remove(struct temporary *f);
/** Remove the folders in BASE whose process has ended without removing them. */
void temporary_sweep(const char *base, const char *prefix);

#endif /* TOOLS_COMMON_TEMPORARY_H */
