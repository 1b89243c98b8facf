// SPDX-License-Identifier: MIT

// Package gsym turns addresses into functions, files, lines and inlined calls
// by the GSYM files that gsym-create makes.  It needs no cgo and nothing but
// the standard library, and reads versions 1 and 2 in either byte order.
//
//	r, err := gsym.Open("prog.gsym")
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	frames, err := r.Lookup(0x1173, nil)
//	for _, f := range frames {
//		fmt.Println(f.Function(), f.Path(), f.Line, f.Inlined)
//	}
//
// Addresses are those that the program was linked to.  For an address of a
// running process the caller subtracts the load bias; from a return address
// also 1, so that the call is looked up and not the instruction after it.
//
// The answers are those of gsym_lookup of the C library: gsym(5) describes the
// format, and what is made of files that bend it.  No input makes the package
// panic, read outside the file, or work without bound.
//
// A Reader never changes, so any number of goroutines may use it at once.
// Close must not be called while another goroutine uses the reader.
package gsym
