/* SPDX-License-Identifier: MIT */
/* support/tiny.h - how small limits are; 0: as they are outside of tests. */
#ifndef GSYM_TESTS_TINY_H
#define GSYM_TESTS_TINY_H

extern unsigned gsym_tiny_limits;

#endif
