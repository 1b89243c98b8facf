/* SPDX-License-Identifier: MIT */
/* markup/logwrite.h - parts of answers to frames of backtraces without markup,
 * for our own form (logwrite.c) and for those of other scripts
 * (logscript.c). */
#ifndef GSYM_MARKUP_LOGWRITE_H
#define GSYM_MARKUP_LOGWRITE_H

#include "markup/logs.h"

/** The most bytes of text before a frame that other lines repeat. */
#define GSYM_MK_LOG_LEAD GSYM_LIMIT(4096, 16)

/** How the answers of a line are written. */
struct gsym_mk_log_writing {
	/** They become a part of a string of JSON. */
	bool json;
	enum gsym_markup_log_inlines inlines;
	/** The symbols may be of another build: a "?" follows the place, or
	 *  the function if there is no place. */
	bool unsure;
};

/** Write the function of level I of f->logs->answer. */
void gsym_mk_log_put_name(struct gsym_markup *f,
			  const struct gsym_mk_log_writing *w, size_t i);
/** Whether the place of level I is known; and write the place. */
bool gsym_mk_log_has_place(struct gsym_markup *f, size_t i);
void gsym_mk_log_put_place(struct gsym_markup *f,
			   const struct gsym_mk_log_writing *w, size_t i);

#endif
