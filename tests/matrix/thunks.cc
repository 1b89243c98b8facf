// SPDX-License-Identifier: MIT
// Virtual inheritance and covariant returns make thunks: functions that only
// the symbol table names.
#include "common.hh"

namespace shape {

struct left : virtual base {
	int side = 3;
	int area(int size) const override { return side * size; }
};

struct right : virtual base {
	int side = 4;
	virtual int edge() const { return side; }
};

struct both final : left, right, named {
	both() { name = "both"; }
	~both() override { sink = side(); }
	int side() const { return left::side + right::side; }
	int area(int size) const override
	{
		return side() * size + static_cast<int>(name.size());
	}
	both *self() override { return this; }
	int edge() const override { return side(); }
	std::size_t length() const override { return name.size() + 1; }
};

[[gnu::noinline]] static int use(base &b, right &r, named &n, int size)
{
	return b.self()->area(size) + r.edge() + static_cast<int>(n.length());
}

} // namespace shape

int thunks(int size)
{
	auto p = std::make_unique<shape::both>();
	shape::accumulator<int> sum;
	sum.add(shape::use(*p, *p, *p, size)).add(size);
	return sum.apply([&](int total) { return total + p->side(); });
}
