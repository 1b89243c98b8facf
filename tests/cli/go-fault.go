// SPDX-License-Identifier: MIT

// A program that ends with a bad pointer at the first instruction of a line.
// For a fault the runtime looks up the address itself, not the one before it.
package main

type item struct {
	next  *item
	value int
}

//go:noinline
func value(i *item, n int) int {
	n *= 3
	n += i.value
	return n
}

//go:noinline
func sum(i *item) int {
	return value(i.next, 4) + 1
}

func main() {
	println(sum(&item{}))
}
