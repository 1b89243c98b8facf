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
#include "format/encode.h"

enum {
	/* Line deltas from -BINS / 2 to BINS / 2 - 1 can be in a window. */
	BINS = 64,
	/* The number of special opcodes. */
	SPECIALS = 256 - GSYM_LINE_FIRST_SPECIAL,
	/* The most bytes of a row: opcodes for file, line and address. */
	ROW_BYTES = 3 * 6,
	/* The first SAMPLE deltas of a table choose its window; their cost is
	 * computed for LANES deltas at once. */
	SAMPLE = 512,
	LANES = 8,
	/* The most rows that room is made for at once. */
	BLOCK = 1024,
	/* The most line deltas of a window. */
	WIDEST = 18,
};

_Static_assert(SAMPLE % LANES == 0, "a full sample needs no fill");

/* The line deltas of special opcodes: MIN to MIN + RANGE - 1. */
struct window {
	int32_t min;
	int32_t range;
};

static const uint8_t widths[] = { 5, 10, WIDEST };

/* Deltas whose cost is computed at once. */
typedef int16_t lanes __attribute__((vector_size(2 * LANES)));

/* The deltas of the first rows of a table.  Deltas that fit into no window are
 * clamped to the next values that fit into none. */
struct sample {
	int16_t lines[SAMPLE];
	int16_t addresses[SAMPLE];
	/* A multiple of LANES: rows that fit into no window fill it up. */
	size_t count;
	/* Bin N counts the line deltas of N - BINS / 2.  LOW: the lowest bin
	 * that is not 0; BINS if all are.  BELOW: the sum of the bins below N,
	 * times BINS. */
	int low;
	uint16_t below[BINS + WIDEST];
	/* BELOW of the first bins, minus the number of bins above: see
	 * best_window. */
	uint16_t starts[BINS];
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
	int64_t less = delta - w.min, more = delta - top;

	return (less < 0 ? less : 0) + (more > 0 ? more : 0);
}

/* Fill S->low, S->below and S->starts.  Most tables are short: few bins are not
 * 0, and those lie close together. */
static void sum_bins(struct sample *s, const uint16_t *bins)
{
	int low = 0, high = BINS;
	uint16_t sum = 0;

	while (low < BINS && !bins[low])
		low++;
	while (high > low && !bins[high - 1])
		high--;
	s->low = low;
	memset(s->below, 0, (size_t)low * sizeof(s->below[0]));
	for (int i = low; i < high; i++) {
		s->below[i] = sum;
		sum = (uint16_t)(sum + bins[i] * BINS);
	}
	for (int i = high; i < BINS + WIDEST; i++)
		s->below[i] = sum;
	for (int i = 0; i < BINS; i++)
		s->starts[i] = (uint16_t)(s->below[i] - (BINS - 1 - i));
}

/* Take the sample of the COUNT rows of VIEW. */
static void take_sample(struct sample *s, const struct gsym_shape_view *view,
			uint32_t count)
{
	/* From line delta -BINS on. */
	uint16_t bins[2 * BINS + 1] = { 0 };
	struct gsym_row before = gsym_shape_row(view, 0);
	uint32_t n = 0;

	for (; n + 1 < count && n < SAMPLE; n++) {
		struct gsym_row row = gsym_shape_row(view, n + 1);
		int64_t line = (int64_t)row.line - before.line;
		uint32_t address = row.offset - before.offset;

		before = row;
		line = line < -BINS ? -BINS : line > BINS ? BINS : line;
		s->lines[n] = (int16_t)line;
		s->addresses[n] = address > SPECIALS ? SPECIALS
						     : (int16_t)address;
		bins[line + BINS]++;
	}
	for (; n % LANES; n++) {
		s->lines[n] = BINS;
		s->addresses[n] = SPECIALS;
	}
	s->count = n;
	sum_bins(s, bins + BINS / 2);
}

/* An estimate of the bytes that the rows of S take with W.  A row without a
 * special opcode counts as 3 bytes, as 4 if the address delta fits no special
 * opcode, and as one less if the line does not change. */
static uint32_t sample_cost(const struct sample *s, struct window w)
{
	const lanes min = (int16_t)w.min - (lanes){ 0 };
	const lanes range = (int16_t)w.range - (lanes){ 0 };
	lanes sums = { 0 };
	uint32_t cost = 0;

	/* A comparison gives -1 or 0. */
	for (size_t i = 0; i < s->count; i += LANES) {
		lanes line, address, over, left, fits, other;

		memcpy(&line, &s->lines[i], sizeof(line));
		memcpy(&address, &s->addresses[i], sizeof(address));
		over = line - min;
		left = SPECIALS - 1 - range * address;
		fits = (over >= 0) & (over < range) & (over <= left);
		other = 3 + (line == 0) - ((left < 0) & (line != 0));
		sums += (fits & 1) + (~fits & other);
	}
	for (int k = 0; k < LANES; k++)
		cost += (uint32_t)sums[k];
	return cost;
}

/* The window of WIDTH bins with the highest sum; the lowest of several, but
 * none that starts below the lowest bin that is not 0.  There is such a bin. */
static struct window best_window(const struct sample *s, int width)
{
	uint16_t best = 0;
	int at, range = 0;

	/* The sum times BINS, plus the number of bins above, so that of equal
	 * sums the lowest is best. */
	_Static_assert((SAMPLE + 1) * BINS - 1 <= UINT16_MAX, "both fit");
	for (int i = 0; i < BINS; i++) {
		uint16_t sum = (uint16_t)(s->below[i + width] - s->starts[i]);

		best = sum > best ? sum : best;
	}
	at = BINS - 1 - best % BINS;
	at = at < s->low ? s->low : at;
	/* Empty bins at the upper end would waste opcodes. */
	for (int i = 0; i < width; i++)
		range += s->below[at + i] < s->below[at + width];
	return (struct window){ at - BINS / 2, range };
}

static struct window choose_window(const struct gsym_shape_view *view,
				   uint32_t count)
{
	struct window chosen = { 0, 1 };
	uint32_t least = UINT32_MAX;
	struct sample s;

	take_sample(&s, view, count);
	if (s.low == BINS)
		return chosen;
	for (size_t i = 0; i < sizeof(widths); i++) {
		struct window w = best_window(&s, widths[i]);
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

/* Write OPCODE and a LEB128 of one or two bytes, which has the low 14 bits of
 * V, to P; four bytes are overwritten.  Returns the bytes that they take. */
static inline size_t put_short(uint8_t *p, uint8_t opcode, uint32_t v, bool two)
{
	uint32_t leb = (v & 0x7f) | (uint32_t)two << 7 | (v << 1 & 0x7f00);

	gsym_store_u32(p, opcode | leb << 8, GSYM_HOST_BIG_ENDIAN);
	return 2 + (size_t)two;
}

/* Write OPCODE and the ULEB128 V to P.  Returns the bytes that they take. */
static inline size_t put_unsigned(uint8_t *p, uint8_t opcode, uint32_t v)
{
	if (v < 1 << 14)
		return put_short(p, opcode, v, v > 0x7f);
	*p = opcode;
	return (size_t)(gsym_put_uleb(p + 1, v) - p);
}

/* Write OPCODE and the SLEB128 V to P.  Returns the bytes that they take. */
static inline size_t put_signed(uint8_t *p, uint8_t opcode, int64_t v)
{
	if (v >= -(1 << 13) && v < 1 << 13)
		return put_short(p, opcode, (uint32_t)v, v < -0x40 || v > 0x3f);
	*p = opcode;
	return (size_t)(gsym_put_sleb(p + 1, v) - p);
}

/* SIZE if NEEDED, else 0.  A branch would be mispredicted often. */
static inline size_t size_if(bool needed, size_t size)
{
	return size & -(size_t)needed;
}

/* Write to P the opcodes that advance the address by ADVANCE and the line from
 * FROM to TO, and emit a row.  Returns the byte after them. */
static inline uint8_t *put_row(uint8_t *p, struct window w, uint32_t advance,
			       uint32_t from, uint32_t to)
{
	int64_t top = reach(w, advance), delta = (int64_t)to - from;
	int64_t rest = residue(w, top, delta), between = from + rest;

	if ((top < w.min) | ((delta == 0) & (rest != 0)) |
	    ((uint64_t)between > UINT32_MAX)) {
		if (delta != 0)
			p += put_signed(p, GSYM_LINE_ADVANCE_LINE, delta);
		return p + put_unsigned(p, GSYM_LINE_ADVANCE_PC, advance);
	}
	p += size_if(rest != 0, put_signed(p, GSYM_LINE_ADVANCE_LINE, rest));
	*p++ = (uint8_t)(GSYM_LINE_FIRST_SPECIAL + (delta - rest - w.min) +
			 w.range * (int64_t)advance);
	return p;
}

/* Append the opcodes of the rows FIRST to END - 1 of VIEW, which come after the
 * row LAST.  LAST becomes the last of them; its FILE is an index in the file
 * table, as FILES has them. */
static void put_rows(struct gsym_emit *out, const struct gsym_shape_view *view,
		     uint32_t first, uint32_t end, struct window w,
		     const uint32_t *files, struct gsym_row *last)
{
	uint8_t *p = gsym_emit_room(out, (size_t)(end - first) * ROW_BYTES);
	struct gsym_row before = *last;

	if (!p)
		return;
	/* Opcodes that a row does not need are written, too, and the next ones
	 * overwrite them. */
	for (uint32_t i = first; i < end; i++) {
		struct gsym_row row = gsym_shape_row(view, i);

		row.file = files[row.file];
		p += size_if(row.file != before.file,
			     put_unsigned(p, GSYM_LINE_SET_FILE, row.file));
		p = put_row(p, w, row.offset - before.offset, before.line,
			    row.line);
		before = row;
	}
	*last = before;
	gsym_emit_until(out, p);
}

void gsym_encode_lines(struct gsym_emit *out,
		       const struct gsym_shape_view *view, uint32_t count,
		       const uint32_t *files)
{
	struct gsym_row at = { .file = 1 };
	struct window w = choose_window(view, count);

	/* The table starts at the line of the first row, so the line delta of
	 * that row is 0.  If 0 is not in the window, the table starts at a line
	 * that gives a delta in the window. */
	at.line = gsym_shape_at(view, GSYM_ROW_LINE, 0);
	if (w.min > 0 && at.line >= (uint32_t)w.min)
		at.line -= (uint32_t)w.min;
	else if (w.min + w.range <= 0 && at.line <= INT32_MAX)
		at.line += (uint32_t)-(w.min + w.range - 1);
	gsym_emit_sleb(out, w.min);
	gsym_emit_sleb(out, w.min + w.range - 1);
	gsym_emit_uleb(out, at.line);
	for (uint32_t i = 0, end; i < count; i = end) {
		end = count - i > BLOCK ? i + BLOCK : count;
		put_rows(out, view, i, end, w, files, &at);
	}
	gsym_emit_u8(out, GSYM_LINE_END);
}
