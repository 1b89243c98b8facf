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

/** The place of a function: "" and 0 if it is not known. */
struct xray_place {
	const char *directory, *basename;
	uint32_t line;
};

/** A function; its name is NULL if it was not looked up yet. */
struct xray_known {
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

struct xray_trace {
	const char *path;
	struct xray_bytes bytes;
	struct gsym_xray_log *log;
	struct xray_damages damages;
	struct xray_clock clock;
};

/** The outputs of convert, and those of flame. */
enum { XRAY_TO_CHROME, XRAY_TO_FOLDED, XRAY_TO_YAML, XRAY_TO_JSON };
enum { XRAY_HTML, XRAY_SVG };
/** The outputs of other commands.  The third one of account is CSV, that of
 *  diff is a page. */
enum { XRAY_TEXT, XRAY_JSON, XRAY_CSV, XRAY_PAGE = XRAY_CSV };
/** Texts in place of names that are valid at once, and their bytes. */
enum { XRAY_MADE = 2, XRAY_MADE_SIZE = 32 };

struct xray {
	struct out out;
	struct json json;
	/** NULL: names are shown as they are. */
	struct gsym_demangler *demangler;
	/** By number; 0 is the program. */
	struct xray_object objects[XRAY_OBJECTS];
	struct xray_trace *traces;
	size_t trace_count;

	/* Options, by their names. */
	const char *gsym_path, *after_map, *after_gsym;
	/** NULL: standard output. */
	const char *output;
	/** XRAY_TEXT and others. */
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
	/** XRAY_TO_CHROME and others, XRAY_HTML and others. */
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
/** The frequency of the first trace, for commands that add up ticks of all
 *  traces. */
static inline uint64_t xray_frequency(const struct xray *x)
{
	return x->traces[0].clock.frequency;
}
/** TICKS of that frequency in nanoseconds; as they are if it is not known. */
static inline uint64_t xray_ns(const struct xray *x, uint64_t ticks)
{
	return gsym_xray_nanoseconds(ticks, xray_frequency(x));
}
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

/** Convert the programs, whose maps are in memory, before the sandbox. */
void xray_names_convert(struct xray *x);
/** Open the maps, whose files are in memory, and the GSYM file that the options
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

/** Write SIZE BYTES as a value of YAML, in quotes if llvm-xray's writer uses
 *  quotes for it.  Of bytes that are no NAME, those that are not ASCII become
 *  escapes. */
void xray_yaml(struct out *out, const void *bytes, size_t size, bool name);
/** Write the SIZE bytes at DATA, of a custom event or of a TYPED event of TYPE,
 *  as members of the open object.  DATA is NULL if they were overwritten. */
void xray_payload_json(struct xray *x, bool typed, uint16_t type,
		       const uint8_t *data, uint32_t size);

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
	/** The number of the trace. */
	size_t trace;
	struct gsym_xray_thread thread;
	struct gsym_xray_event event;
	/* Private: the number of the next thread in the trace, and the rest of
	 * THREAD's events; NULL: none was asked for. */
	uint32_t next;
	struct gsym_xray_iter *iter;
};
/** Go to the next thread; false after the last one. */
bool xray_walk_thread(struct xray_walk *w);
/** The threads of all traces, sorted by process and thread, malloc'ed; *COUNT
 *  is their number.  A thread that left several traces is there once, with the
 *  events of all of them. */
struct gsym_xray_thread *xray_threads(struct xray *x, size_t *count);
/** The index of THREAD in LIST, which xray_threads returned. */
size_t xray_thread_index(const struct gsym_xray_thread *thread,
			 const struct gsym_xray_thread *list, size_t count);
/** Begin the events of the thread: for xray_walk_event. */
void xray_walk_open(struct xray_walk *w);
/** Go to the next event of the thread, and call xray_walk_step; false after the
 *  last event.  A caller that has read one event of a thread has to read all of
 *  them. */
static inline bool xray_walk_event(struct xray_walk *w)
{
	if (!w->iter)
		xray_walk_open(w);
	if (gsym_xray_next(w->iter, &w->event)) {
		xray_walk_step(w->x, w->trace, w->event.offset);
		return true;
	}
	gsym_xray_iter_free(w->iter);
	w->iter = NULL;
	return false;
}

/** What a command does on the way through the calls of all traces.  All members
 *  may be NULL. */
struct xray_replay {
	/** Calls are added to this tree.  Without it ENTER and LEAVE are called
	 *  when a call begins and when it has ended. */
	struct gsym_xray_tree *tree;
	gsym_xray_enter_fn *enter;
	gsym_xray_leave_fn *leave;
	/** Called before the events of each thread that has events, and for
	 *  each custom and typed event. */
	void (*thread)(void *context, const struct xray_walk *w);
	void (*custom)(void *context, const struct xray_walk *w);
	/** That of all these functions. */
	void *context;
};
/** Node INDEX of TREE, which has it. */
static inline struct gsym_xray_node xray_node(const struct gsym_xray_tree *tree,
					      uint32_t index)
{
	struct gsym_xray_node node = { 0 };
	gsym_xray_tree_node(tree, index, &node);
	return node;
}
/** Rebuild the calls of all traces, thread by thread.  The progress line begins
 *  with WHAT.  Returns what did not match. */
struct gsym_xray_repairs xray_replay(struct xray *x, const char *what,
				     const struct xray_replay *r);
/** Flush the output, and warn of entries and exits that did not match. */
void xray_warn_repairs(struct xray *x, const struct gsym_xray_repairs *r);
/** Warn of entries and exits that do not match, for a command that does not
 *  rebuild calls. */
void xray_check_calls(struct xray *x);

/* ---- lanes --------------------------------------------------------------- */

/*
 * The calls of threads over time, within a budget.
 *
 * A lane holds the calls of a thread at one depth of its stack.  While there
 * is room, each call has an entry of its own.  After that, calls shorter than
 * a quantum of ticks that follow each other within a quantum share an entry,
 * which has their number and the sum of their times.  The quantum is doubled
 * until the entries fit.  The entries depend on the calls alone, so the same
 * trace always gives the same page.
 */

enum {
	/** The number of lanes of a thread; deeper calls are only counted. */
	LANES_DEPTH = 256,
	/** The most bytes of an event's data that are kept. */
	LANES_BYTES = 128,
};

/** Flags of an entry; also in the page's data, for its script. */
enum {
	LANE_INFERRED = 1,   /**< the exit of a call is missing */
	LANE_UNFINISHED = 2, /**< a call did not end */
	LANE_MERGED = 4,     /**< more than one call */
};

/** An entry of a lane: a call, or several. */
struct lane_call {
	/** The first start and the last end. */
	uint64_t start, end;
	/** The duration of the longest call, and its function. */
	uint64_t longest;
	uint32_t function;
	unsigned flags;
	/** The number of calls, and the sum of their durations. */
	uint64_t calls;
	uint64_t busy;
};

struct lane {
	GSYM_VEC(struct lane_call);
	/** ITEMS are not in the order of their starts. */
	bool unsorted;
};

/** A custom or typed event, or the first of several that share the mark. */
struct lane_mark {
	uint64_t time;
	uint64_t count;
	/** Bytes of data; DATA has the first ones. */
	uint32_t size;
	/** A typed event; the trace does not have its data. */
	bool typed, lost;
	uint16_t type;
	uint8_t data[LANES_BYTES];
};

struct lane_thread {
	/** By depth. */
	struct {
		GSYM_VEC(struct lane);
	} lanes;
	struct {
		GSYM_VEC(struct lane_mark);
	} marks;
	/** Calls at depth LANES_DEPTH and below. */
	uint64_t deeper;
};

/** A budget of entries. */
struct lane_budget {
	/** The number of entries of all threads, and its limit. */
	size_t count, most;
	/** In ticks; 0: each call, or event, has an entry of its own. */
	uint64_t quantum;
};

struct lanes {
	struct lane_thread *threads;
	uint32_t thread_count;
	struct lane_budget calls, marks;
};

/* ---- flame.c and flame_page.c -------------------------------------------- */

enum {
	/** The most threads that are shown one by one; all other threads are
	 * shown as one. */
	FLAME_THREADS = 256,
	/** The most nodes of the tree in memory, and of a tree on the page. */
	FLAME_STACKS = 1 << 20,
	FLAME_NODES = 50000,
	/** The most entries of the time line, and the most events. */
	FLAME_CALLS = 100000,
	FLAME_MARKS = 10000,
	/** The most bytes of a function's name. */
	FLAME_NAME = 4000,
	/** The number of colours of frames. */
	FLAME_COLOURS = 16,
};

/** A sorted tree of calls, of which the nodes with the least time are hidden.
 *  The arrays have an element for each node. */
struct flame_tree {
	const struct gsym_xray_tree *tree;
	/** The time of a node in ticks: its self time, and the self times of
	 *  all nodes below it. */
	uint64_t *sums;
	/** The left edge of a node's frame, in ticks: set by a walk. */
	uint64_t *offsets;
	/** Nodes with smaller sums are hidden; 0: none. */
	uint64_t least;
};

/** Sort TREE, and hide nodes so that at most BUDGET are shown. */
void flame_tree_init(struct flame_tree *f, struct gsym_xray_tree *tree,
		     uint32_t budget);
void flame_tree_fini(struct flame_tree *f);

/* ---- the page ------------------------------------------------------------ */

/** A thread of a process.  The last thread may be all threads that are not
 *  shown one by one. */
struct flame_thread {
	uint64_t calls;
	/** The number of the thread's root in the tree BY_THREAD; 0: the thread
	 * has no call. */
	uint32_t root;
	char name[64];
};

struct flame {
	struct xray *x;
	/** Ticks per second (0: not known), and the ticks from time 0 to the
	 *  last event.  If traces have different clocks, ticks are
	 *  nanoseconds. */
	uint64_t frequency, span;
	struct flame_thread *threads;
	uint32_t thread_count;
	/** The SHOWN threads that are shown one by one come first.  If
	 *  OTHER_THREADS is not 0, the last thread is all of these together. */
	uint32_t shown, other_threads;
	/** The threads of the traces (see xray_threads), and by the index of
	 *  each the index of the thread on the page. */
	struct gsym_xray_thread *known;
	size_t known_count;
	uint32_t *places;
	/** The calls of each thread, and of all threads together. */
	struct flame_tree by_thread, whole;
	struct lanes lanes;
	struct gsym_xray_repairs repairs;
	uint64_t calls;
	/** Calls that have no node in the trees, which were full. */
	uint64_t merged;
	/** The ids of the functions on the page, sorted. */
	struct {
		GSYM_VEC(uint32_t);
	} functions;
	char *title, *summary;
};

/** Write the frames of all threads as an SVG image.  ALONE: the image is a file
 *  of its own, not a part of a page. */
void flame_svg(struct flame *f, bool alone);
/** Write the page. */
void flame_page(struct flame *f);

/* ---- all pages: flame_page.c --------------------------------------------- */

/** Write the file NAME of tools/xray/flame, "@page.html@\n".  A line of it that
 *  is the name of a file becomes that file; FILL writes the text for any other
 *  line "@NAME@". */
void flame_template(struct out *out, const char *name,
		    void (*fill)(void *context, const char *name),
		    void *context);
/** Write the JSON that WRITE writes as the data of a page's script. */
void flame_embed(struct out *out,
		 void (*write)(void *context, struct out *to), void *context);

/* ---- flame_page.c: text -------------------------------------------------- */

/** The unit of microseconds on pages. */
#define FLAME_MICRO "\xc2\xb5s"
enum { FLAME_DURATION = 32 };
/** Write TICKS to TEXT with four digits and a unit; returns TEXT. */
const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION]);

/** The files of tools/xray/flame, which the build makes arrays of lines of.  A
 *  NULL ends each array, and a file without a name the files. */
extern const struct flame_file {
	const char *name;
	const char *const *lines;
} flame_files[];

/* ---- diff: durations ----------------------------------------------------- */

/*
 * Durations of calls as mean times of batches, and the test if those of two
 * traces differ.
 *
 * Durations of calls that follow each other resemble each other: a cache is
 * cold or warm, a processor is fast or slow for a while.  Tests of single
 * durations take such a while for a difference.  So the calls of a function are
 * cut into batches of equally many consecutive calls, and the mean times of the
 * batches are compared.  A batch is one call as long as there are few calls.
 */
enum {
	/** The most batches.  When there are more, each two of them become
	 *  one. */
	SPREAD_BATCHES = 64,
	/** With fewer batches on a side nothing can be said. */
	SPREAD_FEWEST = 8,
};

/** The durations of calls.  Zeroed: there are none. */
struct spread {
	/** Of the present trace: the sums of the batches, the calls of each of
	 *  them, and the sum and number of the calls after the last one. */
	struct {
		GSYM_VEC(uint64_t);
	} sums;
	uint64_t size, part, part_calls;
	/** The mean times of the batches of all complete traces. */
	struct {
		GSYM_VEC(double);
	} means;
	/** The sum and the number of the calls of all traces. */
	uint64_t sum, calls;
	/** The lowest and the highest middle of a trace, and the number of
	 *  traces with calls. */
	double low, high;
	uint32_t runs;
};

/* ---- diff: rows --------------------------------------------------------- */

enum {
	/** The sides: the traces before and after the change. */
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES,
	/** The most stacks in memory, and on a page. */
	DIFF_STACKS = 1 << 18,
	DIFF_NODES = 20000,
	/** The most functions in the table of a page. */
	DIFF_ROWS = 500,
	/** Changes of less percent are noise, unless --noise says else: if each
	 *  side has several traces, and if not.  Runs of one program differ by
	 *  as much, because processors and caches do. */
	DIFF_NOISE = 5,
	DIFF_NOISE_ONE = 15,
};

/** The calls of a function or of a stack, on one side.  Times in ticks. */
struct diff_calls {
	uint64_t calls;
	/** With and without the functions that they called.  The total of a
	 *  function is that of its outermost calls. */
	uint64_t total, self;
	/** Calls whose end is not in the trace.  CALLS and times count them,
	 *  the test does not. */
	uint64_t inexact;
	/** The self times of the calls. */
	struct spread spread;
	/** Of all traces on average: the calls; the typical self time of a
	 *  call, in nanoseconds or ticks; and the self time of all calls, if
	 *  each took the typical time. */
	double mean_calls, call, mean_self;
};

/** What is said of the time of a call. */
enum diff_time {
	DIFF_TIME_SAME,
	DIFF_TIME_SLOWER,
	DIFF_TIME_FASTER,
	/** There are too few calls to tell. */
	DIFF_TIME_FEW,
	/** One side has no calls. */
	DIFF_TIME_NEW,
	DIFF_TIME_GONE,
};

/** What is said of the number of calls. */
enum diff_count { DIFF_COUNT_SAME, DIFF_COUNT_MORE, DIFF_COUNT_FEWER };

/** A function or a stack, on both sides. */
struct diff_row {
	/** The number of the function's name in DIFF->names. */
	uint32_t name;
	/** Of a stack: its caller, which comes before it; 0: it has none. */
	uint32_t caller;
	struct diff_calls sides[DIFF_SIDES];
	enum diff_time time;
	enum diff_count count;
	/** The group in tables. */
	enum diff_group {
		DIFF_BEYOND, /**< the change is beyond the noise */
		DIFF_WITHIN,
		DIFF_FEW,    /**< there are too few calls on a side to tell */
	} group;
	/** What is said of it, "slower, more calls", and the group's name. */
	const char *verdict, *heading;
	/** The probability of a difference as large as that of the self times;
	 *  -1: there are too few calls to tell. */
	double p;
	/** MEAN_SELF after the change minus that before. */
	double change;
};

struct diff_rows {
	GSYM_VEC(struct diff_row);
	/** Those that have calls, once they are judged: by group, and in a
	 *  group the largest changes first. */
	const struct diff_row **order;
	uint32_t ordered;
};

struct diff {
	struct xray *sides[DIFF_SIDES];
	/** Nanoseconds of a tick; if a frequency is not known, 1, and IN_TICKS
	 *  is true. */
	double scales[DIFF_SIDES];
	bool in_ticks;
	/** --noise, in percent. */
	double noise;
	/** The names of functions, and by the number of the name the functions
	 *  and their places ("": not known). */
	struct gsym_intern names;
	struct diff_rows functions;
	struct {
		GSYM_VEC(char *);
	} places;
	/** The stacks, by the number of the key (caller, name).  Stack 0 is the
	 *  caller of outermost functions. */
	struct gsym_intern edges;
	struct diff_rows stacks;
	/** Calls whose stack found no room in STACKS: they count for the
	 *  stack of their caller. */
	uint64_t merged;
	struct gsym_xray_repairs repairs[DIFF_SIDES];
};

/** TICKS of all traces of a SIDE in nanoseconds, or as they are, in a trace on
 *  average. */
static inline double diff_time_of(const struct diff *d, int side,
				  uint64_t ticks)
{
	return (double)ticks * d->scales[side] /
	       (double)d->sides[side]->trace_count;
}

/** diff_page.c: write the page. */
void diff_page(struct diff *d);

#endif /* TOOLS_XRAY_XRAY_H */
