/* SPDX-License-Identifier: MIT */
/* The program that scripts of this folder convert: calls that are inlined, and
 * one that is not. */
static inline __attribute__((always_inline)) int square(int x)
{
	return x * x;
}

static inline __attribute__((always_inline)) int sum(int x, int y)
{
	return square(x) +
	       square(y);
}

__attribute__((noinline)) int work(int x)
{
	volatile int kept = sum(x, x + 1);
	return kept;
}

int main(int argc, char **argv)
{
	(void)argv;
	return work(argc) == 0;
}
