/* SPDX-License-Identifier: MIT */
/*
 * file.h - files: system calls that are repeated if a signal interrupts them
 * (base/fd.h has others), whole files as bytes in memory, texts of paths, walks
 * over folders, temporary files and folders, and output files that appear
 * complete or not at all.  Contents are not known here.
 *
 * Nothing is locked: a lock may be unknown to other hosts, and whoever may read
 * a file could hold one.  The file system exchanges two files in one step
 * instead, and the file that comes back is compared once more.  The name of a
 * temporary file has the host, the process and a random number, so that a later
 * run can remove what a killed process left.
 */
#ifndef TOOLS_COMMON_FILE_H
#define TOOLS_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/debug_path.h"
#include "base/fd.h"
#include "common/report.h"

/** Read the file or pipe PATH to its end.  Returns its contents, malloc'ed, and
 *  sets *SIZE to their size; returns NULL, with errno set, on failure. */
uint8_t *file_read(const char *path, size_t *size);

/** As file_read, for the open file FD. */
uint8_t *file_read_whole(int fd, size_t *size);

/** As fsync, repeated if it is interrupted.  Returns false, with errno set, on
 *  failure. */
bool file_sync(int fd);
/** Whether A and B are the same file. */
bool file_same(const struct stat *a, const struct stat *b);

/** As read, repeated if it is interrupted. */
ssize_t file_read_some(int fd, void *bytes, size_t size);

/* ---- paths (path.c) ------------------------------------------------------ */

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

/** gsym_path_print and gsym_debug_path_of_id, which die if memory runs out. */
#define path_print(...) ((char *)must_have(gsym_path_print(__VA_ARGS__)))
#define path_build_id(...) \
	((char *)must_have(gsym_debug_path_of_id(__VA_ARGS__)))

/** The cache folder of this release: $XDG_CACHE_HOME/gsym/RELEASE, or else
 *  $HOME/.cache/gsym/RELEASE.  So what an older release has converted answers
 *  nothing.  A variable that is no absolute path is ignored.  Returns a
 *  malloc'ed path, or NULL if neither variable is usable.  Dies if memory runs
 *  out. */
char *path_cache(void);
/** Make all missing folders that PATH lies in.  PATH is written to in
 *  between, and is unchanged in the end.  Returns false, with errno set, if
 *  one cannot be made. */
bool path_make_folders(char *path);

/** Whether RELEASE, the name of a release of the Linux kernel, may be the name
 *  of a folder, as in DIR/by-release/RELEASE/vmlinux.gsym: 1 to 64 letters,
 *  digits and signs that leads nowhere else. */
bool path_is_release(const char *release);

/* ---- walks over folders (path.c) ----------------------------------------- */

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

/* ---- temporary files and folders (path.c) -------------------------------- */

/*
 * Files of processes that run on this host are known to be left behind when the
 * process is gone.  Files of other hosts are only taken for left behind after a
 * week without a change.
 */

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
 *  possible.  F has to live as long as the process.  At most three folders may
 *  exist at once. */
bool temporary_make(struct temporary *f);
/** Remove F and all in it.  Does nothing if there is none, or if a parent of
 *  this process made it. */
void temporary_remove(struct temporary *f);
/** Remove the folders in BASE whose process has ended without removing them. */
void temporary_sweep(const char *base, const char *prefix);

/* ---- complete files ------------------------------------------------------ */

/** Whether the open file MINE is to replace the open file THERE.  THERE is -1
 *  if something is there that is no regular file, or cannot be read.  An order
 *  of files: after MINE has replaced THERE, the answer for THERE and MINE is
 *  no. */
typedef bool file_better_fn(void *context, int mine, int there);

/** A complete file under its temporary name. */
struct file_place {
	/** The folder of TEMPORARY and TARGET. */
	int folder;
	/** The file, which was made as TEMPORARY. */
	int fd;
	const char *temporary, *target;
	/** NULL: whatever is at TARGET is replaced. */
	file_better_fn *better;
	void *context;
};

/** Open the regular file NAME in FOLDER for reading.  Returns -1, with errno
 *  set, if there is none: ENOENT if nothing has the name.  A symbolic link is
 *  not followed, and neither a pipe nor a device is opened. */
int file_find(int folder, const char *name);
/** Open the folder of NAMES, a path in FOLDER, which is closed, and with MAKE
 *  make the folders that are missing.  No symbolic link is followed.  NAMES is
 *  changed; *BASE becomes the last name in it.  -1 with errno, which is ELOOP
 *  for a symbolic link: *BASE is the name of the folder that failed. */
int file_below(int folder, bool make, char *names, char **base);
/** Whether the file NAME in FOLDER is the open file FD. */
bool file_is(int folder, const char *name, int fd);

/**
 * Give the file of P the name P->target, or remove it if the file that is there
 * is as good.  *KEPT tells which.  Returns NULL, or why it failed.
 *
 * Where the file system can neither link nor exchange files, one of two files
 * that come within the same microseconds may win that is not the better one.
 */
const char *file_place(const struct file_place *p, bool *kept);

/** Rename the new symbolic link NAME in FOLDER to BASE, where nothing may be
 *  but another link.  Returns NULL, or why it failed. */
const char *file_place_link(int folder, const char *name, const char *base);

/* ---- output files (outfile.c) -------------------------------------------- */

/*
 * An output file is written under a temporary name in the folder of its target,
 * flushed to disk, and renamed.  A failure, and every signal that ends the
 * tool, removes the temporary file and leaves an older target as it was.
 *
 * A symbolic link is followed: the file that it leads to is replaced.  Devices,
 * pipes and standard output (the name "-") are written to directly.  Only one
 * output file can be open at a time.
 */

/** The exit status of a child in a sandbox, which cannot end by a signal: this
 *  and the number of the signal. */
enum { OUTFILE_SIGNAL = 128 };

/** Open the output file PATH.  INPUT is the file that the tool reads, which
 *  is refused as the output; it may be NULL.  Dies on failure. */
void outfile_open(const char *path, const char *input);
/** Like outfile_open, for a file in a tree that others may write to.  The first
 *  ROOT bytes of PATH are the folder of the tree.  Missing folders are made.
 *  In the tree no symbolic link is followed: a link at PATH is replaced, and a
 *  link instead of a folder is an error.  Dies on failure. */
void outfile_open_below(const char *path, size_t root, const char *input);
/** Open the file PATH for reading, in a tree as that of outfile_open_below.
 *  Returns as file_find does. */
int outfile_find_below(const char *path, size_t root);
/** Make PATH a symbolic link to TARGET, in a tree as that of
 *  outfile_open_below.  Another link there is replaced, a file is an error.
 *  Returns NULL, or the reason of a failure. */
const char *outfile_link_below(const char *path, size_t root,
			       const char *target);
/** Let the file that is open now replace only a file that is worse, as BETTER
 *  decides with CONTEXT, which is valid until outfile_commit. */
void outfile_prefer(file_better_fn *better, void *context);
/** Give the output file that is opened next the permissions of the file PATH,
 *  without set-user-ID and the like.  Dies on failure. */
void outfile_mode_of(const char *path);
/** The file descriptor, for output that does not fit into memory.  After
 *  writing to it call outfile_commit with no bytes. */
int outfile_descriptor(void);
/** Whether the output is a file that outfile_put can write to, and not a
 *  device or pipe. */
bool outfile_is_file(void);
/** Write SIZE bytes at OFFSET of the file.  Afterwards call outfile_commit
 *  with no bytes.  Returns false on failure; outfile_commit reports why. */
bool outfile_put(uint64_t offset, const void *bytes, size_t size);
/** Append SIZE bytes, and close the file under its temporary name, until
 *  outfile_commit renames it with the others.  On failure removes all temporary
 *  files and dies. */
void outfile_hold(const void *bytes, size_t size);
/** Append SIZE bytes to the open file, if there is one, and rename the files of
 *  outfile_hold, in their order, and then this one to their targets.  On
 *  failure removes all temporary files and dies.  Returns false if the last of
 *  them was dropped because of outfile_prefer. */
bool outfile_commit(const void *bytes, size_t size);
/** Open the folder PATH without rights to read or write, and make it if it is
 *  missing, with all folders that it lies in.  Dies on failure. */
int outfile_folder(const char *path);
/** Open the folder that outfile_open(PATH) would make files in, as
 *  outfile_folder does, or PATH itself if that is a device or pipe; -1 if PATH
 *  is "-".  Dies on failure. */
int outfile_place(const char *path);
/** Remove all temporary files: for signal handlers that end the process. */
void outfile_remove(void);
/** From now on signals that end the process call CALL first, which only calls
 *  what a signal handler may. */
void outfile_at_signal(void (*call)(void));
/** Close the output file, and remove all temporary files. */
void outfile_abandon(void);

#endif /* TOOLS_COMMON_FILE_H */
