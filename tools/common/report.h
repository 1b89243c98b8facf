/* SPDX-License-Identifier: MIT */
/*
 * report.h - messages and the progress line on standard error, and the exit
 * statuses of all tools.
 *
 * Messages are written like git's: "gsym-lookup: cannot open 'x.gsym': why".
 * It knows the name of the tool, not what the tool does.
 */
#ifndef TOOLS_COMMON_REPORT_H
#define TOOLS_COMMON_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <gsym/types.h>

/** Exit statuses of all tools. */
enum {
	STATUS_DONE = 0,  /**< done, even if an address has no answer */
	STATUS_NO = 1,    /**< a check failed */
	STATUS_ERROR = 2, /**< bad option, unusable input, unwritten output */
};

/** The first call of every main: TOOL becomes the name in front of messages.
 *  File descriptors 0 to 2 that the parent process closed are opened on
 *  /dev/null, so that no file opened later gets one of these numbers.  Ends of
 *  children can be waited for, also if the parent process ignores SIGCHLD. */
void report_start(const char *tool);
/** The name that report_start was given. */
const char *report_tool(void);

/** Let SIGBUS, which a mapped GSYM file or program causes that another process
 *  cuts short, end the tool with a message.  COPY: the message names --copy. */
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

#endif /* TOOLS_COMMON_REPORT_H */
