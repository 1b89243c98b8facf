/* SPDX-License-Identifier: MIT */
/*
 * tests/unit/dwarf/random_case.h - programs with random functions, inlined
 * calls, call sites, variables and line tables.  Ranges overlap in all ways,
 * and units claim the same addresses.
 */
#ifndef GSYM_TESTS_DWARF_RANDOM_CASE_H
#define GSYM_TESTS_DWARF_RANDOM_CASE_H

#include "cases.h"

/** Assemble the program of SEED. */
void random_case(struct dwa *a, uint64_t seed);
/** A unit with so many names that tables of names grow. */
void many_case(struct dwa *a, uint64_t seed);
/** Functions of about 4 GiB. */
void wide_case(struct dwa *a, uint64_t seed);

#endif
