/* SPDX-License-Identifier: MIT */
/*
 * markup/parse.h - where elements are in a line, and what their fields say.
 * Knows the syntax of markup; never what modules there are, nor how an
 * element is shown.
 */
#ifndef GSYM_MARKUP_PARSE_H
#define GSYM_MARKUP_PARSE_H

#include <gsym/markup.h>

#include "markup/text.h"

/** Bytes of a build ID that are kept. */
#define GSYM_MK_BUILD_ID 64
/** Fields that are kept; there may be more. */
#define GSYM_MK_FIELDS 8

enum gsym_mk_tag {
	GSYM_MK_UNKNOWN, /**< none of ours, but a tag in lower case */
	GSYM_MK_NO_TAG,  /**< something else is in front of the colon */
	GSYM_MK_SYMBOL,
	GSYM_MK_PC,
	GSYM_MK_BT,
	GSYM_MK_DATA,
	GSYM_MK_HEXDICT,
	GSYM_MK_DUMPFILE,
	GSYM_MK_RESET,
	GSYM_MK_MODULE,
	GSYM_MK_MMAP,
};

enum gsym_mk_code { GSYM_MK_UNSUFFIXED, GSYM_MK_RETURN, GSYM_MK_EXACT };

/** Why an element is not valid, or what is odd about it. */
struct gsym_mk_problem {
	enum gsym_mk_fault {
		GSYM_MK_SOUND,
		GSYM_MK_LOWERCASE, /**< the tag */
		GSYM_MK_COUNT,     /**< expected NUMBER fields */
		GSYM_MK_AT_LEAST,
		GSYM_MK_AT_MOST,
		GSYM_MK_SCALAR, /**< expected NOUN */
		GSYM_MK_MODULE_TYPE,
		GSYM_MK_MMAP_TYPE,
	} fault;
	unsigned number;
	const char *noun;
	/** The field that is to blame. */
	struct gsym_mk_slice found;
	/** Where the caret goes. */
	const char *at;
};

struct gsym_mk_element {
	/** The element with its braces. */
	struct gsym_mk_slice whole;
	struct gsym_mk_slice tag;
	/** Everything behind the first colon. */
	struct gsym_mk_slice body;
	enum gsym_mk_tag kind;
	size_t field_count;
	struct gsym_mk_slice fields[GSYM_MK_FIELDS];
	/** ERROR makes it invalid, REMARK does not. */
	struct gsym_mk_problem error, remark;
	/** ERROR is about what comes behind the module of an mmap: whether
	 *  there is such a module matters more. */
	bool late;

	/* What the fields say, as far as the tag has it. */
	uint64_t address, size, id, frame, relative;
	enum gsym_mk_code code;
	struct gsym_mk_slice name, type, message;
	char mode[4];
	uint8_t build_id[GSYM_MK_BUILD_ID];
	size_t build_id_size;
	/** The build ID as it is written, which may be longer. */
	struct gsym_mk_slice build_id_digits;
};

/** A walk through a line. */
struct gsym_mk_scanner {
	const char *at;
	const char *end;
	/** Follow llvm-symbolizer in every respect. */
	bool llvm;
	/** No closer was found before the end. */
	bool no_closer;
};

/** The next element of the line: RET->whole; what lies between the old
 *  place and its start is text.  False if only text is left.  Whether it is
 *  valid stands in RET->error. */
bool gsym_mk_next(struct gsym_mk_scanner *scanner,
		  struct gsym_mk_element *ret);

/** The first "{{{" in SIZE bytes; NULL if there is none. */
const char *gsym_mk_find_opener(const char *bytes, size_t size);
/** The first "{{{" or ESC in SIZE bytes. */
const char *gsym_mk_find_special(const char *bytes, size_t size);
/** The first "}}}". */
const char *gsym_mk_find_closer(const char *bytes, size_t size);

/* Scalars.  False if FIELD is none. */
bool gsym_mk_address(struct gsym_mk_slice field, bool llvm, uint64_t *ret);
bool gsym_mk_integer(struct gsym_mk_slice field, uint64_t *ret);
bool gsym_mk_frame(struct gsym_mk_slice field, uint64_t *ret);

/** A message for PROBLEM, of SIZE bytes at most. */
void gsym_mk_explain(const struct gsym_mk_element *element,
		     const struct gsym_mk_problem *problem, char *message,
		     size_t size);

static inline bool gsym_mk_valid(const struct gsym_mk_element *element)
{
	return element->kind >= GSYM_MK_SYMBOL && !element->error.fault;
}

/** Does it describe memory, rather than present something? */
static inline bool gsym_mk_contextual(const struct gsym_mk_element *element)
{
	return element->kind >= GSYM_MK_RESET;
}

#endif
