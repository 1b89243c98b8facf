// SPDX-License-Identifier: MIT

// Command gsym-go answers addresses as gsym-lookup does: it shows how the
// package is used, and lets tests compare both.
//
//	gsym-go FILE <addresses
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"gsym"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gsym-go FILE <addresses")
		os.Exit(2)
	}
	if err := answer(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gsym-go:", err)
		os.Exit(2)
	}
}

func answer(path string) error {
	r, err := gsym.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	var frames []gsym.Frame
	out := bufio.NewWriter(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		address, err := strconv.ParseUint(lines.Text(), 0, 64)
		if err != nil {
			return err
		}
		frames, err = r.Lookup(address, frames[:0])
		if err != nil && !errors.Is(err, gsym.ErrNotFound) {
			return err
		}
		show(out, address, frames)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// show writes the frames of address in gsym-lookup's form.
func show(out *bufio.Writer, address uint64, frames []gsym.Frame) {
	head := "0x" + strconv.FormatUint(address, 16) + ": "
	out.WriteString(head)
	if len(frames) == 0 {
		out.WriteString("??\n")
	}
	for i, f := range frames {
		if i > 0 {
			out.WriteString(strings.Repeat(" ", len(head)))
		}
		name := f.Function()
		if name == "" {
			name = "??"
		}
		out.WriteString(name)
		if f.Offset != 0 {
			out.WriteString(" + ")
			out.WriteString(strconv.FormatUint(f.Offset, 10))
		}
		if path := f.Path(); path != "" {
			out.WriteString(" at ")
			out.WriteString(path)
			out.WriteString(":")
			out.WriteString(strconv.FormatUint(uint64(f.Line), 10))
		}
		if f.Inlined {
			out.WriteString(" (inlined)")
		}
		out.WriteString("\n")
	}
}
