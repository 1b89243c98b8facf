/* SPDX-License-Identifier: MIT */
/*
 * go/go.h - finds the function table of the Go runtime in a program, even if
 * its sections were renamed or its symbols stripped, and has pclntab.h or
 * plan9.h read the table.  Knows where Go's linkers put the table; never what
 * its records say.
 */
#ifndef GSYM_GO_GO_H
#define GSYM_GO_GO_H

#include "go/pclntab.h"
#include "go/plan9.h"

struct gsym_go {
	struct gsym_memory memory;
	/** The program has the tables of Go 1.1 and older, OLD; if false,
	 * TABLE. */
	bool is_old;
	struct gsym_plan9 old;
	struct gsym_pclntab table;
	struct pclntab_text texts[64]; /**< for TABLE.texts */
	/** TABLE.text is a guess: nothing says where the text begins. */
	bool text_is_guess;
};

/** Where to look for the table. */
enum gsym_go_search {
	/** Only at the places that sections and symbols name. */
	GSYM_GO_NAMED,
	/** Also in all of the program's memory, if the program may be Go's: it
	 *  has names or marks of Go's linkers, or no symbols in its code.  The
	 *  memory of other programs is not read. */
	GSYM_GO_LIKELY,
	/** Also in all of the program's memory, whatever program it is. */
	GSYM_GO_ANYWHERE,
};

/**
 * Find the function table of CONTAINER, which has to outlive *RET.  Warnings go
 * to OPTIONS->warn.
 *
 * GSYM_NOT_FOUND: there is none; ERROR is filled in if a section is named like
 * the table but holds none.  GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_go_open(const struct gsym_container *container,
			      const struct gsym_convert_options *options,
			      enum gsym_go_search search, struct gsym_go **ret,
			      struct gsym_error *error);
/** Free GO.  NULL is fine. */
void gsym_go_close(struct gsym_go *go);

/** Push a record for each function of the table to SINK, and add the bytes of
 *  the table to FACTS->input_bytes.  HIDE is as in gsym_pclntab_convert. */
enum gsym_status
gsym_go_convert(const struct gsym_go *go,
		const struct gsym_convert_options *options,
		const struct gsym_sink *sink,
		void (*hide)(void *context, struct gsym_range range),
		void *hide_context, struct gsym_convert_facts *facts,
		struct gsym_error *error);

#endif
