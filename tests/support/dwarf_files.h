/* SPDX-License-Identifier: MIT */
/*
 * tests/support/dwarf_files.h - the debug info of a program and the files that
 * belong to it: a supplementary file, a .dwo file, a package.
 */
#ifndef GSYM_TESTS_DWARF_FILES_H
#define GSYM_TESTS_DWARF_FILES_H

#include "support/dwarf_asm.h"

struct dwf {
	struct dwa main;
	struct dwa alternate;
	struct dwa split;
	/** Which of the files the program has. */
	bool has_alternate, has_split;
	/** The split unit is in a package, not in a .dwo file. */
	bool packed;
};

void dwf_init(struct dwf *f, bool big_endian, unsigned address_size,
	      unsigned version, bool dwarf64);
void dwf_fini(struct dwf *f);

/** The program and its files, as a container to be freed.  Each section is
 *  copied to memory of its exact size.  F has to outlive the container. */
struct gsym_container *dwf_container(struct dwf *f);

/** The split unit as a package, to be freed; the version of its index follows
 *  from that of DWARF. */
struct gsym_container *dwf_package(struct dwf *f);

#endif
