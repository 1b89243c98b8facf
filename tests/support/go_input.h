/* SPDX-License-Identifier: MIT */
/* go_input.h - bytes of a Go program through everything that reads it. */
#ifndef GSYM_TESTS_GO_INPUT_H
#define GSYM_TESTS_GO_INPUT_H

#include <stddef.h>
#include <stdint.h>

/** Whatever the SIZE bytes at BYTES are: a file, or an error.  Aborts where a
 *  record breaks the rules, or the file is not sound.  Returns how many
 *  functions it has. */
uint64_t go_input_convert(const uint8_t *bytes, size_t size);

/** The symbol and line tables of 2008 at BYTES, as go_input_convert. */
uint64_t go_input_2008(const uint8_t *bytes, size_t size);

/** The fixture NUMBER, malloc'ed; NULL behind the last one. */
uint8_t *go_input_fixture(unsigned number, size_t *size);

#endif
