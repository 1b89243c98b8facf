/* SPDX-License-Identifier: MIT */
/*
 * compare.h - what differs between two GSYM images, function by function.
 *
 * Compared are ranges, names, line rows, inline trees, merged functions and
 * call sites; of rows those that lookups can reach.  Strings and files are compared by what they say: the numbers
 * and offsets that stand for them may differ, and so may versions, byte
 * orders and widths.  It knows the reader's interface alone, and not who
 * wrote the images.
 */
#ifndef TOOLS_COMMON_COMPARE_H
#define TOOLS_COMMON_COMPARE_H

#include <gsym/reader.h>

enum compare_kind {
	COMPARE_ONLY_FIRST,  /**< a function that the second does not have */
	COMPARE_ONLY_SECOND,
	COMPARE_RANGE,
	COMPARE_NAME,
	COMPARE_ROWS,
	COMPARE_INLINES,
	COMPARE_MERGED,
	COMPARE_CALLS,
	COMPARE_DAMAGE, /**< a record that cannot be read */
	COMPARE_KINDS
};

/** "rows" and the like. */
const char *compare_kind_name(enum compare_kind kind);

/** One difference: of a function the first of each kind. */
struct compare_difference {
	enum compare_kind kind;
	uint64_t address;
	/** The function; "" if it cannot be read. */
	const char *function;
	/** What either image says there. */
	const char *first;
	const char *second;
};

/** Called for each difference; the struct lives for the call only. */
typedef void compare_fn(void *context,
			const struct compare_difference *difference);

struct compare_result {
	uint64_t functions; /**< that both have */
	uint64_t differences;
	uint64_t kinds[COMPARE_KINDS];
};

/** Compare FIRST with SECOND.  REPORT may be NULL. */
void compare_images(const struct gsym_reader *first,
		    const struct gsym_reader *second, compare_fn *report,
		    void *context, struct compare_result *result);

#endif /* TOOLS_COMMON_COMPARE_H */
