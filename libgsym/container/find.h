/* SPDX-License-Identifier: MIT */
/* container/find.h - trying candidates for a program's debug file.  Knows
 * neither file formats nor where candidates lie. */
#ifndef GSYM_CONTAINER_FIND_H
#define GSYM_CONTAINER_FIND_H

#include <gsym/convert.h>

/** Where to search for the other files of a program. */
struct gsym_find {
	/** Trees of debug files, such as /usr/lib/debug. */
	const char *const *directories;
	size_t directory_count;
	/** The options of the conversion: threads, a named debug file, and
	 *  callbacks that report and fetch files. */
	const struct gsym_convert_options *options;
};

/** The state while candidates are tried one after the other. */
struct gsym_find_attempt {
	const struct gsym_convert_options *options;
	enum gsym_file_role role; /**< for the options' callback */
	/** The result of the last candidate: GSYM_OK, or why it was refused. */
	enum gsym_status status;
	char problem[GSYM_ERROR_MESSAGE_SIZE];
	/** The path of the right file, malloc'ed; NULL until it is found. */
	char *found;
};

/** Set ATTEMPT's status and problem; returns false. */
__attribute__((format(printf, 3, 4))) bool
gsym_find_refuse(struct gsym_find_attempt *attempt, enum gsym_status status,
		 const char *format, ...);

/** Opens the file PATH and returns whether it is the right one; if not, it has
 *  called gsym_find_refuse. */
typedef bool gsym_find_open_fn(void *context, const char *path);

/** Try the candidate PATH with OPEN, and report it to the options' callback.
 *  PATH is malloc'ed and belongs to ATTEMPT from now on; NULL means out of
 *  memory.  Returns true if the search is over: the file was found, or memory
 *  ran out. */
bool gsym_find_try(struct gsym_find_attempt *attempt, char *path,
		   gsym_find_open_fn *open, void *context);

/** Try .build-id/hh/rest.debug in each tree of FIND, where hhrest is the build
 *  ID of SIZE bytes at ID.  Returns as gsym_find_try. */
bool gsym_find_by_id(struct gsym_find_attempt *attempt,
		     const struct gsym_find *find, const uint8_t *id,
		     size_t size, gsym_find_open_fn *open, void *context);

/** End the search for a debug file: set *FOUND to its path or NULL, and ERROR
 *  if the search failed.  Returns the status of the last candidate. */
enum gsym_status gsym_find_end(const struct gsym_find_attempt *last,
			       char **found, struct gsym_error *error);

/** A path from FORMAT, malloc'ed; NULL without memory. */
__attribute__((format(printf, 1, 2))) char *gsym_find_path(const char *format,
							   ...);

#endif
