/* SPDX-License-Identifier: MIT */
/* Burns CPU time for half a second, mostly in inlined calls. */
#include <time.h>

static volatile double seed = 1;

static inline double inner(double x)
{
	for (int i = 0; i < 20; i++)
		x = 1 / (x + i + 1);
	return x;
}

static inline double middle(double x)
{
	return inner(x) + inner(x + 1);
}

__attribute__((noinline)) double work(int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += middle(seed + i);
	return sum;
}

int main(void)
{
	clock_t start = clock();
	double sum = 0;

	while (clock() - start < CLOCKS_PER_SEC / 2) {
		sum += work(10000);
		for (int i = 0; i < 2000; i++)
			sum += inner(seed);
	}
	return sum < 0;
}
