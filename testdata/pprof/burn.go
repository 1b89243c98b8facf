// SPDX-License-Identifier: MIT

// Burns CPU time for a second, and writes a profile to standard output.
package main

import (
	"math"
	"os"
	"runtime/pprof"
	"time"
)

func inner(x float64) float64 {
	return math.Sqrt(x) * math.Sin(x)
}

//go:noinline
func work(n int) float64 {
	sum := 0.0
	for i := 0; i < n; i++ {
		sum += inner(float64(i))
	}
	return sum
}

func main() {
	sum := 0.0
	if err := pprof.StartCPUProfile(os.Stdout); err != nil {
		panic(err)
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		sum += work(10000)
	}
	pprof.StopCPUProfile()
	if sum == 0 {
		panic(sum)
	}
}
