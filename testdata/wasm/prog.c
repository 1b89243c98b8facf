/* SPDX-License-Identifier: MIT */
#include "inner.h"
int helper(int x)
{
	if (x > 7)
		global = twice(x);
	return global + x;
}
__attribute__((noinline)) static int apart(int a, int b)
{
	global += a;
	return helper(b) * a;
}
EXPORT("run") int run(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += apart(i, n);
	return sum;
}
