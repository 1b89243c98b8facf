/* SPDX-License-Identifier: MIT */
/*
 * markup/logs.h - backtraces without markup: frames of a line get the functions
 * and places that belong to them.
 *
 *	logs.c		lines: finds frames and facts
 *	logfacts.c	the state of a process, and facts that change it
 *	loghold.c	lines that wait for a fact in a later line
 *	logips.c	Apple's reports in JSON
 *	logmodule.c	the modules of frames, and their symbols
 *	loglook.c	from a frame of a program to an address
 *	logkernel.c	from a frame of the kernel to an address
 *	logfit.c	functions of the kernel that have the size of the log
 *	loganswer.c	the levels of an address
 *	logexplain.c	how a frame was read, for people
 *	logtell.c	frames for the host
 *	logwrite.c	lines with answers, and lines of inlined calls
 *	logscript.c	answers as other scripts write them
 *	logsource.c	lines of source code around a place
 */
#ifndef GSYM_MARKUP_LOGS_H
#define GSYM_MARKUP_LOGS_H

#include "logs/facts.h"
#include "markup/host.h"
#include "markup/logstate.h"
#include "markup/out.h"

struct gsym_markup;

/** Frames of a line that get an answer. */
#define GSYM_MK_LOG_HITS GSYM_LIMIT(64u, 1)
/** Functions of one name whose places are shown, if nothing tells them
 *  apart. */
#define GSYM_MK_LOG_CHOICES GSYM_LIMIT(4u, 1)
/** Functions of one name that are looked at. */
#define GSYM_MK_LOG_FUNCTIONS GSYM_LIMIT(256u, 1)
/** Dead functions that are looked at for one line, which may have many
 *  frames. */
#define GSYM_MK_LOG_DEAD GSYM_LIMIT(1024u, 1)

/** The same for arrays, which have one size whatever the limits are. */
enum {
	GSYM_MK_LOG_ROOM_HITS = 64,
	GSYM_MK_LOG_ROOM_CHOICES = 4,
	GSYM_MK_LOG_ROOM_FUNCTIONS = 256,
};

/** A frame, and the addresses to look up for it: one, or several that cannot be
 *  told apart. */
struct gsym_mk_log_hit {
	struct logs_frame frame;
	void *symbols;
	/** The name of the module, and its build ID.  The ID is a copy: another
	 *  frame of the line may give the module another one. */
	struct gsym_mk_slice module;
	uint8_t build_id[GSYM_MK_BUILD_ID];
	size_t build_id_size;
	uint64_t addresses[GSYM_MK_LOG_ROOM_CHOICES];
	size_t count;
	/** The symbols may be of another build than the log. */
	bool unsure;
};

/** The levels of an address, none if its function has no name. */
struct gsym_mk_log_answer {
	struct gsym_mk_levels levels;
	/** A level without the folders that options take from its file. */
	struct gsym_mk_level stripped;
};

/** A line that is held back: its size, and its end. */
struct gsym_mk_log_held_line {
	size_t size;
	const char *ending;
	bool crlf;
};

/** Lines that are held back until a later line has the fact that they need. */
struct gsym_mk_log_held {
	struct gsym_mk_text text;
	struct {
		GSYM_VEC(struct gsym_mk_log_held_line);
	} lines;
	/** The fact, and for how long lines are held back. */
	const struct gsym_mk_log_wait *wait;
	/** A line with the fact came; the next line may have more of a list. */
	bool met;
	/** The number of the first line, and the time when the last one came;
	 *  for the kernel, the first one. */
	uint64_t number, since;
	/** The lines are being written. */
	bool writing;
};

/** What a filter needs for backtraces without markup. */
struct gsym_mk_logs {
	struct gsym_markup_log_count counts[LOGS_FORMS];
	struct gsym_mk_log_hit hits[GSYM_MK_LOG_ROOM_HITS];
	size_t hit_count;
	struct gsym_mk_log_answer answer;
	struct gsym_mk_log_held held;
	/** What the host said about the module of the frame at hand. */
	struct gsym_markup_log_symbols found;
	/** How many of GSYM_MK_LOG_DEAD are left for the line at hand. */
	unsigned dead_left;
	/** Whether the line at hand has to wait for the build of the kernel was
	 *  found out. */
	bool weighed;
	/** The last frame was in a line without a number before it, as lines of
	 *  source code have. */
	bool unnumbered;
	/** Lines to look at whatever is in them; and the line at hand is one of
	 *  these. */
	unsigned attention;
	bool watched;
};

static inline struct gsym_mk_slice gsym_mk_log_slice(struct logs_text text)
{
	return (struct gsym_mk_slice){ text.at, text.size };
}

/** Find the frames of the line at hand.  If some have an answer, write the line
 *  with the answers and return true. */
bool gsym_mk_logs_line(struct gsym_markup *f);

/** Tell the host about the frame of HIT.  RESOLVED: it has symbols and an
 *  address. */
void gsym_mk_log_tell(struct gsym_markup *f, const struct gsym_mk_log_hit *hit,
		      bool resolved);

/** Change the state of the process of the line at hand as FACT tells. */
void gsym_mk_log_apply(struct gsym_markup *f, const struct logs_fact *fact);
/** If FRAME in the line at hand needs a kernel, images or maps that are not
 *  known yet, hold the line back and return true. */
bool gsym_mk_log_hold(struct gsym_markup *f, const struct logs_frame *frame);
/** As gsym_mk_log_hold, for the report that begins in the line at hand: the
 *  fact KIND. */
bool gsym_mk_log_hold_report(struct gsym_markup *f, enum logs_fact_kind kind);
/** Whether the line at hand is of a report in JSON, whose images are known. */
bool gsym_mk_log_is_ips(const struct gsym_markup *f);
/** Write the line at hand with the answers of its frames, which are objects of
 *  JSON; false if there are none. */
bool gsym_mk_log_ips(struct gsym_markup *f);
/** Write TEXT as a part of a string of JSON. */
void gsym_mk_log_put_json(struct gsym_mk_out *o, struct gsym_mk_slice text);
/** Whether lines are held back. */
bool gsym_mk_log_holds(const struct gsym_markup *f);
/** Hold the line at hand back as well, and return true.  If that is not
 *  possible, the lines that are held back have to be released before the line
 *  at hand is looked at. */
bool gsym_mk_log_held(struct gsym_markup *f);
/** Write the lines that are held back, which may be of any process.  Nothing
 *  that was found out about the line at hand is valid after that. */
void gsym_mk_log_release(struct gsym_markup *f);
/** The milliseconds after which lines are no longer held back. */
uint64_t gsym_mk_log_patience(const struct gsym_markup *f);
/** Whether the host has symbols for the kernel of the process. */
bool gsym_mk_log_has_kernel(struct gsym_markup *f);
/** Whether no later line can tell more about the build of the kernel: it has no
 *  symbols, or those that the log says. */
bool gsym_mk_log_is_settled(struct gsym_markup *f);
/** Whether the symbols for FRAME, which is one of the kernel, may be of another
 *  build, and too few frames were compared with them. */
bool gsym_mk_log_is_unproven(struct gsym_markup *f,
			     const struct logs_frame *frame);
/** Whether enough frames were compared with the symbols of the kernel. */
bool gsym_mk_log_is_judged(struct gsym_markup *f);
/** If the symbols for FRAME are unproven, compare them with FRAME. */
void gsym_mk_log_try(struct gsym_markup *f, const struct logs_frame *frame);

/** Find symbols and address for HIT's frame; false if there are none.  Counts
 *  the frame. */
bool gsym_mk_log_resolve(struct gsym_markup *f, struct gsym_mk_log_hit *hit);
/** Keep the COUNT functions at FOUND, all of FRAME's name, that have the size
 *  of FRAME; returns their number. */
size_t gsym_mk_log_keep_fitting(struct gsym_markup *f, void *symbols,
				const struct logs_frame *frame,
				struct gsym_markup_log_function *found,
				size_t count);
/** The same for those whose size is the nearest. */
size_t gsym_mk_log_keep_nearest(const struct logs_frame *frame,
				struct gsym_markup_log_function *found,
				size_t count);
/** The bytes of FOUND, as the kernel counts them. */
uint64_t gsym_mk_log_size(const struct gsym_markup_log_function *found);
/** Set f->logs->answer to the levels of ADDRESS; false if there are none. */
bool gsym_mk_log_look_up(struct gsym_markup *f, void *symbols,
			 uint64_t address);
/** Level I of f->logs->answer, its file without the folders that options take
 *  from it.  Valid until the next call. */
struct gsym_mk_level *gsym_mk_log_level(struct gsym_markup *f, size_t i);
/** A hash of the functions and places of f->logs->answer. */
uint64_t gsym_mk_log_text_hash(struct gsym_markup *f);
/** The state of the process of the line at hand; NULL without memory. */
struct gsym_mk_log_state *gsym_mk_log_state(struct gsym_markup *f);

/** Write the lines of source code around the place of level I of
 *  f->logs->answer, which has frames, for FRAME.  The last line begins within
 *  ROOM bytes.  Returns the number of bytes. */
size_t gsym_mk_log_put_source(struct gsym_markup *f,
			      const struct logs_frame *frame, size_t i,
			      size_t room);
/** What the search for starts of lines of source code knows about a piece of a
 *  line: it was searched up to TO, where the first start is, if one was
 *  FOUND. */
struct gsym_mk_log_heads {
	const char *to;
	int found;
};
/** Whether AT to END, a part of the line at hand up to the end of a frame, has
 *  the start of a line of source code, as gsym_mk_log_put_source writes it.
 *  KNOWN is zeroed for the first frame of the piece that begins at AT. */
bool gsym_mk_log_is_source(struct gsym_markup *f, const char *at,
			   const char *end, struct gsym_mk_log_heads *known);
/** Write the line at hand, which is not several lines joined, as the script for
 *  its kind of frames does; false if there is no script for them, or if
 *  very much text stands before the frame. */
bool gsym_mk_log_script(struct gsym_markup *f);
/** Write the line at hand with the answers of f->logs->hits.  JSON: the line is
 *  JSON, and stays so.  JOINED: it is several lines, and stays one. */
void gsym_mk_log_write(struct gsym_markup *f, bool json, bool joined);

#endif
