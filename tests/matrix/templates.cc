// SPDX-License-Identifier: MIT
#include "common.hh"

namespace {

template <int N> struct power {
	static int of(int x) { return x * power<N - 1>::of(x) + sink; }
};

template <> struct power<0> {
	static int of(int) { return 1; }
};

template <typename... Ts> int sum_all(Ts... values)
{
	int sum = 0;
	((sum += static_cast<int>(values)), ...);
	return sum;
}

template <typename T> struct callable {
	T factor;
	T operator()(T value) const { return value * factor; }
	operator T() const { return factor; }
};

template <typename T>
[[gnu::noinline]] T fold(const std::vector<T> &values, const callable<T> &f)
{
	shape::accumulator<T> total;
	for (const T &value : values)
		total.add(f(value));
	return total.apply([](T t) { return t / 2; });
}

int local_class(int n)
{
	struct counter {
		int count = 0;
		[[gnu::noinline]] int next() { return count += sink | 1; }
	};
	counter c;
	while (n-- > 0)
		c.next();
	return c.count;
}

std::string joined(const std::vector<std::string> &words)
{
	std::string all;
	for (const auto &word : words) {
		if (!all.empty())
			all += ", ";
		all += word;
	}
	return all;
}

} // namespace

int templates(int size)
{
	std::vector<int> ints{1, 2, size};
	std::vector<double> doubles{1.5, 2.5, 1.0 * size};
	int sum = fold(ints, callable<int>{3}) +
		  static_cast<int>(fold(doubles, callable<double>{0.5}));
	sum += power<4>::of(size) + sum_all(size, 2.5, 'c', 7L);
	sum += local_class(size) +
	       static_cast<int>(joined({"a", "b", std::to_string(size)}).size());
	return sum;
}
