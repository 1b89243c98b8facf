/* SPDX-License-Identifier: MIT */
/*
 * A program for ./quickstart: a little shop whose calls are mostly inlined.
 * Deep inside, it prints the return addresses that are on its stack, as bare
 * numbers.  It knows nothing of its own debug info; gsym-lookup gives the
 * numbers their meaning back.
 */
#include <cstdint>
#include <cstdio>
#include <vector>

#include <execinfo.h>

extern "C" const char __executable_start;
extern "C" const char etext;

namespace shop {

/* Print the addresses of the stack that lie in this program, as they were
 * at link time: those of the C library belong to other files. */
[[gnu::noinline]] void report()
{
	void *stack[32];
	int depth = backtrace(stack, 32);

	for (int i = 0; i < depth; i++) {
		const char *at = static_cast<const char *>(stack[i]);

		if (at > &__executable_start && at <= &etext)
			std::printf("%#zx\n", reinterpret_cast<std::size_t>(at));
	}
}

struct Money {
	long cents;

	Money &operator+=(const Money &other)
	{
		cents += other.cents;
		if (cents > 10000)
			report();
		return *this;
	}
};

template <typename Item> class Basket {
	std::vector<Item> items;

public:
	void add(const Item &item)
	{
		items.push_back(item);
	}

	Money total() const
	{
		Money sum{0};

		for (const Item &item : items)
			sum += item.price();
		return sum;
	}
};

class Book {
	long pages;

public:
	explicit Book(long count) : pages(count) {}

	Money price() const
	{
		return Money{pages * 9};
	}
};

[[gnu::noinline]] Money checkout(const Basket<Book> &basket)
{
	return basket.total();
}

[[gnu::noinline]] long buy()
{
	Basket<Book> basket;

	basket.add(Book(420));
	basket.add(Book(880));
	return checkout(basket).cents;
}

} /* namespace shop */

int main()
{
	return shop::buy() > 0 ? 0 : 1;
}
