/* SPDX-License-Identifier: MIT */
/*
 * go/go.h - the function table of the Go runtime in a program, even if its
 * sections were renamed or its symbols stripped:
 *
 *	go.c               finds the table, and the module data of the runtime
 *	program.c          the program's memory; what Go's linkers leave in it
 *	pclntab.c          the table of Go 1.2 and later: header, functions,
 *	                   entries of inline trees, pc-value tables, the layout
 *	                   where the table does not tell
 *	pclntab_convert.c  functions to records, inline trees to nodes, names
 *	                   and files to the sink
 *	plan9.c            the tables of Go 1.1 and older
 */
#ifndef GSYM_GO_GO_H
#define GSYM_GO_GO_H

#include "aout/aout.h"
#include "base/intern.h"
#include "container/container.h"

#include <gsym/convert.h>

/* ---- program.c: memory --------------------------------------------------- */

/*
 * The memory of a program that is loaded at the addresses that it was linked
 * for: segments by address, with their relative relocations applied.
 */

/** The most pieces.  Real programs have far fewer segments; further segments of
 *  a hostile file are ignored. */
enum { GSYM_MEMORY_PIECES = 64 };

struct gsym_memory {
	bool swap;
	uint8_t address_size;
	/** Ascending and not overlapping. */
	struct gsym_segment pieces[GSYM_MEMORY_PIECES];
	size_t count;
	/** For each piece: its bytes, malloc'ed, if relocations changed any;
	 *  else NULL. */
	uint8_t *copies[GSYM_MEMORY_PIECES];
};

/** Fill MEMORY with the segments of CONTAINER, which has to outlive it.  False
 *  without memory; gsym_memory_fini has to be called in either case. */
bool gsym_memory_init(struct gsym_memory *memory,
		      const struct gsym_container *container);
void gsym_memory_fini(struct gsym_memory *memory);

/** A cursor from ADDRESS to the end of its piece; over nothing if no piece
 *  holds ADDRESS. */
struct gsym_cursor gsym_memory_cursor(const struct gsym_memory *memory,
				      uint64_t address);

/** Whether [START, END) lies in executable memory. */
bool gsym_memory_is_code(const struct gsym_memory *memory, uint64_t start,
			 uint64_t end);

/* ---- pclntab*.c: the table ----------------------------------------------- */

/** Versions of the table as the magic number tells them, by the first Go
 *  release that wrote them. */
enum pclntab_era {
	PCLNTAB_1_2,
	PCLNTAB_1_16,
	PCLNTAB_1_18,
	PCLNTAB_1_20,
};

/** Layouts of the entries of inline trees. */
enum pclntab_tree {
	PCLNTAB_TREE_NONE,
	/** Go 1.9 to 1.11: parent, file, line, name. */
	PCLNTAB_TREE_A,
	/** Go 1.12 to 1.19: also the pc of an instruction. */
	PCLNTAB_TREE_B,
	/** Since Go 1.20: name, pc and start line; the pc-value tables have
	 *  the rest for that pc. */
	PCLNTAB_TREE_C,
};

/** One of several text sections: the offsets [VADDR, END) of the table lie at
 *  the address BASE. */
struct pclntab_text {
	uint64_t vaddr, end, base;
};

struct gsym_pclntab {
	/** From the header on, as far as the table may reach. */
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /**< of the header */
	/** The program's memory. */
	const struct gsym_memory *memory;

	enum pclntab_era era;
	bool swap;
	uint8_t quantum;      /**< Bytes of the smallest instruction. */
	uint8_t pointer_size; /**< 4 or 8 */
	uint8_t entry_size;   /**< bytes of a word of the function table */
	/** The number of funcdata has 32 bits (Go 1.2 to 1.11), not 8. */
	bool wide_count;
	uint64_t count; /**< of functions */
	/** Offsets of the parts from the header.  In the era 1.2 only
	 *  FUNCTIONS and FILES are set, and FILES is an array of offsets of
	 *  names instead of the names. */
	uint64_t names, units, files, values, functions;
	/** Offsets of the end of the last string of NAMES and FILES. */
	uint64_t names_end, files_end;
	uint64_t header_text; /**< the header's text address; 0: none */

	/** Set by the finder of the table since the era 1.18: */
	uint64_t text; /**< address that entries count from */
	/** Text sections, if there are several; else TEXT_COUNT is 0. */
	const struct pclntab_text *texts;
	size_t text_count;
	/** HAS_TREES: the address from which offsets of inline trees count is
	 * known; it is TREES. */
	bool has_trees;
	uint64_t trees;

	enum pclntab_tree tree;
	/** The index of the pcdata with the tree indexes, and of the funcdata
	 *  with the inline tree. */
	uint8_t tree_pcdata, tree_funcdata;
};

/** Whether the 8 bytes at P may begin a table: a magic number and two zeros. */
static inline bool pclntab_is_header(const uint8_t *p, bool swap)
{
	uint32_t magic = gsym_load_u32(p, swap);

	return magic >= 0xfffffff0 &&
	       (magic == 0xfffffffb || magic == 0xfffffffa ||
		magic <= 0xfffffff1) &&
	       !p[4] && !p[5];
}

/** Whether the header at BYTES, and the offsets in it, can be those of a table
 *  of SIZE bytes at most.  Looks at the header alone, and at the end of the
 *  functions. */
bool gsym_pclntab_possible(const struct gsym_memory *memory,
			   const uint8_t *bytes, uint64_t size);

/**
 * Fill TABLE from the header at BYTES, which lies at ADDRESS in MEMORY.  The
 * table has at most SIZE bytes.  False if the header, the offsets in it or the
 * first functions are not those of a function table.
 */
bool gsym_pclntab_open(const struct gsym_memory *memory, uint64_t address,
		       const uint8_t *bytes, size_t size,
		       struct gsym_pclntab *table);

/** Find out facts that TABLE does not have: the layout of a table of the era
 *  1.2; since Go 1.26 the address of the inline trees, unless it is known.
 *  TEXT has to be set. */
void gsym_pclntab_find_layout(struct gsym_pclntab *table);

/** Push a record for each function of TABLE to SINK.  HIDE (may be NULL) is
 *  called, with HIDE_CONTEXT, for ranges that are no functions, so that other
 *  readers do not name them.  Damage goes to OPTIONS->warn.  Returns
 *  GSYM_ERR_MEMORY or the status of SINK. */
enum gsym_status
gsym_pclntab_convert(const struct gsym_pclntab *table,
		     const struct gsym_convert_options *options,
		     const struct gsym_sink *sink,
		     void (*hide)(void *context, struct gsym_range range),
		     void *hide_context, struct gsym_error *error);

/* ---- pclntab*.c: private to these files ---------------------------------- */

/** A function's record. */
struct pclntab_function {
	uint64_t start;
	uint64_t limit;	 /**< start of the next function */
	uint64_t record; /**< offset of the record in the table */
	uint32_t name;	 /**< for gsym_pclntab_name */
	/** Offsets of the pc-value tables of files and lines. */
	uint32_t file_values;
	uint32_t line_values;
	uint32_t pcdata_count;
	uint32_t unit;
	uint32_t start_line;
	uint32_t funcdata_count;
};

/** The address or offset that entry NUMBER of the function table starts with.
 *  Entry COUNT has the end of the last function. */
uint64_t gsym_pclntab_entry(const struct gsym_pclntab *table, uint64_t number);
/** Read the record of function NUMBER to RET.  False if the record is not in
 *  the table, or belongs to another function. */
bool gsym_pclntab_function(const struct gsym_pclntab *table, uint64_t number,
			   struct pclntab_function *ret);
/** The address of function NUMBER; of the end of the last one for COUNT. */
uint64_t gsym_pclntab_address(const struct gsym_pclntab *table,
			      uint64_t number);

/** VALUE holds from the end of the previous span up to END.  Both count from
 *  the start of the function. */
struct pclntab_span {
	uint32_t end;
	int32_t value;
};

/** A decoded pc-value table. */
struct pclntab_values {
	GSYM_VEC(struct pclntab_span);
};

enum pclntab_result {
	PCLNTAB_OK,
	PCLNTAB_DAMAGED, /**< the spans before the damage are there */
	PCLNTAB_NO_MEMORY,
};

/** Decode the pc-value table at OFFSET (0: an empty one), of a function of SIZE
 *  bytes, to VALUES. */
enum pclntab_result gsym_pclntab_values(const struct gsym_pclntab *table,
					uint32_t offset, uint32_t size,
					struct pclntab_values *values);
/** The value at OFFSET of the function; -1 after the last span. */
int32_t gsym_pclntab_value(const struct pclntab_values *values,
			   uint32_t offset);

/** The offset of FUNCTION's pc-value table of tree indexes; 0: it has none. */
uint32_t gsym_pclntab_tree_values(const struct gsym_pclntab *table,
				  const struct pclntab_function *function);
/** A cursor from the start of FUNCTION's inline tree; over nothing if the
 *  function has no tree. */
struct gsym_cursor
gsym_pclntab_tree(const struct gsym_pclntab *table,
		  const struct pclntab_function *function);

/** An entry of an inline tree.  Fields that the layout does not have are 0,
 *  and PARENT is -1. */
struct pclntab_call {
	int32_t parent; /**< index of the call around this one; -1: none */
	uint32_t file;
	uint32_t line;
	uint32_t name;
	uint32_t pc; /**< offset of an instruction in the call's parent */
	uint32_t start_line;
};

/** Read entry INDEX of TREE, of a function of SIZE bytes, to CALL; false if it
 *  is no sound entry. */
bool gsym_pclntab_call(const struct gsym_pclntab *table,
		       struct gsym_cursor tree, uint32_t index, uint64_t size,
		       struct pclntab_call *call);

/** The name at OFFSET of the names, within the table; NULL if OFFSET lies
 *  outside of them. */
const char *gsym_pclntab_name(const struct gsym_pclntab *table,
			      uint32_t offset);

/** The sink's numbers of strings, by their offsets. */
struct pclntab_numbers {
	struct gsym_keys keys;
	GSYM_VEC(uint32_t);
};

/** Names and files that were handed to SINK. */
struct pclntab_strings {
	const struct gsym_pclntab *table;
	const struct gsym_sink *sink;
	struct pclntab_numbers names;
	struct pclntab_numbers files;
	/** Bytes that more names and files may take: in a hostile table
	 *  strings overlap and would take any amount of memory. */
	uint64_t budget;
	/** Strings that are not in the table, or beyond the budget. */
	uint64_t bad;
};

/** Hand the file over whose path is the LENGTH bytes at PATH, split at its last
 *  '/'. */
enum gsym_status gsym_go_put_file(const struct gsym_sink *sink,
				  const char *path, size_t length,
				  uint32_t *number);

void gsym_pclntab_strings_fini(struct pclntab_strings *strings);
/** The sink's number for file VALUE, as pc-value tables have it, of UNIT,
 *  handed over on first use; GSYM_FILE_NOSRC if there is none. */
enum gsym_status gsym_pclntab_take_file(struct pclntab_strings *strings,
					uint32_t unit, int32_t value,
					uint32_t *number);

/** The inlined calls of one function; memory is kept for the next one. */
struct pclntab_inlines {
	/** Input, decoded by the caller. */
	struct pclntab_values lines, files, indexes;
	/** The result, as struct gsym_record has it. */
	GSYM_VEC_OF(struct gsym_inline_node) nodes;
	struct gsym_range_set ranges;
	/** Scratch. */
	GSYM_VEC_OF(struct pclntab_node) calls;
	GSYM_VEC_OF(struct pclntab_piece) pieces;
	/** By tree index: index in CALLS + 1, or 0.  Between two functions all
	 *  elements are 0. */
	GSYM_VEC_OF(uint32_t) by_index;
};

/** An inlined call that has code. */
struct pclntab_node {
	uint32_t index; /**< in the inline tree */
	uint32_t name;	/**< the sink's number */
	uint32_t file;	/**< of the call; the sink's number */
	uint32_t line;
	/** Indexes in CALLS and PIECES + 1; 0: none. */
	uint32_t parent, child, last_child, sibling;
	uint32_t piece, last_piece;
	uint32_t depth; /**< 1 for calls in the function's own code */
};

/** A range of a call's code, in offsets from the function's start. */
struct pclntab_piece {
	uint32_t start, end;
	uint32_t next; /**< index in PIECES + 1; 0: none */
};

void gsym_pclntab_inlines_fini(struct pclntab_inlines *inlines);
/** Make nodes and ranges of the inline tree of FUNCTION, which has SIZE bytes.
 *  *DAMAGED: the tree cannot be read, and there are no nodes. */
enum gsym_status gsym_pclntab_make_inlines(
	struct pclntab_inlines *inlines, struct pclntab_strings *strings,
	const struct pclntab_function *function, uint32_t size, bool *damaged);

/* ---- plan9.c ------------------------------------------------------------- */

/*
 * The tables of Go 1.1 and older have the format of Plan 9.  The table of
 * symbols also has the history of each object's source files.  The table of
 * lines is a list of bytes, from which pc and line are computed.  Lines are
 * counted as if all included files were pasted into the source file.
 */

/** Push a record for each function of TABLES to SINK; damage goes to
 *  OPTIONS->warn.  GSYM_ERR_CORRUPT: the symbols are of no known dialect;
 *  GSYM_ERR_MEMORY; what SINK returns. */
enum gsym_status gsym_plan9_convert(const struct gsym_plan9 *tables,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink,
				    struct gsym_error *error);

/* ---- go.c ---------------------------------------------------------------- */

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

/* ---- program.c: what Go's linkers leave ---------------------------------- */

/** Addresses of the symbols that Go's linkers define; 0: there is no such
 *  symbol. */
struct go_symbols {
	uint64_t table, table_end;     /**< runtime.pclntab, or pclntab */
	uint64_t symbols, symbols_end; /**< symtab, of Go 1.1 and older */
	uint64_t module;	       /**< runtime.firstmoduledata */
	uint64_t text;		       /**< runtime.text */
	/** There is a symbol of the runtime or of cgo. */
	bool any;
};

/** Fill RET from the symbols of CONTAINER. */
void gsym_go_find_symbols(const struct gsym_container *container,
			  struct go_symbols *ret);

/** The loaded section with bytes in the file that is named ELF, or, after the
 *  comma of a Mach-O name, MACHO; NULL if there is none. */
const struct gsym_container_section *
gsym_go_section(const struct gsym_container *container, const char *elf,
		const char *macho);

/** Whether a section of CONTAINER has a name that only Go's linkers give. */
bool gsym_go_has_sections(const struct gsym_container *container);

/** Whether CONTAINER has the mark of Go's build ID or build info, which tools
 *  such as "go version" read.  Only the start of each segment is searched. */
bool gsym_go_has_marks(const struct gsym_container *container);

#endif
