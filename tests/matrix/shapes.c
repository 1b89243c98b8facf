/* SPDX-License-Identifier: MIT */
#include "common.h"

static int square(int size)
{
	return mix(size, size);
}

static int circle(int size)
{
	return square(size) * 3 + square(size - 1);
}

static int (*const table[])(int) = { square, circle };

/* A dense switch becomes a table of jumps. */
static int by_number(int kind, int size)
{
	switch (kind) {
	case 0:
		return square(size);
	case 1:
		return circle(size);
	case 2:
		return mix_thrice(size, kind);
	case 3:
		sink = size;
		return mix(kind, size);
	case 4:
		return clamp(size, 3, 9);
	case 5:
		return -circle(size);
	}
	return 0;
}

static int checksum(const int *values, unsigned count)
{
	int sum = 0;

	while (count--)
		sum = (sum << 1) ^ *values++;
	return sum;
}

int shapes_area(int kind, int size)
{
	int values[16];

	for (unsigned i = 0; i < 16; i++)
		values[i] = clamp((int)i * size, 2, 20);
	return by_number(kind, size) + table[kind & 1](size) +
	       checksum(values, 16);
}
