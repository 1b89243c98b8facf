/* SPDX-License-Identifier: MIT */
/*
 * markup/loglook.h - steps on the way from a frame to symbols and an address.
 * Knows nothing of how an answer is written.
 */
#ifndef GSYM_MARKUP_LOGLOOK_H
#define GSYM_MARKUP_LOGLOOK_H

#include "markup/logs.h"

/** What became of a frame. */
enum gsym_look {
	GSYM_LOOK_ANSWER,
	GSYM_LOOK_NOTHING,
	GSYM_LOOK_NO_MODULE,
	GSYM_LOOK_NO_FUNCTION,
	GSYM_LOOK_MISMATCH,
};

/** The module of FRAME; NULL without memory.  Frames that name no file have the
 *  build ID as the name of their module. */
struct gsym_mk_log_module *
gsym_mk_log_module_of(struct gsym_mk_log_state *s,
		      const struct logs_frame *frame);
/** Ask the host for the symbols of M, unless it was asked; NULL if there are
 *  none, or if they are of another build.  DOUBTFUL: without a message. */
void *gsym_mk_log_symbols(struct gsym_markup *f, struct gsym_mk_log_module *m,
			  bool doubtful);
/** Set the module of HIT. */
void gsym_mk_log_name_module(struct gsym_mk_log_hit *hit,
			     struct gsym_mk_slice name, const uint8_t *id,
			     size_t id_size);

/** Tell the host about HIT, whose search ended with OUTCOME. */
void gsym_mk_log_explain(struct gsym_markup *f,
			 const struct gsym_mk_log_hit *hit,
			 enum gsym_look outcome);
/** Find symbols and addresses for HIT's frame, which is one of the kernel. */
enum gsym_look gsym_mk_log_resolve_kernel(struct gsym_markup *f,
					  struct gsym_mk_log_hit *hit);

#endif
