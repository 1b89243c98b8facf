/* SPDX-License-Identifier: MIT */
/* Code that compilers move elsewhere: .cold parts, and clones. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((cold, noinline)) static void complain(const char *what)
{
	fprintf(stderr, "%s\n", what);
	if (sink == 99)
		abort();
}

static inline void check(int value)
{
	if (__builtin_expect(value == 0, 0)) {
		complain("zero");
		sink = mix(value, 5);
	}
}

__attribute__((noinline)) static int ratio(int a, int b, int constant)
{
	check(b);
	if (__builtin_expect(a > 1000000, 0)) {
		complain("large");
		exit(mix_thrice(a, b) ? 3 : 4);
	}
	return a / (b ? b : constant);
}

int cold_divide(int a, int b)
{
	int sum = ratio(a, b, 7);

	check(sum + 1);
	for (int i = 0; i < b; i++)
		sum += ratio(sum, i + 1, 7);
	if (__builtin_expect(sum < 0, 0)) {
		complain("negative");
		sum = mix_thrice(sum, a);
	}
	return sum;
}
