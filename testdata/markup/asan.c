/* SPDX-License-Identifier: MIT */
/* Mistakes for AddressSanitizer: a use after free, and, with arguments, a read
 * behind a global variable. */
#include <stdlib.h>
int global_table[10] = { 1, 2, 3 };
__attribute__((noinline)) static int poke(char *p, int i)
{
	return p[i];
}
static inline __attribute__((always_inline)) int through(char *p, int i)
{
	return poke(p, i) + 1;
}
int main(int argc, char **argv)
{
	char *p = malloc(10);
	if (argc > 2)
		return global_table[argc + 10];
	free(p);
	return through(p, argc);
}
