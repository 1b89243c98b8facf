/* SPDX-License-Identifier: MIT */
/*
 * xray.h - shared by the files of gsym-xray.
 *
 * main opens traces, maps and clocks into a struct xray, and calls the function
 * of the command.  All functions here die if memory runs out.
 */
#ifndef TOOLS_XRAY_XRAY_H
#define TOOLS_XRAY_XRAY_H

#include <gsym/reader.h>
#include <gsym/store.h>
#include <gsym/xray.h>

#include "common/names.h"
#include "common/out.h"
#include "common/report.h"
#include "source/source.h"

/** The number of objects that bits 24 to 27 of a function's number can name. */
enum { XRAY_OBJECTS = 16 };
/** The number of the object that FUNCTION is in; 0 is the program. */
static inline unsigned xray_object_of(uint32_t function)
{
	return function >> 24 & 15;
}

/* ---- walk.c: files ------------------------------------------------------- */

/** A file in memory. */
struct xray_bytes {
	const char *path;
	const uint8_t *data;
	uint64_t size;
	/** Pages before this offset were given back to the system. */
	uint64_t dropped;
};

/** Map the file PATH to RET; "-" is standard input.  A pipe, which cannot be
 *  mapped, is copied to a temporary file first.  Dies. */
void xray_map_file(const char *path, struct xray_bytes *ret);
/** Give the pages of FILE before OFFSET back to the system.  They stay
 *  readable: the system reads them again. */
void xray_drop_pages(struct xray_bytes *file, uint64_t offset);

/* ---- state --------------------------------------------------------------- */

/** The place of a function. */
struct xray_place {
	/** "" if not known. */
	const char *directory, *basename;
	/** 0 if not known. */
	uint32_t line;
};

/** A function that was looked up. */
struct xray_known {
	/** NULL: it was not looked up yet. */
	char *name;
	struct xray_place place;
};

/** A traced program or shared object. */
struct xray_object {
	/** NULL: the user named none. */
	const char *path;
	struct xray_bytes bytes;
	struct gsym_xray_map *map;
	/** PATH is a map in YAML: it has neither debug info nor build ID. */
	bool text;
	/** The processor that the program is for, and its build ID or UUID;
	 *  NULL and size 0 for a map in YAML. */
	char *architecture;
	uint8_t uuid[64];
	size_t uuid_size;
	/** READER is asked first for names: that of OPENED or FOUND.  NULL:
	 *  there is none. */
	const struct gsym_reader *reader;
	/** The GSYM data of --gsym. */
	struct gsym_reader *opened;
	struct source_symbols found;
	/** Made of the program's debug info and symbols.  They are asked for
	 *  functions that READER lacks. */
	struct source_symbols converted;
	/** Converting the program was tried. */
	bool tried;
	/** By the function's index in MAP. */
	struct xray_known *known;
};

/** Damages of one kind that are reported one by one; further ones are
 *  counted. */
enum { XRAY_DAMAGES_TOLD = 4 };

/** The damages of a trace, by kind. */
struct xray_damages {
	uint64_t counts[GSYM_XRAY_DAMAGE_COUNT];
	/** The first ones of each kind; unused texts are NULL. */
	uint64_t offsets[GSYM_XRAY_DAMAGE_COUNT][XRAY_DAMAGES_TOLD];
	char *texts[GSYM_XRAY_DAMAGE_COUNT][XRAY_DAMAGES_TOLD];
};

/** The meaning of the ticks of a trace. */
struct xray_clock {
	/** Ticks per second: --frequency, or what the trace says; 0 if not
	 *  known. */
	uint64_t frequency;
	/** The tick that is time 0: that of the first event of all traces with
	 *  the same clock. */
	uint64_t zero;
	enum xray_wall {
		XRAY_WALL_NONE,
		/** The time of day is known. */
		XRAY_WALL_DATE,
		/** The time since the system was started is known. */
		XRAY_WALL_UPTIME,
	} wall;
	/** Tick ANCHOR is ANCHOR_NS nanoseconds after 1970, or after the start
	 *  of the system. */
	uint64_t anchor, anchor_ns;
};

/** The outputs of convert. */
enum xray_target {
	XRAY_TO_CHROME,
	XRAY_TO_FOLDED,
	XRAY_TO_YAML,
	XRAY_TO_JSON,
};
/** The outputs of flame. */
enum xray_picture { XRAY_HTML, XRAY_SVG };
/** The outputs of other commands.  The third one of account is CSV, that of
 *  diff is a page. */
enum xray_format { XRAY_TEXT, XRAY_JSON, XRAY_CSV, XRAY_PAGE = XRAY_CSV };
/** Texts in place of names that are valid at once, and their bytes. */
enum { XRAY_MADE = 2, XRAY_MADE_SIZE = 32 };

struct xray {
	struct out out;
	struct json json;
	/** NULL: names are shown as they are. */
	struct gsym_demangler *demangler;
	/** By number; 0 is the program. */
	struct xray_object objects[XRAY_OBJECTS];
	/** Arrays of TRACE_COUNT elements. */
	struct xray_bytes *traces;
	struct gsym_xray_log **logs;
	struct xray_damages *damages;
	struct xray_clock *clocks;
	size_t trace_count;

	/* Options, by their names. */
	const char *gsym_path, *after_map, *after_gsym;
	/** NULL: standard output. */
	const char *output;
	/** An enum xray_format. */
	int format;
	bool strict, llvm, all_levels, threads, calls, short_names;
	bool check, hex, wall_clock, begin_end, no_demangle, stacks;
	/** --noise; UINT64_MAX: not given. */
	uint64_t noise;
	/** --frequency; 0: the frequency of the trace. */
	uint64_t frequency;
	/** --sort: the index of its word in the list of keys. */
	int sort;
	/** 0: no limit; bytes, 0: the library's default. */
	uint64_t top, budget;
	/** An enum xray_target, and an enum xray_picture. */
	int to, picture;
	/** 0: FLAME_CALLS. */
	uint64_t detail;
	/** Names of typed events, by number.  NULL, also as an element: none
	 *  is given. */
	char **event_types;

	/** Where GSYM data come from. */
	struct source *source;
	/** Of diff: the traces and objects after the change, with the
	 *  same source.  NULL: another command. */
	struct xray *after;
	/** Damages are reported as warnings. */
	bool warn_of_damage;
	/** The number of the trace that is being opened. */
	size_t reading;
	/** A traced program is for SystemZ: ticks are those of the TOD
	 *  clock. */
	bool tod;
	/** Events that the current walk has passed, and has to pass. */
	uint64_t done, total;
	/** The exit status: STATUS_NO if --check found something. */
	int status;
	/** The first function that the map of its object lacks; 0: none. */
	uint32_t unmapped;
	/** The objects that have no map, and functions of which were shown: a
	 *  bit for each, by its number. */
	unsigned unnamed;
	/** A warning that trace and map differ was given. */
	bool misfit;
	/** Of names.c: texts in place of names, used in turn. */
	char made[XRAY_MADE][XRAY_MADE_SIZE];
	unsigned last_made;
};

/* ---- options.c ----------------------------------------------------------- */

/** Sets of commands: a bit for each. */
enum {
	INFO = 1 << 0,
	ACCOUNT = 1 << 1,
	STACK = 1 << 2,
	GRAPH = 1 << 3,
	FLAME = 1 << 4,
	CONVERT = 1 << 5,
	DUMP = 1 << 6,
	EXTRACT = 1 << 7,
	SUGGEST = 1 << 8,
	DIFF = 1 << 9,
	TRACES = INFO | ACCOUNT | STACK | GRAPH | FLAME | CONVERT | DUMP |
		 SUGGEST | DIFF,
	NAMES = TRACES & ~INFO,
	ALL = TRACES | EXTRACT,
};

/** A command. */
struct xray_command {
	/** INFO and others. */
	unsigned bit;
	const char *name;
	void (*run)(struct xray *x);
	/** For --help: the operands, the line in the list of commands, the
	 *  summary, and pairs of an example and what it does. */
	const char *operands, *line, *summary;
	const char *examples[5];
};

/** Fill X from the arguments, and return the command that they name.  Dies if
 *  the arguments are wrong. */
const struct xray_command *xray_options_parse(struct xray *x, int argc,
					      char **argv);

/* ---- clock.c ------------------------------------------------------------- */

/** Fill the clocks of all traces, once the traces and maps are open. */
void xray_clocks_open(struct xray *x);
/** Warn of traces whose frequency contradicts the wall times in them. */
void xray_check_frequencies(const struct xray *x);
/** Ticks per second by the wall times of LOG's blocks; 0 if these are less
 *  than a tenth of a second apart. */
double xray_estimate(const struct gsym_xray_log *log);
/** Nanoseconds from CLOCK's zero to TSC, or ticks if the frequency is not
 *  known; 0 if TSC is before zero. */
uint64_t xray_time(const struct xray_clock *clock, uint64_t tsc);
/** Whether all traces have the same frequency. */
bool xray_one_clock(const struct xray *x);
/** For commands that add up ticks of all traces: warn if their frequencies
 *  differ, or are not known. */
void xray_need_one_clock(const struct xray *x);
/** As xray_need_one_clock, for commands that give times of each trace. */
void xray_allow_clocks(const struct xray *x);
/** TSC in nanoseconds since 1970 or since the start of the system, by
 *  CLOCK->wall; 0 for XRAY_WALL_NONE. */
uint64_t xray_wall(const struct xray_clock *clock, uint64_t tsc);
enum { XRAY_WALL_SIZE = 48 };
/** Write xray_wall to TEXT: as "2026-11-20T12:34:56.123456789Z", in seconds,
 *  or as "". */
void xray_wall_text(const struct xray_clock *clock, uint64_t tsc,
		    char text[XRAY_WALL_SIZE]);
/** Write xray_wall as a member of the open object: "wall", a date, or
 *  "uptime", nanoseconds; nothing for XRAY_WALL_NONE. */
void xray_wall_json(const struct xray_clock *clock, uint64_t tsc,
		    struct json *json);

/** Write VALUE, nanoseconds or TICKS, to the SIZE bytes of TO, with four digits
 *  and the unit that fits; nanoseconds and ticks are whole numbers.  MICRO is
 *  the sign of a microsecond.  Returns the length of the text. */
int xray_time_text(double value, bool ticks, const char *micro, char *to,
		   size_t size);
/** NAME, of a C++ function, with "..." for its arguments and those of its
 *  templates, and without the type that it returns.  The caller frees it. */
char *xray_short_name(const char *name);
/** Write NAME, or with --short-names its short form, and, unless it is "", the
 *  PLACE of the function. */
void xray_put_name(struct xray *x, const char *name, const char *place);

/* ---- names.c, and walk.c ------------------------------------------------- */

/** A source by the options.  CONVERTS: it may convert. */
struct source *xray_source_new(bool converts);
/** Convert the programs, whose maps are in memory, before the sandbox. */
void xray_names_convert(struct xray *x);
/** Map the files of maps into memory.  Dies. */
void xray_names_map(struct xray *x);
/** Open the maps, after xray_names_map, and the GSYM file that the options
 *  name.  Dies. */
void xray_names_open(struct xray *x);
void xray_names_close(struct xray *x);
/** Find the GSYM data of each object; debug info is converted, which may take
 *  a while. */
void xray_names_load(struct xray *x);
/** The name of FUNCTION: "#NUMBER" if no map has it; "@(ADDRESS)" if it has no
 *  name. *PLACE becomes its place; PLACE may be NULL.  The name is valid until
 *  xray_names_close, or, if it is a number, until the second next call. */
const char *xray_name(struct xray *x, uint32_t function,
		      struct xray_place *place);
/** "FILE:LINE" of PLACE, malloc'ed; "" if the place is not known. */
char *xray_place_text(const struct xray_place *place);
/** The name that --event-type gave the typed events TYPE; else "type N", valid
 *  until the second next call. */
const char *xray_event_type(struct xray *x, uint16_t type);

/** Warn if events of the traces cannot come from the programs of the maps. */
void xray_check_maps(struct xray *x);

/* ---- commands ------------------------------------------------------------ */

/** The actions of function records: "enter", "exit", "tail-exit",
 * "enter-arg". */
extern const char *const xray_action_names[4];

/** Write TEXT as a value of YAML, in quotes if llvm-xray's writer uses quotes
 *  for it. */
void xray_yaml_text(struct out *out, const char *text);
/** Write the SIZE BYTES of an event as a value in YAML; bytes that are not
 *  ASCII become escapes. */
void xray_yaml_bytes(struct out *out, const uint8_t *bytes, size_t size);

/** Write the output of a command. They die on failure. */
void xray_info(struct xray *x);
void xray_dump(struct xray *x);
void xray_account(struct xray *x);
void xray_to_chrome(struct xray *x);
void xray_to_folded(struct xray *x);
void xray_to_timeline(struct xray *x);
void xray_extract(struct xray *x);
void xray_stack(struct xray *x);
void xray_graph(struct xray *x);
void xray_flame(struct xray *x);
void xray_suggest(struct xray *x);
void xray_diff(struct xray *x);

/* ---- walk.c -------------------------------------------------------------- */

/** Begin a walk over all events, whose progress line begins with WHAT.
 *  report_work_end ends the walk. */
void xray_walk_start(struct xray *x, const char *what);
/** Show the progress, and give back the pages of trace number TRACE before
 *  OFFSET. */
void xray_walk_show(struct xray *x, size_t trace, uint64_t offset);
/** Note that the walk has passed an event at OFFSET of trace number TRACE. */
static inline void xray_walk_step(struct xray *x, size_t trace,
				  uint64_t offset)
{
	if (++x->done % 65536 == 0)
		xray_walk_show(x, trace, offset);
}

/**
 * A walk over the threads of all traces, one after the other, and over the
 * events of some or all of them.
 *
 *	struct xray_walk w = { .x = x };
 *	while (xray_walk_thread(&w))
 *		while (xray_walk_event(&w))
 *			use(&w.event);
 */
struct xray_walk {
	struct xray *x;
	/** The number of the trace, and that of the thread among the threads of
	 *  all traces. */
	size_t trace;
	uint32_t place;
	struct gsym_xray_thread thread;
	struct gsym_xray_event event;
	/* Private: the numbers of the next thread, in the trace and among all,
	 * and the rest of THREAD's events; NULL: none was asked for. */
	uint32_t next, next_place;
	struct gsym_xray_iter *iter;
};
/** Go to the next thread; false after the last one. */
bool xray_walk_thread(struct xray_walk *w);
/** The number of threads that a walk goes over. */
size_t xray_thread_count(const struct xray *x);
/** The threads of all traces, sorted by process and thread, malloc'ed; *COUNT
 *  is their number.  A thread that left several traces is there once, with the
 *  events of all of them. */
struct gsym_xray_thread *xray_threads(struct xray *x, size_t *count);
/** The index of THREAD in LIST, which xray_threads returned. */
size_t xray_thread_index(const struct gsym_xray_thread *thread,
			 const struct gsym_xray_thread *list, size_t count);
/* For xray_walk_event. */
void xray_walk_open(struct xray_walk *w);
void xray_walk_close(struct xray_walk *w);
/** Go to the next event of the thread, and call xray_walk_step; false after the
 *  last event.  A caller that has read one event of a thread has to read all of
 *  them. */
static inline bool xray_walk_event(struct xray_walk *w)
{
	if (!w->iter)
		xray_walk_open(w);
	if (!gsym_xray_next(w->iter, &w->event)) {
		xray_walk_close(w);
		return false;
	}
	xray_walk_step(w->x, w->trace, w->event.offset);
	return true;
}

/** What a command does on the way through the calls of all traces. */
struct xray_replay {
	/** Calls are rebuilt by the functions of STACK. */
	struct gsym_xray_stack *stack;
	/** Called before the events of each thread that has events, and for
	 *  each custom and typed event; NULL. */
	void (*thread)(void *context, const struct xray_walk *w);
	void (*custom)(void *context, const struct xray_walk *w);
	/** That of both functions. */
	void *context;
};
/** Hand all events of all traces to R->stack, thread by thread.  The progress
 *  line begins with WHAT. */
void xray_replay(struct xray *x, const char *what,
		 const struct xray_replay *r);
/** Warn of entries and exits that did not match. */
void xray_warn_repairs(const struct gsym_xray_repairs *r);
/** Flush the output, warn of what STACK could not match, and free STACK. */
void xray_end_calls(struct xray *x, struct gsym_xray_stack *stack);
/** Warn of entries and exits that do not match, for a command that does not
 *  rebuild calls. */
void xray_check_calls(struct xray *x);

#endif /* TOOLS_XRAY_XRAY_H */
