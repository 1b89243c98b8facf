/* SPDX-License-Identifier: MIT */
/*
 * lookup.h - shared by the files of gsym-lookup: the request, and the steps
 * from an input line to its answer.
 */
#ifndef TOOLS_LOOKUP_LOOKUP_H
#define TOOLS_LOOKUP_LOOKUP_H

#include <gsym/process.h>
#include <gsym/reader.h>
#include <gsym/store.h>

#include "base/sort.h"
#include "common/frames.h"
#include "common/names.h"
#include "common/out.h"
#include "source/source.h"

/** The most bytes of answers that a thread keeps in memory. */
#define LOOKUP_ANSWER_BYTES GSYM_LIMIT(OUT_MEMORY / 2, 64)

/** The most bytes that a line of standard input may have. */
#define LOOKUP_LINE_MAX 4096

/** The most frames of an address: one for each level of the inline tree. */
enum { LOOKUP_FRAMES = GSYM_MAX_INLINE_DEPTH + 2 };

/** The formats of --stream. */
enum stream_format { STREAM_OFF, STREAM_JSON, STREAM_FOLDED, STREAM_TSV };

/** The request, and the state of one thread that answers it. */
struct lookup {
	/** The path of the GSYM data, or of the program that was converted. */
	const char *path;
	const struct gsym_reader *reader;
	/** What READER belongs to: the GSYM data of FILE. */
	struct source_symbols symbols;
	/** --copy: files are read, not mapped. */
	bool copy;
	/** --check: files with a wrong checksum are refused. */
	bool check;
	/** --pid, or 0; --maps, --root and --kernel, or NULL. */
	int64_t pid;
	const char *maps, *root, *kernel;
	/** With --pid, --maps or --kernel: the process.  READER then changes
	 *  from address to address. */
	struct lookup_process *process;
	/** --build-id, or NULL. */
	const char *build_id;
	/** Where GSYM data come from. */
	struct source *source;
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
	struct frames_style style;
	/** Flags of gsym_lookup. */
	unsigned flags;
	/** --hex: numbers without 0x are hexadecimal. */
	bool hex;
	/** --adjust-vma. */
	uint64_t adjust;
	bool return_addresses, merged, calls, strict, demangle;
	/** --stack: the addresses are a call stack. */
	bool of_stack;
	unsigned threads;
	/** --stream, --keys, --max-open and --retry. */
	enum stream_format stream;
	bool keys;
	uint64_t max_open, retry;
	/** Files of the store that could not be used. */
	uint64_t notes;

	/* The state of the thread. */
	struct out out;
	struct names names;
	struct gsym_frame *frames;
	/** Inputs that are no addresses, addresses that a function covers,
	 *  addresses that no function covers, and answers that suffered from
	 *  damage. */
	uint64_t refused, found, missed, damaged;
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
	/** The lines to answer next.  Each ends with a line feed. */
	const char *lines, *lines_end;
	/** Of stack.c: the addresses of the stack so far; NULL: none. */
	struct lookup_stack *stack;
	/** Of input.c; set while standard input is answered. */
	struct lookup_batch *batch;
};

/** Open the GSYM data that L asks for, and set L->path and L->reader.  Dies on
 *  failure. */
void lookup_open(struct lookup *l);
/** Whether FILE has the GSYM data. */
static inline bool lookup_of_file(const struct lookup *l)
{
	return !l->build_id && !l->stream && !l->pid && !l->maps && !l->kernel;
}
/** Whether addresses are those of a process or of the kernel: --pid, --maps or
 *  --kernel was given. */
static inline bool lookup_of_process(const struct lookup *l)
{
	return l->pid || l->maps || l->kernel;
}

/** Set L->reader to the GSYM data of the file that the run-time ADDRESS lies
 *  in, NULL if there are none, and fill in PLACE and MODULE.  Returns false if
 *  nothing is mapped there. */
bool lookup_enter(struct lookup *l, uint64_t address,
		  struct gsym_process_place *place,
		  struct gsym_process_module *module);
/** Find the symbol of the kernel at the run-time ADDRESS, for addresses that no
 *  GSYM data cover, and fill in FRAME.  False without --kernel, and if there is
 *  none. */
bool lookup_kernel_symbol(const struct lookup *l, uint64_t address,
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

/** Whether the LENGTH bytes at TEXT are certainly a number, *ADDRESS, and not a
 *  name. */
bool lookup_is_address(const struct lookup *l, const char *text, size_t length,
		       uint64_t *address);
/** Set L->decimal if the input TEXT was read as a decimal number. */
void lookup_note_base(struct lookup *l, const char *text, size_t length);

/** Name functions whose names are near to the LENGTH bytes at TEXT, which
 *  lookup_text refused; for the first few such texts. */
void lookup_note_near(struct lookup *l, const char *text, size_t length);

/** Write the answer to the address GIVEN. */
void lookup_address(struct lookup *l, uint64_t given);
/** Write the answer to the address GIVEN, the COUNT frames at FRAMES, unless L
 *  asks for merged functions, calls, or the style of Go. */
void lookup_show(struct lookup *l, uint64_t given,
		 const struct gsym_frame *frames, size_t count);
/** Write the answer to an input, the LENGTH bytes at TEXT. */
void lookup_text(struct lookup *l, const char *text, size_t length);
/** Like lookup_text, for a line, which may have blanks around the address.
 *  There is no answer to an empty line. */
void lookup_line(struct lookup *l, const char *text, size_t length);

/** --stack: add ADDRESS to the stack; dies if it has too many. */
void lookup_stack_add(struct lookup *l, uint64_t address);
/** --stack: write the answers to the addresses of the stack, which ends. */
void lookup_stack_end(struct lookup *l);

enum {
	/** The most addresses of a struct lookup_many. */
	LOOKUP_MANY = 128 << 10,
	/** The frames that gsym_lookup_many fills in at once. */
	LOOKUP_MANY_FRAMES = 32 << 10,
};
/** Addresses of one file, and memory to look them up. */
struct lookup_many {
	uint64_t addresses[LOOKUP_MANY];
	uint32_t first[LOOKUP_MANY + 1];
	struct gsym_frame frames[LOOKUP_MANY_FRAMES];
};
/** Called for the address with the number INDEX, and its COUNT frames: none if
 *  no function covers the address, or the record is damaged.  Returns false to
 *  stop. */
typedef bool lookup_use_fn(void *context, size_t index,
			   const struct gsym_frame *frames, size_t count);
/** Look the first COUNT addresses of M up in L->reader, and call USE for each,
 *  in their order.  Ascending addresses are fast.  Returns false if USE did. */
bool lookup_each(const struct lookup *l, struct lookup_many *m, size_t count,
		 lookup_use_fn *use, void *context);

/** How lines of standard input are answered. */
struct lookup_lines {
	/** Answer the lines from AT to END.  The last one ends with a line
	 *  feed. */
	void (*answer)(void *context, const char *at, const char *end);
	/** Answer a line without a line feed: the end of the input, or the
	 *  start of a line of more than MOST bytes, whose rest is skipped. */
	void (*answer_part)(void *context, const char *text, size_t length);
	size_t most;
};
/** Answer all lines of standard input through BUFFER, whose CAPACITY is more
 *  than LINES->most.  Before the process waits for input, the answers in
 *  L->out are written.  Dies on failure. */
void lookup_read_lines(struct lookup *l, const struct lookup_lines *lines,
		       void *context, char *buffer, size_t capacity);
/** Answer all lines of standard input. */
void lookup_input(struct lookup *l);
/** Answer all lines of standard input, each of which has its own build ID.
 *  Returns the exit status. */
int lookup_stream(struct lookup *l);

/* ---- --stream: how a line is read, and how an answer is written ---------- */

enum {
	/** The most bytes of a line, without its line feed. */
	STREAM_LINE_MAX = 64 << 10,
	/** The most bytes of a build ID. */
	STREAM_ID_MAX = 64,
};

/** What an answer says about its line. */
enum stream_status {
	/** A function covers the address. */
	STREAM_OK,
	/** The line is not BUILD-ID ADDRESS [KEY]. */
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

/** A line of input. */
struct stream_line {
	/** NULL, or why the line is STREAM_BAD. */
	const char *problem;
	uint8_t id[STREAM_ID_MAX];
	size_t id_size;
	uint64_t address;
	/** The bytes after the second separator, in the input. */
	const char *key;
	size_t key_size;
};

/** Read the LENGTH bytes at TEXT, a line without its line feed.  KEYS: the line
 *  may have a third field.  HEX: numbers without 0x are hexadecimal.  All
 *  members of LINE are set, but ID, ID_SIZE and ADDRESS only if PROBLEM is
 *  NULL. */
void stream_parse(const char *text, size_t length, bool keys, bool hex,
		  struct stream_line *line);

/** Write the answer for COUNT FRAMES. */
void stream_answer(struct lookup *l, const struct gsym_frame *frames,
		   size_t count);
/** Write the answer for a line without frames.  WHY is for people. */
void stream_answer_empty(struct lookup *l, enum stream_status status,
			 const char *why);

#endif /* TOOLS_LOOKUP_LOOKUP_H */
