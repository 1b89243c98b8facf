/* SPDX-License-Identifier: MIT */
/*
 * format/lines.h - the line table of a function record, decoded row by row.
 * Knows file numbers, but no names.
 *
 * The addresses of the rows never descend: each opcode adds to them, and a
 * sum that wraps around counts as damage.
 */
#ifndef GSYM_FORMAT_LINES_H
#define GSYM_FORMAT_LINES_H

#include "base/cursor.h"
#include "format/format.h"

enum gsym_line_step {
	GSYM_LINE_STEP_ROW,
	GSYM_LINE_STEP_END,
	GSYM_LINE_STEP_DAMAGE,
};

struct gsym_line_decoder {
	struct gsym_cursor c;
	int64_t min_delta;
	/** Lines that a special opcode can reach: max - min + 1; 0 stands for
	 *  2^64. */
	uint64_t range;
	/** ceil(2^16 / range), which divides an opcode exactly; 0 where every
	 *  quotient is 0. */
	uint32_t reciprocal;
	/** The row that the last step gave. */
	uint64_t address;
	uint32_t file;
	uint32_t line;
};

/** Set what is derived from the delta window [MIN, MAX]; false if the
 *  window is empty. */
static inline bool gsym_line_window(struct gsym_line_decoder *d, int64_t min,
				    int64_t max)
{
	if (max < min)
		return false;
	d->min_delta = min;
	d->range = (uint64_t)max - (uint64_t)min + 1;
	/* Exact while opcode * (reciprocal * range - 2^16) < 2^16; both
	 * factors are below 256. */
	d->reciprocal = d->range && d->range < 256 ?
				(0xffff + (uint32_t)d->range) /
					(uint32_t)d->range : 0;
	return true;
}

/** Read the head of the line table in SIZE bytes at DATA, of the function
 *  at START.  False if it is damaged. */
static inline bool gsym_line_begin(struct gsym_line_decoder *d,
				   const uint8_t *data, size_t size,
				   uint64_t start)
{
	int64_t min, max;

	d->c = gsym_cursor_init(data, size, false);
	min = gsym_cursor_sleb(&d->c);
	max = gsym_cursor_sleb(&d->c);
	d->line = (uint32_t)gsym_cursor_uleb(&d->c);
	d->file = 1;
	d->address = start;
	return !d->c.failed && gsym_line_window(d, min, max);
}

/** File and line numbers have 32 bits.  A larger file number becomes one
 *  that no table has; line numbers wrap around. */
static inline uint32_t gsym_narrow_file(uint64_t file)
{
	return file < UINT32_MAX ? (uint32_t)file : UINT32_MAX;
}

static inline bool gsym_line_advance(struct gsym_line_decoder *d,
				     uint64_t by)
{
	d->address += by;
	return d->address >= by;
}

/** The next row. */
static inline enum gsym_line_step
gsym_line_step(struct gsym_line_decoder *d)
{
	while (d->c.at < d->c.end) {
		uint32_t op = *d->c.at++;

		if (op >= GSYM_LINE_FIRST_SPECIAL) {
			uint32_t a = op - GSYM_LINE_FIRST_SPECIAL;
			uint32_t quotient = a * d->reciprocal >> 16;

			d->line += (uint32_t)d->min_delta + a -
				   quotient * (uint32_t)d->range;
			return gsym_line_advance(d, quotient) ?
				       GSYM_LINE_STEP_ROW :
				       GSYM_LINE_STEP_DAMAGE;
		}
		switch (op) {
		case GSYM_LINE_END:
			return GSYM_LINE_STEP_END;
		case GSYM_LINE_SET_FILE:
			d->file = gsym_narrow_file(gsym_cursor_uleb(&d->c));
			break;
		case GSYM_LINE_ADVANCE_PC: {
			uint64_t by = gsym_cursor_uleb(&d->c);

			if (d->c.failed || !gsym_line_advance(d, by))
				return GSYM_LINE_STEP_DAMAGE;
			return GSYM_LINE_STEP_ROW;
		}
		default:
			d->line += (uint32_t)gsym_cursor_sleb(&d->c);
			break;
		}
	}
	return GSYM_LINE_STEP_DAMAGE;
}

/** The row that ADDRESS belongs to: the last one at or before it.  False if
 *  there is none, or if the table is damaged before that is certain. */
bool gsym_line_find(const uint8_t *data, size_t size, uint64_t start,
		    uint64_t address, uint32_t *file, uint32_t *line);

#endif
