/* SPDX-License-Identifier: MIT */
/* Heaps hand their items out in order, whatever the order they came in. */
#include "base/order.h"

#include <criterion/criterion.h>
#include <stdint.h>

struct heap { GSYM_VEC(uint32_t); };

/* Numbers that look random; the same in each run. */
static uint32_t next_number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* Whether the heap of the COUNT ITEMS has no item before its parent. */
static bool is_heap(const uint32_t *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i] < items[(i - 1) / 2])
			return false;
	return true;
}

Test(heap, items_come_out_in_order)
{
	for (unsigned count = 0; count < 70; count++) {
		struct heap heap = { 0 };
		uint32_t state = count, last = 0, sum = 0, sum_out = 0;

		for (unsigned i = 0; i < count; i++) {
			/* Many are equal. */
			uint32_t number = next_number(&state) % (count + 1);

			sum += number;
			cr_assert(GSYM_HEAP_PUSH(&heap, number, a, b, *a < *b));
			cr_expect(is_heap(heap.items, heap.count));
		}
		cr_expect_eq(heap.count, count);
		while (heap.count) {
			cr_expect_geq(heap.items[0], last);
			last = heap.items[0];
			sum_out += last;
			GSYM_HEAP_POP(&heap, a, b, *a < *b);
			cr_expect(is_heap(heap.items, heap.count));
		}
		cr_expect_eq(sum_out, sum);
		gsym_vec_fini(&heap);
	}
}

/* The first item of an array of pointers is changed and moves down. */
Test(heap, an_item_that_changes)
{
	struct { GSYM_VEC(uint32_t *); } heap = { 0 };
	uint32_t numbers[20], state = 7, last = 0;

	for (unsigned i = 0; i < 20; i++) {
		numbers[i] = next_number(&state) % 100;
		cr_assert(GSYM_HEAP_PUSH(&heap, &numbers[i], a, b, **a < **b));
	}
	for (unsigned i = 0; i < 200; i++) {
		cr_expect_geq(*heap.items[0], last);
		last = *heap.items[0];
		*heap.items[0] += next_number(&state) % 50;
		GSYM_HEAP_SINK(heap.items, heap.count, 0, a, b, **a < **b);
		for (unsigned k = 0; k < 20; k++)
			cr_expect_leq(*heap.items[0], numbers[k]);
	}
	gsym_vec_fini(&heap);
}

/* An array in any order becomes a heap from its last parent on. */
Test(heap, an_array_becomes_a_heap)
{
	for (size_t count = 1; count < 40; count++) {
		uint32_t items[40], state = (uint32_t)count;

		for (size_t i = 0; i < count; i++)
			items[i] = next_number(&state) % 30;
		for (size_t i = count / 2; i-- > 0;)
			GSYM_HEAP_SINK(items, count, i, a, b, *a < *b);
		cr_expect(is_heap(items, count));
	}
}
