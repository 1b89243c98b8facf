/* SPDX-License-Identifier: MIT */
/*
 * markup/hexdict.h - hexdict elements, which may have several lines.  Their
 * text is not changed.  The meanings of their values are added in footnotes
 * after the line, or after each value.
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
	/** The lines so far were written as they are, because another process
	 *  had a line to write. */
	bool passed;
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
	/** HEADED: the first line has a header.  HEADERS: all lines so far have
	 * one. */
	bool headed, headers;
	/** The time of its first line, as in struct gsym_markup. */
	uint64_t since;
};

/** Begin an element of several lines at OPENER in the line at hand. */
void gsym_mk_hexdict_start(struct gsym_markup *f, const char *opener);
/** Continue the element that the process has open.  Returns true if the whole
 *  line at hand belongs to the element.  Otherwise the element has ended or was
 *  given up, and the line at hand becomes the text after it, which may be the
 *  whole line. */
bool gsym_mk_hexdict_line(struct gsym_markup *f);
/** Show E, which ends in its line. */
void gsym_mk_hexdict_one(struct gsym_markup *f,
			 const struct gsym_mk_element *e);
/** Write the footnotes of the elements that ended in the line at hand. */
void gsym_mk_hexdict_notes(struct gsym_markup *f);

#endif
