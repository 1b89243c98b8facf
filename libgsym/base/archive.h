/* SPDX-License-Identifier: MIT */
/* base/archive.h - the members of an archive of ar(1), as System V, GNU and BSD
 * write it, read from bytes in memory. */
#ifndef GSYM_BASE_ARCHIVE_H
#define GSYM_BASE_ARCHIVE_H

#include <gsym/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An archive that is read from its first member to the last. */
struct gsym_archive {
	const uint8_t *bytes;
	size_t size;
	/** Where the header of the next member begins. */
	size_t at;
	/** The long names of GNU's archives, which come before the members that
	 *  have them; NULL until then. */
	const char *names;
	size_t names_size;
};

/** A member, which points into the archive. */
struct gsym_archive_member {
	const char *name;
	size_t name_size;
	const uint8_t *bytes;
	size_t size;
	/** When it was changed, in seconds since 1970. */
	uint64_t time;
};

/** Begin to read the SIZE bytes at BYTES.  False if they are no archive. */
bool gsym_archive_open(struct gsym_archive *a, const uint8_t *bytes,
		       size_t size);

/** Store the next member in RET.  GNU's tables of symbols and of long names are
 *  no members; BSD's table of symbols is one, "__.SYMDEF".  A member whose name
 *  is not in the archive is left out.  GSYM_NOT_FOUND: there are no more.
 *  GSYM_ERR_CORRUPT: the archive breaks off or is damaged. */
enum gsym_status gsym_archive_next(struct gsym_archive *a,
				   struct gsym_archive_member *ret,
				   struct gsym_error *error);

#endif
