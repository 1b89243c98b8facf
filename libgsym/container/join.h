/* SPDX-License-Identifier: MIT */
/*
 * container/join.h - one program in several files: a debug file with its stripped
 * program, or with somebody else's symbol table, becomes one container.
 * Knows neither how the files were found nor what format they have.
 *
 * A section is the same in both files if it has the same name and address.
 */
#ifndef GSYM_CONTAINER_JOIN_H
#define GSYM_CONTAINER_JOIN_H

#include "container/container.h"

/** Whether both are of one format, architecture, class and byte order. */
bool gsym_container_alike(const struct gsym_container *a,
			  const struct gsym_container *b);

/**
 * Append the symbols of FROM to those of TO, which owns FROM from now on,
 * also if the call fails: false without memory.  Without executable sections
 * of its own TO takes those of FROM; symbols in other sections that TO does
 * not have are in no section.
 */
bool gsym_container_join_symbols(struct gsym_container *to,
				 struct gsym_container *from);

/**
 * Make DEBUG, the debug file of PROGRAM, the whole program: identity, base,
 * text and the bytes of loaded sections become those of PROGRAM, and the
 * symbols of both count.  As above for ownership and result.
 *
 * The sections of relocatable objects were laid out file by file, so DEBUG
 * keeps its own text, and its symbols if it has any.
 */
bool gsym_container_join_program(struct gsym_container *debug,
				 struct gsym_container *program);

#endif
