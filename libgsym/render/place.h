/* SPDX-License-Identifier: MIT */
/*
 * render/place.h - functions and places in the source as they are shown, the
 * details of elements on pages, and elements of which nothing is known.
 */
#ifndef GSYM_RENDER_PLACE_H
#define GSYM_RENDER_PLACE_H

#include "markup/host.h"

struct stacks_answer;

/** The name of LEVEL's function as it is shown, without colours: "<invalid>" if
 *  it has none.  Valid until the next call of a function of this header. */
struct logs_text gsym_render_function_text(struct mk_host *h,
					   struct mk_level *level);
/** The file of LEVEL, likewise. */
struct logs_text gsym_render_file_text(struct mk_host *h,
				       struct mk_level *level);
/** Write the file of LEVEL, with a link to it in HTML; "<invalid>" if it is
 *  unknown. */
void gsym_render_put_file(struct mk_host *h, struct mk_out *o,
			  struct mk_level *level);
/** Write ":line:column" of FRAME, as far as they are known. */
void gsym_render_put_row(struct mk_out *o,
			 const struct gsym_markup_frame *frame);
/** Write SEPARATOR and "file:line:column" of LEVEL, as far as they are known.
 *  Writes nothing if the file is unknown. */
void gsym_render_put_place(struct mk_host *h, struct mk_out *o,
			   const char *separator, struct mk_level *level);
/** Write the name of LEVEL's function; "<invalid>" if it has none. */
void gsym_render_put_function(struct mk_host *h, struct mk_out *o,
			      struct mk_level *level);

/* ---- elements as they are in the log -------------------------------- */

/** Write E as "[[[tag:fields]]]". */
void gsym_render_raw(struct mk_host *h, struct mk_out *o,
		     const struct mk_element *e);
/** Report that no mapping covers the address of E, and write E raw. */
void gsym_render_uncovered(struct mk_host *h, struct mk_out *o,
			   const struct mk_element *e);
/** Write the name of MODULE; "#0x1", by its ID, if it has none. */
void gsym_render_put_module_name(struct mk_out *o,
				 const struct mk_module *module);
/** Write "module+0x10". */
void gsym_render_put_offset(struct mk_out *o, const struct mk_mapping *mapping,
			    uint64_t address);

/* ---- details of elements on pages ----------------------------------- */

/** Details whose text the caller writes in between. */
void gsym_render_tip_begin(struct mk_out *o);
/** Add the message about the element, and end the details. */
void gsym_render_tip_end(struct mk_out *o);

/** Details of the element E, which has an address: ADDRESS in MAPPING, NULL: in
 *  no module.  LEVELS: those of the address that was looked up; NULL: none. */
void gsym_render_tip_address(struct mk_host *h, struct mk_out *o,
			     const struct mk_element *e, uint64_t address,
			     const struct mk_mapping *mapping,
			     const struct mk_levels *levels);
/** Details of the frame ANSWER without markup; ADDRESS is the one that was
 *  looked up. */
void gsym_render_tip_log(struct mk_host *h, struct mk_out *o, uint64_t address,
			 const struct stacks_answer *answer,
			 const struct mk_levels *levels);
/** Details of a symbol element: its NAME, which is the linkage name. */
void gsym_render_tip_symbol(struct mk_out *o, struct logs_text name);
/** Details of a dumpfile element: the numbers of modules and segments. */
void gsym_render_tip_dump(struct mk_out *o, const struct mk_context *c);
/** Details of a module line. */
void gsym_render_tip_module(struct mk_out *o, const struct mk_entry *entry);

/** Write E as it is in the log; in HTML with the message about it, if there is
 *  one, as its details. */
void gsym_render_put_unchanged(struct mk_out *o, const struct mk_element *e);

#endif
