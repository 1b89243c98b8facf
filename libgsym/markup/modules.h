/* SPDX-License-Identifier: MIT */
/*
 * markup/modules.h - module lines, which replace the elements that describe
 * memory.  A process collects them until another line of the process comes.
 */
#ifndef GSYM_MARKUP_MODULES_H
#define GSYM_MARKUP_MODULES_H

#include "markup/context.h"
#include "markup/out.h"

struct gsym_markup;
struct gsym_mk_process;

/** Ranges that a process collects; with more, its module lines end. */
#define GSYM_MK_MAX_RANGES GSYM_LIMIT(1u << 16, 1)

/** A range of addresses in a module line. */
struct gsym_mk_range {
	uint64_t start;
	/** The last address that is shown. */
	uint64_t last;
	/** The address in the module that belongs to START. */
	uint64_t relative;
	char mode[4];
};

/** A module line. */
struct gsym_mk_entry {
	struct gsym_mk_module *module;
	/** The module itself is new, not only some of its ranges. */
	bool fresh;
	/** The log line that began it ended with CR LF. */
	bool crlf;
	/** The header of that log line: offset and size in the block's text. */
	size_t prefix, prefix_size;
	struct {
		GSYM_VEC(struct gsym_mk_range);
	} ranges;
};

/** The module lines that a process has collected. */
struct gsym_mk_block {
	struct {
		GSYM_VEC(struct gsym_mk_entry);
	} entries;
	struct gsym_mk_text text;
	/** Ranges of all entries. */
	size_t range_count;
	/** The start of the first log line, which begins with LEAD_HEADER bytes
	 *  of header.  If the rest of LEAD is in the next line, too, it is a
	 *  header and is dropped; otherwise LEAD becomes a line of its own. */
	struct gsym_mk_text lead;
	size_t lead_header;
	bool lead_crlf;
};

/** Apply a module, mmap or reset element; false if that is not possible, after
 *  a message. */
bool gsym_mk_apply(struct gsym_markup *f, const struct gsym_mk_element *e);
/** Whether E is an mmap of an unknown module; if so there is a message. */
bool gsym_mk_unknown_module(struct gsym_markup *f,
			    const struct gsym_mk_element *e);
/** Report that the module or mmap element E was not added to the context: the
 *  context is full, or memory ran out. */
void gsym_mk_not_added(struct gsym_markup *f, const struct gsym_mk_element *e);
/** Forget the module lines of B. */
void gsym_mk_empty_block(struct gsym_mk_block *b);
/** Write the module lines that P has collected, and flush.  Lines of other
 *  processes that wait for longer have to be written before: see wait.h. */
void gsym_mk_end_block(struct gsym_markup *f, struct gsym_mk_process *p);

/** Write '[[[ELF module #0x0 "name"'. */
void gsym_mk_put_module(struct gsym_mk_out *o,
			const struct gsym_mk_module *module);
/** Write " [0x1000-0x1fff](rx),..." in the order of addresses.  LLVM: ranges
 *  with the start of the first one have a blank before them, as
 *  llvm-symbolizer takes each of them for the first one. */
void gsym_mk_put_ranges(struct gsym_mk_out *o, struct gsym_mk_entry *entry,
			bool llvm);
void gsym_mk_put_build_id(struct gsym_mk_out *o,
			  const struct gsym_mk_module *module);

#endif
