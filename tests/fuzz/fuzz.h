/* SPDX-License-Identifier: MIT */
/*
 * tests/fuzz/fuzz.h - the functions of a fuzz target. clang's -fsanitize=fuzzer
 * needs the first one only; replay.c has a main() for all other compilers.
 */
#ifndef GSYM_TESTS_FUZZ_H
#define GSYM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** Run the code under test on SIZE bytes at DATA. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** The NUMBERth valid input, malloc'ed; NULL after the last one. */
uint8_t *fuzz_seed(unsigned number, size_t *size);

#ifdef GSYM_LIBFUZZER
/* Of libFuzzer: change the SIZE bytes at DATA, of which there may be MOST
 * afterwards.  Both return the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
/** A target that has this function mutates inputs by itself. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed);
#endif

#endif
