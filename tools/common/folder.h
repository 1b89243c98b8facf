/* SPDX-License-Identifier: MIT */
/*
 * folder.h - folders that are removed when the tool ends.
 *
 * The name tells which process works in a folder (temporary.h).  So a later run
 * can tell the folder of a process that was killed, and remove it.
 */
#ifndef TOOLS_COMMON_FOLDER_H
#define TOOLS_COMMON_FOLDER_H

#include <stdbool.h>

/** A folder that is removed when the process ends. */
struct folder {
	char *path; /**< malloc'ed; NULL: there is none */
};

/** The folder for temporary files: $TMPDIR, if that is an absolute path, else
 *  /tmp. */
const char *folder_temporary(void);
/** Make a folder in BASE whose name starts with PREFIX, and which is open to
 *  this user alone; false, with errno set, if that is not possible.  It is
 *  removed when the process ends, also by die; F has to live as long.  At most
 *  two folders may exist at once. */
bool folder_make(struct folder *f, const char *base, const char *prefix);
/** Remove F and all in it.  Does nothing if there is none. */
void folder_remove(struct folder *f);
/** Remove the folders in BASE whose process has ended without removing them. */
void folder_clean(const char *base, const char *prefix);

#endif /* TOOLS_COMMON_FOLDER_H */
