/* SPDX-License-Identifier: MIT */
/* Durations of calls, all of them or as a histogram; totals and percentiles of
 * each function. */
#include "xray/log.h"

#include "base/hash.h"

#include <stdlib.h>

/* ---- durations ----------------------------------------------------------- */

/* How long the calls of a function took: either every duration or, where these
 * would take too much memory, a histogram. */

/* Steps in each octave of a histogram.  A value is at most half a step away
 * from the middle of its step: 0.4 percent. */
enum { STEPS = 128, OCTAVES = 65 };

/* A zeroed struct is empty. */
struct durations {
	uint64_t count;
	/* Durations of WIDTH (4 or 8) bytes; NULL if there is a histogram. */
	void *items;
	size_t capacity;
	unsigned width;
	/* The histogram: an array of octaves, each NULL or an array of
	 * STEPS counts.  NULL if there is none. */
	uint64_t **octaves;
};

/* The bytes that ITEMS takes. */
static uint64_t durations_bytes(const struct durations *d)
{
	return (uint64_t)d->capacity * d->width;
}

/* The most bytes that adding TICKS allocates. */
static uint64_t durations_need(const struct durations *d, uint64_t ticks)
{
	uint64_t need = 0;

	if (d->octaves)
		return 0;
	if (d->count == d->capacity)
		need = d->capacity ? (uint64_t)d->capacity / 2 * d->width : 64;
	/* Adding the duration makes all items wider: an array of 8-byte items
	 * is allocated before the old array is freed. */
	if (ticks > UINT32_MAX && d->width < 8)
		need += 8 * (uint64_t)d->capacity + 128;
	return need;
}

static bool grow(struct durations *d)
{
	size_t capacity = d->capacity ? d->capacity + d->capacity / 2 : 16;
	void *items;

	if (!d->width)
		d->width = 4;
	if (capacity > SIZE_MAX / d->width)
		return false;
	items = realloc(d->items, capacity * d->width);
	if (!items)
		return false;
	d->items = items;
	d->capacity = capacity;
	return true;
}

static bool widen(struct durations *d)
{
	uint64_t *wide = calloc(d->capacity, sizeof(*wide));
	const uint32_t *narrow = d->items;

	if (!wide)
		return false;
	for (uint64_t i = 0; i < d->count; i++)
		wide[i] = narrow[i];
	free(d->items);
	d->items = wide;
	d->width = 8;
	return true;
}

/* Octave 0 has a step for each duration below STEPS (2^7); octave N the
 * durations from 2^(N + 6) to 2^(N + 7). */
static unsigned octave_of(uint64_t ticks)
{
	return ticks < STEPS ? 0 : 63 - __builtin_clzll(ticks) - 6;
}

static bool count_step(struct durations *d, uint64_t ticks)
{
	unsigned octave = octave_of(ticks);
	unsigned step = octave ? ticks >> (octave - 1) & (STEPS - 1)
			       : (unsigned)ticks;

	if (!d->octaves[octave]) {
		d->octaves[octave] = calloc(STEPS, sizeof(uint64_t));
		if (!d->octaves[octave])
			return false;
	}
	d->octaves[octave][step]++;
	return true;
}

/* Item I of ITEMS, which have WIDTH bytes. */
static inline uint64_t item(const void *items, unsigned width, uint64_t i)
{
	return width == 8 ? ((const uint64_t *)items)[i]
			  : ((const uint32_t *)items)[i];
}

static inline void set_item(void *items, unsigned width, uint64_t i,
			    uint64_t ticks)
{
	if (width == 8)
		((uint64_t *)items)[i] = ticks;
	else
		((uint32_t *)items)[i] = (uint32_t)ticks;
}

/* Replace the items by a histogram; false without memory. */
static bool durations_fold(struct durations *d)
{
	if (d->octaves)
		return true;
	d->octaves = calloc(OCTAVES, sizeof(*d->octaves));
	if (!d->octaves)
		return false;
	for (uint64_t i = 0; i < d->count; i++)
		if (!count_step(d, item(d->items, d->width, i)))
			return false;
	free(d->items);
	d->items = NULL;
	d->capacity = 0;
	return true;
}

/* Add a duration of TICKS; false without memory. */
static bool durations_add(struct durations *d, uint64_t ticks)
{
	if (d->octaves) {
		d->count++;
		return count_step(d, ticks);
	}
	if (d->count == d->capacity && !grow(d))
		return false;
	if (ticks > UINT32_MAX && d->width < 8 && !widen(d))
		return false;
	set_item(d->items, d->width, d->count++, ticks);
	return true;
}

static uint64_t histogram_rank(const struct durations *d, uint64_t rank)
{
	uint64_t before = 0;

	for (unsigned o = 0; o < OCTAVES; o++)
		for (unsigned i = 0; d->octaves[o] && i < STEPS; i++) {
			before += d->octaves[o][i];
			if (before <= rank)
				continue;
			if (!o)
				return i;
			/* The middle of the step.  STEPS is the highest
			 * bit of the values, which count_step left out. */
			return ((uint64_t)(STEPS | i) << (o - 1)) +
			       (o > 1 ? UINT64_C(1) << (o - 2) : 0);
		}
	return 0;
}

/* Return the item of RANK among the COUNT at V, which are reordered (Hoare's
 * quickselect).  The pivot is never the last item, so both parts are smaller
 * than the whole; both get items that equal the pivot.  The choice of pivots
 * depends on the address of V, so that no trace can be made for which the
 * search takes quadratic time.  The result does not.  Inline, so that WIDTH is
 * a constant. */
static inline __attribute__((always_inline)) uint64_t
select_item(void *v, unsigned width, uint64_t count, uint64_t rank)
{
	uint64_t low = 0, high = count - 1;
	uint64_t seed = gsym_hash_mix((uintptr_t)v);

	while (low < high) {
		uint64_t i = low - 1, k = high + 1, pivot, swapped;

		seed = seed * UINT64_C(6364136223846793005) +
		       UINT64_C(1442695040888963407);
		pivot = item(v, width, low + (seed >> 20) % (high - low));
		for (;;) {
			while (item(v, width, ++i) < pivot)
				;
			while (item(v, width, --k) > pivot)
				;
			if (i >= k)
				break;
			swapped = item(v, width, i);
			set_item(v, width, i, item(v, width, k));
			set_item(v, width, k, swapped);
		}
		if (rank <= k)
			high = k;
		else
			low = k + 1;
	}
	return item(v, width, rank);
}

/* The duration of RANK (0: the shortest); 0 if there are too few durations.
 * With a histogram it is the middle of a step.  Reorders the items. */
static uint64_t durations_rank(struct durations *d, uint64_t rank)
{
	if (rank >= d->count)
		return 0;
	if (d->octaves)
		return histogram_rank(d, rank);
	return d->width == 8 ? select_item(d->items, 8, d->count, rank)
			     : select_item(d->items, 4, d->count, rank);
}

static void durations_fini(struct durations *d)
{
	for (unsigned o = 0; d->octaves && o < OCTAVES; o++)
		free(d->octaves[o]);
	free(d->octaves);
	free(d->items);
	*d = (struct durations){ 0 };
}

/* ---- accounts ------------------------------------------------------------ */

#define DEFAULT_BUDGET (UINT64_C(256) << 20)

/* Bytes of durations of each function that do not count against the budget: a
 * histogram would not take less. */
#define FREE_BYTES 4096

struct row {
	struct gsym_xray_account_row known;
	struct durations durations;
};

struct gsym_xray_account {
	struct gsym_xray_stack *stack;
	/* By the index that the stack gives a function. */
	struct { GSYM_VEC(struct row); } rows;
	uint64_t budget;
	/* Bytes of all durations, without FREE_BYTES of each function. */
	uint64_t kept;
};

/* Set *RET to the row of the function of CALL; false without memory. */
static bool row_of(struct gsym_xray_account *a,
		   const struct gsym_xray_call *call, struct row **ret)
{
	while (a->rows.count <= call->index) {
		struct row *row = gsym_vec_push(&a->rows);

		if (!row)
			return false;
		*row = (struct row){ .known.min = UINT64_MAX };
	}
	*ret = &a->rows.items[call->index];
	(*ret)->known.function = call->function;
	return true;
}

static uint64_t beyond_free(uint64_t bytes)
{
	return bytes > FREE_BYTES ? bytes - FREE_BYTES : 0;
}

/* Make room for NEED more bytes in the budget.  Until there is room, the
 * function with the most bytes of durations gets a histogram in their place.
 * False without memory. */
static bool make_room(struct gsym_xray_account *a, uint64_t need)
{
	while (a->kept + need > a->budget) {
		struct row *most = NULL;
		uint64_t bytes = FREE_BYTES;

		for (size_t i = 0; i < a->rows.count; i++) {
			struct row *row = &a->rows.items[i];

			if (durations_bytes(&row->durations) > bytes) {
				bytes = durations_bytes(&row->durations);
				most = row;
			}
		}
		if (!most)
			return true;
		if (!durations_fold(&most->durations))
			return false;
		most->known.approximate = true;
		a->kept -= beyond_free(bytes);
	}
	return true;
}

/* Add a duration of TICKS to ROW; false without memory. */
static bool keep(struct gsym_xray_account *a, struct row *row, uint64_t ticks)
{
	struct durations *d = &row->durations;
	uint64_t before = durations_bytes(d);
	uint64_t need =
		beyond_free(before + durations_need(d, ticks)) -
		beyond_free(before);
	bool done;

	if (need && !make_room(a, need))
		return false;
	before = beyond_free(durations_bytes(d));
	done = durations_add(d, ticks);
	a->kept += beyond_free(durations_bytes(d)) - before;
	return done;
}

/* A gsym_xray_leave_fn; CONTEXT is the account. */
static bool call_ended(void *context, const struct gsym_xray_call *call)
{
	struct gsym_xray_account *a = context;
	uint64_t ticks = call->leave - call->enter;
	struct gsym_xray_account_row *r;
	struct row *row;

	if (!row_of(a, call, &row))
		return false;
	r = &row->known;
	if (call->end == GSYM_XRAY_UNFINISHED) {
		r->unfinished++;
		return true;
	}
	r->calls++;
	r->inferred += call->end == GSYM_XRAY_INFERRED;
	r->min = ticks < r->min ? ticks : r->min;
	r->max = ticks > r->max ? ticks : r->max;
	r->total_all += ticks;
	if (call->outermost)
		r->total += ticks;
	r->self += ticks > call->children ? ticks - call->children : 0;
	return keep(a, row, ticks);
}

struct gsym_xray_account *gsym_xray_account_new(uint64_t budget)
{
	struct gsym_xray_account *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->budget = budget ? budget : DEFAULT_BUDGET;
	a->stack = gsym_xray_stack_new(NULL, call_ended, a);
	if (!a->stack) {
		free(a);
		return NULL;
	}
	return a;
}

void gsym_xray_account_free(struct gsym_xray_account *a)
{
	if (!a)
		return;
	gsym_xray_stack_free(a->stack);
	for (size_t i = 0; i < a->rows.count; i++)
		durations_fini(&a->rows.items[i].durations);
	gsym_vec_fini(&a->rows);
	free(a);
}

enum gsym_status gsym_xray_account_event(struct gsym_xray_account *a,
					 const struct gsym_xray_event *event)
{
	return gsym_xray_stack_event(a ? a->stack : NULL, event);
}

enum gsym_status gsym_xray_account_end(struct gsym_xray_account *a)
{
	return gsym_xray_stack_end(a ? a->stack : NULL);
}

enum gsym_status gsym_xray_account_repairs(const struct gsym_xray_account *a,
					   struct gsym_xray_repairs *ret)
{
	return gsym_xray_stack_repairs(a ? a->stack : NULL, ret);
}

uint32_t gsym_xray_account_count(const struct gsym_xray_account *a)
{
	/* A function with exits but no entries has no row in ROWS. */
	return a ? gsym_xray_stack_functions(a->stack) : 0;
}

/* The duration of RANK of ROW.  The middle of a step of a histogram is cut to
 * the range of the durations. */
static uint64_t rank_within(struct row *row, uint64_t rank)
{
	const struct gsym_xray_account_row *r = &row->known;
	uint64_t ticks = durations_rank(&row->durations, rank);

	return ticks < r->min ? r->min : ticks > r->max ? r->max : ticks;
}

/* Set the percentiles of RET; ROW has calls that ended. */
static void add_percentiles(struct row *row, struct gsym_xray_account_row *ret)
{
	uint64_t n = row->known.calls;

	ret->median = rank_within(row, n / 2);
	/* Rounded as llvm-xray does, so that the numbers can be compared. */
	ret->percentile90 = rank_within(row, n / 10 * 9 + n % 10 * 9 / 10);
	ret->percentile99 = rank_within(row, n / 100 * 99 + n % 100 * 99 / 100);
}

enum gsym_status gsym_xray_account_get_row(struct gsym_xray_account *a,
					   uint32_t index,
					   struct gsym_xray_account_row *ret)
{
	struct gsym_xray_account_row row = { 0 };

	if (!a || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= gsym_xray_account_count(a))
		return GSYM_NOT_FOUND;
	if (index < a->rows.count)
		row = a->rows.items[index].known;
	row.orphans = gsym_xray_stack_orphans(a->stack, index, &row.function);
	if (row.calls)
		add_percentiles(&a->rows.items[index], &row);
	else
		row.min = 0;
	*ret = row;
	return GSYM_OK;
}
