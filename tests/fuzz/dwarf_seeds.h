/* SPDX-License-Identifier: MIT */
/* tests/fuzz/dwarf_seeds.h - cases of the DWARF readers' tests as ELF files. */
#ifndef GSYM_TESTS_FUZZ_DWARF_SEEDS_H
#define GSYM_TESTS_FUZZ_DWARF_SEEDS_H

#include "fuzz/parts.h"
#include "unit/dwarf/cases.h"

/** Case NUMBER of all tables of unit/dwarf/cases.h; NULL after the last
 *  one. */
const struct dw_case *fuzz_dwarf_case(unsigned number);

/** The files that a case is converted from: the program, and either a
 *  supplementary file, a .dwo file or a package; PARTNER is empty if there is
 *  none.  Their bytes are malloc'ed. */
struct fuzz_dwarf_files {
	struct fuzz_part program, partner;
	/** How the program finds PARTNER. */
	enum { FUZZ_DWO, FUZZ_DWP, FUZZ_DWZ, FUZZ_DEBUG, FUZZ_ROLES } role;
};

/** Build CASE in its last version, of either byte order.  SUP: a supplementary
 *  file is found as DWARF 5 says, not as dwz does. */
struct fuzz_dwarf_files fuzz_dwarf_files(const struct dw_case *c,
					 bool big_endian, bool sup);

#endif
