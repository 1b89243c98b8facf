/* SPDX-License-Identifier: MIT */
/*
 * markup/host.h - the host of a filter: what it is asked for, the answers that
 * are kept, and the messages that it gets.  Knows the line that messages are
 * about, and the output that has to be written before them.
 */
#ifndef GSYM_MARKUP_HOST_H
#define GSYM_MARKUP_HOST_H

#include "markup/line.h"
#include "markup/process.h"

struct mk_messages;

/* ---- a memo of answers and texts ------------------------------------ */

/*
 * What the host answered for an address, and the text that was made of a name
 * or a path, are kept, as logs repeat themselves.  Keys are addresses of what
 * the host handed out, which lives as long as the filter.  So no reset and no
 * other load address makes an entry wrong.
 */

/** Entries.  A zeroed struct is empty. */
struct mk_memo {
	/** A hash table of SLOT_COUNT slots, a power of two or 0, of which
	 *  USED are not 0. */
	uint32_t *slots;
	size_t slot_count, used;
	/** The entries, of which the next one starts at NEXT; NULL: none. */
	char *bytes;
	size_t next;
};

/** What an entry holds, and what its key is. */
enum mk_memo_kind {
	/** The levels of a code address: symbols, address in the module. */
	MK_MEMO_LEVELS,
	/** The readable form of a name, with a NUL: the name, 0. */
	MK_MEMO_READABLE,
	/** A function as it is shown: its name, 0. */
	MK_MEMO_FUNCTION,
	/** A file as it is shown: its folder, the address of its base name. */
	MK_MEMO_FILE,
};

struct mk_memo_key {
	enum mk_memo_kind kind;
	const void *object;
	uint64_t number;
};

/** The index of an entry in the memo; 0: none.  It is valid until
 *  gsym_mk_memo_tidy drops the entry. */
typedef uint32_t mk_memo_index;

/** The index of the entry of KEY; 0 if there is none. */
mk_memo_index gsym_mk_memo_find(const struct mk_memo *memo,
				const struct mk_memo_key *key);

/** Keep SIZE BYTES for KEY, which has no entry.  Returns the index; 0 without
 *  memory or room, and if BYTES are too many. */
mk_memo_index gsym_mk_memo_add(struct mk_memo *memo,
			       const struct mk_memo_key *key, const void *bytes,
			       size_t size);

/** The *SIZE bytes of the entry at INDEX, which is not 0.  They are at a
 *  multiple of 8. */
void *gsym_mk_memo_at(const struct mk_memo *memo, mk_memo_index index,
		      size_t *size);

/** Drop all entries if there is little room for others.  Called between lines:
 *  see gsym_filter_tidy. */
void gsym_mk_memo_tidy(struct mk_memo *memo);

/* ---- answers -------------------------------------------------------- */

/** A level of an address: what the host answered, and how it is shown. */
struct mk_level {
	struct gsym_markup_frame frame;
	/** The texts of function and file in the memo; 0: not known. */
	mk_memo_index function, file;
};

/** Whether the place of LEVEL is known. */
static inline bool mk_has_place(const struct mk_level *level)
{
	return *level->frame.basename != 0;
}

/** The levels of an address, innermost first.  Valid until the next call of
 *  gsym_mk_levels_of or gsym_mk_code with another address, or the end of the
 *  line. */
struct mk_levels {
	struct mk_level *items;
	size_t count;
};

/* ---- the host ------------------------------------------------------- */

struct mk_host {
	struct gsym_markup_host calls;
	const struct gsym_markup_options *options;
	/** The line at hand.  Messages are about it, and the judge works for
	 *  its process. */
	const struct mk_line *line;
	/** The output of the log.  What is complete of it is written before a
	 *  message, and before the host is asked for symbols. */
	struct mk_out *out;
	struct mk_messages *messages;
	struct mk_memo memo;
	/** The levels of the last address that the memo did not take. */
	struct mk_level levels[GSYM_MARKUP_MAX_FRAMES];
	/** A text for the memo. */
	struct mk_out draft;
	/** Scratch for a single function call. */
	struct mk_text scratch;
};

/** Make H, which is zeroed, ready.  CALLS may be NULL.  The other parts of the
 *  filter outlive H. */
void gsym_mk_host_init(struct mk_host *h, const struct gsym_markup_host *calls,
		       const struct gsym_markup_options *options,
		       struct mk_out *out, const struct mk_line *line);
/** Free what H keeps.  Messages that were counted alone are lost. */
void gsym_mk_host_fini(struct mk_host *h);

/** The host's symbols of MODULE; NULL, with a message the first time. */
void *gsym_mk_symbols(struct mk_host *h, struct mk_module *module);
/** The levels of ADDRESS in the module of SYMBOLS; none if SYMBOLS is NULL. */
struct mk_levels gsym_mk_levels_of(struct mk_host *h, void *symbols,
				   uint64_t address);
/** The levels of ADDRESS in MAPPING. */
struct mk_levels gsym_mk_code(struct mk_host *h,
			      const struct mk_mapping *mapping,
			      uint64_t address);
/** The variable at ADDRESS in MAPPING; false if it is unknown. */
bool gsym_mk_data(struct mk_host *h, const struct mk_mapping *mapping,
		  uint64_t address, struct gsym_markup_datum *ret);
/** The functions of SYMBOLS whose linkage name is NAME, as FUNCTIONS of the
 *  host returns them. */
size_t gsym_mk_functions(struct mk_host *h, void *symbols,
			 struct logs_text name,
			 struct gsym_markup_log_function *functions,
			 size_t capacity);
/** NAME, which the host gave, demangled; valid until the next call. */
const char *gsym_mk_demangle(struct mk_host *h, const char *name);

/* ---- messages ------------------------------------------------------- */

/** The precision of "%.*s" for a name of SIZE bytes: messages are cut, too. */
static inline int mk_clip(size_t size)
{
	enum { LONGEST = 200 };

	return (int)(size < LONGEST ? size : LONGEST);
}

/** Report a message about the byte AT of the line at hand; AT is NULL if the
 * message is about no line. */
void gsym_mk_say(struct mk_host *h, enum gsym_markup_severity severity,
		 const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/** Report the message for PROBLEM of E. */
void gsym_mk_say_problem(struct mk_host *h, const struct mk_element *e,
			 const struct mk_problem *problem,
			 enum gsym_markup_severity severity);
/** Report how many further times messages occurred that were not reported; free
 *  h->messages. */
void gsym_mk_messages_end(struct mk_host *h);

/** Hand the text to EXPLAIN of the host, which has to be there. */
void gsym_mk_tell(struct mk_host *h, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
