/* SPDX-License-Identifier: MIT */
/*
 * convert/objects_map.h - maps addresses of an object file to addresses of the
 * program that it was linked into.  A piece is a function or variable.
 */
#ifndef GSYM_CONVERT_OBJECTS_MAP_H
#define GSYM_CONVERT_OBJECTS_MAP_H

#include "container/container.h"

/** A piece: [START, END) of the object lies at ADDRESS in the program. */
struct gsym_moved {
	uint64_t start;
	uint64_t end;
	uint64_t address;
	bool function;
	/** Another piece answers for the address: one of an earlier object, or
	 *  a later one of this object. */
	bool folded;
};

/** The pieces of an object, ascending by START, without overlaps. */
struct gsym_moves { GSYM_VEC(struct gsym_moved); };

/** Data about the program for all of its objects. */
struct gsym_places {
	/** Symbols of the program, sorted by name. */
	struct { GSYM_VEC(const struct gsym_symbol *); } symbols;
	/** By index of PROGRAM->linked: a function of an earlier object has the
	 *  address. */
	bool *taken;
};

/** Fill PLACES, a zeroed struct, from PROGRAM.  False without memory; PLACES
 *  has to be closed in either case. */
bool gsym_places_open(struct gsym_places *places,
		      const struct gsym_container *program);
void gsym_places_close(struct gsym_places *places);

/** Fill RET with the pieces of OBJECT; INFO is its entry in PROGRAM->objects.
 *  False without memory. */
bool gsym_moves_find(struct gsym_moves *ret, const struct gsym_places *places,
		     const struct gsym_container *program,
		     const struct gsym_object *info,
		     const struct gsym_container *object);

/** The piece that holds ADDRESS of the object; NULL if none does. */
const struct gsym_moved *gsym_moves_at(const struct gsym_moves *moves,
				       uint64_t address);

/** The index of the first piece that ends after ADDRESS; the count of MOVES if
 *  none does. */
size_t gsym_moves_after(const struct gsym_moves *moves, uint64_t address);

#endif
