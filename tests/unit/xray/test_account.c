/* SPDX-License-Identifier: MIT */
/* Accounts: exact and approximate percentiles, recursion, missing entries and
 * exits. */
#include "traces.h"

static void event(struct gsym_xray_account *a, enum gsym_xray_event_kind kind,
		  uint32_t function, uint64_t tsc)
{
	struct gsym_xray_event e = { .kind = kind, .function = function,
				     .tsc = tsc };

	cr_assert(gsym_xray_account_event(a, &e) == GSYM_OK);
}

/* The account of COUNT calls whose durations are 0 to COUNT - 1 times STEP,
 * shuffled. */
static struct gsym_xray_account_row many(uint64_t budget, uint64_t count,
					 uint64_t step)
{
	struct gsym_xray_account *a = gsym_xray_account_new(budget);
	struct gsym_xray_account_row row;

	for (uint64_t i = 0; i < count; i++) {
		event(a, GSYM_XRAY_ENTER, 5, 1000);
		event(a, GSYM_XRAY_EXIT, 5,
		      1000 + i * 7919 % count * step);
	}
	gsym_xray_account_end(a);
	cr_assert(gsym_xray_account_count(a) == 1);
	cr_assert(gsym_xray_account_get_row(a, 0, &row) == GSYM_OK);
	cr_expect(gsym_xray_account_get_row(a, 1, &row) == GSYM_NOT_FOUND);
	gsym_xray_account_free(a);
	return row;
}

Test(account, percentiles_are_exact_within_the_budget)
{
	/* Durations of the second step take more than 32 bits. */
	static const uint64_t steps[] = { 1, 10000000, 0 };

	for (int i = 0; i < 3; i++) {
		uint64_t s = steps[i];
		struct gsym_xray_account_row r = many(0, 100001, s);

		cr_expect(!r.approximate && r.calls == 100001 && r.min == 0 &&
			  r.median == 50000 * s &&
			  r.percentile90 == 90000 * s &&
			  r.percentile99 == 99000 * s && r.max == 100000 * s,
			  "%" PRIu64 " %" PRIu64, r.median, r.percentile99);
		cr_expect(r.total == s * 5000050000 && r.self == r.total);
	}
}

static bool near(uint64_t value, uint64_t wanted)
{
	double ratio = (double)value / (double)wanted;

	return ratio > 0.99 && ratio < 1.01;
}

Test(account, percentiles_are_within_one_percent_beyond_the_budget)
{
	for (uint64_t step = 1; step < UINT64_C(1) << 40; step *= 37) {
		struct gsym_xray_account_row r = many(4096, 100001, step);

		cr_expect(r.approximate && near(r.median, 50000 * step) &&
			  near(r.percentile90, 90000 * step) &&
			  near(r.percentile99, 99000 * step) &&
			  r.max == 100000 * step,
			  "%" PRIu64 ": %" PRIu64, step, r.median);
	}
}

Test(account, percentiles_lie_between_the_least_and_the_most)
{
	struct gsym_xray_account *a = gsym_xray_account_new(4096);
	struct gsym_xray_account_row r;

	/* 1024 to 1031 share a step, whose middle is none of the durations. */
	for (int i = 0; i < 5000; i++) {
		event(a, GSYM_XRAY_ENTER, 5, 0);
		event(a, GSYM_XRAY_EXIT, 5, 1024);
	}
	gsym_xray_account_end(a);
	cr_assert(gsym_xray_account_get_row(a, 0, &r) == GSYM_OK);
	cr_expect(r.approximate && r.min == 1024 && r.max == 1024 &&
		  r.median == 1024 && r.percentile90 == 1024 &&
		  r.percentile99 == 1024, "%" PRIu64, r.median);
	gsym_xray_account_free(a);
}

/* A histogram takes more memory than a few durations, so these are kept. */
Test(account, functions_with_few_calls_stay_exact_beyond_the_budget)
{
	struct gsym_xray_account *a = gsym_xray_account_new(4096);
	struct gsym_xray_account_row r;

	for (uint32_t f = 1; f <= 20000; f++) {
		event(a, GSYM_XRAY_ENTER, f, 0);
		event(a, GSYM_XRAY_EXIT, f, 1001 + f);
	}
	for (int i = 0; i < 5000; i++) {
		event(a, GSYM_XRAY_ENTER, 7, 0);
		event(a, GSYM_XRAY_EXIT, 7, 1001);
	}
	gsym_xray_account_end(a);
	for (uint32_t i = 0; i < 20000; i++) {
		cr_assert(gsym_xray_account_get_row(a, i, &r) == GSYM_OK);
		cr_expect(r.approximate == (r.function == 7), "#%u",
			  r.function);
		cr_expect(r.function == 7 || r.median == 1001 + i + 1);
	}
	gsym_xray_account_free(a);
}

Test(account, recursion_counts_once_and_self_without_callees)
{
	struct gsym_xray_account *a = gsym_xray_account_new(0);
	struct gsym_xray_account_row f, g;
	struct gsym_xray_repairs r;

	event(a, GSYM_XRAY_ENTER, 1, 0);
	event(a, GSYM_XRAY_ENTER, 1, 10);
	event(a, GSYM_XRAY_ENTER, 2, 20);
	event(a, GSYM_XRAY_TAIL_EXIT, 2, 50);
	event(a, GSYM_XRAY_EXIT, 1, 60);
	event(a, GSYM_XRAY_EXIT, 1, 100);
	event(a, GSYM_XRAY_EXIT, 1, 110);
	event(a, GSYM_XRAY_ENTER, 1, 120);
	event(a, GSYM_XRAY_ENTER, 2, 130);
	event(a, GSYM_XRAY_EXIT, 1, 140);
	event(a, GSYM_XRAY_ENTER, 2, 150);
	gsym_xray_account_end(a);
	gsym_xray_account_get_row(a, 0, &f);
	gsym_xray_account_get_row(a, 1, &g);
	gsym_xray_account_repairs(a, &r);
	cr_expect(f.calls == 3 && f.total == 120 && f.total_all == 170 &&
		  f.self == 20 + 50 + 10);
	cr_expect(g.calls == 2 && g.total == 40 && g.inferred == 1 &&
		  g.unfinished == 1);
	cr_expect(r.orphans == 1 && r.inferred == 1 && r.unfinished == 1);
	gsym_xray_account_free(a);
}

Test(account, negative_durations_count_as_zero)
{
	struct gsym_xray_account *a = gsym_xray_account_new(0);
	struct gsym_xray_account_row row;
	struct gsym_xray_repairs r;

	event(a, GSYM_XRAY_ENTER, 1, 100);
	event(a, GSYM_XRAY_EXIT, 1, 90);
	gsym_xray_account_end(a);
	gsym_xray_account_get_row(a, 0, &row);
	gsym_xray_account_repairs(a, &r);
	cr_expect(row.calls == 1 && row.max == 0 && r.backwards == 1);
	gsym_xray_account_free(a);
}

/* The row of a function that has only exits counts nothing but these. */
Test(account, exits_without_entry_belong_to_their_function)
{
	struct gsym_xray_account *a = gsym_xray_account_new(0);
	struct gsym_xray_account_row left, called;

	event(a, GSYM_XRAY_EXIT, 7, 10);
	event(a, GSYM_XRAY_ENTER, 8, 20);
	event(a, GSYM_XRAY_TAIL_EXIT, 7, 30);
	event(a, GSYM_XRAY_EXIT, 8, 40);
	event(a, GSYM_XRAY_EXIT, 8, 50);
	gsym_xray_account_end(a);
	cr_assert(gsym_xray_account_count(a) == 2);
	cr_assert(gsym_xray_account_get_row(a, 0, &left) == GSYM_OK);
	cr_assert(gsym_xray_account_get_row(a, 1, &called) == GSYM_OK);
	cr_expect(left.function == 7 && left.orphans == 2 && !left.calls &&
		  !left.min && !left.max && !left.total);
	cr_expect(called.function == 8 && called.orphans == 1 &&
		  called.calls == 1 && called.total == 20);
	cr_expect(gsym_xray_account_get_row(a, 2, &left) == GSYM_NOT_FOUND);
	gsym_xray_account_free(a);
}
