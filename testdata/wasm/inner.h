/* SPDX-License-Identifier: MIT */
#ifdef PLAIN
#define EXPORT(name)
#else
#define EXPORT(name) __attribute__((export_name(name)))
#endif

static volatile int global = 3;

static inline __attribute__((always_inline)) int twice(int x)
{
	return global * x;
}
