/* SPDX-License-Identifier: MIT */
/*
 * The inline trees of random INLINE records, compared with a plain algorithm:
 * Take the range with the lowest start; of several the one of the lowest level;
 * of several the first.  Its parent is the range that is open one level above;
 * without one it is dropped.  Where its parent, or a range of its own level
 * before it, ends, it is cut and the rest is put back.
 */
#include "support/breakpad_input.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START = 0x1000, SIZE = 48, MOST = 4096, LEVELS = 5 };

struct interval {
	unsigned start, end, level, record;
};

struct plain {
	struct interval left[MOST];
	size_t count;
	/* Open ranges, by level. */
	struct interval open[LEVELS];
	unsigned depth;
	/* For each byte of the function: the records around it, outermost
	 * first. */
	unsigned chain[SIZE][LEVELS];
	unsigned chain_depth[SIZE];
};

static void put(struct plain *p, struct interval interval)
{
	if (interval.end > SIZE)
		interval.end = SIZE;
	if (interval.start >= interval.end)
		return;
	cr_assert_lt(p->count, MOST);
	p->left[p->count++] = interval;
}

static bool before(struct interval a, struct interval b)
{
	if (a.start != b.start)
		return a.start < b.start;
	if (a.level != b.level)
		return a.level < b.level;
	return a.record < b.record;
}

static struct interval take(struct plain *p)
{
	struct interval taken;
	size_t first = 0;

	for (size_t i = 1; i < p->count; i++)
		if (before(p->left[i], p->left[first]))
			first = i;
	taken = p->left[first];
	p->left[first] = p->left[--p->count];
	return taken;
}

static void place(struct plain *p, struct interval taken)
{
	while (p->depth && p->open[p->depth - 1].end <= taken.start)
		p->depth--;
	if (p->depth > taken.level) {
		unsigned end = p->open[taken.level].end;

		if (taken.end > end) {
			taken.start = end;
			put(p, taken);
		}
		return;
	}
	if (p->depth < taken.level)
		return;
	if (p->depth && taken.end > p->open[p->depth - 1].end) {
		struct interval rest = taken;

		rest.start = taken.end = p->open[p->depth - 1].end;
		put(p, rest);
	}
	p->open[p->depth++] = taken;
	for (unsigned at = taken.start; at < taken.end; at++) {
		p->chain[at][taken.level] = taken.record;
		p->chain_depth[at] = taken.level + 1;
	}
}

static const char *answer(const struct plain *p, unsigned at)
{
	static char text[512];
	size_t size = 0;
	unsigned depth = p->chain_depth[at];

	for (unsigned i = depth + 1; i--;) {
		bool innermost = i == depth;

		size += (size_t)snprintf(text + size, sizeof(text) - size,
					 "%s%s ", innermost ? "" : " < ",
					 i ? "in" : "f");
		size += innermost ? (size_t)snprintf(text + size,
						     sizeof(text) - size,
						     "none:0")
				  : (size_t)snprintf(text + size,
						     sizeof(text) - size,
						     "/a.c:%u",
						     p->chain[at][i]);
	}
	return text;
}

static uint32_t state = 12345;

static unsigned random_below(unsigned limit)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % limit;
}

/* Add a record of up to three ranges, which do not overlap each other, but may
 * reach beyond the function. */
static void add_record(struct plain *p, unsigned number, FILE *out)
{
	unsigned level = random_below(LEVELS), ranges = 1 + random_below(3);
	unsigned start = random_below(SIZE);

	fprintf(out, "INLINE %u %u 1 1", level, number);
	for (unsigned i = 0; i < ranges; i++) {
		unsigned size = random_below(3) ? random_below(12)
						: random_below(SIZE);

		fprintf(out, " %x %x", START + start, size);
		put(p, (struct interval){ start, start + size, level, number });
		start += size + random_below(8);
	}
	fputc('\n', out);
}

Test(breakpad_trees, random_records)
{
	static struct plain p;

	for (unsigned round = 0; round < 4000; round++) {
		struct breakpad_result r;
		unsigned records = 1 + random_below(round % 40 + 1);
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		memset(&p, 0, sizeof(p));
		fprintf(out, "MODULE Linux x86_64 0 a\nFILE 1 /a.c\n"
			     "INLINE_ORIGIN 1 in\nFUNC %x %x 0 f\n",
			START, SIZE);
		for (unsigned i = 1; i <= records; i++)
			add_record(&p, i, out);
		fclose(out);
		while (p.count)
			place(&p, take(&p));
		cr_assert_eq(breakpad_input_text(text, NULL, &r), GSYM_OK);
		for (unsigned at = 0; at < SIZE; at++) {
			const char *want = answer(&p, at);
			const char *got = breakpad_answer(&r, START + at);

			cr_assert_str_eq(got, want,
					 "round %u, 0x%x: '%s', not '%s', "
					 "of\n%s", round, START + at, got, want,
					 text);
		}
		breakpad_result_fini(&r);
		free(text);
	}
}
