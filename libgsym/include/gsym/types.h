/* SPDX-License-Identifier: MIT */
/*
 * gsym/types.h - what every header of the library shares: status codes, the
 * error struct, ranges and limits.
 *
 * Every function that can fail returns an enum gsym_status.  The comment of a
 * function lists each status that it returns besides GSYM_OK.  Functions that
 * can say more about a failure take a struct gsym_error, owned by the caller;
 * NULL means that the caller does not need the details:
 *
 *	struct gsym_error error;
 *
 *	if (gsym_open(path, &reader, &error) != GSYM_OK)
 *		fprintf(stderr, "%s: %s\n", path, error.message);
 *
 * Unless a comment says otherwise, outputs (RET and the like) are written on
 * success only, and strings are NUL-terminated bytes in no particular encoding.
 *
 * NULL: a pointer may be NULL only where a comment says so; every struct
 * gsym_error * and every CONTEXT may be.  If another pointer is NULL, functions
 * with a status return GSYM_ERR_ARGUMENT; others return 0, NULL or false; void
 * functions do nothing.  An array of 0 elements may be NULL.
 *
 * Flags: a bit that the library does not know is GSYM_ERR_ARGUMENT.
 *
 * The library never prints, never ends the process, and keeps no global state
 * beyond a call: calls that share no object may come from any threads at once.
 *
 * Releases: a program that was compiled with the headers of one release runs
 * with the shared library of every later release of the same soname.  Under one
 * soname no function is removed, and a struct that programs make keeps its size
 * and the places of its members.  Members called "spare" and "reserved" belong
 * to the library: a later release may give them a name and a meaning, and 0, or
 * what the library stored there, then means what it meant before.
 *     A struct whose comment says "Passed by the library" is made by the
 * library alone, which hands a pointer to a callback: later releases may add
 * members at its end.
 */
#ifndef GSYM_TYPES_H
#define GSYM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the functions that the shared libraries export. */
#if defined(__GNUC__)
#define GSYM_API __attribute__((visibility("default")))
#else
#define GSYM_API
#endif

/** The release of these headers; gsym_version returns that of the library that
 *  is running.  GSYM_VERSION can be compared: 1.2.3 is 10203. */
#define GSYM_VERSION_MAJOR 1
#define GSYM_VERSION_MINOR 0
#define GSYM_VERSION_PATCH 0
#define GSYM_VERSION \
	(GSYM_VERSION_MAJOR * 10000 + GSYM_VERSION_MINOR * 100 + \
	 GSYM_VERSION_PATCH)

/** The result of a call.  New values may be added: treat a value that is not
 *  known as a failure. */
enum gsym_status {
	/** The call did what it says. */
	GSYM_OK = 0,
	/** Nothing was found: no function covers the address, no entry has
	 *  the name or the index.  An ordinary answer, not a failure: the
	 *  error struct is not filled in. */
	GSYM_NOT_FOUND,
	/** A parameter has a value that is not allowed.  Nothing was
	 *  changed. */
	GSYM_ERR_ARGUMENT,
	/** The system has no memory left, or refuses to give more. */
	GSYM_ERR_MEMORY,
	/** A file could not be opened, read, mapped or written. */
	GSYM_ERR_IO,
	/** The bytes are of no format that the function reads. */
	GSYM_ERR_FORMAT,
	/** The format is known, but not this version or variant of it. */
	GSYM_ERR_UNSUPPORTED,
	/** The bytes contradict themselves: they are cut off or damaged. */
	GSYM_ERR_CORRUPT,
	/** The data exceed a limit of the output format, or a bound that
	 *  keeps hostile input from using up memory or time. */
	GSYM_ERR_LIMIT,
	/** A callback of the caller asked to stop. */
	GSYM_ERR_CANCELLED,
};

/** Bytes of the message of a struct gsym_error, its NUL included. */
#define GSYM_ERROR_MESSAGE_SIZE 256

/**
 * The details of a failure.  It is filled in when a call fails (any status but
 * GSYM_OK and GSYM_NOT_FOUND); a call that does not fail leaves it as it is.
 * It holds no pointers and needs no clean-up.
 */
struct gsym_error {
	/** The status that the call returned. */
	enum gsym_status code;
	/** Offset in bytes of the damage, from the start of the file or memory
	 *  that was opened; 0 if the failure has no offset. */
	uint64_t offset;
	/** What failed: one line in lower case without a full stop.  It names
	 *  section and offset, but not the path, which the caller knows.
	 *  Texts that are too long are cut. */
	char message[GSYM_ERROR_MESSAGE_SIZE];
};

/** The most threads that a call uses.  In options, a greater number of threads
 *  means GSYM_THREADS_MAX. */
#define GSYM_THREADS_MAX 256

/** A half-open range of addresses: START is the first address in it, END the
 *  first one after it.  START == END is an empty range. */
struct gsym_range {
	uint64_t start;
	uint64_t end;
};

/** File formats that gsym_convert_file reads. */
enum gsym_format {
	/** Not known, or none. */
	GSYM_FORMAT_NONE,
	/** Programs, libraries, objects and kernel modules. */
	GSYM_FORMAT_ELF,
	/** Programs, libraries and dSYM files, universal or not. */
	GSYM_FORMAT_MACHO,
	/** Programs and libraries (.exe, .dll). */
	GSYM_FORMAT_PE,
	/** Plan 9's a.out. */
	GSYM_FORMAT_PLAN9,
	/** A GSYM file. */
	GSYM_FORMAT_GSYM,
	/** A text file of Breakpad, perhaps compressed. */
	GSYM_FORMAT_BREAKPAD,
	/** WebAssembly modules. */
	GSYM_FORMAT_WASM,
	GSYM_FORMAT_COUNT
};

/** A short English text for STATUS ("damaged data"), for callers without an
 *  error struct; "unknown status" for a value that is not known.  Never NULL;
 *  the text lives as long as the program.  May be called in signal handlers. */
GSYM_API const char *gsym_status_text(enum gsym_status status);

/** The version of the library that is running, "1.2.3"; it may differ from
 *  that of the header.  The text lives as long as the program.  May be called
 *  in signal handlers. */
GSYM_API const char *gsym_version(void);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_TYPES_H */
