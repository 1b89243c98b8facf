/* SPDX-License-Identifier: MIT */
/*
 * xray/sleds.h - an instrumentation map: the sleds of a binary, which sleds.c
 * reads from a section of the binary and sledtext.c from YAML.
 */
#ifndef GSYM_XRAY_SLEDS_H
#define GSYM_XRAY_SLEDS_H

#include "base/arena.h"
#include "base/vec.h"

#include <gsym/xray.h>

struct gsym_xray_map {
	/* Sorted by the number of their function. */
	struct { GSYM_VEC(struct gsym_xray_sled); } sleds;
	/* By place in the order of functions: the index of the first sled. */
	struct { GSYM_VEC(uint32_t); } first;
	/* The texts that sledtext.c read. */
	struct gsym_arena names;
};

#endif
