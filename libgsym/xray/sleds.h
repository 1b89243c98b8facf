/* SPDX-License-Identifier: MIT */
/*
 * xray/sleds.h - what a map is made of, for those who fill one: from the
 * section of a binary (sleds.c) or from text (sledtext.c).
 */
#ifndef GSYM_XRAY_SLEDS_H
#define GSYM_XRAY_SLEDS_H

#include "base/arena.h"
#include "base/vec.h"

#include <gsym/xray.h>

struct gsym_xray_map {
	/* By function. */
	struct { GSYM_VEC(struct gsym_xray_sled); } sleds;
	/* The first sled of each function, in the order of their numbers. */
	struct { GSYM_VEC(uint32_t); } first;
	/* Names in text. */
	struct gsym_arena names;
};

#endif
