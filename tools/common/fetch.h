/* SPDX-License-Identifier: MIT */
/*
 * fetch.h - runs the command of --fetch, which brings the GSYM files of missing
 * build IDs into the cache.
 *
 * The command gets two more arguments: the build ID in lower-case hexadecimal,
 * and the path of a file to make.  Its exit status is 0 if it made the file, 1
 * if there is no file with the build ID, and another one for an error.  What
 * the command writes to standard output goes to standard error.
 *
 * It knows no protocol and no server.
 */
#ifndef TOOLS_COMMON_FETCH_H
#define TOOLS_COMMON_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gsym/store.h>

#include "common/options.h"

/** What the options say. */
struct fetch_options {
	/** --fetch: the words of the command, with blanks between them; NULL:
	 *  nothing is fetched. */
	const char *command;
	/** --fetch-timeout and --fetch-size: the most seconds of a command, and
	 *  the most bytes of a file; 0: the default. */
	uint64_t seconds, bytes;
	/** Failures are not reported. */
	bool quiet;
};

/** Keep the value of --fetch-timeout.  Dies if it is out of range. */
void fetch_set_timeout(struct fetch_options *to, const struct options *options);
/** Keep the value of --fetch-size.  Dies if it is out of range. */
void fetch_set_size(struct fetch_options *to, const struct options *options);

/** A command, and the build IDs that it was run for. */
struct fetch;

/** Prepare for the command of OPTIONS; NULL if there is none.  Dies if the
 *  command has no word or only limits are given, if there is no cache folder,
 *  and without memory. */
struct fetch *fetch_new(const struct fetch_options *options);
/** Free F, which may be NULL. */
void fetch_free(struct fetch *f);

/** Let SIGINT, SIGTERM and SIGHUP, unless they are ignored, end the command and
 *  its children before the handlers that they have at the time of the call,
 *  or before the process if they have none. */
void fetch_end_by_signals(void);

/** Let the command be ended early when the descriptor WAKE can be read. */
void fetch_set_wake(struct fetch *f, int wake);

/**
 * Get the GSYM file for the build ID of SIZE bytes at ID into the cache.
 * Returns true if it is there: the store finds it after gsym_store_retry.  A
 * file that is damaged or has another build ID is not kept.
 *
 * The command runs once for a build ID, whatever the result, until
 * fetch_forget.  Processes with one cache run one command for a build ID at a
 * time, and those that waited for it take its result.  The command is killed,
 * with its process group, after its time.  After three failures in a row no
 * command runs for a minute.  F may be NULL: false.  Any number of threads may
 * call this; one command runs at a time.
 */
bool fetch_get(struct fetch *f, const uint8_t *id, size_t size);
/** gsym_store_find, for which the command is run if nothing is found.  F may be
 *  NULL. */
enum gsym_status fetch_find(struct fetch *f, struct gsym_store *store,
			    const uint8_t *id, size_t size,
			    const struct gsym_store_entry **ret,
			    struct gsym_error *error);
/** Forget which build IDs the command was run for.  F may be NULL. */
void fetch_forget(struct fetch *f);

#endif /* TOOLS_COMMON_FETCH_H */
