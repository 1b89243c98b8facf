/* SPDX-License-Identifier: MIT */
/*
 * convert/objects_map.h - from the addresses of an object to those of the
 * program it was linked into.
 */
#ifndef GSYM_CONVERT_OBJECTS_MAP_H
#define GSYM_CONVERT_OBJECTS_MAP_H

#include "container/container.h"

/** A function or variable of an object: [START, END) there is ADDRESS on in
 *  the program. */
struct gsym_moved {
	uint64_t start;
	uint64_t end;
	uint64_t address;
	bool function;
	/** Another one, of an earlier object, has the address. */
	bool folded;
};

/** By START, none over another. */
struct gsym_moves { GSYM_VEC(struct gsym_moved); };

/** What all objects of a program share. */
struct gsym_places {
	/** Symbols of the program, by name. */
	struct { GSYM_VEC(const struct gsym_symbol *); } symbols;
	/** By index of PROGRAM's linked pieces: the address is of another
	 *  object already. */
	bool *taken;
};

/** Prepare for PROGRAM; false without memory.  PLACES, a zeroed one, is to be
 *  closed in any case. */
bool gsym_places_open(struct gsym_places *places,
		      const struct gsym_container *program);
void gsym_places_close(struct gsym_places *places);

/** Fill RET with the pieces of OBJECT, which PROGRAM says INFO of.  False
 *  without memory. */
bool gsym_moves_find(struct gsym_moves *ret, const struct gsym_places *places,
		     const struct gsym_container *program,
		     const struct gsym_object *info,
		     const struct gsym_container *object);

/** The piece that ADDRESS is in; NULL if the program does not have it. */
const struct gsym_moved *gsym_moves_at(const struct gsym_moves *moves,
				       uint64_t address);

/** The index of the first piece that ends behind ADDRESS. */
size_t gsym_moves_behind(const struct gsym_moves *moves, uint64_t address);

#endif
