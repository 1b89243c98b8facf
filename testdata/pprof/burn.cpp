// SPDX-License-Identifier: MIT
// Burns CPU time for half a second.
#include <cmath>
#include <ctime>

static double inner(double x)
{
	return std::sqrt(x) / (x + 1);
}

__attribute__((noinline)) double work(int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += inner(i);
	return sum;
}

int main()
{
	std::clock_t start = std::clock();
	double sum = 0;

	while (std::clock() - start < CLOCKS_PER_SEC / 2)
		sum += work(1000000);
	return sum < 0;
}
