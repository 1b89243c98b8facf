/* SPDX-License-Identifier: MIT */
/*
 * state.h - what the files of this room share:
 *
 *	source.c   the options; one place after the other
 *	ask.c      which makers are asked, what is remembered of that; the cache
 *	make.c     the makers
 *	program.c  notes, pauses, files that are copied, checked, and found
 *	           beside a program
 */
#ifndef TOOLS_SOURCE_STATE_H
#define TOOLS_SOURCE_STATE_H

#include <pthread.h>

#include "base/intern.h"
#include "common/debuginfod.h"
#include "common/file.h"
#include "source/source.h"

/** No build ID is a hash of more bytes. */
enum { SOURCE_ID_MAX = 64 };

/** The makers, in the order in which they are asked: bits of a set. */
enum source_maker {
	SOURCE_BY_COMMAND = 1 << 0,
	SOURCE_BY_SERVER = 1 << 1,
	SOURCE_BY_CONVERSION = 1 << 2,
	SOURCE_ALL_MAKERS = 7,
};

/** Failures of a maker that are its own, not those of a build ID: after some in
 *  a row it is not asked for a minute. */
struct source_pause {
	unsigned failures;
	int64_t since;
};

/** What is remembered of a build ID. */
struct source_memory {
	/** The makers that were asked. */
	unsigned makers;
	bool got;
	/** Another process converts the program. */
	bool later;
	/** Since when; milliseconds. */
	int64_t since;
};

struct source {
	struct source_options o;
	struct source_host host;
	/** Programs, and debug files of servers, are converted. */
	bool converts, converts_served;
	struct option_list debug_folders;
	/** NULL until it is needed. */
	struct gsym_store *store;
	/** NULL: there is none, or it cannot be written. */
	char *cache;
	bool started;

	/* What follows belongs to who has the mutex. */
	pthread_mutex_t mutex;
	/** The folder of this process for files that are not kept.  It is made
	 *  for the first one. */
	struct temporary own;
	/** The cache cannot be written: OWN takes its place.  WHY: a note has
	 *  to tell this; else "". */
	bool unwritable;
	char why[512];
	/** The cache was searched for what killed processes left. */
	bool cleaned;
	/** Signals end children. */
	bool guarded;
	/** This is the process that converts later: nobody waits. */
	bool later;
	struct gsym_intern ids;
	/** By the numbers of IDS. */
	struct {
		GSYM_VEC(struct source_memory);
	} memories;
	struct source_pause command, server;
	struct debuginfod *servers;
	/** The words of --fetch, places for two more, and NULL. */
	char *text;
	const char **words;
	size_t word_count;
	/** Notes about the command. */
	unsigned notes;
};

/** One try of a maker. */
struct source_try {
	struct source *s;
	const struct source_program *p;
	/** The folder that the maker writes to, laid out as the cache. */
	const struct temporary *staging;
	/** The file that it is to make, in STAGING. */
	const char *made;
	/** The result may be kept.  At first true. */
	bool keep;
	/** Somebody was asked who may answer otherwise later. */
	bool asked;
	/** The text of a note; "" if there is nothing to say. */
	char note[640];
};

/** Have a maker write T->made.  SOURCE_HAVE: it has, and the file is that of
 *  T->p. */
typedef enum source_answer source_maker_fn(struct source_try *t);
source_maker_fn source_by_command, source_by_server, source_by_conversion;

/* program.c */
/** Whether P has a build ID under which its GSYM data are kept. */
bool source_has_key(const struct source_program *p);
void source_note(const struct source *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Whether the work shall end early; waits TIMEOUT milliseconds for that. */
bool source_interrupted(const struct source *s, int timeout);
/** Whether a maker that has failed MOST times in a row has a pause. */
bool source_paused(struct source_pause *pause, unsigned most);
/** Note how the maker fared. */
void source_note_end(struct source_pause *pause, bool failed);
/** NULL if the file PATH is GSYM data with the build ID of P, if that is known;
 *  else why it is not used.  WHOLE: all of it is read.  *LINES, unless LINES is
 *  NULL, becomes true if it has lines. */
const char *source_problem(const struct source_program *p, const char *path,
			   bool whole, bool *lines, struct gsym_error *error);
/** Copy the regular file FROM to the new file TO, of MOST bytes at most; its
 *  folders are made.  Who has FROM open knows nothing of TO.  Returns NULL, or
 *  why not. */
const char *source_copy(const char *from, char *to, uint64_t most);
/** Open the file of P, unless it is open.  Returns what has to be closed, or
 *  NULL. */
struct gsym_module *source_open_module(struct source_program *p);
/** The debug file of P, whose file is open, if it has one, found by its build
 *  ID and .gnu_debuglink; malloc'ed, or NULL. */
char *source_debug_file(const struct source *s, const struct source_program *p);
/** The bytes of debug info in FILE, which may be NULL. */
uint64_t source_debug_bytes(const struct gsym_module *file);
/** Whether P, with its debug file, has more than MOST bytes of debug info. */
bool source_is_large(const struct source *s, const struct source_program *p,
		     uint64_t most);

/* make.c */
/** Whether the result of a conversion of P may be kept: no other user has a
 *  hand in its files. */
bool source_may_keep(struct source *s, const struct source_program *p);

/* ask.c */
/** Ask MAKERS for P.  If they make it: RET, unless it is NULL, becomes the
 *  symbols of a P without build ID. */
enum source_answer source_keep(struct source *s, const struct source_program *p,
			       unsigned makers, struct source_symbols *ret);
/** Convert what P->addresses need, if P is large, and have the whole converted
 *  behind.  SOURCE_HAVE: RET has the symbols; SOURCE_ABSENT: P has to be
 *  converted as a whole. */
enum source_answer source_first(struct source *s,
				const struct source_program *p,
				struct source_symbols *ret);
/** Forget what was asked. */
void source_forget(struct source *s);

#endif /* TOOLS_SOURCE_STATE_H */
