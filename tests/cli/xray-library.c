/* SPDX-License-Identifier: MIT */
/* The shared object of xray-program.cpp: it counts its calls, too. */
#define TRACED __attribute__((xray_always_instrument, noinline))

unsigned long lib_calls[2];

TRACED unsigned long lib_inner(unsigned long x)
{
	lib_calls[1]++;
	return x + 1;
}

TRACED unsigned long lib_outer(unsigned long x)
{
	lib_calls[0]++;
	return lib_inner(x) + lib_inner(x + 1);
}
