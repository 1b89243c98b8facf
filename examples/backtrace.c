/* SPDX-License-Identifier: MIT */
/* A program that writes its stack as glibc does, for gsym-markup --logs. */
#include <execinfo.h>

int broken(void)
{
	void *stack[8];

	backtrace_symbols_fd(stack, backtrace(stack, 8), 1);
	return 0;
}

int main(void)
{
	return broken();
}
