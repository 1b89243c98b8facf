/* SPDX-License-Identifier: MIT */
/* Calls in a block, in an inlined function, and through a pointer. */
int (*volatile pointer)(int);

__attribute__((noinline)) int leaf(int x)
{
	__asm__ volatile("");
	return x + 1;
}

static inline __attribute__((always_inline)) int inlined(int x)
{
	return leaf(x) + leaf(x + 2);
}

__attribute__((noinline)) int caller(int x)
{
	int y = inlined(x);

	{
		int z = y + 1;

		if (z > 3)
			return pointer(y) + leaf(z);
	}
	return 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	pointer = leaf;
	return caller(argc) + 1;
}
