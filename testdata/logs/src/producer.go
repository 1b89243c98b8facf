// Panics below two calls.  bench/producers looks for the lines with the words
// in comments.
package main

import "os"

//go:noinline
func leaf(n int) int {
	list := []int{1, 2, 3}
	return list[n] + 1 // LEAF
}

//go:noinline
func middle(n int) int {
	return leaf(n) + 1 // MIDDLE
}

func main() {
	println(middle(len(os.Args) + 5)) // MAIN
}
