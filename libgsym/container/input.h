/* SPDX-License-Identifier: MIT */
/*
 * container/input.h - formats of programs, a row for each, and the search for
 * the other files that a program is spread over: its debug file and its split
 * units.
 */
#ifndef GSYM_CONTAINER_INPUT_H
#define GSYM_CONTAINER_INPUT_H

#include "base/debug_path.h"
#include "container/container.h"
#include "object/object.h"

/* ---- find.c: the other files of a program -------------------------------- */

/** Where to search for the other files of a program. */
struct gsym_find {
	/** Trees of debug files, such as /usr/lib/debug. */
	const char *const *directories;
	size_t directory_count;
	/** The options of the conversion: threads, a named debug file, and
	 *  callbacks that report and fetch files. */
	const struct gsym_convert_options *options;
};

struct gsym_find_attempt;

/** Whether the candidate at PATH, loaded as DEBUG, is the right file; if not,
 *  it has called gsym_find_refuse. */
typedef bool gsym_find_right_fn(struct gsym_find_attempt *attempt,
				const char *path,
				const struct gsym_container *debug);

/** The state while candidates are tried one after the other. */
struct gsym_find_attempt {
	const struct gsym_find *find;
	/** A copy of the options of FIND.  The caller may change the copy. */
	struct gsym_convert_options options;
	/** The file that the candidates belong to. */
	struct gsym_container *program;
	/** Whether PATH may be opened, as IS_RIGHT; NULL: any may. */
	bool (*may_open)(struct gsym_find_attempt *attempt, const char *path);
	/** The format of the candidates. */
	const struct gsym_input *input;
	/** First only as much of a candidate is loaded as IS_RIGHT needs, then
	 *  all of the right one. */
	bool facts_first;
	gsym_find_right_fn *is_right;
	enum gsym_file_role role; /**< for the options' callback */
	/** The result of the last candidate: GSYM_OK, or why it was refused. */
	enum gsym_status status;
	char problem[GSYM_ERROR_MESSAGE_SIZE];
	/** The path, malloc'ed, of the first file that is there and was
	 *  refused, and the status then; NULL: none was. */
	char *wrong;
	enum gsym_status wrong_status;
	/** The right file, and its path, malloc'ed; NULL until it is found. */
	struct gsym_container *found;
	char *path;
};

/** An attempt to find the debug file of PROGRAM, of the same format. */
struct gsym_find_attempt gsym_find_begin(const struct gsym_find *find,
					 struct gsym_container *program,
					 gsym_find_right_fn *is_right);

/** Set ATTEMPT's status and problem; returns false. */
__attribute__((format(printf, 3, 4))) bool
gsym_find_refuse(struct gsym_find_attempt *attempt, enum gsym_status status,
		 const char *format, ...);

/** Try the candidate PATH, and report it to the callback of the options.  PATH
 *  is malloc'ed and belongs to ATTEMPT, a struct gsym_find_attempt, from now
 *  on; NULL means out of memory.  Returns true if the search is over: the file
 *  was found, or memory ran out. */
gsym_debug_path_fn gsym_find_try;

/** gsym_find_try for NAME in the folder of the file PATH. */
bool gsym_find_beside(struct gsym_find_attempt *attempt, const char *path,
		      const char *name);

/** gsym_find_try for .build-id/hh/rest.debug in each tree, where hhrest is the
 *  build ID of SIZE bytes at ID. */
bool gsym_find_by_id(struct gsym_find_attempt *attempt, const uint8_t *id,
		     size_t size);

/** End the search for a debug file: set *RET to the file, which the caller
 *  frees with gsym_container_free, and *PATH to its path, which is malloc'ed;
 *  or both to NULL, and ERROR if the search failed.  Returns the status of the
 *  last candidate. */
enum gsym_status gsym_find_end(struct gsym_find_attempt *last,
			       struct gsym_container **ret, char **path,
			       struct gsym_error *error);

/**
 * A FIND_DEBUG of struct gsym_input, for formats with HAS_SYMBOLS.  If the
 * options name a debug file, that is the only candidate.  Else the candidates
 * are, with BASE for the name in .gnu_debuglink:
 *  1. .build-id/hh/rest.debug in each tree;
 *  2. BASE in the folder of PATH, and in that of the file that PATH leads to
 *     if PATH is a symbolic link;
 *  3. .debug/BASE in both folders;
 *  4. both folders below each tree, with BASE;
 *  5. the file that the options' callback fetches.
 * A candidate needs PROGRAM's build ID or, if one of the two has no build ID,
 * the checksum in .gnu_debuglink.  If there is a .gnu_debuglink but no debug
 * file, or if fetching fails, that is noted among PROGRAM's warnings.
 */
enum gsym_status gsym_find_debug_file(const struct gsym_find *find,
				      const char *path,
				      struct gsym_container *program,
				      struct gsym_container **ret, char **found,
				      struct gsym_error *error);

/**
 * Set OPEN_SPLIT and PACKAGE of CONTAINER, which was loaded from PATH, so that
 * it can open split units.  If its debug info is from DEBUG_PATH, unless that
 * is NULL, they are searched beside that file first.  The package is the one
 * that the options name or, if they name none, PATH.dwp if that exists.
 * OPEN_SPLIT tries a .dwo file where its unit says, then in the folder of PATH.
 *
 * GSYM_ERR_MEMORY, and all errors of loading the package of the options.
 */
enum gsym_status gsym_find_split(const struct gsym_find *find, const char *path,
				 const char *debug_path,
				 struct gsym_container *container,
				 struct gsym_error *error);

/* ---- formats ------------------------------------------------------------- */

/** A file that is loaded. */
struct gsym_load {
	const uint8_t *bytes;
	size_t size;
	enum gsym_extent extent;
	/** The bytes are a mapping of the file: pages that nobody reads again
	 *  may be given back to the system. */
	bool mapped;
	const struct gsym_convert_options *options; /**< never NULL */
};

/** A format of programs. */
struct gsym_input {
	enum gsym_format format;
	const char *name;
	/** Whether a file that begins with SIZE bytes HEAD is of the format. */
	bool (*matches)(const uint8_t *head, size_t size);
	/** Fill CONTAINER, which has its format and nothing else, from FILE.
	 *  More than the extent of FILE asks for is fine.  GSYM_ERR_FORMAT: it
	 *  is of another format; others as gsym_container_load's. */
	enum gsym_status (*fill)(struct gsym_container *container,
				 const struct gsym_load *file,
				 struct gsym_error *error);
	/** For gsym_find_debug_file: whether a file, of which the facts are
	 *  loaded, has symbols of its own. */
	bool (*has_symbols)(const struct gsym_container *debug);
	/** Whether the file of SIZE bytes at BYTES only marks where a GSYM file
	 *  lies; NULL: none does. */
	bool (*is_stub)(const uint8_t *bytes, size_t size);
	/** Open the separate debug file of PROGRAM, which was loaded from PATH;
	 *  *FOUND becomes its path, malloc'ed.  NULL: the format has none.
	 *
	 *  GSYM_NOT_FOUND: there is no debug file.  If the options name the
	 *  file: GSYM_ERR_ARGUMENT: it belongs to another program; all errors
	 *  of loading it.  GSYM_ERR_MEMORY. */
	enum gsym_status (*find_debug)(const struct gsym_find *find,
				       const char *path,
				       struct gsym_container *program,
				       struct gsym_container **ret,
				       char **found, struct gsym_error *error);
	/** Open the supplementary file that the debug info of CONTAINER, which
	 *  was loaded from PATH, refers to.  NULL: there are none. */
	enum gsym_status (*find_alternate)(const struct gsym_find *find,
					   const char *path,
					   struct gsym_container *container,
					   struct gsym_error *error);
	/** The format of split units; NULL: there are none. */
	const struct gsym_input *split;
};

/** The rooms that fill containers; each has a row.  Programs of Plan 9 have no
 *  view, for they have neither a build ID nor a place in a store. */
#define GSYM_INPUTS(ROW) OBJECT_KINDS(ROW) ROW(aout)

#define GSYM_INPUT(room) extern const struct gsym_input gsym_##room##_input;
GSYM_INPUTS(GSYM_INPUT)
#undef GSYM_INPUT

#endif
