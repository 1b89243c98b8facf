/* SPDX-License-Identifier: MIT */
/*
 * process/self.h - what the dynamic linker of the calling process knows.  The
 * build takes one of the files self_*.c, which ask it.
 */
#ifndef GSYM_PROCESS_SELF_H
#define GSYM_PROCESS_SELF_H

#include "process/process.h"

/** A program or library that the dynamic linker knows. */
struct self_object {
	uint64_t bias;
	const uint8_t *id; /**< in the object itself */
	size_t id_size;
	uint32_t module;
};

struct self_objects {
	struct gsym_process *process;
	GSYM_VEC(struct self_object);
};

/** Append all objects to OBJECTS, and add a mapping to its process for each
 *  loaded segment.  The inode of a mapping is the number of its object plus 1
 *  until modules are made.  GSYM_ERR_MEMORY; GSYM_ERR_UNSUPPORTED: the dynamic
 *  linker of this system is unknown. */
enum gsym_status gsym_self_collect(struct self_objects *objects);

#endif
