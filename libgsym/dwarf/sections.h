/* SPDX-License-Identifier: MIT */
/*
 * dwarf/sections.h - the numbers of DWARF and the bytes of debug info, for the
 * production reader:
 *
 *	sections.c  sections, values of attributes, which attributes are read
 *	abbrev.c    abbreviation tables, compiled
 *	info.c      the DIEs of a unit, in order
 *
 * All of it is read-only after gsym_dw_info_open, so any number of threads may
 * use it.
 */
#ifndef GSYM_DWARF_SECTIONS_H
#define GSYM_DWARF_SECTIONS_H

#include "dwarf/unit.h"

/* ---- constants ----------------------------------------------------------- */

/*
 * The numbers of DWARF 2 to 5 (dwarfstd.org, "DWARF Debugging Information
 * Format", section 7) and of the GNU extensions, as far as the production
 * reader uses them.
 */

enum dw_tag {
	DW_TAG_array_type = 0x01,
	DW_TAG_class_type = 0x02,
	DW_TAG_enumeration_type = 0x04,
	DW_TAG_lexical_block = 0x0b,
	DW_TAG_member = 0x0d,
	DW_TAG_compile_unit = 0x11,
	DW_TAG_structure_type = 0x13,
	DW_TAG_subroutine_type = 0x15,
	DW_TAG_union_type = 0x17,
	DW_TAG_inlined_subroutine = 0x1d,
	DW_TAG_module = 0x1e,
	DW_TAG_subprogram = 0x2e,
	DW_TAG_variable = 0x34,
	DW_TAG_interface_type = 0x38,
	DW_TAG_namespace = 0x39,
	DW_TAG_partial_unit = 0x3c,
	DW_TAG_type_unit = 0x41,
	DW_TAG_call_site = 0x48,
	DW_TAG_skeleton_unit = 0x4a,
	DW_TAG_GNU_call_site = 0x4109,
};

enum dw_at {
	DW_AT_sibling = 0x01,
	DW_AT_location = 0x02,
	DW_AT_name = 0x03,
	DW_AT_stmt_list = 0x10,
	DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12,
	DW_AT_language = 0x13,
	DW_AT_comp_dir = 0x1b,
	DW_AT_producer = 0x25,
	DW_AT_abstract_origin = 0x31,
	DW_AT_decl_file = 0x3a,
	DW_AT_decl_line = 0x3b,
	DW_AT_specification = 0x47,
	DW_AT_entry_pc = 0x52,
	DW_AT_ranges = 0x55,
	DW_AT_call_file = 0x58,
	DW_AT_call_line = 0x59,
	DW_AT_signature = 0x69,
	DW_AT_linkage_name = 0x6e,
	DW_AT_str_offsets_base = 0x72,
	DW_AT_addr_base = 0x73,
	DW_AT_rnglists_base = 0x74,
	DW_AT_dwo_name = 0x76,
	DW_AT_call_return_pc = 0x7d,
	DW_AT_call_origin = 0x7f,
	DW_AT_MIPS_linkage_name = 0x2007,
	DW_AT_GNU_dwo_name = 0x2130,
	DW_AT_GNU_dwo_id = 0x2131,
	DW_AT_GNU_ranges_base = 0x2132,
	DW_AT_GNU_addr_base = 0x2133,
	DW_AT_LLVM_stmt_sequence = 0x3e0c,
};

enum dw_form {
	DW_FORM_addr = 0x01,
	DW_FORM_block2 = 0x03,
	DW_FORM_block4 = 0x04,
	DW_FORM_data2 = 0x05,
	DW_FORM_data4 = 0x06,
	DW_FORM_data8 = 0x07,
	DW_FORM_string = 0x08,
	DW_FORM_block = 0x09,
	DW_FORM_block1 = 0x0a,
	DW_FORM_data1 = 0x0b,
	DW_FORM_flag = 0x0c,
	DW_FORM_sdata = 0x0d,
	DW_FORM_strp = 0x0e,
	DW_FORM_udata = 0x0f,
	DW_FORM_ref_addr = 0x10,
	DW_FORM_ref1 = 0x11,
	DW_FORM_ref2 = 0x12,
	DW_FORM_ref4 = 0x13,
	DW_FORM_ref8 = 0x14,
	DW_FORM_ref_udata = 0x15,
	DW_FORM_indirect = 0x16,
	DW_FORM_sec_offset = 0x17,
	DW_FORM_exprloc = 0x18,
	DW_FORM_flag_present = 0x19,
	DW_FORM_strx = 0x1a,
	DW_FORM_addrx = 0x1b,
	DW_FORM_ref_sup4 = 0x1c,
	DW_FORM_strp_sup = 0x1d,
	DW_FORM_data16 = 0x1e,
	DW_FORM_line_strp = 0x1f,
	DW_FORM_ref_sig8 = 0x20,
	DW_FORM_implicit_const = 0x21,
	DW_FORM_loclistx = 0x22,
	DW_FORM_rnglistx = 0x23,
	DW_FORM_ref_sup8 = 0x24,
	DW_FORM_strx1 = 0x25,
	DW_FORM_strx2 = 0x26,
	DW_FORM_strx3 = 0x27,
	DW_FORM_strx4 = 0x28,
	DW_FORM_addrx1 = 0x29,
	DW_FORM_addrx2 = 0x2a,
	DW_FORM_addrx3 = 0x2b,
	DW_FORM_addrx4 = 0x2c,
	DW_FORM_GNU_addr_index = 0x1f01,
	DW_FORM_GNU_str_index = 0x1f02,
	DW_FORM_GNU_ref_alt = 0x1f20,
	DW_FORM_GNU_strp_alt = 0x1f21,
};

enum dw_op {
	DW_OP_addr = 0x03,
	DW_OP_plus_uconst = 0x23,
	DW_OP_addrx = 0xa1,
	DW_OP_GNU_addr_index = 0xfb,
};

enum dw_ut {
	DW_UT_compile = 1,
	DW_UT_type = 2,
	DW_UT_partial = 3,
	DW_UT_skeleton = 4,
	DW_UT_split_compile = 5,
	DW_UT_split_type = 6,
};

enum dw_rle {
	DW_RLE_end_of_list = 0,
	DW_RLE_base_addressx = 1,
	DW_RLE_startx_endx = 2,
	DW_RLE_startx_length = 3,
	DW_RLE_offset_pair = 4,
	DW_RLE_base_address = 5,
	DW_RLE_start_end = 6,
	DW_RLE_start_length = 7,
};

enum dw_lns {
	DW_LNS_copy = 1,
	DW_LNS_advance_pc = 2,
	DW_LNS_advance_line = 3,
	DW_LNS_set_file = 4,
	DW_LNS_set_column = 5,
	DW_LNS_negate_stmt = 6,
	DW_LNS_set_basic_block = 7,
	DW_LNS_const_add_pc = 8,
	DW_LNS_fixed_advance_pc = 9,
	DW_LNS_set_prologue_end = 10,
	DW_LNS_set_epilogue_begin = 11,
	DW_LNS_set_isa = 12,
};

enum dw_lne {
	DW_LNE_end_sequence = 1,
	DW_LNE_set_address = 2,
	DW_LNE_define_file = 3,
	DW_LNE_set_discriminator = 4,
};

enum dw_lnct {
	DW_LNCT_path = 1,
	DW_LNCT_directory_index = 2,
};

/* ---- sections.c ---------------------------------------------------------- */

/** Cursors at the start of each section; empty for a missing section.  STR and
 *  LINE_STR end at their last NUL. */
struct dw_sections {
	struct gsym_cursor info;
	struct gsym_cursor abbrev;
	struct gsym_cursor line;
	struct gsym_cursor str;
	struct gsym_cursor line_str;
	struct gsym_cursor str_offsets;
	struct gsym_cursor addr;
	struct gsym_cursor ranges;
	struct gsym_cursor rnglists;
	struct gsym_cursor aranges;
	bool code_bit0;

	/* gsym_dw_info_open sets the rest. */
	/** The units in INFO. */
	const struct dw_headers *headers;
	/** The sections whose INFO DW_FORM_ref_addr leads into: .debug_info,
	 *  even from .debug_types. */
	const struct dw_sections *global;
	/** The type units. */
	const struct dw_signatures *signatures;
	/** The sections of the supplementary file (dwz); NULL: none. */
	const struct dw_sections *alternate;
};

void gsym_dw_sections_init(struct dw_sections *sections,
			   const struct gsym_container *container);

/** All units of a section, sorted by offset. */
struct dw_headers { GSYM_VEC(struct dw_header); };

/** The unit whose DIEs are around OFFSET of its section; NULL if there is none
 *  or it is not usable. */
const struct dw_header *gsym_dw_headers_find(const struct dw_headers *headers,
					     uint64_t offset);

/** Type units, sorted by signature. */
struct dw_signatures {
	GSYM_VEC(struct dw_signature {
		uint64_t signature;
		const struct dw_header *header;
	});
	/** Finds type units that are not among these (struct dw_package);
	 *  NULL: there are no others. */
	const struct dw_header *(*find)(void *context, uint64_t signature);
	void *context;
};

/** The first type unit with SIGNATURE; NULL: none. */
const struct dw_header *gsym_dw_signatures_find(const struct dw_signatures *all,
						uint64_t signature);

/** A DIE of any unit. */
struct dw_place {
	const struct dw_header *header; /**< its unit */
	uint64_t die;			/**< offset in the unit's section */
};

/** The value of an attribute, as its form stores it. */
struct dw_value {
	/** The form (enum dw_form); 0: the DIE does not have the
	 *  attribute. */
	uint16_t form;
	union {
		uint64_t u;
		int64_t s;
		const char *string; /**< DW_FORM_string */
		struct {
			const uint8_t *bytes;
			uint64_t size;
		} block; /**< DW_FORM_exprloc and blocks */
	};
};

/** Read a value of FORM at the cursor.  Unknown forms fail the cursor, and so
 *  does DW_FORM_implicit_const, whose value is in the abbreviation. */
struct dw_value gsym_dw_value_read(struct gsym_cursor *c, uint16_t form,
				   struct dw_encoding encoding);

/** The bytes that a value of FORM takes; -1: their number depends on the
 *  value, -2: the form is not known. */
int gsym_dw_form_size(uint16_t form, struct dw_encoding encoding);

/** VALUE as a string; NULL if its form is not a string's or it lies outside
 *  its section. */
const char *gsym_dw_value_string(const struct dw_header *unit,
				 struct dw_value value);

/** VALUE as an address; false if its form is not an address's or its index has
 *  no address. */
bool gsym_dw_value_address(const struct dw_header *unit, struct dw_value value,
			   uint64_t *ret);

/** VALUE as a constant; false if its form is not a constant's or it is
 *  negative. */
bool gsym_dw_value_constant(struct dw_value value, uint64_t *ret);

/** VALUE as a location expression that is one address for the whole life of
 *  the program, by the policy; false if it is no such expression. */
bool gsym_dw_value_location(const struct dw_header *unit, struct dw_value value,
			    uint64_t *ret);

/** VALUE as an offset into another section; false if its form is not an
 *  offset's. */
bool gsym_dw_value_offset(struct dw_value value, uint64_t *ret);

/** Read the length at the start of a unit, a line table or a set.  *OFFSET_SIZE
 *  becomes 4, or 8 in 64-bit DWARF. */
static inline uint64_t dw_length_read(struct gsym_cursor *c,
				      uint8_t *offset_size)
{
	uint64_t length = gsym_cursor_u32(c);

	*offset_size = length == UINT32_MAX ? 8 : 4;
	return length == UINT32_MAX ? gsym_cursor_u64(c) : length;
}

/** Entry INDEX, of SIZE bytes, of the table that begins at BASE of the section
 *  at C; false if there is none. */
bool gsym_dw_entry_at(struct gsym_cursor c, uint64_t base, uint64_t index,
		      unsigned size, uint64_t *ret);

/** The address with INDEX in UNIT's part of .debug_addr; false if there is
 *  none. */
bool gsym_dw_address_at(const struct dw_header *unit, uint64_t index,
			uint64_t *ret);

/** The place that VALUE, a reference, leads to: in UNIT, in another unit of the
 *  file, in a type unit or in the supplementary file.  False if it leads
 *  outside all units.  Whether a DIE begins at the place is not checked. */
bool gsym_dw_value_reference(const struct dw_header *unit,
			     struct dw_value value, struct dw_place *ret);

/* ---- abbrev.c ------------------------------------------------------------ */

/*
 * Abbreviation tables, compiled.
 *
 * Most DIEs of a unit are not needed.  So each abbreviation is compiled into
 * programs of bytes.  The skip program steps over the attributes of a DIE
 * whose size varies: neighbouring fixed sizes are one instruction, and
 * DW_AT_sibling is noted.  The read program, for tags that are needed, reads
 * the needed attributes into slots and steps over the others.  The programs
 * depend on the encoding of the unit.
 */

/** The attributes that are read.  DW_AT_call_origin of a call site is read to
 *  DW_SLOT_ORIGIN, and DW_AT_call_return_pc to DW_SLOT_LOW_PC. */
enum dw_slot {
	DW_SLOT_NAME,
	DW_SLOT_LINKAGE_NAME,
	DW_SLOT_LOW_PC,
	DW_SLOT_HIGH_PC,
	DW_SLOT_RANGES,
	DW_SLOT_ORIGIN,
	DW_SLOT_SPECIFICATION,
	DW_SLOT_SIGNATURE,
	DW_SLOT_CALL_FILE,
	DW_SLOT_CALL_LINE,
	DW_SLOT_DECL_FILE,
	DW_SLOT_DECL_LINE,
	DW_SLOT_STMT_SEQUENCE,
	DW_SLOT_LOCATION,
	DW_SLOT_DIE_COUNT,
	/* Of unit DIEs only. */
	DW_SLOT_COMP_DIR = DW_SLOT_DIE_COUNT,
	DW_SLOT_STMT_LIST,
	DW_SLOT_LANGUAGE,
	DW_SLOT_PRODUCER,
	DW_SLOT_STR_OFFSETS_BASE,
	DW_SLOT_ADDR_BASE,
	DW_SLOT_RNGLISTS_BASE,
	DW_SLOT_RANGES_BASE,
	DW_SLOT_ENTRY_PC,
	DW_SLOT_SPLIT_NAME,
	DW_SLOT_SPLIT_ID,
	DW_SLOT_COUNT
};

struct dw_attributes {
	struct dw_value slots[DW_SLOT_COUNT];
};

/** Kinds of DIEs that a walk may look for, as bits. */
enum dw_kind {
	DW_KIND_CODE = 1,    /**< a function or an inlined call */
	DW_KIND_CONTEXT = 2, /**< qualifies the names of the DIEs in it */
	DW_KIND_TYPE = 4,    /**< a type that has no code in it */
	DW_KIND_CLASS = 8,   /**< a type that may have code in it */
	DW_KIND_CALL = 16,   /**< a call site */
	DW_KIND_VARIABLE = 32,
	DW_KIND_OTHER = 64,
	DW_KIND_ANY = 127,
	/** Attributes of the DIE are read; those of other DIEs are stepped
	 *  over. */
	DW_KIND_READ = 128,
};

struct dw_abbrev {
	/** Offsets of the skip program and of the read program; they are equal
	 *  if the tag is not needed.  The skip program is not used if SIZE is
	 *  known. */
	uint32_t skip, read;
	uint16_t tag;
	/** The bytes of all attributes; UINT16_MAX if their number depends on
	 *  the DIE, or is as large, or if DW_AT_sibling is not one value of
	 *  DW_FORM_ref4. */
	uint16_t size;
	/** If SIZE is known: where in the attributes DW_AT_sibling is;
	 *  UINT16_MAX: there is none. */
	uint16_t sibling;
	uint8_t kinds; /**< enum dw_kind */
	bool has_children : 1;
	bool has_code : 1; /**< the DIE has DW_AT_low_pc or DW_AT_ranges */
};

/* A walk reads an abbreviation for each DIE: four of them fill a cache line. */
_Static_assert(sizeof(struct dw_abbrev) == 16, "size of an abbreviation");

/** The code of an abbreviation, and its place in the list of its table. */
struct dw_abbrev_code {
	uint64_t code;
	size_t place;
};

struct dw_abbrevs {
	GSYM_VEC_OF(struct dw_abbrev) list;
	/** The codes in ascending order, if they are not SEQUENTIAL. */
	GSYM_VEC_OF(struct dw_abbrev_code) codes;
	GSYM_VEC_OF(uint8_t) programs;
	bool sequential; /**< codes count from 1 */
	/** A name or a declaration may be in another unit of the file. */
	bool refers_out;
	/** A function or an inlined call may have code. */
	bool has_code;
	bool damaged;    /**< the table broke off */
	uint64_t end;	 /**< offset of the byte after the table */
};

/** Compile the table at OFFSET of .debug_abbrev, which ends at END at the
 *  latest (UINT64_MAX: at the end of the section), for units of ENCODING.
 *  Abbreviations before damage are kept.  False without memory. */
bool gsym_dw_abbrevs_read(struct dw_abbrevs *table, const struct dw_sections *s,
			  uint64_t offset, uint64_t end,
			  struct dw_encoding encoding);
void gsym_dw_abbrevs_fini(struct dw_abbrevs *table);

const struct dw_abbrev *gsym_dw_abbrev_search(const struct dw_abbrevs *table,
					      uint64_t code);

/** The abbreviation CODE; NULL if there is none. */
static inline const struct dw_abbrev *
dw_abbrev_find(const struct dw_abbrevs *table, uint64_t code)
{
	if (table->sequential)
		return code - 1 < table->list.count ?
			       &table->list.items[code - 1] :
			       NULL;
	return gsym_dw_abbrev_search(table, code);
}

/** The byte after the attributes at AT of a DIE of known size, of which LEFT
 *  bytes can be read; NULL if the size is not known or more than LEFT.
 *  *SIBLING becomes the value of DW_AT_sibling if the DIE has it. */
static inline const uint8_t *dw_abbrev_step(const struct dw_abbrev *abbrev,
					    const uint8_t *at, size_t left,
					    bool swap, uint64_t *sibling)
{
	if (abbrev->size == UINT16_MAX || abbrev->size > left)
		return NULL;
	if (abbrev->sibling < UINT16_MAX)
		*sibling = gsym_load_u32(at + abbrev->sibling, swap);
	return at + abbrev->size;
}

/** Step over the attributes of a DIE.  *SIBLING becomes the value of
 *  DW_AT_sibling, an offset from the unit header, if the DIE has one whose form
 *  refers into the unit. */
void gsym_dw_abbrev_skip(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding, uint64_t *sibling);

/** Read the needed attributes of a DIE, and step over the others.  The slots
 *  of unit DIEs, from DW_SLOT_DIE_COUNT on, are left alone where the DIE does
 *  not have the attribute: clearing them takes longer than reading most
 *  DIEs. */
void gsym_dw_abbrev_read(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding,
			 struct dw_attributes *ret);

/* ---- sections.c: what is read -------------------------------------------- */

/** The slot of attribute AT of a DIE of KINDS; DW_SLOT_COUNT if the attribute
 *  is stepped over. */
enum dw_slot gsym_dw_slot_of(uint8_t kinds, uint64_t at);
/** The kinds (enum dw_kind) of DIEs with TAG. */
uint8_t gsym_dw_kinds_of(uint16_t tag);

/* ---- info.c: walks ------------------------------------------------------- */

/*
 * Goes through the DIEs of a unit in order, and stops at those of some kinds.
 *
 * 	struct dw_walk w = dw_walk_init(header, header->die);
 * 	while ((abbrev = gsym_dw_walk_find(&w, KINDS)))
 * 		if (abbrev->tag == DW_TAG_subprogram)
 * 			dw_walk_read(&w, abbrev, &attributes);
 * 		else
 * 			dw_walk_skip(&w, abbrev, false);
 */

struct dw_walk {
	struct gsym_cursor c;
	const struct dw_header *header;
	uint64_t die;	/**< offset of the last DIE in its section */
	uint32_t depth; /**< depth of the last DIE; 0 for the first DIE */
	uint32_t next;  /**< depth of the next DIE */
	/** The lowest depth that the walk came back to between the last two
	 *  DIEs: DIEs at this depth or below have ended. */
	uint32_t low;
	/** Kinds of DIEs whose children are stepped over, too, where a
	 *  DW_AT_sibling says where they end; and kinds for which this is so
	 *  outside of functions only. */
	unsigned leave, leave_outside;
	/** The depth of the outermost function around the last DIE, or of that
	 *  DIE if it is one; UINT32_MAX: there is none. */
	uint32_t function;
};

/** A walk over the DIE at offset DIE of the unit at HEADER, and all DIEs in
 *  it. */
static inline struct dw_walk dw_walk_init(const struct dw_header *header,
					  uint64_t die)
{
	struct dw_walk w = { .c = header->sections->info, .header = header };

	gsym_cursor_seek(&w.c, die);
	w.c.end = w.c.start + header->end;
	return w;
}

/** Go on to the next DIE of one of KINDS (enum dw_kind); other DIEs are stepped
 *  over, and their children are not, unless W->leave says so.  Returns the
 *  abbreviation of the DIE, whose attributes have to be read or skipped before
 *  the next call.  NULL at the end of the tree, and if the tree breaks off: the
 *  cursor has failed then. */
const struct dw_abbrev *gsym_dw_walk_find(struct dw_walk *w, unsigned kinds);

/** Step over the children of the last DIE if they come next: its attributes
 *  were read or skipped.  W->die is an offset among the children then. */
void gsym_dw_walk_leave(struct dw_walk *w);

/** Note that the children of the last DIE come next, if it has any. */
static inline void dw_walk_enter(struct dw_walk *w,
				 const struct dw_abbrev *abbrev)
{
	if (abbrev->has_children)
		w->next++;
	else if (!w->next)
		w->c.end = w->c.at; /* the first DIE is the whole tree */
}

/** Where the children of a DIE end whose attributes end at AT, and whose
 *  DW_AT_sibling is SIBLING, 0 for none; NULL if that is not known. */
static inline const uint8_t *dw_walk_sibling(const struct dw_walk *w,
					     const uint8_t *at,
					     uint64_t sibling)
{
	const struct dw_header *header = w->header;
	uint64_t here = (uint64_t)(at - w->c.start) - header->offset;

	/* A sibling before this place would make an endless loop. */
	return sibling >= here && sibling <= header->end - header->offset
		       ? w->c.start + header->offset + sibling
		       : NULL;
}

/** Read the attributes of the last DIE; its children come next. */
static inline void dw_walk_read(struct dw_walk *w,
				const struct dw_abbrev *abbrev,
				struct dw_attributes *ret)
{
	gsym_dw_abbrev_read(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, ret);
	dw_walk_enter(w, abbrev);
}

/** Step over the attributes of the last DIE and, if LEAVE_CHILDREN and the DIE
 *  has a DW_AT_sibling, over its children.  Else its children come next. */
static inline void dw_walk_skip(struct dw_walk *w,
				const struct dw_abbrev *abbrev,
				bool leave_children)
{
	const uint8_t *end = NULL;
	uint64_t sibling = 0;

	gsym_dw_abbrev_skip(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, &sibling);
	if (leave_children && !w->c.failed)
		end = dw_walk_sibling(w, w->c.at, sibling);
	if (end)
		w->c.at = end;
	else
		dw_walk_enter(w, abbrev);
}

#endif
