/* SPDX-License-Identifier: MIT */
/*
 * breakpad/file.h - what the files of the Breakpad input share: the
 * text, its lines and fields, and what is collected of it.
 *
 * The text is passed over twice.  The first pass takes the records that may
 * stand anywhere (FILE, INLINE_ORIGIN, MODULE, INFO, PUBLIC) and the heads
 * of functions; the second reads the body of one function after another,
 * so that no more of them than one is in memory.
 */
#ifndef GSYM_BREAKPAD_FILE_H
#define GSYM_BREAKPAD_FILE_H

#include "base/sort.h"
#include "base/vec.h"

#include <gsym/convert.h>

#include <string.h>

/** A stretch of the text. */
struct bp_text {
	const char *at;
	const char *end;
};

static inline size_t bp_length(struct bp_text text)
{
	return (size_t)(text.end - text.at);
}

/** An open FUNC. */
struct bp_function {
	uint64_t start;
	uint64_t size;
	struct bp_text name;
	struct bp_text body; /**< the lines behind the FUNC line */
	uint64_t line;       /**< number of the FUNC line */
	bool dropped;
	bool folded; /**< kept for its name: another one has its range */
};

struct bp_public {
	uint64_t address;
	struct bp_text name;
	uint64_t line;
};

/** Texts by a number that the file chose.  There may be millions. */
struct bp_map {
	struct {
		GSYM_VEC(struct bp_entry {
			const char *at;
			uint32_t length;
			uint32_t id;
		});
	} entries;
	/** Once settled: the entries that count, even if they are gone. */
	uint32_t count;
	/** The sink's numbers of the entries by their index; BP_NO_NUMBER: not
	 *  asked for yet.  Behind the last entry stands the one for ids
	 *  without an entry, and as many more as the map has need of. */
	uint32_t *numbers;
	/** Of old INLINE_ORIGIN records: the functions' files; else NULL. */
	int64_t *files;
	/** Entries by id, below LIMIT; ids are dense in practice, but nothing
	 *  says so.  Others are searched. */
	uint32_t *by_id;
	size_t limit;
};

/** No sink gives it. */
#define BP_NO_NUMBER (UINT32_MAX - 1)

struct bp_file {
	struct bp_text text;
	bool copied;           /**< before the two passes */
	bool has_carriages;    /**< somewhere a line ends with CR */
	const char *forgotten; /**< up to here it need not be in memory */
	const struct gsym_convert_options *options;
	struct gsym_sink sink;
	/** NULL: not at hand. */
	const struct gsym_container *program;
	struct { GSYM_VEC(struct gsym_range); } code; /**< of PROGRAM */
	uint64_t base;
	uint64_t bad_line, bad_column; /**< the first that is no record */
	struct gsym_breakpad_records records;

	struct { GSYM_VEC(struct bp_function); } functions;
	struct { GSYM_VEC(struct bp_public); } publics;
	struct bp_map files;
	struct bp_map origins;
	uint64_t inline_parity[2]; /**< records by their number of fields */
	bool old_inlines;
	bool has_module;
	bool clears_bit0; /**< ARM: bit 0 of a PUBLIC is no address */
	struct bp_text os, architecture, id, code_id;
	uint8_t uuid[64];
	size_t uuid_size;
	bool is_prefix; /**< UUID is the start of a build ID, or all of it */
	enum gsym_format program_format; /**< NONE: no identity */
	uint64_t told[GSYM_WARN_COUNT];
	struct { GSYM_VEC(struct bp_text); } unknown; /**< keywords */
	struct { GSYM_VEC(uint32_t); } missing; /**< files */
};

/** The next line of TEXT without its end and trailing blanks; false behind
 *  the last one.  Empty lines are given, too.  CARRIAGES: CR may be in it. */
static inline bool bp_next_line(struct bp_text *text, struct bp_text *line,
				bool carriages)
{
	const char *feed, *carriage;

	if (text->at == text->end)
		return false;
	line->at = text->at;
	feed = memchr(text->at, '\n', bp_length(*text));
	line->end = feed ? feed : text->end;
	text->at = feed ? feed + 1 : text->end;
	carriage = carriages ? memchr(line->at, '\r', bp_length(*line)) : NULL;
	if (carriage) {
		const char *next = carriage;

		while (next < line->end && *next == '\r')
			next++;
		if (next < line->end) /* a lone one ends a line as well */
			text->at = next;
		line->end = carriage;
	}
	while (line->end > line->at &&
	       (line->end[-1] == ' ' || line->end[-1] == '\t'))
		line->end--;
	return true;
}

static inline void bp_skip_blanks(struct bp_text *line)
{
	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
}

/** The next field of LINE; empty behind the last. */
static inline struct bp_text bp_field(struct bp_text *line)
{
	struct bp_text field;

	bp_skip_blanks(line);
	field.at = line->at;
	while (line->at < line->end && *line->at != ' ' && *line->at != '\t')
		line->at++;
	field.end = line->at;
	return field;
}

/** The rest of LINE: a name. */
static inline struct bp_text bp_rest(struct bp_text *line)
{
	struct bp_text rest;

	bp_skip_blanks(line);
	rest = *line;
	line->at = line->end;
	return rest;
}

static inline bool bp_is(struct bp_text text, const char *word)
{
	size_t length = strlen(word);

	return bp_length(text) == length && !memcmp(text.at, word, length);
}

/** Whole fields as numbers: hexadecimal below 2^64 - 1, decimal below 2^32,
 *  the same with a sign. */
bool gsym_bp_hex(struct bp_text field, uint64_t *ret);
bool gsym_bp_decimal(struct bp_text field, uint32_t *ret);
bool gsym_bp_signed(struct bp_text field, int64_t *ret);

/** Report a warning, with the number of the line. */
void gsym_bp_warn(struct bp_file *file, enum gsym_warning kind, uint64_t line,
		  const char *text);

/** Map the text of PATH, inflated if need be.  Given back with gsym_bp_text_free.
 *  COPIED: what there was to be read was a third of the work, and was
 *  reported. */
enum gsym_status gsym_bp_text_open(const char *path,
				   const struct gsym_convert_options *options,
				   struct bp_text *ret, bool *copied,
				   struct gsym_error *error);
void gsym_bp_text_free(struct bp_text text);
/** The first bytes of the text of PATH, from its first word on, to where RET
 *  is, as many as there is room for.  GSYM_NOT_FOUND: it is no symbol file; GSYM_ERR_UNSUPPORTED: it
 *  seems to be one. */
enum gsym_status gsym_bp_text_head(const char *path, struct bp_text *ret);
/** Let go of the memory that the text before AT takes; it is read again when
 *  it is needed. */
void gsym_bp_text_forget(struct bp_text text, const char *at);

/** The sink's number of a string of the file; NULs become '_'. */
enum gsym_status gsym_bp_string(struct bp_file *file, struct bp_text text,
				uint32_t *ret);

void gsym_bp_map_fini(struct bp_map *map);
/** The index of ID by a search. */
uint32_t gsym_bp_map_search(const struct bp_map *map, int64_t id);

/** The index of the entry ID in a settled map; the number of the entries if
 *  there is none. */
static inline uint32_t bp_map_index(const struct bp_map *map, int64_t id)
{
	return (uint64_t)id < map->limit ? map->by_id[id]
					 : gsym_bp_map_search(map, id);
}

/** Indexes of files that stand for none: one that no FILE record names; no
 *  source at all. */
static inline uint32_t bp_unknown_file(const struct bp_file *file)
{
	return file->files.count;
}

static inline uint32_t bp_no_source(const struct bp_file *file)
{
	return bp_unknown_file(file) + 1;
}

/** FILE and INLINE_ORIGIN records are all there: bring both maps into the order
 *  of ids, where of equal ones the first counts, and give the names to the
 *  sink. */
enum gsym_status gsym_bp_settle_maps(struct bp_file *file);

/** The sink's number of the file or the name at INDEX. */
enum gsym_status gsym_bp_file_number(struct bp_file *file, uint32_t index,
				     uint32_t *ret);
enum gsym_status gsym_bp_origin_number(struct bp_file *file, uint32_t index,
				       uint32_t *ret);
/** Tell that a record uses the file ID, which no FILE record defines. */
void gsym_bp_missing_file(struct bp_file *file, uint32_t id);

/** Note a PUBLIC record, or what counts as one. */
bool gsym_bp_add_public(struct bp_file *file, uint64_t address,
			struct bp_text name, uint64_t line);

/** Decide which functions count, and their sizes. */
bool gsym_bp_settle_functions(struct bp_file *file);

/** The end of the last line record of a function without a size; 0 if it has
 *  none. */
uint64_t gsym_bp_last_end(struct bp_file *file,
			  const struct bp_function *function);

/** Read the bodies of all functions that count, and push their records. */
enum gsym_status gsym_bp_push_functions(struct bp_file *file);

/** What is read now is AT: let go of what lies far behind it. */
void gsym_bp_passed(struct bp_file *file, const char *at);
/** Report how far the work is, now and then, and let go of the text behind
 *  AT.  PASS counts from 0.  False: it is to be stopped. */
bool gsym_bp_go_on(struct bp_file *file, const char *at, unsigned pass);

/** Find the identity that MODULE and INFO CODE_ID give.  Warns where they
 *  contradict each other. */
void gsym_bp_identity(struct bp_file *file);
/** What MODULE says of the processor, where that is known. */
void gsym_bp_architecture(const struct bp_file *file,
			  struct gsym_convert_facts *facts);

/** Decide the base, and drop what is no code of the program.
 *  GSYM_ERR_ARGUMENT: it is another program; GSYM_ERR_LIMIT: the base is too
 *  large for an address. */
enum gsym_status gsym_bp_place(struct bp_file *file, struct gsym_error *error);
/** Where the code ends that ADDRESS lies in; 0 if it is none, UINT64_MAX if
 *  nobody knows. */
uint64_t gsym_bp_code_end(const struct bp_file *file, uint64_t address);

/* ---- inlined calls ------------------------------------------------------- */

/** One range of an INLINE record, within its function. */
struct bp_call_range {
	uint64_t start;
	uint64_t end;
	uint32_t level;
	uint32_t record;
};

struct bp_call_record {
	uint32_t line;
	uint32_t file;   /**< index */
	uint32_t origin; /**< index */
};

/** A node of the tree that the ranges make; node 0 is the function. */
struct bp_node {
	uint32_t record;
	uint32_t parent;
	uint32_t last_child; /**< 0: none */
	uint32_t previous;   /**< sibling before; 0: none */
	uint32_t depth;
	uint32_t range_count;
};

struct bp_node_range {
	struct gsym_range range;
	uint32_t node;
};

/** Ranges in, tree out; memory is kept from one function to the next. */
struct bp_tree {
	struct { GSYM_VEC(struct bp_call_range); } given;
	struct { GSYM_VEC(struct gsym_sort_item); } order; /**< of these */
	struct { GSYM_VEC(struct bp_call_range); } heap; /**< what was cut off */
	struct { GSYM_VEC(struct bp_node); } nodes;
	struct { GSYM_VEC(struct bp_node_range); } ranges;
	/** By record: the node that was made for it last; 0: none. */
	struct { GSYM_VEC(uint32_t); } made;
	struct { GSYM_VEC(uint32_t); } stack;
	struct { GSYM_VEC(uint64_t); } ends; /**< of the open ranges */
	uint64_t orphans;  /**< ranges without a parent */
	uint64_t overlaps; /**< times that one gave way to another */
	uint64_t cut;      /**< too deep, or too many pieces */
};

/** Make the tree of a function with RANGE of the ranges that are given, which
 *  may have any order, of RECORDS records.  Parentage goes by address, as
 *  producers disagree about the order of records.  False without memory. */
bool gsym_bp_tree_build(struct bp_tree *tree, struct gsym_range range,
			size_t records);
void gsym_bp_tree_fini(struct bp_tree *tree);

#endif
