/* SPDX-License-Identifier: MIT */
/*
 * container/join.h - one container for a program that is spread over several
 * files: a debug file and its stripped program, or a program and the symbol
 * table of .gnu_debugdata.  Knows neither how the files were found nor their
 * format.
 *
 * Sections of two files are the same if they have the same name and address.
 */
#ifndef GSYM_CONTAINER_JOIN_H
#define GSYM_CONTAINER_JOIN_H

#include "container/container.h"

/** Whether A and B have the same format, architecture, class and byte
 *  order. */
bool gsym_container_alike(const struct gsym_container *a,
			  const struct gsym_container *b);

/**
 * Append the symbols of FROM to those of TO.  TO owns FROM from now on, even
 * if the call fails.  If TO has no executable sections it gets those of FROM.
 * Symbols in other sections that TO lacks belong to no section then.  False
 * without memory.
 */
bool gsym_container_join_symbols(struct gsym_container *to,
				 struct gsym_container *from);

/**
 * Complete DEBUG, the debug file of PROGRAM: it gets PROGRAM's build ID, base,
 * text ranges, symbols, and the bytes of loaded sections.  DEBUG owns PROGRAM
 * from now on, even if the call fails.  False without memory.
 *
 * A relocatable object with symbols gets the build ID alone: the sections of
 * the two files were laid out separately.
 */
bool gsym_container_join_program(struct gsym_container *debug,
				 struct gsym_container *program);

#endif
