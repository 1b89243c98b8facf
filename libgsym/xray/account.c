/* SPDX-License-Identifier: MIT */
/* Totals and percentiles of the durations of each function's calls. */
#include "xray/durations.h"
#include "xray/log.h"

#include "base/sized.h"

#define DEFAULT_BUDGET (UINT64_C(256) << 20)

/* Bytes of durations of each function that do not count against the budget: a
 * histogram would not take less. */
#define FREE_BYTES 4096

struct row {
	struct gsym_xray_account_row known;
	struct xray_durations durations;
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

			if (xray_durations_bytes(&row->durations) > bytes) {
				bytes = xray_durations_bytes(&row->durations);
				most = row;
			}
		}
		if (!most)
			return true;
		if (!gsym_xray_durations_fold(&most->durations))
			return false;
		most->known.approximate = true;
		a->kept -= beyond_free(bytes);
	}
	return true;
}

/* Add a duration of TICKS to ROW; false without memory. */
static bool keep(struct gsym_xray_account *a, struct row *row, uint64_t ticks)
{
	struct xray_durations *d = &row->durations;
	uint64_t before = xray_durations_bytes(d);
	uint64_t need =
		beyond_free(before + gsym_xray_durations_need(d, ticks)) -
		beyond_free(before);
	bool done;

	if (need && !make_room(a, need))
		return false;
	before = beyond_free(xray_durations_bytes(d));
	done = gsym_xray_durations_add(d, ticks);
	a->kept += beyond_free(xray_durations_bytes(d)) - before;
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
		gsym_xray_durations_fini(&a->rows.items[i].durations);
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

enum gsym_status
gsym_xray_account_repairs_sized(const struct gsym_xray_account *a,
				struct gsym_xray_repairs *ret, size_t ret_size)
{
	return gsym_xray_stack_repairs_sized(a ? a->stack : NULL, ret,
					     ret_size);
}

uint32_t gsym_xray_account_count(const struct gsym_xray_account *a)
{
	/* A function with exits but no entries has no row in ROWS. */
	return a ? gsym_xray_stack_functions(a->stack) : 0;
}

/* TICKS, the middle of a step of a histogram, cut to the range of the
 * durations. */
static uint64_t within(const struct gsym_xray_account_row *r, uint64_t ticks)
{
	return ticks < r->min ? r->min : ticks > r->max ? r->max : ticks;
}

/* Set the percentiles of RET; ROW has calls that ended. */
static void add_percentiles(struct row *row, struct gsym_xray_account_row *ret)
{
	uint64_t n = row->known.calls;

	ret->median =
		within(ret, gsym_xray_durations_rank(&row->durations, n / 2));
	/* Rounded as llvm-xray does, so that the numbers can be compared. */
	ret->percentile90 = within(
		ret, gsym_xray_durations_rank(&row->durations,
					      n / 10 * 9 + n % 10 * 9 / 10));
	ret->percentile99 = within(
		ret,
		gsym_xray_durations_rank(&row->durations,
					 n / 100 * 99 + n % 100 * 99 / 100));
}

enum gsym_status
gsym_xray_account_get_row_sized(struct gsym_xray_account *a, uint32_t index,
				struct gsym_xray_account_row *ret,
				size_t ret_size)
{
	struct gsym_xray_account_row row = { 0 };

	if (!a || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_xray_account_row,
					 reserved))
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
	gsym_sized_copy(ret, ret_size, &row, sizeof(row));
	return GSYM_OK;
}
