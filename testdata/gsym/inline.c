/* SPDX-License-Identifier: MIT */
/* The program of the *.gsym files in this folder; see README.md. */

volatile int sink;

static inline __attribute__((always_inline)) int square(int x)
{
	sink = x;
	return x * x + 1;
}

static inline __attribute__((always_inline)) int twice(int x)
{
	int sum = square(x);

	if (sum > 10)
		sum += square(sum);
	return sum;
}

__attribute__((noinline)) int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += twice(i);
	return sum;
}

__attribute__((noinline)) int same_one(int n)
{
	return work(n) + 3;
}

__attribute__((noinline)) int same_two(int n)
{
	return work(n) + 3;
}

void _start(void)
{
	sink = same_one(3) + same_two(4);
	for (;;)
		;
}
