/* SPDX-License-Identifier: MIT */
/*
 * compare.h - the differences between two GSYM images, function by function.
 *
 * It compares address ranges, names, line rows, inline trees, merged
 * functions and call sites.  Rows that no lookup can reach are skipped.
 * Strings and files are compared by their text, because their offsets and
 * numbers may differ between equal images; version, byte order and address
 * size may differ, too.  It uses the reader alone, and does not know what
 * wrote the images.
 */
#ifndef TOOLS_COMMON_COMPARE_H
#define TOOLS_COMMON_COMPARE_H

#include <gsym/reader.h>

/** Where two images differ. */
enum compare_kind {
	COMPARE_ONLY_FIRST,  /**< only the first image has the function */
	COMPARE_ONLY_SECOND, /**< only the second image has it */
	COMPARE_RANGE,       /**< the sizes of the function */
	COMPARE_NAME,
	COMPARE_ROWS,
	COMPARE_INLINES,
	COMPARE_MERGED,
	COMPARE_CALLS,
	COMPARE_DAMAGE, /**< one image's record cannot be read */
	COMPARE_KINDS
};

/** The word for KIND in messages, such as "rows". */
const char *compare_kind_name(enum compare_kind kind);

/** One difference.  Of a function the first difference of each kind is
 *  reported. */
struct compare_difference {
	enum compare_kind kind;
	/** Where the function starts. */
	uint64_t address;
	/** The name of the function; "" if its record cannot be read. */
	const char *function;
	/** The content of the first and of the second image, as text for
	 * people. */
	const char *first;
	const char *second;
	/** COMPARE_ROWS: the second image has no row where the first has one,
	 *  or one without a line. */
	bool lacks_row;
};

/** Called for each difference.  DIFFERENCE is valid during the call only. */
typedef void compare_fn(void *context,
			const struct compare_difference *difference);

/** The totals of a comparison. */
struct compare_result {
	uint64_t functions; /**< in both images */
	uint64_t differences;
	uint64_t kinds[COMPARE_KINDS]; /**< differences of each kind */
};

/** Compare the images FIRST and SECOND.  REPORT is called with CONTEXT for
 *  each difference; it may be NULL.  RESULT gets the totals. */
void compare_images(const struct gsym_reader *first,
		    const struct gsym_reader *second, compare_fn *report,
		    void *context, struct compare_result *result);

#endif /* TOOLS_COMMON_COMPARE_H */
