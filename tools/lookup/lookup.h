/* SPDX-License-Identifier: MIT */
/*
 * lookup.h - what the files of gsym-lookup share: one struct that holds the
 * request, and whoever answers a part of it.
 */
#ifndef TOOLS_LOOKUP_LOOKUP_H
#define TOOLS_LOOKUP_LOOKUP_H

#include <gsym/reader.h>
#include <gsym/store.h>

#include "common/frames.h"
#include "common/out.h"

/** The longest line that can be anything. */
#define LOOKUP_LINE_MAX 4096

/** The request, and the state of one thread that answers it. */
struct lookup {
	const char *path;
	const struct gsym_reader *reader;
	/** --build-id, and where it is looked for. */
	const char *build_id;
	struct gsym_store *store;
	bool debug_directories;
	/** There are addresses among the arguments. */
	bool more;
	struct frames_style style;
	unsigned flags;
	uint64_t adjust;
	bool return_addresses, merged, calls, strict, demangle;
	unsigned threads;

	/* Each thread has its own: */
	struct out out;
	struct gsym_frame *frames;
	/** What happened so far. */
	uint64_t refused, missed, damaged;
	/** The function of the last answer interrupted that of the next. */
	bool interrupted;
	/** Lines to answer next; each ends with a line feed. */
	const char *lines, *lines_end;
	struct lookup_batch *batch;
};

/** Give L what each thread has its own of. */
void lookup_start(struct lookup *l);
void lookup_end(struct lookup *l);

/** Answer the address that GIVEN writes. */
void lookup_address(struct lookup *l, uint64_t given);
/** Answer LENGTH bytes of TEXT, which should be an address. */
void lookup_text(struct lookup *l, const char *text, size_t length);
/** The same for a line with blanks around the address, and perhaps with
 *  nothing else. */
void lookup_line(struct lookup *l, const char *text, size_t length);
/** Answer some of L's lines, and take them off.  False if L collects its
 *  answers in memory and has no room for the next one. */
bool lookup_some_lines(struct lookup *l);
/** Memory for that. */
struct lookup_batch *lookup_batch_new(void);
void lookup_batch_free(struct lookup_batch *batch);
/** Answer standard input to its end. */
void lookup_input(struct lookup *l);

#endif /* TOOLS_LOOKUP_LOOKUP_H */
