/* What the PE program program.exe is made of. */
static inline int low(int x)
{
	return x > 3 ? x * 7 : x ^ 5;
}

static inline int middle(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += low(i + x);
	return sum;
}

__declspec(noinline) int high(int x)
{
	return middle(x) + low(x + 2);
}

int start(void)
{
	return high(7) + low(3);
}
