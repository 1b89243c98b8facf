/* SPDX-License-Identifier: MIT */
/*
 * render/render.h - lines without markup and their answers, as they are
 * written.  A renderer knows the line and its answers, and chooses none.
 * script.c counts inlined calls that become frames.
 *
 *	write.c		lines with answers, inlined calls and source code;
 *			answers are escaped as the text around them is
 *	script.c	frames as decode_stacktrace.sh, asan_symbolize and
 *			ndk-stack write them; values and keys of JSON
 */
#ifndef GSYM_RENDER_RENDER_H
#define GSYM_RENDER_RENDER_H

#include "render/place.h"
#include "stacks/judge.h"

/** A line, and where it is written. */
struct render {
	struct mk_host *host;
	struct mk_out *out;
	const struct gsym_markup_log_options *options;
	const struct mk_line *line;
	/** The answers to frames of the line. */
	const struct stacks_answer *answers;
	size_t count;
	/** The state of its process, which has the folders to leave out, and
	 *  counts inlined calls that became frames. */
	struct stacks_state *state;
};

/* ---- answers ---------------------------------------------------------- */

/** The most bytes of text before a frame that other lines repeat. */
#define RENDER_LEAD GSYM_LIMIT(4096, 16)

/** How the answers of a line are written. */
struct render_writing {
	/** The answer gets escapes afterwards, so it has no colours. */
	bool escaped;
	enum gsym_markup_log_inlines inlines;
	/** The symbols may be of another build: a "?" follows the place, or
	 *  the function if there is no place. */
	bool unsure;
};

/** Write the function of LEVEL. */
void gsym_render_put_name(const struct render *r,
			  const struct render_writing *w,
			  struct mk_level *level);
/** Write the place of LEVEL. */
void gsym_render_put_log_place(const struct render *r,
			       const struct render_writing *w,
			       struct mk_level *level);
/** Write the value, or the keys, of FRAME, an object of JSON, as the function
 *  and the place of LEVEL say.  Returns the place in the line behind what was
 *  written. */
const char *gsym_render_put_frame(const struct render r,
				  const struct logs_frame *frame,
				  const struct render_writing *w,
				  struct mk_level *level);
/** Escape the bytes of the output from BEFORE on for LAYERS. */
void gsym_render_escape(struct mk_host *h, struct mk_out *o,
			const struct logs_layers *layers, size_t before);
/** Write the line at hand, which is not several lines joined, as the script for
 *  its kind of frames does; false if there is no script for them, or if
 *  very much text stands before the frame. */
bool gsym_render_script(const struct render *r);
/** Write the line at hand with its answers.  JOINED: the line stays one. */
void gsym_render_write(const struct render *r, bool joined);

#endif
