// The first object of a program whose debug info stays with its objects: an
// inline function that the other one has, too, one that nobody calls, data.
extern "C" int more(int);
int limit = 9;
static int calls;

template <class T> __attribute__((noinline)) T twice(T x)
{
	return x + x;
}

__attribute__((noinline)) int alike(int x)
{
	return x * 77 + 5;
}

__attribute__((noinline)) int unused(int x)
{
	return x * 99;
}

static inline __attribute__((always_inline)) int clamp(int x)
{
	return x > limit ? limit : x;
}

extern "C" int start(int n)
{
	static int total = 3;
	calls += n;
	total += clamp(n);
	return twice(total) + alike(calls) + more(clamp(calls));
}
