/* SPDX-License-Identifier: MIT */
#include "inner.h"
namespace shapes {
struct Circle {
	int r;
	__attribute__((noinline)) int area(int scale) const;
};
int Circle::area(int scale) const
{
	return 3 * r * r * scale;
}
}
extern "C" EXPORT("area") int area(int r)
{
	shapes::Circle c = { r };
	return c.area(2);
}
