/* SPDX-License-Identifier: MIT */
/* markup/diagnose.h - messages about the log. */
#ifndef GSYM_MARKUP_DIAGNOSE_H
#define GSYM_MARKUP_DIAGNOSE_H

#include "markup/parse.h"

struct gsym_markup;
struct gsym_mk_messages;

/** Report a message about the byte AT of the line at hand; AT is NULL if the
 * message is about no line. */
void gsym_mk_say(struct gsym_markup *f, enum gsym_markup_severity severity,
		 const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/** Report the message for PROBLEM of E. */
void gsym_mk_say_problem(struct gsym_markup *f, const struct gsym_mk_element *e,
			 const struct gsym_mk_problem *problem,
			 enum gsym_markup_severity severity);
/** Report how many further times messages occurred that were not reported; free
 *  f->messages. */
void gsym_mk_messages_end(struct gsym_markup *f);

/** Hand the text to EXPLAIN of the host, which has to be there. */
void gsym_mk_tell(struct gsym_markup *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
