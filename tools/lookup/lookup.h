/* SPDX-License-Identifier: MIT */
/*
 * lookup.h - shared by the files of gsym-lookup: the request, and the steps
 * from an input to its answer.
 *
 *	open.c		the GSYM data of a request
 *	input.c		arguments and lines of standard input
 *	batch.c		standard input to blocks of lines, on many threads
 *	answer.c	an address to its answer; --merged-functions-filter
 *	stream.c	--stream: lines with build IDs
 */
#ifndef TOOLS_LOOKUP_LOOKUP_H
#define TOOLS_LOOKUP_LOOKUP_H

#include <gsym/process.h>
#include <gsym/reader.h>
#include <gsym/store.h>

#include "base/order.h"
#include "common/names.h"
#include "common/out.h"
#include "common/report.h"
#include "source/source.h"

/** The most bytes of answers that a thread keeps in memory, if it is the only
 *  one; several share more. */
#define LOOKUP_ANSWER_BYTES GSYM_LIMIT(OUT_MEMORY / 2, 64)

/** The most bytes that a line of standard input may have. */
#define LOOKUP_LINE_MAX 4096

/** The most frames of an address: one for each level of the inline tree. */
enum { LOOKUP_FRAMES = GSYM_MAX_INLINE_DEPTH + 2 };

/** The formats of --stream. */
enum stream_format { STREAM_OFF, STREAM_JSON, STREAM_FOLDED, STREAM_TSV };

/** What an answer says about its line. */
enum stream_status {
	/** A function covers the address. */
	STREAM_OK,
	/** The line is not BUILD-ID ADDRESS [KEY], or with --stack not
	 *  BUILD-ID STACK [KEY]. */
	STREAM_BAD,
	/** No file with the build ID can be used. */
	STREAM_NO_FILE,
	/** No function covers the address. */
	STREAM_NONE,
	/** The record of the address is damaged. */
	STREAM_DAMAGED,
	/** The file with the build ID cannot be opened, for want of file
	 *  descriptors for example. */
	STREAM_UNREADABLE,
	STREAM_STATUSES,
};

/** Inputs that are no addresses, addresses that a function covers, addresses
 *  that no function covers, those among them that lie between functions, and
 *  answers that suffered from damage. */
struct lookup_counts {
	uint64_t refused, found, missed, gaps, damaged;
};

struct stream;

/** What the options ask for, the same for all threads. */
struct lookup_request {
	/** --copy: files are read, not mapped. */
	bool copy;
	/** --check: files with a wrong checksum are refused. */
	bool check;
	/** --pid, or 0; --maps, --root and --kernel, or NULL. */
	int64_t pid;
	const char *maps, *root, *kernel;
	/** --build-id, or NULL. */
	const char *build_id;
	/** --no-verify. */
	bool any;
	/** --verbose. */
	bool verbose;
	/** The arguments have addresses. */
	bool more;
	/** The addresses that will be looked up; none if they are not known
	 *  before the symbols are. */
	struct {
		GSYM_VEC(uint64_t);
	} addresses;
	/** --json, --style and --basenames. */
	struct frames_style style;
	/** Flags of gsym_lookup. */
	unsigned flags;
	/** --hex: numbers without 0x are hexadecimal. */
	bool hex;
	/** --adjust-vma, as a number and as it was given; NULL. */
	uint64_t adjust;
	const char *adjust_text;
	bool return_addresses, merged, calls, strict, demangle;
	/** --merged-functions-filter: the patterns as they were given. */
	struct option_list filter_texts;
	/** --demangle and --no-demangle; 0: neither was given. */
	enum { LOOKUP_YES = 1, LOOKUP_NO } demangle_word;
	/** --color. */
	enum out_colour colour;
	/** --stack: the addresses are a call stack. */
	bool of_stack;
	unsigned threads;
	/** --stream, --keys, --max-open and --retry. */
	enum stream_format stream;
	bool keys;
	uint64_t max_open, retry;
};

/** The state of one thread that answers a request. */
struct lookup {
	const struct lookup_request *asked;
	/** The path of the GSYM data, or of the program that was converted. */
	const char *path;
	const struct gsym_reader *reader;
	/** What READER belongs to: the GSYM data of FILE. */
	struct source_symbols symbols;
	/** With --pid, --maps or --kernel: the process.  READER then changes
	 *  from address to address. */
	struct lookup_process *process;
	/** Where GSYM data come from. */
	struct source *source;
	/** Files of the store that could not be used. */
	uint64_t notes;
	/** The patterns of --merged-functions-filter, compiled; NULL if none
	 *  was given. */
	struct lookup_filter *filter;
	/** The demangler of the thread; NULL: names are not demangled. */
	struct gsym_demangler *demangler;
	/** That of ASKED.  DEMANGLER of STYLE is NULL for an answer whose
	 *  readable names are too long. */
	struct frames_style style;
	struct out out;
	struct names names;
	struct gsym_frame *frames;
	struct lookup_counts counts;
	/** The bytes of names that FILTER may still try for the address. */
	size_t filter_left;
	/** An input was a decimal number. */
	bool decimal;
	/** Names that no function has, up to the last one for which near names
	 *  were looked for. */
	unsigned unknown;
	/** Several functions have the name in the last input; the number of
	 *  such inputs. */
	bool several;
	uint64_t ambiguous;
	/** For --style=go: the function of the last answer interrupted the
	 *  function of the next answer, instead of being called by it. */
	bool interrupted;
	/** Of answer.c: the addresses of the stack so far; NULL: none. */
	struct lookup_stack *stack;
	/** --stream: the entry of the store that READER is of.  NULL: there is
	 *  none, and ABSENT says why; WHY is set for STREAM_UNREADABLE. */
	const struct gsym_store_entry *entry;
	enum stream_status absent;
	struct gsym_error why;
	/** --stream: the build ID that ENTRY was searched for. */
	const uint8_t *id;
	size_t id_size;
	/** --stream: the state that all threads share. */
	const struct stream *shared;
};

/** What was found for an address. */
struct lookup_found {
	/** GSYM_OK: the COUNT frames at FRAMES; GSYM_NOT_FOUND: no function
	 *  covers the address; others: damage, as ERROR says. */
	enum gsym_status status;
	const struct gsym_error *error;
	const struct gsym_frame *frames;
	size_t count;
	/** For --merged-functions, --call-sites and --style=go: the function;
	 *  NULL with --stack and --stream, which have none of these. */
	struct gsym_match *match;
	/** The answer is the function before this one of those that are merged
	 *  with it; 0: it is the function of the record. */
	uint32_t merged;
	/** For the same and for MODULE: the address in the file. */
	uint64_t address;
	/** NULL, or the file of a process that the address lies in. */
	const struct gsym_process_module *module;
	/** --stack: which of several functions it is. */
	const struct gsym_stack_entry *entry;
};

/** Compile the patterns of --merged-functions-filter.  Dies of one that is no
 *  regular expression. */
void lookup_filter_open(struct lookup *l);
/** Free the patterns. */
void lookup_filter_close(struct lookup *l);

/** The number of frames that a lookup wrote to LOOKUP_FRAMES frames. */
static inline size_t lookup_frame_count(const struct gsym_match *match)
{
	return match->frame_count < LOOKUP_FRAMES ? match->frame_count
						  : LOOKUP_FRAMES;
}

/** Choose the names of an answer: take the texts of COUNT FRAMES from *LEFT, as
 *  frames_take does, with linkage names if the readable ones do not fit. */
static inline bool lookup_take(struct lookup *l,
			       const struct gsym_frame *frames, size_t count,
			       uint64_t *left)
{
	const uint64_t before = *left;

	l->style.demangler = l->demangler;
	if (frames_take(left, l->style.demangler, frames, count))
		return true;
	*left = before;
	l->style.demangler = NULL;
	return l->demangler && frames_take(left, NULL, frames, count);
}

/** If F is not to be shown because of damage, or of texts that do not fit into
 *  *LEFT bytes, from which they are taken, why; else NULL.  Chooses the names,
 *  too. */
static inline const char *
lookup_damage(struct lookup *l, const struct lookup_found *f, uint64_t *left)
{
	if (f->status == GSYM_NOT_FOUND)
		return NULL;
	if (f->status != GSYM_OK)
		return report_reason(f->status, f->error);
	return lookup_take(l, f->frames, f->count, left) ? NULL
							 : FRAMES_TOO_LONG;
}

/** The size of the message about an input, which repeats a part of it. */
enum { LOOKUP_PROBLEM = LOOKUP_LINE_MAX + 64 };

/** Open the GSYM data that L asks for, and set L->path and L->reader.  Dies on
 *  failure. */
void lookup_open(struct lookup *l);
/** Whether FILE has the GSYM data. */
static inline bool lookup_of_file(const struct lookup_request *r)
{
	return !r->build_id && !r->stream && !r->pid && !r->maps && !r->kernel;
}
/** Whether addresses are those of a process or of the kernel: --pid, --maps or
 *  --kernel was given. */
static inline bool lookup_of_process(const struct lookup_request *r)
{
	return r->pid || r->maps || r->kernel;
}

/** Set L->reader to the GSYM data of the file that the run-time ADDRESS lies
 *  in, NULL if there are none, and fill in PLACE and MODULE.  Returns false if
 *  nothing is mapped there. */
bool lookup_enter(struct lookup *l, uint64_t address,
		  struct gsym_process_place *place,
		  struct gsym_process_module *module);
/** Find the symbol of the kernel, or the function of a JIT compiler of the
 *  process, at the run-time ADDRESS, for addresses that no GSYM data cover, and
 *  fill in FRAME.  False if there is none. */
bool lookup_symbol(const struct lookup *l, uint64_t address,
		   struct gsym_frame *frame);
/** Write a note for each file without GSYM data that an address lay in. */
void lookup_tell_missing(const struct lookup *l);

/** Close what lookup_open opened. */
void lookup_close(struct lookup *l);
/** Allocate the frames and the demangler of L's thread.  If L is a copy of a
 *  struct that was started, the demanglers of both share a cache.  Dies if
 *  memory runs out. */
void lookup_start(struct lookup *l);
/** Free what lookup_start and answers allocated. */
void lookup_end(struct lookup *l);

/** Name functions whose names are near to the LENGTH bytes at TEXT, which
 *  lookup_text refused; for the first few such texts. */
void lookup_note_near(struct lookup *l, const char *text, size_t length);

/** Write the answer to the address GIVEN. */
void lookup_address(struct lookup *l, uint64_t given);
/** Write the answer F to the address GIVEN. */
void lookup_show(struct lookup *l, uint64_t given,
		 const struct lookup_found *f);
/** If ENTRY has one of several functions, write how many they are, and how many
 *  of them fit the call site, as members of JSON. */
void lookup_choice(struct out *out, const struct gsym_stack_entry *entry);
/** Write the answer to an input, the LENGTH bytes at TEXT. */
void lookup_text(struct lookup *l, const char *text, size_t length);

/** --stack: add ADDRESS to the stack; dies if it has too many. */
void lookup_stack_add(struct lookup *l, uint64_t address);
/** --stack: write the answers to the addresses of the stack, which ends. */
void lookup_stack_end(struct lookup *l);
/** Look up the COUNT addresses ENTRIES of a stack, the innermost first, and
 *  choose among functions that share their code, as gsym_lookup_stack does.  A
 *  pattern of a call site is an extended regular expression. */
void lookup_stack_choose(struct gsym_stack_entry *entries, size_t count);

/* ---- standard input ------------------------------------------------------ */

/** The most lines that are looked up together. */
enum { LOOKUP_BATCH = 128 << 10 };

/** A line of standard input, and its answer. */
struct lookup_question {
	/** The line, without its line feed. */
	const char *text;
	uint32_t length;
	/** The file that the line asks about: a number of KIND. */
	uint32_t file;
	uint64_t address;
	/** --stream: NULL, or why the line is STREAM_BAD. */
	const char *problem;
	/** --stream --stack: the addresses after the first one. */
	const char *callers;
	uint32_t callers_size;
	/** --keys: the bytes after the second separator, which begin the
	 *  answer. */
	uint32_t key_size;
	const char *key;
	enum stream_status status;
	/** Of batch.c: where the memory of the worker has the answer.  SIZE is
	 *  0 if it has none. */
	uint32_t at, size;
};

/** A kind of lines.  CONTEXT is that of the worker, which calls from a thread
 *  of its own. */
struct lookup_kind {
	/** The most bytes of a line.  Of a longer one some more are read,
	 *  so that who reads the line notices; the rest is skipped. */
	size_t longest;
	/** Fewer lines are answered one by one. */
	size_t least;
	/** The size of the context of a worker. */
	size_t context_size;
	/** Read the line Q, and set the members after LENGTH.  Returns whether
	 *  it may be looked up before the lines in front of it are written. */
	bool (*read)(void *context, struct lookup *l,
		     struct lookup_question *q);
	/** Called when all lines of a block were read; NULL. */
	void (*begin)(void *context, struct lookup *l);
	/** Begin with lines about FILE: set the reader of L, which is that of
	 *  one thread.  Returns whether the answers are the frames of their
	 *  addresses. */
	bool (*enter)(void *context, struct lookup *l, uint32_t file);
	/** Write the answer to Q, and set its status.  FRAMES are the COUNT
	 *  frames of its address; if there are none the address is looked
	 *  up. */
	void (*answer)(struct lookup *l, struct lookup_question *q,
		       const struct gsym_frame *frames, size_t count);
	/** End with the lines about a file; NULL. */
	void (*leave)(struct lookup *l);
	/** Called when the COUNT lines at Q, the block, were answered; NULL. */
	void (*end)(void *context, const struct lookup_question *q,
		    size_t count);
};

/** The address in the file for GIVEN, an address of the input: without
 *  --adjust-vma, and one less for a return address. */
static inline uint64_t lookup_target(const struct lookup *l, uint64_t given)
{
	uint64_t address = given - l->asked->adjust;

	return l->asked->return_addresses && address > 0 ? address - 1
							 : address;
}

/** Answer all lines of standard input, which are of KIND, on up to THREADS
 *  threads, each of which has one of the contexts at CONTEXTS.  L was started.
 *  No answer waits for more input.  Dies on failure. */
void lookup_batches(struct lookup *l, const struct lookup_kind *kind,
		    void *contexts, unsigned threads);
/** Answer all lines of standard input. */
void lookup_input(struct lookup *l);
/** Answer all lines of standard input, each of which has its own build ID.
 *  Returns the exit status. */
int lookup_stream(struct lookup *l);

#endif /* TOOLS_LOOKUP_LOOKUP_H */
