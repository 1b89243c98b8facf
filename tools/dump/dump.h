/* SPDX-License-Identifier: MIT */
/*
 * dump.h - the views of gsym-dump.  Each shows one aspect of a GSYM file as
 * text, or as JSON with one object a line.
 */
#ifndef TOOLS_DUMP_DUMP_H
#define TOOLS_DUMP_DUMP_H

#include <gsym/reader.h>

#include "common/names.h"
#include "common/out.h"
#include "source/source.h"

/** The open file, and how it is shown. */
struct dump {
	const char *path;
	/** Where READER comes from. */
	struct source *source;
	struct source_symbols symbols;
	const struct gsym_reader *reader;
	struct names names;
	struct gsym_header header;
	struct out out;
	/** Writes to OUT; used if AS_JSON. */
	struct json json;
	bool as_json;
	/** NULL: names are shown as they are in the file. */
	struct gsym_demangler *demangler;
	/** Records and parts of records that could not be read. */
	uint64_t damaged;
	/** Bytes of the items that the current view has shown. */
	uint64_t walked;
	/** The bytes of the output before the current view, and whether the
	 *  rest of the view is left out. */
	uint64_t before;
	bool cut;
};

/** Count BYTES of item INDEX, for a view that shows all items from 0 on.
 *  False, with a warning that names WHAT the items are, if the items so far
 *  have many times the bytes of the file: the items after INDEX must be left
 *  out. */
bool dump_take(struct dump *dump, uint32_t index, uint64_t bytes,
	       const char *what);

/** Begin a view.  Each view may write so many times the bytes of the file. */
void dump_begin(struct dump *dump);
/** Whether the current view may write more.  If not, a warning says so, once,
 *  which names WHAT is shown. */
bool dump_may_go_on(struct dump *dump, const char *what);

/** How a kind of information of functions is shown. */
struct dump_info {
	/** For the view of all functions: a letter, and what it means. */
	char letter;
	const char *meaning;
	/** For the view of a function, in JSON and as text. */
	const char *key, *heading;
	/** For the statistics, as text and in JSON. */
	const char *bytes, *bytes_key;
	/** It is a list, whose entries count. */
	bool list;
	/** Show the information of F, which has some. */
	void (*show)(struct dump *dump, struct gsym_function *f);
};
/** By enum gsym_info. */
extern const struct dump_info dump_infos[GSYM_INFO_COUNT];

/** Whether F has information of TYPE; of a list, the number of its entries. */
static inline uint64_t dump_has(const struct gsym_function *f,
				enum gsym_info type)
{
	return dump_infos[type].list ? f->info[type].count
				     : f->info[type].offset > 0;
}

/** NAME, demangled if --demangle is given; valid until the next call. */
const char *dump_name(struct dump *dump, const char *name);
/** Write the path of the file INDEX of the file table, as text. */
void dump_path(struct dump *dump, uint32_t index);
/** Write a heading, with an empty line before all but the first. */
void dump_heading(struct dump *dump, const char *text);

/** Show header and sections. */
void dump_header(struct dump *dump);
/** Show the file table. */
void dump_files(struct dump *dump);
/** Show the string table. */
void dump_strings(struct dump *dump);
/** Show a line for each function. */
void dump_functions(struct dump *dump);
/** Show the decoded records of the functions that TEXT names: an address in
 *  one of them, or their name.  Returns false if there is none. */
bool dump_function(struct dump *dump, const char *text);
/** Show the number of bytes for each use. */
void dump_statistics(struct dump *dump);
/** Show it, and the number of bytes by folder and by template; of each the
 *  difference to OLD, which may be NULL. */
void dump_report(struct dump *dump, struct dump *old);
/** Check the whole file, and show each problem.  Returns their number. */
uint64_t dump_verify(struct dump *dump);

/** The name of SECTION for people, such as "string table". */
const char *dump_section_name(enum gsym_section section);

#endif /* TOOLS_DUMP_DUMP_H */
