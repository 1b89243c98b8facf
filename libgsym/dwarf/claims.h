/* SPDX-License-Identifier: MIT */
/* dwarf/claims.h - which addresses the units of a program claim. */
#ifndef GSYM_DWARF_CLAIMS_H
#define GSYM_DWARF_CLAIMS_H

#include "dwarf/unit.h"

/** Append to CLAIMS the ranges that units claim, as far as WORK allows.  SELF
 *  is from READER's open.  Damage becomes warnings in NOTES. */
enum gsym_status gsym_dw_claims_read(const struct dw_reader *reader, void *self,
				     struct dw_work *work,
				     struct dw_claims *claims,
				     struct dw_unit *notes);

#endif
