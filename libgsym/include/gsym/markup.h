/* SPDX-License-Identifier: MIT */
/*
 * gsym/markup.h - make logs in the Symbolizer Markup Format readable.
 *
 *	struct gsym_markup_host host = { .write = ..., .code = ..., };
 *	struct gsym_markup *filter;
 *
 *	gsym_markup_new(&host, NULL, &filter, NULL);
 *	while ((n = read(0, bytes, sizeof(bytes))) > 0)
 *		gsym_markup_feed(filter, bytes, n);
 *	gsym_markup_finish(filter);
 *	gsym_markup_free(filter);
 *
 * examples/crashlog.c is a whole program.
 *
 * Format: the elements ({{{bt:...}}}, {{{module:...}}} and so on) are those of
 * https://llvm.org/docs/SymbolizerMarkupFormat.html, and those of Fuchsia's
 * symbolizer that are not in it.  gsym-markup(1) says what becomes of each.
 *
 *	reset                 forgets modules and memory
 *	module, mmap          describe modules and memory; one line of text
 *	                      replaces those of a module
 *	bt, pc                become frames: functions, files and lines
 *	data                  becomes the name of a variable
 *	symbol                becomes the readable form of a linkage name
 *	hexdict               gets the meaning of its values
 *	dumpfile              goes to DUMP of the host, and stays readable
 *
 * The filter opens no files.  It calls the callbacks of struct gsym_markup_host
 * to write output, to find the symbols of a module, and to demangle names.
 * gsym/store.h finds the symbols of a build ID, gsym/reader.h looks addresses
 * up.
 *
 * Bytes: a log may hold any bytes; they need not be UTF-8.  Text that is no
 * element is written as it is.  Texts with a size (NAME and NAME_SIZE) point
 * into the log and are not NUL-terminated.
 *
 * Threads: a filter belongs to one thread at a time; different filters are
 * independent.  Callbacks are called on the thread that called the filter,
 * during that call.  A callback must not call the filter.
 *
 * Memory is bounded whatever the log holds: gsym-markup(1) has the limits.
 *
 * Ordinary logs, which have no markup, hold backtraces in many forms, such as
 * "vfs_read+0x15d/0x370".  gsym/logs.h, which this header includes, is for
 * them.
 */
#ifndef GSYM_MARKUP_H
#define GSYM_MARKUP_H

#include <gsym/logs.h>
#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A filter: the state of one log.  Made by gsym_markup_new, freed by
 *  gsym_markup_free. */
struct gsym_markup;

/* ---- from the host to the filter ---------------------------------------- */

/** One function on the stack of an address; the host fills it in.  Strings must
 *  not be NULL, and live as long as the filter. */
struct gsym_markup_frame {
	/** The linkage name, not demangled; "" if the function has none. */
	const char *function;
	/** The source file of LINE; both are "" if it is not known. */
	const char *directory;
	const char *basename;
	/** Line and column, from 1 on; 0: not known. */
	uint32_t line;
	uint32_t column;
	/** Bytes from the start of the function to the address. */
	uint64_t offset;
};

/** A variable, or anything else at an address that is not code; the host fills
 *  it in.  All fields are 0 before.  Passed by the library. */
struct gsym_markup_datum {
	/** The linkage name, not demangled; lives as long as the filter. */
	const char *name;
	/** Bytes from the start of the variable to the address. */
	uint64_t offset;
};

/* ---- from the filter to the host ---------------------------------------- */

/** A module (program or library) as a module element of the log describes it.
 *  Its pointers are valid during the callback only. */
struct gsym_markup_module {
	/** The number that the log gave the module. */
	uint64_t id;
	/** The file name, as far as the log tells it; NAME_SIZE bytes. */
	const char *name;
	size_t name_size;
	/** The build ID, as bytes; at most 64 of them. */
	const uint8_t *build_id;
	size_t build_id_size;
};

/** A range of memory where a part of a module is mapped, as an mmap element of
 *  the log describes it. */
struct gsym_markup_segment {
	/** The first address, in the process that wrote the log. */
	uint64_t start;
	/** The last address, which is in the segment: so a segment may reach
	 *  up to 2^64 - 1. */
	uint64_t last;
	/** The address within the module that START corresponds to. */
	uint64_t relative;
	/** The ID of the module. */
	uint64_t module;
	/** Permissions: some of "rwx", NUL-terminated. */
	char mode[4];
};

/** A dumpfile element, and the memory that the log described before it.  Its
 *  pointers are valid during the callback only.  Passed by the library. */
struct gsym_markup_dump {
	/** Type and name of the dump, as in the element. */
	const char *type;
	size_t type_size;
	const char *name;
	size_t name_size;
	/** The number of the line, from 1 on. */
	uint64_t line;
	/** The process of the line, as its header names it; size 0 if lines
	 *  are not told apart by process, or this one has no header. */
	const char *process;
	size_t process_size;
	/** The modules of that process, by ascending ID. */
	const struct gsym_markup_module *modules;
	size_t module_count;
	/** The segments of that process, by ascending address. */
	const struct gsym_markup_segment *segments;
	size_t segment_count;
};

/** A frame of a stack trace: a bt element, or a frame of a backtrace without
 *  markup.  Its pointers are valid during the callback only, but the strings of
 *  FRAMES as long as the filter.  Passed by the library. */
struct gsym_markup_stack_frame {
	/** The number of the line, from 1 on. */
	uint64_t line;
	/** The process of the line, as in struct gsym_markup_dump. */
	const char *process;
	size_t process_size;
	/** The number that the log gives the frame: 0 is the innermost.  In
	 *  backtraces without numbers frames are counted. */
	uint64_t number;
	/** The name of the module, and the address in the module that was
	 *  looked up.  Of an element: size 0 if no segment covers the address,
	 *  or the module has no name.  Of a backtrace without markup: the name
	 *  as the log has it, and address 0 if nothing was found. */
	const char *module;
	size_t module_size;
	uint64_t address;
	/** The functions, innermost first; all but the last were inlined.
	 *  COUNT is 0 if nothing is known. */
	const struct gsym_markup_frame *frames;
	size_t count;
	/** The function as a backtrace without markup names it; size 0: it
	 *  names none. */
	const char *name;
	size_t name_size;
};

/** A page of a series; see PART_SIZE of the options.  Its pointers are valid
 *  during the callback only.  Passed by the library. */
struct gsym_markup_part {
	/** The number of the page, from 1 on. */
	uint64_t number;
	/** The number of its first line in the log, from 1 on, and how many
	 *  lines and bytes of the log it has. */
	uint64_t first_line, lines, bytes;
	/** The processes that have lines on it, PROCESSES_SIZE bytes: a NUL
	 *  follows each name.  Names are bytes of the log; those with a NUL are
	 *  left out, and some of very many processes. */
	const char *processes;
	size_t processes_size;
	/** There is another page after it. */
	bool more;
};

/** How serious a message about the log is. */
enum gsym_markup_severity {
	/** The log is odd, but was understood; or messages that repeat were
	 *  not reported. */
	GSYM_MARKUP_NOTE,
	/** With GSYM_MARKUP_STYLE_LLVM alone: where llvm-symbolizer warns. */
	GSYM_MARKUP_WARNING,
	/** An element cannot be presented: it is malformed, its address lies
	 *  in no segment, or the module has no symbols. */
	GSYM_MARKUP_ERROR,
};

/** A message about the log.  Its pointers are valid during the callback
 *  only.  Passed by the library. */
struct gsym_markup_diagnostic {
	enum gsym_markup_severity severity;
	/** One line, NUL-terminated, without full stop. */
	const char *message;
	/** The line that the message is about, LINE_SIZE bytes without line
	 *  feed; NULL if it is about no place in a line.  AT is the index of
	 *  the byte that is wrong; it may be LINE_SIZE. */
	const char *line;
	size_t line_size;
	size_t at;
	/** The number of the line, from 1 on. */
	uint64_t line_number;
};

/**
 * The callbacks of a filter.  Each may be NULL: without it nothing is written,
 * reported or known.  CONTEXT is the first argument of each.
 *
 * With a store, MODULE and CODE may be as follows:
 *
 *	static void *module(void *store, const struct gsym_markup_module *m)
 *	{
 *		const struct gsym_store_entry *entry;
 *
 *		if (gsym_store_find(store, m->build_id, m->build_id_size,
 *				    &entry, NULL) != GSYM_OK)
 *			return NULL;
 *		return (void *)gsym_store_reader(entry);
 *	}
 *
 *	static size_t code(void *store, void *reader, uint64_t address,
 *			   struct gsym_markup_frame *to, size_t capacity)
 *	{
 *		struct gsym_frame frames[GSYM_MARKUP_MAX_FRAMES];
 *		struct gsym_match match;
 *		size_t i;
 *
 *		if (gsym_lookup(reader, address, 0, frames, capacity, &match,
 *				NULL) != GSYM_OK)
 *			return 0;
 *		for (i = 0; i < match.frame_count && i < capacity; i++)
 *			to[i] = (struct gsym_markup_frame){
 *				frames[i].function, frames[i].directory,
 *				frames[i].basename, frames[i].line, 0,
 *				frames[i].offset };
 *		return i;
 *	}
 */
struct gsym_markup_host {
	void *context;
	/** Takes SIZE bytes of output.  Calls are large as a rule, but lines
	 *  may be cut between them. */
	void (*write)(void *context, const char *bytes, size_t size);
	/** Takes a message about the log.  The output before that line was
	 *  written already.  A message that repeats is reported 20 times;
	 *  after that it is counted. */
	void (*diagnose)(void *context,
			 const struct gsym_markup_diagnostic *diagnostic);
	/**
	 * Returns the symbols of MODULE, in a form of the host's own that is
	 * only handed to CODE and DATA; NULL if there are none.  Asked once for
	 * each module when an address in it is met, again after a reset
	 * element, and for modules without symbols after gsym_markup_retry.
	 *
	 * Symbols have to stay valid as long as the filter, which may write
	 * again what it wrote for an address without calling CODE.
	 */
	void *(*module)(void *context,
			const struct gsym_markup_module *module);
	/**
	 * Fills FRAMES, which has room for CAPACITY, with the stack of ADDRESS
	 * in the module of SYMBOLS, the innermost frame first.  Returns the
	 * number of frames, at most CAPACITY; 0 if nothing is known.
	 *
	 * ADDRESS is one that the module was linked to.  It is the address to
	 * look up: the filter has already subtracted 1 from return addresses.
	 */
	size_t (*code)(void *context, void *symbols, uint64_t address,
		       struct gsym_markup_frame *frames, size_t capacity);
	/** Fills RET with the variable that ADDRESS lies in, an address that
	 *  the module of SYMBOLS was linked to.  Returns false if none is
	 *  known. */
	bool (*data)(void *context, void *symbols, uint64_t address,
		     struct gsym_markup_datum *ret);
	/**
	 * Returns NAME in readable form, or NAME itself.  The result has to be
	 * valid until the next call.  LASTING: NAME came from CODE or DATA and
	 * stays valid, so the host may use its address as a key; other names
	 * are valid during the call only.
	 */
	const char *(*demangle)(void *context, const char *name, bool lasting);
	/** Takes a dumpfile element.  If very many elements follow very many
	 *  modules, the others get a message. */
	void (*dump)(void *context, const struct gsym_markup_dump *dump);
	/** Called for a reset element, after which all modules and segments of
	 *  the process are unknown.  MODULE is asked again for modules that the
	 *  log names then. */
	void (*reset)(void *context);
	/** Takes each frame of a stack trace, in the order of the log: of bt
	 *  elements and, with LOGS.FORMS of the options, of backtraces without
	 *  markup, but for frames that the kernel marks with "?", and a first
	 *  frame that it repeats.  May be NULL.  Not called with
	 *  GSYM_MARKUP_STYLE_LLVM. */
	void (*frame)(void *context,
		      const struct gsym_markup_stack_frame *frame);
	/** Called for HTML with PART_SIZE of the options, may be NULL.
	 *  A page of a series is complete: all output since the last call, or
	 *  since the start, belongs to PART.  The output after the last call is
	 *  empty. */
	void (*part)(void *context, const struct gsym_markup_part *part);
	/** For backtraces without markup. */
	struct gsym_markup_log_host logs;
};

/* ---- options ------------------------------------------------------------ */

/** The CAPACITY with which CODE is called: more frames are cut. */
#define GSYM_MARKUP_MAX_FRAMES 64

/** How the output looks. */
enum gsym_markup_style {
	/** gsym's own, which keeps all that the log says; gsym-markup(1) shows
	 *  it. */
	GSYM_MARKUP_STYLE_DEFAULT,
	/** The same bytes and messages as llvm-symbolizer --filter-markup.
	 *  HTML and HEADERS have no effect. */
	GSYM_MARKUP_STYLE_LLVM,
	/** The default, with frames and module lines in the form of Fuchsia's
	 *  symbolizer. */
	GSYM_MARKUP_STYLE_FUCHSIA,
};

/** The content of a module line, which replaces the elements of a module. */
enum gsym_markup_module_lines {
	/** Name, build ID and all segments. */
	GSYM_MARKUP_MODULES_FULL,
	/** Name, build ID and base address. */
	GSYM_MARKUP_MODULES_SHORT,
	/** There is no such line. */
	GSYM_MARKUP_MODULES_NONE,
};

/** Where the meaning of the values in a hexdict element is shown. */
enum gsym_markup_hexdict {
	/** In lines after the element. */
	GSYM_MARKUP_HEXDICT_FOOTNOTES,
	/** After each value. */
	GSYM_MARKUP_HEXDICT_INLINE,
	/** Nowhere: the element is written as it is. */
	GSYM_MARKUP_HEXDICT_OFF,
};

/** What an address without the suffix ":ra" or ":pc" is. */
enum gsym_markup_unsuffixed {
	/** In bt elements a return address, in others an exact one. */
	GSYM_MARKUP_UNSUFFIXED_DEFAULT,
	/** Always a return address: the instruction before it is looked up. */
	GSYM_MARKUP_UNSUFFIXED_RETURN,
	/** Always an exact address. */
	GSYM_MARKUP_UNSUFFIXED_EXACT,
};

/** How the start of a line, its header, names the process that wrote it.  Each
 *  process has modules of its own. */
enum gsym_markup_headers {
	/** Lines have no headers: all are of one process. */
	GSYM_MARKUP_HEADERS_NONE,
	/** Any of the next four, decided for each line. */
	GSYM_MARKUP_HEADERS_AUTO,
	/** "[12.345] PID.TID> " or "[12.345][PID][TID][tag] INFO: ". */
	GSYM_MARKUP_HEADERS_FUCHSIA,
	/** "11-20 10:00:00.000 PID TID I tag: " or "I/tag (PID): ". */
	GSYM_MARKUP_HEADERS_LOGCAT,
	/** "... name[PID]: ", or "<14>1 DATE HOST NAME PID - - " (RFC 5424). */
	GSYM_MARKUP_HEADERS_SYSLOG,
	/** "==PID== ". */
	GSYM_MARKUP_HEADERS_SANITIZER,
	/** HEADER_REGEX of the options. */
	GSYM_MARKUP_HEADERS_REGEX,
};

/** The options of a filter.  A zeroed struct, or NULL in place of it, holds the
 *  defaults.  All strings have to stay valid as long as the filter. */
struct gsym_markup_options {
	enum gsym_markup_style style;
	/** Write an HTML page instead of text. */
	bool html;
	/** Write colours as escape sequences (SGR): those of the log stay, and
	 *  elements get some.  Without it those of the log are removed. */
	bool colour;
	/** Without COLOUR: remove all SGR sequences, not only those that the
	 *  format describes. */
	bool strip_ansi;
	/** Show source files without their folders. */
	bool basenames;
	/** Show for pc elements also the callers of inlined functions. */
	bool pc_inlines;
	/** Begin further lines of a frame with blanks instead of the header of
	 *  the log line. */
	bool indent;
	/** Write control bytes in names as they are instead of as "\x1b". */
	bool raw_names;
	enum gsym_markup_module_lines module_lines;
	enum gsym_markup_hexdict hexdict;
	enum gsym_markup_unsuffixed unsuffixed;
	enum gsym_markup_headers headers;
	/** For GSYM_MARKUP_HEADERS_REGEX, where it has to be set: an extended
	 *  regular expression (POSIX) that is matched at the start of a line.
	 *  Its first group is the process. */
	const char *header_regex;
	/** The process whose modules addresses with the highest bit set belong
	 *  to if their own process does not map them; NULL: that of lines
	 *  without header. */
	const char *kernel_process;
	/** With HTML: the URL of a source file, in which "%f" stands for the
	 *  file and "%l" for the line; and the URL of a dump file, with "%t"
	 *  for its type and "%n" for its name.  NULL: no links. */
	const char *source_url;
	const char *dumpfile_url;
	/** With HTML: the title of the page; NULL: a default. */
	const char *title;
	/** With HTML: write a series of pages, each of about this many bytes of
	 *  the log; PART of the host is called after each.  A page that has so
	 *  many ends before the next line at which no line waits, for a
	 *  module line, for the end of an element, or for the release of a
	 *  kernel.  The pages link to
	 *  "index.html" and to their neighbours "1.html", "2.html" and so on.
	 *  0: one page. */
	uint64_t part_size;
	/** For backtraces without markup.  Have no effect with
	 *  GSYM_MARKUP_STYLE_LLVM. */
	struct gsym_markup_log_options logs;
};

/* ---- the filter --------------------------------------------------------- */

/**
 * Make a filter, *RET.  HOST is copied; OPTIONS is copied without its strings.
 * Both may be NULL.
 *
 * GSYM_ERR_ARGUMENT: with GSYM_MARKUP_HEADERS_REGEX, the regular expression is
 * malformed or has no group.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_markup_new(const struct gsym_markup_host *host,
		const struct gsym_markup_options *options,
		struct gsym_markup **ret, struct gsym_error *error);
/** Free FILTER, which may be NULL.  Calls no callback: output and messages that
 *  gsym_markup_finish did not hand over are lost. */
GSYM_API void gsym_markup_free(struct gsym_markup *filter);

/**
 * Filter the next SIZE bytes of the log at BYTES, which are not kept.  Lines
 * may be cut anywhere between calls.  Output goes to WRITE of the host when
 * enough of it has come together, and at gsym_markup_flush.
 *
 * GSYM_ERR_MEMORY: some output is lost; the filter can be fed further.
 * GSYM_ERR_ARGUMENT: gsym_markup_finish was called before.
 */
GSYM_API enum gsym_status gsym_markup_feed(struct gsym_markup *filter,
					   const char *bytes, size_t size);
/** Write the output so far: all complete lines, but for those that wait for the
 *  end of a module line or of an element of several lines. */
GSYM_API void gsym_markup_flush(struct gsym_markup *filter);
/**
 * Tell the filter that the time is NOW, in milliseconds of any clock that does
 * not go back.  For logs that are still being written: call it before bytes
 * that came at that time are fed, and when the time that it returned has
 * passed.
 *
 * A module line ends when its process was silent for 200 milliseconds.  An
 * element of several lines that did not end in two seconds is text.  A line
 * without end is written after one second, unless an element may have begun in
 * it.  Then the output is flushed.
 *
 * Returns the milliseconds until the next call is due; -1: not before more of
 * the log comes.
 */
GSYM_API int gsym_markup_clock(struct gsym_markup *filter, uint64_t now);
/** End the log: write all remaining output, and the end of an HTML page.  A
 *  second call does nothing.  GSYM_ERR_MEMORY: some output is lost. */
GSYM_API enum gsym_status gsym_markup_finish(struct gsym_markup *filter);
/** Let the filter call MODULE of the host again for modules that had no
 *  symbols, at their next address in the log.  The message that a module has
 *  no symbols is not repeated. */
GSYM_API void gsym_markup_retry(struct gsym_markup *filter);

/**
 * Add MODULE and the SEGMENT where it is mapped, as a module element and an
 * mmap element in a line without header would.  Both are copied; the MODULE
 * member of SEGMENT is ignored.  For logs that do not describe memory.
 *
 * GSYM_ERR_ARGUMENT: SEGMENT ends before it starts.  GSYM_ERR_MEMORY: also if
 * there are too many modules or segments.
 */
GSYM_API enum gsym_status
gsym_markup_add(struct gsym_markup *filter,
		const struct gsym_markup_module *module,
		const struct gsym_markup_segment *segment);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_MARKUP_H */
