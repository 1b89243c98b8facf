/* SPDX-License-Identifier: MIT */
/*
 * dwarf/work.h - limits the work that the debug info of a program may cause.
 *
 * Little debug info can stand for much work: any number of DIEs may refer to
 * one long range list, one DIE or one line table, or have names that begin one
 * byte apart in one long string.  So a conversion has a budget of
 * DW_WORK_SHARE units of work for each byte of debug info.  A unit of work is
 * what takes about a nanosecond, or a byte of memory.  The debug info of
 * compilers needs less than a tenth of it.
 *
 * Each unit of the program (compile unit) may use DW_WORK_OWN units of work for
 * each of its own bytes, whatever other units do.  Beyond that it draws on a
 * pool, which the units share in the order of .debug_info.  Units are read by
 * several threads at once, before it is known what the units before them have
 * left in the pool.  So each is granted a guess, and settled in order: if the
 * guess was wrong and mattered, the unit is read again, with exactly what is
 * left.  The result does not depend on the number of threads.
 *
 * The bytes of a split unit in a .dwo file count for its skeleton alone, and
 * only for the first skeleton with its ID: any number of skeletons may name one
 * file.
 *
 * What a unit has to leave out becomes a GSYM_WARN_WORK_LIMIT.
 */
#ifndef GSYM_DWARF_WORK_H
#define GSYM_DWARF_WORK_H

#include "base/budget.h"

#include <stddef.h>

enum {
	DW_WORK_SHARE = 64,
	DW_WORK_OWN = 16,
	/** Units of work for debug info of any size. */
	DW_WORK_SPARE = 1 << 20,
	/** Bytes that count for each byte of compressed debug info, at most.
	 *  Debug info is seldom compressed to less than a fifth, and needs far
	 *  less than its share of work. */
	DW_WORK_PACKED = 2,
};

/** Units of work for what debug info causes. */
enum dw_cost {
	DW_COST_DIE_BYTE = 1, /**< a byte of DIEs that are walked */
	DW_COST_RANGE = 64,   /**< an entry of a range list, or another range;
				*   sorting and painting it included */
	DW_COST_CLAIM = 64,   /**< a range that a unit claims */
	DW_COST_NODE = 64,    /**< a function, inlined call or variable */
	DW_COST_STRETCH = 64, /**< a stretch that painting adds */
	DW_COST_EXTEND = 4,   /**< a stretch that painting extends */
	DW_COST_LOOK = 4,     /**< a sequence or stretch that is looked at */
	DW_COST_ROW = 16,     /**< a row of a record */
	DW_COST_INLINE = 64,  /**< a range of an inlined call of a record */
	DW_COST_CALL = 64,    /**< a call, read or put into a record */
	DW_COST_FOLDED = 128, /**< a folded record */
	DW_COST_TEXT = 2,     /**< a byte of a name of a function or file */
	DW_COST_UNIT = 512,   /**< the header of a unit */
	DW_COST_ROW_READ = 32, /**< a row of a line table */
	DW_COST_OPEN = 1024,  /**< a search for a split unit */
	DW_COST_UNSEEN = 16384, /**< what opening a file takes at least, from
				 *   the pool, before the file is known */
	DW_COST_ABBREV = 4,   /**< a byte of a split unit's abbreviations */
	DW_COST_SIBLING = 64, /**< a unit beside a split unit */
};

/** What a unit may have to leave out. */
enum dw_cut {
	DW_CUT_DIES,
	DW_CUT_RANGES,
	DW_CUT_CLAIMS,
	DW_CUT_NODES,
	DW_CUT_ROWS,
	DW_CUT_INLINES,
	DW_CUT_CALLS,
	DW_CUT_FOLDED,
	DW_CUT_NAMES,
	DW_CUT_UNITS,
	DW_CUT_SPLIT,
	DW_CUT_COUNT
};

struct dw_unit;

/** The budget of a conversion.  A zeroed struct has no limit. */
struct dw_work {
	bool limited;
	/** How many bytes of the debug info count as one, because it was
	 *  compressed exceptionally well; 0: each byte counts. */
	uint64_t packing;
	uint64_t left; /**< in the pool */
	/** LEFT in steps of 64 Ki, for threads that do not settle. */
	_Atomic unsigned guess;
};

/** Begin WORK, for debug info of SIZE bytes that takes PACKED bytes in the
 *  file. */
void gsym_dw_work_init(struct dw_work *work, uint64_t size, uint64_t packed);
/** Grant UNIT, which was cleared and has SIZE bytes, its own share and one of
 *  PARTS parts of the pool.  More than one part is a guess. */
void gsym_dw_work_grant(struct dw_work *work, struct dw_unit *unit,
			uint64_t size, size_t parts);
/** Take the work of UNIT out of the pool.  False if the unit has to be read
 *  again, with a grant of one part. */
bool gsym_dw_work_settle(struct dw_work *work, const struct dw_unit *unit,
			 uint64_t size);

/** Let UNIT do the work of SIZE bytes of debug info more, those of its split
 *  unit. */
void gsym_dw_work_extend(struct dw_unit *unit, uint64_t size);
/** Use the work of handing over TEXT, a name.  False if that exceeds the budget
 *  of UNIT.  From the first name that is refused on, UNIT gets no others: they
 *  would have to be measured, too. */
bool gsym_dw_unit_take_text(struct dw_unit *unit, const char *text);
/** Warn that UNIT leaves CUT out, once for each CUT.  Returns false. */
bool gsym_dw_unit_cut(struct dw_unit *unit, enum dw_cut cut);

#endif
