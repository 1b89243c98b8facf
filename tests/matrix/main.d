// SPDX-License-Identifier: MIT
// Templates, a class, a nested function and one that is inlined, without D's
// runtime library.
module main;

extern (C) int printf(scope const char* format, ...);

struct Point(T)
{
	T x, y;

	T dot(ref const Point other) const
	{
		return x * other.x + y * other.y;
	}
}

interface Shape
{
	int area() const;
}

extern (C++) class Square
{
	int side;

	int area() const
	{
		return side * side;
	}
}

private int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

extern (C) int main(int argc, char** argv)
{
	auto p = Point!int(argc, 2), q = Point!int(3, 4);
	int total = 0;

	int twice(int n)
	{
		total += n;
		return 2 * n + total;
	}

	foreach (i; 0 .. 10)
		total += twice(i) + p.dot(q);
	printf("%d %d\n", total, fib(argc + 10));
	return 0;
}
