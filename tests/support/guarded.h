/* SPDX-License-Identifier: MIT */
/*
 * tests/support/guarded.h - malloc, calloc, realloc and free for programs that
 * are linked with --wrap for them.  Allocations can be made to fail, blocks are
 * counted, and a write beyond the end of a block fails the test.  Memory that
 * the C library or another shared library allocates must not be freed by such a
 * program.
 */
#ifndef GSYM_TESTS_GUARDED_H
#define GSYM_TESTS_GUARDED_H

#include <stdbool.h>

extern struct guarded {
	/** The number of the next allocation. */
	long made;
	/** The number of the allocation that fails; -1: none fails. */
	long failing;
	/** All allocations fail. */
	bool no_memory;
	/** Blocks that were allocated and not freed. */
	long blocks;
} guarded;

#endif
