/* SPDX-License-Identifier: MIT */
/*
 * gsym/markup.h - logs in the Symbolizer Markup Format go in, readable logs
 * come out.
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
 * The filter knows no files: the host says where the output goes, what
 * symbols a module has and how names are demangled.  Every callback may be
 * NULL; without it nothing is written, nothing is known.  A filter belongs
 * to one thread at a time.  Bytes are bytes: nothing has to be UTF-8.
 */
#ifndef GSYM_MARKUP_H
#define GSYM_MARKUP_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsym_markup;

/** One function on the stack of an address. */
struct gsym_markup_frame {
	/** The linkage name; "" if it has none. */
	const char *function;
	/** Both "" if the file is not known. */
	const char *directory;
	const char *basename;
	/** 0: not known. */
	uint32_t line;
	uint32_t column;
	/** Bytes from the start of the function. */
	uint64_t offset;
};

/** A variable, or whatever else has a name and lies at an address. */
struct gsym_markup_datum {
	/** The linkage name. */
	const char *name;
	/** Bytes from its start. */
	uint64_t offset;
};

/** A module as the log names it. */
struct gsym_markup_module {
	uint64_t id;
	const char *name; /**< not terminated */
	size_t name_size;
	const uint8_t *build_id;
	size_t build_id_size;
};

/** A segment of memory. */
struct gsym_markup_segment {
	uint64_t start;
	/** The last byte, so that a segment may reach to the end. */
	uint64_t last;
	/** The address within the module that START stands for. */
	uint64_t relative;
	uint64_t module; /**< its ID */
	/** Some of "rwx". */
	char mode[4];
};

/** A dumpfile element, with all that the log said before it. */
struct gsym_markup_dump {
	const char *type; /**< not terminated, nor is NAME */
	size_t type_size;
	const char *name;
	size_t name_size;
	/** The number of the line, from 1 on. */
	uint64_t line;
	/** The process, when logs are taken apart; size 0 otherwise. */
	const char *process;
	size_t process_size;
	/** Modules by ID, segments by address. */
	const struct gsym_markup_module *modules;
	size_t module_count;
	const struct gsym_markup_segment *segments;
	size_t segment_count;
};

enum gsym_markup_severity {
	GSYM_MARKUP_NOTE,
	GSYM_MARKUP_WARNING,
	GSYM_MARKUP_ERROR,
};

/** Something that was wrong in the log, or is not known. */
struct gsym_markup_diagnostic {
	enum gsym_markup_severity severity;
	const char *message; /**< ends with NUL */
	/** The line that it is about, without line feed; NULL if it is about
	 *  none.  AT is the byte of it. */
	const char *line;
	size_t line_size;
	size_t at;
	/** The number of the line, from 1 on. */
	uint64_t line_number;
};

/** What the filter asks of its user. */
struct gsym_markup_host {
	void *context;
	/** Output. */
	void (*write)(void *context, const char *bytes, size_t size);
	void (*diagnose)(void *context,
			 const struct gsym_markup_diagnostic *diagnostic);
	/** The symbols of a module, in a form of the host's own; NULL if it
	 *  has none.  Asked once a module until a reset, or until
	 *  gsym_markup_retry.  They have to stay as long as the filter:
	 *  what it wrote for an address it may write again without asking. */
	void *(*module)(void *context,
			const struct gsym_markup_module *module);
	/** The stack of ADDRESS, an address of the module, innermost frame
	 *  first.  Returns how many frames of FRAMES were filled; 0: nothing
	 *  is known.  The strings have to live as long as the filter. */
	size_t (*code)(void *context, void *symbols, uint64_t address,
		       struct gsym_markup_frame *frames, size_t capacity);
	/** The datum that ADDRESS lies in; false: not known. */
	bool (*data)(void *context, void *symbols, uint64_t address,
		     struct gsym_markup_datum *ret);
	/** NAME readable, or NAME itself; valid until the next call.  LASTING
	 *  names came from CODE or DATA and stay; others are gone after the
	 *  call. */
	const char *(*demangle)(void *context, const char *name, bool lasting);
	/** A dumpfile element was met.  What it returns, unless NULL, is
	 *  shown behind the element; valid until the next call. */
	const char *(*dump)(void *context,
			    const struct gsym_markup_dump *dump);
	/** A reset element made all modules unknown; they will be asked for
	 *  again. */
	void (*reset)(void *context);
};

/** Frames that one address may have; more are cut. */
#define GSYM_MARKUP_MAX_FRAMES 64

enum gsym_markup_style {
	/** Loses nothing: see gsym-markup(1). */
	GSYM_MARKUP_STYLE_DEFAULT,
	/** The bytes that llvm-symbolizer --filter-markup writes. */
	GSYM_MARKUP_STYLE_LLVM,
	/** Frames and module lines as Fuchsia's symbolizer writes them. */
	GSYM_MARKUP_STYLE_FUCHSIA,
};

enum gsym_markup_module_lines {
	GSYM_MARKUP_MODULES_FULL,
	/** Name, build ID and base address alone. */
	GSYM_MARKUP_MODULES_SHORT,
	GSYM_MARKUP_MODULES_NONE,
};

enum gsym_markup_hexdict {
	GSYM_MARKUP_HEXDICT_FOOTNOTES,
	/** Behind each value. */
	GSYM_MARKUP_HEXDICT_INLINE,
	/** Such elements stay as they are. */
	GSYM_MARKUP_HEXDICT_OFF,
};

/** What an address without suffix is. */
enum gsym_markup_unsuffixed {
	/** In bt a return address, in pc an exact one. */
	GSYM_MARKUP_UNSUFFIXED_DEFAULT,
	GSYM_MARKUP_UNSUFFIXED_RETURN,
	GSYM_MARKUP_UNSUFFIXED_EXACT,
};

/** How lines say which process they come from. */
enum gsym_markup_headers {
	/** Not at all: all lines are of one process. */
	GSYM_MARKUP_HEADERS_NONE,
	/** Whichever of the following fits. */
	GSYM_MARKUP_HEADERS_AUTO,
	GSYM_MARKUP_HEADERS_FUCHSIA,   /**< [12.3] 45.67>, [12.3][45][67]... */
	GSYM_MARKUP_HEADERS_LOGCAT,    /**< date time PID TID level tag: */
	GSYM_MARKUP_HEADERS_SYSLOG,    /**< name[PID]: */
	GSYM_MARKUP_HEADERS_SANITIZER, /**< ==PID== */
	GSYM_MARKUP_HEADERS_REGEX,     /**< as HEADER_REGEX says */
};

/** A zeroed struct holds the defaults. */
struct gsym_markup_options {
	enum gsym_markup_style style;
	bool html;
	/** Colour: escape sequences in the log stay, elements get some. */
	bool colour;
	/** Without colour: take out even unknown SGR sequences. */
	bool strip_ansi;
	bool basenames;
	/** In pc elements: the callers that the function was inlined into. */
	bool pc_inlines;
	/** Further lines of a frame start with blanks, not with the header
	 *  of the log line. */
	bool indent;
	/** Control bytes in names are written as they are. */
	bool raw_names;
	enum gsym_markup_module_lines module_lines;
	enum gsym_markup_hexdict hexdict;
	enum gsym_markup_unsuffixed unsuffixed;
	enum gsym_markup_headers headers;
	/** Extended regular expression; its first group is the process. */
	const char *header_regex;
	/** The process that kernel addresses belong to; NULL: that of lines
	 *  without header. */
	const char *kernel_process;
	/** HTML: links; %f file, %l line; %t type, %n name. */
	const char *source_url;
	const char *dumpfile_url;
	const char *title;
};

/** A filter.  OPTIONS may be NULL; its strings have to outlive the filter.
 *  GSYM_ERR_ARGUMENT if the regular expression is none. */
GSYM_API enum gsym_status
gsym_markup_new(const struct gsym_markup_host *host,
		const struct gsym_markup_options *options,
		struct gsym_markup **ret, struct gsym_error *error);
GSYM_API void gsym_markup_free(struct gsym_markup *filter);

/** Take SIZE bytes of the log.  GSYM_ERR_MEMORY: some output is lost. */
GSYM_API enum gsym_status gsym_markup_feed(struct gsym_markup *filter,
					   const char *bytes, size_t size);
/** Hand over everything that is certain; complete lines are, unless they
 *  belong to a module line or an element of several lines. */
GSYM_API void gsym_markup_flush(struct gsym_markup *filter);
/** It is NOW, in milliseconds of any clock that never goes back.  A filter
 *  that is told the time, before what came at that time is fed, ends a module
 *  line when its process was silent for 200 milliseconds, gives an element of
 *  several lines up that did not end within two seconds, and passes a line
 *  without end on after one second, unless an element may have begun in it.
 *  Then it flushes.  Returns the milliseconds until it wants to be told the
 *  time again; -1: not before more of the log comes. */
GSYM_API int gsym_markup_clock(struct gsym_markup *filter, uint64_t now);
/** The log ends. */
GSYM_API enum gsym_status gsym_markup_finish(struct gsym_markup *filter);
/** Ask the host again for modules that had no symbols.  What it was said of
 *  them is not said again. */
GSYM_API void gsym_markup_retry(struct gsym_markup *filter);

/** Add a module and the segment that its addresses lie in, as elements of
 *  the log would. */
GSYM_API enum gsym_status
gsym_markup_add(struct gsym_markup *filter,
		const struct gsym_markup_module *module,
		const struct gsym_markup_segment *segment);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_MARKUP_H */
