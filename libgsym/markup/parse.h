/* SPDX-License-Identifier: MIT */
/*
 * markup/parse.h - the syntax of a line: slices of text, elements and the
 * values of their fields (parse.c), and the headers that loggers put before
 * their lines (header.c).  Knows bytes only: never which modules and processes
 * exist, nor how an element is shown.
 */
#ifndef GSYM_MARKUP_PARSE_H
#define GSYM_MARKUP_PARSE_H

#include <gsym/markup.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"

struct gsym_mk_regex;

/* ---- text ----------------------------------------------------------- */

/** SIZE bytes that belong to someone else. */
struct gsym_mk_slice {
	const char *at;
	size_t size;
};

struct gsym_mk_text {
	GSYM_VEC(char);
};

/** Append SIZE bytes.  False, with TO unchanged, without memory. */
static inline bool gsym_mk_text_add(struct gsym_mk_text *to, const char *bytes,
				    size_t size)
{
	if (!gsym_vec_reserve(to, size))
		return false;
	if (size)
		memcpy(to->items + to->count, bytes, size);
	to->count += size;
	return true;
}

/** FNV-1a, the same in every run.  Tables that a log can fill need
 *  gsym_hash_bytes. */
static inline uint64_t gsym_mk_hash(struct gsym_mk_slice text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < text.size; i++)
		h = (h ^ (unsigned char)text.at[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

/* ---- elements ------------------------------------------------------- */

/** The most bytes of a build ID; longer ones are cut. */
#define GSYM_MK_BUILD_ID 64
/** Fields that are kept; an element may have more. */
#define GSYM_MK_FIELDS 8

enum gsym_mk_tag {
	GSYM_MK_UNKNOWN, /**< a tag in lower case without a meaning */
	GSYM_MK_NO_TAG,  /**< the text in front of the colon is no tag */
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

/** What the suffix says about an address of code: nothing, "ra", or "pc". */
enum gsym_mk_code { GSYM_MK_UNSUFFIXED, GSYM_MK_RETURN, GSYM_MK_EXACT };

/** What is wrong with an element: the reason why it is invalid, or a remark. */
struct gsym_mk_problem {
	enum gsym_mk_fault {
		GSYM_MK_SOUND,
		GSYM_MK_LOWERCASE, /**< the tag is not in lower case */
		GSYM_MK_COUNT,     /**< expected NUMBER fields */
		GSYM_MK_AT_LEAST,  /**< expected NUMBER fields or more */
		GSYM_MK_AT_MOST,   /**< expected NUMBER fields or fewer */
		GSYM_MK_SCALAR,    /**< expected NOUN in the field FOUND */
		GSYM_MK_MODULE_TYPE,
		GSYM_MK_MMAP_TYPE,
	} fault;
	unsigned number;
	const char *noun;
	struct gsym_mk_slice found;
	/** The place in the line that a message points to. */
	const char *at;
};

struct gsym_mk_element {
	/** The element with its braces. */
	struct gsym_mk_slice whole;
	struct gsym_mk_slice tag;
	/** Everything after the first colon. */
	struct gsym_mk_slice body;
	enum gsym_mk_tag kind;
	/** The number of all fields, those that are not kept included. */
	size_t field_count;
	struct gsym_mk_slice fields[GSYM_MK_FIELDS];
	/** ERROR makes the element invalid, REMARK does not. */
	struct gsym_mk_problem error, remark;
	/** ERROR is about a field after the module of an mmap.  If the module
	 *  is unknown, that is reported instead. */
	bool late;

	/* The values of the fields that elements of this kind have. */
	uint64_t address, size, id, frame, relative;
	enum gsym_mk_code code;
	struct gsym_mk_slice name, type, message;
	char mode[4];
	uint8_t build_id[GSYM_MK_BUILD_ID];
	size_t build_id_size;
	/** All digits of the build ID, which may be longer. */
	struct gsym_mk_slice build_id_digits;
};

/** A walk over the elements of a line. */
struct gsym_mk_scanner {
	const char *at;
	const char *end;
	/** Parse as llvm-symbolizer does. */
	bool llvm;
	/** The rest of the line, from AT on, has an opener but no closer. */
	bool no_closer;
};

/** Set RET to the next element, which may be invalid (RET->error).  The bytes
 *  between the last element and RET->whole are text.  False if the rest of the
 *  line is text. */
bool gsym_mk_next(struct gsym_mk_scanner *scanner,
		  struct gsym_mk_element *ret);

/** The first opener, "{{{", in SIZE bytes; NULL if there is none. */
const char *gsym_mk_find_opener(const char *bytes, size_t size);
/** The first opener or ESC in SIZE bytes; NULL if there is none. */
const char *gsym_mk_find_special(const char *bytes, size_t size);
/** The first closer, "}}}", in SIZE bytes; NULL. */
const char *gsym_mk_find_closer(const char *bytes, size_t size);

/** Read the address in FIELD: hexadecimal digits after 0x, or zeros only;
 *  without LLVM also "(nil)".  False if FIELD has none of these. */
bool gsym_mk_address(struct gsym_mk_slice field, bool llvm, uint64_t *ret);

/** Write the message for PROBLEM, with its NUL at most SIZE bytes. */
void gsym_mk_explain(const struct gsym_mk_element *element,
		     const struct gsym_mk_problem *problem, char *message,
		     size_t size);

static inline bool gsym_mk_valid(const struct gsym_mk_element *element)
{
	return element->kind >= GSYM_MK_SYMBOL && !element->error.fault;
}

/** Whether the element is contextual: it describes memory. */
static inline bool gsym_mk_contextual(const struct gsym_mk_element *element)
{
	return element->kind >= GSYM_MK_RESET;
}

/* ---- headers -------------------------------------------------------- */

/** Bytes of the longest header. */
#define GSYM_MK_MAX_HEADER 1024

/** How lines name their process. */
struct gsym_mk_headers {
	enum gsym_markup_headers kind;
	/** For GSYM_MARKUP_HEADERS_REGEX, otherwise NULL. */
	struct gsym_mk_regex *regex;
};

/** Make H ready.  GSYM_ERR_ARGUMENT if OPTIONS has no regular expression with
 *  a group, but should. */
enum gsym_status gsym_mk_headers_init(struct gsym_mk_headers *h,
				      const struct gsym_markup_options *options,
				      struct gsym_error *error);
void gsym_mk_headers_fini(struct gsym_mk_headers *h);
/** Whether a regular expression was not tried on a line since the last call,
 *  because memory ran out. */
bool gsym_mk_headers_out_of_memory(struct gsym_mk_headers *h);

/** Bytes of the header of the line AT, with the blanks after it; 0 if H finds
 *  none.  NAME is set to the process that the header names. */
size_t gsym_mk_header(const struct gsym_mk_headers *h, const char *at,
		      size_t size, struct gsym_mk_slice *name);
/** As gsym_mk_header, but if H has no kind it finds headers of all kinds; and
 *  it finds headers that name no process. */
size_t gsym_mk_any_header(const struct gsym_mk_headers *h, const char *at,
			  size_t size);

#endif
