/* SPDX-License-Identifier: MIT */
#include "common.h"

volatile int sink;

/* Identical bodies: linkers and compilers may fold them. */
__attribute__((noinline)) int twin_one(int a)
{
	sink = a;
	return a + 3;
}

__attribute__((noinline)) int twin_two(int a)
{
	sink = a;
	return a + 3;
}

__attribute__((weak)) int weak_answer(void)
{
	return sink ? 41 : 42;
}

int alias_answer(void) __attribute__((alias("weak_answer")));

__attribute__((noinline, section(".text.special"))) int special(int a)
{
	return mix_thrice(a, sink);
}

static int recursive(int n)
{
	if (n < 2)
		return mix(n, sink);
	return recursive(n - 1) + recursive(n - 2);
}

__attribute__((noinline)) static int loops(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		for (int k = i; k; k--)
			sum += mix_thrice(i, k);
		if (sum > 5000) {
			sum = mix(sum, i); sink++;
		}
	}
	return sum;
}

static int tail(int a)
{
	return a & 1 ? twin_one(a) : twin_two(a);
}

#if defined(__GNUC__) && !defined(__clang__)
/* A function inside a function. */
__attribute__((noinline)) static int nested(int a)
{
	__attribute__((noinline)) int inner(int b)
	{
		return mix(a, b);
	}
	return inner(3) + inner(sink);
}
#else
__attribute__((noinline)) static int nested(int a)
{
	return mix(a, 3);
}
#endif

int main(int argc, char **argv)
{
	(void)argv;
	sink = loops(argc + 3) + recursive(argc + 4) + tail(argc);
	sink += special(argc) + nested(argc) + alias_answer();
	sink += shapes_area(argc & 3, 4) + cold_divide(100, argc);
	assembly_sized();
	assembly_label();
	return sink == 12345;
}
