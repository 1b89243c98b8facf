/* SPDX-License-Identifier: MIT */
/*
 * tests/fuzz/fuzz.h - what a fuzz target consists of.  With clang's
 * -fsanitize=fuzzer the first function is enough; replay.c brings a main()
 * for every other compiler.
 */
#ifndef GSYM_TESTS_FUZZ_H
#define GSYM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** Do all there is to do with SIZE bytes.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** The NUMBERth sound input, malloc'ed; NULL behind the last. */
uint8_t *fuzz_seed(unsigned number, size_t *size);

#endif
