/* SPDX-License-Identifier: MIT */
/*
 * render/scene.h - what is shown in place of elements.  Knows the line that an
 * element stands in, and the memory of its process.
 *
 *	present.c	symbol, data, dumpfile; chooses among these:
 *	code.c		pc, bt
 *	hexdict.c	hexdict
 *	jsonline.c	lines of JSON with elements
 *	llvm.c		lines with elements in llvm-symbolizer's style
 *	modules.c	module, mmap, reset, whose module lines are written
 *			later
 */
#ifndef GSYM_RENDER_SCENE_H
#define GSYM_RENDER_SCENE_H

#include "render/place.h"

/** What an element is shown against. */
struct scene {
	struct mk_host *host;
	const struct mk_headers *headers;
	struct mk_line *line;
	struct mk_processes *processes;
	/** Hexdict elements of the line whose footnotes are still to be
	 *  written. */
	struct mk_text footnotes;
	/** The output for a line which module lines have to precede. */
	struct mk_out mixed;
	/** llvm-symbolizer's style: the module whose line has no end yet. */
	struct mk_module *open_module;
	/** A message said that the log may be of several processes. */
	bool told_of_processes;
	/** How many modules and segments dumpfile elements have handed over. */
	uint64_t dumped;
};

/** Bytes of the header of the line at hand; 0 in further pieces of a line. */
static inline size_t render_line_header(struct scene *s)
{
	struct mk_line *l = s->line;
	const struct mk_text *known = &s->line->process->prefix;

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
bool gsym_render_present(struct scene *s, struct mk_out *o,
			 const struct mk_element *e);

void gsym_render_present_pc(struct scene *s, struct mk_out *o,
			    const struct mk_element *e);
void gsym_render_present_bt(struct scene *s, struct mk_out *o,
			    const struct mk_element *e);
/** Show E, which ends in its line. */
void gsym_render_hexdict_one(struct scene *s, struct mk_out *o,
			     const struct mk_element *e);
/** Write the footnotes of the elements that ended in the line at hand. */
void gsym_render_hexdict_notes(struct scene *s);

/* ---- elements of several lines (hexdict.c) ---------------------------- */

/** Begin an element of several lines at OPENER in the line at hand. */
void gsym_render_hexdict_start(struct scene *s, const char *opener);
/** Continue the element that the process has open.  Returns true if the whole
 *  line at hand belongs to the element.  Otherwise the element has ended or was
 *  given up, and the line at hand becomes the text after it, which may be the
 *  whole line. */
bool gsym_render_hexdict_line(struct scene *s);

/* ---- whole lines with elements ----------------------------------------- */

/** Whether L is a line of JSON. */
bool gsym_render_is_json(const struct mk_line *l);
/** Write the output for the line at hand, which is JSON and may have
 *  elements. */
void gsym_render_json_line(struct scene *s);
/** Write the output for the line at hand, in llvm-symbolizer's style. */
void gsym_render_llvm_line(struct scene *s);
/** End the module line that is open, if there is one. */
void gsym_render_llvm_end_module(struct scene *s);

/* ---- memory, and its module lines (modules.c) ---------------------- */

/** Apply a module, mmap or reset element of the line that is written to O;
 *  false if that is not possible, after a message. */
bool gsym_render_apply(struct scene *s, struct mk_out *o,
		       const struct mk_element *e);
/** Whether E is an mmap of an unknown module; if so there is a message. */
bool gsym_render_unknown_module(struct scene *s, const struct mk_element *e);
/** Whether E can be applied or shown; if not, a message says why. */
bool gsym_render_usable(struct scene *s, const struct mk_element *e);
/** Report that the module or mmap element E was not added to the context: the
 *  context is full, or memory ran out. */
void gsym_render_not_added(struct scene *s, const struct mk_element *e);

/** Write '[[[ELF module #0x0 "name"'. */
void gsym_render_put_module(struct mk_out *o, const struct mk_module *module);
/** Write " [0x1000-0x1fff](rx),..." in the order of addresses.  LLVM: ranges
 *  with the start of the first one have a blank before them, as
 *  llvm-symbolizer takes each of them for the first one. */
void gsym_render_put_ranges(struct mk_out *o, struct mk_entry *entry,
			    bool llvm);
void gsym_render_put_build_id(struct mk_out *o, const struct mk_module *module);

/* ---- lines that are held -------------------------------------------- */

/** Write all lines that are held, because a line of the log is written next. */
void gsym_render_write_held(struct scene *s);
/** Write the lines that are held for longer than those of P, which has to be in
 *  the state HOLDS. */
void gsym_render_write_before(struct scene *s, const struct mk_process *p);
/** Write the module lines of P, and all that is held for longer. */
void gsym_render_write_collected(struct scene *s, struct mk_process *p);
/** Drop the module lines of P. */
void gsym_render_drop_collected(struct scene *s, struct mk_process *p);
/** If P has an unended element, write the element as text, after all that waits
 *  for longer.  P has no element after that. */
void gsym_render_give_up(struct scene *s, struct mk_process *p);

#endif
