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

/** The greatest number of objects that a function's number can encode. */
enum { XRAY_OBJECTS = 16 };

/** A file in memory. */
struct xray_bytes {
	const char *path;
	const uint8_t *data;
	uint64_t size;
	/* Pages before this offset were given back. */
	uint64_t dropped;
};
/** Map the file PATH.  A file that cannot be mapped, such as a pipe, is copied
 *  to a temporary file first.  Exits on errors. */
void xray_map_file(const char *path, struct xray_bytes *ret);
/** Give back the pages of FILE before OFFSET. */
void xray_drop_pages(struct xray_bytes *file, uint64_t offset);

/** Source file and line of a function; strings are "" if unknown. */
struct xray_place {
	bool found;
	uint64_t address;
	const char *directory, *basename;
	uint32_t line;
};

/** Cached name and place of a function. */
struct xray_known {
	/** NULL: not looked up yet. */
	char *name;
	struct xray_place place;
};

/** One traced binary. */
struct xray_object {
	const char *path;
	struct xray_bytes bytes;
	struct gsym_xray_map *map;
	/* The map is YAML: there is no program to read names from. */
	bool text;
	/* Architecture and build ID of the program. */
	char *architecture;
	uint8_t uuid[64];
	size_t uuid_size;
	/* GSYM data with the names: from a GSYM file, from the store, or
	 * CONVERTED from the program.  SPARE has names of the program's own
	 * symbols. */
	const struct gsym_reader *reader;
	struct gsym_reader *opened, *spare;
	/* Cached names, by index into the map. */
	struct xray_known *known;
	void *converted;
	/* SPARE was tried. */
	bool tried_spare;
};

/** Number of damages of a kind that are printed one by one. */
enum { XRAY_DAMAGES_TOLD = 4 };

/** The damage found in a trace. */
struct xray_damages {
	uint64_t counts[GSYM_XRAY_DAMAGE_COUNT];
	/* Offsets of the first damages of each kind. */
	uint64_t offsets[GSYM_XRAY_DAMAGE_COUNT][XRAY_DAMAGES_TOLD];
	char *texts[GSYM_XRAY_DAMAGE_COUNT][XRAY_DAMAGES_TOLD];
};

/** The clock of a trace. */
struct xray_clock {
	/** Ticks per second; 0 if unknown. */
	uint64_t frequency;
	/** Time zero, in ticks: the first event of all traces with the same
	 *  clock. */
	uint64_t zero;
	enum xray_wall {
		XRAY_WALL_NONE,
		/** ANCHOR_NS counts from 1970. */
		XRAY_WALL_DATE,
		/** ANCHOR_NS counts from the start of the system. */
		XRAY_WALL_UPTIME,
	} wall;
	/** A tick, and the same time in nanoseconds. */
	uint64_t anchor, anchor_ns;
};

enum xray_target { XRAY_TO_CHROME, XRAY_TO_FOLDED, XRAY_TO_YAML, XRAY_TO_JSON };
/** Output format of flame. */
enum xray_picture { XRAY_HTML, XRAY_SVG };
enum xray_format { XRAY_TEXT, XRAY_JSON, XRAY_CSV };

struct xray {
	struct out out;
	struct json json;
	struct demangler *demangler;
	struct xray_object objects[XRAY_OBJECTS];
	const char *gsym_path;
	/* Arrays with an item for every trace. */
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
	/* Print damages to standard error. */
	bool warn_of_damage;
	uint64_t frequency;
	int sort;
	uint64_t top, budget;
	enum xray_target to;
	enum xray_picture picture;
	/* flame: budget of calls in the time line; 0: the default. */
	uint64_t detail;
	/* Names of typed events, by type; NULL: no name. */
	char **event_types;
	/* The store of GSYM files by build ID. */
	struct gsym_store *store;
	/* Folders with debug files. */
	const char **debug_directories;
	size_t debug_directory_count;
	/* Index of the current trace. */
	size_t reading;
	/* The ticks come from the TOD clock of SystemZ. */
	bool tod;
	/* Progress: events seen by the walk, and events in all traces. */
	uint64_t done, total;
	/* STATUS_NO if a check found something. */
	int status;
	/* A function that its object's map lacks, or 0; whether the warning
	 * that trace and map differ was printed. */
	uint32_t unmapped;
	bool misfit;
};

/** A command of gsym-xray. */
struct xray_command {
	const char *name;
	void (*run)(struct xray *x);
	/** The operands are traces; otherwise a program. */
	bool traces;
};

/** xray/options.c: parse the arguments into X.  COMMANDS is in the order of
 *  --help and ends with a NULL name.  Returns the command.  Exits on errors. */
const struct xray_command *
xray_options_parse(struct xray *x, const struct xray_command *commands,
		   int argc, char **argv);

/** xray/clock.c: determine the clock of each trace. */
void xray_clocks_open(struct xray *x);
/** Warn if the frequency of a trace contradicts its wall times. */
void xray_check_frequencies(const struct xray *x);
/** Ticks per second of LOG, computed from the wall times of its blocks; 0 if
 *  the wall times span less than a tenth of a second. */
double xray_estimate(const struct gsym_xray_log *log);
/** Ticks per second of LOG: the user's --frequency, or the value in the
 *  trace. */
uint64_t xray_frequency(const struct xray *x, const struct gsym_xray_log *log);
/** Nanoseconds (ticks if the frequency is not known) from zero to TSC. */
uint64_t xray_time(const struct xray_clock *clock, uint64_t tsc);
/** Whether all traces have the same clock. */
bool xray_one_clock(const struct xray *x);
/** Warn if times cannot be what they should be: for commands that add up
 *  ticks of all traces, and for those that treat each by itself. */
void xray_need_one_clock(const struct xray *x);
void xray_allow_clocks(const struct xray *x);
/** TSC in nanoseconds since 1970, or since the start of the system; 0 if both
 *  are unknown. */
uint64_t xray_wall(const struct xray_clock *clock, uint64_t tsc);
enum { XRAY_WALL_SIZE = 48 };
/** The time of TSC by CLOCK: "2026-11-20T12:34:56.123456789Z", or seconds since
 *  the start of the system; "" if both are unknown. */
void xray_wall_text(const struct xray_clock *clock, uint64_t tsc,
		    char text[XRAY_WALL_SIZE]);
/** Write the time of TSC as a member of the current JSON object: "wall", or
 *  "uptime" in nanoseconds. */
void xray_wall_json(const struct xray_clock *clock, uint64_t tsc,
		    struct json *json);

/** xray/names.c: open the maps and GSYM files that the options name. */
void xray_names_open(struct xray *x);
void xray_names_close(struct xray *x);
/** Choose the source of names for each object.  A conversion may take
 *  seconds. */
void xray_names_load(struct xray *x);
/** The name of FUNCTION; "#id" in BUFFER if no map has it, "@(address)" if
 *  nothing else is known.  PLACE may be NULL. */
const char *xray_name(struct xray *x, uint32_t function, char *buffer,
		      size_t size, struct xray_place *place);
/** Warn if functions of the trace are missing in the maps. */
void xray_check_maps(struct xray *x);

/** The name of the typed events with TYPE, "type N" in BUFFER if the user
 *  gave none. */
const char *xray_event_type(const struct xray *x, uint16_t type, char *buffer,
			    size_t size);

/** xray/map.c: read the map of OBJECT from a program or from YAML.  Exits on
 *  errors. */
void xray_map_open(const struct xray *x, struct xray_object *object);

/** The name of a function record's kind: "enter", "exit", "tail-exit",
 *  "enter-arg". */
extern const char *const xray_action_names[4];

/** xray/yaml.c: a value, as llvm-xray's writer quotes it; and the bytes of an
 *  event. */
void xray_yaml_text(struct out *out, const char *text);
void xray_yaml_bytes(struct out *out, const uint8_t *bytes, size_t size);

/** The commands.  Each prints its output and returns. */
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
	/** Index of the trace. */
	size_t trace;
	struct gsym_xray_thread thread;
	struct gsym_xray_event event;
	/* The number of the next thread of the trace; the events that are
	 * left of this one, once they are asked for. */
	uint32_t next;
	struct gsym_xray_iter *iter;
};
bool xray_walk_thread(struct xray_walk *w);
/** Number of events of the thread. */
size_t xray_thread_count(const struct xray *x);
/* For xray_walk_event. */
void xray_walk_open(struct xray_walk *w);
void xray_walk_close(struct xray_walk *w);
/** The next event of the thread; false after the last.  A caller that reads one
 *  event of a thread has to read all of them. */
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
/** gsym_xray_stack_event and gsym_xray_stack_end; exit on errors. */
static inline void xray_take_event(struct gsym_xray_stack *stack,
				   const struct gsym_xray_event *event)
{
	if (gsym_xray_stack_event(stack, event) != GSYM_OK)
		die("out of memory");
}
void xray_end_thread(struct gsym_xray_stack *stack);
/** Print how many entries and exits could not be matched. */
void xray_repairs(const struct xray *x, const struct gsym_xray_repairs *r);
/** Call xray_repairs with the repairs of STACK, and free STACK.  To be called
 *  after all output. */
void xray_end_calls(struct xray *x, struct gsym_xray_stack *stack);
/** The same for a command that has no use for calls. */
void xray_count_repairs(struct xray *x);

#endif /* TOOLS_XRAY_XRAY_H */
