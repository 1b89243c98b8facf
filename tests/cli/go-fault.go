// SPDX-License-Identifier: MIT

// A program that a bad pointer ends, at the first instruction of a line: what
// the runtime looks up there is that instruction and not the one before.
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
