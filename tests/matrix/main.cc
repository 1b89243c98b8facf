// SPDX-License-Identifier: MIT
#include "common.hh"

volatile int sink;

namespace {

struct guard {
	int old;
	explicit guard(int value) : old(sink) { sink = value; }
	~guard() { sink = old; }
};

[[gnu::noinline]] int may_throw(int n)
{
	guard g(n);
	if (n % 5 == 3)
		throw std::runtime_error("three");
	if (n % 7 == 6)
		throw n;
	return n * 2;
}

[[gnu::noinline]] int catches(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		try {
			sum += may_throw(i);
		} catch (const std::runtime_error &e) {
			sum += static_cast<int>(std::string(e.what()).size());
		} catch (int value) {
			sum -= value;
		}
	}
	return sum;
}

int lambdas(int n)
{
	int factor = n + 1;
	auto scale = [factor](int v) { return v * factor; };
	auto twice = [&](int v) {
		auto inner = [&](int w) { return scale(w) + sink; };
		return inner(v) + inner(v + 1);
	};
	std::vector<int> v(static_cast<std::size_t>(n));
	std::generate(v.begin(), v.end(), [i = 0]() mutable { return i++; });
	std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
	int sum = 0;
	for (int x : v)
		sum += twice(x);
	return sum;
}

// Constructed before main.
struct global {
	std::map<std::string, int> names{{"one", 1}, {"two", 2}};
	~global() { sink = static_cast<int>(names.size()); }
} instance;

} // namespace

int main(int argc, char **)
{
	sink = catches(argc + 9) + lambdas(argc + 5);
	sink += instance.names["two"] + thunks(argc) + templates(argc + 2);
	return sink == 12345;
}
