// What a small program in C++ brings: inlining, a namespace, a function of
// an anonymous namespace, one with C linkage, a call to another library.
extern "C" int elsewhere(int);
extern "C" int counter;
int counter;

namespace shapes {
namespace {
__attribute__((noinline)) int hidden(int n)
{
	counter += n;
	return counter * n;
}
} // namespace

static inline __attribute__((always_inline)) int square(int n)
{
	return n * n + counter;
}

static inline __attribute__((always_inline)) int cube(int n)
{
	return square(n) * n;
}

struct Shape {
	int size;
	int area() const;
};

__attribute__((noinline)) int Shape::area() const
{
	return cube(size) + elsewhere(size);
}
} // namespace shapes

extern "C" int work(int n)
{
	shapes::Shape shape = { n };
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += shape.area() + shapes::hidden(i);
	return sum;
}
