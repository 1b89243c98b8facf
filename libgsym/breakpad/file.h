/* SPDX-License-Identifier: MIT */
/*
 * breakpad/file.h - the state of reading a symbol file, and the functions that
 * several files of this room use.
 *
 * The text is read twice.  The first pass (first_pass.c) reads the records that
 * may be anywhere (FILE, INLINE_ORIGIN, MODULE, INFO, PUBLIC), and notes for
 * each FUNC the place of its body.  The second pass (push.c, body.c) reads the
 * bodies, of a few functions at a time, so that few are in memory at once.
 */
#ifndef GSYM_BREAKPAD_FILE_H
#define GSYM_BREAKPAD_FILE_H

#include "base/vec.h"
#include "breakpad/text.h"

#include <gsym/convert.h>

/** A FUNC record. */
struct bp_function {
	uint64_t start;
	uint64_t size;
	struct bp_text name;
	struct bp_text body; /**< the lines after the FUNC line */
	uint64_t line;       /**< number of the FUNC line */
	bool dropped;	     /**< becomes no record */
	bool folded;	     /**< becomes a folded record */
};

/** A PUBLIC record. */
struct bp_public {
	uint64_t address;
	struct bp_text name;
	uint64_t line; /**< number of its line */
};

/** FILE or INLINE_ORIGIN records: texts by ids that the symbol file chose.
 *  There may be millions. */
struct bp_map {
	/** In the order of the text; after gsym_bp_settle_names sorted by
	 * id. */
	struct {
		GSYM_VEC(struct bp_entry {
			const char *at;
			uint32_t length;
			uint32_t id;
		});
	} entries;
	/** After gsym_bp_settle_names: the number of entries.  Indexes below
	 *  COUNT are entries.  A few indexes from COUNT on mean that there is
	 *  no entry. */
	uint32_t count;
	/** For each index: the sink's number, or BP_NO_NUMBER if the text was
	 *  not handed to the sink yet. */
	uint32_t *numbers;
	/** Of INLINE_ORIGIN records of the old form: for each index the id of
	 *  the function's file, -1 if there is none.  Else NULL. */
	int64_t *files;
	/** By id, up to LIMIT: the index.  NULL if the array would be mostly
	 *  empty because ids are far apart: then ENTRIES is searched. */
	uint32_t *by_id;
	size_t limit;
};

/** A number that no sink gives. */
#define BP_NO_NUMBER (UINT32_MAX - 1)

/** Undefined files that are reported; further ones are not. */
enum { BP_MAX_MISSING = 64 };

struct bp_file {
	struct bp_text text;
	bool copied;	       /**< the text is in a temporary file */
	bool has_carriages;    /**< there is a CR in the text */
	const char *forgotten; /**< memory of the text before this place was
			        *   released */
	const struct gsym_convert_options *options;
	struct gsym_sink sink;
	/** The program that the file describes; NULL: not given. */
	const struct gsym_container *program;
	struct { GSYM_VEC(struct gsym_range); } code; /**< code of PROGRAM */
	uint64_t base; /**< added to all addresses */
	/** Line and column of the first malformed record, from 1 on; 0: all
	 *  are well formed. */
	uint64_t bad_line, bad_column;
	struct gsym_breakpad_records records;

	struct { GSYM_VEC(struct bp_function); } functions;
	struct { GSYM_VEC(struct bp_public); } publics;
	struct bp_map files;
	struct bp_map origins;
	/** Numbers of INLINE records with an even and an odd number of
	 *  fields. */
	uint64_t inline_parity[2];
	/** INLINE and INLINE_ORIGIN records have the old form, without the file
	 *  of the call. */
	bool old_inlines;
	bool has_module;
	bool clears_bit0; /**< ARM: bit 0 of a PUBLIC is no address bit */
	struct bp_text os, architecture, id; /**< fields of MODULE */
	struct bp_text code_id;		     /**< field of INFO CODE_ID */
	uint8_t uuid[64];
	size_t uuid_size;
	bool is_prefix; /**< the build ID may be longer than UUID */
	enum gsym_format program_format; /**< GSYM_FORMAT_NONE: the system in
					  *   MODULE is not known */
	bool told_of_nuls; /**< NUL bytes in names were reported */
	/** Unknown keywords and undefined files that were reported. */
	struct { GSYM_VEC(struct bp_text); } unknown;
	struct { GSYM_VEC(uint32_t); } missing;
};

/* ---- report.c ------------------------------------------------------------ */

/** Report a warning about line number LINE; 0: about no single line. */
void gsym_bp_warn(struct bp_file *file, enum gsym_warning kind, uint64_t line,
		  const char *text);

/** Warn that a record uses the file ID, which no FILE record defines: once for
 *  each ID, and for at most BP_MAX_MISSING ids. */
void gsym_bp_warn_missing_file(struct bp_file *file, uint32_t id);

/** Release the memory of the text before AT, the place that is being read, in
 *  steps of 4 MiB. */
void gsym_bp_forget(struct bp_file *file, const char *at);

/** Report that pass PASS (0 or 1) has come to AT, and call gsym_bp_forget.
 *  False: the conversion is to be stopped. */
bool gsym_bp_progress(struct bp_file *file, const char *at, unsigned pass);

/* ---- names.c ------------------------------------------------------------- */

/** Hand TEXT to the sink, with '_' for each NUL; *RET is the sink's number. */
enum gsym_status gsym_bp_string(struct bp_file *file, struct bp_text text,
				uint32_t *ret);

/** The most texts of one call of gsym_bp_strings. */
enum { BP_TOGETHER = 256 };

/** As gsym_bp_string, for COUNT texts: NUMBERS[I] is the number of TEXTS[I].
 *  Faster for many texts, as the sink fetches them into the cache ahead. */
enum gsym_status gsym_bp_strings(struct bp_file *file,
				 const struct bp_text *texts, size_t count,
				 uint32_t *numbers);

void gsym_bp_map_fini(struct bp_map *map);

/** The index of ID in a settled map without BY_ID; COUNT if there is none. */
uint32_t gsym_bp_map_search(const struct bp_map *map, int64_t id);

/** The index of ID in a settled map; COUNT if the map has no ID. */
static inline uint32_t bp_map_index(const struct bp_map *map, int64_t id)
{
	return (uint64_t)id < map->limit ? map->by_id[id]
					 : gsym_bp_map_search(map, id);
}

/** The index, in the map of files, that stands for all files without a FILE
 * record. */
static inline uint32_t bp_unknown_file(const struct bp_file *file)
{
	return file->files.count;
}

/** The index, in the map of files, that stands for code without a source. */
static inline uint32_t bp_no_source(const struct bp_file *file)
{
	return bp_unknown_file(file) + 1;
}

/** Called after the first pass: sort both maps by id, find out the form of
 *  INLINE records, and hand the names of origins to the sink.  Of several
 *  records of one id the first counts. */
enum gsym_status gsym_bp_settle_names(struct bp_file *file);

/** The sink's number of the file at INDEX, handed over on first use. */
enum gsym_status gsym_bp_file_number(struct bp_file *file, uint32_t index,
				     uint32_t *ret);
/** The sink's number of the name of the origin at INDEX. */
enum gsym_status gsym_bp_origin_number(struct bp_file *file, uint32_t index,
				       uint32_t *ret);

/* ---- identity.c ---------------------------------------------------------- */

/** Fill in the build ID and the program's format from MODULE and INFO CODE_ID.
 *  Warns if these contradict each other. */
void gsym_bp_identity(struct bp_file *file);

/** Fill in FACTS' architecture and address size from MODULE. */
void gsym_bp_architecture(const struct bp_file *file,
			  struct gsym_convert_facts *facts);

/* ---- program.c ----------------------------------------------------------- */

/** Decide the base, and drop functions and PUBLICs outside the program's code.
 *  GSYM_ERR_ARGUMENT: the file describes another program; GSYM_ERR_LIMIT: with
 *  the base a function ends beyond 64 bits. */
enum gsym_status gsym_bp_set_base(struct bp_file *file,
				  struct gsym_error *error);

/** The end of the code that holds ADDRESS; 0 if none does, UINT64_MAX if the
 *  program is not given. */
uint64_t gsym_bp_code_end(const struct bp_file *file, uint64_t address);

/* ---- functions.c --------------------------------------------------------- */

/** Add a PUBLIC record; false without memory. */
bool gsym_bp_add_public(struct bp_file *file, uint64_t address,
			struct bp_text name, uint64_t line);

/** Decide which of several functions that overlap becomes a record, and the
 *  sizes of functions without one.  False without memory. */
bool gsym_bp_settle_functions(struct bp_file *file);

/* ---- the passes ---------------------------------------------------------- */

/** Read all records but the bodies of functions.  GSYM_ERR_MEMORY;
 *  GSYM_ERR_CANCELLED. */
enum gsym_status gsym_bp_first_pass(struct bp_file *file);

/** The end of the last line record of FUNCTION, which has no size; 0 if it has
 *  no line records.  In body.c. */
uint64_t gsym_bp_lines_end(const struct bp_file *file,
			   const struct bp_function *function);

/** Read the bodies of all functions that are not dropped, and push their
 *  records to the sink. */
enum gsym_status gsym_bp_push_functions(struct bp_file *file);

#endif
