/* SPDX-License-Identifier: MIT */
/*
 * source.h - where symbols come from: finds or makes the GSYM data of a program
 * of which a path, a build ID or both are known.  One of it for all tools.
 *
 * These are asked, in this order, until one has the data:
 *
 *	the file itself     GSYM data, or the section .gsym of an ELF file
 *	beside it           FILE.gsym, with the same build ID
 *	the folders         by build ID (gsym/store.h), then DIR/NAME.gsym
 *	the cache           by build ID
 *	its debug file      its section, and the file beside it
 *	--fetch             a command makes the file, by build ID
 *	--debuginfod        the section .gsym of a server, by build ID
 *	--convert           gsym-create, a child process in a sandbox, converts
 *	                    the program, its debug file in a debug folder, or
 *	                    the debug file of a server
 *
 * The last three are makers.  What they make appears in the cache whole, and
 * only after it was checked.  Where the cache cannot be written, and for
 * results that must not be kept, a folder of this process takes its place.  A
 * lock for each build ID lets other processes wait for the result.  A build ID
 * that no maker had is remembered, and a maker that fails again and again has
 * a pause.
 *
 * Where the addresses are known that a caller wants, --convert first converts
 * what these need.  Then another process converts the whole, for the cache.
 *
 * All is hostile: files, build IDs, answers of servers, children.
 */
#ifndef TOOLS_SOURCE_SOURCE_H
#define TOOLS_SOURCE_SOURCE_H

#include <gsym/program.h>
#include <gsym/store.h>

#include "common/options.h"

/** What a search has led to. */
enum source_answer {
	/** There are symbols. */
	SOURCE_HAVE,
	/** Nobody has them.  Makers are not asked again for the build ID until
	 *  source_retry, or the time that struct source_host tells. */
	SOURCE_ABSENT,
	/** Nobody has them now: a maker pauses, a signal came, or another
	 *  process converts a large program. */
	SOURCE_LATER,
	/** A file cannot be read, or a maker failed, which a note has told. */
	SOURCE_FAILED,
};

/* ---- options ------------------------------------------------------------- */

/** The options of all tools that look symbols up.  Zeroed: none was given. */
struct source_options {
	/** --gsym-file-directory and --debug-file-directory.  Without the
	 *  latter: /usr/lib/debug. */
	struct option_list gsym_folders, debug_folders;
	/** --path-prefix-map. */
	struct option_list path_maps;
	/** --fetch: the words of the command, with blanks between them. */
	const char *fetch;
	bool debuginfod;
	/** --convert and --no-convert; the last one counts. */
	enum { SOURCE_ASKED = 1, SOURCE_FORBIDDEN } conversion;
	/** Limits; 0: the default. */
	uint64_t fetch_seconds, fetch_bytes, convert_seconds, convert_bytes;
};

/** The options, for the tables of tools. */
extern const struct option_group source_group;
/** What the command line has of them. */
struct source_options *source_asked(void);
/** Whether O, or GSYM_CONVERT in the environment, asks for conversions; if
 *  neither says, USUALLY. */
bool source_converts(const struct source_options *o, bool usually);
/** Die if O has limits of a maker that it does not ask for. */
void source_check_options(const struct source_options *o);
/** Die if O asks for what a process in a sandbox cannot do. */
void source_check_sandbox(const struct source_options *o);
/** Whether O asks for a maker, other than by default. */
bool source_makes(const struct source_options *o);
/** Free the lists of O. */
void source_options_fini(struct source_options *o);

/* ---- the source ---------------------------------------------------------- */

/** Whether a source converts programs. */
enum source_conversion {
	/** If an option or GSYM_CONVERT asks for it. */
	SOURCE_CONVERTS_IF_ASKED,
	/** Unless an option or GSYM_CONVERT forbids it. */
	SOURCE_CONVERTS,
	/** No, whatever is asked: the process is in a sandbox that runs no
	 *  child. */
	SOURCE_CONVERTS_NEVER,
};

/** What a tool wants of a source. */
struct source_host {
	void *context;
	/** Show a message, such as "'a.gsym' is not used: it has another build
	 *  ID".  NULL: it is a note of the tool.  Never called by two threads
	 *  at once. */
	void (*note)(void *context, const char *text);
	/** Called for each file that is tried, in the order of the search.  WHY
	 *  says why it is not used; NULL: it is.  NULL: nobody is told.  Never
	 *  called by two threads at once. */
	void (*tried)(void *context, const char *path, const char *why);
	/** Called before what may take long; NULL. */
	void (*before)(void *context);
	/** A descriptor that can be read when the work shall end early, or -1;
	 *  NULL: signals that end this process end its makers. */
	int (*wake)(void);
	/** Seconds until makers are asked again; 0: see source_retry. */
	unsigned again;
	/** LIMITED: no more than MOST_NOW bytes of debug info are converted
	 *  while the caller waits. */
	bool limited;
	uint64_t most_now;
	enum source_conversion converts;
	/** No message of gsym-create is shown. */
	bool silent;
	/** The process is in a sandbox that lets it open FILE and FILE.gsym
	 *  alone: nothing else is tried. */
	bool files_only;
	/** --no-verify: build IDs are not compared.  --check: files with a
	 *  wrong checksum are not used.  --copy: files are not mapped. */
	bool any, check, copy;
	/** The cache is not searched, unless this run makes files. */
	bool no_cache;
};

struct source;

/** A source by O, whose strings have to outlive it.  Dies without memory, and
 *  if O is wrong. */
struct source *source_new(const struct source_options *o,
			  const struct source_host *host);
/** Free S, which may be NULL, its store, and the files that are not kept. */
void source_free(struct source *s);
/** The store of S: its folders and its cache. */
struct gsym_store *source_store(struct source *s);
/** Whether S has a maker that it may ask. */
bool source_may_make(const struct source *s);
/** Whether S converts programs that this machine has. */
bool source_may_convert(const struct source *s);
/** The cache folder; NULL if there is none. */
const char *source_cache(const struct source *s);
/** Write the folders that S searches by build ID, and which of them are not
 *  there, to the SIZE bytes at TEXT: "'/srv/gsym' (there is no such folder),
 *  '/usr/lib/debug'". */
void source_searched(struct source *s, char *text, size_t size);
/** The folders of --debug-file-directory, or the default. */
const struct option_list *source_debug_folders(const struct source *s);
/** Forget what was not found: files may have come. */
void source_retry(struct source *s);

/** Open the file PATH as --copy and --check ask for. */
enum gsym_status source_open_file(const struct source *s, const char *path,
				  struct gsym_reader **ret,
				  struct gsym_error *error);

/** What is known of a program. */
struct source_program {
	/** NULL: its build ID alone is known. */
	const char *path;
	/** The open file that PATH names as /proc/self/fd/N; 0: PATH is another
	 *  path. */
	int fd;
	/** The build ID; ID_SIZE is 0 if there is none, or it is not known. */
	const uint8_t *id;
	size_t id_size;
	/** The open ELF file; NULL: it is opened if need be. */
	struct gsym_module *file;
	/** --arch of gsym-create; NULL. */
	const char *architecture;
	/** A file beside a PATH that is no program is used. */
	bool lenient;
	/** The ADDRESS_COUNT addresses that will be looked up; NULL: any.  Of a
	 *  large program symbols for these alone may be made, and the whole is
	 *  converted behind, for the cache. */
	const uint64_t *addresses;
	size_t address_count;
	/** No GSYM data that exist are used: the program is converted. */
	bool fresh;
	/** The program is not converted. */
	bool unconverted;
};

/** Symbols that were found. */
struct source_symbols {
	/** NULL: there are none. */
	const struct gsym_reader *reader;
	/** READER belongs to this entry of the store, to be released, or is
	 *  OWN, to be closed; NULL. */
	const struct gsym_store_entry *entry;
	struct gsym_reader *own;
	/** The path of OWN, malloc'ed; NULL: its file is gone. */
	char *path;
	/** They were converted right now.  KEPT: the cache has them.  PARTIAL:
	 *  they answer for the addresses of the program alone.  BEHIND: another
	 *  process converts the whole. */
	bool converted, kept, partial, behind;
	/** The file itself is a program. */
	bool is_program;
	/** Why the file itself cannot be opened. */
	enum gsym_status status;
	struct gsym_error error;
};

/** Search the GSYM data of P. */
enum source_answer source_open(struct source *s, const struct source_program *p,
			       struct source_symbols *ret);
/** Die: the file PATH, which S has opened without finding symbols, has none. */
_Noreturn void source_refuse(const struct source *s, const char *path,
			     const struct source_symbols *symbols);
/** Close what *SYMBOLS owns. */
void source_close(struct source_symbols *symbols);
/** Search the store and ask the makers for the build ID of SIZE bytes at ID.
 *  *RET is to be released (gsym_store_release) if the store has a limit; NULL
 *  unless SOURCE_HAVE is returned.  SOURCE_FAILED with ERROR->code set: a file
 *  that is there cannot be opened.  Any number of threads may call this. */
enum source_answer source_find(struct source *s, const uint8_t *id, size_t size,
			       const struct gsym_store_entry **ret,
			       struct gsym_error *error);
/** Ask the makers alone.  SOURCE_HAVE: the store has the build ID of P now.
 *  Any number of threads may call this; one maker works at a time. */
enum source_answer source_make(struct source *s,
			       const struct source_program *p);
/** The file that a conversion of P would read debug info from: the path of P,
 *  or that of its debug file on this machine.  Malloc'ed; NULL: neither has
 *  debug info, or P is no ELF file. */
char *source_debug_info(struct source *s, const struct source_program *p);
/** Convert P, whatever was found before. */
enum source_answer source_convert(struct source *s,
				  const struct source_program *p,
				  struct source_symbols *ret);

#endif /* TOOLS_SOURCE_SOURCE_H */
