/* SPDX-License-Identifier: MIT */
/*
 * process/kernel.h - the symbols of a running kernel, as /proc/kallsyms lists
 * them: names of functions, their run-time addresses and their modules.
 */
#ifndef GSYM_PROCESS_KERNEL_H
#define GSYM_PROCESS_KERNEL_H

#include "process/process.h"

/** A symbol reaches up to the next one, but no farther than this, in bytes. */
#define GSYM_KERNEL_REACH (256 << 10)

/** Take the symbols of functions from P->text, a copy of kallsyms, sorted by
 *  address; P gets a module for the kernel and for each module of the kernel.
 *  GSYM_ERR_FORMAT: a line is no line of kallsyms.  GSYM_ERR_IO: all addresses
 *  are 0, because the kernel hides them.  GSYM_ERR_MEMORY. */
enum gsym_status gsym_kernel_parse(struct gsym_process *p,
				   struct gsym_error *error);

/** The first address after symbol INDEX: that of the next symbol, unless that
 *  is too far away. */
uint64_t gsym_kernel_end(const struct gsym_process *p, size_t index);

/** The symbol that covers ADDRESS, of several with one start the first; NULL if
 *  there is none. */
const struct gsym_kernel_symbol *
gsym_kernel_find(const struct gsym_process *p, uint64_t address);

/** Make the mappings of P anew: symbol I belongs to the module OWNERS[I].  Of
 *  several symbols at one address, one whose module has GSYM data counts.
 *  False without memory. */
bool gsym_kernel_map(struct gsym_process *p, const uint32_t *owners);

/** Find out where the functions of each module with new GSYM data are, by their
 *  names, and divide the module into one for each bias, and one without GSYM
 *  data for the symbols that the data lack.  False without memory. */
bool gsym_kernel_place(struct gsym_process *p);

#endif
