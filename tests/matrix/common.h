/* SPDX-License-Identifier: MIT */
/* Inline functions that several units of the C program share, three calls
 * deep, so that every unit has its own copy of their debug info. */
#ifndef MATRIX_COMMON_H
#define MATRIX_COMMON_H

extern volatile int sink;

int shapes_area(int kind, int size);
int cold_divide(int a, int b);
int weak_answer(void);
void assembly_sized(void);
void assembly_label(void);

static inline int clamp(int value, int low, int high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static inline int mix(int a, int b)
{
	sink += a;
	return clamp(a * 31 + b, -1000, 1000);
}

__attribute__((always_inline)) static inline int mix_thrice(int a, int b)
{
	int first = mix(a, b);
	int second = mix(first, a);

	if (second == 77)
		sink = second;
	return mix(second, b) + mix(b, first);
}

#endif
