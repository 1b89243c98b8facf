// SPDX-License-Identifier: MIT
// Templates and classes that both units of the C++ program instantiate.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

extern volatile int sink;

namespace shape {

template <typename T> struct accumulator {
	T total{};
	accumulator &add(T value)
	{
		total += value;
		return *this;
	}
	template <typename F> T apply(F &&f) const
	{
		struct local {
			static T twice(T value) { return value + value; }
		};
		return local::twice(f(total));
	}
};

struct base {
	virtual ~base() = default;
	virtual int area(int size) const = 0;
	virtual base *self() { return this; }
};

struct named {
	std::string name{"none"};
	virtual ~named() = default;
	virtual std::size_t length() const { return name.size(); }
};

} // namespace shape

int thunks(int size);
int templates(int size);
