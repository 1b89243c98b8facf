/* SPDX-License-Identifier: MIT */
/* tests/fuzz/seeds.h - programs of unit tests as seeds; all are malloc'ed. */
#ifndef GSYM_TESTS_FUZZ_SEEDS_H
#define GSYM_TESTS_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

/** A PE program for the processor NUMBER (0 to 3) with an export table, a table
 *  of functions, and COFF's symbols. */
uint8_t *fuzz_seed_pe(unsigned number, size_t *size);
/** A WebAssembly module, of 64 bits if NUMBER is odd. */
uint8_t *fuzz_seed_wasm(unsigned number, size_t *size);
/** A Mach-O program with chained fixups of the form FORM. */
uint8_t *fuzz_seed_fixups(unsigned form, size_t *size);

#endif
