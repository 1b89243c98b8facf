/* SPDX-License-Identifier: MIT */
/*
 * markup/scene.h - what is shown in place of elements.  Knows the line that an
 * element stands in, and the memory of its process.
 *
 *	present.c	symbol, data, dumpfile; chooses among these:
 *	code.c		pc, bt
 *	hexdict.c	hexdict
 */
#ifndef GSYM_MARKUP_SCENE_H
#define GSYM_MARKUP_SCENE_H

#include "markup/place.h"

/** What an element is shown against. */
struct gsym_mk_scene {
	struct gsym_mk_host *host;
	const struct gsym_mk_headers *headers;
	struct gsym_mk_line *line;
	struct gsym_mk_processes *processes;
	/** The process of LINE. */
	struct gsym_mk_process *process;
	/** Hexdict elements of the line whose footnotes are still to be
	 *  written. */
	struct gsym_mk_text footnotes;
	/** How many modules and segments dumpfile elements have handed over. */
	uint64_t dumped;
};

/** Bytes of the header of the line at hand; 0 in further pieces of a line. */
static inline size_t gsym_mk_line_header(struct gsym_mk_scene *s)
{
	struct gsym_mk_line *l = s->line;
	const struct gsym_mk_text *known = &s->process->prefix;

	if (l->header != SIZE_MAX)
		return l->header;
	l->header = 0;
	if (!l->first)
		return 0;
	l->header = gsym_mk_any_header(s->headers, l->at, l->size);
	if (known->count && l->size - l->header >= known->count &&
	    memcmp(l->at + l->header, known->items, known->count) == 0)
		l->header += known->count;
	return l->header;
}

/** Write the output for E; false if E is to be written as it is in the log. */
bool gsym_mk_present(struct gsym_mk_scene *s, struct gsym_mk_out *o,
		     const struct gsym_mk_element *e);

void gsym_mk_present_pc(struct gsym_mk_scene *s, struct gsym_mk_out *o,
			const struct gsym_mk_element *e);
void gsym_mk_present_bt(struct gsym_mk_scene *s, struct gsym_mk_out *o,
			const struct gsym_mk_element *e);
/** Show E, which ends in its line. */
void gsym_mk_hexdict_one(struct gsym_mk_scene *s, struct gsym_mk_out *o,
			 const struct gsym_mk_element *e);
/** Write the footnotes of the elements that ended in the line at hand. */
void gsym_mk_hexdict_notes(struct gsym_mk_scene *s);

#endif
