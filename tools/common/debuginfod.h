/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - debug files from debuginfod servers, by the client library
 * of elfutils (libdebuginfod.so.1).
 *
 * The library is loaded at the first request.  Tools that make no request
 * neither need it nor contact a server.  Servers, cache and timeouts are
 * configured as in debuginfod-client-config(7).  A file of more than
 * $DEBUGINFOD_MAXSIZE bytes (default: 16 GiB) is refused.
 *
 * It knows no file formats: callers have to check the files that they get.
 */
#ifndef TOOLS_COMMON_DEBUGINFOD_H
#define TOOLS_COMMON_DEBUGINFOD_H

#include <gsym/types.h>

/** A client.  Only one thread may make requests
 *  at a time, whatever the number of clients. */
struct debuginfod;

/** A new client, or NULL if memory runs out; to be freed with
 *  debuginfod_free.  PROGRESS, unless it is NULL, is called during transfers,
 *  with the bytes that have arrived and the size of the file; TOTAL is 0 while
 *  the size is unknown.  If it returns false the transfer is given up. */
struct debuginfod *debuginfod_new(bool (*progress)(uint64_t done,
						   uint64_t total));
/** Free D, which may be NULL. */
void debuginfod_free(struct debuginfod *d);

/**
 * Get the debug file of the program whose build ID is the SIZE bytes at
 * BUILD_ID, or, unless SECTION is NULL, the contents of its section SECTION,
 * which servers send without the rest of the file.  *PATH becomes the malloc'ed
 * path of a file in the client's cache.
 *
 * Returns GSYM_NOT_FOUND if no server has the file, SIZE is not from 1 to 64,
 * or the library is too old to ask for sections; GSYM_ERR_UNSUPPORTED if the
 * library is missing or too old; GSYM_ERR_ARGUMENT if DEBUGINFOD_URLS names no
 * server; GSYM_ERR_IO if no server answered, or a transfer was not completed;
 * GSYM_ERR_MEMORY.  ERROR is filled for all but GSYM_NOT_FOUND.
 */
enum gsym_status debuginfod_get(struct debuginfod *d, const uint8_t *build_id,
				size_t size, const char *section, char **path,
				struct gsym_error *error);

#endif /* TOOLS_COMMON_DEBUGINFOD_H */
