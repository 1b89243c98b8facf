/* SPDX-License-Identifier: MIT */
/*
 * report.h - how every tool speaks to its user on standard error, and the
 * exit statuses that all of them share.
 *
 * Messages follow git's grammar: "gsym-lookup: cannot open 'x.gsym': why".
 * The room knows the tool's name; it never knows what the tool does.
 */
#ifndef TOOLS_COMMON_REPORT_H
#define TOOLS_COMMON_REPORT_H

#include <gsym/types.h>

/** Exit statuses of all tools. */
enum {
	STATUS_DONE = 0,  /**< done, also when an address has no answer */
	STATUS_NO = 1,    /**< the answer to a check is no */
	STATUS_ERROR = 2, /**< bad option, unusable input, output not written */
};

/** To be called first by every main: sets the name in front of messages,
 *  and fills file descriptors 0 to 2 if the caller closed them, so that no
 *  file that is opened later can be mistaken for one of them. */
void report_start(const char *tool);
/** The name that report_start was given. */
const char *report_tool(void);

/** From now on die_usage speaks of the help of the command NAME. */
void report_set_command(const char *name);

/** One line on standard error. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** One line on standard error, and the end with STATUS_ERROR. */
_Noreturn void die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** As die, with a hint at --help behind it. */
_Noreturn void die_usage(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** die with "cannot VERB 'PATH': ..." and what STATUS and ERROR (its code
 *  is 0 if nothing filled it) say. */
_Noreturn void die_status(const char *verb, const char *path,
			  enum gsym_status status,
			  const struct gsym_error *error);
/** What ERROR says, or STATUS if it says nothing. */
const char *report_reason(enum gsym_status status,
			  const struct gsym_error *error);

/** FUNCTION is called before each message; the progress line uses it to get
 *  out of the way.  NULL ends that. */
void report_set_hook(void (*function)(void));
/** FUNCTION is called before a die ends the process; the output file uses it
 *  to remove what is unfinished.  NULL ends that. */
void report_set_cleanup(void (*function)(void));

#endif /* TOOLS_COMMON_REPORT_H */
