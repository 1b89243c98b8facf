/* SPDX-License-Identifier: MIT */
/* xray.h - the parts of gsym-xray. */
#ifndef TOOLS_XRAY_XRAY_H
#define TOOLS_XRAY_XRAY_H

#include <gsym/reader.h>
#include <gsym/store.h>
#include <gsym/xray.h>

#include "common/demangle.h"
#include "common/json.h"
#include "common/out.h"
#include "common/report.h"

/** Objects that the number of a function can tell apart. */
enum { XRAY_OBJECTS = 16 };

/** A file in memory. */
struct xray_bytes {
	const char *path;
	const uint8_t *data;
	uint64_t size;
	/* Up to where pages were given back. */
	uint64_t dropped;
};
/** Map PATH; what cannot be mapped, such as a pipe, is copied to a temporary
 *  file first.  Dies. */
void xray_map_file(const char *path, struct xray_bytes *ret);
/** Give back the pages of FILE before OFFSET. */
void xray_drop_pages(struct xray_bytes *file, uint64_t offset);

/** Where a function is; strings are "" if not known. */
struct xray_place {
	bool found;
	uint64_t address;
	const char *directory, *basename;
	uint32_t line;
};

/** What is known about a function. */
struct xray_known {
	/** NULL: nobody asked yet. */
	char *name;
	struct xray_place place;
};

/** One traced binary. */
struct xray_object {
	const char *path;
	struct xray_bytes bytes;
	struct gsym_xray_map *map;
	/* The map is text: nothing more is to be had from it. */
	bool text;
	/* Of a binary: for which processor it is, and what tells its build. */
	char *architecture;
	uint8_t uuid[64];
	size_t uuid_size;
	/* Names; of a GSYM file, of the store, or CONVERTED from the binary.
	 * What that does not know, the binary itself may. */
	const struct gsym_reader *reader;
	struct gsym_reader *opened, *spare;
	/* By the place in the map. */
	struct xray_known *known;
	void *converted;
	/* Spare names were looked for. */
	bool tried_spare;
};

/** Damages of a kind that are told one by one. */
enum { XRAY_DAMAGES_TOLD = 4 };

/** What is damaged in a trace. */
struct xray_damages {
	uint64_t counts[GSYM_XRAY_DAMAGE_COUNT];
	/* The first ones of each kind. */
	uint64_t offsets[GSYM_XRAY_DAMAGE_COUNT][XRAY_DAMAGES_TOLD];
	char *texts[GSYM_XRAY_DAMAGE_COUNT][XRAY_DAMAGES_TOLD];
};

/** What the ticks of a trace mean. */
struct xray_clock {
	/** Ticks a second; 0 if not known. */
	uint64_t frequency;
	/** The tick that times are counted from: the first event of all
	 *  traces with the same clock. */
	uint64_t zero;
	enum xray_wall {
		XRAY_WALL_NONE,
		/** The time of the day is known. */
		XRAY_WALL_DATE,
		/** The time since the system was started is. */
		XRAY_WALL_UPTIME,
	} wall;
	/** A tick, and the nanoseconds that it stands for. */
	uint64_t anchor, anchor_ns;
};

enum xray_target { XRAY_TO_CHROME, XRAY_TO_FOLDED, XRAY_TO_YAML, XRAY_TO_JSON };
/** What flame writes. */
enum xray_picture { XRAY_HTML, XRAY_SVG };
enum xray_format { XRAY_TEXT, XRAY_JSON, XRAY_CSV };

struct xray {
	struct out out;
	struct json json;
	struct demangler *demangler;
	struct xray_object objects[XRAY_OBJECTS];
	const char *gsym_path;
	/* One of each for every trace. */
	struct xray_bytes *traces;
	struct gsym_xray_log **logs;
	struct xray_damages *damages;
	struct xray_clock *clocks;
	size_t trace_count;
	/* Options. */
	const char *output;
	enum xray_format format;
	bool strict, quiet, llvm, all_levels, threads, calls;
	bool check, hex, wall_clock, begin_end, no_demangle;
	/* Damages go to standard error. */
	bool warn_of_damage;
	uint64_t frequency;
	int sort;
	uint64_t top, budget;
	enum xray_target to;
	enum xray_picture picture;
	/* flame: calls in the time line; 0: as many as usual. */
	uint64_t detail;
	/* Names of typed events, by number; NULL: none. */
	char **event_types;
	/* GSYM data by build ID. */
	struct gsym_store *store;
	/* Folders with debug files. */
	const char **debug_directories;
	size_t debug_directory_count;
	/* The trace that is being read. */
	size_t reading;
	/* Ticks are those of the TOD clock of SystemZ. */
	bool tod;
	/* Events that a walk has seen, of all that there are. */
	uint64_t done, total;
	/* STATUS_NO if a check found something. */
	int status;
	/* A function that is not in the map of its object, or 0; a warning
	 * that trace and map differ was given. */
	uint32_t unmapped;
	bool misfit;
};

/** A command, as xray_options_parse found it. */
struct xray_command {
	const char *name;
	void (*run)(struct xray *x);
	/** It works on traces; else on a program. */
	bool traces;
};

/** xray/options.c: fill X by the arguments.  COMMANDS ends with a name that
 *  is NULL; in the order of the help.  Dies. */
const struct xray_command *
xray_options_parse(struct xray *x, const struct xray_command *commands,
		   int argc, char **argv);

/** xray/clock.c: find out what the ticks of the traces mean. */
void xray_clocks_open(struct xray *x);
/** Warn if a trace's frequency cannot be right. */
void xray_check_frequencies(const struct xray *x);
/** Ticks a second by the wall times of the blocks; 0 if these are less than a
 *  tenth of a second apart. */
double xray_estimate(const struct gsym_xray_log *log);
/** Ticks a second of LOG, or those that the user knows better. */
uint64_t xray_frequency(const struct xray *x, const struct gsym_xray_log *log);
/** Nanoseconds (ticks if the frequency is not known) from zero to TSC. */
uint64_t xray_time(const struct xray_clock *clock, uint64_t tsc);
/** All traces have the same clock. */
bool xray_one_clock(const struct xray *x);
/** Warn if times cannot be what they should be: for commands that add up
 *  ticks of all traces, and for those that treat each by itself. */
void xray_need_one_clock(const struct xray *x);
void xray_allow_clocks(const struct xray *x);
/** TSC in nanoseconds since 1970 or since the start of the system; 0 if the
 *  clock knows neither. */
uint64_t xray_wall(const struct xray_clock *clock, uint64_t tsc);
enum { XRAY_WALL_SIZE = 48 };
/** The time of TSC as CLOCK knows it: "2026-11-20T12:34:56.123456789Z", or
 *  seconds since the start of the system; "" if it does not. */
void xray_wall_text(const struct xray_clock *clock, uint64_t tsc,
		    char text[XRAY_WALL_SIZE]);
/** The same for the object at hand: "wall", or "uptime" in nanoseconds. */
void xray_wall_json(const struct xray_clock *clock, uint64_t tsc,
		    struct json *json);

/** xray/names.c: open what the options name. */
void xray_names_open(struct xray *x);
void xray_names_close(struct xray *x);
/** Find what has the names: that may take a while. */
void xray_names_load(struct xray *x);
/** The name of FUNCTION; "#id" in BUFFER if no map has it, "@(address)" if
 *  nothing else is known.  PLACE may be NULL. */
const char *xray_name(struct xray *x, uint32_t function, char *buffer,
		      size_t size, struct xray_place *place);
/** Warn if the trace does not fit the maps. */
void xray_check_maps(struct xray *x);

/** The name of the typed events with TYPE, "type N" in BUFFER if the user
 *  gave none. */
const char *xray_event_type(const struct xray *x, uint16_t type, char *buffer,
			    size_t size);

/** xray/map.c: the map of OBJECT, from a binary or from text.  Dies. */
void xray_map_open(const struct xray *x, struct xray_object *object);

/** "enter", "exit", "tail-exit", "enter-arg": what a function record says. */
extern const char *const xray_action_names[4];

/** xray/yaml.c: a value, as llvm-xray's writer quotes it; and the bytes of an
 *  event. */
void xray_yaml_text(struct out *out, const char *text);
void xray_yaml_bytes(struct out *out, const uint8_t *bytes, size_t size);

/** What the commands print. */
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

/** xray/walk.c: walks over all events show how far they are and give back
 *  memory: one starts, takes a step with each event of the trace with number
 *  TRACE, and ends. */
void xray_walk_start(struct xray *x, const char *what);
void xray_walk_show(struct xray *x, size_t trace, uint64_t offset);
static inline void xray_walk_step(struct xray *x, size_t trace,
				  uint64_t offset)
{
	if (++x->done % 65536 == 0)
		xray_walk_show(x, trace, offset);
}
void xray_walk_end(void);

/**
 * The threads of all traces one after the other, and their events for those
 * who want them.
 *
 *	struct xray_walk w = { .x = x };
 *	while (xray_walk_thread(&w))
 *		while (xray_walk_event(&w))
 *			use(&w.event);
 */
struct xray_walk {
	struct xray *x;
	/** The number of the trace. */
	size_t trace;
	struct gsym_xray_thread thread;
	struct gsym_xray_event event;
	/* The number of the next thread of the trace; the events that are
	 * left of this one, once they are asked for. */
	uint32_t next;
	struct gsym_xray_iter *iter;
};
bool xray_walk_thread(struct xray_walk *w);
/** How many that will be. */
size_t xray_thread_count(const struct xray *x);
/* Behind xray_walk_event. */
void xray_walk_open(struct xray_walk *w);
void xray_walk_close(struct xray_walk *w);
/** Takes a step.  Whoever begins with a thread's events reads them all. */
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

/** Let every event of all traces, thread by thread, go through STACK; THREAD,
 *  unless NULL, is told of each thread before. */
void xray_replay(struct xray *x, struct gsym_xray_stack *stack,
		 void (*thread)(void *context,
				const struct gsym_xray_thread *thread),
		 void *context);
/** gsym_xray_stack_event and gsym_xray_stack_end, or die. */
static inline void xray_take_event(struct gsym_xray_stack *stack,
				   const struct gsym_xray_event *event)
{
	if (gsym_xray_stack_event(stack, event) != GSYM_OK)
		die("out of memory");
}
void xray_end_thread(struct gsym_xray_stack *stack);
/** Say what could not be matched. */
void xray_repairs(const struct xray *x, const struct gsym_xray_repairs *r);
/** All is printed: the same, and STACK is freed. */
void xray_end_calls(struct xray *x, struct gsym_xray_stack *stack);
/** The same for a command that has no use for calls. */
void xray_count_repairs(struct xray *x);

#endif /* TOOLS_XRAY_XRAY_H */
