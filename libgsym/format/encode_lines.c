/* SPDX-License-Identifier: MIT */
/*
 * format/encode_lines.c - writes line tables in few bytes.
 *
 * A special opcode is one byte that advances line and address and emits a row.
 * It needs a line delta inside the window that the head of the table sets, and
 * a small address delta: the wider the window, the smaller.  A row without a
 * special opcode takes three bytes or more.  So the size of a table depends
 * mostly on the window.  For each of a few widths, choose_window takes the
 * window that holds most line deltas, and of those windows the one that costs
 * the fewest bytes.
 *
 * A line delta outside the window is split: opcode 3 advances the line by one
 * part, and a special opcode advances it by the rest and emits the row.  That
 * is one byte less than opcode 3 followed by opcode 2.  It is not done where
 * the line between the two opcodes would not fit into 32 bits: LLVM's reader
 * wraps around there, others refuse the table.
 */
#include "format/encode_record.h"

#include "format/format.h"

enum {
	/* Line deltas from -BINS / 2 to BINS / 2 - 1 can be in a window. */
	BINS = 64,
	/* The number of special opcodes. */
	SPECIALS = 256 - GSYM_LINE_FIRST_SPECIAL,
	/* The most bytes of a row: opcodes for file, line and address. */
	ROW_BYTES = 3 * 6,
	/* The first SAMPLE rows of a table choose its window; their cost is
	 * computed for LANES rows at once. */
	SAMPLE = 512,
	LANES = 16,
};

_Static_assert(SAMPLE % LANES == 0, "a full sample needs no fill");

/* The line deltas of special opcodes: MIN to MIN + RANGE - 1. */
struct window {
	int32_t min;
	int32_t range;
};

static const uint8_t widths[] = { 5, 10, 18 };

/* The deltas of the first rows of a table.  Deltas that fit into no window are
 * clamped to the next values that fit into none. */
struct sample {
	int16_t lines[SAMPLE];
	int16_t addresses[SAMPLE];
	/* A multiple of LANES: rows that fit into no window fill it up. */
	size_t count;
	/* How often each line delta occurs, by line delta + BINS / 2. */
	uint32_t bins[BINS];
	/* The lowest and the highest bin that is not 0. */
	int low, high;
};

/* The greatest line delta of a special opcode of W with the address delta
 * ADVANCE; less than W.min if there is no such opcode. */
static int64_t reach(struct window w, uint32_t advance)
{
	int64_t left = SPECIALS - 1 - (int64_t)w.range * advance;

	return w.min + (left < w.range - 1 ? left : w.range - 1);
}

/* The part of the line delta DELTA that a special opcode of W cannot cover if
 * it covers W.min to TOP. */
static int64_t residue(struct window w, int64_t top, int64_t delta)
{
	return delta < w.min ? delta - w.min : delta > top ? delta - top : 0;
}

static void take_sample(struct sample *s, const struct gsym_shape_view *view,
			uint32_t count)
{
	struct gsym_row before = gsym_shape_row(view, 0);
	size_t n = 0;

	memset(s->bins, 0, sizeof(s->bins));
	s->low = BINS;
	s->high = -1;
	for (uint32_t i = 1; i < count && n < SAMPLE; i++, n++) {
		struct gsym_row row = gsym_shape_row(view, i);
		int64_t line = (int64_t)row.line - before.line;
		uint32_t address = row.offset - before.offset;

		before = row;
		line = line < -BINS ? -BINS : line > BINS ? BINS : line;
		s->lines[n] = (int16_t)line;
		s->addresses[n] = address > SPECIALS ? SPECIALS
						     : (int16_t)address;
		line += BINS / 2;
		if (line < 0 || line >= BINS)
			continue;
		s->bins[line]++;
		s->low = line < s->low ? (int)line : s->low;
		s->high = line > s->high ? (int)line : s->high;
	}
	for (; n % LANES; n++) {
		s->lines[n] = BINS;
		s->addresses[n] = SPECIALS;
	}
	s->count = n;
}

/* An estimate of the bytes that the rows of S take with W.  A row without a
 * special opcode counts as 3 bytes, as 4 if the address delta fits no special
 * opcode, and as one less if the line does not change. */
static uint32_t sample_cost(const struct sample *s, struct window w)
{
	int16_t min = (int16_t)w.min, range = (int16_t)w.range;
	uint32_t cost = 0;

	for (size_t i = 0; i < s->count; i += LANES) {
		int16_t bytes[LANES], sum = 0;

		/* A loop of fixed length, for the vectorizer. */
		for (int k = 0; k < LANES; k++) {
			int16_t line = s->lines[i + k];
			int16_t left = (int16_t)(SPECIALS - 1 -
						 range * s->addresses[i + k]);
			int16_t most = left < range - 1 ? left
							: (int16_t)(range - 1);
			int16_t over = (int16_t)(line - min);
			int16_t fits = (over >= 0) & (over <= most);
			int16_t far = (left < 0) & (line != 0);
			int16_t stays = line == 0;

			bytes[k] = (int16_t)(fits ? 1 : 3 + far - stays);
		}
		for (int k = 0; k < LANES; k++)
			sum = (int16_t)(sum + bytes[k]);
		cost += (uint32_t)sum;
	}
	return cost;
}

/* The window of WIDTH bins within LOW to HIGH with the highest sum of bins; the
 * lowest of several. */
static struct window best_window(const uint32_t *bins, int low, int high,
				 int width)
{
	uint32_t sum = 0, best = 0;
	int at = low;

	for (int i = low; i <= high; i++) {
		sum += bins[i];
		if (i - low >= width)
			sum -= bins[i - width];
		if (sum > best) {
			best = sum;
			at = i - width + 1 > low ? i - width + 1 : low;
		}
	}
	/* Empty bins at the upper end would waste opcodes. */
	while (width > 1 && (at + width - 1 > high || !bins[at + width - 1]))
		width--;
	return (struct window){ at - BINS / 2, width };
}

static struct window choose_window(const struct gsym_shape_view *view,
				   uint32_t count)
{
	struct window chosen = { 0, 1 };
	uint32_t least = UINT32_MAX;
	struct sample s;

	take_sample(&s, view, count);
	if (s.high < 0)
		return chosen;
	for (size_t i = 0; i < sizeof(widths); i++) {
		struct window w = best_window(s.bins, s.low, s.high, widths[i]);
		uint32_t cost;

		if (w.min == chosen.min && w.range == chosen.range &&
		    least != UINT32_MAX)
			continue;
		cost = sample_cost(&s, w);
		if (cost < least) {
			least = cost;
			chosen = w;
		}
	}
	return chosen;
}

/* Write to P the opcodes that advance the address by ADVANCE and the line from
 * FROM to TO, and emit a row.  Returns the byte after them. */
static uint8_t *put_row(uint8_t *p, struct window w, uint32_t advance,
			uint32_t from, uint32_t to)
{
	int64_t top = reach(w, advance), delta = (int64_t)to - from;
	int64_t rest = residue(w, top, delta), between = from + rest;

	if (top < w.min || (delta == 0 && rest != 0) || between < 0 ||
	    between > UINT32_MAX) {
		if (delta != 0) {
			*p++ = GSYM_LINE_ADVANCE_LINE;
			p = gsym_put_sleb(p, delta);
		}
		*p++ = GSYM_LINE_ADVANCE_PC;
		return gsym_put_uleb(p, advance);
	}
	if (rest != 0) {
		*p++ = GSYM_LINE_ADVANCE_LINE;
		p = gsym_put_sleb(p, rest);
	}
	*p++ = (uint8_t)(GSYM_LINE_FIRST_SPECIAL + (delta - rest - w.min) +
			 w.range * (int64_t)advance);
	return p;
}

void gsym_encode_lines(struct gsym_emit *out,
		       const struct gsym_shape_view *view, uint32_t count,
		       const uint32_t *files)
{
	struct window w = choose_window(view, count);
	uint32_t file = 1, line = gsym_shape_at(view, GSYM_ROW_LINE, 0);
	uint32_t offset = 0;

	/* The table starts at the line of the first row, so the line delta of
	 * that row is 0.  If 0 is not in the window, the table starts at a line
	 * that gives a delta in the window. */
	if (w.min > 0 && line >= (uint32_t)w.min)
		line -= (uint32_t)w.min;
	else if (w.min + w.range <= 0 && line <= INT32_MAX)
		line += (uint32_t)-(w.min + w.range - 1);
	gsym_emit_sleb(out, w.min);
	gsym_emit_sleb(out, w.min + w.range - 1);
	gsym_emit_uleb(out, line);

	for (uint32_t i = 0; i < count; i++) {
		struct gsym_row row = gsym_shape_row(view, i);
		uint8_t *p = gsym_emit_room(out, ROW_BYTES);

		if (!p)
			return;
		if (files[row.file] != file) {
			file = files[row.file];
			*p++ = GSYM_LINE_SET_FILE;
			p = gsym_put_uleb(p, file);
		}
		p = put_row(p, w, row.offset - offset, line, row.line);
		offset = row.offset;
		line = row.line;
		gsym_emit_until(out, p);
	}
	gsym_emit_u8(out, GSYM_LINE_END);
}
