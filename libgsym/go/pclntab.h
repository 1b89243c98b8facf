/* SPDX-License-Identifier: MIT */
/*
 * go/pclntab.h - the pc/line table that the Go runtime reads, of Go 1.2
 * and later, to records: functions, lines and inlined calls.  Knows the
 * bytes of the table and of the inline trees; never how they were found.
 *
 *	pclntab.c          header, functions, trees as they are stored
 *	pclntab_layout.c   what has to be tried
 *	pclntab_lists.c    values by pc
 *	pclntab_strings.c  names and files
 *	pclntab_trees.c    inlined calls
 *	pclntab_convert.c  records
 */
#ifndef GSYM_GO_PCLNTAB_H
#define GSYM_GO_PCLNTAB_H

#include "go/memory.h"

/** The generations that the magic number tells apart, by the first Go release
 *  that wrote them. */
enum pclntab_era {
	PCLNTAB_1_2,
	PCLNTAB_1_16,
	PCLNTAB_1_18,
	PCLNTAB_1_20,
};

/** The kinds of entry that inline trees have had. */
enum pclntab_tree {
	PCLNTAB_TREE_NONE,
	PCLNTAB_TREE_A, /**< Go 1.9 to 1.11: parent, file, line, name */
	PCLNTAB_TREE_B, /**< to 1.19: also an offset into the code */
	PCLNTAB_TREE_C, /**< 1.20: name and offset, no parent */
};

/** From VADDR to END of a program's text as the table counts it, the code
 *  lies at BASE. */
struct pclntab_text {
	uint64_t vaddr, end, base;
};

struct gsym_pclntab {
	/** From the header on, as far as the table can reach. */
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	/** For the inline trees, and for what is code. */
	const struct gsym_memory *memory;

	enum pclntab_era era;
	bool swap;
	uint8_t quantum;
	uint8_t pointer_size;
	/** The size of the words of the function table. */
	uint8_t entry_size;
	/** The number of funcdata is 32 bits wide (Go 1.2 to 1.11). */
	bool wide_count;
	uint64_t count; /**< of functions */
	/** Offsets of the parts; of the era 1.2 all but FUNCTIONS and FILES
	 *  are 0, and FILES is of another kind. */
	uint64_t names, units, files, lists, functions;
	/** Where the last string ends. */
	uint64_t names_end, files_end;
	uint64_t header_text; /**< the header's text word; 0: none */

	/** For whoever found the table: */
	uint64_t text; /**< what entries count from */
	const struct pclntab_text *texts;
	size_t text_count; /**< more than 1, if it matters */
	/** What offsets of inline trees count from (since Go 1.18). */
	bool has_trees;
	uint64_t trees;

	enum pclntab_tree tree;
	/** Numbers of the pcdata and the funcdata of inline trees. */
	uint8_t tree_pcdata, tree_funcdata;
};

/**
 * Read the header at BYTES, SIZE of which can belong to the table, and check
 * it as far as that goes: the function table and the first functions.  False
 * if it is none of ours.
 */
bool gsym_pclntab_open(const struct gsym_memory *memory, uint64_t address,
		       const uint8_t *bytes, size_t size,
		       struct gsym_pclntab *table);

/** Find out, once it is known what the table's entries count from, what the
 *  table does not say: which layout one of the era 1.2 has, and since Go 1.26
 *  where the inline trees are, if that is not known. */
void gsym_pclntab_find_layout(struct gsym_pclntab *table);

/** The end of the last function's record, from the header on; 0 if it cannot
 *  be read. */
uint64_t gsym_pclntab_records_end(const struct gsym_pclntab *table);

/** Hand the functions of TABLE to SINK.  HIDE is told of ranges that no
 *  other input should name either. */
enum gsym_status
gsym_pclntab_convert(const struct gsym_pclntab *table,
		     const struct gsym_convert_options *options,
		     const struct gsym_sink *sink,
		     void (*hide)(void *context, struct gsym_range range),
		     void *hide_context, struct gsym_error *error);

/* ---- for the files of the table alone --------------------------------- */

struct pclntab_function {
	uint64_t start;
	/** The next function's start. */
	uint64_t limit;
	uint64_t record; /**< offset in the table */
	uint32_t name;
	uint32_t file_list;
	uint32_t line_list;
	uint32_t pcdata_count;
	uint32_t unit;
	uint32_t start_line;
	uint32_t funcdata_count;
};

/** The raw words of entry NUMBER (up to COUNT, the end) of the function
 *  table. */
uint64_t gsym_pclntab_entry(const struct gsym_pclntab *table, uint64_t number);
/** Function NUMBER; false if its record is not in the table. */
bool gsym_pclntab_function(const struct gsym_pclntab *table, uint64_t number,
			   struct pclntab_function *ret);
/** Where function NUMBER starts. */
uint64_t gsym_pclntab_address(const struct gsym_pclntab *table,
			      uint64_t number);

/** VALUE holds up to END, from the function's start on. */
struct pclntab_span {
	uint32_t end;
	int32_t value;
};

struct pclntab_list { GSYM_VEC(struct pclntab_span); };

enum pclntab_result {
	PCLNTAB_OK,
	PCLNTAB_DAMAGED, /**< what could be read is there */
	PCLNTAB_NO_MEMORY,
};

/** Decode the list at OFFSET for a function of SIZE bytes, into LIST. */
enum pclntab_result gsym_pclntab_list(const struct gsym_pclntab *table,
				      uint32_t offset, uint32_t size,
				      struct pclntab_list *list);
/** The value for OFFSET; -1 where there is none. */
int32_t gsym_pclntab_value(const struct pclntab_list *list, uint32_t offset);

/** The offset of FUNCTION's list of tree indexes; 0 if there is none. */
uint32_t gsym_pclntab_tree_list(const struct gsym_pclntab *table,
				const struct pclntab_function *function);
/** A cursor over FUNCTION's inline tree. */
struct gsym_cursor
gsym_pclntab_tree(const struct gsym_pclntab *table,
		  const struct pclntab_function *function);

/** An inlined call as stored; what a layout lacks is 0. */
struct pclntab_call {
	int32_t parent;
	uint32_t file;
	uint32_t line;
	uint32_t name;
	uint32_t pc; /**< offset of an instruction of the call */
	uint32_t start_line;
};

/** Entry INDEX of TREE, of a function of SIZE bytes; false if it is no sound
 *  entry. */
bool gsym_pclntab_call(const struct gsym_pclntab *table,
		       struct gsym_cursor tree, uint32_t index, uint64_t size,
		       struct pclntab_call *call);

/** The string at OFFSET among the names; NULL if there is none. */
const char *gsym_pclntab_name(const struct gsym_pclntab *table,
			      uint32_t offset);

/** Numbers of the sink by offsets of the table. */
struct pclntab_numbers {
	struct pclntab_number {
		uint32_t key; /* + 1; 0 is free */
		uint32_t number;
	} *slots;
	size_t count;
	size_t slot_count; /* a power of two */
};

struct pclntab_strings {
	const struct gsym_pclntab *table;
	const struct gsym_sink *sink;
	struct pclntab_numbers names;
	struct pclntab_numbers files;
	/** Bytes that names and files may still take. */
	uint64_t budget;
	/** How many had no place in the table. */
	uint64_t bad;
};

void gsym_pclntab_strings_fini(struct pclntab_strings *strings);
/** The sink's number for the name at OFFSET. */
enum gsym_status gsym_pclntab_take_name(struct pclntab_strings *strings,
					uint32_t offset, uint32_t *number);
/** The sink's number for file VALUE of UNIT. */
enum gsym_status gsym_pclntab_take_file(struct pclntab_strings *strings,
					uint32_t unit, int32_t value,
					uint32_t *number);

/** The inlined calls of a function on their way to the sink. */
struct pclntab_inlines {
	/** Read by the caller, who also decodes the lists. */
	struct pclntab_list lines, files, indexes;
	/** The result. */
	struct { GSYM_VEC(struct gsym_inline_node); } nodes;
	struct { GSYM_VEC(struct gsym_range); } ranges;
	/** At work. */
	struct { GSYM_VEC(struct pclntab_node); } calls;
	struct { GSYM_VEC(struct pclntab_piece); } pieces;
	/** By tree index: number of the call, + 1; zeros between functions. */
	struct { GSYM_VEC(uint32_t); } by_index;
};

/** An inlined call that some range of the code belongs to. */
struct pclntab_node {
	uint32_t index;
	uint32_t name;
	uint32_t file;
	uint32_t line;
	/** Numbers of calls and pieces, + 1; 0: none. */
	uint32_t parent, child, last_child, sibling;
	uint32_t piece, last_piece;
	uint32_t depth;
};

struct pclntab_piece {
	uint32_t start, end;
	uint32_t next;
};

void gsym_pclntab_inlines_fini(struct pclntab_inlines *inlines);
/** Unwind the inline tree of FUNCTION, which has SIZE bytes.  *DAMAGED: it
 *  cannot be read, and there are no nodes. */
enum gsym_status gsym_pclntab_unwind(struct pclntab_inlines *inlines,
				     struct pclntab_strings *strings,
				     const struct pclntab_function *function,
				     uint32_t size, bool *damaged);

#endif
