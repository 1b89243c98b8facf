/* SPDX-License-Identifier: MIT */
/* format/encode_lines: the rows come back, and the tables are as short as the
 * file says. */
#include "bodies.h"
#include "format/record.h"

#include <inttypes.h>

static const uint32_t files[] = { 0, 1, 2, 300, UINT32_MAX };

static void encode(const struct gsym_row *rows, uint32_t count,
		   struct gsym_emit *e)
{
	struct body_content c = { .rows = rows, .row_count = count };
	struct gsym_shape_body *body = body_make(&c);
	struct gsym_shape_view view = gsym_shape_look(body);

	guard_dirty_stack();
	gsym_encode_lines(e, &view, count, files);
	free(body);
}

/* ---- bytes --------------------------------------------------------------- */

/* Encode the COUNT rows with every capacity, and compare the table with the
 * SIZE bytes at WANTED. */
static void expect_bytes(const struct gsym_row *rows, uint32_t count,
			 const void *wanted, size_t size)
{
	for (size_t capacity = 2; capacity < size + 40; capacity++) {
		struct gsym_emit e = body_buffer(capacity, false);

		encode(rows, count, &e);
		body_expect(&e, wanted, size);
	}
}

#define BYTES(wanted, ...)                                                   \
	do {                                                                 \
		const struct gsym_row rows[] = { __VA_ARGS__ };              \
		expect_bytes(rows, sizeof(rows) / sizeof(*rows), wanted,     \
			     sizeof(wanted) - 1);                            \
	} while (0)

Test(encode_lines, one_row)
{
	BYTES("\0\0\x0a\4\0", { 0, 1, 10 });
	BYTES("\0\0\0\4\0", { 0, 1, 0 });
	BYTES("\0\0\xff\xff\xff\xff\x0f\4\0", { 0, 1, UINT32_MAX });
	BYTES("\0\0\x0a\1\0\4\0", { 0, 0, 10 });
	BYTES("\0\0\x0a\1\xac\2\4\0", { 0, 3, 10 });
	BYTES("\0\0\x0a\1\xff\xff\xff\xff\x0f\4\0", { 0, 4, 10 });
}

/* The table starts at a line from which a special opcode leads to the first
 * row. */
Test(encode_lines, the_first_line)
{
	/* Deltas of +5 alone: start 5 lines before, if there are so many. */
	BYTES("\5\5\5\4\x8\0", { 0, 1, 10 }, { 4, 1, 15 });
	BYTES("\5\5\0\4\x8\0", { 0, 1, 5 }, { 4, 1, 10 });
	BYTES("\5\5\4\2\0\x8\0", { 0, 1, 4 }, { 4, 1, 9 });
	/* Of -3 alone: 3 lines after, up to line 2^31 - 1. */
	BYTES("\x7d\x7d\x0d\4\x8\0", { 0, 1, 10 }, { 4, 1, 7 });
	BYTES("\x7d\x7d\x82\x80\x80\x80\x8\4\x8\0", { 0, 1, 0x7fffffff },
	      { 4, 1, 0x7ffffffc });
	BYTES("\x7d\x7d\x80\x80\x80\x80\x8\2\0\x8\0", { 0, 1, 0x80000000 },
	      { 4, 1, 0x7ffffffd });
	/* -1 to 0 and 0 to 1 hold 0. */
	BYTES("\x7f\0\x0a\5\6\1\2\7\0", { 0, 1, 10 }, { 1, 1, 9 }, { 2, 2, 9 });
}

/* Deltas of up to 31 lines down and 32 up can be in a window. */
Test(encode_lines, the_largest_deltas_of_a_window)
{
	BYTES("\x1f\x1f\x45\4\5\0", { 0, 1, 100 }, { 1, 1, 131 });
	BYTES("\0\0\x64\4\3\x20\5\0", { 0, 1, 100 }, { 1, 1, 132 });
	BYTES("\x60\x60\x84\1\4\5\0", { 0, 1, 100 }, { 1, 1, 68 });
	BYTES("\0\0\x64\4\3\x5f\5\0", { 0, 1, 100 }, { 1, 1, 67 });
}

/* The highest special opcode is 255. */
Test(encode_lines, the_largest_advances)
{
	BYTES("\1\1\x09\4\xff\0", { 0, 1, 10 }, { 251, 1, 11 });
	BYTES("\1\1\x09\4\3\1\2\xfc\1\0", { 0, 1, 10 }, { 252, 1, 11 });
	BYTES("\0\0\x0a\4\1\2\xff\0", { 0, 1, 10 }, { 251, 2, 10 });
	BYTES("\0\0\x0a\4\1\2\2\xfc\1\0", { 0, 1, 10 }, { 252, 2, 10 });
}

/* ---- the choice of the window -------------------------------------------- */

struct window {
	int min, range;
};

/* Of the windows of WIDTH line deltas the one that holds most of the SAMPLE
 * first deltas, the lowest if several do.  A window starts at the lowest delta
 * or later, and ends with a delta that occurs. */
static struct window best_window(const int64_t *lines, size_t count, int width)
{
	struct window best = { 0, 0 };
	size_t most = 0;
	int low = 32, high = -33;

	for (size_t i = 0; i < count; i++)
		if (lines[i] >= -32 && lines[i] < 32) {
			low = lines[i] < low ? (int)lines[i] : low;
			high = lines[i] > high ? (int)lines[i] : high;
		}
	for (int min = low; min <= high; min++) {
		int last = min;
		size_t holds = 0;

		if (min > low && min + width - 1 > high)
			break;
		for (size_t i = 0; i < count; i++)
			if (lines[i] >= min && lines[i] < min + width &&
			    lines[i] <= high) {
				holds++;
				last = lines[i] > last ? (int)lines[i] : last;
			}
		if (holds > most) {
			most = holds;
			best = (struct window){ min, last - min + 1 };
		}
	}
	return best;
}

/* The bytes that COUNT rows take with W, about: 1 with a special opcode, else
 * 3; 1 more if no special opcode advances the address so far, 1 less if the
 * line stays. */
static size_t cost(const int64_t *lines, const uint32_t *addresses,
		   size_t count, struct window w)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t above = lines[i] - w.min;
		int64_t opcode = above + (int64_t)w.range * addresses[i];

		if (above >= 0 && above < w.range && opcode < 252)
			sum += 1;
		else if (lines[i] == 0)
			sum += 2;
		else
			sum += (int64_t)w.range * addresses[i] > 251 ? 4 : 3;
	}
	return sum;
}

/* The window of a table: of the best windows of 5, 10 and 18 line deltas that
 * with which the first 512 rows after the first take fewest bytes. */
static struct window wanted_window(const struct gsym_row *rows, uint32_t count)
{
	static const int widths[] = { 5, 10, 18 };
	static int64_t lines[512];
	static uint32_t addresses[512];
	struct window chosen = { 0, 1 };
	size_t least = SIZE_MAX, n = 0;

	for (uint32_t i = 1; i < count && n < 512; i++, n++) {
		lines[n] = (int64_t)rows[i].line - rows[i - 1].line;
		addresses[n] = rows[i].offset - rows[i - 1].offset;
	}
	for (int i = 0; i < 3; i++) {
		struct window w = best_window(lines, n, widths[i]);

		if (w.range && cost(lines, addresses, n, w) < least) {
			least = cost(lines, addresses, n, w);
			chosen = w;
		}
	}
	return chosen;
}

static size_t leb_size(uint64_t number)
{
	size_t size = 1;

	while (number >>= 7)
		size++;
	return size;
}

static size_t sleb_size(int64_t number)
{
	/* One bit more than the number without its sign. */
	return leb_size((uint64_t)(number < 0 ? ~number : number) << 1);
}

/* The bytes of the opcodes from line FROM to line TO and over ADVANCE, with the
 * window W. */
static size_t row_size(struct window w, int64_t from, int64_t to,
		       uint32_t advance)
{
	int64_t delta = to - from, rest = 0;
	/* The largest delta of a special opcode that advances so far. */
	int64_t top = w.min + 251 - (int64_t)w.range * advance;

	if (top > w.min + w.range - 1)
		top = w.min + w.range - 1;
	if (delta < w.min)
		rest = delta - w.min;
	else if (delta > top)
		rest = delta - top;
	if (top >= w.min && rest == 0)
		return 1;
	if (top >= w.min && delta && from + rest >= 0 &&
	    from + rest <= UINT32_MAX)
		return 1 + sleb_size(rest) + 1;
	return (delta ? 1 + sleb_size(delta) : 0) + 1 + leb_size(advance);
}

/* Encode the rows, decode the table, and compare its window and its size. */
static void check_rows(const struct gsym_row *rows, uint32_t count)
{
	struct window w = wanted_window(rows, count);
	struct gsym_emit e = body_buffer(count * 18 / 3 + 2, false);
	struct gsym_line_decoder d;
	uint32_t file = 1;
	int64_t line;
	size_t size;

	encode(rows, count, &e);
	cr_assert(!e.failed && e.size <= e.capacity);
	cr_assert(gsym_line_begin(&d, e.data, e.size, 0x1000));
	cr_assert(d.min_delta == w.min && d.range == (uint64_t)w.range,
		  "%d+%d, not %" PRId64 "+%" PRIu64, w.min, w.range,
		  d.min_delta, d.range);
	line = d.line;
	size = sleb_size(w.min) + sleb_size(w.min + w.range - 1) +
	       leb_size(d.line) + 1;
	for (uint32_t i = 0; i < count; i++) {
		cr_assert(gsym_line_step(&d) == GSYM_LINE_STEP_ROW);
		cr_assert(d.address == 0x1000 + (uint64_t)rows[i].offset &&
			  d.file == files[rows[i].file] &&
			  d.line == rows[i].line, "row %" PRIu32, i);
		if (d.file != file)
			size += 1 + leb_size(d.file);
		file = d.file;
		size += row_size(w, line, rows[i].line,
				 i ? rows[i].offset - rows[i - 1].offset : 0);
		line = rows[i].line;
	}
	cr_assert(gsym_line_step(&d) == GSYM_LINE_STEP_END);
	cr_assert(gsym_cursor_left(&d.c) == 0);
	cr_assert(e.size == size, "%zu bytes, not %zu", e.size, size);
	gsym_emit_fini(&e);
}

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Rows of many kinds: small and large deltas, ascending and descending, close
 * and far addresses, and lines at both ends of 32 bits. */
static void fill_rows(struct gsym_row *rows, uint32_t count, uint32_t seed)
{
	static const uint32_t ends[] = { 0, UINT32_MAX, INT32_MAX,
					 (uint32_t)INT32_MAX + 1, 17000 };
	uint32_t state = seed * 7919 + 1, offset = 0;
	uint32_t line = seed % 11 == 0 ? ends[seed % 5] : next(&state) % 200;
	uint32_t spread = seed % 7 == 0 ? 100 : next(&state) % 24 + 1;
	uint32_t far = seed % 3 == 0 ? 300 : seed % 3 == 1 ? 16 : 60;
	int32_t bias = (int32_t)(next(&state) % 48) - 24;

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = (struct gsym_row){ offset, 1, line };
		if (seed % 4 == 0)
			rows[i].file = next(&state) % 5;
		offset += next(&state) % far + 1;
		if (next(&state) % 20 == 0)
			line = next(&state) % 4 ? line :
			       ends[next(&state) % 5];
		else
			line += (uint32_t)bias +
				next(&state) % spread - spread / 2;
	}
}

Test(encode_lines, any_rows)
{
	static struct gsym_row rows[600];

	for (uint32_t seed = 0; seed < 4000; seed++) {
		uint32_t count = seed % 50 == 0 ? 508 + seed / 50 % 12 :
						  seed % 40 + 1;

		fill_rows(rows, count, seed);
		check_rows(rows, count);
	}
}

/* The 513th delta does not choose the window: 512 rows with the deltas 1 and 2,
 * and many rows of another delta after them. */
Test(encode_lines, the_first_rows_choose)
{
	static struct gsym_row rows[3000];
	uint32_t line = 1;

	for (uint32_t i = 0; i < 3000; i++) {
		rows[i] = (struct gsym_row){ 4 * i, 1, line };
		line += i < 512 ? 1 + i % 2 : 9;
	}
	check_rows(rows, 3000);
	check_rows(rows, 513);
	check_rows(rows, 514);
}

/* Windows that are not the best: of the same number of deltas the lowest, of
 * the same cost the narrowest. */
Test(encode_lines, equal_windows)
{
	static struct gsym_row rows[40];

	for (int distance = 1; distance < 40; distance++)
		for (int advance = 1; advance < 60; advance += 4)
			for (int other = 0; other < 3; other++) {
				uint32_t line = 1000;

				for (uint32_t i = 0; i < 17; i++) {
					rows[i] = (struct gsym_row){
						i * (uint32_t)advance, 1, line
					};
					line += i % 2 ? -6 :
						distance - 6 +
						other * (i % 4 == 2);
				}
				check_rows(rows, 17);
			}
}

/* Rows of the most bytes: opcodes with numbers of five bytes. */
Test(encode_lines, the_longest_rows)
{
	static struct gsym_row rows[12];

	for (uint32_t i = 0; i < 12; i++)
		rows[i] = (struct gsym_row){
			i * (UINT32_C(1) << 28), i % 2 ? 4 : 3,
			i % 2 ? UINT32_MAX : 0
		};
	check_rows(rows, 12);
	for (size_t capacity = 2; capacity < 260; capacity++) {
		struct gsym_emit e = body_buffer(capacity, false);

		encode(rows, 12, &e);
		cr_assert(!e.failed && e.size <= e.capacity);
		gsym_emit_fini(&e);
	}
}
