// The second object, a member of an archive: one function is folded into a
// function of the first, another one is taken from there.
static int calls = 8;

template <class T> __attribute__((noinline)) T twice(T x)
{
	return x + x;
}

__attribute__((noinline)) int same(int x)
{
	return x * 77 + 5;
}

extern "C" int more(int n)
{
	calls += n;
	return twice(n) + same(calls);
}
