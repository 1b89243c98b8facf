/* SPDX-License-Identifier: MIT */
/*
 * markup/tips.h - the details of an element in HTML: lines that show when the
 * pointer or the focus is on the element, and are printed in parentheses after
 * it.
 */
#ifndef GSYM_MARKUP_TIPS_H
#define GSYM_MARKUP_TIPS_H

#include <gsym/markup.h>

#include "markup/context.h"
#include "markup/out.h"

struct gsym_markup;
struct gsym_mk_entry;
struct gsym_mk_levels;
struct gsym_mk_log_hit;

/** Details whose text the caller writes in between. */
void gsym_mk_tip_begin(struct gsym_mk_out *o);
/** Add the message about the element, and end the details. */
void gsym_mk_tip_end(struct gsym_mk_out *o);

/** Details of a pc or bt element in MAPPING; ADDRESS is the one that was looked
 * up. */
void gsym_mk_tip_code(struct gsym_markup *f, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *mapping,
		      const struct gsym_mk_levels *levels);
/** Details of the frame HIT without markup; ADDRESS is the one that was looked
 *  up. */
void gsym_mk_tip_log(struct gsym_markup *f, uint64_t address,
		     const struct gsym_mk_log_hit *hit,
		     const struct gsym_mk_levels *levels);
/** Details of a data element in MAPPING. */
void gsym_mk_tip_data(struct gsym_mk_out *o, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *mapping);
/** Details of an element whose address is in no module. */
void gsym_mk_tip_raw(struct gsym_mk_out *o, const struct gsym_mk_element *e);
/** Details of a symbol element: its NAME, which is the linkage name. */
void gsym_mk_tip_symbol(struct gsym_mk_out *o, struct gsym_mk_slice name);
/** Details of a dumpfile element: the numbers of modules and segments. */
void gsym_mk_tip_dump(struct gsym_mk_out *o, const struct gsym_mk_context *c);
/** Details of a module line. */
void gsym_mk_tip_module(struct gsym_mk_out *o,
			const struct gsym_mk_entry *entry);

/** Write E as it is in the log; in HTML with the message about it, if there is
 *  one, as its details. */
void gsym_mk_put_unchanged(struct gsym_mk_out *o,
			   const struct gsym_mk_element *e);

#endif
