/* SPDX-License-Identifier: MIT */
/*
 * markup.h - the state of gsym-markup, and the functions that several of its
 * files use.
 */
#ifndef TOOLS_MARKUP_MARKUP_H
#define TOOLS_MARKUP_MARKUP_H

#include <gsym/markup.h>
#include <gsym/program.h>
#include <gsym/store.h>

#include <sys/types.h>
#include <time.h>

#include "base/intern.h"
#include "base/vec.h"
#include "common/names.h"
#include "common/options.h"
#include "common/out.h"
#include "source/source.h"

/** The symbols of a module, as the filter knows them.  The filter keeps
 *  pointers to them and to strings of their readers as long as it lives, also
 *  of modules that the log has replaced.  So symbols are only added: none is
 *  freed, moved or closed before markup_symbols_end, which frees the filter
 *  first.  The store has no limit of files, so that its entries stay, too. */
struct markup_symbols {
	struct markup_symbols *next;
	const struct gsym_reader *reader;
	/** NULL for a file that an option names. */
	const struct gsym_store_entry *entry;
	/** READER, if it is not that of ENTRY or of a preset. */
	struct gsym_reader *own;
	/** The answer of markup_entry, and the value of RETRIES + 1 when it was
	 *  asked for. */
	const struct gsym_store_entry *named;
	unsigned asked;
	/** Functions by name, for backtraces without markup. */
	struct names names;
	/** The path of a file that an option names, malloc'ed; else NULL. */
	char *path;
	/** The release of the kernel that the file is of, malloc'ed; NULL if
	 *  it is not known.  RELEASE_KNOWN: the release was searched. */
	char *release;
	bool release_known;
	/** The same for the release that an ELF file of the kernel has. */
	char *program_release;
	bool program_known;
	/** The program and its code; NULL if the program is not at hand.
	 *  CODE_KNOWN: it was searched. */
	struct gsym_module *program;
	struct gsym_markup_log_code text;
	bool code_known;
	/** The start of the first section of code; 0: not known. */
	uint64_t code_start;
	/** The WebAssembly module of the symbols; NULL if it is not at hand.
	 *  WASM_KNOWN: it was searched. */
	struct gsym_module *wasm;
	bool wasm_known;
	/** Texts of markup_compare_build, malloc'ed. */
	char *tells_id, *tells_release;
};

/** Whether symbols are of the build that a log names. */
enum markup_build {
	/** The log or the symbols do not say it. */
	MARKUP_BUILD_UNKNOWN,
	MARKUP_BUILD_SAME,
	MARKUP_BUILD_OTHER,
};

struct markup {
	/** The log files; without one the log is standard input. */
	struct option_list paths;
	enum out_colour colour;
	struct gsym_markup *filter;
	struct gsym_markup_options options;
	struct out out;

	/** Where symbols come from. */
	struct source *source;
	bool follow, strict, no_demangle;
	/** --check: GSYM files with a wrong checksum are not used. */
	bool check;
	/** --copy: GSYM files are read, not mapped. */
	bool copy;
	/** Output and messages go to the same place. */
	bool one_place;
	bool message_colour;
	/** Errors in the log. */
	uint64_t errors;

	/** Folders of --symbols and --root; --strip-prefix. */
	struct option_list symbols, roots, strip;
	/** Folders of --source-root, and the files that were read. */
	struct option_list source_roots;
	struct markup_sources *sources;
	/** --kernel and --release. */
	const char *kernel, *release;
	/** --stats; and --strip-prefix was given. */
	bool stats, explain, strip_given;
	/** --json: the log is written as JSON; the start of the line at hand,
	 *  and the number of lines before it. */
	bool as_json;
	struct json json;
	char head[512];
	size_t head_size;
	uint64_t lines;
	/** The files that --symbols, --kernel and releases have led to. */
	struct markup_files *files;

	/** --output-dir; NULL: the output is one page, or no page. */
	const char *page_dir;
	struct pages *pages;

	/** --dumpfile-output; NULL. */
	const char *dump_path;
	/** The objects of DUMP_COUNT dump files, separated by commas. */
	struct out dump_json;
	size_t dump_count;
	/** Objects of further dump files were dropped, because they did not fit
	 * into memory. */
	bool dumps_lost;
	/** The file of --dumpfile-output lacks objects, and the time from which
	 *  on --follow writes it again; milliseconds. */
	bool dumps_due;
	int64_t dumps_time;

	/** --module: modules that options, not the log, name. */
	struct markup_preset *presets;
	size_t preset_count;
	/** The name that markup_demangle returned last, if it is malloc'ed. */
	char *plain;
	/** All symbols that the filter was given; and those of the store, by
	 *  the numbers of their entries. */
	struct markup_symbols *known;
	struct gsym_intern entries;
	struct {
		GSYM_VEC(struct markup_symbols *);
	} by_entry;

	/** The last byte of the log so far is no line end. */
	bool in_line;
	/** The next bytes are the first ones of a file; and a note has said
	 *  that a file is a profile. */
	bool at_start, profile_told;
	/** After a signal: the time until which the line at hand may get its
	 *  end; milliseconds, 0 before. */
	int64_t last_line;

	/** How often missing files were looked for again; and how often the
	 *  store was asked to, as at each reset of the log. */
	unsigned round, retries;
	/** When the filter was last told to look for missing symbols again;
	 *  milliseconds. */
	int64_t asked;
};

/* markup/symbols.c */
void markup_symbols_start(struct markup *m);
/** Free the filter, then all symbols that it was given; the readers of files
 *  and of the store are closed after that. */
void markup_symbols_end(struct markup *m);
void *markup_module(void *context, const struct gsym_markup_module *module);
size_t markup_code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity);
bool markup_data(void *context, void *symbols, uint64_t address,
		 struct gsym_markup_datum *ret);
const char *markup_demangle(void *context, const char *name, bool lasting);
/** Have the store search again for what is missing.  A callback of the filter:
 *  files that were missing before a reset may exist now. */
void markup_retry(void *context);
/** Add symbols, which own READER.  PATH is copied. */
struct markup_symbols *markup_add(struct markup *m, struct gsym_reader *reader,
				  const char *path);
/** The symbols of ENTRY. */
struct markup_symbols *markup_of_entry(struct markup *m,
				       const struct gsym_store_entry *entry);
/** Note VALUE, "FILE" or "FILE@ADDRESS"; dies if it is wrong. */
void markup_preset(struct markup *m, const char *value);
/** Add the noted modules to the filter; dies if a file cannot be read. */
void markup_add_presets(struct markup *m);

/** The symbols of the build ID, as markup_module finds them; NULL if there are
 *  none. */
struct markup_symbols *markup_find_id(struct markup *m, const uint8_t *id,
				      size_t size);

/** The entry of the store whose symbol table belongs to S; NULL if there is
 *  none. */
const struct gsym_store_entry *markup_entry(struct markup *m,
					    struct markup_symbols *s);

/* markup/logs.c */
bool markup_log_module(void *context,
		       const struct gsym_markup_log_module *module,
		       struct gsym_markup_log_symbols *ret);
size_t markup_log_functions(void *context, void *symbols, const char *name,
			    size_t size,
			    struct gsym_markup_log_function *functions,
			    size_t capacity);
bool markup_log_offset(void *context, void *symbols, uint64_t offset,
		       uint64_t *address);
/** A callback of the filter, for --explain. */
void markup_explain(void *context, uint64_t line, const char *text);
/** The words that --logs takes, up to a NULL. */
const char *const *markup_log_words(void);
/** Take the value of --logs: forms of backtraces in a list with commas.  Dies
 *  if there is another word. */
void markup_set_logs(struct markup *m, const struct options *options);
/** Complete the options about backtraces without markup.  Dies if --release is
 *  wrong. */
void markup_logs_start(struct markup *m);
/** Write the counts of --stats.  Returns true if a frame has no answer. */
bool markup_logs_end(struct markup *m);

/* markup/identity.c */
/** Whether HEADER has a build ID.  One of zeros stands for none. */
static inline bool markup_has_id(const struct gsym_header *header)
{
	for (size_t i = 0; i < header->uuid_size; i++)
		if (header->uuid[i])
			return true;
	return false;
}

/** Compare the build of S with that of LOG.  MODULE is the file name of a
 *  module of the kernel, and "" for the kernel.  Of another build: *WHY becomes
 *  a text that tells the build of S, and lives as long as S; else NULL. */
enum markup_build markup_compare_build(struct markup *m,
				       struct markup_symbols *s,
				       const struct gsym_markup_log_module *log,
				       const char *module, const char **why);

/** Takes the file PATH of the program of S; false if the file does not have
 *  what is searched. */
typedef bool markup_take(struct markup_symbols *s, const char *path);
/** Call TAKE for the files of the program of S that have its build ID, until it
 *  returns true: beside S, beside the file that the store has for the build ID,
 *  and in the debug folders.  Returns whether it did. */
bool markup_search_program(struct markup *m, struct markup_symbols *s,
			   markup_take *take);

/** Set TEXT and CODE of RET from the program of S, if it is at hand.  CODE is
 *  not known if it depends on the size of the machine's pages. */
void markup_set_code(struct markup *m, struct markup_symbols *s,
		     struct gsym_markup_log_symbols *ret);
/** Set *ADDRESS to the address of the byte at OFFSET of the WebAssembly module
 *  of S.  False if the module is not at hand, or the byte is none of its
 *  code. */
bool markup_wasm_address(struct markup *m, struct markup_symbols *s,
			 uint64_t offset, uint64_t *address);

/* markup/logfiles.c */
/** The symbols of the module with this base NAME in the folders of --symbols.
 *  ID_SIZE is not 0: a file with the build ID, or else one with another build
 *  ID.  NULL if there is none, or if files with different build IDs have the
 *  name and none of them has the one that is asked for. */
struct markup_symbols *markup_by_name(struct markup *m, const char *name,
				      size_t name_size, const uint8_t *id,
				      size_t id_size);
/** The symbols in the file PATH: GSYM data, or with --convert a debug file.
 *  NULL, after a note unless the file is MISSING_OK and missing. */
struct markup_symbols *markup_by_path(struct markup *m, const char *path,
				      bool missing_ok);
/** The symbols of the kernel's module NAME in the folder of the file of
 *  --kernel; NULL if there are none. */
struct markup_symbols *markup_beside_kernel(struct markup *m, const char *name);
/** The symbols of the kernel's module NAME, or of the kernel if NAME is "",
 *  that are installed for RELEASE; NULL. */
struct markup_symbols *markup_by_release(struct markup *m, const char *release,
					 const char *name);
/** As markup_by_release; --convert converts debug files of RELEASE. */
struct markup_symbols *markup_convert_release(struct markup *m,
					      const char *release,
					      const char *name);
void markup_files_free(struct markup *m);

/** Read the build ID of the file that the log calls NAME, below the folders of
 *  --root, to the CAPACITY bytes at ID; returns its size, 0 if there is
 *  none. */
size_t markup_root_id(struct markup *m, const char *name, size_t name_size,
		      uint8_t *id, size_t capacity);

/** A callback of the filter: a line of source code. */
const char *markup_source(void *context, const struct gsym_markup_frame *frame,
			  uint32_t line, size_t *size);
void markup_sources_free(struct markup *m);

/* markup/signals.c */
/** Catch SIGINT and SIGTERM from now on, but for those that are ignored.  The
 *  second one that comes ends the process, and so does the first one if the
 *  output is not written some seconds later. */
void markup_catch_signals(void);
/** The number of the signal that came first; 0 if none came. */
int markup_interrupted(void);
/** A descriptor that can be read once a signal came; -1 before
 *  markup_catch_signals. */
int markup_signal_pipe(void);

/* markup/input.c */
/** Feed the filter the next SIZE bytes of the log; after a signal only those up
 *  to the end of the line at hand.  Returns false if the log has ended so. */
bool markup_feed(struct markup *m, const char *bytes, size_t size);
/** Read the next bytes of the log from FD, whose name is PATH, and feed them.
 *  Returns how many there were; 0: the file, or after a signal the log, has
 *  ended; -1: none came yet.  Dies if they cannot be read. */
ssize_t markup_read(struct markup *m, int fd, const char *path);
/** Whether the log goes on: no signal came, or the line at hand may still get
 *  its end. */
bool markup_goes_on(struct markup *m);
/** Wait for input on FD or a signal, at most TIMEOUT milliseconds; -1: without
 *  an end.  After a signal waits for the end of the line at hand alone.
 *  Returns whether FD has input. */
bool markup_wait(struct markup *m, int fd, int timeout);
/** Write all output that is complete.  Returns the milliseconds until the
 *  filter wants to be told the time again, or -1. */
int markup_hand_over(struct markup *m);
/** Filter the file PATH; "-": standard input. */
void markup_read_file(struct markup *m, const char *path);

/* markup/follow.c */
/** Filter the file PATH and what is written to it, until a signal comes. */
void markup_follow(struct markup *m, const char *path);

/* ---- objects.c: a log as JSON, and the memory that it describes ---------- */

/** Write the first object, which tells the version and the forms of logs. */
void objects_start(struct markup *m);
/** Write the first line that ends in the next SIZE bytes of the log.  Returns
 *  how many bytes it looked at, at least 1 of them: the filter gets these
 *  before the next call. */
size_t objects_scan(struct markup *m, const char *bytes, size_t size);
/** Write the last line of the log, which has no end. */
void objects_end(struct markup *m);
/** Callbacks of the filter, with a struct markup as CONTEXT. */
void objects_frame(void *context, const struct gsym_markup_stack_frame *frame);
void objects_explain(void *context, uint64_t line, const char *text);

void markup_dump(void *context, const struct gsym_markup_dump *dump);
/** Die if the file of --dumpfile-output cannot be written. */
void markup_dump_start(const struct markup *m);
/** The log pauses: with --follow write the file of --dumpfile-output, unless
 *  nothing changed or it was written not long ago. */
void markup_dump_pause(struct markup *m);
/** Write the file of --dumpfile-output, if that was given. */
void markup_dump_write(struct markup *m);

/* ---- pages.c: a log as a series of HTML pages, and their index ----------- */

/** Make the folder DIR if it is missing.  Dies if that is not possible. */
struct pages *pages_new(const char *dir);
void pages_free(struct pages *p);
/** Append SIZE bytes to the page at hand. */
void pages_write(struct pages *p, const char *bytes, size_t size);
/** Whether a page is being written. */
bool pages_is_open(const struct pages *p);
/** Callbacks of the filter, with a struct markup as CONTEXT. */
void pages_part(void *context, const struct gsym_markup_part *part);
void pages_frame(void *context, const struct gsym_markup_stack_frame *frame);
/** Write the index.  TITLE may be NULL. */
void pages_end(struct markup *m, const char *title);

/** The files of tools/markup/pages as arrays of lines, which the build makes;
 *  NULL ends them. */
extern const char *const pages_index_css[], *const pages_index_js[];

#endif /* TOOLS_MARKUP_MARKUP_H */
