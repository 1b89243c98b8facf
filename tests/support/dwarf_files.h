/* SPDX-License-Identifier: MIT */
/*
 * tests/support/dwarf_files.h - a program's debug info together with the
 * files that it goes on in: a supplementary one, a split unit, a package.
 */
#ifndef GSYM_TESTS_DWARF_FILES_H
#define GSYM_TESTS_DWARF_FILES_H

#include "support/dwarf_asm.h"

struct dwf {
	struct dwa main;
	struct dwa alternate;
	struct dwa split;
	/** Which of the files there are. */
	bool has_alternate, has_split;
	/** The split unit is in a package, not in a file. */
	bool packed;
};

void dwf_init(struct dwf *f, bool big_endian, unsigned address_size,
	      unsigned version, bool dwarf64);
void dwf_fini(struct dwf *f);

/** All of it, as a container; the bytes are copied, each section to its
 *  exact size.  F has to outlive it.  To be freed. */
struct gsym_container *dwf_container(struct dwf *f);

/** The split unit as a package, with an index of the version that goes with
 *  that of DWARF. */
struct gsym_container *dwf_package(struct dwf *f);

#endif
