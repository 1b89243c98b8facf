/* SPDX-License-Identifier: MIT */
/*
 * markup/hexdict.h - hexdict elements, which may have several lines.  Their
 * text stays as it is.  What their values mean is added in footnotes after the
 * line, or next to each value.
 */
#ifndef GSYM_MARKUP_HEXDICT_H
#define GSYM_MARKUP_HEXDICT_H

#include "markup/parse.h"
#include "markup/text.h"

struct gsym_markup;
struct gsym_mk_process;

/** An element of several lines whose end has not come yet. */
struct gsym_mk_open {
	bool active;
	/** The output for the text in front of the element. */
	struct gsym_mk_text head;
	/** The text of the log in front of the element; only its header, if it
	 *  has one. */
	struct gsym_mk_text prefix;
	/** The element so far, with line ends. */
	struct gsym_mk_text text;
	/** The numbers of its lines.  Lines of other processes may lie in
	 *  between. */
	struct {
		GSYM_VEC(uint64_t);
	} lines;
	/** The first line has a header; all lines so far have one. */
	bool headed, headers;
	/** The time of its first line, as in struct gsym_markup. */
	uint64_t since;
};

/** Begin an element of several lines at OPENER in the line at hand. */
void gsym_mk_hexdict_start(struct gsym_markup *f, const char *opener);
/** The process has an element open.  True if the whole line at hand is a part
 *  of it.  Otherwise the element ended, or was given up, and the line at hand
 *  is what follows it, which may be the whole line. */
bool gsym_mk_hexdict_line(struct gsym_markup *f);
/** If P has an element open, write it as text. */
void gsym_mk_hexdict_give_up(struct gsym_markup *f, struct gsym_mk_process *p);
/** Show E, which ends in its line. */
void gsym_mk_hexdict_one(struct gsym_markup *f,
			 const struct gsym_mk_element *e);
/** Write the footnotes of the elements that ended in the line at hand. */
void gsym_mk_hexdict_notes(struct gsym_markup *f);

#endif
