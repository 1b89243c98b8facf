/* SPDX-License-Identifier: MIT */
/*
 * dump.h - the parts of gsym-dump.  Each shows one aspect of a file, as text
 * or, one object a line, as JSON.
 */
#ifndef TOOLS_DUMP_DUMP_H
#define TOOLS_DUMP_DUMP_H

#include <gsym/reader.h>

#include "common/demangle.h"
#include "common/json.h"
#include "common/out.h"

struct dump {
	const char *path;
	struct gsym_reader *reader;
	struct gsym_header header;
	struct out out;
	/** Used if AS_JSON. */
	struct json json;
	bool as_json;
	/** NULL: names as they are. */
	struct demangler *demangler;
	/** Records that could not be read. */
	uint64_t damaged;
};

/** A name, demangled if that is wanted. */
const char *dump_name(struct dump *dump, const char *name);
/** File INDEX of the file table, as a path. */
void dump_path(struct dump *dump, uint32_t index);
/** A heading, with an empty line before all but the first. */
void dump_heading(struct dump *dump, const char *text);

/** Header and sections. */
void dump_header(struct dump *dump);
void dump_files(struct dump *dump);
void dump_strings(struct dump *dump);
/** A line for each function. */
void dump_functions(struct dump *dump);
/** The decoded records of the functions that TEXT names: by address, or
 *  by name.  False if there is none. */
bool dump_function(struct dump *dump, const char *text);
/** Bytes by what they are for. */
void dump_statistics(struct dump *dump);
/** The number of problems. */
uint64_t dump_verify(struct dump *dump);

/** "string table" and the like. */
const char *dump_section_name(enum gsym_section section);

#endif /* TOOLS_DUMP_DUMP_H */
