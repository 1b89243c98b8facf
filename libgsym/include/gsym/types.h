/* SPDX-License-Identifier: MIT */
/*
 * gsym/types.h - what every part of the library shares: status codes and
 * the error struct.
 *
 * Every function that can fail returns an enum gsym_status.  Functions that
 * can say more about a failure take an optional struct gsym_error, owned by
 * the caller; NULL means that the caller does not care for the details.
 * Nothing is ever printed, and no function ends the process.
 */
#ifndef GSYM_TYPES_H
#define GSYM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GSYM_API __attribute__((visibility("default")))
#else
#define GSYM_API
#endif

/** What became of a call. */
enum gsym_status {
	GSYM_OK = 0,
	/** Nothing covers the address, nothing has the name: an ordinary
	 *  answer, not a failure.  No error struct is filled. */
	GSYM_NOT_FOUND,
	/** The caller passed something that cannot be meant; nothing was
	 *  changed. */
	GSYM_ERR_ARGUMENT,
	/** The system had no memory left. */
	GSYM_ERR_MEMORY,
	/** A file could not be opened, read, mapped or written. */
	GSYM_ERR_IO,
	/** The bytes are not of a format that the function reads. */
	GSYM_ERR_FORMAT,
	/** The format is known, this version or variant of it is not. */
	GSYM_ERR_UNSUPPORTED,
	/** The bytes contradict themselves: truncated or damaged. */
	GSYM_ERR_CORRUPT,
	/** The data do not fit into the format that was asked for. */
	GSYM_ERR_LIMIT,
	/** A callback asked to stop. */
	GSYM_ERR_CANCELLED,
};

/** Bytes in the message of a struct gsym_error, its NUL included. */
#define GSYM_ERROR_MESSAGE_SIZE 256

/**
 * The details of a failure.  Filled only when a call fails (any status but
 * GSYM_OK and GSYM_NOT_FOUND); a struct that is passed to a call that
 * succeeds keeps what it held.
 */
struct gsym_error {
	enum gsym_status code;
	/** Offset of the byte that is wrong, counted from the start of the
	 *  file or memory that was opened; 0 when no byte is to blame. */
	uint64_t offset;
	/** One line, lower case, no full stop, NUL-terminated.  It names the
	 *  section and the offset, but never the path: the caller knows it. */
	char message[GSYM_ERROR_MESSAGE_SIZE];
};

/** The most threads that a call uses; a THREADS option above it is taken as
 *  GSYM_THREADS_MAX. */
#define GSYM_THREADS_MAX 256

/** A half-open range of addresses: START is in it, END is not. */
struct gsym_range {
	uint64_t start;
	uint64_t end;
};

/** A fixed English text for STATUS; never NULL. */
GSYM_API const char *gsym_status_text(enum gsym_status status);

/** The version of the library that is running, "1.2.3". */
GSYM_API const char *gsym_version(void);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_TYPES_H */
