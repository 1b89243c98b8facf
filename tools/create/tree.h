/* SPDX-License-Identifier: MIT */
/* create/tree.h - what the files of gsym-create --recursive share. */
#ifndef TOOLS_CREATE_TREE_H
#define TOOLS_CREATE_TREE_H

#include "create/create.h"

enum { REASON = 512, ID = 64 };

enum outcome {
	WAITING,
	CONVERTED,
	DIFFERENT, /* and --verify found a difference */
	KEPT,      /* it was there already */
	SAME,      /* another file is the same program */
	EMPTY,     /* it has no functions */
	FAILED,
	OUTCOMES
};

/** A file of the tree. */
struct job {
	char *input;
	char *output; /* NULL: it is installed */
	enum outcome outcome;
	uint8_t id[ID];
	size_t id_size;
	/** What it is worth as one of several files of one program. */
	enum { BARE, SYMBOL_FILE, DEBUG_INFO } worth;
	bool misplaced;
	char reason[REASON];
	size_t said; /* bytes of REASON that are used */
};

struct tree {
	const struct create *create;
	struct job *jobs;
	size_t count, room;
	size_t skipped; /* files of other kinds */
	uint64_t outcomes[OUTCOMES];
	struct worker *workers; /* of create/tree.c */
	unsigned worker_count;
};

/** Fill in the jobs: all files of the folder that can be converted, but for
 *  what was written, in the order of their names.  Dies. */
void create_walk(struct tree *tree);

#endif /* TOOLS_CREATE_TREE_H */
