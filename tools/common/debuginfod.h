/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - debug files from debuginfod servers, through the library of
 * elfutils where it is installed.  The library is loaded at the first
 * question, and so nothing is needed, and nobody is asked, by tools that ask
 * no question.  It knows no formats: what it hands out has to be checked.
 *
 * Servers, cache and timeouts are those of debuginfod-client-config(7); a
 * file of more than DEBUGINFOD_MAXSIZE bytes, or else 16 GiB, is not taken.
 */
#ifndef TOOLS_COMMON_DEBUGINFOD_H
#define TOOLS_COMMON_DEBUGINFOD_H

#include <gsym/types.h>

struct debuginfod;

/** NULL without memory.  To be freed; one thread at a time may use it. */
struct debuginfod *debuginfod_new(void);
void debuginfod_free(struct debuginfod *d);

/** FUNCTION is called now and then while a file is fetched, with bytes, or
 *  other shares of work; false ends the transfer. */
void debuginfod_set_progress(struct debuginfod *d,
			     bool (*function)(uint64_t done, uint64_t total));

/**
 * Get the debug file of the program with BUILD_ID.  *PATH becomes the name,
 * malloc'ed, of a file in the cache.
 *
 * GSYM_NOT_FOUND: no server has it.  GSYM_ERR_UNSUPPORTED: the library is
 * not installed, or too old.  GSYM_ERR_ARGUMENT: DEBUGINFOD_URLS names no
 * server.  GSYM_ERR_IO: no answer, not in time, or not all of it.  ERROR says
 * which.  The answer to a question that was asked before is kept, unless many
 * others were asked since, and costs nothing.
 */
enum gsym_status debuginfod_debug_file(struct debuginfod *d,
				       const uint8_t *build_id, size_t size,
				       char **path, struct gsym_error *error);

/**
 * As debuginfod_debug_file, for the contents of one section, SECTION, of that
 * file: the file itself does not travel.  GSYM_NOT_FOUND if the servers do
 * not have it, or the library cannot ask for sections.  Answers are not
 * remembered here.
 */
enum gsym_status debuginfod_section(struct debuginfod *d,
				    const uint8_t *build_id, size_t size,
				    const char *section, char **path,
				    struct gsym_error *error);

#endif /* TOOLS_COMMON_DEBUGINFOD_H */
