/* SPDX-License-Identifier: MIT */
/*
 * create/tree.h - gsym-create --recursive: the files of a folder, which walk.c
 * finds, and the outcome of each, which tree.c brings about.
 */
#ifndef TOOLS_CREATE_TREE_H
#define TOOLS_CREATE_TREE_H

#include "create/create.h"

/** Sizes in bytes: the text of a failure; the longest build ID. */
enum { REASON = 512, ID = 64 };

/** The outcome of a file. */
enum outcome {
	WAITING, /**< not converted yet */
	CONVERTED,
	DIFFERENT, /**< converted, and --verify found a difference */
	KEPT,	   /**< its output exists already */
	SAME,	   /**< another file of the same program is installed */
	EMPTY,	   /**< it has no functions */
	FAILED,
	OUTCOMES
};

/** A file of the folder. */
struct job {
	char *input;
	/** The path of the output; NULL with --install. */
	char *output;
	enum outcome outcome;
	/** Its conversion was started. */
	bool tried;
	/** --install: no file of its program was installed or kept before. */
	bool first;
	/** The build ID; a size of 0: it is not known. */
	uint8_t id[ID];
	size_t id_size;
	/** The ID of its file, see create_file_id, if it is KNOWN. */
	bool file_id_known;
	uint8_t file_id[FILE_ID];
	/** The kind of information about its program in the file.  Of several
	 *  files of one program the one with the highest value is installed. */
	enum { BARE, SYMBOL_FILE, DEBUG_INFO } worth;
	/** A Breakpad file in a folder that is named after another program. */
	bool misplaced;
	/** The messages of its process; in the end the reason of a failure, a
	 *  difference, or damage in a file that was converted all the same. */
	char reason[REASON];
	/** Bytes of REASON in use. */
	size_t said;
};

/** All files of the folder. */
struct tree {
	const struct create *create;
	GSYM_VEC(struct job);
	/** Files that are neither programs nor debug files. */
	size_t skipped;
	/** The number of jobs with each outcome. */
	uint64_t outcomes[OUTCOMES];
	/** The processes, see create/tree.c. */
	struct worker *workers;
	unsigned worker_count;
};

/** Add a job for each file of the folder that can be converted, in the order of
 *  the names, or for each file of --files-from.  The output folder is skipped.
 *  Dies if the folder or the list cannot be read. */
void create_walk(struct tree *tree);

/** Call LOOK with CONTEXT and each index below COUNT, in a process of its own:
 *  mapped files may be cut short at any time, and a file that ends the process
 *  costs no other file.  What LOOK finds out has to be in shared memory.  Call
 *  ENDED with the wait status for an index whose LOOK ended the process. */
void create_look(const struct create *create, size_t count,
		 void (*look)(void *context, size_t index),
		 void (*ended)(void *context, size_t index, int status),
		 void *context);
/** Memory of SIZE zero bytes that is shared with processes which are started
 *  later, for munmap.  Dies. */
void *create_shared(size_t size);

/** Mark JOB as failed because its process ended by itself, with the wait
 *  STATUS. */
void create_fail_ended(struct job *job, int status);

#endif /* TOOLS_CREATE_TREE_H */
