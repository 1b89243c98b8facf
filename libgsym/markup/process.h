/* SPDX-License-Identifier: MIT */
/*
 * markup/process.h - the processes of a log: the memory that the log described
 * for each (context.c), and its lines that are held: module lines
 * (render/modules.c), and elements of several lines (render/hexdict.c); what
 * lines wait for, and for how long.
 *
 * Most bytes of a log are written at the end of their line.  Others wait, in
 * one of these states:
 *
 *	partial		The line has no end yet.  After a second what cannot be
 *			the start of an element is written (filter/filter.c).
 *	queued		The line waits for what a later line says, or behind
 *			such a line (filter/queue.h).
 *	mixed		The line has elements that describe memory and other
 *			text; module lines are written before it
 *			(filter/line.c).
 *	collected	An element described memory.  The module line is written
 *			before the next other line, or after 200 ms.
 *	unended		An element has no end yet.  The lines are written when
 *			it ends, or as text before a line of another process, or
 *			as text after two seconds.
 *	passed		An unended element was written as text.  Footnotes are
 *			written if it ends.
 *
 * What is collected and unended is held: it belongs to a process, whose state
 * says so (gsym_mk_process_changed).  What all processes hold is written in the
 * order in which they began to (gsym_render_write_held).  Lines that wait in
 * the queue are not held: they have changed no state of their process, but for
 * facts that a wait has applied.
 */
#ifndef GSYM_MARKUP_PROCESS_H
#define GSYM_MARKUP_PROCESS_H

#include "base/intern.h"
#include "markup/text.h"

struct stacks_state;
struct mk_process;

/* ---- why lines wait --------------------------------------------------- */

/** The rows of the table of reasons, which gsym-markup(1) shows.  For each: its
 *  name; how many lines and bytes wait at most; and for how many milliseconds
 *  after the first line, and after the last one.  0: without end. */
#define MK_REASONS(reason)                                                     \
	/* A line whose end has not come. */                                   \
	reason(LINE, 1, GSYM_LIMIT(1u << 20, 512), 1000, 0)                    \
	/* Module lines: each line is one range of memory.  Since the last     \
	 * line of their process. */                                           \
	reason(MODULES, GSYM_LIMIT(1u << 16, 1), 0, 0, 200)                    \
	/* An element of several lines. */                                     \
	reason(ELEMENT, GSYM_LIMIT(256u, 1), GSYM_LIMIT(64u << 10, 64), 2000,  \
	       0)                                                              \
	/* The first frame of a kernel's report: for the release, and for what \
	 * shows the build. */                                                 \
	reason(RELEASE, GSYM_LIMIT(32u, 1), GSYM_LIMIT(256u << 10, 256), 200,  \
	       0)                                                              \
	/* A stack: for its end, as any frame may show another build. */       \
	reason(BUILD, GSYM_LIMIT(256u, 1), GSYM_LIMIT(256u << 10, 256), 200,   \
	       0)                                                              \
	/* Frames, or a report in JSON: for the images, the modules, or the    \
	 * map of memory. */                                                   \
	reason(LIST, GSYM_LIMIT(1u << 18, 1), GSYM_LIMIT(8u << 20, 256), 5000, \
	       1000)

#define MK_REASON_NUMBER(name, ...) MK_FOR_##name,
enum mk_reason { MK_REASONS(MK_REASON_NUMBER) };

/** At most LINES and BYTES wait; for so many milliseconds since the first line,
 *  and since the last one. */
struct mk_patience {
	size_t lines, bytes;
	uint64_t since_first, since_last;
};

/** The row of REASON. */
struct mk_patience gsym_mk_patience(enum mk_reason reason);

/** What the host told about the time, in milliseconds. */
struct mk_clock {
	uint64_t now;
	/** Until gsym_markup_clock has something to do; UINT64_MAX: nothing to
	 *  do. */
	uint64_t due;
};

/** Whether lines have waited long enough for REASON, of which the first and the
 *  last came at these times.  If not, CLOCK is due when they have. */
bool gsym_mk_is_overdue(struct mk_clock *clock, enum mk_reason reason,
			uint64_t first, uint64_t last);

/* ---- the wait of a process -------------------------------------------- */

struct mk_wait {
	enum mk_wait_state {
		MK_WAIT_NONE,
		/** Nothing of what the frames need has come. */
		MK_WAIT_OPEN,
		/** A part has come, and the next line may have more. */
		MK_WAIT_PART,
		/** The wait takes no more lines, and some of its lines are
		 *  still in the queue. */
		MK_WAIT_OVER,
	} state;
	enum mk_reason reason;
	/** The form of the frames that wait. */
	const struct logs_dialect *dialect;
	/** The lines are of a report in JSON, which stands in REPORT once the
	 *  wait is over. */
	bool json;
	struct mk_text report;
	/** Taken lines, and their bytes; the lines that are still in the
	 *  queue, and the bytes of those that have left. */
	size_t lines, bytes, left, dequeued;
	/** When the first and the last of them came. */
	uint64_t first, last;
};

/* ---- memory --------------------------------------------------------- */

/** Limits for one process. */
#define MK_MAX_MODULES GSYM_LIMIT(65536u, 1)
#define MK_MAX_MAPPINGS GSYM_LIMIT(1u << 18, 1)

struct mk_module {
	uint64_t id;
	struct logs_text name;
	uint8_t build_id[MK_BUILD_ID];
	size_t build_id_size;
	/** All digits of the build ID, which may be longer. */
	struct logs_text build_id_digits;
	/** The host's symbols, or NULL.  ASKED: the host was asked. */
	void *symbols;
	bool asked;
	/** The message that the host has no symbols for the module was
	 * written. */
	bool missed;
	/** A module line was written for this module. */
	bool announced;
	/** BASE has been set: the load address, computed from the first
	 * segment. */
	bool based;
	uint64_t base;
	/** Of logs: BASE is where the code of the module begins. */
	bool base_is_code;
	/** The number, from 1 on, of the module's entry in the module lines;
	 *  0 if it has none. */
	size_t entry;
	/** The module that was added before this one, or forgotten before. */
	struct mk_module *before;
};

/** A segment of a module in memory. */
struct mk_mapping {
	uint64_t start;
	/** The last byte; START - 1 if the mapping is empty. */
	uint64_t last;
	/** With the style of llvm-symbolizer: the last byte as the log has
	 *  it. */
	uint64_t shown_last;
	/** The address in the module that START stands for. */
	uint64_t relative;
	struct mk_module *module;
	char mode[4];
};

/** Mappings that follow each other. */
enum { MK_BLOCK = 128 };
struct mk_block {
	size_t count;
	struct mk_mapping items[MK_BLOCK];
};

/** A zeroed struct is empty. */
struct mk_context {
	/** The modules that IDs name now, by the numbers of the IDs' keys. */
	struct gsym_keys ids;
	struct {
		GSYM_VEC(struct mk_module *);
	} named;
	/** All modules since the last reset, the newest first.  Includes
	 *  modules whose ID belongs to a later module now. */
	struct mk_module *modules;
	size_t module_count;
	/** Modules that are forgotten, until gsym_mk_context_tidy. */
	struct mk_module *gone;
	/** The mappings in the order of their starts, in blocks, none of which
	 *  is empty: a change moves one block's mappings at most.  After the
	 *  BLOCK_COUNT blocks in use there are those that were used before. */
	struct {
		GSYM_VEC(struct mk_block *);
	} blocks;
	size_t block_count;
	size_t mapping_count;
};

void gsym_mk_context_fini(struct mk_context *c);
/** Forget everything.  The memory of modules stays valid until
 *  gsym_mk_context_tidy. */
void gsym_mk_context_reset(struct mk_context *c);
/** Free what is forgotten.  Called between lines: see gsym_filter_tidy. */
void gsym_mk_context_tidy(struct mk_context *c);

/** The module that ID names now; NULL if there is none. */
struct mk_module *gsym_mk_module_find(const struct mk_context *c, uint64_t id);
/** Add the module of the element E.  If an earlier module has the same ID, ID
 *  names the new module from now on; the earlier one keeps its mappings.  NULL
 *  without memory, or beyond the limit. */
struct mk_module *gsym_mk_module_add(struct mk_context *c,
				     const struct mk_element *e);

/* Mappings that are returned are valid until the next change of C. */

/** The mapping that covers ADDRESS; NULL if there is none. */
const struct mk_mapping *gsym_mk_mapping_find(const struct mk_context *c,
					      uint64_t address);
/** The mapping with the greatest start at or below ADDRESS; NULL if there is
 * none. */
const struct mk_mapping *gsym_mk_mapping_floor(const struct mk_context *c,
					       uint64_t address);
/** The mapping with the least start above ADDRESS; NULL if there is none. */
const struct mk_mapping *gsym_mk_mapping_above(const struct mk_context *c,
					       uint64_t address);
/** The first mapping that shares a byte with START to LAST; NULL if there is
 * none. */
const struct mk_mapping *gsym_mk_mapping_overlap(const struct mk_context *c,
						 uint64_t start, uint64_t last);
/** Add WHAT, which overlaps no mapping.  False without memory, or beyond the
 *  limit. */
bool gsym_mk_mapping_add(struct mk_context *c, const struct mk_mapping *what);
/** Unmap START to LAST: cut or remove all mappings there.  False without
 *  memory, or beyond the limit; then parts of mappings are lost. */
bool gsym_mk_mapping_cut(struct mk_context *c, uint64_t start, uint64_t last);

/** The address in the module of MAPPING that belongs to the address ADDRESS in
 * memory. */
static inline uint64_t mk_relative(const struct mk_mapping *mapping,
				   uint64_t address)
{
	return address - mapping->start + mapping->relative;
}

/* ---- module lines --------------------------------------------------- */

/** Ranges that a process collects; with more, its module lines end. */
#define MK_MAX_RANGES (gsym_mk_patience(MK_FOR_MODULES).lines)

/** A module line. */
struct mk_entry {
	struct mk_module *module;
	/** The module itself is new, not only some of its ranges. */
	bool fresh;
	/** The log line that began it ended with CR LF. */
	bool crlf;
	/** The header of that log line: offset and size in TEXT of
	 *  struct mk_collected. */
	size_t prefix, prefix_size;
	/** LAST is the last address that is shown. */
	struct {
		GSYM_VEC(struct mk_mapping);
	} ranges;
};

/** The module lines that a process has collected. */
struct mk_collected {
	struct {
		GSYM_VEC(struct mk_entry);
	} entries;
	struct mk_text text;
	/** Ranges of all entries. */
	size_t range_count;
	/** The start of the first log line, of which START_HEADER bytes are its
	 *  header.  If the rest of START is in the next line, too, it is a
	 *  header and is dropped; otherwise START becomes a line of its own. */
	struct mk_text start;
	size_t start_header;
	bool start_crlf;
};

/* ---- elements of several lines -------------------------------------- */

/** An element of several lines whose end has not come yet. */
struct mk_unended {
	enum mk_element_state {
		MK_NO_ELEMENT,
		/** The lines so far wait. */
		MK_UNENDED,
		/** The lines so far were written as they are, because another
		 *  process had a line to write. */
		MK_PASSED,
	} state;
	/** The output for the text in front of the element. */
	struct mk_text head;
	/** The text of the log in front of the element; only its header, if it
	 *  has one. */
	struct mk_text prefix;
	/** The element so far, with line ends. */
	struct mk_text text;
	/** The numbers of its lines.  Lines of other processes may lie in
	 *  between. */
	struct {
		GSYM_VEC(uint64_t);
	} lines;
	/** HEADED: the first line has a header.  HEADERS: all lines so far have
	 * one. */
	bool headed, headers;
	/** The time of its first line, by the host's clock. */
	uint64_t since;
};

/* ---- processes ------------------------------------------------------ */

/** The most processes that are kept. */
#define MK_MAX_PROCESSES GSYM_LIMIT(4096u, 1)

struct mk_process {
	/** The name of the process in headers; empty for lines without
	 * header. */
	struct mk_text name;
	struct mk_context context;
	struct mk_collected collected;
	struct mk_unended unended;
	/** The text between the header of its lines and their message, found
	 *  out from two module lines that began with the same bytes. */
	struct mk_text prefix;
	/** The time of its last line, by the host's clock. */
	uint64_t heard;
	enum mk_process_state {
		MK_IDLE,
		/** Lines are held: the process is in the list of those. */
		MK_HOLDS,
		/** The lines of its element were written, but not the
		 *  footnotes. */
		MK_ANNOTATES,
	} state;
	/** Its neighbours in the list HOLDING of struct mk_processes. */
	struct mk_process *held_next, *held_before;
	/** HTML: the stack trace of its last frame. */
	struct mk_trace trace;
	/** The last page of a series that it has a line on; 0: none. */
	uint64_t page;
	/** What backtraces without markup have told; NULL if there was none. */
	struct stacks_state *log;
	/** What its lines in the queue wait for. */
	struct mk_wait wait;
	/** The number, which the queue gave, of the last of its lines in the
	 *  queue; 0: it has none there. */
	uint64_t queued_last;
	/** The next process in the same bucket. */
	struct mk_process *next;
	/** Neighbours in the order of use. */
	struct mk_process *newer, *older;
};

struct mk_processes {
	struct mk_process **buckets;
	struct mk_process *newest, *oldest;
	size_t count;
	/** The first and the last of the processes in the state HOLDS, in the
	 *  order of their lines. */
	struct mk_process *holding, *holding_last;
	/** How many are in the state ANNOTATES. */
	size_t annotating;
};

/** Free ALL, whose members LOG were freed before. */
void gsym_mk_processes_free(struct mk_processes *all);
/** The process with NAME; NULL if there is none. */
struct mk_process *gsym_mk_process_find(const struct mk_processes *all,
					struct logs_text name);
/** Add the process NAME, which must not exist. NULL without memory. */
struct mk_process *gsym_mk_process_add(struct mk_processes *all,
				       struct logs_text name);
/** Free P, whose member LOG was freed before. */
void gsym_mk_process_remove(struct mk_processes *all, struct mk_process *p);
/** Make P the process that was used last. */
void gsym_mk_process_use(struct mk_processes *all, struct mk_process *p);
/** Go over all, from the one that was used longest ago on: the process after P,
 *  or the first if P is NULL; NULL after the last. */
struct mk_process *gsym_mk_process_next(const struct mk_processes *all,
					const struct mk_process *p);

/** The mapping of *ADDRESS in the process P; NULL if there is none.  *ADDRESS
 *  is changed if the program cut it to 32 bits.  Addresses of the kernel are
 *  looked up in the process of the kernel, too. */
const struct mk_mapping *
gsym_mk_locate(struct mk_processes *all, const struct mk_process *p,
	       const struct gsym_markup_options *options, uint64_t *address);

/** Whether P has module lines that were not written. */
static inline bool mk_has_collected(const struct mk_process *p)
{
	return p->collected.entries.count || p->collected.start.count;
}
/** Set the state of P after its module lines or its element changed. */
void gsym_mk_process_changed(struct mk_processes *all, struct mk_process *p);

#endif
