__attribute__((noinline)) int helper(int x)
{
	return x * 3 + 1;
}
static inline int twice(int y)
{
	return helper(y) + helper(y + 2);
}
int entry(int z)
{
	return twice(z) + z;
}
