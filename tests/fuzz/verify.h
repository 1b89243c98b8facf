/* SPDX-License-Identifier: MIT */
/* tests/fuzz/verify.h - verifies GSYM data, for targets whose headers conflict
 * with gsym/reader.h. */
#ifndef GSYM_TESTS_FUZZ_VERIFY_H
#define GSYM_TESTS_FUZZ_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Returns true if the SIZE bytes at BYTES are a sound GSYM file; otherwise the
 * first problem is in MESSAGE. */
bool fuzz_verify(const uint8_t *bytes, size_t size, char *message,
		 size_t message_size);

#endif
