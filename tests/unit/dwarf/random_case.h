/* SPDX-License-Identifier: MIT */
/*
 * tests/unit/dwarf/random_case.h - programs with random functions, inlined
 * calls, call sites, variables and line tables.  Ranges overlap in all ways,
 * and units claim the same addresses.
 */
#ifndef GSYM_TESTS_DWARF_RANDOM_CASE_H
#define GSYM_TESTS_DWARF_RANDOM_CASE_H

#include "cases.h"

enum {
	/** All addresses are from FIRST_ADDRESS to LAST_ADDRESS. */
	RANDOM_FIRST_ADDRESS = 0x1000,
	RANDOM_LAST_ADDRESS = 0x1000 + 8 * 128,
};

/** Assemble the program of SEED. */
void random_case(struct dwa *a, uint64_t seed);

#endif
