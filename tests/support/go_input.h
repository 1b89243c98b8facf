/* SPDX-License-Identifier: MIT */
/* go_input.h - converts the bytes of a Go program to a GSYM file and verifies
 * the file. */
#ifndef GSYM_TESTS_GO_INPUT_H
#define GSYM_TESTS_GO_INPUT_H

#include <stddef.h>
#include <stdint.h>

/** Convert a program of SIZE bytes at BYTES, which may be damaged.  Returns the
 *  number of functions in the GSYM file, 0 if the program is refused.  Aborts
 *  if the sink refuses a record, or if the GSYM file is not sound. */
uint64_t go_input_convert(const uint8_t *bytes, size_t size);

/** As go_input_convert, for the symbol and line tables of 2008: the two sizes,
 *  of 4 bytes each, then both tables. */
uint64_t go_input_2008(const uint8_t *bytes, size_t size);

/** The bytes of fixture NUMBER, malloc'ed; NULL after the last one. */
uint8_t *go_input_fixture(unsigned number, size_t *size);

#endif
