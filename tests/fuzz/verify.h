/* SPDX-License-Identifier: MIT */
/* tests/fuzz/verify.h - whether bytes are a sound GSYM file, for targets that
 * include headers which gsym/reader.h does not go together with. */
#ifndef GSYM_TESTS_FUZZ_VERIFY_H
#define GSYM_TESTS_FUZZ_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** If not, the first problem goes to MESSAGE. */
bool fuzz_verify(const uint8_t *bytes, size_t size, char *message,
		 size_t message_size);

#endif
