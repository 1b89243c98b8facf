/* SPDX-License-Identifier: MIT */
/*
 * personality.h - gsym-lookup in place of addr2line, llvm-addr2line and
 * llvm-symbolizer: what the files of this room share.
 *
 *	arguments -> settings.c: struct settings
 *	lines -> request.c: struct request
 *	module.c: the GSYM data of the module of a request, which may be a
 *	          member of an archive
 *	answer.c: struct answer -> text.c: output
 *
 * The contract is that of the programs that are replaced, as their clients read
 * it: one answer for each request, in the same number of lines.
 */
#ifndef TOOLS_PERSONALITY_PERSONALITY_H
#define TOOLS_PERSONALITY_PERSONALITY_H

#include <gsym/program.h>
#include <gsym/reader.h>
#include <gsym/store.h>

#include "base/vec.h"
#include "common/names.h"
#include "common/out.h"
#include "source/source.h"

/** The programs that are replaced. */
enum personality {
	PERSONALITY_NONE, /**< gsym-lookup itself */
	PERSONALITY_ADDR2LINE,
	PERSONALITY_LLVM_ADDR2LINE,
	PERSONALITY_LLVM_SYMBOLIZER,
	PERSONALITY_REFUSED, /**< eu-addr2line: its protocol is another one */
	PERSONALITY_UNKNOWN, /**< --personality= with another word */
};

/** --output-style of llvm-symbolizer; addr2line has STYLE_GNU. */
enum answer_style { STYLE_LLVM, STYLE_GNU, STYLE_JSON };
/** --functions of llvm-symbolizer; -f of addr2line is NAMES_LINKAGE. */
enum answer_names { NAMES_NONE, NAMES_SHORT, NAMES_LINKAGE };

/** What to do for a module without GSYM data: --fallback. */
enum fallback {
	FALLBACK_NONE,	  /**< answer that nothing is known */
	FALLBACK_CONVERT, /**< run gsym-create */
	FALLBACK_SYMBOLS, /**< names by the ELF symbol table */
};
enum { MOST_FALLBACKS = 3 };

/** The arguments of a program, malloc'ed; ends with NULL. */
struct arguments {
	GSYM_VEC(char *);
};

/** The command line. */
struct settings {
	enum personality personality;
	/** The name in front of messages. */
	const char *program;

	/** -e; NULL: none was given. */
	const char *path;
	/** --build-id, or NULL. */
	const char *build_id;
	/** -j, or NULL: addresses are offsets in that section. */
	const char *section;
	/** --default-arch, or NULL: which of several programs in a file, where
	 *  no path names one as FILE:ARCHITECTURE. */
	const char *architecture;
	/** --adjust-vma: added to each address. */
	uint64_t adjust;
	/** --relative-address: those of a PE program count from its base. */
	bool relative;

	enum answer_style style;
	enum answer_names names;
	bool addresses, inlines, pretty, basenames, demangle, verbose;
	/** --skip-line-zero. */
	bool skip_zero;
	/** --all of the crate addr2line: for all addresses that have a line. */
	bool all;
	/** --print-source-context-lines. */
	uint64_t context_lines;

	/** --filter-markup: run gsym-markup, with these arguments. */
	bool filter_markup;
	const char *colour;

	/** --disable-gsym: no GSYM data that exist are used. */
	bool disable_gsym;
	/** --no-verify: build IDs are not compared. */
	bool no_verify;
	/** --fallback, in order; ends with FALLBACK_NONE. */
	enum fallback fallbacks[MOST_FALLBACKS + 1];
	/** --convert-limit: the most bytes of debug info that are converted
	 *  while the client waits. */
	uint64_t convert_limit;
	/** Where GSYM data come from. */
	struct source_options source;

	/** The addresses among the arguments. */
	char **operands;
	size_t operand_count;
	/** The words that other members point to: of the command line, files
	 *  and variables included, and of GSYM_LOOKUP_OPTS. */
	struct arguments words, extra_words;
};

/* choose.c */
/** Which program ARGV asks for: by its first argument, --personality=NAME, or
 *  by the name of the program.  *SKIP becomes the number of arguments that say
 *  so. */
enum personality choose_personality(int argc, char *const *argv, int *skip);
/** If the arguments ask for another program than gsym-lookup, be that program,
 *  set *STATUS to its exit status, and return true.  Else remove the argument
 *  --personality. */
bool choose_run(int *argc, char ***argv, int *status);
struct answers;
/** Answer all operands, or all lines of standard input. */
void choose_answer(const struct settings *s, struct answers *answers);

/* extra.c */
/** Append a copy of the LENGTH bytes at TEXT. */
void extra_add(struct arguments *a, const char *text, size_t length);
/** Append the words of TEXT, which blanks separate; NULL has none. */
void extra_add_words(struct arguments *a, const char *text);
/** Append ARGUMENT, or, if it is @FILE and FILE can be read, the words in FILE,
 *  by the rules of binutils and LLVM: blanks separate words; quotes and
 *  backslashes protect blanks. */
void extra_add_expanded(struct arguments *a, const char *argument);
void extra_free_words(struct arguments *a);
/** The defaults of the settings that all personalities share. */
void extra_start(struct settings *s);
/** Take the option NAME (without dashes) if all personalities have it.  VALUE
 *  is the text after '=', or NULL.  Returns false if it is no such option; dies
 *  if its value is wrong. */
bool extra_option(struct settings *s, const char *name, const char *value);
/** Take the options of GSYM_LOOKUP_OPTS.  Dies if one is wrong. */
void extra_environment(struct settings *s);
/** Set what depends on other settings. */
void extra_finish(struct settings *s);
/** Free what the functions of this header allocated for S. */
void extra_free(struct settings *s);
/** Write "PROGRAM: " and a message to standard error, and exit with status 1,
 *  as the programs do that are replaced. */
_Noreturn void extra_die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** Write a line to standard error, if not too many bytes were written there:
 *  some clients never read it. */
void extra_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* settings.c */
/** Read the command line of addr2line.  --help and --version end the
 *  process. */
void settings_addr2line(struct settings *s, int argc, char **argv);
/** Read the command line of llvm-addr2line or llvm-symbolizer. */
void settings_llvm(struct settings *s, int argc, char **argv);

/* ---- requests ------------------------------------------------------------ */

/** Bytes of a line or of an argument; not NUL-terminated. */
struct text {
	const char *bytes;
	size_t length;
};

enum request_kind { REQUEST_CODE, REQUEST_DATA, REQUEST_FRAME };

/** A question. */
struct request {
	enum request_kind kind;
	/** The line. */
	struct text line;
	/** The path or, with BY_ID, the build ID of the module; empty: that of
	 *  the command line. */
	struct text module;
	bool by_id;
	/** PLACE_ADDRESS: ADDRESS.  PLACE_NAME: OFFSET bytes after the start of
	 *  the function NAME.  PLACE_NOTHING: the line asks for no place. */
	enum { PLACE_NOTHING, PLACE_ADDRESS, PLACE_NAME } place;
	uint64_t address;
	struct text name;
	uint64_t offset;
	/** If there is no function NAME, ADDRESS is asked for. */
	bool or_address;
	/** With PLACE_NOTHING: why; NULL if nothing is to be said. */
	const char *problem;
};

/** Read a line for addr2line; numbers are hexadecimal, and what follows them
 *  is ignored. */
void request_addr2line(const char *line, size_t length, struct request *ret);
/** Read a line for llvm-symbolizer (HEX false) or llvm-addr2line (HEX true).
 *  WITH_MODULE: the line names its module. */
void request_llvm(const char *line, size_t length, bool hex, bool with_module,
		  struct request *ret);
/** Read a line for the personality of S. */
void request_read(const struct settings *s, const char *line, size_t length,
		  struct request *ret);

/* ---- modules ------------------------------------------------------------- */

/** A module that was asked about, and what is known about it. */
struct module {
	/** As the request names it. */
	char *name;
	/** Why there is no module: "No such file or directory"; NULL. */
	const char *error;
	/** There is no such file. */
	bool missing;
	/** The text of ERROR, malloc'ed, if it names a member; NULL. */
	char *reason;
	/** The ELF file; NULL: there is none. */
	struct gsym_module *file;
	struct gsym_module_facts facts;
	/** The GSYM data; NULL: there are none. */
	const struct gsym_reader *reader;
	/** What READER belongs to. */
	struct source_symbols symbols;
	/** Of READER. */
	struct names names;
	/** Added to each address; follows from -j or --relative-address.
	 *  PLACELESS: there is no such section. */
	uint64_t base;
	bool placeless;
	/** With -j: the bytes of the section. */
	uint64_t section_size;
	/** The GSYM data have other addresses than the symbols. */
	bool displaced;
	/** Without GSYM data, names come from the symbol table. */
	bool by_symbols;
	struct gsym_demangler *demangler;
	/** ERROR or a damaged record was reported. */
	bool reported;
};

struct modules;
/** A table without modules.  SETTINGS has to outlive it. */
struct modules *module_start(const struct settings *settings);
void module_end(struct modules *modules);
/** The module that REQUEST names; it is opened by the first request for it. */
struct module *module_get(struct modules *modules,
			   const struct request *request);

/* ---- answers ------------------------------------------------------------- */

/** An answer. */
struct answer {
	const struct request *request;
	/** NULL: the line names no module. */
	struct module *module;
	/** The address that was asked for, or that of the name. */
	uint64_t address;
	/** The frames of code, innermost first; none if nothing is known. */
	struct gsym_frame *frames;
	size_t count;
	/** The place of the first frame is that of code before the address. */
	bool approximate;
	/** Where the function of the last frame starts; the variable. */
	uint64_t start;
	uint64_t size;
	/** The name of the variable; NULL if nothing is known. */
	const char *datum;
	/** Where the variable is declared; directory and base name are "" if
	 *  that is not known. */
	struct gsym_frame declared;
	/** Names stay as they are in the file: their readable forms are too
	 *  long. */
	bool mangled;
	/** The line asks for no place, or for a name that no function has. */
	bool nowhere;
	/** The name of the request: functions from this index on may have it,
	 *  too. */
	uint32_t next_index;
};

struct answers;
struct answers *answer_start(const struct settings *settings);
void answer_end(struct answers *answers);
/** Answer REQUEST.  The answer is valid until the next call. */
const struct answer *answer_get(struct answers *answers,
				 const struct request *request);
/** Make the answer, which is valid, that for the next function of the name
 *  that was asked for.  Returns false if there is none, or if only one counts,
 *  as for addr2line of binutils; the answer stays as it is then. */
bool answer_next(struct answers *answers);

/** The name in FRAME or of a variable, as it is to be shown; "" if it has
 *  none.  Valid until the next call. */
const char *answer_name(const struct settings *s, const struct answer *a,
			const char *name);

/** Write A, the answer of ALL, as addr2line and llvm-symbolizer do, and those
 *  of other functions of the name. */
void text_write(struct out *out, const struct settings *s,
		struct answers *all, const struct answer *a);
/** The same as a JSON object, without the end of its line. */
void text_write_json(struct json *json, const struct settings *s,
		     struct answers *all, const struct answer *a);
/** Write that the module of the command line, M, cannot be opened, as a line of
 *  JSON. */
void text_write_error(struct json *json, const struct module *m);

#endif /* TOOLS_PERSONALITY_PERSONALITY_H */
