/* SPDX-License-Identifier: MIT */
/*
 * report.h - messages and the progress line on standard error, the exit
 * statuses of all tools, and memory that a tool cannot do without.
 *
 * Messages are written like git's: "gsym-lookup: cannot open 'x.gsym': why".
 * The name of the tool is known here, not what the tool does.
 */
#ifndef TOOLS_COMMON_REPORT_H
#define TOOLS_COMMON_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <gsym/types.h>

#include "base/intern.h"
#include "base/vec.h"

/** Exit statuses of all tools. */
enum {
	STATUS_DONE = 0,  /**< done, even if an address has no answer */
	STATUS_NO = 1,    /**< a check failed */
	STATUS_ERROR = 2, /**< bad option, unusable input, unwritten output */
};

/** The first call of every main: TOOL becomes the name in front of messages.
 *  File descriptors 0 to 2 that the parent process closed are opened on
 *  /dev/null, so that no file opened later gets one of these numbers.  Ends of
 *  children can be waited for, also if the parent process ignores SIGCHLD.
 *
 *  Limits end the tool with a message and STATUS_ERROR: SIGBUS, because a
 *  mapped file was cut short, and SIGXCPU.  SIGXFSZ is ignored, so that a write
 *  fails. */
void report_start(const char *tool);
/** Call FUNCTION, with the number of the signal, before SIGBUS or SIGXCPU ends
 *  the tool.  At SIGXCPU it may do no more than a signal handler.  Several
 *  calls with a FUNCTION count as one; there are 3 functions at most. */
void report_at_limit(void (*function)(int number));
/** In a child: SIGBUS, SIGXCPU and SIGXFSZ end the process as if no tool had
 *  been started. */
void report_leave_limits(void);
/** The name that report_start was given. */
const char *report_tool(void);

/** COPY: the message that a file was cut short names --copy. */
void report_cut_files(bool copy);

/** Make die_usage hint at the help of the tool's command NAME. */
void report_set_command(const char *name);

/** Write a line to standard error.  Each byte of a character that a terminal
 *  must not get (see gsym_utf8_harmful) becomes '?'. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Like warn, without the name of the tool in front. */
void report_line(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** Like warn.  Returns the number of bytes, at most REPORT_BYTES. */
size_t report_args(const char *format, va_list args);
/** The most bytes of a message; the rest is cut off. */
enum { REPORT_BYTES = 2048 };
/** Like warn, for a note or a warning: nothing is written with --quiet. */
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** If standard input is a terminal, a note says that WHAT ("addresses") are
 *  read. */
void report_terminal(const char *what);
/** --quiet: notes and warnings, the progress line and summaries are not
 *  written. */
void report_set_quiet(void);
bool report_is_quiet(void);
/** Write a line to standard error, and exit with STATUS_ERROR. */
_Noreturn void die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** Like die, with a second line that hints at --help. */
_Noreturn void die_usage(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** die with "cannot VERB 'PATH': " and the reason, see report_reason. */
_Noreturn void die_status(const char *verb, const char *path,
			  enum gsym_status status,
			  const struct gsym_error *error);
/** The message in ERROR, or the text of STATUS if ERROR is NULL or was not
 *  filled (its code is 0). */
const char *report_reason(enum gsym_status status,
			  const struct gsym_error *error);

/** Have FUNCTION called with each message that ends the process, but for those
 *  about the command line, and with the status of die_status, or GSYM_ERR_IO.
 *  NULL: no function. */
void report_set_failure(void (*function)(enum gsym_status status,
					 const char *text));
/** Have FUNCTION called before die ends the process, which removes the
 *  incomplete output file.  NULL: no function. */
void report_set_cleanup(void (*function)(void));

/** Begin work of which a progress line tells, which calls it WHAT ("reading");
 *  WHAT must stay valid until report_work_end.  The line is shown if standard
 *  error is a terminal and the work takes more than half a second, but not
 *  with --quiet. */
void report_work(const char *what);
/** DONE of TOTAL units of the work are done. */
void report_work_done(uint64_t done, uint64_t total);
/** Erase the line: the work is done. */
void report_work_end(void);

/* ---- memory -------------------------------------------------------------- */

/*
 * Where memory runs out, the tool ends with one message.
 *
 *	char *copy = must_have(strdup(text));
 *	struct { GSYM_VEC(struct row); } rows = { 0 };
 *	must_push(&rows)->line = 7;
 *	must(gsym_xray_tree_sort(tree) == GSYM_OK);
 */

/** End the tool if DONE is false: there was no memory for it. */
static inline void must(bool done)
{
	if (!done)
		die("out of memory");
}

/** STATUS of a library's function.  Ends the tool if it says that memory has
 *  run out, which must not be taken for a file that is unusable or missing. */
static inline enum gsym_status must_status(enum gsym_status status)
{
	must(status != GSYM_ERR_MEMORY);
	return status;
}

/** die_status unless STATUS is GSYM_OK. */
static inline void must_succeed(const char *verb, const char *path,
				enum gsym_status status,
				const struct gsym_error *error)
{
	if (status != GSYM_OK)
		die_status(verb, path, status, error);
}

/** P, which was allocated.  Ends the tool if it is NULL. */
static inline void *must_have(void *p)
{
	must(p != NULL);
	return p;
}

/** gsym_vec_reserve and gsym_vec_push, which end the tool if memory runs
 *  out. */
#define must_reserve(v, more) must(gsym_vec_reserve(v, more))
#define must_push(v) (must_reserve(v, 1), &(v)->items[(v)->count++])

/** The number of the SIZE BYTES in KEYS, from 0 on in the order in which they
 *  came.  Ends the tool if memory runs out. */
static inline uint32_t must_intern(struct gsym_intern *keys, const void *bytes,
				   size_t size)
{
	uint32_t number;

	must(gsym_intern_add(keys, bytes, size, &number));
	return number;
}

/** As must_intern, but MOST if the bytes are new and KEYS has MOST numbers. */
static inline uint32_t must_intern_within(struct gsym_intern *keys,
					  uint32_t most, const void *bytes,
					  size_t size)
{
	uint32_t number;

	if (keys->count < most)
		return must_intern(keys, bytes, size);
	return gsym_intern_find(keys, bytes, size, &number) ? number : most;
}

#endif /* TOOLS_COMMON_REPORT_H */
