/* SPDX-License-Identifier: MIT */
/* Turns errors of libdwarf into warnings. */
#include "dwarf/second.h"

#include <inttypes.h>

int gsym_second_checked(struct second *s, int result, Dwarf_Error *error)
{
	if (result == DW_DLV_ERROR && *error) {
		dwarf_dealloc_error(s->dbg, *error);
		*error = NULL;
	}
	return result;
}

int gsym_second_warned(struct second *s, int result, Dwarf_Error *error,
		       struct dw_unit *unit, enum gsym_warning kind,
		       const char *what, uint64_t offset)
{
	if (result == DW_DLV_ERROR && unit)
		gsym_dw_unit_warn(unit, kind, "%s at offset 0x%" PRIx64 ": %s",
				  what, offset,
				  *error ? dwarf_errmsg(*error) : "damaged");
	return gsym_second_checked(s, result, error);
}
