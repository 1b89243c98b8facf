/* SPDX-License-Identifier: MIT */
/* Functions that a linker folds: lines 5, 9 and 13. */
int first(int x)
{
	return x * 3 + 1;
}
int second(int x)
{
	return x * 3 + 1;
}
int third(int x)
{
	return x * 3 + 1;
}
int (*volatile pointer)(int) = first;
int main(void)
{
	return first(1) + second(2) + third(3) + pointer(4);
}
