// SPDX-License-Identifier: MIT

// A program that panics below calls of all kinds: inlined, recursive, of
// closures, of generic methods, and through wrappers.
package main

import (
	"fmt"
	"sort"
)

type stack[T any] struct{ items []T }

func (s *stack[T]) pop() T { return s.items[len(s.items)-1] }

func inner(s *stack[int]) int { return s.pop() + 1 }

//go:noinline
func deeper(n int, f func(int) int) int {
	if n == 0 {
		return f(n)
	}
	return deeper(n-1, f) + 1
}

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b byLen) Less(i, j int) bool { return deeper(2, func(int) int { return inner(&stack[int]{}) }) > 0 }

func main() {
	defer fmt.Println("never")
	sort.Sort(byLen{"a", "b", "c"})
}
