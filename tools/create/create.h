/* SPDX-License-Identifier: MIT */
/*
 * create.h - what the files of gsym-create share: the request, the state of a
 * conversion, and the steps from one to the report.
 */
#ifndef TOOLS_CREATE_CREATE_H
#define TOOLS_CREATE_CREATE_H

#include <gsym/convert.h>
#include <gsym/reader.h>

#include "base/vec.h"
#include "common/file.h"
#include "common/options.h"
#include "common/out.h"
#include "common/run.h"

struct debuginfod;

/** The request: what the command line says. */
struct create {
	const char *input, *output;
	/** What the options ask of the libraries.  The rest, which depends on
	 *  the input, is set for each conversion. */
	struct gsym_convert_options convert;
	struct gsym_build_options build;
	/** The byte order of the output: 0: as the input; 1: little-endian; 2:
	 *  big-endian. */
	int order;
	unsigned threads;
	enum create_reader {
		READER_OWN,
		READER_LIBDWARF,
	} reader;
	/** --callsites-yaml-file, or NULL. */
	const char *yaml;
	/** --embed: the ELF file to embed the output in, or NULL. */
	const char *embed;
	/** --install: the folder, or NULL. */
	const char *install;
	/** --release; NULL: no links are made. */
	const char *release;
	/** The malloc'ed path of the installed file, once it is known. */
	char *installed;
	/** --replace: which of two files is installed. */
	enum create_replace {
		/** The better one, see struct rank. */
		REPLACE_BETTER,
		/** The new one. */
		REPLACE_ALWAYS,
		/** The one that is there. */
		REPLACE_NEVER,
	} replace;
	bool no_stub;
	/** The last output was not written: the file that is there is kept. */
	bool kept;
	/** --manifest: a descriptor, or -1. */
	int manifest;
	/** --identify, and its operands. */
	bool identify;
	const char *const *inputs;
	size_t input_count;
	/** --files-from, or NULL; --null: NULs end the names there. */
	const char *files_from;
	bool null_names;
	/** --recursive: INPUT is a folder, or --files-from has the files. */
	bool recursive;
	/** --output-dir: the folder for the outputs of --recursive, or NULL. */
	const char *output_dir;
	/** This process converts one file of a folder (--recursive). */
	bool in_tree;
	/** --segment-size in bytes; 0: write one file. */
	uint64_t segment_size;
	struct sandbox sandbox;
	/** --temporary-directory, or NULL. */
	const char *temporary_directory;
	/** The folder for temporary files in the sandbox, malloc'ed; "": they
	 *  are in memory; NULL: the usual folder. */
	char *temporary;
	/** In the sandbox: the folder in --temporary-directory that this
	 *  process made for itself, and its children. */
	struct temporary own_folder;
	/** --max-memory in bytes, --max-time in seconds; 0: no limit. */
	uint64_t max_memory, max_time;
	/** --depfile: NULL, or "" for OUT.d; the malloc'ed path, or NULL; the
	 *  rules of outputs that are written; and the malloc'ed paths that the
	 *  next output depends on. */
	const char *depfile;
	char *depfile_path;
	struct out rules;
	struct {
		GSYM_VEC(char *);
	} dependencies;
	struct option_list path_maps;
	/** --path-prefix-map=auto: the map of the compilation directory,
	 *  malloc'ed; NULL: that is not known. */
	char *automatic;
	bool verify, strict, json, verbose;
	/** --max-size in bytes; 0: any. */
	uint64_t max_size;
	/** --require: bits, see report.c. */
	unsigned require;
	/** --section-base; the names are malloc'ed. */
	struct {
		GSYM_VEC(struct gsym_section_base);
	} section_bases;
	/** --only-for. */
	struct {
		GSYM_VEC(uint64_t);
	} addresses;
	/** --arch: names or numbers of architectures. */
	struct option_list archs;
	/** The architecture of INPUT that is being converted; NULL if INPUT has
	 *  only one. */
	const char *architecture;
	/** When the tool was started, see clock_milliseconds. */
	int64_t start;
	/** --debug-file-directory, without those that are empty; no ITEMS: the
	 *  default folders. */
	struct option_list directories;
	bool debuginfod;
	/** The client for --debuginfod; NULL until the first request. */
	struct debuginfod *client;
};

/** For kinds whose warnings are about one record each: the number of warnings
 *  that the summary shows. */
enum { CREATE_SHOWN = 5 };

/** The warnings of one kind. */
struct warning {
	uint64_t count;
	/** The number of texts in FIRST. */
	unsigned shown;
	/** The texts of the first warnings, without repetitions. */
	char first[CREATE_SHOWN][GSYM_ERROR_MESSAGE_SIZE];
};

/** Bytes of the ID of a file, see create_file_id. */
enum { FILE_ID = 16 };

/** One conversion and its result. */
struct conversion {
	struct create *create;
	/** The current work, for the progress line. */
	const char *what;
	/** The builder that the input is read into. */
	struct gsym_builder *builder;
	/** The malloc'ed path of the debug file, if one was used. */
	char *debug_file;
	/** The number of objects whose debug info was used by a debug map. */
	uint64_t objects;
	/** This conversion is for --verify: its warnings are not shown. */
	bool second;
	/** This is the third one, of symbols and .eh_frame alone. */
	bool symbols;
	struct gsym_convert_facts facts;
	struct gsym_build_summary summary;
	struct warning warnings[GSYM_WARN_COUNT];
	/** The text of the first warning about damage, or "", its kind, and the
	 *  number of these warnings. */
	char damage[GSYM_ERROR_MESSAGE_SIZE];
	enum gsym_warning damage_kind;
	uint64_t damages;
	/** The image, malloc'ed; NULL if it was streamed to the output. */
	uint8_t *bytes;
	/** The size of the image in bytes. */
	uint64_t size;
	/** Bytes written to all outputs, and the number of segments. */
	uint64_t written;
	uint64_t segments;
	/** --install: the file that is there is kept. */
	bool kept;
	/** --install: the ID of the program's file (create_file_id), if it is
	 *  KNOWN. */
	bool file_id_known;
	uint8_t file_id[FILE_ID];
	/** The byte order of the image. */
	bool big_endian;
	/** How long the conversion took, without --verify. */
	int64_t milliseconds;
};

/** The result of --verify. */
struct verification {
	bool done; /**< false: --verify was not given */
	uint64_t functions;
	uint64_t differences;
	/** Those among the differences that symbols and .eh_frame tell of. */
	uint64_t symbols;
	/** Functions whose lines libdwarf cannot read; no differences. */
	uint64_t unread;
};

/* ---- convert.c and tree.c ---- */

/** Convert CREATE->input: one conversion for each of its architectures that
 *  was asked for.  Returns the number of differences that --verify found.
 *  Dies on failure. */
uint64_t create_all(struct create *create);
/** The exit status of a process IN_TREE whose input has no functions, and of
 *  one that kept the file that is there. */
enum { CREATE_EMPTY = 3, CREATE_KEPT = 4 };
/** Convert all files of the folder CREATE->input.  Returns the exit status.
 *  Dies if the folder cannot be read. */
int create_tree(const struct create *create);

/* ---- compare.c: the differences between two images ----------------------- */

/*
 * Address ranges, names, line rows, inline trees, merged functions and call
 * sites are compared.  Rows that no lookup can reach are skipped.  Strings and
 * files are compared by their text, because their offsets and numbers may
 * differ between equal images; version, byte order and address size may differ,
 * too.
 */

/** Where two images differ. */
enum compare_kind {
	COMPARE_ONLY_FIRST,  /**< only the first image has the function */
	COMPARE_ONLY_SECOND, /**< only the second image has it */
	COMPARE_RANGE,       /**< the sizes of the function */
	COMPARE_NAME,
	COMPARE_ROWS,
	COMPARE_INLINES,
	COMPARE_MERGED,
	COMPARE_CALLS,
	COMPARE_DAMAGE, /**< one image's record cannot be read */
	COMPARE_SYMBOL, /**< what a symbol or .eh_frame says of the place */
	COMPARE_KINDS
};

/** The word for KIND in messages, such as "rows". */
const char *compare_kind_name(enum compare_kind kind);

/** One difference.  Of a function the first difference of each kind is
 *  reported. */
struct compare_difference {
	enum compare_kind kind;
	/** Where the function starts. */
	uint64_t address;
	/** The name of the function; "" if its record cannot be read. */
	const char *function;
	/** The content of the first and of the second image, as text for
	 * people. */
	const char *first;
	const char *second;
	/** COMPARE_ROWS: the second image has no row where the first has one,
	 *  or one without a line. */
	bool lacks_row;
};

/** Called for each difference.  DIFFERENCE is valid during the call only. */
typedef void compare_fn(void *context,
			const struct compare_difference *difference);

/** The totals of a comparison. */
struct compare_result {
	uint64_t functions; /**< in both images */
	uint64_t differences;
	uint64_t kinds[COMPARE_KINDS]; /**< differences of each kind */
};

/** Compare the images FIRST and SECOND.  REPORT is called with CONTEXT for
 *  each difference; it may be NULL.  RESULT gets the totals. */
void compare_images(const struct gsym_reader *first,
		    const struct gsym_reader *second, compare_fn *report,
		    void *context, struct compare_result *result);

/** Check the image of FIRST, and compare it with the image of SECOND, or, if
 *  SECOND is NULL, with the input, a GSYM file; and, unless SYMBOLS is NULL,
 *  with its image, that of symbols alone.  Reports differences as messages. */
void create_verify(const struct conversion *first,
		   const struct conversion *second,
		   const struct conversion *symbols,
		   struct verification *verification);

/* ---- depfile.c ---- */

/** Let -MD and -MF FILE of compilers be --depfile and --depfile=FILE in the
 *  arguments of ARGV.  Returns a malloc'ed text that they need, or NULL. */
char *create_depfile_letters(int *argc, char **argv);
/** Begin the depfile, if one is asked for.  Returns what outfile_place does for
 *  the depfile, or -1.  Dies on failure. */
int create_begin_depfile(struct create *create);
/** Note that the output depends on the file PATH. */
void create_note_dependency(struct create *create, const char *path);
/** Add the rule of the output, which is written, to the depfile. */
void create_add_rule(struct create *create);
/** Write the depfile, once all outputs are written.  Dies on failure. */
void create_write_depfile(struct create *create);
/** Free what was noted. */
void create_end_depfile(struct create *create);

/* ---- protect.c ---- */

/** Set the number of threads, unless --num-threads did: one, and one for each
 *  token that a jobserver of make gives at once, which goes back to it when the
 *  process ends.  Leaves 0 without a jobserver. */
void create_take_tokens(struct create *create);
/** Limit this process to what the conversion needs: memory, time, the
 *  processors that other conversions leave, and the folders that it writes to.
 *  Dies on failure. */
void create_protect(struct create *create);

/** Compare the image FIRST with SYMBOLS, the image of the symbols of the same
 *  program.  REPORT is called as by compare_images; the differences are added
 *  to RESULT. */
void compare_symbols(const struct gsym_reader *first,
		     const struct gsym_reader *symbols, compare_fn *report,
		     void *context, struct compare_result *result);

/* ---- identify.c ---- */

/** The name of the outcome of a failure with STATUS: "format". */
const char *create_outcome_of(enum gsym_status status);
/** Write a line: INPUT ended with OUTCOME, for the REASON, which may be
 *  NULL. */
void create_json_outcome(struct json *json, const char *input,
			 const char *outcome, const char *reason);
/** Write a line of JSON about each input of --identify. */
void create_identify(const struct create *create);
/** Whether the ELF file of SIZE bytes at BYTES has DWARF. */
bool create_has_debug_info(const uint8_t *bytes, size_t size);
/** Call USE with CONTEXT for each name in the list of --files-from.  Dies if
 *  the list cannot be read. */
void create_each_name(const struct create *create,
		      void (*use)(void *context, const char *name),
		      void *context);

/* ---- callsites.c ---- */

/** Add the call sites in the YAML file PATH to BUILDER.  Dies on failure. */
void create_callsites(const char *path, struct gsym_builder *builder);

/* ---- output.c ---- */
/** A new builder, with its file in --temporary-directory.  Dies on failure. */
struct gsym_builder *create_builder(const struct create *create);

/** Open the output before the conversion, if its path is known by then.  So a
 *  path that cannot be written to is reported at once.  Dies on failure. */
void create_open_output(const struct create *create);
/** Open the output of --install, whose path depends on the build ID that the
 *  conversion found; does nothing without --install.  Dies on failure. */
void create_open_installed(struct conversion *conversion);
/** With --release, link the file INSTALLED, which was made of INPUT, by its
 *  name and the release.  Dies if that is not possible. */
void create_link_release(const struct create *create, const char *input,
			 const char *installed);
/** Whether the image may be written to the output while it is made: nothing
 *  else needs it in memory. */
bool create_may_stream(const struct conversion *conversion);
/** A gsym_piece_fn that writes to the output. */
enum gsym_status create_put_piece(void *context, uint64_t offset,
				  const uint8_t *bytes, size_t size);
/** Write the image, unless it was streamed, and complete the output.  Dies on
 *  failure. */
void create_finish_output(struct conversion *conversion);

/* ---- report.c ---- */

/** The bits for TEXT, the words of --require with commas between them.  Dies if
 *  one is unknown. */
unsigned create_parse_require(const char *text);
/** Die if C lacks what --require or --strict asks for. */
void create_check_required(const struct conversion *c);
/** Write the summary, unless --quiet. */
void create_report(const struct conversion *conversion,
		   const struct verification *verification);
/** Let each failure of this process write an object for CREATE to standard
 *  output (--json) and to the manifest. */
void create_report_failures(const struct create *create);
/** Name the outcome of a failure that is about to be reported: "empty". */
void create_set_outcome(const char *outcome);
/** Write a line to the manifest, if there is one: INPUT ended with OUTCOME, for
 *  the REASON, which may be NULL. */
void create_note_outcome(const struct create *create, const char *input,
			 const char *outcome, const char *reason);
/** Report that the input has no functions, but that its file leads to those
 *  that are installed. */
void create_report_linked(const struct create *create);
/** The place where debug info of the stripped input may be, as text after "try
 *  "; NULL if the input is no stripped program. */
const char *create_advice(const struct conversion *conversion);

/* ---- identify.c: how profiles name a program's file ---------------------- */

/** Set ID to the ID that profiles of OpenTelemetry give to the ELF file of SIZE
 *  bytes at BYTES.  False if it is no program with its code (a stub is none),
 *  or if nettle was not there when gsym was built. */
bool create_file_id(const uint8_t *bytes, size_t size, uint8_t id[FILE_ID]);
/** create_file_id for the program of CONVERSION: its input, or the file of
 *  --program.  Nothing is known of a file that cannot be read. */
void create_read_file_id(struct conversion *conversion);
/** With --install: link the GSYM file of the build ID of ID_SIZE bytes at ID by
 *  FILE_ID, too, unless these are equal.  Returns whether there is a link now.
 *  A warning tells about failures. */
bool create_link_file_id(const struct create *create, const uint8_t *id,
			 size_t id_size, const uint8_t file_id[FILE_ID]);

/* ---- identify.c: which of two GSYM files of one program is the better one  */

/* The order is total and depends on the bytes alone, so that a store does not
 * depend on the order in which its files were made. */

/** The rank of GSYM data.  Zeros are the rank of a file that is not there. */
struct rank {
	/** Functions with lines, lines, inlined calls, and functions. */
	uint64_t counts[4];
	/** XXH3-128 of the data, the more significant half first. */
	uint64_t hash[2];
};

/** The hash of the SIZE bytes at BYTES, of which RET becomes the more
 *  significant half first. */
void create_hash(const uint8_t *bytes, size_t size, uint64_t ret[2]);
/** The rank of the SIZE bytes of GSYM data at BYTES; zeros if they are not GSYM
 *  data, have another build ID than the ID_SIZE bytes at ID, or have so many
 *  functions with one record that to count their lines is out of proportion. */
struct rank create_rank(const uint8_t *bytes, size_t size, const uint8_t *id,
		    size_t id_size);
/** create_rank for the open file FD; zeros if it is sparse or cannot be read.
 *  Dies if memory runs out. */
struct rank create_rank_file(int fd, const uint8_t *id, size_t id_size);
/** Whether data of the rank A are better than data of the rank B. */
bool create_is_better(const struct rank *a, const struct rank *b);

#endif /* TOOLS_CREATE_CREATE_H */
